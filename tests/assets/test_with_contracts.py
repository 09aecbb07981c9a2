"""Definitions with contracts: what they gain, what stays, and what does not fit."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster._core.definitions.assets.definition.cacheable_assets_definition import (
    CacheableAssetsDefinition,
)

from dqx_dagster import (
    Contract,
    ContractWarning,
    DagsterContractTranslator,
    DefinitionsError,
    Granularity,
    Rule,
    Settings,
    build_contract_checks,
    with_contracts,
)

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: shop-orders
name: Orders
version: 1.2.0
status: active
tags: [sales, "layer:gold", "no tag!"]
team: {name: shop data}
description: {purpose: Orders of the shop}
slaProperties:
- {property: latency, value: 2, unit: d, element: orders.placed_at}
- {property: retention, value: 3, unit: y}
schema:
- name: orders
  physicalName: shop.orders
  quality:
  - {type: text, description: Never deleted}
  - {name: anomalies, type: custom, engine: soda, implementation: "- row_count > 0"}
  properties:
  - {name: id, logicalType: integer, primaryKey: true, description: Made by the shop}
  - {name: amount, logicalType: number, physicalType: "decimal(10,2)", required: true}
  - {name: placed_at, logicalType: timestamp}
"""


@pytest.fixture
def contracts(tmp_path: Path) -> Path:
    (tmp_path / "orders.odcs.yaml").write_text(CONTRACT, "utf-8")
    return tmp_path


def definitions(*assets: dg.AssetSpec | dg.AssetsDefinition | dg.SourceAsset) -> dg.Definitions:
    return dg.Definitions(
        assets=assets, resources={"pyspark": dg.ResourceDefinition.none_resource()}
    )


def spec_of(defs: dg.Definitions) -> dg.AssetSpec:
    return next(s for s in defs.resolve_all_asset_specs() if s.key.path[-1] == "orders")


ORDERS = dg.AssetKey(["shop", "orders"])


@dg.asset(key=ORDERS)
def orders() -> None:
    """An asset that is made."""


def test_an_asset_shows_its_contract(contracts: Path) -> None:
    with pytest.warns(ContractWarning):
        spec = spec_of(with_contracts(definitions(dg.AssetSpec(ORDERS)), contracts))

    assert spec.description == "Orders of the shop\n\n- Never deleted"
    assert list(spec.owners) == ["team:shop data"]
    assert {key: spec.tags[key] for key in ("sales", "layer")} == {"sales": "", "layer": "gold"}
    assert spec.kinds == {"odcs"}
    assert spec.metadata["dqx_dagster/contract_version"] == "1.2.0"
    reason = "type 'custom' with engine 'soda' is not executable in DQX"
    assert reason in spec.metadata["dqx_dagster/skipped_rules"].value
    assert spec.metadata["dqx_dagster/text_rules"].value == "- Never deleted"
    promised = "- latency: 48 hours (`placed_at`)\n- retention: 3 y"
    assert spec.metadata["dqx_dagster/sla"].value == promised
    (reference,) = spec.metadata["dagster/code_references"].code_references
    assert (Path(reference.file_path), reference.line_number) == (
        (contracts / "orders.odcs.yaml").resolve(),
        14,
    )


@pytest.mark.parametrize("granularity", list(Granularity))
def test_an_asset_shows_what_the_translator_leaves_out(
    contracts: Path, granularity: Granularity
) -> None:
    """Every rule of it, however they are reported."""

    class JustFreshness(DagsterContractTranslator):
        def get_asset_check_spec(self, contract: Contract, rule: Rule) -> dg.AssetCheckSpec | None:
            fresh = rule.name == "placed_at__sla_freshness_check"
            return super().get_asset_check_spec(contract, rule) if fresh else None

    settings = Settings(implied_checks=granularity)
    with pytest.warns(ContractWarning):
        defs = with_contracts(
            definitions(orders), contracts, translator=JustFreshness(), settings=settings
        )

    (check,) = defs.resolve_asset_graph().asset_check_keys
    assert check.name == "placed_at__sla_freshness_check"
    place = f"{contracts.name}/orders.odcs.yaml"
    _, *left_out = spec_of(defs).metadata["dqx_dagster/skipped_rules"].value.splitlines()
    assert sorted(left_out) == [
        f"- `amount__required`: left out by the translator (`{place}:21`)",
        f"- `id__primary_key`: left out by the translator (`{place}:20`)",
        f"- `schema`: left out by the translator (`{place}:14`)",
    ]


def test_an_asset_shows_its_columns(contracts: Path) -> None:
    with pytest.warns(ContractWarning):
        spec = spec_of(with_contracts(definitions(dg.AssetSpec(ORDERS)), contracts))

    columns = {column.name: column for column in spec.metadata["dagster/column_schema"].columns}
    assert {name: column.type for name, column in columns.items()} == {
        "id": "integer",
        "amount": "decimal(10,2)",
        "placed_at": "timestamp",
    }
    key = columns["id"].constraints
    assert (key.nullable, key.unique, key.other) == (False, True, ["primary key"])
    assert columns["id"].description == "Made by the shop"
    assert not columns["amount"].constraints.nullable


def test_the_sla_is_a_freshness_policy(contracts: Path) -> None:
    with pytest.warns(ContractWarning):
        spec = spec_of(with_contracts(definitions(dg.AssetSpec(ORDERS)), contracts))

    assert spec.freshness_policy == dg.FreshnessPolicy.time_window(dt.timedelta(days=2))


