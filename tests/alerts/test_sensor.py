"""What the sensor tells of evaluations that are really in Dagster's event log."""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import dagster as dg
import pytest
import sqlalchemy
from assets.projects import CHECKS, CONTRACT, KEY, ORDERS, WARNING, write_contract
from dagster._core.test_utils import freeze_time

from alerts.watching import CONTRACT_PLACE, Watch, contract_folder, report, run
from dqx_dagster import AlertStatus, CheckAlert, Severity
from dqx_dagster.alerts import cursor, evaluations, sensor

FAILED, RECOVERED = AlertStatus.FAILED, AlertStatus.RECOVERED
NOT_EVALUATED = AlertStatus.NOT_EVALUATED
NOON = dt.datetime(2026, 3, 5, 12, tzinfo=dt.timezone.utc)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return contract_folder(tmp_path)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def storage(home: Path) -> Iterator[dg.DagsterInstance]:
    """Dagster's default storage: SQLite, with a file for each run."""
    with dg.DagsterInstance.local_temp(str(home)) as instance:
        yield instance


@pytest.fixture
def instance(storage: dg.DagsterInstance) -> Iterator[dg.DagsterInstance]:
    """An instance in which nothing has happened."""
    yield storage
    storage.wipe()


@pytest.fixture
def watch(instance: dg.DagsterInstance, folder: Path) -> Watch:
    """A sensor that has begun before anything has happened."""
    watch = Watch(instance, folder)
    assert watch.tick() == []
    return watch


def test_a_warning_is_told_though_its_run_succeeds(
    instance: dg.DagsterInstance, folder: Path
) -> None:
    owned = CONTRACT.replace("status: active\n", "status: active\nteam: {name: shop}\n")
    write_contract(folder / "contracts", owned)
    watch = Watch(instance, folder, webserver_url="https://dagster.example/prod/")
    watch.tick()

    result = run(instance, {WARNING: False})
    (alert,) = watch.tick()

    assert result.success
    (event,) = instance.all_logs(result.run_id, dg.DagsterEventType.RUN_SUCCESS)
    assert alert.timestamp.timestamp() <= event.timestamp
    assert alert == CheckAlert(
        asset_key=ORDERS,
        check_name=WARNING,
        status=FAILED,
        sentence=f"{WARNING} was measured",
        severity=Severity.P1,
        blocking=False,
        contract=f"{CONTRACT_PLACE}:18",
        timestamp=alert.timestamp,
        owner="team:shop",
        run_id=result.run_id,
        partition=None,
        link="https://dagster.example/prod/assets/shop/orders?view=checks&checkDetail=status__known",
    )
    assert watch.tick() == []


def test_a_blocking_failure_is_told_and_its_recovery(
    watch: Watch, instance: dg.DagsterInstance
) -> None:
    assert not run(instance, {KEY: False}).success
    assert watch.told() == [(KEY, FAILED)]

    assert run(instance, {}).success
    assert watch.told() == [(KEY, RECOVERED)]


def test_a_failure_is_told_while_its_run_goes_on(
    watch: Watch, instance: dg.DagsterInstance
) -> None:
    told = []

    @dg.multi_asset_check(specs=[dg.AssetCheckSpec(KEY, asset=ORDERS)])
    def check() -> Iterator[dg.AssetCheckResult]:
        yield dg.AssetCheckResult(passed=False)
        told.extend(watch.told())

    dg.materialize([check], instance=instance, selection=dg.AssetSelection.all_asset_checks())

    assert told == [(KEY, FAILED)]
    assert watch.told() == []


