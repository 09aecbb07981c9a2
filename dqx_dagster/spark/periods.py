"""Which periods of a window have rows, in arithmetic that no time zone touches."""

from __future__ import annotations

import datetime as dt

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql import types as T  # noqa: N812

from dqx_dagster.metrics.metric import HOUR, Aggregate, Measurement
from dqx_dagster.metrics.periods import Granularity, Window, expected_periods, next_start, start_of
from dqx_dagster.spark.binding import Bound
from dqx_dagster.spark.compile import Compiler
from dqx_dagster.spark.literals import micros


def present_periods(
    table: DataFrame, compiler: Compiler, aggregate: Aggregate, now: dt.datetime
) -> Measurement:
    """The starts of the window's periods that have a row."""
    window = aggregate.argument
    assert isinstance(window, Window)
    expected = expected_periods(window, now)
    if not expected:
        return ()
    hour = _hours(compiler.moment(aggregate.of))
    end = next_start(window.granularity, expected[-1])
    inside = (hour >= _hour(expected[0])) & (hour < _hour(end))
    hours = _coarse(hour, window.granularity)
    rows = table.where(compiler.holds(aggregate.where)).where(inside)
    found = rows.select(hours.alias("h")).distinct().collect()
    epoch = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
    moments = {start_of(window.granularity, epoch + dt.timedelta(hours=row[0])) for row in found}
    return tuple(sorted(moments & set(expected)))


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
