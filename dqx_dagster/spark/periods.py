"""Which periods of a window have rows, in arithmetic that no time zone touches."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql import types as T  # noqa: N812

from dqx_dagster.metrics.metric import HOUR, Aggregate
from dqx_dagster.metrics.periods import Granularity, Window, expected_periods, next_start, start_of
from dqx_dagster.spark.binding import Bound
from dqx_dagster.spark.compile import Compiler
from dqx_dagster.spark.literals import micros
from dqx_dagster.spark.query import Found, Query, Rows


def periods_query(
    table: DataFrame, compiler: Compiler, aggregate: Aggregate, now: dt.datetime
) -> Query:
    """The starts of the window's periods that have a row."""
    window = aggregate.argument
    assert isinstance(window, Window)
    expected = expected_periods(window, now)

    def build() -> DataFrame:
        hour = _hours(compiler.moment(aggregate.of))
        rows = compiler.rows(table, aggregate.where).where(_inside(hour, window, expected))
        return rows.select(_coarse(hour, window.granularity).alias("h")).distinct()

    def read(rows: Rows) -> Found:
        epoch = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
        moments = (epoch + dt.timedelta(hours=row[0]) for row in rows)
        present = {start_of(window.granularity, moment) for moment in moments}
        return {aggregate: tuple(sorted(present.intersection(expected)))}

    return Query((aggregate,), build, read)


def _inside(hour: SparkColumn, window: Window, expected: Sequence[dt.datetime]) -> SparkColumn:
    """Only rows of the window count, which also bounds what is collected."""
    if not expected:
        return F.lit(False)
    end = next_start(window.granularity, expected[-1])
    return (hour >= _hour(expected[0])) & (hour < _hour(end))


def _hour(moment: dt.datetime) -> int:
    return micros(moment) // HOUR


def _hours(bound: Bound) -> SparkColumn:
    """Whole hours since 1970 in UTC; a date is its midnight."""
    match bound.type:
        case T.DateType():
            return F.unix_date(bound.column).cast("bigint") * 24
        case T.TimestampNTZType():
            days = F.unix_date(bound.column.cast("date")).cast("bigint")
            return days * 24 + F.hour(bound.column)
        case _:
            return F.floor(F.unix_micros(bound.column) / F.lit(HOUR)).cast("bigint")


def _coarse(hours: SparkColumn, granularity: Granularity) -> SparkColumn:
    """One number for all hours of a day where days are enough, so that little is collected."""
    return hours if granularity is Granularity.HOURLY else F.floor(hours / 24).cast("bigint") * 24
