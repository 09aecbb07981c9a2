"""Expressions in SQL → columns of a table, analysed before anything runs.

They join the shared pass. One that Spark cannot analyse is refused with the reason, so that it
never takes the pass with it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql import types as T  # noqa: N812

from dqx_dagster.checks.sql.tokens import at
from dqx_dagster.metrics.value import SqlText
from dqx_dagster.spark.binding import Binding, Bound, Refusal
from dqx_dagster.spark.failures import FAILURES, check_alive, reason
from dqx_dagster.spark.parser import check_expression
from dqx_dagster.spark.results import Read, leaving

_RAW_TEXTS = "spark.sql.parser.escapedStringLiterals"


@dataclass(frozen=True, slots=True)
class Expressions:
    """SQL over one table, at one time."""

    table: DataFrame
    now: dt.datetime

    def condition(self, sql: SqlText, binding: Binding) -> SparkColumn:
        """A condition on rows."""
        column = self._column(sql, binding)
        bound = self._analysed(column, self.table.select)
        if not isinstance(bound.type, T.BooleanType):
            raise Refusal(f"the condition of the query is {bound.type.simpleString()}")
        return column

    def aggregate(self, sql: SqlText, binding: Binding) -> Bound:
        """A value that is made of aggregates."""
        return self._analysed(self._column(sql, binding), self.table.agg)

    def _column(self, sql: SqlText, binding: Binding) -> SparkColumn:
        for column in sql.columns:
            binding.bind(column)
        spark = self.table.sparkSession
        check_expression(spark, sql.text)
        check_session(spark, sql.text)
        return F.expr(at(sql.text, self.now))

    def _analysed(self, column: SparkColumn, put: Callable[[SparkColumn], DataFrame]) -> Bound:
        try:
            return Bound(column, put(column).schema.fields[0].dataType)
        except FAILURES as error:
            check_alive(self.table.sparkSession, error)
            raise Refusal(reason(error)) from None


def check_session(spark: SparkSession, text: str) -> None:
    """Refuse texts that a session would read otherwise than they were written."""
    if "\\" in text and spark.conf.get(_RAW_TEXTS, "false") == "true":
        raise Refusal(f"the session has {_RAW_TEXTS}, which changes what the query means")


def result_of(value: SparkColumn, type_: T.DataType) -> tuple[SparkColumn, Read]:
    """How the result of a query leaves Spark; raises `Refusal` where it cannot be judged."""
    if isinstance(type_, T.BooleanType):
        return value, lambda text: text == "true"
    if isinstance(type_, T.NullType):
        return value.cast("int"), int
    left = leaving(value, type_)
    if left is None:
        kind = type_.simpleString()
        raise Refusal(f"the query gives {kind}: a number, a truth or a moment can be judged")
    return left
