"""Keys without a match on Spark: what the oracle counts, and what goes wrong with other tables."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from click.testing import CliRunner
from oracle import algebra
from oracle.ddl import parse_type
from oracle.random_tables import TYPES, Table, arrow, tables
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from dqx_dagster import EngineError, load_contracts, lower
from dqx_dagster.cli import main
from dqx_dagster.metrics.metric import ROWS, Leaf, Measurement, Orphans, Unmeasurable
from dqx_dagster.metrics.partition import Choice, Partition
from dqx_dagster.metrics.plan import plan_metrics
from dqx_dagster.metrics.value import Column
from dqx_dagster.spark.check import check_table
from dqx_dagster.spark.measure import measure_with_cost
from dqx_dagster.spark.tables import Given

NOW: Final = dt.datetime(2026, 3, 5, 10, tzinfo=dt.timezone.utc)
CANARY: Final = "ssn 123-45-6789"

ALIKE: Final = ("tiny", "float", "double", "exact", "flag", "text", "day", "instant", "local")
MIXED: Final = (
    ("tiny", "big"),
    ("big", "int"),
    ("double", "big"),
    ("big", "double"),
    ("int", "float"),
    ("cents", "exact"),
    ("exact", "whole"),
    ("whole", "cents"),
    ("big", "whole"),
    ("cents", "small"),
)
"""Columns of different types that can be compared; a double and a float only as SQL does."""


def key(*names: str) -> tuple[Column, ...]:
    return tuple(Column((name,)) for name in names)


def within(ours: Sequence[str], theirs: Sequence[str]) -> Orphans:
    return Orphans(key("case", *ours), None, key("case", *theirs))


def beyond(ours: Sequence[str], theirs: Sequence[str]) -> Orphans:
    return Orphans(key("case", *ours), "other", key("case", *theirs))


RANDOM: Final = plan_metrics(
    [
        *(beyond([name], [name]) for name in ALIKE),
        *(beyond([ours], [theirs]) for ours, theirs in MIXED),
        *(within([ours], [theirs]) for ours, theirs in (("int", "big"), ("tiny", "int"))),
        within(["flag", "tiny"], ["flag", "small"]),
        beyond(["flag", "cents", "text"], ["flag", "exact", "text"]),
    ]
)


def rows_of(some: Sequence[Table]) -> list[dict[str, Any]]:
    return [{"case": at, **row} for at, table in enumerate(some) for row in table.rows()]


def test_spark_counts_what_the_oracle_counts(spark: SparkSession, tmp_path: Path) -> None:
    """Hundreds of random tables: the number of the table is part of each key, so that one query
    has them all."""
    types = {"case": parse_type("int"), **{n: parse_type(t) for n, (t, _) in TYPES.items()}}
    ours, theirs = tables(seed=1, number=400), tables(seed=2, number=400)
    frames = []
    for name, some in (("ours", ours), ("theirs", theirs)):
        pq.write_table(arrow(some), tmp_path / name)
        frames.append(spark.read.parquet(str(tmp_path / name)).coalesce(1))

    found, _ = measure_with_cost(frames[0], RANDOM, now=NOW, tables={"other": frames[1]})

    rows, others = rows_of(ours), {"other": (rows_of(theirs), types)}
    assert found == algebra.measure(rows, RANDOM, types, NOW, others)
    for leaf in RANDOM.orphans:  # each has keys with a match, and without
        keys, count = list(algebra.keys(leaf.columns, rows, types)), found[leaf]
        assert isinstance(count, int)
        assert 0 < count < len(keys)


def measured(
    table: DataFrame, leaf: Leaf, others: Given, partition: Partition | None = None
) -> Measurement:
    """What is found, and that the rest of the table can still be measured."""
    plan = plan_metrics([ROWS, leaf])
    found, _ = measure_with_cost(table, plan, now=NOW, tables=others, partition=partition)
    assert isinstance(found[ROWS], int)
    return found[leaf]


K_TO_ID: Final = Orphans(key("k"), "other", key("id"))


@pytest.mark.parametrize(
    ("ours", "theirs", "kinds"),
    [
        ("1", "'1'", "int and string"),
        ("1.5D", "1.5BD", "double and decimal(2,1)"),
        ("date'2026-03-05'", "timestamp'2026-03-05'", "date and timestamp"),
        ("timestamp'2026-03-05'", "timestamp_ntz'2026-03-05'", "timestamp and timestamp_ntz"),
        ("array(1)", "array(1)", "array<int> and array<int>"),
        ("'a' COLLATE UTF8_LCASE", "'a'", "string collate UTF8_LCASE and string"),
    ],
)
def test_values_that_cannot_be_compared_exactly_are_not(
    ours: str, theirs: str, kinds: str, spark: SparkSession
) -> None:
    if "COLLATE" in ours and spark.version < "4":
        pytest.skip("Spark 3 has no collations")
    table, other = spark.sql(f"SELECT {ours} AS k"), spark.sql(f"SELECT {theirs} AS id")

    assert measured(table, K_TO_ID, {"other": other}) == Unmeasurable(
        f"the two sides are {kinds}: their values cannot be compared exactly"
    )


def test_texts_are_equal_as_their_columns_say(spark: SparkSession) -> None:
    """The spaces that fill up a CHAR are not part of its value; a collation may ignore case."""
    spark.sql("CREATE TABLE padded (short CHAR(3), long CHAR(5), loose VARCHAR(5)) USING parquet")
    try:
        spark.sql("INSERT INTO padded VALUES ('a', 'a', 'a'), ('b', 'b', 'b '), ('c', 'd', 'e')")
        table = spark.table("padded")
        pairs = {("short", "long"): 1, ("long", "loose"): 2, ("loose", "short"): 2}
        for (ours, theirs), number in pairs.items():
            leaf = Orphans(key(ours), "other", key(theirs))
            assert measured(table, leaf, {"other": table}) == number
    finally:
        spark.sql("DROP TABLE padded")
    if spark.version >= "4":
        loose = "COLLATE UTF8_LCASE"
        table = spark.sql(f"SELECT k {loose} AS k FROM VALUES ('A'), ('b'), ('c') AS t(k)")
        other = spark.sql(f"SELECT id {loose} AS id FROM VALUES ('a'), ('B') AS t(id)")
        assert measured(table, K_TO_ID, {"other": other}) == 1


def test_only_the_keys_are_computed(spark: SparkSession) -> None:
    broken = F.raise_error(F.lit(CANARY)).cast("int")
    table = spark.range(3).select(F.col("id").alias("k"))
    other = spark.range(2).withColumn("broken", broken)

    assert measured(table, K_TO_ID, {"other": other}) == 1


def unreadable() -> DataFrame:
    raise EngineError("cannot read 'nowhere': Spark reports PATH_NOT_FOUND")


def unlucky() -> DataFrame:
    raise KeyError(CANARY)


def test_a_table_that_fails_harms_only_its_own_rules(spark: SparkSession, tmp_path: Path) -> None:
    table = spark.range(3).select(F.col("id").alias("k"))
    fails = spark.range(3).select(F.raise_error(F.lit(CANARY)).cast("bigint").alias("id"))
    others: Given = {
        "good": spark.range(1),
        "unreadable": unreadable,
        "unlucky": unlucky,
        "other columns": spark.range(1).withColumnRenamed("id", "key"),
        "fails": fails,
    }
    names = [*others, "nobody"]
    leaves = {name: Orphans(key("k"), name, key("id")) for name in names}
    missing = Orphans(key("x"), "good", key("id"))

    plan = plan_metrics([*leaves.values(), missing, ROWS])
    found, _ = measure_with_cost(table, plan, now=NOW, tables=others)

    assert {name: found[leaf] for name, leaf in leaves.items()} == {
        "good": 2,
        "unreadable": Unmeasurable(
            "the table 'unreadable' cannot be read: cannot read 'nowhere': "
            "Spark reports PATH_NOT_FOUND"
        ),
        "unlucky": Unmeasurable("the table 'unlucky' cannot be read: Spark reports KeyError"),
        "other columns": Unmeasurable("other columns: column 'id' is not in the data"),
        "fails": Unmeasurable("Spark reports USER_RAISED_EXCEPTION"),
        "nobody": Unmeasurable("the table 'nobody' is needed too, and was not given"),
    }
    assert found[missing] == Unmeasurable("column 'x' is not in the data")
    assert found[ROWS] == 3


def test_other_tables_are_read_once_and_only_if_a_rule_needs_them(spark: SparkSession) -> None:
    asked = []

    def other() -> DataFrame:
        asked.append("other")
        return spark.range(2)

    given: Given = {"other": other, "unreadable": unreadable}
    table = spark.range(4).selectExpr("id AS k", "id + 1 AS l")
    both = plan_metrics([K_TO_ID, Orphans(key("l"), "other", key("id"))])

    assert measured(table, Orphans(key("k"), None, key("l")), given) == 1
    assert asked == []
    found, _ = measure_with_cost(table, both, now=NOW, tables=given)
    assert (list(found.values()), asked) == ([2, 3], ["other"])


def test_the_rows_of_a_partition_meet_all_rows_of_the_other_table(spark: SparkSession) -> None:
    table = spark.range(6).selectExpr("id AS k", "cast(id % 2 AS string) AS day")
    other = spark.range(2, 6).withColumn("day", F.lit("1"))
    even = Partition(("0",), ((Choice(Column(("day",)), ("0",)),),))

    assert measured(table, K_TO_ID, {"other": other}, even) == 1
    assert measured(table, K_TO_ID, {"other": other}) == 2


def test_a_partition_that_cannot_be_told_is_the_reason(spark: SparkSession) -> None:
    unknown = Partition(("0",), ((Choice(Column(("day",)), ("0",)),),))
    table, plan = spark.range(6).withColumnRenamed("id", "k"), plan_metrics([K_TO_ID])

    found, _ = measure_with_cost(table, plan, now=NOW, partition=unknown)

    assert found[K_TO_ID] == Unmeasurable("column 'day' is not in the data")


CONTRACT: Final = """\
apiVersion: v3.1.0
kind: DataContract
id: shop
version: 1.0.0
status: active
schema:
- name: customers
  properties: [{name: id, logicalType: integer}]
