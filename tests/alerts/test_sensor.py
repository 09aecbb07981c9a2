"""What the sensor tells of evaluations that are really in Dagster's event log, and to whom."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from assets.projects import CHECKS, CONTRACT, KEY, ORDERS, WARNING, write_contract

from alerts.watching import CONTRACT_PLACE, Watch, report, run
from dqx_dagster import AlertStatus, CheckAlert, Severity

FAILED, RECOVERED = AlertStatus.FAILED, AlertStatus.RECOVERED


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
