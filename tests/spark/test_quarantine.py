"""Parting the rows of a table: those that break rules, with the rules, and the rest."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pages import block
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from dqx_dagster import Contract, EngineError, Settings, load_contracts
from dqx_dagster.spark.check import check_repeatable, check_table
from dqx_dagster.spark.quarantine import failing_rows, good_rows

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
schema:
- name: orders
  quality:
  - {id: pairs, type: custom, engine: dqx,
     implementation: {check: duplicates, columns: [shop, code], mustBe: 0}}
  - {id: enough, metric: rowCount, mustBeGreaterThan: 1000}
  properties:
  - {name: id, logicalType: integer, primaryKey: true}
  - {name: shop, logicalType: string}
  - {name: code, logicalType: string, unique: true}
  - {name: amount, logicalType: number, logicalTypeOptions: {minimum: 0}}
  - name: "odd `name.x"
    logicalType: string
    required: true
    quality:
    - {id: mostly, metric: invalidValues, arguments: {validValues: [ok]}, mustBeLessThan: 90,
       unit: percent}
  - name: address
    logicalType: object
    properties:
    - {name: city, logicalType: string, logicalTypeOptions: {minLength: 3}}
  - name: customer
    logicalType: integer
    relationships: [{to: customers.id}]
  - name: parent
    logicalType: integer
    relationships: [{to: orders.id}]
- name: customers
  properties:
  - {name: id, logicalType: integer, primaryKey: true}
"""
SCHEMA = (
    "id int, shop string, code string, amount double, `odd ``name.x` string,"
    " address struct<city:string>, customer int, parent int"
)
GOOD = (1, "a", "c1", 1.0, "ok", ("Rome",), 7, None)
ROWS: list[tuple[Any, ...]] = [
    GOOD,
    (2, "a", "c2", -1.0, "ok", ("Rome",), 7, 1),
    (3, "a", "c3", 1.0, None, ("Rome",), None, 1),
    (4, "b", "c4", 1.0, "ok", ("Ur",), 7, 1),
    (5, "b", "c4", 1.0, "ok", None, 7, 1),
    (6, "b", None, 1.0, "ok", None, 7, 1),
    (7, "b", None, 1.0, "ok", None, 7, 1),
    (8, "c", "c8", 1.0, "ok", None, 8, 1),
    (9, "c", "c9", 1.0, "no", None, 7, 99),
    (10, "d", "d1", 1.0, "ok", None, 7, 1),
    (10, "d", "d2", 1.0, "ok", None, 7, 1),
    (None, "d", "d3", 1.0, "ok", None, 7, 1),
]
BROKEN = {
    ("c2", "amount__minimum"),
    ("c3", "odd_name_x__required"),
    ("c4", "code__unique pairs"),
    ("c4", "address_city__min_length code__unique pairs"),
    (None, "pairs"),
    ("c8", "customer__relationship"),
    ("c9", "odd_name_x__mostly parent__relationship"),
    ("d1", "id__primary_key"),
    ("d2", "id__primary_key"),
    ("d3", "id__primary_key"),
}

NAMES = ("orders", "quarantine")


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Contract:
    path = tmp_path_factory.mktemp("contract") / "orders.odcs.yaml"
    path.write_text(CONTRACT, "utf-8")
    return load_contracts(path)[0]


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(ROWS, SCHEMA)


@pytest.fixture(scope="module")
def tables(spark: SparkSession) -> dict[str, DataFrame]:
    return {"customers": spark.createDataFrame([(7,), (7,)], "id int")}


def test_each_row_has_the_names_of_the_rules_that_it_breaks(
    orders: Contract, table: DataFrame, tables: dict[str, DataFrame]
) -> None:
    bad = failing_rows(orders, table, tables=tables)

    assert bad.columns == [*table.columns, "broken_rules"]
    names = F.array_join(F.array_sort("broken_rules"), " ")
    found = bad.select("code", names).collect()
    assert {tuple(row) for row in found} == BROKEN
    assert len(found) == len(ROWS) - 1


def test_the_other_rows_are_the_good_ones(
    orders: Contract, table: DataFrame, tables: dict[str, DataFrame]
) -> None:
    good = good_rows(orders, table.repartition(3), tables=tables)

    assert good.schema == table.schema
    assert [row["id"] for row in good.collect()] == [1]
    check_repeatable(good)
    rules = [v for v in check_table(orders, good, tables=tables).verdicts if not v.passed]
    assert [v.rule.name for v in rules] == ["enough"]


def test_only_the_named_rules_count(orders: Contract, table: DataFrame) -> None:
    bad = failing_rows(orders, table, ["amount__minimum"])
    assert [row["id"] for row in bad.collect()] == [2]
    with pytest.raises(EngineError, match="no rule 'amount__minimun'"):
        failing_rows(orders, table, ["amount__minimun"])
    with pytest.raises(EngineError, match="'enough' is not about single rows"):
        failing_rows(orders, table, ["enough"])
    assert failing_rows(orders, table, []).count() == 0


def test_a_rule_that_cannot_be_tried_makes_no_row_good(orders: Contract, table: DataFrame) -> None:
    with pytest.raises(EngineError, match="2 of 9 rules cannot be tried on the rows") as caught:
        good_rows(orders, table.drop("amount"))
    assert "amount__minimum: column 'amount' is not in the data" in str(caught.value)
    assert "the table 'customers' is needed too, and was not given" in str(caught.value)


def test_a_column_of_that_name_is_refused(orders: Contract, table: DataFrame) -> None:
    with pytest.raises(EngineError, match="has a column 'Broken_Rules' already"):
        failing_rows(orders, table.withColumn("Broken_Rules", F.lit(1)))


def test_the_model_has_both_as_verbs(spark: SparkSession, tmp_path: Path) -> None:
    alone = re.sub(r"\n +relationships: .*", "", CONTRACT)
    path = tmp_path / "orders.odcs.yaml"
    path.write_text(alone, "utf-8")
    contract = load_contracts(path)[0]
    table = spark.createDataFrame(ROWS, SCHEMA)

    good, bad = contract.good_rows(table), contract.failing_rows(table)

    assert good.count() + bad.count() == len(ROWS)
    assert [row["id"] for row in good.orderBy("id").collect()] == [1, 8]


def test_an_empty_table_has_neither(spark: SparkSession, orders: Contract) -> None:
    empty = spark.createDataFrame([], SCHEMA)
    names = ["id__primary_key", "code__unique", "amount__minimum"]
    assert failing_rows(orders, empty, names).count() == 0
    assert good_rows(orders, empty, names, settings=Settings()).count() == 0


def test_the_example_of_the_page_parts_the_orders(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "orders.odcs.yaml").write_text(block("yaml"), "utf-8")
    code = block("python", 1, "docs/failing-rows.md").replace("data/", f"{tmp_path}/data/")
    page: dict[str, Any] = {}
    exec(compile(code, "docs/failing-rows.md", "exec", dont_inherit=True), page)
    rows = [(1, "shipped", 1.0), (1, "lost", 1.0), (2, "shipped", 1.0)]
    orders = spark.createDataFrame(rows, "order_id int, status string, amount double")

    page["part"](orders)

    good, bad = (spark.read.parquet(f"{tmp_path}/data/{name}.parquet") for name in NAMES)
    assert [row["order_id"] for row in good.collect()] == [2]
    found = {(row["status"], *row["broken_rules"]) for row in bad.collect()}
    assert found == {
        ("shipped", "order_id__primary_key"),
        ("lost", "order_id__primary_key", "status__valid_values"),
    }
