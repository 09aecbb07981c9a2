"""What the algebra means, over a list of dicts: the definition that every engine must equal.

Written for clearness alone. A struct is a `Struct`, a map is a plain dict. What the docstrings of
the algebra leave open is settled as Spark does it:

* NaN is larger than every number and equals itself; -0.0 equals 0.0. `MAX`, `SUM` and `VARIANCE`
  over a NaN are NaN, `MIN` is NaN only where there is nothing else.
* A number is the decimal that it is written as: the double 0.1 equals the decimal 0.1.
* Two NULL items of a list are a repetition.
* Names of columns and fields are found whatever their case, keys of a map are not.
* The percentile that is not interpolated is the smallest value v with at least p·n values up to v.
* `PERIODS` gives the starts inside `[now - lookback, now)`, sorted.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

from dqx_dagster.checks.schema import ActualType, mismatches
from dqx_dagster.metrics import predicate as p
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
from dqx_dagster.metrics.value import (
    Column,
    Length,
    Literal,
    LiteralType,
    Lowercase,
    Row,
    SqlText,
    Value,
)
from oracle import sql

Rows: TypeAlias = Sequence[Mapping[str, Any]]
Types: TypeAlias = Mapping[str, ActualType]
UTC = dt.timezone.utc


class Struct(dict[str, Any]):
    """A value with named fields; a plain dict is a map."""


class MissingColumnError(KeyError):
    """The table lacks a column, so nothing can be said about it."""


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


# Values


def value_of(value: Value, row: Mapping[str, Any]) -> Any:
    match value:
        case SqlText():
            raise NotImplementedError("SQL is evaluated by DuckDB, not row by row")
        case Column(path):
            return field(row, path)
        case Length(of):
            inner = field(row, of.path)
            if isinstance(inner, Struct):
                return sum(item is not None for item in inner.values())
            return None if inner is None else len(inner)
        case Lowercase(of):
            inner = field(row, of.path)
            return inner.lower() if isinstance(inner, str) else inner
        case Row(columns):
            return tuple(field(row, column.path) for column in columns)


def field(row: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    """A column, or what lies inside it; NULL has only NULLs inside."""
    inner: Any = row
    for part in path:
        if inner is None:
            return None
        found = [name for name in inner if name.lower() == part.lower()]
        if not found:
            raise MissingColumnError(".".join(path))
        inner = inner[part if part in found else found[0]]
    return inner


def number(value: Any) -> Any:
    """A number without rounding, as it is written; NaN and infinities stay."""
    finite = not isinstance(value, float) or math.isfinite(value)
    return Fraction(str(value)) if finite else value


def is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def order(value: Any) -> tuple[bool, Any]:
    """What values are ordered by: NaN is the largest."""
    return (True, 0) if is_nan(value) else (False, comparable(value))


def comparable(value: Any) -> Any:
    """A moment without zone is in UTC, a date is its midnight, numbers are exact."""
    match value:
        case bool() | str() | dt.time():
            return value
        case dt.datetime():
            return value if value.tzinfo else value.replace(tzinfo=UTC)
        case dt.date():
            return dt.datetime.combine(value, dt.time(), tzinfo=UTC)
        case int() | float() | Decimal():
            return number(value)
        case _:
            return value


def key_of(value: Any) -> Any:
    """What makes two values the same one."""
    match value:
        case list() | tuple():
            return tuple(key_of(item) for item in value)
        case dict():
            return frozenset((name, key_of(item)) for name, item in value.items())
        case _:
            return "NaN" if is_nan(value) else comparable(value)


def constant(literal: Literal) -> Any:
    """A literal as a value of Python."""
    match literal.type:
        case LiteralType.DATE:
            return dt.date.fromisoformat(str(literal.value))
        case LiteralType.TIMESTAMP:
            return dt.datetime.fromisoformat(str(literal.value))
        case LiteralType.TIME:
            return dt.time.fromisoformat(str(literal.value))
        case _:
            return literal.value


# Predicates


def holds(predicate: p.Predicate, row: Mapping[str, Any]) -> bool:
    match predicate:
        case p.Always():
            return True
        case SqlText():
            raise NotImplementedError("SQL is evaluated by DuckDB, not row by row")
        case p.IsSet(of):
            return value_of(of, row) is not None
        case p.OneOf(of, literals):
            found = value_of(of, row)
            return found is not None and any(equal(found, constant(item)) for item in literals)
        case p.Matches(of, pattern):
            found = value_of(of, row)
            return isinstance(found, str) and java_search(pattern, found)
        case p.Compares(of, comparison, literal):
            found = value_of(of, row)
            return found is not None and compares(found, comparison, constant(literal))
        case p.IsMultipleOf(of, factor):
            found = value_of(of, row)
            if found is None or (isinstance(found, float) and not math.isfinite(found)):
                return False
            return bool(number(found) % number(constant(factor)) == 0)
        case p.HasRepeats(of):
            found = value_of(of, row)
            return found is not None and len({key_of(item) for item in found}) < len(found)
        case p.HasField(of, name):
            found = value_of(of, row)
            if isinstance(found, Struct):
                return field(found, (name,)) is not None
            return found is not None and name in found
        case p.Not(of):
            return not holds(of, row)
        case p.And(of):
            return all(holds(item, row) for item in of)
        case p.Or(of):
            return any(holds(item, row) for item in of)


def equal(value: Any, other: Any) -> bool:
    """A boolean is no number, and a text is neither."""
    for kind in (bool, str):
        if isinstance(value, kind) is not isinstance(other, kind):
            return False
    return bool(comparable(value) == comparable(other))


def compares(value: Any, comparison: p.Comparison, other: Any) -> bool:
    left, right = order(value), order(other)
    match comparison:
        case p.Comparison.LESS:
            return left < right
        case p.Comparison.LESS_OR_EQUAL:
            return left <= right
        case p.Comparison.GREATER:
            return left > right
        case p.Comparison.GREATER_OR_EQUAL:
            return left >= right


def java_search(pattern: str, text: str) -> bool:
    r"""Python's `re` in the place of Java's engine: good enough for the patterns of the cases.

    Java's classes are ASCII unless the flag U is set, and its `\z` is Python's `\Z`.
    """
    flags = found[1] if (found := re.match(r"\(\?([a-zA-Z]+)\)", pattern)) else ""
    rest = pattern[found.end() :] if found else pattern
    mode = re.UNICODE if "U" in flags else re.ASCII
    for letter in set(flags) - {"U", "u"}:
        mode |= {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}[letter]
    return re.search(rest.replace(r"\z", r"\Z"), text, mode) is not None


# Aggregates


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
