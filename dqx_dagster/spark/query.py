"""Queries that measure aggregates, and how a failing one is taken apart.

Frames are built and analysed by the thread that asks, because Spark looks for the session's
settings there; only collecting happens side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

from pyspark.sql import DataFrame, SparkSession

from dqx_dagster.errors import EngineError
from dqx_dagster.metrics.metric import ROWS, Leaf, Measurement, Unmeasurable
from dqx_dagster.spark.binding import Refusal
from dqx_dagster.spark.compile import Compiled, Compiler
from dqx_dagster.spark.cost import Meter
from dqx_dagster.spark.failures import FAILURES, check_alive, reason

MAX_RETRIES = 40
"""Queries that may be spent on finding out which aggregate fails."""

WORKERS = 4

Found: TypeAlias = dict[Leaf, Measurement]
Rows: TypeAlias = list[Any]
Build: TypeAlias = Callable[[], DataFrame]
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Query:
    """One query: what it measures, how it is made, what its rows mean."""

    aggregates: tuple[Leaf, ...]
    build: Build
    read: Callable[[Rows], Found]
    halves: Callable[[], tuple[Query, Query]] | None = None  # None where it cannot be split
    instead: Callable[[], Query] | None = None  # another way to the same, where this one fails


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
    if len(group) > 1:
        return Query(aggregates, build, read, halves)
    return Query(aggregates, build, read, instead=_over_its_rows(table, *group))


def _over_its_rows(table: DataFrame, compiled: Compiled) -> Callable[[], Query] | None:
    """SQL over just the rows that it is about.

    In the pass Spark may compute a part of it also for rows that a condition was to spare.
    """
    rows = compiled.rows
    if rows is None:
        return None
    return lambda: scan(table.where(rows), [replace(compiled, rows=None)])


class Runner:
    """Runs the queries of one table."""

    def __init__(self, spark: SparkSession, meter: Meter) -> None:
        """`meter` counts what the queries cost."""
        self._spark, self._meter = spark, meter
        self._retries = MAX_RETRIES

    def run(self, queries: Sequence[Query]) -> Found:
        """Everything that the queries measure, or why they do not."""
        found: Found = {}
        for query, rows in zip(queries, self._collected(q.build for q in queries), strict=True):
            found |= self._read(query, rows)
        return found

    def _read(self, query: Query, rows: Rows | Exception) -> Found:
        if isinstance(rows, Exception):
            return self._isolated(query, rows)
        try:
            return query.read(rows)
        except (Refusal, *FAILURES) as error:
            return self._isolated(query, error)

    def collect(self, builds: Mapping[Key, Build]) -> dict[Key, Rows | Unmeasurable]:
        """The rows of several frames, or why there are none."""
        collected = zip(builds, self._collected(builds.values()), strict=True)
        return {
            key: self._unmeasurable(rows) if isinstance(rows, Exception) else rows
            for key, rows in collected
        }

    def _collected(self, builds: Iterable[Build]) -> list[Rows | Exception]:
        """All frames side by side."""
        with ThreadPoolExecutor(WORKERS) as pool:
            return [_outcome(future) for future in [self._started(b, pool) for b in builds]]

    def _started(self, build: Build, pool: ThreadPoolExecutor) -> Future[Rows]:
        try:
            return pool.submit(self._rows, build())
        except (Refusal, *FAILURES) as error:
            failed: Future[Rows] = Future()
            failed.set_exception(error)
            return failed

    def _rows(self, frame: DataFrame) -> Rows:
        with self._meter.tagged():
            return frame.collect()

    def _unmeasurable(self, error: Exception) -> Unmeasurable:
        if isinstance(error, Refusal):
            return error.unmeasurable
        check_alive(self._spark, error)
        why = reason(error)
        if "CANCELLED" in why:  # somebody wants to stop, not to know which rule it was
            raise EngineError(f"the measuring was stopped: {why}")
        return Unmeasurable(why)

    def _isolated(self, query: Query, error: Exception) -> Found:
        """Split a query that failed until what fails is alone."""
        why = self._unmeasurable(error)
        if query.instead is not None:
            return self.run([query.instead()])
        if query.halves is None:
            if ROWS in query.aggregates:
                raise EngineError(f"the table cannot be read: {why.reason}") from None
            return dict.fromkeys(query.aggregates, why)
        if self._retries < 1:
            text = "too many rules of this table fail to look for all of them"
            return dict.fromkeys(query.aggregates, Unmeasurable(text))
        self._retries -= 2
        return self.run(query.halves())


@dataclass(frozen=True, slots=True)
class Subject:
    """A table while it is measured."""

    table: DataFrame
    compiler: Compiler
    runner: Runner


def _outcome(future: Future[Rows]) -> Rows | Exception:
    try:
        return future.result()
    except (Refusal, *FAILURES) as error:
        return error
