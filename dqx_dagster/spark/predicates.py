"""Predicates of the algebra → boolean Spark columns.

In the algebra a predicate holds or does not. In Spark it may also be NULL, which `when` and
`filter` take as "does not hold": `maybe` gives that cheaper form, `total` one that may be negated.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable

from pyspark.sql import Column as SparkColumn
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql import types as T  # noqa: N812

from dqx_dagster.checks.regex import repeats_a_group
from dqx_dagster.metrics.predicate import (
    Always,
    And,
    Compares,
    Comparison,
    HasField,
    HasRepeats,
    IsMultipleOf,
    IsSet,
    Matches,
    Not,
    OneOf,
    Or,
    Predicate,
)
from dqx_dagster.metrics.value import Column, Length, Literal, Lowercase, Row, SqlText, Value
from dqx_dagster.spark.binding import Binding, Bound, Refusal
from dqx_dagster.spark.expressions import Expressions
from dqx_dagster.spark.literals import (
    FLOATS,
    TEXTS,
    Floor,
    decimal_literal,
    is_number,
    is_time,
    number_floor,
    spark_literal,
)

MAX_SEARCHED = 1_000
"""Characters in which a pattern that repeats a group is searched.

Java's matcher calls itself for every repetition of a group. On a long text it overflows the stack,
and Spark takes that for fatal: the whole driver exits.
"""

_LARGEST_MULTIPLE = 1e23  # what fits into decimal(38,15)
_KINDS = {"string": TEXTS, "list": (T.ArrayType,), "map": (T.MapType,)}


class Predicates:
    """Compiles predicates for one table."""

    def __init__(self, binding: Binding, expressions: Expressions | None = None) -> None:
        """`binding` is the table's schema; `expressions` are needed where rules have SQL."""
        self._binding, self._expressions = binding, expressions

    def total(self, predicate: Predicate) -> SparkColumn:
        """True or false, never null."""
        if isinstance(predicate, Always | IsSet | Not):
            return self.maybe(predicate)
        return F.coalesce(self.maybe(predicate), F.lit(False))

    def maybe(self, predicate: Predicate) -> SparkColumn:
        """True where it holds; false or null elsewhere."""
        match predicate:
            case Always():
                return F.lit(True)
            case IsSet(Row(columns)):
                for column in columns:
                    self._binding.bind(column)
                return F.lit(True)  # a row is never NULL, even where all its columns are
            case IsSet(of):
                return self._value(of).column.isNotNull()
            case OneOf(of, literals):
                return self._one_of(of, literals)
            case Matches(of, pattern):
                return self._matches(of, pattern)
            case Compares(of, comparison, constant):
                bound = self._value(of)
                self._ordered(of, bound)
                if is_number(bound.type):
                    floor = number_floor(constant, bound.type)
                    return _compared_number(comparison, bound.column, floor)
                return _compared(comparison, bound.column, spark_literal(constant, bound.type))
            case IsMultipleOf(of, factor):
                return self._multiple(of, factor)
            case HasRepeats(of):
                return self._repeats(of)
            case HasField(of, name):
                return self._has_field(of, name)
            case Not(of):
                return ~self.total(of)
            case And(parts):
                return _joined(operator.and_, map(self.maybe, parts), of_none=True)
            case Or(parts):
                return _joined(operator.or_, map(self.maybe, parts), of_none=False)
            case SqlText():
                return self._condition(predicate)

    def _condition(self, text: SqlText) -> SparkColumn:
        if self._expressions is None:
            raise Refusal("SQL cannot be measured here")
        return self._expressions.condition(text, self._binding)

    def length(self, value: Length) -> SparkColumn:
        """Characters, elements, or set fields; null for null."""
        column, bound = value.of, self._binding.bind(value.of)
        if value.kind and not isinstance(bound.type, _KINDS[value.kind]):
            raise Refusal(f"'{column}' is {bound.type.simpleString()}, not a {value.kind}")
        match bound.type:
            case T.StringType() | T.VarcharType() | T.CharType():
                return F.length(bound.column)
            case T.ArrayType() | T.MapType():
                # Without ANSI the size of NULL is -1.
                return F.when(bound.column.isNotNull(), F.size(bound.column))
            case T.StructType():
                fields = (bound.column.getField(field.name) for field in bound.type.fields)
                each = (F.when(field.isNotNull(), 1).otherwise(0) for field in fields)
                return F.when(
                    bound.column.isNotNull(), functools.reduce(operator.add, each, F.lit(0))
                )
            case _:
                raise Refusal(f"'{column}' is {bound.type.simpleString()}: it has no length")

    def _value(self, value: Value) -> Bound:
        match value:
            case Column():
                return self._binding.bind(value)
            case Length():
                return Bound(self.length(value), T.IntegerType())
            case Lowercase(of):
                bound = self._binding.bind(of)
                text = isinstance(bound.type, TEXTS)
                return Bound(F.lower(bound.column), bound.type) if text else bound
            case Row() | SqlText():
                raise Refusal("it is not compared with a constant")

    def _ordered(self, value: Value, bound: Bound) -> None:
        moments = isinstance(bound.type, T.DateType | T.TimestampType | T.TimestampNTZType)
        if not (is_number(bound.type) or moments or is_time(bound.type)):
            raise Refusal(f"'{value}' is {bound.type.simpleString()}: it is not compared by size")

    def _one_of(self, of: Value, literals: tuple[Literal, ...]) -> SparkColumn:
        bound = self._value(of)
        if not literals:
            return F.lit(False)
        if not is_number(bound.type):
            return bound.column.isin(*(spark_literal(item, bound.type) for item in literals))
        floors = [number_floor(constant, bound.type) for constant in literals]
        # No number of the column's type equals any of the others.
        equal = [floor.value for floor in floors if floor.exact]
        return bound.column.isin(*equal) if equal else F.lit(False)

    def _matches(self, of: Value, pattern: str) -> SparkColumn:
        bound = self._value(of)
        if not isinstance(bound.type, TEXTS):
            raise Refusal(f"'{of}' is {bound.type.simpleString()}: only texts have patterns")
        if not repeats_a_group(pattern):
            return bound.column.rlike(pattern)
        # A longer text does not match: it fails its rule, and the driver lives.
        return F.when(F.length(bound.column) <= MAX_SEARCHED, bound.column.rlike(pattern))

    def _multiple(self, of: Value, factor: Literal) -> SparkColumn:
        bound = self._value(of)
        if not is_number(bound.type) or isinstance(factor.value, bool | str):
            raise Refusal(f"'{of}' is {bound.type.simpleString()}: it has no multiples")
        value, by = bound.column, decimal_literal(factor.value)
        if isinstance(bound.type, FLOATS):
            # By its shortest decimal: 0.3 is a multiple of 0.1, though not in binary.
            plain = F.abs(value) < _LARGEST_MULTIPLE
            written = F.when(plain, value.cast("string").cast("decimal(38,15)"))
            value = F.when(written.cast(bound.type) == value, written)  # not where it is rounded
        return (value % by) == 0

    def _repeats(self, of: Column) -> SparkColumn:
        bound = self._binding.bind(of)
        if not isinstance(bound.type, T.ArrayType):
            raise Refusal(f"'{of}' is {bound.type.simpleString()}: only lists have items")
        items = bound.column
        if isinstance(bound.type.elementType, FLOATS):  # Spark 3.5 tells 0.0 and -0.0 apart here
            items = F.transform(items, lambda item: item + F.lit(0.0))
        return F.size(F.array_distinct(items)) < F.size(items)

    def _has_field(self, of: Column, name: str) -> SparkColumn:
        bound = self._binding.bind(of)
        match bound.type:
            case T.StructType():
                return self._binding.bind(Column((*of.path, name))).column.isNotNull()
            case T.MapType():
                return F.map_contains_key(bound.column, name)
            case _:
                raise Refusal(f"'{of}' is {bound.type.simpleString()}: it has no fields")


def _joined(
    join: Callable[[SparkColumn, SparkColumn], SparkColumn],
    parts: Iterable[SparkColumn],
    *,
    of_none: bool,
) -> SparkColumn:
    columns = list(parts)
    return functools.reduce(join, columns) if columns else F.lit(of_none)


def _compared(comparison: Comparison, left: SparkColumn, right: SparkColumn) -> SparkColumn:
    match comparison:
        case Comparison.LESS:
            return left < right
        case Comparison.LESS_OR_EQUAL:
            return left <= right
        case Comparison.GREATER:
            return left > right
        case Comparison.GREATER_OR_EQUAL:
            return left >= right


def _compared_number(comparison: Comparison, column: SparkColumn, floor: Floor) -> SparkColumn:
    """Between the floor and the constant lies no number of the column's type."""
    upwards = comparison in (Comparison.GREATER, Comparison.GREATER_OR_EQUAL)
    if floor.value is None:
        return column.isNotNull() if upwards else F.lit(False)
    if floor.exact:
        return _compared(comparison, column, floor.value)
    return column > floor.value if upwards else column <= floor.value
