"""A contract and its table → verdicts: lowering, planning, measuring and judging in one call."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from pyspark.sql import DataFrame

from dqx_dagster.checks.lowering import lower
from dqx_dagster.checks.rule import Rule, Settings, Skipped, plan
from dqx_dagster.checks.samples import Samples, wanted
from dqx_dagster.checks.verdict import Verdict, judge
from dqx_dagster.contract.model import Contract
from dqx_dagster.errors import EngineError, SchemaValidationError
from dqx_dagster.metrics.metric import ROWS, Age, Function, Measurements, Mismatches, as_instant
from dqx_dagster.metrics.partition import Partition
from dqx_dagster.metrics.plan import plan_metrics
from dqx_dagster.spark.cost import Cost
from dqx_dagster.spark.failures import FAILURES, check_alive
from dqx_dagster.spark.measure import measure, measure_with_cost
from dqx_dagster.spark.samples import failing_samples
from dqx_dagster.spark.tables import Given, Tables


@dataclass(frozen=True, slots=True)
class TableResult:
    """What was found out about one table."""

    contract: Contract
    rows: int | None
    verdicts: tuple[Verdict, ...]
    skipped: tuple[Skipped, ...]
    cost: Cost
    newest: dt.datetime | None = None  # the newest data, where a rule asks for its age
    samples: Mapping[str, Samples] = field(default_factory=dict)  # of broken rules, by name


def check_table(
    contract: Contract,
    table: DataFrame,
    *,
    now: dt.datetime | None = None,
    settings: Settings | None = None,
    rules: Sequence[Rule] | None = None,
    partition: Partition | None = None,
    tables: Given = MappingProxyType({}),
) -> TableResult:
    """Measure and judge the rules of a contract, or just some of them.

    `now` is the clock; without one it is the time of the call. With a partition only its rows
    count. `tables` are those of other contracts that rules read, by dataset: DataFrames, or
    functions that read them, which are called only if a rule needs them. Rows that break rules are
    looked for after judging, and only for rules that ask for them and are broken.
    """
    clock = now or dt.datetime.now(dt.timezone.utc)
    lowered = lower(contract, settings)
    chosen = lowered.rules if rules is None else tuple(rules)
    needed = plan_metrics([ROWS, *plan(chosen).leaves])
    measured, cost = measure_with_cost(table, needed, now=clock, partition=partition, tables=tables)
    rows = measured[ROWS]
    verdicts = tuple(judge(rule, measured, clock) for rule in chosen)
    samples: Mapping[str, Samples] = {}
    if broken := wanted(verdicts):
        others = Tables(table.sparkSession, tables)
        samples, extra = failing_samples(contract, table, broken, others, partition)
        cost += replace(extra, rows_read=None) if others.used else extra
    return TableResult(
        contract,
        rows if isinstance(rows, int) else None,
        verdicts,
        lowered.skipped,
        cost,
        _newest(chosen, measured),
        samples,
    )


def _newest(rules: Sequence[Rule], measured: Measurements) -> dt.datetime | None:
    ages = [rule.claim.metric for rule in rules if isinstance(rule.claim.metric, Age)]
    moments = [as_instant(measured[age.of]) for age in ages if age.of.function is Function.MAX]
    return max((moment for moment in moments if moment is not None), default=None)


def check_repeatable(table: DataFrame) -> None:
    """Raise `EngineError` where a DataFrame may hold other rows when it is computed again.

    What is checked would then not be what is written. Spark Connect cannot tell.
    """
    try:
        plan = table._jdf.queryExecution().analyzed()  # noqa: SLF001
        repeatable = bool(plan.deterministic())
    except FAILURES as error:
        check_alive(table.sparkSession, error)
        return
    if not repeatable:
        text = "the DataFrame is not deterministic: what is checked is not what would be written"
        raise EngineError(f"{text}; return its .localCheckpoint(), or read it back from a file")


def validate_schema(contract: Contract, table: DataFrame) -> None:
    """Raise `SchemaValidationError` where the columns are not what the contract declares."""
    rules = [r for r in lower(contract).rules if isinstance(r.claim.metric, Mismatches)]
    clock = dt.datetime.now(dt.timezone.utc)
    for problems in measure(table, plan(rules), now=clock).values():
        if isinstance(problems, tuple) and problems:
            raise SchemaValidationError("\n".join(map(str, problems)))
