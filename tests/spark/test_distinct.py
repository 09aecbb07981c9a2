"""Counting distinct values: whichever way is taken, the number is the same."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import pytest
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from dqx_dagster.metrics.metric import ROWS, Aggregate, Function, count_set
from dqx_dagster.metrics.plan import plan_metrics
from dqx_dagster.metrics.predicate import ALWAYS, IsSet, Predicate, every
from dqx_dagster.metrics.value import Column, Row
from dqx_dagster.spark import distinct
from dqx_dagster.spark.measure import measure, measure_with_cost

NOW = dt.datetime(2026, 3, 5, 10, tzinfo=dt.timezone.utc)


def distinct_of(*names: str, where: Predicate = ALWAYS) -> Aggregate:
    columns = tuple(Column((name,)) for name in names)
    return Aggregate(Function.DISTINCT, columns[0] if len(columns) == 1 else Row(columns), where)


def count(table: DataFrame, *aggregates: Aggregate) -> list[Any]:
    return list(measure(table, plan_metrics(aggregates), now=NOW).values())


def table_of(spark: SparkSession, kind: str, values: Sequence[Any]) -> DataFrame:
    return spark.createDataFrame([(value,) for value in values], f"x {kind}")


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("bigint", [], 0),
        ("bigint", [None, None], 0),
        ("bigint", [7, None], 1),
        ("bigint", [7, 7, 7], 1),
        ("bigint", [*range(-70, 70), *range(-70, 70), None], 140),  # bits, on both sides of zero
        ("tinyint", [-128, 127, -128, 0], 3),
        ("bigint", [-(2**63), 2**63 - 1, -(2**63)], 2),  # too far apart for bits
        ("string", ["a", "A", "a", "", None, "\u00e4", "a\u0308"], 5),
        ("binary", [b"a", b"b", b"a"], 2),
        ("double", [0.0, -0.0, float("nan"), float("nan"), None], 2),
        ("array<int>", [[1], [1], [1, None], []], 3),
    ],
)
def test_values_are_counted_once(
    spark: SparkSession, kind: str, values: list[Any], expected: int
) -> None:
    assert count(table_of(spark, kind, values), distinct_of("x")) == [expected]


def test_rows_differ_by_where_they_are_null(spark: SparkSession) -> None:
    rows = [(None, "a"), ("a", None), (None, None), ("a", "a"), ("a", "a")]
    table = spark.createDataFrame(rows, "x string, y string")
    both = every(IsSet(Column(("x",))), IsSet(Column(("y",))))

    assert count(table, distinct_of("x", "y")) == [4]
    assert count(table, distinct_of("x", "y", where=both)) == [1]


@pytest.mark.parametrize("kind", ["string", "decimal(20,2)", "timestamp_ntz", "bigint", "double"])
@pytest.mark.parametrize("many", [2, 10**9])
def test_large_tables_are_counted_in_other_ways(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, kind: str, many: int
) -> None:
    monkeypatch.setattr(distinct, "LARGE", 1)
    monkeypatch.setattr(distinct, "MANY", many)
    value = (F.col("id") % 50).cast("int")
    spaced = value.cast("timestamp") if kind == "timestamp_ntz" else value * 1000
    table = spark.range(200).select(spaced.cast(kind).alias("x"), F.col("id").alias("y"))

    assert count(table, distinct_of("x"), distinct_of("x", "y")) == [50, 200]


def test_two_values_with_one_hash_are_two(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    def seven(*_: SparkColumn) -> SparkColumn:
        return F.lit(7).cast("bigint")

    monkeypatch.setattr("dqx_dagster.spark.distinct.F.xxhash64", seven)
    table = table_of(spark, "string", ["a", "b", "b", None])

    assert count(table, distinct_of("x")) == [2]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([(1, "a"), (2, "a"), (3, None)], 3),
        ([(1, "a"), (1, "a"), (2, "b")], 2),  # x is not unique
        ([(1, "a"), (None, "a"), (None, "b")], 3),  # unique, but not set
    ],
)
def test_a_key_around_a_unique_key(
    spark: SparkSession, rows: list[tuple[int | None, str | None]], expected: int
) -> None:
    table = spark.createDataFrame(rows, "x int, y string")

    assert count(table, distinct_of("x", "y"), distinct_of("x"))[0] == expected


def test_a_key_around_a_unique_key_costs_no_query(spark: SparkSession) -> None:
    table = spark.range(0, 5000, 7).select(F.col("id").alias("x"), F.lit("a").alias("y"))
    alone = plan_metrics([ROWS, count_set(Column(("x",))), distinct_of("x")])
    with_more = plan_metrics([*alone.leaves, distinct_of("x", "y")])

    _, cost = measure_with_cost(table, alone, now=NOW)
    found, more_cost = measure_with_cost(table, with_more, now=NOW)

    assert found[distinct_of("x", "y")] == found[ROWS] == 715
    assert cost.jobs == more_cost.jobs
