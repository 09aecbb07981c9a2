"""Assets that are checked in their own step, after they are written or before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from assets.projects import (
    BROKEN,
    CHECKS,
    GOOD,
    KEY,
    ORDERS,
    WARNED,
    WARNING,
    Session,
    made,
    table,
    write_contract,
)
from dqx_dagster import Contract, DefinitionsError, contract_asset, with_contracts

Rows = Iterable[tuple[int, str]]
EVERYTHING = dg.AssetSelection.all()
CHECKS_ALONE = dg.AssetSelection.checks_for_assets(ORDERS)
ONE_CHECK = dg.AssetSelection.checks(dg.AssetCheckKey(ORDERS, KEY))


class Files(dg.IOManager):
    """Keeps tables as Parquet files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def handle_output(self, context: dg.OutputContext, obj: DataFrame) -> None:
        obj.write.mode("overwrite").parquet(str(self.folder / "shop.orders.parquet"))

    def load_input(self, context: dg.InputContext) -> DataFrame:
        raise NotImplementedError


class Shop:
    """Orders in a folder, made in one of three ways, and a report after them."""

    def __init__(self, spark: SparkSession, folder: Path, instance: dg.DagsterInstance) -> None:
        self.spark, self.folder, self.rows = spark, folder, list[tuple[int, str]](GOOD)
        self.contract = write_contract(folder) / "orders.odcs.yaml"
        self.calls, self.instance = 0, instance

    @property
    def path(self) -> Path:
        """Where the orders are."""
        return self.folder / "shop.orders.parquet"

    def run(
        self, way: str, rows: Rows, selection: dg.AssetSelection = EVERYTHING
    ) -> dg.ExecuteInProcessResult:
        """A run in which the orders are these rows."""
        self.rows, self.calls = list(rows), 0
        defs = with_contracts(
            dg.Definitions(
                assets=[WAYS[way](self), self.report()],
                jobs=[dg.define_asset_job("job", selection)],
                resources={"pyspark": Session(self.spark), "files": Files(self.folder)},
            ),
            self.folder,
        )
        job = defs.resolve_job_def("job")
        return job.execute_in_process(instance=self.instance, raise_on_error=False)

    def table(self) -> DataFrame:
        """The orders of this run."""
        self.calls += 1
        return table(self.spark, self.rows)

    def write(self, orders: DataFrame, *_: object) -> None:
        """Put the orders where they belong."""
        orders.write.mode("overwrite").parquet(str(self.path))

    def written(self) -> int:
        """How many orders are in the folder."""
        return self.spark.read.parquet(str(self.path)).count() if self.path.exists() else 0

    @staticmethod
    def report() -> dg.AssetsDefinition:
        """What must not run on broken orders."""

        @dg.asset(deps=[ORDERS])
        def report() -> None: ...

        return report


def _writes_itself(shop: Shop) -> dg.AssetsDefinition:
    @contract_asset(shop.contract, source=shop.folder / "{dataset}.parquet", group_name="shop")
    def orders(pyspark: dg.ResourceParam[Session]) -> dg.MaterializeResult[Any]:
        """Orders that are written and then checked."""
        shop.write(shop.table())
        return dg.MaterializeResult(metadata={"said": "by the asset"})

    return orders


def _returns_its_table(shop: Shop) -> dg.AssetsDefinition:
    @contract_asset(shop.contract, write=shop.write, source=shop.folder / "{dataset}.parquet")
    def orders(context: dg.AssetExecutionContext, pyspark: dg.ResourceParam[Session]) -> DataFrame:
        """Orders that are checked and then written."""
        return shop.table()

    return orders


def _has_an_io_manager(shop: Shop) -> dg.AssetsDefinition:
    @contract_asset(shop.contract, io_manager_key="files", source=shop.folder / "{dataset}.parquet")
    def orders(pyspark: dg.ResourceParam[Session]) -> DataFrame:
        return shop.table()

    return orders


WAYS: dict[str, Callable[[Shop], dg.AssetsDefinition]] = {
    "writes itself": _writes_itself,
    "returns its table": _returns_its_table,
    "has an IO manager": _has_an_io_manager,
}
every_way = pytest.mark.parametrize("way", WAYS)


@pytest.fixture
def shop(spark: SparkSession, tmp_path: Path) -> Iterator[Shop]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield Shop(spark, tmp_path, instance)


def checked(result: dg.ExecuteInProcessResult) -> dict[str, bool]:
    found = result.get_asset_check_evaluations()
    assert len(found) == len({each.check_name for each in found})
    return {each.check_name: each.passed for each in found}


@every_way
def test_all_four_selections_run(shop: Shop, way: str) -> None:
    whole = shop.run(way, WARNED)
    assert (whole.success, made(whole)) == (True, {"shop/orders", "report"})
    assert checked(whole) == dict.fromkeys(CHECKS, True) | {WARNING: False}
    assert (shop.calls, shop.written()) == (1, 2)

    unchecked = shop.run(way, [*GOOD, (3, "open")], EVERYTHING.without_checks())
    assert (unchecked.success, made(unchecked)) == (True, {"shop/orders", "report"})
    assert (checked(unchecked), shop.written()) == ({}, 3)

    checks = shop.run(way, BROKEN, CHECKS_ALONE)
    assert (checks.success, made(checks), shop.calls) == (True, set(), 0)
    assert checked(checks) == dict.fromkeys(CHECKS, True)

    one = shop.run(way, BROKEN, ONE_CHECK)
    assert (one.success, checked(one), shop.calls) == (True, {KEY: True}, 0)


