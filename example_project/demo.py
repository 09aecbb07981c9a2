"""A good day and a bad batch, told in the terminal: what `make demo` runs.

Exits with 0 when it went as told: on the good day everything passes, and the bad batch never
reaches the report.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import dagster as dg
from rich.console import Console

ASSETS = ("shop/customers", "shop/visits", "shop/orders", "shop/payments", "shop/daily_revenue")
BLOCKED = {"shop/payments", "shop/daily_revenue"}
BLOCKERS = {"amount__minimum", "order_id__primary_key", "status__valid_values"}


def main() -> int:
    """Tell the story, with data and an instance of Dagster that are thrown away afterwards."""
    warnings.simplefilter("ignore")  # of the contracts: one rule is for another engine
    logging.disable(logging.CRITICAL)  # of Dagster: the story is told from its events
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SHOP_DATA"] = folder
        console = Console(highlight=False)
        with dg.DagsterInstance.ephemeral() as instance:
            console.rule("[bold]A good day", align="left")
            good = _run(console, instance, "good")
            console.rule("[bold]A bad batch of orders arrives", align="left")
            bad = _run(console, instance, "bad")
    as_told = _as_told(good, bad)
    console.print("It went as told." if as_told else "[red]It did not go as told.[/]")
    return 0 if as_told else 1


def _run(console: Console, instance: dg.DagsterInstance, batch: str) -> dg.ExecuteInProcessResult:
    from example_project.definitions import defs  # noqa: PLC0415 - it asks for SHOP_DATA

    start = time.perf_counter()
    result = defs.resolve_implicit_global_asset_job_def().execute_in_process(
        instance=instance,
        run_config={"ops": {"shop__orders": {"config": {"batch": batch}}}},
        raise_on_error=False,
    )
    for asset in ASSETS:
        _tell(console, result, asset)
    outcome = "[green]succeeded[/]" if result.success else "[red]failed[/]"
    console.print(f"The run {outcome} after {time.perf_counter() - start:.0f} seconds.\n")
    return result


def _tell(console: Console, result: dg.ExecuteInProcessResult, asset: str) -> None:
    checks = [c for c in result.get_asset_check_evaluations() if _name(c.asset_key) == asset]
    passed = sum(check.passed for check in checks)
    if asset in _made(result):
        console.print(f"[bold]{asset}[/] is made; {passed} of {len(checks)} checks passed")
    else:
        console.print(f"[bold]{asset}[/] [red]does not run[/]: what it is made from is broken")
    for check in checks:
        if not check.passed:
            mark = "[red]blocks[/]" if check in _blocking(result) else "[yellow]warns[/] "
            place = Path(str(check.metadata["contract"].value)).name
            console.print(f"  {mark}  {check.check_name}: {check.description}")
            console.print(f"          [dim]{place}[/]")


def _made(result: dg.ExecuteInProcessResult) -> set[str]:
    return {_name(event.asset_key) for event in result.get_asset_materialization_events()}


def _blocking(result: dg.ExecuteInProcessResult) -> list[Any]:
    error = dg.AssetCheckSeverity.ERROR
    checks = result.get_asset_check_evaluations()
    return [c for c in checks if c.blocking and not c.passed and c.severity is error]


def _name(key: dg.AssetKey | None) -> str:
    return key.to_user_string() if key else ""


def _as_told(good: dg.ExecuteInProcessResult, bad: dg.ExecuteInProcessResult) -> bool:
    all_passed = all(check.passed for check in good.get_asset_check_evaluations())
    return (
        good.success
        and all_passed
        and _made(good) == set(ASSETS)
        and not bad.success
        and {check.check_name for check in _blocking(bad)} == BLOCKERS
        and _made(bad) == set(ASSETS) - BLOCKED
    )


if __name__ == "__main__":
    sys.exit(main())
