"""What Dagster does not stop, whoever writes the checks: the limits of checks that block."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from pyspark.sql import SparkSession

from assets.projects import BROKEN, KEY, ORDERS, Rows, Session, made, write_contract
from dqx_dagster import ContractWarning, with_contracts

EVERYTHING = dg.AssetSelection.all()


@dg.asset(key=ORDERS)
def orders() -> None:
    """The rows come from the source of the checks."""


@dg.asset(deps=[ORDERS])
def report() -> None:
    """What should not run on broken orders."""


def run(
    spark: SparkSession, folder: Path, selection: dg.AssetSelection, *assets: Any
) -> dg.ExecuteInProcessResult:
    """A run on broken orders."""
    defs = with_contracts(
        dg.Definitions(
            assets=assets,
            jobs=[dg.define_asset_job("job", selection)],
            resources={"pyspark": Session(spark)},
        ),
        write_contract(folder),
        source=Rows(BROKEN),
    )
    return defs.resolve_job_def("job").execute_in_process(raise_on_error=False)


def checked(result: dg.ExecuteInProcessResult) -> dict[str, bool]:
    return {each.check_name: each.passed for each in result.get_asset_check_evaluations()}


@pytest.mark.parametrize(
    "selection",
    [
        pytest.param(EVERYTHING.without_checks(), id="without checks"),
        pytest.param(dg.AssetSelection.assets("report"), id="only what comes after"),
        pytest.param(
            EVERYTHING - dg.AssetSelection.checks(dg.AssetCheckKey(ORDERS, KEY)),
            id="without the check that fails",
        ),
    ],
)
def test_a_run_that_leaves_the_check_out_is_not_stopped(
    spark: SparkSession, tmp_path: Path, selection: dg.AssetSelection
) -> None:
    result = run(spark, tmp_path, selection, orders, report)

    assert result.success
    assert KEY not in checked(result)
    assert "report" in made(result)


def test_checks_of_an_external_asset_are_not_part_of_everything(
    spark: SparkSession, tmp_path: Path
) -> None:
    """A job of all assets, and also `dagster asset materialize --select '*'`."""
    with pytest.warns(ContractWarning, match=r"orders\.odcs\.yaml:8:3: .*P0 rules stop nothing"):
        result = run(spark, tmp_path, EVERYTHING, dg.AssetSpec(ORDERS), report)

    assert result.success
    assert checked(result) == {}
    assert "report" in made(result)


def test_checks_of_an_external_asset_block_once_they_are_selected(
    spark: SparkSession, tmp_path: Path
) -> None:
    selection = EVERYTHING | dg.AssetSelection.all_asset_checks()

    result = run(spark, tmp_path, selection, dg.AssetSpec(ORDERS), report)

    assert not result.success
    assert checked(result)[KEY] is False
    assert made(result) == set()


def test_what_the_same_step_makes_is_not_stopped(spark: SparkSession, tmp_path: Path) -> None:
    @dg.multi_asset(specs=[dg.AssetSpec(ORDERS), dg.AssetSpec("report", deps=[ORDERS])])
    def both() -> Iterator[dg.MaterializeResult[None]]:
        yield dg.MaterializeResult(asset_key=ORDERS)
        yield dg.MaterializeResult(asset_key="report")

    @dg.asset(deps=["report"])
    def letter() -> None: ...

    result = run(spark, tmp_path, EVERYTHING, both, letter)

    assert not result.success
    assert made(result) >= {"shop/orders", "report"}


@pytest.mark.parametrize(
    ("condition", "requested"),
    [
        pytest.param(dg.AutomationCondition.eager(), 1, id="eager alone"),
        pytest.param(
            dg.AutomationCondition.eager()
            & dg.AutomationCondition.all_deps_blocking_checks_passed(),
            0,
            id="eager, where nothing blocks",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::dagster.BetaWarning")  # of Dagster's own evaluation
def test_automation_goes_on_unless_it_asks_for_the_checks(
    spark: SparkSession, tmp_path: Path, condition: Any, requested: int
) -> None:
    @dg.asset(deps=[ORDERS], automation_condition=condition)
    def automatic() -> None: ...

    defs = with_contracts(
        dg.Definitions(assets=[orders, automatic], resources={"pyspark": Session(spark)}),
        write_contract(tmp_path),
        source=Rows(BROKEN),
    )
    with dg.DagsterInstance.ephemeral() as instance:
        before = dg.evaluate_automation_conditions(defs, instance)
        job = defs.resolve_implicit_global_asset_job_def()
        job.execute_in_process(instance=instance, raise_on_error=False)
        after = dg.evaluate_automation_conditions(defs, instance, cursor=before.cursor)

    assert after.total_requested == requested