def test_what_an_asset_says_itself_stays(contracts: Path) -> None:
    policy = dg.FreshnessPolicy.time_window(dt.timedelta(hours=1))
    own = dg.AssetSpec(
        ORDERS,
        description="mine",
        owners=["me@example.com"],
        tags={"layer": "silver"},
        metadata={"dqx_dagster/contract_version": "mine"},
        freshness_policy=policy,
    )

    with pytest.warns(ContractWarning):
        spec = spec_of(with_contracts(definitions(own), contracts))

    assert spec.description == "mine"
    assert list(spec.owners) == ["me@example.com"]
    assert spec.tags["layer"] == "silver"
    assert spec.metadata["dqx_dagster/contract_version"] == "mine"
    assert spec.freshness_policy == policy


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::dagster.BetaWarning")
def test_source_assets_have_checks_too(contracts: Path) -> None:
    @dg.observable_source_asset(key=ORDERS)
    def source() -> dg.DataVersion:
        return dg.DataVersion("1")

    with pytest.warns(ContractWarning):
        defs = with_contracts(definitions(source), contracts)

    names = {key.name for key in defs.resolve_asset_graph().asset_check_keys}
    assert names == {
        "schema",
        "id__primary_key",
        "amount__required",
        "placed_at__sla_freshness_check",
    }


def test_assets_without_keys_before_they_are_loaded_are_let_alone(contracts: Path) -> None:
    class Later(CacheableAssetsDefinition):
        def compute_cacheable_data(self) -> list[Any]:
            raise AssertionError

        def build_definitions(self, data: object) -> list[Any]:
            raise AssertionError

    later = Later("later")
    before = dg.Definitions(assets=[dg.AssetSpec(ORDERS), later])

    with pytest.warns(ContractWarning):
        after = with_contracts(before, contracts)

    assert later in list(after.assets or [])


def test_everything_else_of_the_definitions_stays(contracts: Path) -> None:
    job = dg.define_asset_job("nightly")

    @dg.asset_check(asset=ORDERS)
    def mine() -> dg.AssetCheckResult:
        return dg.AssetCheckResult(passed=True)

    before = dg.Definitions(
        assets=[dg.AssetSpec(ORDERS)],
        asset_checks=[mine],
        jobs=[job],
        schedules=[dg.ScheduleDefinition(job=job, cron_schedule="0 0 * * *")],
        resources={"pyspark": dg.ResourceDefinition.none_resource(), "other": 1},
        executor=dg.in_process_executor,
        loggers={"console": dg.colored_console_logger},
        metadata={"team": "shop"},
    )

    with pytest.warns(ContractWarning):
        after = with_contracts(before, contracts)

    assert after.jobs == before.jobs
    assert after.schedules == before.schedules
    assert after.resources == before.resources
    assert after.executor == before.executor
    assert after.loggers == before.loggers
    assert after.metadata == before.metadata
    assert next(iter(mine.check_keys)) in after.resolve_asset_graph().asset_check_keys


def test_a_contract_without_its_asset_is_an_error(contracts: Path) -> None:
    with pytest.warns(ContractWarning), pytest.raises(DefinitionsError) as caught:
        with_contracts(definitions(dg.AssetSpec(["shop", "order"])), contracts)

    assert str(caught.value) == (
        f"{contracts / 'orders.odcs.yaml'}:14:3: contract 'Orders' is for asset 'shop/orders', "
        "which is not defined. Did you mean 'shop/order'?"
    )


def test_a_missing_asset_may_be_a_warning(contracts: Path) -> None:
    with pytest.warns(ContractWarning) as warned:
        with_contracts(definitions(dg.AssetSpec("other")), contracts, on_missing_asset="warn")

    assert "which is not defined; there are other" in str(warned[-1].message)


def test_a_name_that_is_taken_is_an_error(contracts: Path) -> None:
    @dg.asset_check(asset=ORDERS)
    def schema() -> dg.AssetCheckResult:
        return dg.AssetCheckResult(passed=True)

    defs = dg.Definitions(assets=[dg.AssetSpec(ORDERS)], asset_checks=[schema])
    with (
        pytest.warns(ContractWarning),
        pytest.raises(DefinitionsError, match="check 'schema' of asset 'shop/orders' is th"),
    ):
        with_contracts(defs, contracts)


def test_other_checks_of_a_contract_are_an_error(contracts: Path) -> None:
    """Also under other names: two ops of one name would not load."""
    with pytest.warns(ContractWarning):
        checks = build_contract_checks(contracts, settings=Settings(name_prefix="my_"))
    defs = dg.Definitions(assets=[dg.AssetSpec(ORDERS)], asset_checks=checks)

    with pytest.warns(ContractWarning), pytest.raises(DefinitionsError) as caught:
        with_contracts(defs, contracts)

    assert str(caught.value) == (
        f"{contracts / 'orders.odcs.yaml'}:14:3: asset 'shop/orders' has the checks of a contract "
        "already; make them in one way, with the same settings"
    )


def test_checks_that_are_there_already_are_not_made_again(contracts: Path) -> None:
    """A component has made them, which cannot describe the assets of others."""
    with pytest.warns(ContractWarning):
        checks = build_contract_checks(contracts)
    resources = {"pyspark": dg.ResourceDefinition.none_resource()}
    specs = [dg.AssetSpec(ORDERS)]
    defs = dg.Definitions(assets=specs, asset_checks=checks, resources=resources)

    with pytest.warns(ContractWarning):
        after = with_contracts(defs, contracts)

    assert list(after.asset_checks or []) == checks
    assert after.resolve_asset_graph().get(ORDERS).owners == ["team:shop data"]


def test_a_missing_resource_is_told_at_load(contracts: Path) -> None:
    with pytest.warns(ContractWarning):
        defs = with_contracts(dg.Definitions(assets=[dg.AssetSpec(ORDERS)]), contracts)

    with pytest.raises(dg.DagsterInvalidDefinitionError, match="pyspark"):
        dg.Definitions.validate_loadable(defs)
