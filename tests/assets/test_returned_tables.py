"""What the function of an asset that is checked in its own step may return, and what it may not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from assets.projects import GOOD, Session, made, table, write_contract
from dqx_dagster import DefinitionsError, contract_asset


class Shop:
    """Orders that return what they are told to, and what is then written."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.session = Session(spark)
        self.contract = write_contract(folder) / "orders.odcs.yaml"
        self.table = table(spark, GOOD)
        self.written: list[int] = []

    def asset(self, returned: Any, **options: Any) -> dg.AssetsDefinition:
        @contract_asset(
            self.contract,
            write=lambda table, *_: self.written.append(table.count()),
            source=lambda *_: self.table,
            **options,
        )
        def orders(pyspark: dg.ResourceParam[Session]) -> Any:
            return returned

        return orders

    def run(
        self, returned: Any, selection: dg.AssetSelection | None = None
    ) -> dg.ExecuteInProcessResult:
        resources = {"pyspark": self.session}
        return dg.materialize([self.asset(returned)], resources=resources, selection=selection)


@pytest.fixture
def shop(spark: SparkSession, tmp_path: Path) -> Shop:
    return Shop(spark, tmp_path)


@pytest.mark.filterwarnings("ignore::dagster.BetaWarning")  # of data versions
def test_a_table_may_come_with_metadata(shop: Shop) -> None:
    result = shop.run(
        dg.MaterializeResult(
            value=shop.table,
            metadata={"said": "by the asset"},
            data_version=dg.DataVersion("7"),
            tags={"a": "b"},
        )
    )

    assert shop.written == [2]
    (event,) = result.get_asset_materialization_events()
    metadata = event.materialization.metadata
    assert (metadata["said"].value, metadata["dagster/row_count"].value) == ("by the asset", 2)
    tags = event.materialization.tags or {}
    assert (tags["a"], tags["dagster/data_version"]) == ("b", "7")


@pytest.mark.parametrize(
    "returned",
    [None, dg.MaterializeResult(), dg.MaterializeResult(value=None)],
    ids=["nothing", "a result", "a result with nothing"],
)
def test_without_a_table_nothing_is_written_and_nothing_counts_as_made(
    shop: Shop, returned: Any
) -> None:
    """A `return` that is forgotten must not have the table of yesterday checked in its place."""
    with pytest.raises(
        DefinitionsError, match="'shop/orders' must return a DataFrame, got nothing"
    ):
        shop.run(returned)
    assert shop.written == []


def test_what_is_no_table_is_named(shop: Shop) -> None:
    with pytest.raises(DefinitionsError, match="must return a DataFrame, got int"):
        shop.run(dg.MaterializeResult(value=42))


def test_results_of_other_checks_are_not_lost_in_silence(shop: Shop) -> None:
    own = dg.AssetCheckResult(passed=False, check_name="own")

    with pytest.raises(DefinitionsError, match="returns check results of its own"):
        shop.run(dg.MaterializeResult(value=shop.table, check_results=[own]))
    assert shop.written == []


def test_what_is_not_checked_may_change(shop: Shop) -> None:
    """Without checks there is nothing that could differ from what is written."""
    changing = shop.table.withColumn("status", F.uuid())

    result = shop.run(changing, dg.AssetSelection.all().without_checks())

    assert made(result) == {"shop/orders"}
    assert shop.written == [2]


def test_what_dagster_takes_for_an_asset_can_be_given(shop: Shop) -> None:
    condition = dg.AutomationCondition.eager()

    asset = shop.asset(
        None,
        automation_condition=condition,
        metadata={"partition_expr": "day"},
        tags={"layer": "gold"},
        kinds={"delta"},
        owners=["team:lake"],
        group_name="shop",
    )

    (spec,) = asset.specs
    assert spec.automation_condition == condition
    assert spec.metadata["partition_expr"] == "day"
    assert spec.tags["layer"] == "gold"
    assert spec.kinds == {"delta", "odcs"}
    assert list(spec.owners) == ["team:lake"]
    assert spec.group_name == "shop"
