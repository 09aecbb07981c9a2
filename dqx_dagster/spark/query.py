"""Queries that measure aggregates, and how a failing one is taken apart.

Frames are built and analysed by the thread that asks, because Spark looks for the session's
settings there; only collecting happens side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeAlias

from pyspark.sql import DataFrame, SparkSession

from dqx_dagster.errors import EngineError
from dqx_dagster.metrics.metric import ROWS, Aggregate, Leaf, Measurement, Unmeasurable
from dqx_dagster.spark.binding import Refusal
from dqx_dagster.spark.compile import Compiled
from dqx_dagster.spark.cost import Meter
from dqx_dagster.spark.failures import FAILURES, check_alive, reason

MAX_RETRIES = 40
"""Queries that may be spent on finding out which aggregate fails."""

WORKERS = 4

Found: TypeAlias = dict[Leaf, Measurement]
Rows: TypeAlias = list[Any]


@dataclass(frozen=True, slots=True)
class Query:
    """One query: what it measures, how it is made, what its rows mean."""

    aggregates: tuple[Aggregate, ...]
    build: Callable[[], DataFrame]
    read: Callable[[Rows], Found]
    halves: Callable[[], tuple[Query, Query]] | None = None  # None where it cannot be split


def scan(table: DataFrame, group: Sequence[Compiled]) -> Query:
    """Several aggregates in one pass over the table. Results are read by position."""

    def build() -> DataFrame:
        texts = (compiled.column.cast("string") for compiled in group)
        return table.agg(*(text.alias(f"m{index}") for index, text in enumerate(texts)))

    def read(rows: Rows) -> Found:
        return {
            compiled.aggregate: None if text is None else compiled.read(text)
            for compiled, text in zip(group, rows[0], strict=True)
        }

    def halves() -> tuple[Query, Query]:
        middle = len(group) // 2
        return scan(table, group[:middle]), scan(table, group[middle:])

    aggregates = tuple(compiled.aggregate for compiled in group)
    return Query(aggregates, build, read, halves if len(group) > 1 else None)


class Runner:
    """Runs the queries of one table."""

    def __init__(self, spark: SparkSession, meter: Meter) -> None:
        """`meter` counts what the queries cost."""
        self._spark, self._meter = spark, meter
        self._retries = MAX_RETRIES

    def run(self, queries: Sequence[Query]) -> Found:
        """Everything that the queries measure, or why they do not."""
        found: Found = {}
        with ThreadPoolExecutor(WORKERS) as pool:
            started = [(query, self._started(query, pool)) for query in queries]
            for query, future in started:
                found |= self._finished(query, future)
        return found

    def _finished(self, query: Query, future: Future[Rows]) -> Found:
        try:
            return query.read(future.result())
        except Refusal as refusal:
            return dict.fromkeys(query.aggregates, refusal.unmeasurable)
        except FAILURES as error:
            return self._isolated(query, error)

    def _started(self, query: Query, pool: ThreadPoolExecutor) -> Future[Rows]:
        try:
            return pool.submit(self._collect, query.build())
        except (Refusal, *FAILURES) as error:
            failed: Future[Rows] = Future()
            failed.set_exception(error)
            return failed

    def _collect(self, frame: DataFrame) -> Rows:
        with self._meter.tagged():
            return frame.collect()

    def _isolated(self, query: Query, error: Exception) -> Found:
        """Split a query that failed until what fails is alone."""
        check_alive(self._spark)
        if query.halves is None:
            if ROWS in query.aggregates:
                raise EngineError(f"the table cannot be read: {reason(error)}") from None
            return dict.fromkeys(query.aggregates, Unmeasurable(reason(error)))
        if self._retries < 1:
            text = "too many rules of this table fail to look for all of them"
            return dict.fromkeys(query.aggregates, Unmeasurable(text))
        first, second = query.halves()
        return self._again(first) | self._again(second)

    def _again(self, query: Query) -> Found:
        self._retries -= 1
        try:
            return query.read(self._collect(query.build()))
        except FAILURES as error:
            return self._isolated(query, error)
