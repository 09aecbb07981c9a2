"""Contracts as asset checks, on real Spark and in real runs of Dagster."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from pyspark.sql import DataFrame, SparkSession

from dqx_dagster import (
    Contract,
    DagsterContractTranslator,
    DefinitionsError,
    Granularity,
    Rule,
    Settings,
    Severity,
    build_contract_checks,
    load_contracts,
)

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
name: Orders
version: 1.0.0
status: active
slaProperties:
- {property: latency, value: 1000000, unit: h, element: orders.placed_at}
schema:
- name: orders
  physicalName: shop.orders
  quality:
  - {name: volume, metric: rowCount, mustBeGreaterThan: 0, severity: error}
  properties:
  - {name: id, logicalType: integer, primaryKey: true}
  - name: status
    logicalType: string
    quality:
    - {name: known, metric: invalidValues, arguments: {validValues: [open]}, mustBe: 0}
  - {name: placed_at, logicalType: timestamp}
"""
COLUMNS = "id int, status string, placed_at timestamp"
GOOD = [(1, "open", "2026-03-05 10:00:00"), (2, "open", "2026-03-06 10:00:00")]
WARNED = [(1, "open", "2026-03-05 10:00:00"), (2, "lost", "2026-03-06 10:00:00")]
BROKEN = [(1, "open", "2026-03-05 10:00:00"), (1, "lost", "2026-03-06 10:00:00")]


@dataclass
class Session:
    """Any resource with a `.spark_session` will do."""

    spark_session: SparkSession


class Tables:
    """A source that gives what the test has put there."""

    def __init__(self, rows: Iterable[tuple[Any, ...]], columns: str = COLUMNS) -> None:
        self._rows, self._columns, self.asked = list(rows), columns, 0

    def __call__(
        self, spark: SparkSession, contract: Contract, context: dg.AssetCheckExecutionContext
    ) -> DataFrame:
        self.asked += 1
        texts = ", ".join(f"{c.split()[0]} string" for c in self._columns.split(", "))
        table = spark.createDataFrame([tuple(map(_text, row)) for row in self._rows], texts)
        return table.selectExpr(
            *(f"cast({c.split()[0]} as {c.split()[1]})" for c in self._columns.split(", "))
        )


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


@pytest.fixture
def contracts(tmp_path: Path) -> Path:
    (tmp_path / "orders.odcs.yaml").write_text(CONTRACT, "utf-8")
    return tmp_path


@dg.asset(key=["shop", "orders"])
def orders() -> None:
    """The rows come from the source of the checks."""


@dg.asset(deps=[orders])
def report() -> None:
    """What must not run on broken orders."""


def run(
    spark: SparkSession,
    checks: list[dg.AssetChecksDefinition],
    selection: dg.AssetSelection | None = None,
) -> dg.ExecuteInProcessResult:
    return dg.materialize(
        [orders, report, *checks],
        resources={"pyspark": Session(spark)},
        selection=selection,
        raise_on_error=False,
    )


def outcomes(result: dg.ExecuteInProcessResult) -> dict[str, str]:
    found = result.get_asset_check_evaluations()
    assert len({each.check_name for each in found}) == len(found)
    return {each.check_name: str(each.metadata["outcome"].value) for each in found}


def made(result: dg.ExecuteInProcessResult) -> set[str]:
    events = result.get_asset_materialization_events()
    return {event.asset_key.to_user_string() for event in events if event.asset_key}


ALL = {"schema", "id__primary_key", "volume", "status__known", "placed_at__sla_freshness_check"}


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


def test_the_op_is_named_after_asset_and_contract(contracts: Path) -> None:
    (checks,) = build_contract_checks(contracts, pool="spark")

    assert checks.op.name == "shop__orders__contract_checks"
    assert checks.op.description == "Contract: Orders"
    assert checks.op.pool == "spark"
    assert {spec.name: spec.blocking for spec in checks.check_specs} == {
        name: name != "status__known" for name in ALL
    }
    described = {spec.name: spec.description for spec in checks.check_specs}
    assert (described["status__known"] or "").startswith(
        "`status`: rows that hold an invalid value; allowed: none\n\n**P1** (warns) · `"
    )
    assert (described["status__known"] or "").endswith(
        "orders.odcs.yaml:19` · `invalidValues(validValues: open)`"
    )


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


def test_words_of_severity_are_those_of_the_settings(contracts: Path) -> None:
    path = contracts / "orders.odcs.yaml"
    path.write_text(CONTRACT.replace("severity: error", "severity: blocker"), "utf-8")
    settings = Settings(severities={"blocker": Severity.P0}, implied_severity=Severity.P3)

    (checks,) = build_contract_checks(contracts, settings=settings)  # a warning would be an error

    blocking = {spec.name for spec in checks.check_specs if spec.blocking}
    assert blocking == {"volume", "placed_at__sla_freshness_check"}


def test_names_can_have_a_prefix(contracts: Path) -> None:
    (checks,) = build_contract_checks(contracts, settings=Settings(name_prefix="dqx_"))

    assert {spec.name for spec in checks.check_specs} == {f"dqx_{name}" for name in ALL}


def test_a_translator_changes_keys_and_checks(contracts: Path) -> None:
    class Own(DagsterContractTranslator):
        def get_asset_key(self, contract: Contract) -> dg.AssetKey:
            return super().get_asset_key(contract).with_prefix("lake")

        def get_asset_check_spec(self, contract: Contract, rule: Rule) -> dg.AssetCheckSpec | None:
            return None if rule.implied else super().get_asset_check_spec(contract, rule)

    (checks,) = build_contract_checks(contracts, translator=Own())

    assert {spec.key.to_user_string() for spec in checks.check_specs} == {
        "lake/shop/orders:volume",
        "lake/shop/orders:status__known",
    }


def test_checks_that_would_be_dropped_are_an_error(contracts: Path) -> None:
    class Same(DagsterContractTranslator):
        def get_asset_check_spec(self, contract: Contract, rule: Rule) -> dg.AssetCheckSpec | None:
            return dg.AssetCheckSpec("same", asset=self.get_asset_key(contract))

    with pytest.raises(DefinitionsError, match=r"two checks are called 'same': the other is at"):
        build_contract_checks(contracts, translator=Same())


def test_two_contracts_for_one_asset_are_an_error(contracts: Path) -> None:
    class One(DagsterContractTranslator):
        def get_asset_key(self, contract: Contract) -> dg.AssetKey:
            return dg.AssetKey("one")

    (contract,) = load_contracts(contracts)
    with pytest.raises(DefinitionsError, match="two contracts for one asset 'one'"):
        build_contract_checks(
            [contract, contract.__class__("other", contract.origin)], translator=One()
        )
