"""Periods of time that a table should have rows for.

Weeks start on Monday, everything is in UTC. The window is `[now - lookback, now)`; a period is
expected when all of it lies in the window, and the running one only when it is asked for.

>>> now = dt.datetime(2026, 3, 5, 10, tzinfo=dt.timezone.utc)
>>> [p.isoformat() for p in expected_periods(Window(Granularity.DAILY, 3), now)]
['2026-03-03T00:00:00+00:00', '2026-03-04T00:00:00+00:00']
"""

from __future__ import annotations

import datetime as dt
import enum
from dataclasses import dataclass


class Granularity(enum.Enum):
    """How long one period is."""

    HOURLY = "hourly"
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"


@dataclass(frozen=True, slots=True)
class Window:
    """The periods that are looked at, counted back from the clock."""

    granularity: Granularity
    lookback_days: int
    with_current: bool = False


def start_of(granularity: Granularity, moment: dt.datetime) -> dt.datetime:
    """The start of the period that `moment` lies in."""
    hour = moment.replace(minute=0, second=0, microsecond=0)
    day = hour.replace(hour=0)
    match granularity:
        case Granularity.HOURLY:
            return hour
        case Granularity.DAILY:
            return day
        case Granularity.WEEKLY:
            return day - dt.timedelta(days=day.weekday())
        case Granularity.MONTHLY:
            return day.replace(day=1)


def next_start(granularity: Granularity, start: dt.datetime) -> dt.datetime:
    """The start of the period after the one that begins at `start`."""
    match granularity:
        case Granularity.HOURLY:
            return start + dt.timedelta(hours=1)
        case Granularity.DAILY:
            return start + dt.timedelta(days=1)
        case Granularity.WEEKLY:
            return start + dt.timedelta(days=7)
        case Granularity.MONTHLY:
            return (start + dt.timedelta(days=32)).replace(day=1)


def expected_periods(window: Window, now: dt.datetime) -> tuple[dt.datetime, ...]:
    """The starts of the periods that must have rows, oldest first."""
    clock = now.astimezone(dt.timezone.utc)
    earliest = clock - dt.timedelta(days=window.lookback_days)
    start = start_of(window.granularity, earliest)
    if start < earliest:
        start = next_start(window.granularity, start)
    periods = []
    while start < clock:
        end = next_start(window.granularity, start)
        if end <= clock or window.with_current:
            periods.append(start)
        start = end
    return tuple(periods)
