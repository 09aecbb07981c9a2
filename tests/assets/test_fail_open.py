"""Where Dagster would let a broken P0 through within a run, and that it does not happen here.

Names and assets that do not fit are in `test_fail_open_names.py`; what Dagster does not stop,
whoever writes the checks, is in `test_limits.py`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from pyspark.sql import DataFrame, SparkSession

from assets.projects import BROKEN, CHECKS, GOOD, KEY, ORDERS, Rows, Session, write_contract
from assets.projects import CONTRACT as TEXT
from assets.projects import made as names_of
from dqx_dagster import ContractWarning, build_contract_checks, with_contracts
from dqx_dagster.checks.verdict import Verdict
from dqx_dagster.data_source import DataSource
from dqx_dagster.metadata import result_metadata
from dqx_dagster.spark import check

Result = dg.ExecuteInProcessResult


@dg.asset(key=ORDERS)
def orders() -> None:
    """The rows come from the source of the checks."""


@dg.asset(deps=[orders])
def report() -> None:
    """What must not run on broken orders."""


@pytest.fixture
def contracts(tmp_path: Path) -> Path:
    return write_contract(tmp_path)


def definitions(
    spark: SparkSession, contracts: Path, source: DataSource, *assets: Any, **options: Any
) -> dg.Definitions:
    before = dg.Definitions(
        assets=assets or [orders, report], resources={"pyspark": Session(spark)}
    )
    return with_contracts(before, contracts, source=source, **options)


def run(defs: dg.Definitions, selection: dg.AssetSelection | None = None, **options: Any) -> Result:
    """A run of a job that selects everything, unless told otherwise."""
    job = dg.define_asset_job("job", selection or dg.AssetSelection.all())
    merged = dg.Definitions.merge(defs, dg.Definitions(jobs=[job]))
    return merged.resolve_job_def("job").execute_in_process(raise_on_error=False, **options)


def error_of(result: Result) -> str:
    (failure,) = [event for event in result.all_events if event.is_step_failure]
    assert failure.step_failure_data.error is not None
    return failure.step_failure_data.error.to_string()


def checked(result: Result) -> dict[str, bool]:
    found = result.get_asset_check_evaluations()
    assert len(found) == len({each.asset_check_key for each in found})
    return {each.check_name: each.passed for each in found}


def is_stopped(result: Result) -> bool:
    """Orders are made, the report is not, and the run has failed."""
    assert "shop/orders" in names_of(result)
    return not result.success and "report" not in names_of(result)


@pytest.mark.parametrize("lost", [0, -1], ids=["the first", "the last"])
def test_a_verdict_that_gets_lost_fails_the_step(
    spark: SparkSession, contracts: Path, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    measure = check.check_table

    def forgetful(*given: Any, **named: Any) -> check.TableResult:
        found = measure(*given, **named)
        kept = list(found.verdicts)
        del kept[lost]
        return dataclasses.replace(found, verdicts=tuple(kept))

    monkeypatch.setattr(check, "check_table", forgetful)

    result = run(definitions(spark, contracts, Rows(GOOD)))

    assert is_stopped(result)
    assert checked(result) == {}


def test_results_are_told_one_by_one_and_never_as_one_value(
    spark: SparkSession, contracts: Path
) -> None:
    """A function that returns a tuple of results is green, and tells none of them."""
    (checks,) = build_contract_checks(contracts, source=Rows(GOOD))

    told = checks(dg.build_asset_check_context(resources={"pyspark": Session(spark)}))

    assert isinstance(told, Iterator)
    results = [each for each in told if isinstance(each, dg.AssetCheckResult)]
    assert sorted(each.check_name or "" for each in results) == sorted(CHECKS)


def test_a_failed_p0_is_never_a_warning(spark: SparkSession, contracts: Path) -> None:
    """A blocking check that fails as a warning does not block."""
    result = run(definitions(spark, contracts, Rows([])))

    blocking = [each for each in result.get_asset_check_evaluations() if each.blocking]
    assert {each.check_name: each.passed for each in blocking}["volume"] is False
    assert {each.severity for each in blocking} == {dg.AssetCheckSeverity.ERROR}
    assert is_stopped(result)


def test_an_exception_leaves_no_result_and_stops(spark: SparkSession, contracts: Path) -> None:
    def away(*given: Any) -> DataFrame:
        raise ConnectionError("storage is away")

    result = run(definitions(spark, contracts, away))

    assert is_stopped(result)
    assert checked(result) == {}
    assert "storage is away" in error_of(result)


def test_what_is_no_table_stops(spark: SparkSession, contracts: Path) -> None:
    def nothing(*given: Any) -> Any:
        return None

    result = run(definitions(spark, contracts, nothing))

    assert is_stopped(result)
    assert checked(result) == {}


def test_an_answer_that_is_no_boolean_stops(
    spark: SparkSession, contracts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Verdict, "passed", property(lambda self: 1))

    result = run(definitions(spark, contracts, Rows(BROKEN)))

    assert is_stopped(result)
    assert checked(result) == {}


def test_a_verdict_is_not_asked_again(spark: SparkSession, contracts: Path) -> None:
    """A retry after some results were told could turn a failure into a success."""
    source = Rows(BROKEN)
    policy = dg.RetryPolicy(max_retries=3)

    result = run(definitions(spark, contracts, source, retry_policy=policy))

    assert is_stopped(result)
    assert source.asked == 1
    assert checked(result)[KEY] is False


def test_a_retry_tells_every_result_once(
    spark: SparkSession, contracts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever fails while results are put together, none of them has been told yet."""
    calls: list[str] = []

    def failing(verdict: Verdict) -> dict[str, Any]:
        calls.append(verdict.rule.name)
        if len(calls) == len(CHECKS):
            raise ConnectionError("the last result of the first attempt")
        return result_metadata(verdict)

    monkeypatch.setattr("dqx_dagster.evaluation.result_metadata", failing)
    policy = dg.RetryPolicy(max_retries=1)

    result = run(definitions(spark, contracts, Rows(BROKEN), retry_policy=policy))

    assert len(calls) == 2 * len(CHECKS)
    assert checked(result) == dict.fromkeys(CHECKS, True) | {KEY: False}
    assert is_stopped(result)


