"""Percentiles, exact, without sorting the table.

A sketch is not exact, and sorting all values costs memory. Here the values are counted in buckets
between the smallest and the largest, which the shared pass has found. The bucket that holds the
wanted rank is opened: looked into again if it is large, collected value by value if it is small. A
bucket is a range of values, so it is found again by its smallest and its largest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import TypeAlias

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql import types as T  # noqa: N812

from dqx_dagster.metrics.metric import (
    Aggregate,
    Function,
    Measurement,
    Quantile,
    Unmeasurable,
    count_values,
)
from dqx_dagster.metrics.predicate import Predicate
from dqx_dagster.metrics.value import Value
from dqx_dagster.spark.compile import Compiler
from dqx_dagster.spark.literals import INTEGERS
from dqx_dagster.spark.query import Found, Rows, Subject

BUCKETS = 4_096
COLLECTED = 20_000
"""Rows of a bucket up to which its values are collected instead of looking into it again."""

_LARGEST = 1.7976931348623157e308

_CHANGED = Unmeasurable("the table lost rows while it was measured; run again")

Number: TypeAlias = int | float
Numbers: TypeAlias = tuple[Value, Predicate]  # of a column, in the rows that count


@dataclass(frozen=True, slots=True)
class Span:
    """A range of the values: how many there are in it, and how many below it."""

    numbers: Numbers
    below: int
    count: int
    low: Number
    high: Number
    whole: bool = False  # all values: nothing to filter

    @property
    def is_single(self) -> bool:
        """Whether all values are the same."""
        return self.low == self.high or math.isnan(self.low)

    @property
    def width(self) -> float:
        """Half the width, as twice as much may be infinite; 0 where it cannot be divided."""
        return _finite(self.high) / 2 - _finite(self.low) / 2


@dataclass(frozen=True, slots=True)
class Ranks:
    """The places of a percentile among the sorted values, from 1 on; between them if two."""

    lower: int
    upper: int
    part: Fraction

    @staticmethod
    def of(quantile: Quantile, count: int) -> Ranks:
        """Interpolated if exact; otherwise the first value that enough values do not exceed."""
        at = Fraction(str(quantile.at))
        if not quantile.exact:
            rank = max(1, math.ceil(at * count))
            return Ranks(rank, rank, Fraction(0))
        place = at * (count - 1)
        return Ranks(math.floor(place) + 1, math.ceil(place) + 1, place - math.floor(place))


def helpful(aggregate: Aggregate, compiler: Compiler) -> tuple[Aggregate, ...]:
    """What the shared pass measures for a percentile; raises `Refusal` where there is none."""
    compiler.number(aggregate)
    return _extent(aggregate)


def measure(aggregates: Sequence[Aggregate], subject: Subject, found: Found) -> Found:
    """The percentiles; `found` is what the shared pass found."""
    measured: Found = {}
    ranks: dict[Aggregate, Ranks] = {}
    spans: dict[Span, set[int]] = {}
    for aggregate in aggregates:
        start = _start(aggregate, found)
        if isinstance(start, Span):
            assert isinstance(aggregate.argument, Quantile)
            ranks[aggregate] = wanted = Ranks.of(aggregate.argument, start.count)
            spans.setdefault(start, set()).update((wanted.lower, wanted.upper))
        else:
            measured[aggregate] = start
    values = _search(spans, subject)
    for aggregate, wanted in ranks.items():
        numbers = _numbers(aggregate)
        lower, upper = values[numbers, wanted.lower], values[numbers, wanted.upper]
        measured[aggregate] = _between(lower, upper, wanted.part)
    return measured


def _numbers(aggregate: Aggregate) -> Numbers:
    assert aggregate.of is not None
    return aggregate.of, aggregate.where


def _extent(aggregate: Aggregate) -> tuple[Aggregate, Aggregate, Aggregate]:
    """How many values there are, the smallest and the largest."""
    of, where = _numbers(aggregate)
    smallest, largest = Aggregate(Function.MIN, of, where), Aggregate(Function.MAX, of, where)
    return count_values(of, where), smallest, largest


def _start(aggregate: Aggregate, found: Found) -> Span | Unmeasurable | None:
    """All values of a column, or what is to be said about it without looking further."""
    count, low, high = (found[each] for each in _extent(aggregate))
    for each in (count, low, high):
        if isinstance(each, Unmeasurable):
            return each
    if not count:
        return None
    assert isinstance(count, int)
    return Span(_numbers(aggregate), 0, count, _plain(low), _plain(high), whole=True)


def _plain(value: Measurement) -> Number:
    assert isinstance(value, int | float | Decimal)
    return float(value) if isinstance(value, Decimal) else value


# The search


def _search(
    spans: Mapping[Span, set[int]], subject: Subject
) -> dict[tuple[Numbers, int], Number | Unmeasurable]:
    """The values at the wanted ranks. Every round divides what is still open."""
    values: dict[tuple[Numbers, int], Number | Unmeasurable] = {}
    while spans:
        wide = [span for span in spans if not span.is_single]
        looked = subject.runner.collect({span: partial(_look, span, subject) for span in wide})
        narrower: dict[Span, set[int]] = {}
        for span, ranks in spans.items():
            rows = looked.get(span)
            if isinstance(rows, Unmeasurable):
                values |= {(span.numbers, rank): rows for rank in ranks}
                continue
            parts = [span] if rows is None else list(_parts(span, rows))
            for rank in ranks:
                part = next((part for part in parts if rank <= part.below + part.count), None)
                if part is None:
                    values[span.numbers, rank] = _CHANGED
                elif part.is_single:
                    values[span.numbers, rank] = part.low
                else:
                    narrower.setdefault(part, set()).add(rank)
        spans = narrower
    return values


def _parts(span: Span, rows: Rows) -> Iterator[Span]:
    """The parts of a span that have values, in order."""
    below = span.below
    for count, low, high in sorted(rows, key=lambda row: (math.isnan(row[1]), row[1])):
        yield Span(span.numbers, below, count, low, high)
        below += count


# Queries


def _look(span: Span, subject: Subject) -> DataFrame:
    """How many values each part of a span has, its smallest and its largest."""
    of, where = span.numbers
    rows = subject.compiler.rows(subject.table, where)
    rows = rows.select(_number(of, subject.compiler).alias("x")).where(F.col("x").isNotNull())
    x = F.col("x")
    if not span.whole:
        rows = rows.where((x >= F.lit(span.low)) & (x <= F.lit(span.high)))
    is_large = span.count > COLLECTED and span.width > 0
    groups = rows.groupBy((_bucket(x, span) if is_large else x).alias("part"))
    return groups.agg(F.count(F.lit(1)), F.min("x"), F.max("x")).drop("part")


def _number(of: Value, compiler: Compiler) -> SparkColumn:
    """The column as long or double: both collect safely."""
    bound = compiler.value(of)
    if isinstance(bound.type, INTEGERS):
        return bound.column.cast("bigint")
    if isinstance(bound.type, T.FloatType):
        # By its shortest decimal, as everywhere: the float 0.1 is 0.1, not 0.10000000149.
        return bound.column.cast("string").cast("double")
    return bound.column.cast("double")


def _bucket(x: SparkColumn, span: Span) -> SparkColumn:
    """Never falls while x rises, whatever is rounded on the way. NaN is the largest value."""
    low, high = _finite(span.low), _finite(span.high)
    within = F.least(F.greatest(x.cast("double"), F.lit(low)), F.lit(high))
    place = (within / 2 - F.lit(low / 2)) / F.lit(span.width) * BUCKETS
    return F.when(F.isnan(x.cast("double")), BUCKETS + 1).otherwise(place.cast("int"))


def _finite(value: Number) -> float:
    """The value, or the nearest number that can be calculated with."""
    return max(-_LARGEST, min(_LARGEST, _LARGEST if math.isnan(value) else float(value)))


def _between(
    lower: Number | Unmeasurable, upper: Number | Unmeasurable, part: Fraction
) -> Measurement:
    """The value between two neighbours; exact for integers."""
    if isinstance(lower, Unmeasurable) or isinstance(upper, Unmeasurable):
        return lower if isinstance(lower, Unmeasurable) else upper
    if not part or lower == upper:
        return lower
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return lower + (upper - lower) * float(part)
    low, high = Fraction(str(lower)), Fraction(str(upper))
    between = low + (high - low) * part
    return between if isinstance(lower, int) else float(between)
