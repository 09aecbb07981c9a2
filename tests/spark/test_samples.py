"""Rows that break rules: which are shown, how, and what that costs."""

from __future__ import annotations

import dataclasses
import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from dqx_dagster import Contract, Settings, load_contracts, lower
from dqx_dagster.checks.samples import Samples
from dqx_dagster.metrics.partition import Choice, Partition
from dqx_dagster.metrics.value import Column
from dqx_dagster.spark.check import TableResult, check_table
from dqx_dagster.spark.samples import MAX_TEXT

NOW = dt.datetime(2026, 1, 2, tzinfo=dt.timezone.utc)
FIVE = Settings(failing_rows=5)

HEAD = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
schema:
- name: orders
"""
ORDERS = (
    HEAD
    + """\
  quality:
  - {id: pairs, metric: duplicateValues, arguments: {properties: [shop, code]}, mustBe: 0}
  - {id: enough, metric: rowCount, mustBeGreaterThan: 1000}
  properties:
  - {name: id, logicalType: integer, primaryKey: true}
  - {name: shop, logicalType: string, required: true}
  - {name: code, logicalType: string, unique: true}
  - name: amount
    logicalType: number
    logicalTypeOptions: {minimum: 0}
    quality:
    - {id: mean, type: custom, engine: dqx, implementation: {check: mean, mustBeLessThan: -5}}
    - {id: some_null, metric: nullValues, mustBeGreaterThan: 100}
  - name: status
    logicalType: string
    quality:
    - id: known
      metric: invalidValues
      arguments: {validValues: [open]}
      mustBeLessThan: 1
      unit: percent
      customProperties: [{property: failingRows, value: 2}]
  - name: address
    logicalType: object
    properties:
    - {name: city, logicalType: string, logicalTypeOptions: {minLength: 3}}
