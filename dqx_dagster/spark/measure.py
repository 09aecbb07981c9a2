"""Plan → measurements: every aggregate once, in few queries, and no rule harms another.

What the schema alone refuses is refused before any job. The rest is grouped by how Spark executes
it: one expensive aggregate in the same query would slow down all others. A query that fails is
split until the culprit is alone; the values of all others stay what they are.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator

from pyspark.sql import DataFrame

from dqx_dagster.checks.schema import mismatches
from dqx_dagster.errors import EngineError
from dqx_dagster.metrics.metric import Function, Unmeasurable
from dqx_dagster.metrics.plan import Family, Plan, family_of
from dqx_dagster.spark.binding import Binding, Refusal
from dqx_dagster.spark.compile import Compiled, Compiler
from dqx_dagster.spark.cost import Cost, Meter
from dqx_dagster.spark.distinct import distinct_query
from dqx_dagster.spark.failures import FAILURES, check_alive, reason
from dqx_dagster.spark.patterns import refused_patterns
from dqx_dagster.spark.periods import periods_query
from dqx_dagster.spark.query import Found, Query, Runner, scan
from dqx_dagster.spark.types import actual_types

MAX_BUFFERS = 90
"""Fields of aggregation buffers in one query: above 100 Spark stops generating code for it."""


def measure(table: DataFrame, plan: Plan, *, now: dt.datetime) -> Found:
    """Measure everything in the plan; each leaf has a measurement, or the reason why it has none.

    `now` is the clock. Raises `EngineError` where nothing can be measured at all.
    """
    return measure_with_cost(table, plan, now=now)[0]


def measure_with_cost(table: DataFrame, plan: Plan, *, now: dt.datetime) -> tuple[Found, Cost]:
    """Measure everything in the plan, and what that costs."""
    spark = table.sparkSession
    meter = Meter(spark)
    try:
        schema = table.schema
        case_sensitive = spark.conf.get("spark.sql.caseSensitive", "false") == "true"
        zone = spark.conf.get("spark.sql.session.timeZone", "UTC")
    except FAILURES as error:
        check_alive(spark)
        raise EngineError(f"the table cannot be read: {reason(error)}") from None
    compiler = Compiler(Binding(schema, case_sensitive))
    found: Found = {}
    for declared in plan.schemas:
        found[declared] = mismatches(
            declared, actual_types(schema), case_sensitive=case_sensitive, session_zone=zone
        )
    ready = list(_compiled(plan, compiler, found, table))
    found |= Runner(spark, meter).run(list(_queries(ready, table, compiler, now, plan, found)))
    return {leaf: found[leaf] for leaf in plan.leaves}, meter.cost()


def _compiled(plan: Plan, compiler: Compiler, found: Found, table: DataFrame) -> Iterator[Compiled]:
    """Everything that Spark can measure; what is refused goes straight to the findings."""
    refused = refused_patterns(table.sparkSession, plan)
    for aggregate in plan.aggregates:
        if aggregate.function is Function.PERIODS:
            continue
        if aggregate in refused:
            found[aggregate] = Unmeasurable(refused[aggregate])
            continue
        try:
            yield compiler.compile(aggregate)
        except Refusal as refusal:
            found[aggregate] = refusal.unmeasurable


def _queries(  # noqa: PLR0917 - the parts of one plan
    ready: Iterable[Compiled],
    table: DataFrame,
    compiler: Compiler,
    now: dt.datetime,
    plan: Plan,
    found: Found,
) -> Iterator[Query]:
    shared = [c for c in ready if family_of(c.aggregate) is not Family.DISTINCT]
    for group in _groups(shared):
        yield scan(table, group)
    for aggregate in plan.families.get(Family.PERIODS, ()):
        yield periods_query(table, compiler, aggregate, now)
    for aggregate in plan.families.get(Family.DISTINCT, ()):
        if aggregate not in found:
            yield distinct_query(table, compiler, aggregate)


def _groups(ready: Iterable[Compiled]) -> list[list[Compiled]]:
    """What runs together: by family, and never with too many buffers."""
    groups: list[list[Compiled]] = []
    room: dict[Family, int] = {}
    current: dict[Family, list[Compiled]] = {}
    for compiled in ready:
        family = family_of(compiled.aggregate)
        if room.get(family, 0) < compiled.buffers:
            current[family] = []
            groups.append(current[family])
            room[family] = MAX_BUFFERS
        current[family].append(compiled)
        room[family] -= compiled.buffers
    return groups
