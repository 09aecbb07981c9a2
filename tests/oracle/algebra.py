"""What the algebra means, over a list of dicts: the definition that every engine must equal.

Written for clearness alone, like `values` and `predicates` below it. What the docstrings of the
algebra leave open is settled as Spark does it:

* `MAX`, `SUM` and `VARIANCE` over a NaN are NaN, `MIN` is NaN only where there is nothing else.
* The percentile that is not interpolated is the smallest value v with at least p·n values up to v.
* `PERIODS` gives the starts inside `[now - lookback, now)`, sorted.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from dqx_dagster.checks.schema import ActualType, mismatches
from dqx_dagster.metrics.metric import (
    Aggregate,
    Function,
    Leaf,
    Measurement,
    Measurements,
    Orphans,
    Quantile,
    Unmeasurable,
)
from dqx_dagster.metrics.periods import Granularity, Window
from dqx_dagster.metrics.plan import Plan
from dqx_dagster.metrics.value import Column, SqlText
from oracle import sql
from oracle.predicates import holds
from oracle.values import MissingColumnError, comparable, field, key_of, number, order, value_of

Rows: TypeAlias = Sequence[Mapping[str, Any]]
Types: TypeAlias = Mapping[str, ActualType]
UTC = dt.timezone.utc


def measure(
    rows: Rows,
    plan: Plan,
    types: Types,
    now: dt.datetime,
    others: Mapping[str, tuple[Rows, Types]] | None = None,
) -> Measurements:
    """Everything in the plan, measured one by one; `others` are the tables of other contracts."""
    found: dict[Leaf, Measurement] = {leaf: mismatches(leaf, types) for leaf in plan.schemas}
    found |= {leaf: aggregate(leaf, rows, types, now) for leaf in plan.aggregates}
    for leaf in plan.orphans:
        keys = (others or {}).get(leaf.table, ((), {})) if leaf.table else (rows, types)
        found[leaf] = orphans(leaf, (rows, types), keys)
    return found | {leaf: sql.query(leaf, rows, types, now) for leaf in plan.queries}


def orphans(leaf: Orphans, table: tuple[Rows, Types], other: tuple[Rows, Types]) -> Measurement:
    """The rows of the table whose key the other one lacks."""
    try:
        ours, there = list(keys(leaf.columns, *table)), set(keys(leaf.keys, *other))
    except MissingColumnError as missing:
        return Unmeasurable(f"the table has no column '{missing.args[0]}'")
    return sum(key not in there for key in ours)


def keys(columns: Sequence[Column], rows: Rows, types: Types) -> Iterator[Any]:
    """The keys that are complete."""
    for column in columns:
        field(dict.fromkeys(types), column.path)  # also an empty table lacks a column
    for row in rows:
        key = [value_of(column, row) for column in columns]
        if None not in key:
            yield key_of(key)


def aggregate(leaf: Aggregate, rows: Rows, types: Types, now: dt.datetime) -> Measurement:
    """One aggregate, or why there is none."""
    if isinstance(leaf.of, SqlText):
        return sql.value(leaf.of, rows, types, now)
    without_sql = sql.applied(leaf, rows, types, now)
    if isinstance(without_sql, Unmeasurable):
        return without_sql
    leaf, rows = without_sql
    try:
        for some in ([dict.fromkeys(types)], rows):  # also an empty table lacks a column
            result: Measurement = over(some, leaf, now)
    except MissingColumnError as missing:
        return Unmeasurable(f"the table has no column '{missing.args[0]}'")
    return result


def over(rows: Rows, leaf: Aggregate, now: dt.datetime) -> Any:
    """The aggregate over the rows where its predicate holds."""
    counted = [row for row in rows if holds(leaf.where, row)]
    if leaf.of is None:
        return len(counted)
    values = [value for row in counted if (value := value_of(leaf.of, row)) is not None]
    match leaf.function:
        case Function.COUNT:
            return len(counted)
        case Function.DISTINCT:
            return len({key_of(value) for value in values})
        case Function.MIN:
            return min(values, key=order, default=None)
        case Function.MAX:
            return max(values, key=order, default=None)
        case Function.SUM:
            return sum(values[1:], start=values[0]) if values else None
        case Function.VARIANCE:
            return variance(values)
        case Function.PERCENTILE:
            assert isinstance(leaf.argument, Quantile)
            return percentile(sorted(values, key=order), leaf.argument)
        case Function.PERIODS:
            assert isinstance(leaf.argument, Window)
            return periods(values, leaf.argument, now)


def variance(values: list[Any]) -> Fraction | float | None:
    """Of a sample; undefined below two values."""
    if len(values) < 2:
        return None
    exact = [number(value) for value in values]
    if not all(isinstance(value, Fraction) for value in exact):
        return math.nan
    mean = Fraction(sum(exact), len(exact))
    return Fraction(sum((value - mean) ** 2 for value in exact), len(exact) - 1)


def percentile(ordered: list[Any], quantile: Quantile) -> Any:
    if not ordered:
        return None
    at = Fraction(str(quantile.at))
    if not quantile.exact:
        return ordered[max(0, math.ceil(at * len(ordered)) - 1)]
    place = at * (len(ordered) - 1)
    below, above = ordered[math.floor(place)], ordered[math.ceil(place)]
    low, high = number(below), number(above)
    return low if low == high else low + (high - low) * (place - math.floor(place))


def periods(moments: list[Any], window: Window, now: dt.datetime) -> tuple[dt.datetime, ...]:
    """The starts of the periods that have a row."""
    starts = set()
    for moment in map(comparable, moments):
        utc = moment.astimezone(UTC)
        day = dt.datetime(utc.year, utc.month, utc.day, tzinfo=UTC)
        match window.granularity:
            case Granularity.HOURLY:
                starts.add(day + dt.timedelta(hours=utc.hour))
            case Granularity.DAILY:
                starts.add(day)
            case Granularity.WEEKLY:
                starts.add(day - dt.timedelta(days=utc.weekday()))
            case Granularity.MONTHLY:
                starts.add(day - dt.timedelta(days=utc.day - 1))
    earliest = now - dt.timedelta(days=window.lookback_days)
    return tuple(sorted(start for start in starts if earliest <= start < now))
