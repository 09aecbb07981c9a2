"""Percentiles: exact, however many values there are and wherever they lie."""

from __future__ import annotations

import datetime as dt
import math
import random
from typing import Any

import pytest
from oracle.algebra import over
from pyspark.sql import SparkSession

from dqx_dagster.metrics.metric import Aggregate, Function, Quantile, Unmeasurable
from dqx_dagster.metrics.plan import plan_metrics
from dqx_dagster.metrics.value import Column
from dqx_dagster.spark import quantiles
from dqx_dagster.spark.binding import Binding
from dqx_dagster.spark.compile import Compiler
from dqx_dagster.spark.cost import Meter
from dqx_dagster.spark.measure import measure
from dqx_dagster.spark.query import Found, Runner, Subject

NOW = dt.datetime(2026, 3, 5, 10, tzinfo=dt.timezone.utc)
CHANCE = random.Random(7)
PLACES = (0, 0.001, 0.25, 0.5, 0.95, 0.999, 1)


def shapes() -> dict[str, tuple[str, list[Any]]]:
    return {
        "even": ("double", [CHANCE.uniform(0, 1000) for _ in range(400)]),
        "ties": ("int", [CHANCE.choice([0, 0, 0, 0, 1, 9]) for _ in range(400)]),
        "far apart": ("double", [10.0 ** CHANCE.randint(-30, 30) for _ in range(200)]),
        "an outlier": ("double", [1e300, *(CHANCE.random() for _ in range(400))]),
        "infinite": ("double", [math.inf, -math.inf, *map(float, range(50)), None]),
        "not numbers": ("double", [math.nan, math.nan, *map(float, range(50)), None]),
        "only NaN": ("double", [math.nan, math.nan]),
        "tiny": ("double", [5e-324, 1e-323, 0.0, 1.5e-323, 2e-323] * 9),
        "beyond doubles": ("bigint", [2**63 - 1 - n % 5 for n in range(90)]),
        "whole longs": ("bigint", [CHANCE.randint(-(2**63), 2**63 - 1) for _ in range(200)]),
        "floats": ("float", [0.1, 0.2, 0.3, 16777216.0, -0.5] * 9),
        "nothing": ("double", [None, None]),
    }


@pytest.mark.parametrize("name", shapes())
def test_percentiles_are_exact(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(quantiles, "COLLECTED", 20)
    monkeypatch.setattr(quantiles, "BUCKETS", 64)
    kind, values = shapes()[name]
    table = spark.createDataFrame([(value,) for value in values], f"x {kind}")
    wanted = [
        Aggregate(Function.PERCENTILE, Column(("x",)), argument=Quantile(place, exact))
        for place in PLACES
        for exact in (False, True)
    ]

    found = measure(table, plan_metrics(wanted), now=NOW)

    for aggregate in wanted:
        expected = over([{"x": value} for value in values], aggregate, NOW)
        assert repr(as_float(found[aggregate])) == repr(as_float(expected)), aggregate.argument


def test_a_table_that_loses_its_rows_meanwhile_is_not_measured(spark: SparkSession) -> None:
    table = spark.createDataFrame([], "x int")
    compiler = Compiler(Binding(table.schema))
    subject = Subject(table, compiler, Runner(spark, Meter(spark)))
    wanted = Aggregate(Function.PERCENTILE, Column(("x",)), argument=Quantile(0.5))
    before: Found = dict(zip(quantiles.helpful(wanted, compiler), (50, 0, 9), strict=True))

    found = quantiles.measure([wanted], subject, before)

    assert found == {wanted: Unmeasurable("the table lost rows while it was measured; run again")}


def as_float(value: Any) -> float | None:
    """Infinite neighbours have nothing between them: the oracle does not say what."""
    return None if value is None else float(value)
