"""Periods against a brute force that walks through all hours."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dqx_dagster.metrics.periods import (
    Granularity,
    Window,
    expected_periods,
    next_start,
    start_of,
)

UTC = dt.timezone.utc
MOMENTS = st.datetimes(
    min_value=dt.datetime(2019, 1, 1),  # noqa: DTZ001 - hypothesis puts the zone on
    max_value=dt.datetime(2029, 1, 1),  # noqa: DTZ001
    timezones=st.integers(-12, 14).map(lambda hours: dt.timezone(dt.timedelta(hours=hours))),
)
BEGINS: dict[Granularity, Callable[[dt.datetime], bool]] = {
    Granularity.HOURLY: lambda _: True,
    Granularity.DAILY: lambda hour: hour.hour == 0,
    Granularity.WEEKLY: lambda hour: hour.hour == 0 and hour.strftime("%A") == "Monday",
    Granularity.MONTHLY: lambda hour: hour.hour == 0 and hour.day == 1,
}


def all_starts(granularity: Granularity, first: dt.datetime, hours: int) -> list[dt.datetime]:
    """Every start of a period among some hours."""
    whole = first.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    walked = (whole + dt.timedelta(hours=hour) for hour in range(hours))
    return [hour for hour in walked if BEGINS[granularity](hour)]


@given(st.sampled_from(Granularity), st.integers(1, 70), st.booleans(), MOMENTS)
def test_expected_are_the_whole_periods_of_the_window(
    granularity: Granularity, days: int, with_current: bool, now: dt.datetime
) -> None:
    earliest = now - dt.timedelta(days=days)
    starts = all_starts(granularity, earliest - dt.timedelta(days=1), 24 * (days + 40))
    expected = tuple(
        start
        for start, end in pairwise(starts)
        if earliest <= start < now and (end <= now or with_current)
    )
    assert expected_periods(Window(granularity, days, with_current), now) == expected


@given(st.sampled_from(Granularity), MOMENTS)
def test_a_moment_lies_in_the_period_that_starts_last(
    granularity: Granularity, moment: dt.datetime
) -> None:
    utc = moment.astimezone(UTC)
    before = all_starts(granularity, utc - dt.timedelta(days=32), 24 * 32 + 1)
    start = start_of(granularity, utc)
    assert start == before[-1]
    assert start <= utc < next_start(granularity, start)


@given(st.sampled_from(Granularity), MOMENTS)
def test_periods_follow_each_other_without_a_gap(
    granularity: Granularity, moment: dt.datetime
) -> None:
    start = start_of(granularity, moment.astimezone(UTC))
    following = next_start(granularity, start)
    assert start_of(granularity, following) == following
    assert start_of(granularity, following - dt.timedelta(microseconds=1)) == start


@pytest.mark.parametrize(
    ("granularity", "now", "days", "expected"),
    [
        (Granularity.MONTHLY, "2024-03-01T00:00:00+00:00", 29, ["2024-02-01"]),
        (Granularity.MONTHLY, "2023-03-01T00:00:00+00:00", 29, ["2023-02-01"]),
        (Granularity.MONTHLY, "2024-03-01T00:00:00+00:00", 28, []),
        (Granularity.WEEKLY, "2026-03-02T00:00:00+00:00", 7, ["2026-02-23"]),
        (Granularity.WEEKLY, "2026-03-01T23:59:59+00:00", 13, []),
        (Granularity.DAILY, "2026-01-02T00:30:00+01:00", 1, []),
        (Granularity.DAILY, "2026-01-02T01:00:00+01:00", 1, ["2026-01-01"]),
    ],
)
def test_edges(granularity: Granularity, now: str, days: int, expected: list[str]) -> None:
    found = expected_periods(Window(granularity, days), dt.datetime.fromisoformat(now))
    assert [start.date().isoformat() for start in found] == expected
