"""Contracts as asset checks, on real Spark and in real runs of Dagster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from pyspark.sql import DataFrame, SparkSession

from assets.placed_orders import ALL, BROKEN, CONTRACT, GOOD, WARNED, Tables, made, outcomes, run
from dqx_dagster import (
    Granularity,
    Settings,
    build_contract_checks,
)


@pytest.fixture
def contracts(tmp_path: Path) -> Path:
    (tmp_path / "orders.odcs.yaml").write_text(CONTRACT, "utf-8")
    return tmp_path


def test_everything_passes(spark: SparkSession, contracts: Path) -> None:
    result = run(spark, build_contract_checks(contracts, source=Tables(GOOD)))

    assert result.success
    assert set(outcomes(result).values()) == {"passed"}
    assert set(outcomes(result)) == ALL
    assert made(result) == {"shop/orders", "report"}


def test_a_broken_p1_warns_and_lets_pass(spark: SparkSession, contracts: Path) -> None:
    result = run(spark, build_contract_checks(contracts, source=Tables(WARNED)))

    assert result.success
    (failed,) = [each for each in result.get_asset_check_evaluations() if not each.passed]
    assert (failed.check_name, failed.severity, failed.blocking) == (
        "status__known",
        dg.AssetCheckSeverity.WARN,
        False,
    )
    assert failed.description == "1 of 2 rows (50 %) hold an invalid value; allowed: none"
    assert "report" in made(result)


def test_a_broken_p0_stops_what_comes_after(spark: SparkSession, contracts: Path) -> None:
    result = run(spark, build_contract_checks(contracts, source=Tables(BROKEN)))

    assert not result.success
    assert outcomes(result) == dict.fromkeys(ALL, "passed") | {
        "id__primary_key": "failed",
        "status__known": "failed",
    }
    assert made(result) == {"shop/orders"}


def test_what_cannot_be_measured_has_not_passed(spark: SparkSession, contracts: Path) -> None:
    table = Tables([(1, "2026-03-05 10:00:00")], "id int, placed_at timestamp")

    result = run(spark, build_contract_checks(contracts, source=table))

    by_name = {each.check_name: each for each in result.get_asset_check_evaluations()}
    assert outcomes(result)["status__known"] == "unknown"
    assert not by_name["status__known"].passed
    assert by_name["status__known"].description == (
        "could not be measured: column 'status' is not in the data"
    )
    assert not by_name["schema"].passed
    assert "report" not in made(result)


def test_a_table_that_cannot_be_read_fails_the_step(spark: SparkSession, contracts: Path) -> None:
    checks = build_contract_checks(contracts, source=contracts / "nowhere" / "{dataset}.parquet")

    result = run(spark, checks)

    assert not result.success
    assert outcomes(result) == {}
    assert made(result) == {"shop/orders"}
    (failure,) = [event for event in result.all_events if event.is_step_failure]
    assert failure.step_failure_data.error is not None
    assert "PATH_NOT_FOUND" in failure.step_failure_data.error.to_string()


def test_an_outage_is_retried_and_a_verdict_is_not(spark: SparkSession, contracts: Path) -> None:
    broken = Tables(BROKEN)

    class Outage:
        asked = 0

        def __call__(self, *given: Any) -> DataFrame:
            self.asked += 1
            if self.asked == 1:
                raise ConnectionError("storage is away")
            return broken(*given)

    source = Outage()
    checks = build_contract_checks(
        contracts, source=source, retry_policy=dg.RetryPolicy(max_retries=3)
    )

    result = run(spark, checks)

    assert source.asked == 2
    assert outcomes(result)["id__primary_key"] == "failed"
    assert made(result) == {"shop/orders"}


def test_only_what_is_selected_is_measured(spark: SparkSession, contracts: Path) -> None:
    checks = build_contract_checks(contracts, source=Tables(BROKEN))
    chosen = dg.AssetSelection.checks(dg.AssetCheckKey(dg.AssetKey(["shop", "orders"]), "volume"))

    result = run(spark, checks, chosen)

    assert result.success
    assert outcomes(result) == {"volume": "passed"}


def test_results_carry_numbers(spark: SparkSession, contracts: Path) -> None:
    result = run(spark, build_contract_checks(contracts, source=Tables(WARNED)))

    (failed,) = [each for each in result.get_asset_check_evaluations() if not each.passed]
    told = {key: value.value for key, value in failed.metadata.items()}
    assert told.pop("contract").endswith("orders.odcs.yaml:19")  # type: ignore[union-attr]
    assert told == {
        "outcome": "failed",
        "value": 1,
        "allowed": "none",
        "severity": "P1",
        "failed_rows": 1,
        "failed_fraction": 0.5,
        "rows": 2,
    }
    (observed,) = result.get_asset_observation_events()
    metadata = observed.asset_observation_data.asset_observation.metadata
    assert metadata["dagster/row_count"].value == 2
    assert metadata["dagster/last_updated_timestamp"].value == 1772791200.0
    assert metadata["seconds"].value >= 0  # type: ignore[operator]


@pytest.mark.parametrize(
    ("granularity", "names"),
    [
        (Granularity.COLUMN, ALL),
        (
            Granularity.TABLE,
            {"schema", "volume", "status__known", "placed_at__sla_freshness_check"},
        ),
    ],
)
def test_what_the_schema_implies_can_be_one_check(
    spark: SparkSession, contracts: Path, granularity: Granularity, names: set[str]
) -> None:
    settings = Settings(implied_checks=granularity)
    checks = build_contract_checks(contracts, source=Tables(BROKEN), settings=settings)

    result = run(spark, checks)

    assert set(outcomes(result)) == names
    assert made(result) == {"shop/orders"}
    if granularity is Granularity.TABLE:
        by_name = {each.check_name: each for each in result.get_asset_check_evaluations()}
        assert by_name["schema"].description == (
            "1 of 2 rules broken: id__primary_key: 1 of 2 rows (50 %) have a key that is "
            "repeated or null; allowed: none"
        )
