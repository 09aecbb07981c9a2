"""The bounds of a metric hold for every table, and the oracle agrees with Python's statistics."""

from __future__ import annotations

import datetime as dt
import statistics
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.algebra import measure

from dqx_dagster.checks import measures as m
from dqx_dagster.checks.implied import primary_key
from dqx_dagster.checks.schema import ActualType
from dqx_dagster.metrics.metric import (
    ROWS,
    Aggregate,
    Arithmetic,
    Combined,
    Function,
    Metric,
    Number,
    Quantile,
    bounds,
    evaluate,
)
from dqx_dagster.metrics.plan import plan_metrics
from dqx_dagster.metrics.value import Column

NOW = dt.datetime(2026, 3, 5, 10, tzinfo=dt.timezone.utc)
N, S, T = Column(("n",)), Column(("s",)), Column(("t",))
TYPES = {
    "n": ActualType("bigint"),
    "s": ActualType("string"),
    "t": ActualType("array", items=ActualType("int")),
}
ROW = st.fixed_dictionaries(
    {
        "n": st.none() | st.integers(-3, 3),
        "s": st.none() | st.text("ab", max_size=2),
        "t": st.none() | st.lists(st.integers(0, 2), max_size=3),
    }
)
TABLES = st.lists(ROW, max_size=8)
NUMBERS = st.lists(st.integers(-(10**9), 10**9) | st.floats(-1e6, 1e6), min_size=2, max_size=9)


def of(column: Column, build: m.Build, **parameters: Any) -> Metric:
    return build(m.Given(column, parameters)).metric


COUNTS = {
    "rows": ROWS,
    "nulls": of(S, m.nulls),
    "duplicates": of(S, m.duplicates),
    "duplicate rows": of(S, m.duplicates, columns=(N, S)),
    "repeated values": of(S, m.duplicate_values),
    "repeated keys": of(S, m.duplicate_values, properties=(N, S)),
    "key of one": primary_key((S,)).metric,
    "key of two": primary_key((N, S)).metric,
    "unlisted": of(N, m.count),
}
METRICS = COUNTS | {
    "distinct": Aggregate(Function.DISTINCT, N),
    "minimum": Aggregate(Function.MIN, N),
    "sum": Aggregate(Function.SUM, N),
    "mean": of(N, m.mean),
    "variance": Aggregate(Function.VARIANCE, N),
    "stddev": of(N, m.stddev),
    "percentile": of(N, m.percentile, percentile=0.5, exact=True),
    "shortest": of(S, m.length(Function.MIN, "")),
    "longest": of(T, m.length(Function.MAX, "")),
    "average length": of(T, m.average_length),
}
METRICS |= {f"share of {name}": Combined(Arithmetic.SHARE, c, ROWS) for name, c in COUNTS.items()}
METRICS |= {f"% of {name}": Combined(Arithmetic.PERCENT, c, ROWS) for name, c in COUNTS.items()}


@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=40)
@given(rows=TABLES)
def test_a_metric_lies_within_its_bounds_on_every_table(
    name: str, rows: list[dict[str, Any]]
) -> None:
    metric = METRICS[name]
    found = evaluate(metric, measure(rows, plan_metrics([metric]), TYPES, NOW), NOW)
    low, high = bounds(metric)
    if found is None:
        return
    assert isinstance(found, int | float | Fraction)
    assert low is None or found >= low
    assert high is None or found <= high


def measured(metric: Metric, numbers: list[float]) -> Number:
    rows = [{"n": number} for number in numbers]
    types = {"n": ActualType("double")}
    found = evaluate(metric, measure(rows, plan_metrics([metric]), types, NOW), NOW)
    assert isinstance(found, int | float | Fraction)
    return found


def quantile(at: float, *, exact: bool) -> Aggregate:
    return Aggregate(Function.PERCENTILE, N, argument=Quantile(at, exact))


STATISTICS: dict[str, tuple[Metric, Callable[[list[Fraction]], Any]]] = {
    "variance": (Aggregate(Function.VARIANCE, N), statistics.variance),
    "exact median": (quantile(0.5, exact=True), statistics.median),
    "approximate median": (quantile(0.5, exact=False), statistics.median_low),
    "least": (quantile(0, exact=False), min),
    "largest": (quantile(1, exact=True), max),
    "quartile": (
        quantile(0.25, exact=True),
        lambda numbers: statistics.quantiles(numbers, n=4, method="inclusive")[0],
    ),
}


@pytest.mark.parametrize("name", STATISTICS)
@given(numbers=NUMBERS)
def test_the_oracle_agrees_with_the_standard_library(name: str, numbers: list[float]) -> None:
    metric, definition = STATISTICS[name]
    exact = [Fraction(str(number)) for number in numbers]
    found = measured(metric, numbers)
    assert (Fraction(str(found)) if isinstance(found, float) else found) == definition(exact)
