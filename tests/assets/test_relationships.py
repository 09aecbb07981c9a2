"""Tables that refer to each other, in runs of Dagster: what waits, what blocks, what is read."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest
from pyspark.sql import DataFrame, SparkSession

from assets.projects import Session
from assets.related_tables import (
    CHECKS,
    CUSTOMERS,
    CUSTOMERS_KEY,
    FOREIGN,
    ORDERS,
    ORDERS_KEY,
    OWN,
    REPORT,
    STRANGER,
    Shop,
    asset,
    specs,
    waits,
)
from dqx_dagster import (
    Contract,
    ContractValidationError,
    ContractWarning,
    Granularity,
    Settings,
    build_contract_checks,
    contract_asset,
    load_contracts,
)


@pytest.fixture
def shop(spark: SparkSession, tmp_path: Path) -> Shop:
    return Shop(spark, tmp_path, customers=CUSTOMERS, orders=ORDERS)


def test_an_order_of_a_stranger_stops_the_report(shop: Shop) -> None:
    defs = shop.defs(asset("customers"), asset("orders"), REPORT)
    found = specs(defs)
    assert {name: waits(spec) for name, spec in found.items() if waits(spec)} == {
        f"orders.{FOREIGN}": ["customers"]
    }
    assert all(spec.blocking for spec in found.values())

    good = shop.run(defs)
    assert (good.success, good.broken) == (True, {})
    assert "shop/report" in good.made
    assert shop.asked == ["customers", "orders", "customers"]

    shop.tables["orders"] = STRANGER
    bad = shop.run(defs)
    assert (bad.success, bad.made) == (False, {"shop/customers", "shop/orders"})
    reason = "1 of 3 rows (33.33 %) have no match in shop.customers; allowed: none"
    assert bad.broken == {f"orders.{FOREIGN}": reason}
    check = bad.checks[f"orders.{FOREIGN}"]
    assert check.severity is dg.AssetCheckSeverity.ERROR
    assert (check.metadata["failed_rows"].value, check.metadata["rows"].value) == (1, 3)


def test_another_table_is_read_only_if_a_selected_check_needs_it(shop: Shop) -> None:
    assets = [asset("customers"), asset("orders")]
    others = dg.AssetSelection.checks(dg.AssetCheckKey(ORDERS_KEY, OWN))

    told = shop.run(shop.defs(*assets, selection=others))
    assert (set(told.checks), shop.asked) == ({f"orders.{OWN}"}, ["orders"])

    one = dg.AssetSelection.checks(dg.AssetCheckKey(ORDERS_KEY, FOREIGN))
    told = shop.run(shop.defs(*assets, selection=one))
    assert (set(told.checks), shop.asked) == ({f"orders.{FOREIGN}"}, ["orders", "customers"])


def test_a_table_that_cannot_be_read_blocks_as_unknown(shop: Shop) -> None:
    del shop.tables["customers"]
    selection = dg.AssetSelection.assets(ORDERS_KEY, "shop/report")

    told = shop.run(shop.defs(asset("customers"), asset("orders"), REPORT, selection=selection))

    assert (told.success, told.made) == (False, {"shop/orders"})
    reason = "the table 'shop.customers' cannot be read: cannot read 'customers'"
    assert told.broken == {f"orders.{FOREIGN}": f"could not be measured: {reason}"}
    assert set(told.checks) == {f"orders.{name}" for name in CHECKS}


def test_a_partition_meets_the_whole_other_table(shop: Shop) -> None:
    """And a key within the table is about all of its rows: a partition may take away another's."""
    days = dg.DailyPartitionsDefinition("2026-03-01", end_date="2026-03-03")
    defs = shop.defs(asset("customers"), asset("orders", partitions_def=days))
    shop.tables["orders"] = [*STRANGER, (4, 9, 7, "2026-03-01")]

    first, second = (shop.run(defs, f"2026-03-0{day}") for day in (1, 2))

    lost = "1 of 4 rows (25 %) have no match in shop.orders; allowed: none"
    assert first.broken == {f"orders.{OWN}": lost}
    assert second.broken == {
        f"orders.{OWN}": lost,
        f"orders.{FOREIGN}": "1 of 2 rows (50 %) have no match in shop.customers; allowed: none",
    }
    assert shop.asked == ["customers", "orders", "customers"]


def test_a_check_that_reads_another_table_stands_alone(shop: Shop) -> None:
    """All others of the schema do not have to wait for it."""
    settings = Settings(implied_checks=Granularity.TABLE)
    found = specs(shop.defs(asset("customers"), asset("orders"), settings=settings))

    assert {name: waits(spec) for name, spec in found.items()} == {
        "customers.schema": [],
        "orders.schema": [],
        f"orders.{FOREIGN}": ["customers"],
        f"orders.{OWN}": [],  # about all rows, in a run of a partition too
    }


def loaded_one_by_one(folder: Path) -> list[Contract]:
    with pytest.warns(ContractWarning):
        (orders,) = Contract.from_odcs(folder / "orders.odcs.yaml")
    (customers,) = Contract.from_odcs(folder / "customers.odcs.yaml")
    return [orders, customers]


def test_contracts_that_were_loaded_one_by_one_find_each_other(shop: Shop) -> None:
    checks = build_contract_checks(loaded_one_by_one(shop.folder))

    found = [spec for each in checks for spec in each.check_specs if waits(spec)]
    assert [spec.name for spec in found] == [FOREIGN]

    path = shop.folder / "customers.odcs.yaml"
    path.write_text(path.read_text("utf-8").replace("integer", "string"), "utf-8")
    with pytest.raises(ContractValidationError, match="as string: they are never equal"):
        build_contract_checks(loaded_one_by_one(shop.folder))


def in_step(shop: Shop, contract: Contract | Path) -> dg.AssetsDefinition:
    @contract_asset(contract, write=lambda *_: None, source=shop.source, deps=[CUSTOMERS_KEY])
    def orders(pyspark: dg.ResourceParam[Session]) -> DataFrame:
        """Orders that are checked before they are written."""
        return shop.table("orders")

    return orders


def test_orders_of_strangers_are_not_written(shop: Shop) -> None:
    """The checks of an asset's own step read other tables too."""
    (orders,) = (c for c in load_contracts(shop.folder) if c.object_name == "orders")
    defs = shop.defs(asset("customers"), in_step(shop, orders), REPORT)

    good = shop.run(defs)
    assert (good.success, good.broken, set(good.checks)) == (True, {}, set(specs(defs)))

    shop.tables["orders"] = STRANGER
    bad = shop.run(defs)
    assert (bad.success, bad.made) == (False, {"shop/customers"})
    assert set(bad.broken) == {f"orders.{FOREIGN}"}


def test_what_an_asset_of_one_file_cannot_check_gets_a_step_of_its_own(shop: Shop) -> None:
    with pytest.warns(ContractWarning):
        orders = in_step(shop, shop.folder / "orders.odcs.yaml")
    assert {spec.name for spec in orders.check_specs} == CHECKS - {FOREIGN}
    shop.tables["orders"] = STRANGER

    told = shop.run(shop.defs(asset("customers"), orders, REPORT))

    assert (told.success, told.made) == (False, {"shop/customers", "shop/orders"})
    assert set(told.broken) == {f"orders.{FOREIGN}"}
    assert {name for name in told.checks if name.startswith("orders.")} == {
        f"orders.{name}" for name in CHECKS
    }