"""
)
SCHEMA = (
    "id int, shop string, code string, amount double, status string, address struct<city:string>"
)
ROWS_OF_ORDERS: list[tuple[Any, ...]] = [
    (1, "a", "x", 1.0, "open", ("Rome",)),
    (2, "a", "x", -1.5, "lost", ("Ur",)),
    (2, None, "y", float("nan"), "lost", ("Rome",)),
    (None, "b", None, -2.0, "gone", None),
    (5, "b", None, 3.0, "void", ("Rome",)),
]


def contract(text: str, folder: Path) -> Contract:
    path = folder / "contract.odcs.yaml"
    path.write_text(text, "utf-8")
    return load_contracts(path)[0]


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Contract:
    return contract(ORDERS, tmp_path_factory.mktemp("contract"))


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(ROWS_OF_ORDERS, SCHEMA)


def sampled(orders: Contract, table: DataFrame, settings: Settings = FIVE) -> TableResult:
    rules = lower(orders, settings).rules
    return check_table(orders, table, now=NOW, rules=rules)


@pytest.fixture(scope="module")
def found(orders: Contract, table: DataFrame) -> TableResult:
    return sampled(orders, table)


def rows(samples: Samples) -> set[tuple[object, ...]]:
    assert samples.problem is None
    return set(samples.rows)


def test_a_row_is_shown_with_its_key_and_what_breaks_the_rule(found: TableResult) -> None:
    below = found.samples["amount__minimum"]
    assert below.columns == ("id", "amount")
    assert rows(below) == {(2, -1.5), (None, -2.0)}


def test_a_null_is_shown_as_null(found: TableResult) -> None:
    assert found.samples["shop__required"].rows == ((2, None),)


def test_a_field_of_a_struct_is_shown_by_its_path(found: TableResult) -> None:
    short = found.samples["address_city__min_length"]
    assert (short.columns, short.rows) == (("id", "address.city"), ((2, "Ur"),))


def test_a_repeated_key_is_shown_once_with_its_number_of_rows(found: TableResult) -> None:
    key = found.samples["id__primary_key"]
    assert key.columns == ("id", "rows")
    assert rows(key) == {(2, 2), (None, 1)}
    unique = found.samples["code__unique"]
    assert (unique.columns, unique.rows) == (("code", "rows"), (("x", 2),))
    pairs = found.samples["pairs"]
    assert (pairs.columns, pairs.rows) == (("shop", "code", "rows"), (("a", "x", 2),))


def test_a_rule_may_ask_for_another_number(found: TableResult, table: DataFrame) -> None:
    assert len(found.samples["status__known"].rows) == 2
    alone = sampled(found.contract, table, Settings())
    assert alone.samples == {"status__known": found.samples["status__known"]}


def test_what_is_not_about_single_rows_has_none(found: TableResult) -> None:
    broken = {v.rule.name for v in found.verdicts if not v.passed}
    assert broken - set(found.samples) == {"enough", "amount__mean", "amount__some_null"}


def test_the_rows_are_the_same_however_the_table_is_stored(
    found: TableResult, spark: SparkSession, orders: Contract
) -> None:
    for parts in (1, 3, 7):
        shuffled = spark.createDataFrame(ROWS_OF_ORDERS[::-1], SCHEMA).repartition(parts)
        assert sampled(orders, shuffled).samples == found.samples


def test_many_rows_that_break_rules_are_few_in_the_end(
    spark: SparkSession, orders: Contract
) -> None:
    many = spark.range(20_000).selectExpr(
        "cast(id as int) id", "'a' shop", "cast(id % 10 as string) code", "-1D amount",
        "'lost' status", "struct('Ur' as city) address",
    )  # fmt: skip
    once, again = (sampled(orders, many.repartition(parts)).samples for parts in (2, 5))
    assert once == again
    assert len(set(once["amount__minimum"].rows)) == 5
    assert {row[1] for row in once["code__unique"].rows} == {2_000}


def test_the_rows_with_the_lowest_hashes_are_shown(spark: SparkSession, orders: Contract) -> None:
    """Also where so many rows break a rule that only those with low hashes are looked at."""
    many = spark.range(20_000).selectExpr(
        "cast(id as int) id", "'a' shop", "cast(id div 2 as string) code", "id - 5000D amount",
        "'open' status", "struct('Rome' as city) address",
    )  # fmt: skip
    many.createOrReplaceTempView("many")
    found = sampled(orders, many).samples
    below = "SELECT id FROM many WHERE amount < 0 ORDER BY xxhash64(id) LIMIT 5"
    assert [row[0] for row in found["amount__minimum"].rows] == [
        r.id for r in spark.sql(below).collect()
    ]
    twice = "SELECT DISTINCT code, xxhash64(code) hash FROM many ORDER BY hash LIMIT 5"
    assert found["code__unique"].rows == tuple((r.code, 2) for r in spark.sql(twice).collect())


def test_rows_are_found_that_share_one_hash(spark: SparkSession, orders: Contract) -> None:
    """Many rows of a single key: whether its hash is low or not, five of them are shown."""
    for key in range(8):
        clumped = spark.range(900).selectExpr(
            f"{key} id", "'a' shop", "cast(id as string) code", "-1D - id amount",
            "'open' status", "struct('Rome' as city) address",
        )  # fmt: skip
        found = sampled(orders, clumped).samples
        first = (-1.0, -10.0, -100.0, -101.0, -102.0)  # as texts
        assert found["amount__minimum"].rows == tuple((key, amount) for amount in first)
        assert found["id__primary_key"].rows == ((key, 900),)


def test_a_table_that_keeps_its_rules_is_not_read_again(
    spark: SparkSession, orders: Contract, tmp_path: Path
) -> None:
    good = (1, "a", "x", 1.0, "open", ("Rome",))
    spark.createDataFrame([good], SCHEMA).write.parquet(str(tmp_path / "good"))
    by_row = [r for r in lower(orders, FIVE).rules if r.claim.violation is not None]
    plain = [r for r in lower(orders).rules if r.claim.violation is not None]
    costs = [
        check_table(orders, spark.read.parquet(str(tmp_path / "good")), now=NOW, rules=rules).cost
        for rules in (by_row, plain)
    ]
    assert costs[0].jobs == costs[1].jobs
    assert costs[0].rows_read == costs[1].rows_read


def test_all_broken_rules_about_one_row_need_one_more_scan(
    spark: SparkSession, orders: Contract, table: DataFrame, tmp_path: Path
) -> None:
    table.write.parquet(str(tmp_path / "bad"))
    names = {"amount__minimum", "shop__required", "address_city__min_length", "status__known"}
    read = []
    for settings in (FIVE, Settings()):
        rules = [r for r in lower(orders, settings).rules if r.name in names]
        rules = rules if settings is FIVE else [_silent(r) for r in rules]
        stored = spark.read.parquet(str(tmp_path / "bad"))
        read.append(check_table(orders, stored, now=NOW, rules=rules).cost.rows_read)
    assert read == [2 * len(ROWS_OF_ORDERS), len(ROWS_OF_ORDERS)]


def _silent(rule: Any) -> Any:
    return dataclasses.replace(rule, failing_rows=0)


def test_an_empty_table_has_none(spark: SparkSession, orders: Contract) -> None:
    assert sampled(orders, spark.createDataFrame([], SCHEMA)).samples == {}


def test_a_partition_shows_its_own_rows(orders: Contract, table: DataFrame) -> None:
    rules = [r for r in lower(orders, FIVE).rules if r.name == "amount__minimum"]
    of_b = Partition(("b",), ((Choice(Column(("shop",)), ("b",)),),))
    found = check_table(orders, table, now=NOW, rules=rules, partition=of_b)
    assert found.samples["amount__minimum"].rows == ((None, -2.0),)


KEYLESS = (
    HEAD
    + """\
  properties:
  - {name: rows, logicalType: string, logicalTypeOptions: {maxLength: 3}}
  - {name: "a.b `c", logicalType: string, required: true}
  - name: flag
    logicalType: boolean
    quality: [{metric: invalidValues, arguments: {validValues: [true]}, mustBe: 0}]
  - name: day
    logicalType: date
    logicalTypeOptions: {minimum: "2026-01-01"}
  - name: tags
    logicalType: array
    items: {logicalType: string}
    logicalTypeOptions: {maxItems: 1}
  - {name: bytes, unique: true}
