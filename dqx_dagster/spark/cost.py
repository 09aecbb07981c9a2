"""What measuring a table cost: seconds, and where the session can tell, jobs, rows and bytes read.

Classic Spark keeps a record of every stage. Its jobs are found again by a tag. Spark Connect has no
such record to look at; there, only the time is known.
"""

from __future__ import annotations

import contextlib
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from dqx_dagster.spark.failures import FAILURES


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of measuring one table; None is what the session cannot tell."""

    seconds: float
    jobs: int | None = None
    rows_read: int | None = None
    bytes_read: int | None = None

    def __add__(self, other: Cost) -> Cost:
        """Both together; what one of them does not know is not known."""
        return Cost(
            round(self.seconds + other.seconds, 3),
            _sum(self.jobs, other.jobs),
            _sum(self.rows_read, other.rows_read),
            _sum(self.bytes_read, other.bytes_read),
        )

    def scans(self, rows: int | None) -> float | None:
        """How often the table was read: the rows read, by the rows that it has."""
        if not self.rows_read or not rows:  # what is not read from storage is not counted
            return None
        return round(self.rows_read / rows, 2)


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


class Meter:
    """Measures what is run inside `tagged`, from any thread."""

    def __init__(self, spark: SparkSession) -> None:
        """Looks for the record of classic Spark."""
        self._tag = f"dqx-{uuid.uuid4().hex}"
        self._context = _context(spark)
        self._start = time.perf_counter()

    @contextlib.contextmanager
    def tagged(self) -> Iterator[None]:
        """Count the jobs that this thread starts."""
        if self._context is None:
            yield
            return
        self._context.addJobTag(self._tag)
        try:
            yield
        finally:
            with contextlib.suppress(*FAILURES):
                self._context.removeJobTag(self._tag)

    def cost(self) -> Cost:
        """What was spent since the meter was made."""
        seconds = round(time.perf_counter() - self._start, 3)
        if self._context is None:
            return Cost(seconds)
        try:
            return Cost(seconds, *self._record())
        except FAILURES:
            return Cost(seconds)

    def _record(self) -> tuple[int, int, int]:
        assert self._context is not None
        core = self._context._jsc.sc()  # noqa: SLF001 - pyspark offers no other way to the record
        core.listenerBus().waitUntilEmpty()
        store = core.statusStore()
        jobs = [store.job(number) for number in core.statusTracker().getJobIdsForTag(self._tag)]
        stages = {stage for job in jobs for stage in _items(job.stageIds())}
        data = [found for stage in stages if (found := _stage(store, stage)) is not None]
        rows, read = (sum(x.inputRecords() for x in data), sum(x.inputBytes() for x in data))
        return len(jobs), rows, read


def _context(spark: SparkSession) -> Any:
    """The context of a classic session that can tag jobs, or None."""
    try:
        context = spark.sparkContext
        context._jsc.sc().statusStore()  # noqa: SLF001
    except FAILURES:
        return None
    return context


def _stage(store: Any, number: int) -> Any:
    """What is recorded of a stage; nothing of one that was skipped, which read nothing."""
    with contextlib.suppress(*FAILURES):
        return store.lastStageAttempt(number)
    return None


def _items(sequence: Any) -> list[Any]:
    """A Scala sequence as a list."""
    return [sequence.apply(index) for index in range(sequence.size())]