def test_two_rules_of_one_name_are_both_told(spark: SparkSession, tmp_path: Path) -> None:
    """The same check told twice would fail the step; one of two dropped would let data through."""
    other = "  - {name: volume, metric: rowCount, mustBeGreaterThan: 5, severity: error}"
    contracts = write_contract(tmp_path, TEXT.replace("  properties:", f"{other}\n  properties:"))

    result = run(definitions(spark, contracts, Rows(GOOD)))

    volumes = [passed for name, passed in checked(result).items() if name.startswith("volume")]
    assert sorted(volumes) == [False, True]
    assert is_stopped(result)


def test_a_run_of_one_partition_is_stopped(spark: SparkSession, contracts: Path) -> None:
    days = dg.DailyPartitionsDefinition("2026-01-01")

    @dg.asset(key=ORDERS, partitions_def=days)
    def daily_orders() -> None: ...

    @dg.asset(name="report", deps=[ORDERS], partitions_def=days)
    def daily_report() -> None: ...

    with pytest.warns(ContractWarning, match="every run checks the whole table"):
        defs = definitions(spark, contracts, Rows(BROKEN), daily_orders, daily_report)

    assert is_stopped(run(defs, partition_key="2026-01-02"))


def test_a_session_that_is_not_there_stops(contracts: Path) -> None:
    before = dg.Definitions(
        assets=[orders, report], resources={"pyspark": dg.ResourceDefinition.none_resource()}
    )

    assert is_stopped(run(with_contracts(before, contracts)))


def test_a_check_that_the_contract_lacks_fails_the_step(
    spark: SparkSession, contracts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = dg.AssetCheckKey(ORDERS, "stranger")
    kept = dg.AssetCheckExecutionContext.selected_asset_check_keys
    assert isinstance(kept, property)
    assert kept.fget is not None
    ask = kept.fget
    more = property(lambda self: {*ask(self), stranger})
    monkeypatch.setattr(dg.AssetCheckExecutionContext, "selected_asset_check_keys", more)

    result = run(definitions(spark, contracts, Rows(GOOD)))

    assert is_stopped(result)
    assert "the contract has no check stranger" in error_of(result)
