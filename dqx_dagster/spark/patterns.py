"""Regular expressions, tried on Spark without a job."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from dqx_dagster.metrics.metric import Aggregate
from dqx_dagster.metrics.plan import Plan
from dqx_dagster.metrics.predicate import And, Matches, Not, Or, Predicate
from dqx_dagster.spark.failures import FAILURES, check_alive, reason


def refused_patterns(spark: SparkSession, plan: Plan) -> dict[Aggregate, str]:
    """The aggregates whose pattern Java refuses, and why they cannot be measured."""
    patterns = {a: list(_patterns(a.where)) for a in plan.aggregates}
    distinct = list(dict.fromkeys(p for found in patterns.values() for p in found))
    if not distinct or _accepted(spark, distinct):
        return {}
    bad = {pattern for pattern in distinct if not _accepted(spark, [pattern])}
    text = "its pattern is not a regular expression that Java accepts"
    return {a: text for a, found in patterns.items() if bad.intersection(found)}


def _accepted(spark: SparkSession, patterns: list[str]) -> bool:
    """Constants are folded while the query is planned, so that nothing runs."""
    try:
        tried = [F.lit("").rlike(pattern).alias(f"p{i}") for i, pattern in enumerate(patterns)]
        spark.sql("SELECT 1").select(*tried).collect()
    except FAILURES as error:
        check_alive(spark, error)
        return not reason(error)
    return True


def _patterns(predicate: Predicate) -> Iterator[str]:
    match predicate:
        case Matches(_, pattern):
            yield pattern
        case Not(of):
            yield from _patterns(of)
        case And(parts) | Or(parts):
            for part in parts:
                yield from _patterns(part)
        case _:
            pass
