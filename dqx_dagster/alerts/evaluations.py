"""Dagster's event log → what became of checks since the last look.

Evaluations of all runs lie in one sequence, also in the default SQLite, which keeps a copy of them
beside the logs of its runs. So a look costs one query for each kind of event and one more for each
run that failed, however many checks there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import dagster as dg
from dagster import DagsterEventType as Event

from dqx_dagster.alerts.cursor import Position, Subject

_LIMITS: Final = {Event.ASSET_CHECK_EVALUATION: 1000, Event.RUN_FAILURE: 50, Event.RUN_CANCELED: 50}
"""What is read in one look, at most; the rest waits for the next."""

_ENDS: Final = {
    dg.DagsterRunStatus.FAILURE: "the run failed before it had a result",
    dg.DagsterRunStatus.CANCELED: "the run was cancelled before it had a result",
}
_END_EVENTS: Final = {
    Event.RUN_FAILURE: dg.DagsterRunStatus.FAILURE,
    Event.RUN_CANCELED: dg.DagsterRunStatus.CANCELED,
}
_SETTLING: Final = 20
"""For so many seconds an event with a smaller number may still turn up: a database numbers events
when they are written, and shows them when they are committed. A clock that is ahead by more than
that must not hold up everything after it."""

_KEYS_AT_ONCE: Final = 400
"""SQLite had room for 999 parameters, and a key takes two."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What became of a subject: it passed, it failed, or (None) it has no result."""

    subject: Subject
    passed: bool | None
    sentence: str
    run_id: str | None
    timestamp: float


def look(
    instance: dg.DagsterInstance,
    keys: Collection[dg.AssetCheckKey],
    position: Position | None,
    now: float,
) -> tuple[list[Evaluation], Position]:
    """What became of the checks since `position`, in order, and the position after that.

    Without a position, or where the log has lost events and begun to reuse their numbers, this is
    the last that is known of each check.
    """
    end = instance.event_log_storage.get_maximum_record_id() or 0
    if position is None or end < position.after:
        # What is committed late was not there for the look at the latest, and is news for the next.
        start = Position(max(0, end - _LIMITS[Event.ASSET_CHECK_EVALUATION] + 1))
        entries = _entries(instance, start)
        known = [number for number, entry in entries.items() if _concerns(entry, keys)]
        latest = sorted(_latest(instance, keys), key=lambda each: each.timestamp)
        return latest, _settled(start, entries, known, now)
    entries = _entries(instance, position)
    seen = frozenset(position.seen)
    relevant = {number: entry for number, entry in entries.items() if _concerns(entry, keys)}
    found = [
        evaluation
        for number, entry in relevant.items()
        if number not in seen
        for evaluation in _evaluations(instance, keys, entry)
    ]
    return found, _settled(position, entries, list(relevant), now)


def _settled(
    position: Position, entries: Mapping[int, dg.EventLogEntry], known: Sequence[int], now: float
) -> Position:
    """The position after these entries: before the first that others may still get in front of."""
    unsettled = [n for n, entry in entries.items() if abs(now - entry.timestamp) < _SETTLING]
    end = unsettled[0] if unsettled else max(entries, default=position.after) + 1
    after = max((number for number in entries if number < end), default=position.after)
    return Position(after, tuple(number for number in known if number > after))


def _entries(instance: dg.DagsterInstance, position: Position) -> dict[int, dg.EventLogEntry]:
    """The events beyond a position, in order, and those again that were seen beyond it."""
    entries: dict[int, dg.EventLogEntry] = {}
    full = []
    for kind, usual in _LIMITS.items():
        limit = usual + len(position.seen)
        found = instance.event_log_storage.get_logs_for_all_runs_by_log_id(
            position.after, kind, limit
        )
        entries.update(found)
        if len(found) == limit:
            full.append(max(found))
    # Of one kind there may be more, so that nothing of another kind may overtake it.
    numbers = sorted(n for n in entries if not full or n <= min(full))
    return {number: entries[number] for number in numbers}


def _concerns(entry: dg.EventLogEntry, keys: Collection[dg.AssetCheckKey]) -> bool:
    event = entry.get_dagster_event()
    if event.event_type in _END_EVENTS:
        return True
    return event.asset_check_evaluation_data.asset_check_key in keys


