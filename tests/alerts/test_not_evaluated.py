"""Checks that their run has not evaluated."""

from __future__ import annotations

import dagster as dg
import pytest
from assets.projects import CHECKS, KEY, ORDERS

from alerts.watching import Watch, report, run
from dqx_dagster import AlertStatus

FAILED, RECOVERED = AlertStatus.FAILED, AlertStatus.RECOVERED
NOT_EVALUATED = AlertStatus.NOT_EVALUATED


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