"""
)


def test_without_a_key_rows_that_look_the_same_are_one(spark: SparkSession, tmp_path: Path) -> None:
    schema = (
        "rows string, `a.b ``c` string, flag boolean, day date, tags array<string>, bytes binary"
    )
    row = ("long\n" * MAX_TEXT, None, False, dt.date(2025, 1, 1), ["x", "y"], b"\x00\xff")
    given = spark.createDataFrame([row, row, row], schema)
    found = sampled(contract(KEYLESS, tmp_path), given).samples
    cut = found["rows__max_length"]
    assert cut.columns == ("rows", "rows_")
    ((text, number),) = cut.rows
    assert (len(str(text)), str(text)[-1], number) == (MAX_TEXT + 1, "…", 3)
    shown = {name: samples.rows[0][0] for name, samples in found.items()}
    del shown["rows__max_length"]
    assert shown == {
        "a_b_c__required": None,
        "flag__invalid_values": False,
        "day__minimum": "2025-01-01",
        "tags__max_items": "[x, y]",
        "bytes__unique": "00FF",
    }


def test_without_a_key_a_rule_that_many_rows_break_is_asked_once(
    spark: SparkSession, tmp_path: Path
) -> None:
    text = HEAD + "  properties:\n  - {name: word, logicalType: string, required: true}\n"
    spark.range(300).selectExpr("cast(NULL as string) word").write.parquet(str(tmp_path / "rows"))
    found = sampled(contract(text, tmp_path), spark.read.parquet(str(tmp_path / "rows")))
    assert found.samples["word__required"].rows == ((None, 300),)
    assert found.cost.rows_read == 600


RELATED = (
    HEAD
    + """\
  properties:
  - {name: id, logicalType: integer, primaryKey: true}
  - name: customer
    logicalType: integer
    relationships: [{to: customers.id}]
- name: customers
  properties:
  - {name: id, logicalType: integer, primaryKey: true}
"""
)


def test_a_key_without_a_match_is_shown(spark: SparkSession, tmp_path: Path) -> None:
    related = contract(RELATED, tmp_path)
    table = spark.createDataFrame([(1, 7), (2, 8), (3, None)], "id int, customer int")
    customers = spark.createDataFrame([(7,)], "id int")
    rules = lower(related, FIVE).rules
    found = check_table(related, table, now=NOW, rules=rules, tables={"customers": customers})
    (samples,) = found.samples.values()
    assert (samples.columns, samples.rows) == (("id", "customer"), ((2, 8),))


def test_what_cannot_be_read_again_is_said_and_the_verdict_stays(
    spark: SparkSession, tmp_path: Path
) -> None:
    related = contract(RELATED, tmp_path)
    table = spark.createDataFrame([(1, 7), (2, 8)], "id int, customer int")
    path = tmp_path / "customers"
    spark.createDataFrame([(7,)], "id int").write.parquet(str(path))

    def customers() -> DataFrame:
        stored = spark.read.parquet(str(path))
        path.rename(tmp_path / "moved") if calls else calls.append(1)
        return stored

    calls: list[int] = []
    rules = lower(related, FIVE).rules
    found = check_table(related, table, now=NOW, rules=rules, tables={"customers": customers})
    (broken,) = (v for v in found.verdicts if not v.passed)
    (samples,) = found.samples.values()
    assert (broken.actual, samples.rows) == (1, ())
    assert str(samples.problem).startswith("no rows can be shown: Spark reports F")
