"""Exact numbers of distinct values, each in the cheapest way that its column allows.

`count_distinct` in a shared aggregate would multiply the rows by the number of such aggregates, so
each count has a query of its own, which reads only its columns. What the shared pass has found out
by then decides how:

* nothing to count, a single value, or a key that contains another, unique key: no query at all;
* integers that lie close together: one bit for each, in words of 64;
* texts and rows of several columns: by a hash of 64 bits, and a second hash tells two values that
  share the first; only where that happens are the values themselves grouped;
* everything else: a plain grouping.

Many different values are cheaper to count when all equal ones are brought together first, few when
each task counts its own before. A sample of hashes decides that; a wrong guess costs only time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql import types as T  # noqa: N812

from dqx_dagster.metrics.metric import (
    ROWS,
    Aggregate,
    Function,
    Unmeasurable,
    count_set,
    count_values,
)
from dqx_dagster.metrics.predicate import And, IsSet, Predicate
from dqx_dagster.metrics.value import Column, Row
from dqx_dagster.spark.binding import Bound, Refusal
from dqx_dagster.spark.compile import Compiler
from dqx_dagster.spark.literals import INTEGERS
from dqx_dagster.spark.query import Found, Query, Rows, Subject
from dqx_dagster.spark.types import is_groupable

LARGE = 1_000_000
"""Rows from which on it is worth to look at a sample first."""
SAMPLE = 20_000
MANY = 300_000
"""Different values from which on equal ones are brought together before they are counted."""
SPARSE = 32
"""Words of bits pay as long as at most one in so many possible integers is there."""

_HASHABLE = (
    T.BinaryType,
    T.BooleanType,
    T.DateType,
    T.DecimalType,
    T.TimestampNTZType,
    T.TimestampType,
)

Keys: TypeAlias = Sequence[Bound]
Spread: TypeAlias = Callable[..., DataFrame]  # of rows, and what to bring together by
Shape: TypeAlias = Callable[[DataFrame, Spread], DataFrame]


def helpful(aggregate: Aggregate, compiler: Compiler) -> Iterator[Aggregate]:
    """What the shared pass should measure too, because it can make the count cheaper."""
    _keys(aggregate, compiler)
    yield ROWS
    yield _values(aggregate)
    if isinstance(aggregate.of, Column) and isinstance(compiler.bind(aggregate.of).type, INTEGERS):
        yield from _extremes(aggregate)


def measure(aggregates: Sequence[Aggregate], subject: Subject, found: Found) -> Found:
    """The number of distinct values of each aggregate; `found` is what the shared pass found."""
    runner = subject.runner
    keys = {aggregate: _keys(aggregate, subject.compiler) for aggregate in aggregates}
    unclear = {
        a: k for a, k in keys.items() if _known(a, found) is None and not _is_dense(a, found)
    }
    crowded = _crowded(unclear, subject, found)

    def query(aggregate: Aggregate, shape: Shape) -> Query:
        def build() -> DataFrame:
            rows = _rows(aggregate, keys[aggregate], subject)
            return shape(rows, _together if aggregate in crowded else _as_they_are)

        return Query((aggregate,), build, lambda rows: _read(aggregate, rows))

    counted: Found = {}
    later = [a for a in aggregates if not keys.keys().isdisjoint(_bases(a))]
    for wave in ([a for a in aggregates if a not in later], later):
        known = {a: _known(a, found | counted) for a in wave}
        counted |= {a: number for a, number in known.items() if number is not None}
        asked = (a for a, number in known.items() if number is None)
        counted |= runner.run([query(a, _shape(a, keys[a], found)) for a in asked])
    collided = (a for a in aggregates if a not in counted)
    return counted | runner.run([query(a, _grouped) for a in collided])


def _keys(aggregate: Aggregate, compiler: Compiler) -> Keys:
    """The columns that are counted; raises `Refusal` where Spark cannot tell their values apart."""
    found = []
    for column in _columns(aggregate):
        bound = compiler.bind(column)
        if not is_groupable(bound.type):
            kind = bound.type.simpleString()
            raise Refusal(f"'{column}' is {kind}: Spark cannot tell its values apart")
        found.append(bound)
    return found


# What is known without a query


def _known(aggregate: Aggregate, found: Found) -> int | None:
    values = found.get(_values(aggregate))
    if not isinstance(values, int):
        return None
    if values <= 1:
        return values
    smallest, largest = (found.get(extreme) for extreme in _extremes(aggregate))
    if isinstance(smallest, int) and smallest == largest:
        return 1
    for base in _bases(aggregate):
        assert isinstance(base.of, Column)
        total = found.get(count_set(base.of))
        is_unique = isinstance(total, int) and found.get(base) == total
        if is_unique and (total == found.get(ROWS) or _is_set(base.of, aggregate.where)):
            return values
    return None


def _values(aggregate: Aggregate) -> Aggregate:
    """How many values there are, equal or not."""
    if isinstance(aggregate.of, Column):
        return count_values(aggregate.of, aggregate.where)
    return Aggregate(Function.COUNT, where=aggregate.where)


def _extremes(aggregate: Aggregate) -> tuple[Aggregate, Aggregate]:
    of, where = aggregate.of, aggregate.where
    return Aggregate(Function.MIN, of, where), Aggregate(Function.MAX, of, where)


def _bases(aggregate: Aggregate) -> Iterator[Aggregate]:
    """Counts that settle this one if they show a unique key."""
    bases = (Aggregate(Function.DISTINCT, column) for column in _columns(aggregate))
    return (base for base in bases if base != aggregate)


def _columns(aggregate: Aggregate) -> tuple[Column, ...]:
    match aggregate.of:
        case Row(columns):
            return columns
        case Column() as column:
            return (column,)
        case _:
            raise Refusal("only columns can be counted as distinct values")


def _is_set(column: Column, where: Predicate) -> bool:
    """Whether the rows that count all have a value in the column."""
    match where:
        case IsSet(of):
            return of == column
        case And(parts):
            return any(_is_set(column, part) for part in parts)
        case _:
            return False


def _is_dense(aggregate: Aggregate, found: Found) -> bool:
    smallest, largest = (found.get(extreme) for extreme in _extremes(aggregate))
    values = found.get(_values(aggregate))
    if not (isinstance(smallest, int) and isinstance(largest, int) and isinstance(values, int)):
        return False
    return largest - smallest < SPARSE * values


# Queries: each gives one row, the count and, of hashes, how many are shared by several values


def _shape(aggregate: Aggregate, keys: Keys, found: Found) -> Shape:
    if _is_dense(aggregate, found):
        return _in_words
    is_wide = len(keys) > 1 or isinstance(keys[0].type, T.StringType | T.BinaryType)
    return _hashed if is_wide and all(map(_is_hashable, keys)) else _grouped


def _rows(aggregate: Aggregate, keys: Keys, subject: Subject) -> DataFrame:
    """The rows that count, and of them only the keys: k0, k1 and so on."""
    rows = subject.compiler.rows(subject.table, aggregate.where)
    if isinstance(aggregate.of, Column):
        rows = rows.where(keys[0].column.isNotNull())
    return rows.select(*(key.column.alias(f"k{index}") for index, key in enumerate(keys)))


def _as_they_are(rows: DataFrame, *_: str) -> DataFrame:
    return rows


def _together(rows: DataFrame, *by: str) -> DataFrame:
    return rows.repartition(*by)


def _grouped(rows: DataFrame, spread: Spread) -> DataFrame:
    return spread(rows, *rows.columns).distinct().agg(F.count(F.lit(1)))


def _in_words(rows: DataFrame, _: Spread) -> DataFrame:
    """One bit for each integer: its word is the integer without the last six bits."""
    value = F.col("k0").cast("bigint")
    place = value.bitwiseAND(F.lit(63).cast("bigint")).cast("int")
    bit = F.call_function("shiftleft", F.lit(1).cast("bigint"), place)
    words = rows.groupBy(F.shiftright(value, 6).alias("w")).agg(F.bit_or(bit).alias("bits"))
    return words.agg(F.sum(F.bit_count("bits")))


def _hashed(rows: DataFrame, spread: Spread) -> DataFrame:
    """By two hashes of 96 bits together: wrong only if two different values share both."""
    parts = [F.col(name) for name in rows.columns]
    if len(parts) > 1:  # a hash passes over NULLs, so that (NULL, 1) and (1, NULL) share one
        parts += [part.isNull() for part in parts]
    hashes = rows.select(F.xxhash64(*parts).alias("h"), F.hash(*parts).alias("g"))
    groups = spread(hashes, "h").groupBy("h").agg(F.min("g").alias("low"), F.max("g").alias("high"))
    return groups.agg(F.count(F.lit(1)), F.count(F.when(F.col("low") != F.col("high"), 1)))


def _read(aggregate: Aggregate, rows: Rows) -> Found:
    """The count; nothing where two values share a hash."""
    count, *shared = rows[0]
    return {} if any(shared) else {aggregate: int(count)}


# How many different values to expect


def _crowded(keys: dict[Aggregate, Keys], subject: Subject, found: Found) -> set[Aggregate]:
    """The aggregates that have many different values in the first rows of a large table."""
    rows = found.get(ROWS)
    if not keys or not isinstance(rows, int) or rows < LARGE:
        return set()
    hashes = (F.hash(*(key.column for key in each)) for each in keys.values())
    named = [each.alias(f"h{index}") for index, each in enumerate(hashes)]
    build = {None: lambda: subject.table.select(*named).limit(SAMPLE)}
    (sample,) = subject.runner.collect(build).values()
    if isinstance(sample, Unmeasurable) or not sample:
        return set()
    columns = zip(*sample, strict=True)
    return {key for key, values in zip(keys, columns, strict=True) if _is_crowded(values)}


def _is_crowded(hashes: Sequence[int]) -> bool:
    """Whether a sample has at least as many different values as one of `MANY` would have."""
    return len(set(hashes)) >= MANY * -math.expm1(-len(hashes) / MANY)


# Types


def _is_hashable(key: Bound) -> bool:
    """Whether equal values have equal hashes: not with -0.0, collations, or inside of lists."""
    if isinstance(key.type, T.StringType):
        return key.type.simpleString() == "string"
    return isinstance(key.type, (*INTEGERS, *_HASHABLE))
