"""Assets that Dagster does not make: a job of all assets leaves their checks out, so it is told."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from assets.projects import ORDERS, write_contract
from dqx_dagster import ContractWarning, Settings, Severity, with_contracts

ALL = dg.AssetSelection.all()
ALL_AND_CHECKS = ALL | dg.AssetSelection.all_asset_checks()
SPEC = dg.AssetSpec(ORDERS)


@pytest.fixture
def contracts(tmp_path: Path) -> Path:
    return write_contract(tmp_path)


def definitions(asset: Any, **others: Any) -> dg.Definitions:
    resources = {"pyspark": dg.ResourceDefinition.none_resource()}
    return dg.Definitions(assets=[asset], resources=resources, **others)


def told(defs: dg.Definitions, contracts: Path, settings: Settings | None = None) -> list[str]:
    """What is warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with_contracts(defs, contracts, settings=settings)
    return [str(each.message) for each in caught if each.category is ContractWarning]


def watched() -> dg.AssetsDefinition:
    @dg.multi_observable_source_asset(specs=[SPEC])  # type: ignore[untyped-decorator]
    def observe() -> Iterator[dg.ObserveResult]:
        yield dg.ObserveResult(ORDERS)

    assert isinstance(observe, dg.AssetsDefinition)
    return observe


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: SPEC, id="a spec"),
        pytest.param(lambda: dg.AssetsDefinition(specs=[SPEC]), id="a definition"),
        pytest.param(lambda: dg.SourceAsset(ORDERS), id="a source asset"),
        pytest.param(watched, id="observable"),
    ],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::dagster.BetaWarning")
def test_p0_rules_that_no_job_selects_are_told(make: Callable[[], Any], contracts: Path) -> None:
    defs = definitions(make(), jobs=[dg.define_asset_job("all", ALL)])

    assert told(defs, contracts) == [
        f"{contracts / 'orders.odcs.yaml'}:8:3: asset 'shop/orders' is external: a run of all "
        "assets leaves its checks out, and its P0 rules stop nothing; let a job select "
        "`AssetSelection.all() | AssetSelection.all_asset_checks()`"
    ]


@pytest.mark.parametrize(
    "others",
    [
        {"jobs": [dg.define_asset_job("all", ALL_AND_CHECKS)]},
        {"jobs": [dg.define_asset_job("checks", dg.AssetSelection.checks_for_assets(ORDERS))]},
        {
            "schedules": [
                dg.ScheduleDefinition("all", target=ALL_AND_CHECKS, cron_schedule="@daily")
            ]
        },
        {
            "sensors": [
                dg.SensorDefinition("all", evaluation_fn=lambda _: None, target=ALL_AND_CHECKS)
            ]
        },
    ],
    ids=["a job of all", "a job of checks", "a schedule", "a sensor"],
)
def test_p0_rules_that_are_selected_are_fine(others: dict[str, Any], contracts: Path) -> None:
    assert told(definitions(SPEC, **others), contracts) == []


@pytest.mark.parametrize(
    "others",
    [
        {},
        {
            "jobs": [
                dg.define_asset_job(
                    "some", dg.AssetSelection.checks(dg.AssetCheckKey(ORDERS, "schema"))
                )
            ]
        },
        {
            "schedules": [
                dg.ScheduleDefinition("named", job_name="elsewhere", cron_schedule="@daily")
            ]
        },
        {
            "sensors": [
                dg.SensorDefinition("named", evaluation_fn=lambda _: None, job_name="elsewhere")
            ]
        },
    ],
    ids=["nothing", "just one of them", "a schedule", "a sensor"],
)
def test_less_than_that_is_not_enough(others: dict[str, Any], contracts: Path) -> None:
    assert len(told(definitions(SPEC, **others), contracts)) == 1


def test_definitions_that_do_not_load_alone_are_not_trusted(contracts: Path) -> None:
    """Without its resource, nothing is known of what the job selects."""
    part = dg.Definitions(assets=[SPEC], jobs=[dg.define_asset_job("all", ALL_AND_CHECKS)])

    assert len(told(part, contracts)) == 1


def test_rules_that_do_not_block_are_fine(tmp_path: Path) -> None:
    settings = Settings(implied_severity=Severity.P1, severities={"error": Severity.P1})

    assert told(definitions(SPEC), write_contract(tmp_path), settings) == []


def test_the_warning_can_be_silenced(contracts: Path) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* is external", ContractWarning)
        with_contracts(definitions(SPEC), contracts)