def _evaluations(
    instance: dg.DagsterInstance, keys: Collection[dg.AssetCheckKey], entry: dg.EventLogEntry
) -> Iterable[Evaluation]:
    event = entry.get_dagster_event()
    if event.event_type not in _END_EVENTS:
        return [_evaluation(entry)]
    status = _END_EVENTS[event.event_type]
    return _without_result(instance, entry.run_id, keys, _ENDS[status], entry.timestamp)


def _evaluation(entry: dg.EventLogEntry) -> Evaluation:
    said = entry.get_dagster_event().asset_check_evaluation_data
    return Evaluation(
        Subject(said.asset_check_key, said.partition),
        said.passed,
        said.description or ("passed" if said.passed else "did not pass"),
        entry.run_id or None,
        entry.timestamp,
    )


# Without a result


def _without_result(
    instance: dg.DagsterInstance,
    run_id: str,
    keys: Collection[dg.AssetCheckKey],
    sentence: str,
    timestamp: float,
) -> Iterator[Evaluation]:
    """The checks that a run had planned and did not evaluate.

    Not those of an asset that the run should have made and has not: there is nothing new to check,
    and a table that is broken would otherwise raise an alert for every table after it.
    """
    kinds = {Event.ASSET_CHECK_EVALUATION_PLANNED, Event.ASSET_CHECK_EVALUATION}
    missing: dict[dg.AssetCheckKey, str | None] = {}
    for event in _events(instance, run_id, kinds):
        if event.event_type is Event.ASSET_CHECK_EVALUATION:
            missing.pop(event.asset_check_evaluation_data.asset_check_key, None)
        elif (key := event.asset_check_planned_data.asset_check_key) in keys:
            # The result for a range of partitions would belong to none of them.
            planned = event.asset_check_planned_data.partitions_subset
            partitions = planned.get_partition_keys() if planned and len(planned) == 1 else ()
            missing[key] = next(iter(partitions), None)
    not_made = _not_made(instance, run_id) if missing else set()
    for key, partition in missing.items():
        if key.asset_key not in not_made:
            yield Evaluation(Subject(key, partition), None, sentence, run_id, timestamp)


def _not_made(instance: dg.DagsterInstance, run_id: str) -> set[dg.AssetKey | None]:
    kinds = {Event.ASSET_MATERIALIZATION_PLANNED, Event.ASSET_MATERIALIZATION}
    events = list(_events(instance, run_id, kinds))
    made = {e.asset_key for e in events if e.event_type is Event.ASSET_MATERIALIZATION}
    return {event.asset_key for event in events} - made


def _events(
    instance: dg.DagsterInstance, run_id: str, kinds: set[Event]
) -> Iterator[dg.DagsterEvent]:
    for entry in instance.all_logs(run_id, of_type=kinds):
        yield entry.get_dagster_event()


# The last that is known


def _latest(
    instance: dg.DagsterInstance, keys: Collection[dg.AssetCheckKey]
) -> Iterator[Evaluation]:
    unfinished: dict[str, set[dg.AssetCheckKey]] = {}
    for some in _chunks(list(keys)):
        found = instance.event_log_storage.get_latest_asset_check_execution_by_key(some)
        for key in some:  # beside these the storage gives every name of one on the asset of another
            record = found.get(key)
            if record is None or record.event is None:
                continue
            if record.event.dagster_event_type is Event.ASSET_CHECK_EVALUATION:
                yield _evaluation(record.event)
            else:
                unfinished.setdefault(record.run_id, set()).add(key)
    for run_id, status, timestamp in _ended(instance, unfinished):
        yield from _without_result(instance, run_id, unfinished[run_id], _ENDS[status], timestamp)


def _ended(
    instance: dg.DagsterInstance, run_ids: Collection[str]
) -> Iterator[tuple[str, dg.DagsterRunStatus, float]]:
    if not run_ids:
        return
    wanted = dg.RunsFilter(run_ids=list(run_ids), statuses=list(_ENDS))
    for record in instance.get_run_records(wanted):
        ended = record.end_time or record.update_timestamp.timestamp()
        yield record.dagster_run.run_id, record.dagster_run.status, ended


def _chunks(keys: list[dg.AssetCheckKey]) -> Iterator[list[dg.AssetCheckKey]]:
    for start in range(0, len(keys), _KEYS_AT_ONCE):
        yield keys[start : start + _KEYS_AT_ONCE]
