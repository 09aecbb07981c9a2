"""Metrics: arithmetic over aggregates. An aggregate is one thing that the engine measures.

>>> from dqx_dagster.metrics.value import Column
>>> nulls = Combined(Arithmetic.MINUS, ROWS, count_set(Column(("amount",))))
>>> share = Combined(Arithmetic.SHARE, nulls, ROWS)
>>> measured = {ROWS: 8, count_set(Column(("amount",))): 6}
>>> evaluate(share, measured)
Fraction(1, 4)
>>> set(leaves(share)) == set(measured)
True
"""

from __future__ import annotations

import datetime as dt
import enum
import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from dqx_dagster.metrics.periods import Window, expected_periods
from dqx_dagster.metrics.predicate import ALWAYS, And, IsSet, Predicate, every
from dqx_dagster.metrics.value import Column, Length, Value

Number: TypeAlias = int | float | Decimal | Fraction
Moment: TypeAlias = dt.date | dt.datetime


class Function(enum.Enum):
    """What an aggregate does with the values of the rows where its predicate holds."""

    COUNT = "count"
    DISTINCT = "distinct"
    MIN = "min"
    MAX = "max"
    SUM = "sum"
    VARIANCE = "variance"
    PERCENTILE = "percentile"
    PERIODS = "periods"
    SQL = "sql"  # its value is made of aggregates already, with the predicate inside them


