"""A partition → the filter that picks its rows, in a form that Spark can prune by.

The bare column is compared with constants of its own type, so that folders of other partitions are
not listed, and row groups of other days not read.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

from pyspark.sql import Column as SparkColumn
from pyspark.sql import types as T  # noqa: N812 - the name that everybody knows

from dqx_dagster.metrics.partition import Choice, Partition, Span, joined
from dqx_dagster.metrics.predicate import And, Compares, Comparison, OneOf, Or, Predicate
from dqx_dagster.metrics.value import Column, Literal, LiteralType
from dqx_dagster.spark.binding import Binding, Refusal
from dqx_dagster.spark.literals import INTEGERS, TEXTS
from dqx_dagster.spark.predicates import Predicates


def rows_of(partition: Partition, binding: Binding) -> SparkColumn:
    """Which rows belong to the partition; raises `Refusal` where the columns cannot tell."""
    alternatives = [
        And(tuple(_rows(choice, binding) for choice in choices))
        for choices in partition.alternatives
    ]
    return Predicates(binding).maybe(Or(tuple(alternatives)))


def _rows(choice: Choice, binding: Binding) -> Predicate:
    column = choice.column
    match binding.bind(column).type:
        case T.TimestampType() | T.TimestampNTZType() if choice.spans:
            return _within(choice, _instant)
        case T.DateType() if choice.spans:
            return _within(choice, _day)
        case type_ if kind := _kind(type_):
            return OneOf(column, tuple(_literal(key, kind, column) for key in choice.keys))
        case type_:
            text = f"column '{column}' is {type_.simpleString()}, which holds no keys of partitions"
            raise Refusal(text)


def _within(choice: Choice, bound: Callable[[dt.datetime, Column], Literal]) -> Predicate:
    """Spans that touch are one, so that a year of days is a single comparison."""
    return Or(tuple(_between(choice.column, span, bound) for span in joined(choice.spans)))


def _between(
    column: Column, span: Span, bound: Callable[[dt.datetime, Column], Literal]
) -> Predicate:
    start, end = (bound(moment, column) for moment in span)
    return And(
        (
            Compares(column, Comparison.GREATER_OR_EQUAL, start),
            Compares(column, Comparison.LESS, end),
        )
    )


def _instant(moment: dt.datetime, _: Column) -> Literal:
    return Literal(LiteralType.TIMESTAMP, moment.astimezone(dt.timezone.utc).isoformat())


def _day(moment: dt.datetime, column: Column) -> Literal:
    """A day begins at midnight of the partition's own time zone."""
    if moment.time() != dt.time():
        raise Refusal(f"column '{column}' holds dates, the partition begins or ends within a day")
    return Literal(LiteralType.DATE, moment.date().isoformat())


def _kind(type_: T.DataType) -> LiteralType | None:
    if isinstance(type_, TEXTS):
        return LiteralType.STRING
    if isinstance(type_, INTEGERS):
        return LiteralType.INTEGER
    if isinstance(type_, T.BooleanType):
        return LiteralType.BOOLEAN
    return LiteralType.DATE if isinstance(type_, T.DateType) else None


def _literal(key: str, kind: LiteralType, column: Column) -> Literal:
    match kind:
        case LiteralType.INTEGER if key.strip().lstrip("+-").isdecimal():
            return Literal(kind, int(key))
        case LiteralType.BOOLEAN if key.lower() in ("true", "false"):
            return Literal(kind, key.lower() == "true")
        case LiteralType.STRING | LiteralType.DATE:
            return Literal(kind, key)
        case _:
            raise Refusal(f"the partition's key is no {kind.value}, as column '{column}' is")
