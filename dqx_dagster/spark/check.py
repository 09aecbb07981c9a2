"""A contract and its table → verdicts: lowering, planning, measuring and judging in one call."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame

from dqx_dagster.checks.lowering import lower
from dqx_dagster.checks.rule import Rule, Settings, Skipped, plan
from dqx_dagster.checks.verdict import Verdict, judge
from dqx_dagster.contract.model import Contract
from dqx_dagster.errors import SchemaValidationError
from dqx_dagster.metrics.metric import ROWS, Age, Function, Measurements, Mismatches, as_instant
from dqx_dagster.metrics.plan import plan_metrics
from dqx_dagster.spark.cost import Cost
from dqx_dagster.spark.measure import measure, measure_with_cost
from dqx_dagster.spark.sql import NO_TABLES, Tables


@dataclass(frozen=True, slots=True)
class TableResult:
    """What was found out about one table."""

    contract: Contract
    rows: int | None
    verdicts: tuple[Verdict, ...]
    skipped: tuple[Skipped, ...]
    cost: Cost
    newest: dt.datetime | None = None  # the newest data, where a rule asks for its age


def check_table(
    contract: Contract,
    table: DataFrame,
    *,
    now: dt.datetime | None = None,
    settings: Settings | None = None,
    rules: Sequence[Rule] | None = None,
    tables: Tables = NO_TABLES,
) -> TableResult:
    """Measure and judge the rules of a contract, or just some of them.

    `now` is the clock; without one it is the time of the call. `tables` are the other tables that
    SQL rules read, by their dataset: frames, or functions that load them when they are needed.
    """
    clock = now or dt.datetime.now(dt.timezone.utc)
    lowered = lower(contract, settings)
    chosen = lowered.rules if rules is None else tuple(rules)
    needed = plan_metrics([ROWS, *plan(chosen).leaves])
    measured, cost = measure_with_cost(table, needed, now=clock, tables=tables)
    rows = measured[ROWS]
    return TableResult(
        contract,
        rows if isinstance(rows, int) else None,
        tuple(judge(rule, measured, clock) for rule in chosen),
        lowered.skipped,
        cost,
        _newest(chosen, measured),
    )


def _newest(rules: Sequence[Rule], measured: Measurements) -> dt.datetime | None:
    ages = [rule.claim.metric for rule in rules if isinstance(rule.claim.metric, Age)]
    moments = [as_instant(measured[age.of]) for age in ages if age.of.function is Function.MAX]
    return max((moment for moment in moments if moment is not None), default=None)


def validate_schema(contract: Contract, table: DataFrame) -> None:
    """Raise `SchemaValidationError` where the columns are not what the contract declares."""
    rules = [r for r in lower(contract).rules if isinstance(r.claim.metric, Mismatches)]
    clock = dt.datetime.now(dt.timezone.utc)
    for problems in measure(table, plan(rules), now=clock).values():
        if isinstance(problems, tuple) and problems:
            raise SchemaValidationError("\n".join(map(str, problems)))
