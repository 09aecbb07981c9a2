"""The algebra as SQL of DuckDB: a translation of its own, for a second opinion.

Integers and decimals are compared in units of their last decimal place, as whole numbers of 128
bits. Moments are microseconds since 1970. A float of 4 bytes is the number that it is written as.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, TypeAlias

from dqx_dagster.metrics import predicate as p
from dqx_dagster.metrics.metric import Aggregate, Function, Quantile
from dqx_dagster.metrics.periods import Window
from dqx_dagster.metrics.value import Column, Length, Literal, Lowercase, Row, Value
from oracle.algebra import UTC
from oracle.random_tables import TYPES
from oracle.values import comparable, constant

Read: TypeAlias = Callable[[Any], Any]

_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = dt.timedelta(microseconds=1)
_HALF: Final = 10**19
_HUGE: Final = 2**127 - 1
_INTEGERS: Final = ("tinyint", "smallint", "int", "bigint")
_FLOATS: Final = ("float", "double")
_MOMENTS: Final = ("date", "timestamp", "timestamp_ntz")
_UNITS: Final = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month"}


@dataclass(frozen=True, slots=True)
class Translated:
    """An aggregate as DuckDB computes it, and what its result means."""

    sql: str
    read: Read


def translate(aggregate: Aggregate, now: dt.datetime) -> Translated:
    """The aggregate as an expression of SQL."""
    where = f"FILTER (WHERE {holds(aggregate.where)})"
    of = aggregate.of
    if aggregate.function is Function.COUNT or of is None:
        return Translated(f"count(*) {where}", int)
    value, kind = sql(of), kind_of(of)
    match aggregate.function:
        case Function.DISTINCT:
            return Translated(f"count(DISTINCT {value}) {where}", int)
        case Function.MIN | Function.MAX as function:
            if kind in _MOMENTS:
                return Translated(f"{function.value}({_micros(of)}) {where}", _moment(kind))
            written = _written(of) if kind in _FLOATS else value
            return Translated(f"{function.value}({written}) {where}", _same)
        case Function.SUM:
            if kind in _FLOATS:
                return Translated(f"sum({_written(of)}) {where}", _same)
            halves = (f"{_units(of)} // {_HALF}", f"{_units(of)} % {_HALF}")
            both = ", ".join(f"sum({half}) {where}" for half in halves)
            return Translated(f"[{both}]", _sum(kind))
        case Function.VARIANCE:
            return Translated(f"var_samp(CAST({value} AS DOUBLE)) {where}", _same)
        case Function.PERCENTILE:
            assert isinstance(aggregate.argument, Quantile)
            at = aggregate.argument.at
            if aggregate.argument.exact:
                return Translated(f"quantile_cont(CAST({value} AS DOUBLE), {at}) {where}", _same)
            return Translated(f"quantile_disc({value}, {at}) {where}", _same)
        case Function.PERIODS:
            window = aggregate.argument
            assert isinstance(window, Window)
            moment = f"make_timestamp({_micros(of)})"
            start = f"epoch_us(date_trunc('{_UNITS[window.granularity.value]}', {moment}))"
            return Translated(f"list(DISTINCT {start}) {where}", _inside(window, now))
    raise AssertionError(aggregate)


# Values


def sql(value: Value) -> str:
    """A value of one row."""
    match value:
        case Column((name,)):
            return f'"{name}"'
        case Column((name, inner)):
            return f"struct_extract(\"{name}\", '{inner}')"
        case Length(of):
            return _length(sql(of), kind_of(of))
        case Lowercase(of):
            return f"lower({sql(of)})" if kind_of(of) == "string" else sql(of)
        case Row(columns):
            fields = (f"'k{place}': {sql(column)}" for place, column in enumerate(columns))
            return f"{{{', '.join(fields)}}}"
    raise AssertionError(value)


def kind_of(value: Value) -> str:
    """The type of a value, in the words of Spark."""
    match value:
        case Column((name,)):
            return TYPES[name][0]
        case Column((_, inner)):
            return {"a": "int", "b": "string"}[inner.lower()]
        case Lowercase(of):
            return kind_of(of)
        case Length():
            return "int"
        case _:
            return "row"


def _length(inner: str, kind: str) -> str:
    match kind.partition("<")[0]:
        case "string":
            return f"length({inner})"
        case "array":
            return f"len({inner})"
        case "map":
            return f"CASE WHEN {inner} IS NOT NULL THEN cardinality({inner}) END"
    fields = (f"(struct_extract({inner}, '{name}') IS NOT NULL)::INT" for name in ("a", "b"))
    return f"CASE WHEN {inner} IS NOT NULL THEN {' + '.join(fields)} END"


def _scale(kind: str) -> int:
    return int(kind.rstrip(")").rpartition(",")[2]) if kind.startswith("decimal") else 0


def _units(of: Value) -> str:
    """A number in units of its last place: 1.50 is 150."""
    if kind_of(of).startswith("decimal"):
        return _digits(sql(of))
    return f"CAST({sql(of)} AS HUGEINT)"


def _digits(decimal: str) -> str:
    return f"CAST(replace(CAST({decimal} AS VARCHAR), '.', '') AS HUGEINT)"


def _written(of: Value) -> str:
    return f"CAST(CAST({sql(of)} AS VARCHAR) AS DOUBLE)"


def _micros(of: Value) -> str:
    moment = f"CAST({sql(of)} AS TIMESTAMP)" if kind_of(of) == "date" else sql(of)
    return f"epoch_us({moment})"


# Predicates: each is true or false, never NULL


def holds(predicate: p.Predicate) -> str:
    """Where a predicate holds."""
    match predicate:
        case p.Always():
            return "TRUE"
        case p.Not(of):
            return f"(NOT {holds(of)})"
        case p.And(parts):
            return f"({' AND '.join(map(holds, parts))})"
        case p.Or(parts):
            return f"({' OR '.join(map(holds, parts))})"
        case p.IsSet(of):
            return "TRUE" if isinstance(of, Row) else f"({sql(of)} IS NOT NULL)"
    return f"coalesce({_atom(predicate)}, FALSE)"


def _atom(predicate: p.Predicate) -> str:
    match predicate:
        case p.OneOf(of, literals):
            return " OR ".join(_equals(of, item) for item in literals) or "FALSE"
        case p.Matches(of, pattern):
            return f"regexp_matches({sql(of)}, {_text(pattern)})"
        case p.Compares(of, comparison, limit):
            left, low, high = _around(of, limit)
            # `low` is the largest possible value up to the limit, `high` the smallest from it on.
            closed = comparison in (p.Comparison.LESS_OR_EQUAL, p.Comparison.GREATER)
            return f"{left} {comparison.value} {low if closed else high}"
        case p.IsMultipleOf(of, factor):
            return _multiple(of, Fraction(repr(factor.value)))
        case p.HasRepeats(of):
            items = sql(of)
            different = f"len(list_distinct({items})) + (list_count({items}) < len({items}))::INT"
            return f"{different} < len({items})"
        case p.HasField(of, name) if kind_of(of).startswith("map"):
            return f"map_contains({sql(of)}, {_text(name)})"
        case p.HasField(of, name):
            return f"struct_extract({sql(of)}, {_text(name)}) IS NOT NULL"
    raise AssertionError(predicate)


def _equals(of: Value, literal: Literal) -> str:
    if isinstance(literal.value, bool):
        return f"{sql(of)} = {literal.value}"
    if kind_of(of) == "string":
        return f"{sql(of)} = {_text(str(literal.value))}"
    left, low, high = _around(of, literal)
    return f"{left} = {low}" if low == high else f"({left} IS NOT NULL AND FALSE)"


def _around(of: Value, literal: Literal) -> tuple[str, str, str]:
    """The value, and the two neighbours in its type between which the literal lies."""
    kind = kind_of(of)
    if kind in _MOMENTS:
        moment = str((comparable(constant(literal)) - _EPOCH) // _MICROSECOND)
        return _micros(of), moment, moment
    exact = Fraction(repr(literal.value))
    if kind in _FLOATS:
        low, high = (f"CAST('{double!r}' AS DOUBLE)" for double in _doubles(exact))
        return _written(of), low, high
    units = exact * 10 ** _scale(kind)
    ends = (max(-_HUGE, min(_HUGE, end)) for end in (math.floor(units), math.ceil(units)))
    low, high = (f"CAST('{end}' AS HUGEINT)" for end in ends)
    return _units(of), low, high


def _doubles(exact: Fraction) -> tuple[float, float]:
    try:
        near = float(exact)
    except OverflowError:
        near = math.inf if exact > 0 else -math.inf
    written = Fraction(repr(near)) if math.isfinite(near) else near
    low = math.nextafter(near, -math.inf) if written > exact else near
    return low, math.nextafter(near, math.inf) if written < exact else near


def _multiple(of: Value, factor: Fraction) -> str:
    """units / (n / d) is whole where n divides the units, because n and d share no factor."""
    kind = kind_of(of)
    if kind not in _FLOATS:
        return f"{_units(of)} % {(factor * 10 ** _scale(kind)).numerator} = 0"
    decimal = f"TRY_CAST(CAST({sql(of)} AS VARCHAR) AS DECIMAL(38,18))"
    same = f"CAST({decimal} AS DOUBLE) = {_written(of)}"
    return f"{same} AND {_digits(decimal)} % {(factor * 10**18).numerator} = 0"


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# Results


def _same(found: Any) -> Any:
    return found


def _sum(kind: str) -> Read:
    def read(halves: list[int | None]) -> int | Decimal | None:
        high, low = halves
        if high is None or low is None:
            return None
        units = int(high) * _HALF + int(low)
        digits = tuple(map(int, str(abs(units))))
        decimal = Decimal((int(units < 0), digits, -_scale(kind)))
        return decimal if kind.startswith("decimal") else units

    return read


def _moment(kind: str) -> Read:
    def read(micros: int) -> dt.date:
        moment = _EPOCH + micros * _MICROSECOND
        match kind:
            case "date":
                return moment.date()
            case "timestamp_ntz":
                return moment.replace(tzinfo=None)
        return moment

    return read


def _inside(window: Window, now: dt.datetime) -> Read:
    def read(starts: list[int | None]) -> tuple[dt.datetime, ...]:
        earliest = now - dt.timedelta(days=window.lookback_days)
        moments = [_EPOCH + start * _MICROSECOND for start in starts if start is not None]
        return tuple(sorted(moment for moment in moments if earliest <= moment < now))

    return read
