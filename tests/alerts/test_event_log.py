"""What the sensor reads of the event log, on its first tick and on those after it."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import dagster as dg
import pytest
import sqlalchemy
from assets.projects import CHECKS, CONTRACT, KEY, WARNING, write_contract
from dagster._core.test_utils import freeze_time

from alerts.watching import Watch, report, run
from dqx_dagster import AlertStatus
from dqx_dagster.alerts import evaluations

FAILED, RECOVERED = AlertStatus.FAILED, AlertStatus.RECOVERED
NOT_EVALUATED = AlertStatus.NOT_EVALUATED
NOON = dt.datetime(2026, 3, 5, 12, tzinfo=dt.timezone.utc)


class TestFirstTick:
    def test_it_tells_what_fails_now_and_only_once(
        self, instance: dg.DagsterInstance, folder: Path
    ) -> None:
        report(instance, WARNING, passed=False)
        report(instance, WARNING, passed=True)
        report(instance, KEY, passed=True)
        report(instance, KEY, passed=False)
        watch = Watch(instance, folder)

        assert watch.told() == [(KEY, FAILED)]
        assert watch.told() == []

    def test_it_tells_what_was_not_evaluated(
        self, instance: dg.DagsterInstance, folder: Path
    ) -> None:
        run(instance, {}, crashes="checks")
        report(instance, KEY, passed=True)

        told = Watch(instance, folder).told()

        assert dict(told) == dict.fromkeys(CHECKS - {KEY}, NOT_EVALUATED)

    @pytest.mark.parametrize(
        "text",
        [
            "1234",
            "null",
            "[]",
            "no JSON",
            '{"version": 99, "somewhere": "else"}',
            '{"version": 1, "after": 1}',
            '{"version": 1, "after": "x", "seen": [], "troubles": {}}',
            '{"version": 1, "after": 1, "seen": [], "troubles": {"a": [["b", null, "odd", 1]]}}',
        ],
    )
    def test_a_cursor_of_another_kind_starts_over(
        self, instance: dg.DagsterInstance, folder: Path, text: str
    ) -> None:
        report(instance, KEY, passed=False)
        watch = Watch(instance, folder)
        watch.cursor = text

        assert watch.told() == [(KEY, FAILED)]
        assert watch.told() == []


@contextlib.contextmanager
def first_uncommitted(home: Path) -> Iterator[None]:
    """The first event, and what Dagster notes of it, have their numbers, and are not there yet."""
    (database,) = home.rglob("index.db")
    tables = ("event_logs", "asset_check_executions")
    with sqlite3.connect(database) as log:
        rows = {t: log.execute(f"select * from {t} order by id").fetchone() for t in tables}
        for name, row in rows.items():
            log.execute(f"delete from {name} where id = ?", (row[0],))
    yield
    with sqlite3.connect(database) as log:
        for name, row in rows.items():
            log.execute(f"insert into {name} values ({', '.join('?' * len(row))})", row)


class TestEventLog:
    def test_an_event_that_is_committed_late_is_found(
        self, watch: Watch, instance: dg.DagsterInstance, home: Path
    ) -> None:
        """Other databases show event 2 before event 1, where two processes write at once."""
        report(instance, KEY, passed=False)
        report(instance, WARNING, passed=False)
        with first_uncommitted(home):
            assert watch.told() == [(WARNING, FAILED)]

        assert watch.told() == [(KEY, FAILED)]
        assert watch.told() == []

    def test_after_the_first_tick_too(
        self, instance: dg.DagsterInstance, folder: Path, home: Path
    ) -> None:
        report(instance, KEY, passed=False)
        report(instance, WARNING, passed=False)
        watch = Watch(instance, folder)
        with first_uncommitted(home):
            assert watch.told() == [(WARNING, FAILED)]

        assert watch.told() == [(KEY, FAILED)]
        assert watch.told() == []

    def test_and_where_there_is_more_than_one_tick_reads(
        self,
        watch: Watch,
        instance: dg.DagsterInstance,
        home: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setitem(evaluations._LIMITS, dg.DagsterEventType.ASSET_CHECK_EVALUATION, 2)
        report(instance, KEY, passed=False)
        for passed in (False, True, False):
            report(instance, WARNING, passed=passed)
        with first_uncommitted(home):
            assert watch.told() == [(WARNING, FAILED), (WARNING, RECOVERED)]

        assert watch.told() == [(KEY, FAILED), (WARNING, FAILED)]
        assert watch.told() == []

    def test_a_clock_that_is_ahead_holds_nothing_up(
        self, watch: Watch, instance: dg.DagsterInstance
    ) -> None:
        with freeze_time(dt.datetime.now(dt.timezone.utc) + dt.timedelta(hours=1)):
            report(instance, KEY, passed=False)
        watch.tick()

        kept = json.loads(str(watch.cursor))
        assert (kept["after"], kept["seen"]) == (1, [])

    def test_what_was_read_long_ago_is_not_read_again(
        self, watch: Watch, instance: dg.DagsterInstance
    ) -> None:
        with freeze_time(NOON):
            report(instance, KEY, passed=False)
            report(instance, WARNING, passed=True)
        watch.tick()

        kept = json.loads(str(watch.cursor))
        assert (kept["after"], kept["seen"]) == (2, [])

    def test_numbers_that_are_used_again_are_noticed(
        self, watch: Watch, instance: dg.DagsterInstance
    ) -> None:
        with freeze_time(NOON):
            report(instance, KEY, passed=False)
            report(instance, WARNING, passed=False)
        assert len(watch.told()) == 2

        instance.event_log_storage.wipe()
        report(instance, KEY, passed=True)

        assert watch.told() == [(KEY, RECOVERED)]

    def test_more_than_one_tick_reads_comes_with_the_next_ones(
        self, watch: Watch, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(evaluations._LIMITS, dg.DagsterEventType.ASSET_CHECK_EVALUATION, 3)
        for passed in (False, True, False, True):
            report(instance, KEY, passed=passed)
        run(instance, {}, crashes="checks")

        told = [watch.told() for _ in range(3)]

        assert told[0] == [(KEY, FAILED), (KEY, RECOVERED), (KEY, FAILED)]
        assert told[1][0] == (KEY, RECOVERED)
        assert dict(told[1][1:]) == dict.fromkeys(CHECKS, NOT_EVALUATED)
        assert told[2] == []


@pytest.fixture
def queries() -> Iterator[Callable[[], int]]:
    """How many queries there were since the last question."""
    seen: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        seen.append(statement)

    def count() -> int:
        selects = [statement for statement in seen if statement.startswith("SELECT")]
        seen.clear()
        return len(selects)

    sqlalchemy.event.listen(sqlalchemy.Engine, "before_cursor_execute", note)
    yield count
    sqlalchemy.event.remove(sqlalchemy.Engine, "before_cursor_execute", note)


def test_the_number_of_queries_does_not_depend_on_the_number_of_checks(
    tmp_path: Path, queries: Callable[[], int]
) -> None:
    columns = "\n".join(
        f"  - {{name: c{n}, logicalType: integer, required: true}}" for n in range(80)
    )
    write_contract(tmp_path / "contracts", CONTRACT[: CONTRACT.index("  - {name: id")] + columns)
    names = [f"c{n}__required" for n in range(80)]
    counted = []
    with dg.DagsterInstance.ephemeral() as instance:
        watch = Watch(instance, tmp_path)
        for some in (names[:1], names):
            watch.cursor = None
            for passed in (True, False):
                for name in some:
                    report(instance, name, passed=passed)
                queries()
                assert len(watch.tick()) == (0 if passed else len(some))
                counted.append(queries())

    assert counted[:2] == counted[2:]
    assert max(counted) <= 5
