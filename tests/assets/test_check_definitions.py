"""Contracts as asset checks, before any of them runs: names, settings, translators."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest

from assets.placed_orders import ALL, CONTRACT
from dqx_dagster import (
    Contract,
    DagsterContractTranslator,
    DefinitionsError,
    Rule,
    Settings,
    Severity,
    build_contract_checks,
    load_contracts,
)


@pytest.fixture
def contracts(tmp_path: Path) -> Path:
    (tmp_path / "orders.odcs.yaml").write_text(CONTRACT, "utf-8")
    return tmp_path


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
