"""The selected checks of a contract and its table → what Dagster records of them.

Everything is measured before anything is reported: a failure on the way leaves no result, and a
retry cannot turn one verdict into another.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import dagster as dg

from dqx_dagster.checks.bundle import sum_up
from dqx_dagster.checks.samples import Samples
from dqx_dagster.checks.verdict import Verdict
from dqx_dagster.contract_checks import ContractChecks
from dqx_dagster.data_source import DataSource
from dqx_dagster.errors import DefinitionsError
from dqx_dagster.metadata import failing_rows, present, result_metadata
from dqx_dagster.metrics.partition import Partition
from dqx_dagster.partitions import partition_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from dqx_dagster.spark.check import TableResult


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The results of some checks, and what their table is like."""

    results: tuple[dg.AssetCheckResult, ...] = ()
    table: Mapping[str, Any] = field(default_factory=dict)  # its rows, newest data, and the cost
    summary: str = ""  # for the log
    partition: str | None = None  # where it is about a single one

    @property
    def blocking(self) -> tuple[dg.AssetCheckResult, ...]:
        """What stops downstream assets."""
        error = dg.AssetCheckSeverity.ERROR
        return tuple(r for r in self.results if not r.passed and r.severity is error)

    def observation(self, key: dg.AssetKey) -> dg.AssetObservation:
        """What has been seen of the table."""
        return dg.AssetObservation(key, metadata=dict(self.table), partition=self.partition)


Others: TypeAlias = "Mapping[str, Callable[[], DataFrame]]"


def other_tables(
    checks: ContractChecks, source: DataSource, session: SparkSession, context: Any
) -> Others:
    """How the other tables are read that checks need: through the same source, once, on demand."""
    return {
        dataset: functools.cache(functools.partial(source, session, contract, context))
        for dataset, contract in checks.others.items()
    }


def evaluate_stored(
    checks: ContractChecks,
    selected: Collection[dg.AssetCheckKey],
    source: DataSource,
    session: SparkSession,
    context: Any,
) -> Evaluation:
    """The selected checks on the table as it is stored, or on the partition that the run is of."""
    table = source(session, checks.contract, context)
    partition = partition_of(context, checks.contract, checks.key)
    others = other_tables(checks, source, session, context)
    found = evaluate(checks, selected, table, partition, others)
    context.log.info(found.summary)
    return found


def evaluate(
    checks: ContractChecks,
    selected: Collection[dg.AssetCheckKey],
    table: DataFrame,
    partition: Partition | None = None,
    others: Others = MappingProxyType({}),
    *,
    is_cut: bool = False,
) -> Evaluation:
    """Measure and judge the selected checks, each of which gets exactly one result.

    In a run of a partition its rows are what the checks are about, except for those that are about
    the whole table. `others` read the tables of other contracts, where a check needs them. A table
    that `is_cut` has no other rows than those of the partition.
    """
    if unknown := set(selected) - set(checks.specs):
        names = ", ".join(sorted(key.name for key in unknown))
        raise DefinitionsError(f"the contract has no check {names}")
    chosen = [key for key in checks.specs if key in selected]
    whole = [key for key in chosen if not partition or checks.checks[key].rule.whole_table]
    within = [key for key in chosen if key not in whole]
    parts = [
        _Part(rows, keys, _checked(checks, keys, table, None if is_cut else rows, others))
        for keys, rows in ((whole, None), (within, partition))
        if keys
    ]
    return Evaluation(
        tuple(result for part in parts for result in _results(checks, part)),
        _table(parts),
        "; ".join(map(_summary, parts)),
        partition.keys[0] if partition and len(partition.keys) == 1 else None,
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """Checks of the same rows, and what was found out about these."""

    partition: Partition | None
    selected: Sequence[dg.AssetCheckKey]
    found: TableResult


def _checked(
    checks: ContractChecks,
    selected: Sequence[dg.AssetCheckKey],
    table: DataFrame,
    partition: Partition | None,
    others: Others,
) -> TableResult:
    from dqx_dagster.spark.check import check_table  # noqa: PLC0415 - no Spark before checks run

    rules = [rule for key in selected for rule in checks.checks[key].members]
    clock = dt.datetime.now(dt.timezone.utc)
    return check_table(
        checks.contract, table, now=clock, rules=rules, partition=partition, tables=others
    )


def _results(checks: ContractChecks, part: _Part) -> Iterator[dg.AssetCheckResult]:
    found = part.found
    verdicts = {verdict.rule.name: verdict for verdict in found.verdicts}
    for key in part.selected:
        check = checks.checks[key]
        verdict = sum_up(check, [verdicts[rule.name] for rule in check.members])
        samples = {r.name: found.samples[r.name] for r in check.members if r.name in found.samples}
        yield _result(checks.specs[key], verdict, found, part.partition, samples)


def _result(
    spec: dg.AssetCheckSpec,
    verdict: Verdict,
    table: TableResult,
    partition: Partition | None,
    samples: Mapping[str, Samples],
) -> dg.AssetCheckResult:
    # A blocking check that fails as a warning would not block.
    is_error = spec.blocking or verdict.rule.blocking
    rows = {"rows": table.rows, "partition": str(partition) if partition else None}
    return dg.AssetCheckResult(
        passed=verdict.passed,
        asset_key=spec.asset_key,
        check_name=spec.name,
        severity=dg.AssetCheckSeverity.ERROR if is_error else dg.AssetCheckSeverity.WARN,
        description=verdict.reason,
        metadata={**result_metadata(verdict), **failing_rows(samples), **present(rows)},
    )


def _table(parts: Sequence[_Part]) -> dict[str, Any]:
    """What Dagster shows of the table itself, from the same passes; their cost is one."""
    if not parts:
        return {}
    counts = {
        "dagster/partition_row_count" if part.partition else "dagster/row_count": part.found.rows
        for part in parts
    }
    newest = [part.found.newest for part in parts if part.found.newest]
    first, *more = (part.found.cost for part in parts)
    cost = sum(more, start=first)
    known = {
        **counts,
        "dagster/last_updated_timestamp": dg.MetadataValue.timestamp(newest[-1])
        if newest
        else None,
        "seconds": cost.seconds,
        "scans": cost.scans(parts[0].found.rows),
        "bytes_read": cost.bytes_read,
    }
    return present(known)


def _summary(part: _Part) -> str:
    found = part.found
    broken = sum(not verdict.passed for verdict in found.verdicts)
    rows = "unknown" if found.rows is None else f"{found.rows:,}"
    of = f" of partition {part.partition}" if part.partition else ""
    scans = found.cost.scans(found.rows)
    read = "" if scans is None else f", {scans:g} scans"
    rules = len(found.verdicts)
    return f"{rules} rules on {rows} rows{of}, {broken} broken; {found.cost.seconds:.1f} s{read}"