@dataclass(frozen=True, slots=True)
class Quantile:
    """Which percentile, from 0 to 1.

    It is the smallest value that at least this share of the values do not exceed. `exact` lies
    between two neighbouring values where the share falls between them.
    """

    at: float
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One number (or list of periods) over the rows where a predicate holds.

    NULLs are left out of everything but `COUNT`, which counts rows.
    """

    function: Function
    of: Value | None = None
    where: Predicate = ALWAYS
    argument: Quantile | Window | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """A column that a contract declares, and the type that it must have."""

    name: str
    expected: Hashable  # the algebra only compares it; what it means is said in checks/schema.py
    label: str = ""  # what the contract calls it, where that is another name


@dataclass(frozen=True, slots=True)
class Mismatches:
    """How many declared columns the table lacks or holds with another type."""

    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Orphans:
    """How many rows have a key that is not among the keys of a table.

    A key is complete: where one of its columns is NULL there is none. Keys are equal as in SQL,
    without rounding one of them to the type of the other; NaN equals NaN, and -0.0 equals 0.0.
    """

    columns: tuple[Column, ...]
    table: str | None  # the dataset that has the keys; None is the rows themselves
    keys: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class SqlQuery:
    """What a query in Spark SQL gives that was found harmless: one value.

    In its text the table itself is `dqx_t0`, the other datasets are `dqx_t1`, `dqx_t2`, ….
    """

    text: str
    others: tuple[str, ...] = ()
    why: str = field(default="", compare=False)  # why it does not join the shared pass


@dataclass(frozen=True, slots=True)
class Constant:
    """A number that needs no measuring."""

    value: int | float


class Arithmetic(enum.Enum):
    """How two metrics become one."""

    MINUS = "-"
    DIVIDE = "/"  # undefined where the divisor is 0
    SHARE = "share"  # 0 to 1; nothing of nothing is 0
    PERCENT = "percent"  # the same from 0 to 100
    POWER = "^"


@dataclass(frozen=True, slots=True)
class Combined:
    """Arithmetic over two metrics."""

    operator: Arithmetic
    left: Metric
    right: Metric


@dataclass(frozen=True, slots=True)
class Age:
    """Hours from the measured moment to the clock; a moment in the future has age 0."""

    of: Aggregate


@dataclass(frozen=True, slots=True)
class Gaps:
    """How many of the expected periods have no row."""

    of: Aggregate


Leaf: TypeAlias = Aggregate | Mismatches | Orphans | SqlQuery
Metric: TypeAlias = Leaf | Constant | Combined | Age | Gaps


@dataclass(frozen=True, slots=True)
class Unmeasurable:
    """Why something could not be measured. Never contains data."""

    reason: str


Measurement: TypeAlias = Number | str | Moment | bool | tuple[object, ...] | Unmeasurable | None
Measurements: TypeAlias = Mapping[Leaf, Measurement]

ROWS = Aggregate(Function.COUNT)


def count_set(*columns: Column) -> Aggregate:
    """The rows in which all the columns are set."""
    return Aggregate(Function.COUNT, where=every(*(IsSet(column) for column in columns)))


def count_values(of: Value, where: Predicate = ALWAYS) -> Aggregate:
    """The rows where the predicate holds and there is a value."""
    here = IsSet(of)
    return Aggregate(Function.COUNT, where=here if where == ALWAYS else And((where, here)))


def leaves(metric: Metric) -> Iterator[Leaf]:
    """What has to be measured for a metric, in order of appearance."""
    match metric:
        case Aggregate() | Mismatches() | Orphans() | SqlQuery():
            yield metric
        case Combined(_, left, right):
            yield from leaves(left)
            yield from leaves(right)
        case Age(of) | Gaps(of):
            yield of
        case Constant():
            pass


def evaluate(
    metric: Metric, measurements: Measurements, now: dt.datetime | None = None
) -> Measurement:
    """The metric's value. Integers and fractions stay exact; `None` means undefined.

    `now` is the clock; only ages and gaps need one.
    """
    match metric:
        case Aggregate() | Mismatches() | Orphans() | SqlQuery():
            return measurements.get(metric, Unmeasurable("it was not measured"))
        case Constant(value):
            return value
        case Combined(operator, left, right):
            a = evaluate(left, measurements, now)
            b = evaluate(right, measurements, now)
            return _combine(operator, a, b)
        case Age(of):
            return _age(evaluate(of, measurements, now), now)
        case Gaps(of):
            present = evaluate(of, measurements, now)
            if not isinstance(present, tuple) or not isinstance(of.argument, Window):
                return present
            expected, found = expected_periods(of.argument, _clock(now)), frozenset(present)
            return tuple(period for period in expected if period not in found)


def _combine(operator: Arithmetic, a: Measurement, b: Measurement) -> Measurement:
    for side in (a, b):
        if isinstance(side, Unmeasurable):
            return side
    if not _is_number(a) or not _is_number(b):
        return None if a is None or b is None else Unmeasurable("the column is not numeric")
    assert isinstance(a, int | float | Decimal | Fraction)
    assert isinstance(b, int | float | Decimal | Fraction)
    if isinstance(a, float) and not math.isfinite(a):
        return a
    match operator:
        case Arithmetic.MINUS:
            return a - b if isinstance(a, int) and isinstance(b, int) else _exact(a) - _exact(b)
        case Arithmetic.DIVIDE:
            return _exact(a) / _exact(b) if b else None
        case Arithmetic.SHARE:
            return _exact(a) / _exact(b) if b else 0
        case Arithmetic.PERCENT:
            return 100 * _exact(a) / _exact(b) if b else 0
        case Arithmetic.POWER:
            return math.pow(a, b)


def _is_number(value: Measurement) -> bool:
    return isinstance(value, int | float | Decimal | Fraction) and not isinstance(value, bool)


def _exact(value: Number) -> Fraction:
    return Fraction(value)


def _clock(now: dt.datetime | None) -> dt.datetime:
    if now is None or now.tzinfo is None:
        raise ValueError("a metric of time needs the clock: pass now= as a datetime with a zone")
    return now


def _age(moment: Measurement, now: dt.datetime | None) -> Measurement:
    if moment is None or isinstance(moment, Unmeasurable):
        return moment
    instant = as_instant(moment)
    if instant is None:
        return Unmeasurable("the column holds neither dates nor timestamps")
    return max(Fraction(0), Fraction((_clock(now) - instant) // dt.timedelta(microseconds=1), HOUR))


HOUR = 3_600_000_000
"""Microseconds of an hour."""


def as_instant(moment: object) -> dt.datetime | None:
    """A date is its midnight in UTC; a timestamp without zone is in UTC."""
    if isinstance(moment, dt.datetime):
        return moment if moment.tzinfo else moment.replace(tzinfo=dt.timezone.utc)
    if isinstance(moment, dt.date):
        return dt.datetime.combine(moment, dt.time(), tzinfo=dt.timezone.utc)
    return None


def bounds(metric: Metric) -> tuple[int | None, int | None]:
    """Between which numbers a metric always lies, whatever the data; `None` is unbounded."""
    match metric:
        case Aggregate(function=function, of=of):
            counted = function in (Function.COUNT, Function.DISTINCT, Function.VARIANCE)
            return (0, None) if counted or isinstance(of, Length) else (None, None)
        case Combined(operator, left, right):
            if operator in (Arithmetic.SHARE, Arithmetic.PERCENT):
                return (0, 1 if operator is Arithmetic.SHARE else 100)
            if operator is Arithmetic.POWER:
                return bounds(left)
            # Every difference of counts in the vocabulary takes a part from its whole.
            return (0, None) if bounds(left)[0] == 0 == bounds(right)[0] else (None, None)
        case SqlQuery():
            return (None, None)
        case Age() | Gaps() | Mismatches() | Orphans():
            return (0, None)
        case Constant(value):
            return (int(value), int(value)) if value == int(value) else (None, None)
