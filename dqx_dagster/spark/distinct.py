"""Exact numbers of distinct values, each with a query of its own.

`count_distinct` inside a shared aggregate would multiply the rows by the number of such aggregates;
a grouping on its own does not.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from dqx_dagster.metrics.metric import Aggregate
from dqx_dagster.metrics.predicate import Always
from dqx_dagster.metrics.value import Row
from dqx_dagster.spark.compile import Compiler
from dqx_dagster.spark.query import Query


def distinct_query(table: DataFrame, compiler: Compiler, aggregate: Aggregate) -> Query:
    """How many different values, or rows of values, there are."""

    def build() -> DataFrame:
        keys = compiler.keys(aggregate)
        rows = table
        if not isinstance(aggregate.where, Always):
            rows = rows.where(compiler.holds(aggregate.where))
        if not isinstance(aggregate.of, Row):
            rows = rows.where(keys[0].isNotNull())
        named = (key.alias(f"k{index}") for index, key in enumerate(keys))
        return rows.select(*named).distinct().agg(F.count(F.lit(1)))

    return Query((aggregate,), build, lambda rows: {aggregate: int(rows[0][0])})
