"""Aggregates of the algebra → Spark columns, bound to a table's schema.

Each aggregate is checked against the types before anything runs: what a type cannot support is
refused here, with the reason. Only forms are used that mean the same with ANSI on and off, and
every result leaves Spark as a text, which always collects.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql import types as T  # noqa: N812

from dqx_dagster.metrics.metric import Aggregate, Function, Measurement, Unmeasurable
from dqx_dagster.metrics.predicate import ALWAYS, Always, IsSet, Predicate
from dqx_dagster.metrics.value import Column, Length, Lowercase, Row, SqlText, Value
from dqx_dagster.spark.binding import Binding, Bound, Refusal
from dqx_dagster.spark.expressions import Expressions, result_of
from dqx_dagster.spark.literals import FLOATS, is_number
from dqx_dagster.spark.predicates import Predicates
from dqx_dagster.spark.results import Read, leaving

_OVERFLOW = "overflow"


@dataclass(frozen=True, slots=True)
class Compiled:
    """An aggregate as Spark computes it."""

    aggregate: Aggregate
    column: SparkColumn  # gives one text
    read: Read  # what the text means
    buffers: int = 1  # how many fields Spark keeps for it
    rows: SparkColumn | None = None  # which rows it is about, where they are chosen by SQL


class Compiler:
    """Compiles aggregates for one table."""

    def __init__(self, binding: Binding, expressions: Expressions | None = None) -> None:
        """`binding` is the table's schema; `expressions` are needed where rules have SQL."""
        self._binding, self._expressions = binding, expressions
        self._predicates = Predicates(binding, expressions)

    def compile(self, aggregate: Aggregate) -> Compiled:
        """The aggregate as a column; raises `Refusal` with the reason where there is none."""
        match aggregate.function:
            case Function.COUNT:
                return self._count(aggregate)
            case Function.MIN | Function.MAX:
                return self._extreme(aggregate)
            case Function.SUM:
                return self._sum(aggregate)
            case Function.VARIANCE:
                value = self.number(aggregate).cast("double")
                return Compiled(aggregate, F.var_samp(value), float, buffers=3)
            case Function.SQL:
                bound = self.value(aggregate.of)
                column, read = result_of(bound.column, bound.type)
                is_sql = isinstance(aggregate.where, SqlText)
                rows = self._predicates.maybe(aggregate.where) if is_sql else None
                return Compiled(aggregate, column, read, buffers=4, rows=rows)
            case Function.PERCENTILE | Function.DISTINCT | Function.PERIODS:
                raise Refusal(f"{aggregate.function.value} is measured by queries of its own")

    def bind(self, column: Column) -> Bound:
        """The table's column; raises `Refusal` where there is none."""
        return self._binding.bind(column)

    def rows(self, table: DataFrame, where: Predicate) -> DataFrame:
        """The rows of a table where a predicate holds."""
        return table if where == ALWAYS else table.where(self._predicates.maybe(where))

    def moment(self, value: Value | None) -> Bound:
        """A column of dates or timestamps."""
        bound = self.value(value)
        if not isinstance(bound.type, T.DateType | T.TimestampType | T.TimestampNTZType):
            kind = bound.type.simpleString()
            raise Refusal(f"'{value}' is {kind}: a date or timestamp is needed")
        return bound

    def _count(self, aggregate: Aggregate) -> Compiled:
        match aggregate.where:
            case Always():
                return Compiled(aggregate, F.count(F.lit(1)), int)
            case IsSet(Column() as column):
                return Compiled(aggregate, F.count(self._binding.bind(column).column), int)
            case where:
                rows = self._predicates.maybe(where)
                chosen = rows if isinstance(where, SqlText) else None
                return Compiled(aggregate, F.count(F.when(rows, 1)), int, rows=chosen)

    def value(self, value: Value | None) -> Bound:
        """Something that can be aggregated; raises `Refusal` where there is no such column."""
        match value:
            case Column():
                return self._binding.bind(value)
            case Length():
                return Bound(self._predicates.length(value), T.IntegerType())
            case SqlText() if self._expressions is not None:
                return self._expressions.aggregate(value, self._binding)
            case Lowercase() | Row() | SqlText() | None:
                raise Refusal("only a column can be aggregated")

    def _within(self, aggregate: Aggregate, column: SparkColumn) -> SparkColumn:
        if isinstance(aggregate.where, Always):
            return column
        return F.when(self._predicates.maybe(aggregate.where), column)

    def _extreme(self, aggregate: Aggregate) -> Compiled:
        bound = self.value(aggregate.of)
        extreme = F.min if aggregate.function is Function.MIN else F.max
        left = leaving(extreme(self._within(aggregate, bound.column)), bound.type)
        if left is None:
            raise Refusal(
                f"'{aggregate.of}' is {bound.type.simpleString()}: "
                f"{aggregate.function.value} needs numbers, dates or timestamps"
            )
        return Compiled(aggregate, *left)

    def number(self, aggregate: Aggregate) -> SparkColumn:
        """The numbers that are aggregated; raises `Refusal` where they are none."""
        bound = self.value(aggregate.of)
        if not is_number(bound.type):
            kind = bound.type.simpleString()
            raise Refusal(f"'{aggregate.of}' is {kind}: {aggregate.function.value} needs numbers")
        return self._within(aggregate, bound.column)

    def _sum(self, aggregate: Aggregate) -> Compiled:
        type_ = self.value(aggregate.of).type
        value = self.number(aggregate)
        match type_:
            case T.LongType():
                # In two halves: one sum of longs overflows, decimals cost several times as much.
                # Neither half overflows up to 2^31 rows.
                high = F.try_sum(F.shiftright(value, 32))
                low = F.try_sum(value.bitwiseAND(F.lit(0xFFFFFFFF).cast("bigint")))
                halves = F.concat(high.cast("string"), F.lit("|"), low.cast("string"))
                return Compiled(aggregate, _told(value, halves), _unless_overflow(_halves), 3)
            case T.DecimalType():
                total = F.try_sum(value.cast(T.DecimalType(38, type_.scale)))
                return Compiled(aggregate, _told(value, total), _unless_overflow(Decimal), 3)
            case _ if isinstance(type_, FLOATS):
                return Compiled(aggregate, F.sum(value.cast("double")), float)
            case _:
                total = F.try_sum(value.cast("bigint"))
                return Compiled(aggregate, _told(value, total), _unless_overflow(int), 2)


def _told(value: SparkColumn, total: SparkColumn) -> SparkColumn:
    """A sum that overflows is NULL, like that of no values: tell them apart."""
    return F.when(F.count(value) > 0, F.coalesce(total.cast("string"), F.lit(_OVERFLOW)))


def _unless_overflow(read: Read) -> Read:
    text = "the sum has more digits than Spark can add up"
    return lambda found: Unmeasurable(text) if found == _OVERFLOW else read(found)


def _halves(text: str) -> Measurement:
    high, low = map(int, text.split("|"))
    return (high << 32) + low
