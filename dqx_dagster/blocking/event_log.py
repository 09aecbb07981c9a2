"""What Dagster's event log says about checks: the only place that reads it.

Takes gates, gives those that are closed. A handful of queries, however many checks there are: the
results of this run, the latest execution of every other check, when the assets were materialized,
and the runs of executions without a result. Only partitioned checks cost a query for each
partition, or one for each check whose partitions are mixed, and executions that are still going on
two for each check.
"""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg

# Dagster has no public way to ask for many checks, or for one partition of a check.
from dagster._core.event_api import PartitionKeyFilter
from dagster._core.storage.asset_check_execution_record import (
    AssetCheckExecutionRecord,
    AssetCheckExecutionRecordStatus,
)

from dqx_dagster.blocking.blocked import Blocked, Cause, Gate

_PLANNED = AssetCheckExecutionRecordStatus.PLANNED
_FAILED = AssetCheckExecutionRecordStatus.FAILED
_RESULTS = {AssetCheckExecutionRecordStatus.SUCCEEDED, _FAILED}
_MOST_NAMED = 10  # of the partitions of a check that have failed, the latest
_AT_ONCE = 25  # of the executions of one check, from the last one back
_CHECK_EVENTS = {
    dg.DagsterEventType.ASSET_CHECK_EVALUATION_PLANNED,
    dg.DagsterEventType.ASSET_CHECK_EVALUATION,
}


@dataclass(frozen=True, slots=True)
class _Made:
    """The last materialization of an asset, or of one of its partitions."""

    storage_id: int
    run_id: str
    timestamp: float


def closed(
    instance: dg.DagsterInstance,
    gates: Sequence[Gate],
    *,
    run_id: str | None = None,
    partitions: Sequence[str] = (),
) -> tuple[Blocked, ...]:
    """The gates that stand in the way of these partitions, in this run or in one to come."""
    if not gates:
        return ()
    ours = _of_run(instance, run_id) if run_id else {}
    within = (_in_run(gate, ours[gate.check]) for gate in gates if gate.check in ours)
    others = [gate for gate in gates if gate.check not in ours]
    by_partition = [gate for gate in others if gate.same_partition and partitions]
    by_last = [gate for gate in others if not (gate.same_partition and partitions)]
    mixed = (gate for gate in gates if gate.read is None or gate.read)
    failed = [
        each
        for gate in mixed
        for each in itertools.islice(_failed_partitions(instance, gate, run_id), _MOST_NAMED)
    ]
    named = {each.check for each in failed}
    last = (each for each in _judged(instance, by_last, None) if each)
    unnamed = (each for each in last if not (each.cause is Cause.FAILED and each.check in named))
    found: list[Blocked | None] = [*within, *unnamed, *failed]
    for partition in partitions:
        found += _judged(instance, by_partition, partition)
    order = {gate.check: position for position, gate in enumerate(gates)}
    return tuple(sorted((each for each in found if each), key=lambda each: order[each.check]))


# Checks of this run


def _of_run(
    instance: dg.DagsterInstance, run_id: str
) -> dict[dg.AssetCheckKey, tuple[dg.AssetCheckEvaluation, float] | None]:
    """The last result of every check that this run evaluates; None where there is none yet."""
    found: dict[dg.AssetCheckKey, tuple[dg.AssetCheckEvaluation, float] | None] = {}
    for entry in instance.all_logs(run_id, of_type=_CHECK_EVENTS):
        said: Any = entry.get_dagster_event().event_specific_data
        if isinstance(said, dg.AssetCheckEvaluation):
            found[said.asset_check_key] = said, entry.timestamp
        else:
            found.setdefault(said.asset_check_key, None)
    return found


def _in_run(gate: Gate, result: tuple[dg.AssetCheckEvaluation, float] | None) -> Blocked | None:
    if result is None:
        return Blocked(gate.check, gate.contract, Cause.PENDING)
    evaluation, timestamp = result
    if evaluation.passed:
        return None
    when, found = _moment(timestamp), evaluation.description
    return Blocked(gate.check, gate.contract, Cause.FAILED, found=found, evaluated=when)


# Checks of other runs


def _judged(
    instance: dg.DagsterInstance, gates: Sequence[Gate], partition: str | None
) -> Iterator[Blocked | None]:
    """What the latest execution of each check says, of this partition or, for None, of any."""
    if not gates:
        return
    only = PartitionKeyFilter(key=partition) if partition else None
    storage = instance.event_log_storage
    records = dict(
        storage.get_latest_asset_check_execution_by_key([gate.check for gate in gates], only)
    )
    for key in _going_on(instance, records.values()):
        # What goes on elsewhere changes nothing until it ends: what ended before it counts.
        del records[key]
        if ended := _last_ended(instance, key, only):
            records[key] = ended
    made = _materializations(instance, {gate.check.asset_key for gate in gates}, partition)
    for gate in gates:
        record = records.get(gate.check)
        yield _judge(gate, partition, record, made.get(gate.check.asset_key))


