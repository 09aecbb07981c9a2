"""What is news of a check, and what is not."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import dagster as dg
import pytest
from assets.projects import CONTRACT, KEY, ORDERS, WARNING, write_contract
from dagster._core.test_utils import freeze_time

from alerts.watching import Watch, report
from dqx_dagster import AlertStatus
from dqx_dagster.alerts import cursor, sensor

FAILED, RECOVERED = AlertStatus.FAILED, AlertStatus.RECOVERED
NOT_EVALUATED = AlertStatus.NOT_EVALUATED
NOON = dt.datetime(2026, 3, 5, 12, tzinfo=dt.timezone.utc)


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
