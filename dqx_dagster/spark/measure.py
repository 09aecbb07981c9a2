"""Plan → `Measurements`: every aggregate once, in few queries, and no rule harms another.

What the schema alone refuses is refused before any job. The rest is grouped by how Spark executes
it: one expensive aggregate in the same query would slow down all others. A query that fails is
split until the culprit is alone; the values of all others stay what they are.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeAlias

from pyspark.sql import DataFrame

from dqx_dagster.checks.schema import mismatches
from dqx_dagster.errors import EngineError
from dqx_dagster.metrics.metric import (
    ROWS,
    Aggregate,
    Function,
    Leaf,
    Measurement,
    Unmeasurable,
)
from dqx_dagster.metrics.plan import Family, Plan, family_of
from dqx_dagster.spark.binding import Binding, Refusal
from dqx_dagster.spark.compile import Compiled, Compiler
from dqx_dagster.spark.cost import Cost, Meter
from dqx_dagster.spark.distinct import count_distinct
from dqx_dagster.spark.failures import FAILURES, check_alive, reason
from dqx_dagster.spark.patterns import refused_patterns
from dqx_dagster.spark.periods import present_periods
from dqx_dagster.spark.types import actual_types

MAX_BUFFERS = 90
"""Fields of aggregation buffers in one query: above 100 Spark stops generating code for it."""

MAX_RETRIES = 40
"""Queries that may be spent on finding out which aggregate fails."""

WORKERS = 4

Found: TypeAlias = dict[Leaf, Measurement]


@dataclass(slots=True)
class _Budget:
    """How many more queries may be spent on isolating failures."""

    left: int = MAX_RETRIES

    def spend(self) -> bool:
        self.left -= 1
        return self.left >= 0


@dataclass(slots=True)
class _Run:
    """One table being measured."""

    table: DataFrame
    compiler: Compiler
    now: dt.datetime
    meter: Meter
    budget: _Budget = field(default_factory=_Budget)

    def scan(self, group: Sequence[Compiled]) -> Found:
        """Measure a group in one query; on failure, find the culprit."""
        try:
            return self._query(group)
        except FAILURES as error:
            check_alive(self.table.sparkSession)
            if len(group) == 1:
                if group[0].aggregate == ROWS:
                    raise EngineError(f"the table cannot be read: {reason(error)}") from None
                return {group[0].aggregate: Unmeasurable(reason(error))}
            if not self.budget.spend():
                return {
                    c.aggregate: Unmeasurable("too many rules of this table fail") for c in group
                }
        middle = len(group) // 2
        return self.scan(group[:middle]) | self.scan(group[middle:])

    def _query(self, group: Sequence[Compiled]) -> Found:
        texts = [compiled.column.cast("string").alias(f"m{i}") for i, compiled in enumerate(group)]
        with self.meter.tagged():
            (row,) = self.table.agg(*texts).collect()
        return {
            compiled.aggregate: None if text is None else compiled.read(text)
            for compiled, text in zip(group, row, strict=True)
        }

    def alone(self, aggregate: Aggregate, query: Callable[[], Measurement]) -> Found:
        """Measure one aggregate with a query of its own."""
        try:
            with self.meter.tagged():
                return {aggregate: query()}
        except Refusal as refusal:
            return {aggregate: refusal.unmeasurable}
        except FAILURES as error:
            check_alive(self.table.sparkSession)
            return {aggregate: Unmeasurable(reason(error))}


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
    run = _Run(table, compiler, now, meter)
    found: Found = {}
    for declared in plan.schemas:
        actual = actual_types(schema)
        found[declared] = mismatches(
            declared, actual, case_sensitive=case_sensitive, session_zone=zone
        )
    ready = _compiled(plan, compiler, refused_patterns(spark, plan), found)
    with ThreadPoolExecutor(WORKERS) as pool:
        first = [pool.submit(run.scan, group) for group in _groups(ready)]
        first += [pool.submit(_periods, run, a) for a in plan.families.get(Family.PERIODS, ())]
        for task in first:
            found |= task.result()
    for aggregate in plan.families.get(Family.DISTINCT, ()):
        if aggregate not in found:
            found |= _distinct(run, aggregate)
    return {leaf: found[leaf] for leaf in plan.leaves}, meter.cost()


def _distinct(run: _Run, aggregate: Aggregate) -> Found:
    return run.alone(aggregate, lambda: count_distinct(run.table, run.compiler, aggregate))


def _periods(run: _Run, aggregate: Aggregate) -> Found:
    return run.alone(
        aggregate, lambda: present_periods(run.table, run.compiler, aggregate, run.now)
    )


def _compiled(
    plan: Plan, compiler: Compiler, patterns: dict[Aggregate, str], found: Found
) -> list[Compiled]:
    """Everything that the scans measure; what is refused goes straight to the findings."""
    ready = []
    for aggregate in plan.aggregates:
        if aggregate.function is Function.PERIODS:
            continue
        if aggregate in patterns:
            found[aggregate] = Unmeasurable(patterns[aggregate])
            continue
        try:
            compiled = compiler.compile(aggregate)
        except Refusal as refusal:
            found[aggregate] = refusal.unmeasurable
            continue
        if aggregate.function is not Function.DISTINCT:
            ready.append(compiled)
    return ready


def _groups(ready: Iterable[Compiled]) -> list[list[Compiled]]:
    """The queries: by family, and never with too many buffers."""
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