- name: orders
  properties:
  - {name: customer, logicalType: integer, relationships: [{to: customers.id}]}
"""


def test_a_table_is_checked_with_the_others(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "shop.yaml").write_text(CONTRACT, "utf-8")
    _, orders = load_contracts(tmp_path)
    table = spark.range(120).select(F.col("id").alias("customer"))

    found = check_table(orders, table, tables={"customers": spark.range(117)})
    (alone,) = check_table(orders, table, rules=lower(orders).rules[1:]).verdicts

    reasons = {verdict.rule.name: verdict.reason for verdict in found.verdicts}
    assert reasons["customer__relationship"] == (
        "3 of 120 rows (2.5 %) have no match in customers; allowed: none"
    )
    assert found.cost.rows_read is None  # those of the customers are among them
    assert alone.reason == (
        "could not be measured: the table 'customers' is needed too, and was not given"
    )


def test_run_takes_the_other_tables_where_it_takes_all(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SparkSession, "stop", lambda _: None)  # the session is the tests' own
    (tmp_path / "shop.yaml").write_text(CONTRACT, "utf-8")
    spark.range(3).selectExpr("id AS customer").write.parquet(str(tmp_path / "orders"))
    spark.range(1).write.parquet(str(tmp_path / "customers"))
    places = [f"{name}={tmp_path / name}" for name in ("orders", "customers")]

    done = CliRunner().invoke(
        main,
        ["run", str(tmp_path / "shop.yaml"), "--table", places[0], "--table", places[1]],
    )

    assert done.exit_code == 1, done.output
    assert "2 of 3 rows (66.67 %) have no match in customers; allowed: none" in done.output
