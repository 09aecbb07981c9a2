"""Exact numbers of distinct values, each with a query of its own.

`count_distinct` inside a shared aggregate would multiply the rows by the number of such aggregates;
a grouping on its own does not.
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from dqx_dagster.metrics.metric import Aggregate, Measurement
from dqx_dagster.metrics.predicate import Always
from dqx_dagster.metrics.value import Row
from dqx_dagster.spark.compile import Compiler


def count_distinct(table: DataFrame, compiler: Compiler, aggregate: Aggregate) -> Measurement:
    """How many different values, or rows of values, there are."""
    keys = compiler.keys(aggregate)
    rows = table
    if not isinstance(aggregate.where, Always):
        rows = rows.where(compiler.holds(aggregate.where))
    if not isinstance(aggregate.of, Row):
        rows = rows.where(keys[0].isNotNull())
    named = [key.alias(f"k{i}") for i, key in enumerate(keys)]
    return rows.select(*named).distinct().count()
