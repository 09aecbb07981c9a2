"""Checks that Dagster would drop without a word, or never run, do not load; and translators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from pyspark.sql import SparkSession

from assets.projects import (
    BROKEN,
    CONTRACT,
    GOOD,
    KEY,
    ORDERS,
    WARNED,
    Rows,
    Session,
    made,
    write_contract,
)
from dqx_dagster import (
    Contract,
    ContractWarning,
    DagsterContractTranslator,
    DefinitionsError,
    Rule,
    build_contract_checks,
    load_contracts,
    with_contracts,
)
from dqx_dagster.data_source import DataSource


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


def run(defs: dg.Definitions) -> dg.ExecuteInProcessResult:
    """A run of a job that selects all assets."""
    job = dg.define_asset_job("job", dg.AssetSelection.all())
    merged = dg.Definitions.merge(defs, dg.Definitions(jobs=[job]))
    return merged.resolve_job_def("job").execute_in_process(raise_on_error=False)


@pytest.mark.parametrize("other", ["volume", "VOLUME"])
def test_a_check_that_would_vanish_is_an_error(contracts: Path, other: str) -> None:
    """Of two checks with one name, Dagster keeps one."""

    class Alike(DagsterContractTranslator):
        def get_asset_check_spec(self, contract: Contract, rule: Rule) -> dg.AssetCheckSpec | None:
            name = other if rule.name == KEY else rule.name
            return dg.AssetCheckSpec(name, asset=ORDERS, blocking=rule.blocking)

    with pytest.raises(DefinitionsError, match=r"two checks are called '(?i:volume)'"):
        build_contract_checks(contracts, translator=Alike())


def test_a_check_for_another_asset_is_an_error(contracts: Path) -> None:
    class Astray(DagsterContractTranslator):
        def get_asset_check_spec(self, contract: Contract, rule: Rule) -> dg.AssetCheckSpec | None:
            return dg.AssetCheckSpec(rule.name, asset="elsewhere", blocking=rule.blocking)

    with pytest.raises(DefinitionsError, match="is for asset 'elsewhere', its contract for"):
        build_contract_checks(contracts, translator=Astray())


def test_the_same_contracts_twice_make_each_check_once(
    spark: SparkSession, contracts: Path
) -> None:
    once = definitions(spark, contracts, Rows(GOOD))

    twice = with_contracts(once, contracts)

    assert list(twice.asset_checks or []) == list(once.asset_checks or [])


def test_a_contract_that_is_given_twice_is_an_error(contracts: Path) -> None:
    (contract,) = load_contracts(contracts)

    with pytest.raises(DefinitionsError, match="two contracts for one asset 'shop/orders'"):
        build_contract_checks([contract, contract])


def test_assets_that_dagster_cannot_tell_apart_do_not_load(
    spark: SparkSession, contracts: Path
) -> None:
    """The keys `shop/orders` and `shop__orders` give the same name to their steps."""
    text = CONTRACT.replace("shop.orders", "shop__orders").replace("id: orders", "id: others")
    (contracts / "others.odcs.yaml").write_text(text, "utf-8")
    assets = (orders, dg.AssetSpec("shop__orders"), report)
    with pytest.warns(ContractWarning, match="asset 'shop__orders' is external"):
        defs = definitions(spark, contracts, Rows(GOOD), *assets)

    with pytest.raises(dg.DagsterInvalidDefinitionError, match="shop__orders__contract_checks"):
        dg.Definitions.validate_loadable(defs)


def test_a_contract_without_its_asset_does_not_load(spark: SparkSession, contracts: Path) -> None:
    """Dagster makes up an asset that no job runs, and its checks neither."""
    with pytest.raises(DefinitionsError, match="is for asset 'shop/orders', which is not defined"):
        definitions(spark, contracts, Rows(BROKEN), dg.AssetSpec("orders"))


def test_a_contract_without_its_asset_may_be_a_warning(
    spark: SparkSession, contracts: Path
) -> None:
    @dg.asset
    def alone() -> None: ...

    with pytest.warns(ContractWarning, match="which is not defined"):
        defs = definitions(spark, contracts, Rows(BROKEN), alone, on_missing_asset="warn")

    result = run(defs)
    assert result.success
    assert result.get_asset_check_evaluations() == []


# Translators


class Blocking(DagsterContractTranslator):
    """Blocks always, or never."""

    def __init__(self, *, blocking: bool) -> None:
        self._blocking = blocking

    def get_asset_check_spec(self, contract: Contract, rule: Rule) -> dg.AssetCheckSpec | None:
        return dg.AssetCheckSpec(
            rule.name, asset=self.get_asset_key(contract), blocking=self._blocking
        )


def test_a_p1_that_a_translator_makes_blocking_blocks(spark: SparkSession, contracts: Path) -> None:
    defs = definitions(spark, contracts, Rows(WARNED), translator=Blocking(blocking=True))

    result = run(defs)
    assert not result.success
    assert made(result) == {"shop/orders"}


def test_a_p0_that_a_translator_lets_through_is_still_an_error(
    spark: SparkSession, contracts: Path
) -> None:
    defs = definitions(spark, contracts, Rows(BROKEN), translator=Blocking(blocking=False))

    result = run(defs)

    assert "report" in made(result)
    (failed,) = [each for each in result.get_asset_check_evaluations() if not each.passed]
    assert (failed.check_name, failed.severity) == (KEY, dg.AssetCheckSeverity.ERROR)