class TestNews:
    def test_what_passes_is_no_news(self, watch: Watch, instance: dg.DagsterInstance) -> None:
        report(instance, KEY, passed=True)

        assert watch.told() == []

    def test_what_keeps_failing_is_told_once(
        self, watch: Watch, instance: dg.DagsterInstance
    ) -> None:
        told = []
        for _ in range(3):
            report(instance, KEY, passed=False)
            told += watch.told()

        assert told == [(KEY, FAILED)]

    @pytest.mark.parametrize(
        ("repeat", "hours"),
        [
            pytest.param(None, [0], id="never"),
            pytest.param(dt.timedelta(0), [0, 1, 23, 24, 25, 48], id="every time"),
            pytest.param(dt.timedelta(days=1), [0, 24, 48], id="a day after the last report"),
        ],
    )
    def test_it_is_told_again_as_asked(
        self,
        instance: dg.DagsterInstance,
        folder: Path,
        repeat: dt.timedelta | None,
        hours: list[int],
    ) -> None:
        watch = Watch(instance, folder, repeat=repeat)
        watch.tick()
        for hour in (0, 1, 23, 24, 25, 48):
            with freeze_time(NOON + dt.timedelta(hours=hour)):
                report(instance, KEY, passed=False)

        assert [(a.timestamp - NOON) // dt.timedelta(hours=1) for a in watch.tick()] == hours

    def test_flapping_between_two_ticks_is_told_in_its_order(
        self, watch: Watch, instance: dg.DagsterInstance
    ) -> None:
        report(instance, KEY, passed=False)
        report(instance, WARNING, passed=False)
        report(instance, KEY, passed=True)
        report(instance, KEY, passed=False)

        assert watch.told() == [(KEY, FAILED), (WARNING, FAILED), (KEY, RECOVERED), (KEY, FAILED)]

    @pytest.mark.filterwarnings("ignore::dagster.PreviewWarning")
    def test_partitions_fail_and_recover_on_their_own(
        self, watch: Watch, instance: dg.DagsterInstance
    ) -> None:
        days = dg.StaticPartitionsDefinition(["monday", "tuesday"])
        results: list[bool | None] = [False, True, None, True, True]
        left = iter(results)

        @dg.asset(key=ORDERS, partitions_def=days)
        def orders() -> None: ...

        @dg.asset_check(asset=ORDERS, name=KEY, partitions_def=days)
        def check() -> dg.AssetCheckResult:
            passed = next(left)
            if passed is None:
                raise dg.Failure("crashed")
            return dg.AssetCheckResult(passed=passed)

        told = []
        for day in ("monday", "tuesday", "tuesday", "monday", "tuesday"):
            dg.materialize(
                [orders, check], instance=instance, partition_key=day, raise_on_error=False
            )
            told += [(alert.partition, alert.status) for alert in watch.tick()]

        assert told == [
            ("monday", FAILED),
            ("tuesday", NOT_EVALUATED),
            ("monday", RECOVERED),
            ("tuesday", RECOVERED),
        ]

    def test_what_the_cursor_has_no_room_for_is_told_again(
        self, watch: Watch, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for module in (cursor, sensor):
            monkeypatch.setattr(module, "MAX_TROUBLES", 1)
        told = []
        for hour in range(2):
            for name, minute in ((KEY, 0), (WARNING, 1)):
                with freeze_time(NOON + dt.timedelta(hours=hour, minutes=minute)):
                    report(instance, name, passed=False)
            told += watch.told()

        assert told == [(KEY, FAILED), (WARNING, FAILED), (KEY, FAILED)]

    def test_other_checks_are_not_its_business(
        self, watch: Watch, instance: dg.DagsterInstance
    ) -> None:
        report(instance, "not_of_the_contract", passed=False)

        assert watch.told() == []

    def test_a_check_that_left_its_contract_is_forgotten(
        self, watch: Watch, instance: dg.DagsterInstance, folder: Path
    ) -> None:
        report(instance, WARNING, passed=False)
        assert watch.told() == [(WARNING, FAILED)]

        write_contract(folder / "contracts", CONTRACT.replace("name: known", "name: open"))
        later = Watch(instance, folder)
        later.cursor = watch.cursor

        assert later.told() == []
        assert WARNING not in str(later.cursor)


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


class TestNotEvaluated:
    @pytest.mark.parametrize("makes", [True, False], ids=["after the asset", "checks alone"])
    def test_a_step_that_crashes_is_told_for_each_check(
        self, watch: Watch, instance: dg.DagsterInstance, makes: bool
    ) -> None:
        run(instance, {}, makes=makes, crashes="checks")

        alerts = watch.tick()
        assert {alert.check_name: alert.status for alert in alerts} == dict.fromkeys(
            CHECKS, NOT_EVALUATED
        )
        assert {alert.sentence for alert in alerts} == {"the run failed before it had a result"}

        run(instance, {})
        assert dict(watch.told()) == dict.fromkeys(CHECKS, RECOVERED)

    def test_an_asset_that_was_not_made_leaves_nothing_to_check(
        self, watch: Watch, instance: dg.DagsterInstance
    ) -> None:
        assert not run(instance, {}, crashes="orders").success

        assert watch.told() == []

    def test_a_run_that_is_cancelled_is_told(
        self, watch: Watch, instance: dg.DagsterInstance
    ) -> None:
        @dg.asset_check(asset=ORDERS, name=KEY)
        def check() -> dg.AssetCheckResult:
            return dg.AssetCheckResult(passed=True)

        defs = dg.Definitions(
            asset_checks=[check],
            jobs=[dg.define_asset_job("checks", dg.AssetSelection.all_asset_checks())],
        )
        cancelled = instance.create_run_for_job(defs.resolve_job_def("checks"))
        assert watch.told() == []

        instance.report_run_canceled(cancelled)

        (alert,) = watch.tick()
        assert alert.sentence == "the run was cancelled before it had a result"
        assert alert.run_id == cancelled.run_id

    def test_it_is_told_beside_a_failure_of_before(
        self, watch: Watch, instance: dg.DagsterInstance
    ) -> None:
        report(instance, KEY, passed=False)
        run(instance, {}, crashes="checks")
        run(instance, {}, crashes="checks")
        report(instance, KEY, passed=False)

        assert [status for name, status in watch.told() if name == KEY] == [
            FAILED,
            NOT_EVALUATED,
            FAILED,
        ]


class TestDelivery:
    def test_a_failed_callback_fails_the_tick_and_the_next_one_tells_all_again(
        self, instance: dg.DagsterInstance, folder: Path
    ) -> None:
        calls: list[list[CheckAlert]] = []

        def deliver(alerts: list[CheckAlert]) -> None:
            calls.append(alerts)
            if len(calls) == 1:
                raise ConnectionError("nobody there")

        watch = Watch(instance, folder, callback=deliver)
        watch.tick()
        report(instance, KEY, passed=False)
        before = watch.cursor

        with pytest.raises(ConnectionError, match="nobody there"):
            watch.tick()
        assert watch.cursor == before
        report(instance, KEY, passed=True)
        watch.tick()
        watch.tick()

        told = [[alert.status for alert in alerts] for alerts in calls]
        assert told == [[FAILED], [FAILED, RECOVERED]]

    def test_all_that_fails_between_two_ticks_is_one_call(
        self, instance: dg.DagsterInstance, folder: Path
    ) -> None:
        calls: list[int] = []
        watch = Watch(instance, folder, callback=lambda alerts: calls.append(len(alerts)))
        watch.tick()
        run(instance, dict.fromkeys(CHECKS, False))

        watch.tick()
        watch.tick()

        assert calls == [len(CHECKS)]


class TestEventLog:
    def test_an_event_that_is_committed_late_is_found(
        self, watch: Watch, instance: dg.DagsterInstance, home: Path
    ) -> None:
        """Other databases show event 2 before event 1, where two processes write at once."""
        report(instance, KEY, passed=False)
        report(instance, WARNING, passed=False)
        (database,) = home.rglob("index.db")
        with sqlite3.connect(database) as log:
            late = log.execute("select * from event_logs order by id").fetchone()
            log.execute("delete from event_logs where id = ?", (late[0],))
        assert watch.told() == [(WARNING, FAILED)]

        with sqlite3.connect(database) as log:
            log.execute(f"insert into event_logs values ({', '.join('?' * len(late))})", late)

        assert watch.told() == [(KEY, FAILED)]
        assert watch.told() == []

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
