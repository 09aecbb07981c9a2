"""A sensor with its cursor, and runs that make its contract's checks pass, fail or crash."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import dagster as dg
from assets.projects import CHECKS, KEY, ORDERS, write_contract

from dqx_dagster import AlertStatus, CheckAlert, build_contract_alert_sensor

CONTRACT_PLACE = "contracts/orders.odcs.yaml"


class Watch:
    """A sensor as the daemon runs it: only a tick that succeeds moves the cursor."""

    def __init__(self, instance: dg.DagsterInstance, folder: Path, **options: Any) -> None:
        self.instance = instance
        self.cursor: str | None = None
        self.alerts: list[CheckAlert] = []
        callback = options.pop("callback", self.alerts.extend)
        contracts = options.pop("contracts", folder / "contracts")
        self.sensor = build_contract_alert_sensor(contracts, callback, **options)

    def tick(self) -> list[CheckAlert]:
        """The alerts of one tick."""
        self.alerts.clear()
        context = dg.build_sensor_context(self.instance, cursor=self.cursor)
        done = self.sensor.evaluate_tick(context)
        assert done.run_requests == []
        assert done.cursor is not None
        self.cursor = done.cursor
        return list(self.alerts)

    def told(self) -> list[tuple[str, AlertStatus]]:
        """The names and the news of one tick."""
        return [(alert.check_name, alert.status) for alert in self.tick()]


def report(instance: dg.DagsterInstance, name: str, *, passed: bool) -> None:
    """A result from outside of Dagster, as its REST API stores it."""
    said = dg.AssetCheckEvaluation(ORDERS, name, passed, description="so")
    instance.report_runless_asset_event(said)


def run(
    instance: dg.DagsterInstance,
    results: Mapping[str, bool],
    *,
    makes: bool = True,
    crashes: str | None = None,
) -> dg.ExecuteInProcessResult:
    """A run of the orders, their checks, and what comes after. What has no result has passed.

    `crashes` names the step that does; without `makes` only the checks are run.
    """

    @dg.asset(key=ORDERS)
    def orders() -> None:
        if crashes == "orders":
            raise dg.Failure("no orders today", allow_retries=False)

    @dg.multi_asset_check(
        specs=[dg.AssetCheckSpec(n, asset=ORDERS, blocking=n == KEY) for n in sorted(CHECKS)],
        can_subset=True,
    )
    def checks() -> Iterator[dg.AssetCheckResult]:
        if crashes == "checks":
            raise dg.Failure("no Spark today", allow_retries=False)
        for name in sorted(CHECKS):
            yield dg.AssetCheckResult(
                passed=results.get(name, True),
                asset_key=ORDERS,
                check_name=name,
                severity=dg.AssetCheckSeverity.ERROR if name == KEY else dg.AssetCheckSeverity.WARN,
                description=f"{name} was measured",
            )

    everything = dg.AssetSelection.all() | dg.AssetSelection.all_asset_checks()
    return dg.materialize(
        [orders, checks],
        instance=instance,
        selection=everything if makes else dg.AssetSelection.all_asset_checks(),
        raise_on_error=False,
    )


def contract_folder(folder: Path) -> Path:
    """A folder with the contract of the orders."""
    write_contract(folder / "contracts")
    return folder
