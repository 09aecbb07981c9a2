"""Tables that refer to each other, in runs of Dagster: what waits, what blocks, what is read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from pyspark.sql import DataFrame, SparkSession

from assets.projects import Session, made
from dqx_dagster import (
    Contract,
    ContractValidationError,
    ContractWarning,
    EngineError,
    Granularity,
    Settings,
    build_contract_checks,
    contract_asset,
    load_contracts,
    with_contracts,
)

HEAD = """\
apiVersion: v3.1.0
kind: DataContract
id: {0}
version: 1.0.0
status: active
schema:
- name: {0}
  physicalName: shop.{0}
  properties:
"""
CUSTOMERS = "  - {name: id, logicalType: integer, primaryKey: true}\n"
ORDERS = """\
  - {name: id, logicalType: integer, primaryKey: true}
  - {name: previous, logicalType: integer, relationships: [{to: orders.id}]}
  - name: customer
    logicalType: integer
    relationships: [{to: customers.odcs.yaml#/schema/customers/properties/id}]
  - {name: day, logicalType: date, partitioned: true, partitionKeyPosition: 1}
"""
COLUMNS = {"customers": "id int", "orders": "id int, previous int, customer int, day string"}
GOOD = [(1, None, 7, "2026-03-01"), (2, 1, None, "2026-03-02")]
STRANGER = [*GOOD, (3, 1, 8, "2026-03-02")]

FOREIGN, OWN = "customer__relationship", "previous__relationship"
CHECKS = {"schema", "id__primary_key", FOREIGN, OWN}
CUSTOMERS_KEY, ORDERS_KEY = dg.AssetKey(["shop", "customers"]), dg.AssetKey(["shop", "orders"])


class Shop:
    """Tables in memory, contracts in a folder, and which tables were asked for."""

    def __init__(self, spark: SparkSession, folder: Path, **contracts: str) -> None:
        self.spark, self.folder = spark, folder
        self.tables: dict[str, Iterable[tuple[Any, ...]]] = {"customers": [(7,)], "orders": GOOD}
        self.columns = dict(COLUMNS)
        self.asked: list[str] = []
        for name, columns in contracts.items():
            path = folder / f"{name}.odcs.yaml"
            path.write_text(HEAD.format(name) + columns, "utf-8")

    def source(self, spark: SparkSession, contract: Contract, context: Any) -> DataFrame:
        """The table of a contract."""
        name = contract.object_name
        self.asked.append(name)
        if name not in self.tables:
            raise EngineError(f"cannot read '{name}'")
        return self.table(name)

    def table(self, name: str) -> DataFrame:
        """The rows of a table."""
        frame = self.spark.createDataFrame(list(self.tables[name]), self.columns[name])
        return frame.withColumn("day", frame.day.cast("date")) if "day" in frame.columns else frame

    def defs(
        self, *assets: Any, selection: dg.AssetSelection | None = None, **options: Any
    ) -> dg.Definitions:
        """Definitions with the contracts."""
        jobs = [dg.define_asset_job("job", selection)] if selection else []
        before = dg.Definitions(
            assets=assets, jobs=jobs, resources={"pyspark": Session(self.spark)}
        )
        return with_contracts(before, self.folder, source=self.source, **options)

    def run(self, defs: dg.Definitions, partition_key: str | None = None) -> Told:
        """A run of everything, or of the job."""
        self.asked = []
        every = defs.resolve_implicit_global_asset_job_def()
        job = defs.resolve_job_def("job") if defs.jobs else every
        return Told(job.execute_in_process(partition_key=partition_key, raise_on_error=False))


class Told:
    """What a run says."""

    def __init__(self, result: dg.ExecuteInProcessResult) -> None:
        self.success, self.made = result.success, made(result)
        found = result.get_asset_check_evaluations()
        self.checks = {f"{each.asset_key.path[-1]}.{each.check_name}": each for each in found}
        assert len(self.checks) == len(found)

    @property
    def broken(self) -> dict[str, str | None]:
        """The checks that have not passed, and why."""
        return {n: each.description for n, each in self.checks.items() if not each.passed}


def asset(
    name: str, *deps: str, partitions_def: dg.PartitionsDefinition[str] | None = None
) -> dg.AssetsDefinition:
    upstream = [dg.AssetKey(["shop", each]) for each in deps]

    @dg.asset(key=["shop", name], deps=upstream, partitions_def=partitions_def)
    def made() -> None:
        """Its rows come from the source."""

    return made


REPORT = asset("report", "orders")


@pytest.fixture
def shop(spark: SparkSession, tmp_path: Path) -> Shop:
    return Shop(spark, tmp_path, customers=CUSTOMERS, orders=ORDERS)


def specs(defs: dg.Definitions) -> dict[str, dg.AssetCheckSpec]:
    """All checks, by asset and name."""
    graph = defs.resolve_asset_graph()
    found = [graph.get_check_spec(key) for key in graph.asset_check_keys]
    return {f"{spec.asset_key.path[-1]}.{spec.name}": spec for spec in found}


def waits(spec: dg.AssetCheckSpec) -> list[str]:
    return [dep.asset_key.path[-1] for dep in spec.additional_deps]


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


EMPLOYEES = """\
  - {name: id, logicalType: integer, primaryKey: true}
  - {name: department, logicalType: integer, relationships: [{to: departments.id}]}
"""
DEPARTMENTS = """\
  - {name: id, logicalType: integer, primaryKey: true}
  - {name: manager, logicalType: integer, relationships: [{to: employees.id}]}
"""


@pytest.mark.parametrize(
    ("deps", "last"),
    [
        ((), {"employees.department__relationship", "departments.manager__relationship"}),
        (("employees",), {"employees.department__relationship"}),
    ],
    ids=["side by side", "one is made from the other"],
)
def test_checks_that_would_wait_for_each_other_come_last(
    deps: tuple[str, ...], last: set[str], spark: SparkSession, tmp_path: Path
) -> None:
    """Dagster refuses definitions in which they block."""
    company = Shop(spark, tmp_path, employees=EMPLOYEES, departments=DEPARTMENTS)
    company.columns = {"employees": "id int, department int", "departments": "id int, manager int"}
    company.tables = {"employees": [(1, 1), (2, 3)], "departments": [(1, 1)]}
    assets = [asset("employees"), asset("departments", *deps), asset("report", "employees")]

    with pytest.warns(ContractWarning) as warned:
        defs = company.defs(*assets)
    told = company.run(defs)

    text = "check 'department__relationship' is P0, but it reads shop/departments, which waits for"
    assert text in "\n".join(str(each.message) for each in warned)
    found = specs(defs)
    assert {name for name, spec in found.items() if not spec.blocking} == last
    assert "it is checked last and blocks nothing" in (
        found["employees.department__relationship"].description or ""
    )
    assert told.success
    assert told.broken == {
        "employees.department__relationship": "1 of 2 rows (50 %) have no match in "
        "shop.departments; allowed: none"
    }
    assert set(told.checks) == set(found)
    assert "shop/report" in told.made


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
