"""A good day and a bad batch, told in the terminal: what `make demo` runs.

Exits with 0 when it went as told: on the good day everything passes, and the bad batch never
reaches the report, not even when somebody asks for nothing but the report.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import logging
import os
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
from rich.console import Console
from rich.padding import Padding

ASSETS = (
    "shop/customers",
    "shop/visits",
    "shop/orders",
    "shop/orders_quarantine",
    "shop/payments",
    "shop/daily_revenue",
)
BLOCKED = {"shop/payments", "shop/daily_revenue"}
REPORT = "shop/daily_revenue"
BLOCKERS = {"amount__minimum", "order_id__primary_key", "status__valid_values"}
YESTERDAY = dt.datetime.now(dt.timezone.utc).date() - dt.timedelta(days=1)


def main() -> None:
    """Tell the story, with data and an instance of Dagster that are thrown away afterwards."""
    warnings.simplefilter("ignore")  # of the contracts: one rule is for another engine
    logging.disable(logging.CRITICAL)  # of Dagster: the story is told from its events
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory() as folder, _without_noise():
        os.environ["SHOP_DATA"] = folder
        console = Console(highlight=False)
        with dg.DagsterInstance.ephemeral() as instance:
            console.rule("[bold]A good day", align="left")
            good = _run(console, instance, "good")
            console.rule("[bold]A bad batch of orders arrives", align="left")
            bad = _run(console, instance, "bad")
            console.rule("[bold]Somebody runs just the report", align="left")
            alone = _run(console, instance, "bad", REPORT)
        if not _as_told(good, bad, alone):
            sys.exit("It did not go as told.")
        console.print("It went as told.")


@contextlib.contextmanager
def _without_noise() -> Iterator[None]:
    """Hold back what is written to stderr, and write it after all when something goes wrong.

    Java, which inherits stderr, greets there with warnings that are no part of the story.
    """
    with tempfile.TemporaryFile() as held, os.fdopen(os.dup(2), "wb") as stderr:
        os.dup2(held.fileno(), 2)
        try:
            yield
        except BaseException:
            sys.stderr.flush()
            held.seek(0)
            shutil.copyfileobj(held, stderr)
            raise
        finally:
            os.dup2(stderr.fileno(), 2)


def _run(
    console: Console, instance: dg.DagsterInstance, batch: str, *only: str
) -> dg.ExecuteInProcessResult:
    from example_project.definitions import defs  # noqa: PLC0415 - it asks for SHOP_DATA

    start = time.perf_counter()
    with console.status("Spark makes tables and checks them"):
        result = defs.resolve_implicit_global_asset_job_def().execute_in_process(
            instance=instance,
            partition_key=YESTERDAY.isoformat(),  # of the report, the others have none
            run_config=None if only else {"ops": {"shop__orders": {"config": {"batch": batch}}}},
            asset_selection=[dg.AssetKey(each.split("/")) for each in only] or None,
            raise_on_error=False,
        )
    for asset in only or ASSETS:
        _tell(console, result, asset)
    for event in _failures(result):
        if event.step_failure_data.user_failure_data:
            continue  # a verdict or a refusal, and told
        error = event.step_failure_data.error
        sys.stderr.write(error.to_string() if error else "")
    outcome = "[green]succeeded[/]" if result.success else "[red]failed[/]"
    console.print(f"The run {outcome} after {time.perf_counter() - start:.0f} seconds.\n")
    return result


def _tell(console: Console, result: dg.ExecuteInProcessResult, asset: str) -> None:
    checks = [c for c in result.get_asset_check_evaluations() if _name(c.asset_key) == asset]
    passed = sum(check.passed for check in checks)
    if asset in _made(result):
        told = f"; {passed} of {len(checks)} checks passed" if checks else ""
        console.print(f"[bold]{asset}[/] is made{told}")
    elif refusal := _refusal(result, asset):
        console.print(f"[bold]{asset}[/] [red]refuses to run[/]:")
        console.print(Padding(refusal, (0, 0, 0, 4), expand=False))
    elif asset.replace("/", "__") in {event.step_key for event in _failures(result)}:
        console.print(f"[bold]{asset}[/] [red]could not be made[/]")
    else:
        console.print(f"[bold]{asset}[/] [red]does not run[/]: what it is made from is broken")
    for check in checks:
        if not check.passed:
            mark = "[red]blocks[/]" if check in _blocking(result) else "[yellow]warns[/] "
            place = Path(str(check.metadata["contract"].value)).name
            console.print(f"  {mark}  {check.check_name} [dim]at {place}[/]")
            console.print(Padding(check.description or "", (0, 0, 0, 4), expand=False))


def _made(result: dg.ExecuteInProcessResult) -> set[str]:
    return {_name(event.asset_key) for event in result.get_asset_materialization_events()}


def _failures(result: dg.ExecuteInProcessResult) -> list[dg.DagsterEvent]:
    return [event for event in result.all_events if event.is_step_failure]


def _refusal(result: dg.ExecuteInProcessResult, asset: str) -> str | None:
    """Why the asset's guard did not let it run."""
    own = (e for e in _failures(result) if e.step_key == asset.replace("/", "__"))
    told = (event.step_failure_data.user_failure_data for event in own)
    return next((each.description for each in told if each and each.description), None)


def _blocking(result: dg.ExecuteInProcessResult) -> list[Any]:
    error = dg.AssetCheckSeverity.ERROR
    checks = result.get_asset_check_evaluations()
    return [c for c in checks if c.blocking and not c.passed and c.severity is error]


def _name(key: dg.AssetKey | None) -> str:
    return key.to_user_string() if key else ""


def _as_told(
    good: dg.ExecuteInProcessResult,
    bad: dg.ExecuteInProcessResult,
    alone: dg.ExecuteInProcessResult,
) -> bool:
    all_passed = all(check.passed for check in good.get_asset_check_evaluations())
    return (
        good.success
        and all_passed
        and _made(good) == set(ASSETS)
        and not bad.success
        and {check.check_name for check in _blocking(bad)} == BLOCKERS
        and _made(bad) == set(ASSETS) - BLOCKED
        and not alone.success
        and not _made(alone)
    )


if __name__ == "__main__":
    main()