def _failed_partitions(
    instance: dg.DagsterInstance, gate: Gate, run_id: str | None
) -> Iterator[Blocked]:
    """What has failed of the partitions that are read, where they are mixed on the way.

    The last result of a check is of one of them, and must not hide that of another.
    """
    seen: set[str] = set()
    failures = _pages(instance, gate.check, status={_FAILED})
    for record in itertools.chain.from_iterable(failures):
        partition = record.partition
        is_read = gate.read is None or partition in gate.read
        if partition is None or partition in seen or not is_read:
            continue
        seen.add(partition)
        only = PartitionKeyFilter(key=partition)
        last, *_ = next(_pages(instance, gate.check, status=_RESULTS, partition_filter=only))
        blocked = _judge(gate, partition, last, None)
        if blocked and last.run_id != run_id:  # of its own run the result is known already
            yield blocked


def _pages(
    instance: dg.DagsterInstance, key: dg.AssetCheckKey, **wanted: Any
) -> Iterator[Sequence[AssetCheckExecutionRecord]]:
    """The executions of a check, from the last one back, some at once."""
    cursor: int | None = None
    while records := instance.event_log_storage.get_asset_check_execution_history(
        key, limit=_AT_ONCE, cursor=cursor, **wanted
    ):
        yield records
        cursor = records[-1].id


def _judge(
    gate: Gate,
    partition: str | None,
    record: AssetCheckExecutionRecord | None,
    made: _Made | None,
) -> Blocked | None:
    if record is None:
        return Blocked(gate.check, gate.contract, Cause.NEVER, partition)
    when = _moment(record.event.timestamp if record.event else record.create_timestamp)
    if record.status is _PLANNED or record.evaluation is None:
        return Blocked(gate.check, gate.contract, Cause.UNFINISHED, partition, evaluated=when)
    found = record.evaluation.description
    if not record.evaluation.passed:
        return Blocked(gate.check, gate.contract, Cause.FAILED, partition, found, when)
    if not _is_about(record, made):
        return Blocked(gate.check, gate.contract, Cause.OUTDATED, partition, found, when)
    return None


def _is_about(record: AssetCheckExecutionRecord, made: _Made | None) -> bool:
    """Whether an evaluation has seen this materialization: as Dagster's UI decides it."""
    assert record.event is not None
    assert record.evaluation is not None
    if made is None:
        return True
    if record.run_id and record.run_id == made.run_id:  # what is reported without a run has ""
        return True
    target = record.evaluation.target_materialization_data
    if target is None:
        return record.event.timestamp > made.timestamp
    return target.storage_id == made.storage_id


def _going_on(
    instance: dg.DagsterInstance, records: Iterable[AssetCheckExecutionRecord]
) -> list[dg.AssetCheckKey]:
    """The checks whose execution waits or runs; a run that is gone has ended."""
    planned = {record.key: record.run_id for record in records if record.status is _PLANNED}
    alive = _alive(instance, planned.values())
    return [key for key, run_id in planned.items() if run_id in alive]


def _last_ended(
    instance: dg.DagsterInstance, key: dg.AssetCheckKey, only: PartitionKeyFilter | None
) -> AssetCheckExecutionRecord | None:
    """The last execution that neither waits nor runs, whether it has a result or not."""
    for records in _pages(instance, key, partition_filter=only):
        alive = _alive(instance, [each.run_id for each in records if each.status is _PLANNED])
        for record in records:
            if record.status is not _PLANNED or record.run_id not in alive:
                return record
    return None


def _alive(instance: dg.DagsterInstance, run_ids: Iterable[str]) -> set[str]:
    if not (wanted := sorted(set(run_ids))):
        return set()
    runs = instance.get_runs(filters=dg.RunsFilter(run_ids=wanted))
    return {run.run_id for run in runs if not run.is_finished}


def _materializations(
    instance: dg.DagsterInstance, assets: Iterable[dg.AssetKey], partition: str | None
) -> Mapping[dg.AssetKey, _Made]:
    found: dict[dg.AssetKey, Any] = {}
    if partition is None:
        for entry in (record.asset_entry for record in instance.get_asset_records(list(assets))):
            found[entry.asset_key] = entry.last_materialization_record
    else:
        for asset in assets:
            filter_ = dg.AssetRecordsFilter(asset, asset_partitions=[partition])
            records = instance.fetch_materializations(filter_, limit=1).records
            found[asset] = records[0] if records else None
    return {
        asset: _Made(record.storage_id, record.run_id, record.timestamp)
        for asset, record in found.items()
        if record is not None
    }


def _moment(timestamp: float) -> dt.datetime:
    return dt.datetime.fromtimestamp(timestamp, dt.timezone.utc)
