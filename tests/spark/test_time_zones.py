"""Ages and periods do not depend on a zone: not the session's, not the process's.

A timestamp is an instant. A timestamp without zone and a date are in UTC, whatever the session's
zone is: also where their clock shows an hour that the zone leaves out or has twice.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Iterator
from fractions import Fraction
from typing import Final
from zoneinfo import ZoneInfo

import pytest
from oracle.algebra import UTC, periods
from oracle.sessions import INTERPRETED, ZONE, session_with
from pyspark.sql import DataFrame, SparkSession

from dqx_dagster.metrics.metric import HOUR, Age, Aggregate, Function, evaluate
from dqx_dagster.metrics.periods import Granularity, Window
from dqx_dagster.metrics.plan import plan_metrics
from dqx_dagster.metrics.predicate import OneOf
from dqx_dagster.metrics.value import Column, literal
from dqx_dagster.spark.measure import measure

NOW: Final = dt.datetime(2026, 12, 31, 23, 30, tzinfo=UTC)
MICROSECOND: Final = dt.timedelta(microseconds=1)
HALF_AN_HOUR: Final = dt.timedelta(minutes=30)
ZONES: Final = (
    "UTC",
    "America/New_York",  # an hour of summer time
    "Australia/Lord_Howe",  # half an hour of it
    "America/Sao_Paulo",  # at midnight, until 2019
    "Pacific/Apia",  # left out a day of 2011
    "Asia/Kathmandu",  # 5:45 ahead
)

CHANGES: Final = (
    ("America/New_York", "2026-03-08T02:00"),  # 2:00 to 3:00 is left out
    ("America/New_York", "2026-11-01T01:00"),  # 1:00 to 2:00 comes twice
    ("Australia/Lord_Howe", "2026-04-05T01:30"),
    ("Australia/Lord_Howe", "2026-10-04T02:00"),
    ("America/Sao_Paulo", "2018-11-04T00:00"),
    ("America/Sao_Paulo", "2019-02-16T23:00"),
    ("Pacific/Apia", "2011-12-30T00:00"),
    ("Europe/London", "2026-03-29T01:00"),
    ("Europe/London", "2026-10-25T01:00"),
)
"""Where clocks change, by the clock that changes."""

OTHERS: Final = (
    "0001-01-01T00:00:00",
    "1582-10-15T00:00:00",  # the first day of the calendar
    "1883-11-18T12:03:57",  # before zones, noon depended on the town
    "1969-12-31T23:59:59.999999",
    "1970-01-01T00:00:00",
    "2024-02-29T23:59:59.5",
    "2025-12-31T23:59:59.999999",
    "2026-01-01T00:00:00",
    "2026-01-01T04:59:59.999999",
    "2026-06-30T23:59:59.999999",
    "2026-12-31T22:59:59.999999",
    "2026-12-31T23:00:00",
    "2027-01-01T05:00:00",  # in the future
    "9999-12-31T23:59:59.999999",
)
"""Edges of years, days and hours, in UTC."""


def _instants() -> Iterator[dt.datetime]:
    for zone, text in CHANGES:
        local = dt.datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))
        change = max(local.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
        yield from (change - HALF_AN_HOUR, change, change + HALF_AN_HOUR)
    for text in OTHERS:
        yield dt.datetime.fromisoformat(text).replace(tzinfo=UTC)


INSTANTS: Final = tuple(_instants())
COLUMNS: Final = ("at", "local", "day")


@pytest.fixture(params=ZONES)
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A zone of the session, in a process that is somewhere else."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield str(request.param)
    monkeypatch.undo()
    time.tzset()


def table_in(spark: SparkSession, zone: str) -> DataFrame:
    session = session_with(spark, {ZONE: zone, **INTERPRETED})
    rows = [(n, at, local(at, zone), local(at, zone).date()) for n, at in enumerate(INSTANTS)]
    return session.createDataFrame(rows, "n int, at timestamp, local timestamp_ntz, day date")


def local(at: dt.datetime, zone: str) -> dt.datetime:
    """What a clock of the zone shows; at the ends of the calendar, what a clock of UTC shows."""
    shown = at.astimezone(ZoneInfo(zone)) if 1 < at.year < 9999 else at
    return shown.replace(tzinfo=None, fold=0)


def in_utc(at: dt.datetime, zone: str, column: str) -> dt.datetime:
    """The instant that a value of the column stands for."""
    if column == "at":
        return at
    shown = local(at, zone).replace(tzinfo=UTC)
    return shown if column == "local" else shown.replace(hour=0, minute=0, second=0, microsecond=0)


def test_about_forty_instants_are_tried() -> None:
    assert len(set(INSTANTS)) == len(INSTANTS) == 41


def test_ages_do_not_depend_on_the_zone(zone: str, spark: SparkSession) -> None:
    number = Column(("n",))
    latest = {
        (n, name): Aggregate(Function.MAX, Column((name,)), where=OneOf(number, (literal(n),)))
        for n in range(len(INSTANTS))
        for name in COLUMNS
    }

    found = measure(table_in(spark, zone), plan_metrics(latest.values()), now=NOW)

    ages = {key: evaluate(Age(aggregate), found, NOW) for key, aggregate in latest.items()}
    passed = {(n, name): NOW - in_utc(INSTANTS[n], zone, name) for n, name in latest}
    assert ages == {
        key: max(Fraction(0), Fraction(delta // MICROSECOND, HOUR)) for key, delta in passed.items()
    }


def test_periods_do_not_depend_on_the_zone(zone: str, spark: SparkSession) -> None:
    windows = [
        Window(Granularity.HOURLY, 365, with_current=True),
        Window(Granularity.DAILY, 365, with_current=True),
        Window(Granularity.MONTHLY, 365, with_current=True),
    ]
    present = {
        (name, window): Aggregate(Function.PERIODS, Column((name,)), argument=window)
        for name in COLUMNS
        for window in windows
    }

    found = measure(table_in(spark, zone), plan_metrics(present.values()), now=NOW)

    for (name, window), aggregate in present.items():
        moments = [in_utc(at, zone, name) for at in INSTANTS]
        assert found[aggregate] == periods(moments, window, NOW), (name, window)