@every_way
def test_results_belong_to_the_materialization_of_their_step(shop: Shop, way: str) -> None:
    result = shop.run(way, GOOD)

    (orders,) = [e for e in result.get_asset_materialization_events() if e.asset_key == ORDERS]
    rows = orders.materialization.metadata["dagster/row_count"]
    assert rows.value == len(GOOD)
    evaluation = dg.DagsterEventType.ASSET_CHECK_EVALUATION
    steps = {e.step_key for e in result.all_events if e.event_type is evaluation}
    assert steps == {orders.step_key}
    for check in result.get_asset_check_evaluations():
        assert check.target_materialization_data is not None
        assert check.target_materialization_data.run_id == result.run_id


def test_a_broken_table_that_is_written_blocks_what_comes_after(shop: Shop) -> None:
    result = shop.run("writes itself", BROKEN)

    assert not result.success
    assert made(result) == {"shop/orders"}
    assert checked(result) == dict.fromkeys(CHECKS, True) | {KEY: False}
    (orders,) = result.get_asset_materialization_events()
    assert orders.materialization.metadata["said"].value == "by the asset"


@pytest.mark.parametrize("way", ["returns its table", "has an IO manager"])
def test_a_broken_table_that_is_returned_is_not_written(shop: Shop, way: str) -> None:
    """The good orders of yesterday stay; the results say why."""
    shop.run(way, [*GOOD, (3, "open")])

    result = shop.run(way, BROKEN)

    assert not result.success
    assert made(result) == set()
    assert checked(result) == dict.fromkeys(CHECKS, True) | {KEY: False}
    assert shop.written() == 3
    (failure,) = [e for e in result.all_events if e.is_step_failure]
    assert failure.step_failure_data.user_failure_data is not None
    assert failure.step_failure_data.user_failure_data.description == (
        "1 of 4 checks stop 'shop/orders', nothing was written: id__primary_key: "
        "1 of 2 rows (50 %) have a key that is repeated or null; allowed: none"
    )


def test_a_verdict_is_not_retried(shop: Shop) -> None:
    @contract_asset(shop.contract, write=shop.write, retry_policy=dg.RetryPolicy(max_retries=2))
    def orders(pyspark: dg.ResourceParam[Session]) -> DataFrame:
        shop.rows = list(BROKEN)
        return shop.table()

    result = dg.materialize(
        [orders], resources={"pyspark": Session(shop.spark)}, raise_on_error=False
    )

    assert (result.success, shop.calls) == (False, 1)


def test_a_table_that_may_change_between_check_and_write_is_refused(shop: Shop) -> None:
    random = F.when(F.rand() > 2, "lost").otherwise("open")

    @contract_asset(shop.contract, write=shop.write)
    def orders(pyspark: dg.ResourceParam[Session], config: Kept) -> DataFrame:
        found = shop.table().withColumn("status", random)
        return found.localCheckpoint() if config.kept else found

    def run(*, kept: bool) -> dg.ExecuteInProcessResult:
        config = {"ops": {"shop__orders": {"config": {"kept": kept}}}}
        resources = {"pyspark": Session(shop.spark)}
        return dg.materialize(
            [orders], resources=resources, run_config=config, raise_on_error=False
        )

    refused = run(kept=False)
    (failure,) = [e for e in refused.all_events if e.is_step_failure]
    assert "the DataFrame is not deterministic" in str(failure.step_failure_data.error)
    assert shop.written() == 0

    assert run(kept=True).success
    assert shop.written() == len(GOOD)


class Kept(dg.Config):
    """Whether the rows are computed just once."""

    kept: bool


def test_the_asset_shows_its_contract(shop: Shop) -> None:
    asset = WAYS["writes itself"](shop)

    (spec,) = asset.specs
    assert spec.group_name == "shop"
    assert spec.description == "Orders that are written and then checked."
    assert spec.metadata["dqx_dagster/contract_version"] == "1.0.0"
    assert "dagster/column_schema" in spec.metadata
    assert {each.name for each in asset.check_specs} == CHECKS


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        pytest.param("a table", "nothing says where it goes: pass write= or", id="nowhere to go"),
        pytest.param(42, "must return a DataFrame, got int", id="no table"),
    ],
)
def test_what_cannot_be_written_is_refused(shop: Shop, returned: object, message: str) -> None:
    @contract_asset(shop.contract)
    def orders(pyspark: dg.ResourceParam[Session]) -> object:
        return shop.table() if returned == "a table" else returned

    with pytest.raises(DefinitionsError, match=message):
        dg.materialize([orders], resources={"pyspark": Session(shop.spark)})


def test_a_function_without_the_session_is_refused(shop: Shop) -> None:
    with pytest.raises(DefinitionsError, match="'orders' takes no resource 'pyspark'"):

        @contract_asset(shop.contract)
        def orders() -> None: ...


def test_a_file_of_two_tables_is_refused(shop: Shop) -> None:
    text = shop.contract.read_text("utf-8")
    two = shop.folder / "two.yaml"
    two.write_text(f"{text}- name: customers\n", "utf-8")

    with pytest.raises(DefinitionsError, match=r"2 schema objects \(shop.orders, customers\)"):
        contract_asset(two)
    contract_asset(Contract.from_odcs(two)[0])
