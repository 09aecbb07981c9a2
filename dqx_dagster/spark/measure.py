"""Plan → measurements: every aggregate once, in few queries, and no rule harms another.

What the schema alone refuses is refused before any job. Counts, sums and extremes share one pass;
one aggregate of an expensive kind in it would slow down all others. Percentiles and distinct counts
come after it, and use what it has found. A query that fails is split until the culprit is alone;
the values of all others stay what they are.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeAlias

from pyspark.sql import DataFrame

from dqx_dagster.checks.schema import mismatches
from dqx_dagster.errors import EngineError
from dqx_dagster.metrics.metric import Aggregate, Unmeasurable
from dqx_dagster.metrics.partition import Partition
from dqx_dagster.metrics.plan import Family, Plan
from dqx_dagster.spark import distinct, quantiles
from dqx_dagster.spark.binding import Binding, Refusal
from dqx_dagster.spark.compile import Compiled, Compiler
from dqx_dagster.spark.cost import Cost, Meter
from dqx_dagster.spark.expressions import Expressions
from dqx_dagster.spark.failures import FAILURES, check_alive, reason
from dqx_dagster.spark.orphans import orphans_query
from dqx_dagster.spark.partition import rows_of
from dqx_dagster.spark.patterns import refused_patterns
from dqx_dagster.spark.periods import periods_query
from dqx_dagster.spark.query import Found, Query, Runner, Subject, scan
from dqx_dagster.spark.sql import sql_queries
from dqx_dagster.spark.tables import Given, Tables
from dqx_dagster.spark.types import actual_types

MAX_BUFFERS = 90
"""Fields of aggregation buffers in one query: above 100 Spark stops generating code for it."""


def measure(
    table: DataFrame, plan: Plan, *, now: dt.datetime, tables: Given = MappingProxyType({})
) -> Found:
    """Measure everything in the plan; each leaf has a measurement, or the reason why it has none.

    `now` is the clock; `tables` are the other tables that queries read. Raises `EngineError` where
    nothing can be measured at all.
    """
    return measure_with_cost(table, plan, now=now, tables=tables)[0]


def measure_with_cost(
    table: DataFrame,
    plan: Plan,
    *,
    now: dt.datetime,
    partition: Partition | None = None,
    tables: Given = MappingProxyType({}),
) -> tuple[Found, Cost]:
    """Measure everything in the plan, on all rows or those of a partition, and what that costs.

    `tables` are those of other contracts, by dataset; of them always all rows count.
    """
    spark = table.sparkSession
    meter = Meter(spark)
    try:
        binding = Binding.of(table)
        zone = spark.conf.get("spark.sql.session.timeZone", "UTC")
    except FAILURES as error:
        check_alive(spark, error)
        raise EngineError(f"the table cannot be read: {reason(error)}") from None
    found: Found = {}
    others = Tables(spark, tables)
    for declared in plan.schemas:
        found[declared] = mismatches(
            declared,
            actual_types(binding.schema),
            case_sensitive=binding.case_sensitive,
            session_zone=zone,
        )
    try:
        if partition is not None:
            table = table.where(rows_of(partition, binding))
        compiler = Compiler(binding, Expressions(table, now))
        subject = Subject(table, compiler, Runner(spark, meter))
        own = _own(plan, subject, found)
        beside = [orphans_query(leaf, subject, others) for leaf in plan.orphans]
        with sql_queries(plan.queries, table, others, now) as queries:
            shared = list(_shared(plan, own, subject, now, found))
            found |= subject.runner.run([*shared, *beside, *queries])
        for part, aggregates in own.items():
            found |= part.measure(list(aggregates), subject, found)
    except Refusal as refusal:  # the rows of the partition cannot be told from others
        found |= {leaf: found.get(leaf, refusal.unmeasurable) for leaf in plan.leaves}
    except FAILURES as error:  # not even columns can be built without a session
        check_alive(spark, error)
        raise EngineError(f"the table cannot be measured: {reason(error)}") from None
    cost = meter.cost()
    if others.used:  # how many of the rows were the table's own is not recorded
        cost = replace(cost, rows_read=None)
    return {leaf: found[leaf] for leaf in plan.leaves}, cost


@dataclass(frozen=True, slots=True)
class Part:
    """Aggregates with queries of their own, after the shared pass, which may help them."""

    helpful: Callable[[Aggregate, Compiler], Iterable[Aggregate]]
    measure: Callable[[Sequence[Aggregate], Subject, Found], Found]


_PARTS = {
    Family.QUANTILE: Part(quantiles.helpful, quantiles.measure),
    Family.DISTINCT: Part(distinct.helpful, distinct.measure),
}

Own: TypeAlias = dict[Part, dict[Aggregate, tuple[Aggregate, ...]]]


def _own(plan: Plan, subject: Subject, found: Found) -> Own:
    """What has queries of its own, with what helps it; what is refused goes to the findings."""
    refused = refused_patterns(subject.table.sparkSession, plan)
    found |= {aggregate: Unmeasurable(text) for aggregate, text in refused.items()}
    own: Own = {part: {} for part in _PARTS.values()}
    for family, part in _PARTS.items():
        for aggregate in plan.families.get(family, ()):
            if aggregate not in found:
                try:
                    own[part][aggregate] = tuple(part.helpful(aggregate, subject.compiler))
                except Refusal as refusal:
                    found[aggregate] = refusal.unmeasurable
    return own


def _shared(
    plan: Plan, own: Own, subject: Subject, now: dt.datetime, found: Found
) -> Iterator[Query]:
    """The shared pass, and beside it which periods have rows."""
    helpful = (each for part in own.values() for found in part.values() for each in found)
    ready = []
    for aggregate in dict.fromkeys((*plan.families.get(Family.SCAN, ()), *helpful)):
        if aggregate not in found:
            try:
                ready.append(subject.compiler.compile(aggregate))
            except Refusal as refusal:
                found[aggregate] = refusal.unmeasurable
    for group in _groups(ready):
        yield scan(subject.table, group)
    for aggregate in plan.families.get(Family.PERIODS, ()):
        if aggregate not in found:
            yield periods_query(subject.table, subject.compiler, aggregate, now)


def _groups(ready: Iterable[Compiled]) -> list[list[Compiled]]:
    """What runs together: never with too many buffers."""
    groups: list[list[Compiled]] = []
    room = 0
    for compiled in ready:
        if room < compiled.buffers:
            groups.append([])
            room = MAX_BUFFERS
        groups[-1].append(compiled)
        room -= compiled.buffers
    return groups
