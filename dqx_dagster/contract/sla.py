"""Service levels → how old data may be, and when new data is due.

>>> to_hours(2, "d"), to_hours("PT90M", None), to_hours(1, "y")
(48.0, 1.5, 8760.0)
>>> period_hours("0 */6 * * *"), period_hours("0 6 * * 1-5"), period_hours("0 0 * * 2,4")
(6, 24, None)
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Final

from croniter import croniter

UNITS: Final = {
    "seconds": ("s", "sec", "second", "seconds"),
    "minutes": ("min", "mins", "minute", "minutes"),
    "hours": ("h", "hr", "hrs", "hour", "hours"),
    "days": ("d", "day", "days"),
    "weeks": ("w", "wk", "week", "weeks"),
    "months": ("mo", "mon", "month", "months"),
    "years": ("y", "yr", "yrs", "year", "years"),
}
_HOURS = {"seconds": 1 / 3600, "minutes": 1 / 60, "hours": 1.0, "days": 24.0}
_HOURS |= {"weeks": 168.0, "months": 720.0, "years": 8760.0}
HOURS_OF_UNIT: Final = {word: _HOURS[unit] for unit, words in UNITS.items() for word in words}

BUFFER_HOURS = 1
"""What the native format adds to every lag."""

LONG_LAG_HOURS = 168
MAX_HOURS = 8760.0 * 1000
"""A thousand years: beyond that, a time is a mistake."""

_DURATION = re.compile(
    r"P(?:(?P<years>\d+(?:\.\d+)?)Y)?(?:(?P<months>\d+(?:\.\d+)?)M)?(?:(?P<weeks>\d+(?:\.\d+)?)W)?"
    r"(?:(?P<days>\d+(?:\.\d+)?)D)?"
    r"(?:T(?:(?P<hours>\d+(?:\.\d+)?)H)?(?:(?P<minutes>\d+(?:\.\d+)?)M)?"
    r"(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?\Z"
)
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,15})?\Z")
_TIME_OF_DAY = re.compile(
    r"(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::[0-5]\d)?"
    r"\s*(?:(?P<zulu>Z|UTC)|(?P<sign>[-+])(?P<hours>0\d|1[0-4]):?(?P<minutes>[0-5]\d))?\Z"
)


def to_hours(value: object, unit: str | None) -> float | None:
    """An amount of time in hours, or None where it is not one.

    `value` is a number (also as text) with a unit, or an ISO-8601 duration without one.
    """
    if isinstance(value, str):
        if unit is None and (match := _DURATION.match(value)) and len(value) > len("PT"):
            parts = {name: float(text) for name, text in match.groupdict().items() if text}
            hours = sum(_HOURS[name] * amount for name, amount in parts.items())
            return hours if 0 < hours < MAX_HOURS else None
        if not _NUMBER.match(value.strip()):
            return None
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    factor = HOURS_OF_UNIT.get((unit or "h").strip().lower())
    if factor is None:
        return None
    amount = round(float(value) * factor, 9)
    return amount if amount < MAX_HOURS else None


_NAMES = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat"
_CRON_TEXT = rf"(?:[\d*,/\s-]|{_NAMES})+"
_CRON_FIELDS = (
    ("minute", 0, 59),
    ("hour", 0, 23),
    ("day", 1, 31),
    ("month", 1, 12),
    ("weekday", 0, 7),
)


@functools.lru_cache(maxsize=1024)
def cron_error(expression: str) -> str | None:
    """What is wrong with a five-field cron expression; None when it is sound."""
    fields = expression.split()
    if len(fields) != len(_CRON_FIELDS):
        return f"a cron expression has 5 fields, this one has {len(fields)}"
    for text, (name, low, high) in zip(fields, _CRON_FIELDS, strict=True):
        wrong = [n for n in re.findall(r"(?<![/\w])\d+", text) if not low <= int(n[:9]) <= high]
        if wrong:
            return f"{name} {wrong[0]} is not in {low} to {high}"
    if not re.fullmatch(_CRON_TEXT, expression, flags=re.IGNORECASE):
        return "a field is not acceptable"
    try:
        _, _, days, months, weekdays, *_ = croniter.expand(expression)[0]
    except Exception:  # noqa: BLE001 - croniter raises many kinds for bad input
        return "a field is not acceptable"
    if weekdays == ["*"] and "*" not in (days[0], months[0]) and not _dates_exist(days, months):
        return "there is no such date"
    return None


def _dates_exist(days: Sequence[object], months: Sequence[object]) -> bool:
    lengths = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}
    return any(
        isinstance(month, int) and (not isinstance(day, int) or day <= lengths.get(month, 31))
        for day in days
        for month in months
    )


_FIXED_PERIODS = (
    (r"0 \* \* \* \*", 1),
    (r"0 (?:\d|1\d|2[0-3]) \* \* \*", 24),
    (r"0 (?:\d|1\d|2[0-3]) \* \* (?:1-5|MON-FRI)", 24),
    (r"0 (?:\d|1\d|2[0-3]) \* \* (?:[0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)", 168),
    (r"0 (?:\d|1\d|2[0-3]) 1 \* \*", 720),
)


def period_hours(cron: str) -> int | None:
    """The time between two runs of a schedule, for the patterns that the native format lists.

    Hourly, daily, every N hours, business days, weekly, monthly. Of any other pattern no single
    period can be told: None.
    """
    text = " ".join(cron.split())
    for pattern, hours in _FIXED_PERIODS:
        if re.fullmatch(pattern, text, flags=re.IGNORECASE):
            return hours
    every = re.fullmatch(r"0 \*/([1-9]|1\d|2[0-3]) \* \* \*", text)
    return int(every.group(1)) if every else None


def max_age_hours(lag_hours: float, period: int, *, partitioned: bool) -> float:
    """How old the newest data may be under a native `sla` block."""
    return lag_hours + (period if partitioned else 0) + BUFFER_HOURS


def daily_schedule(time_of_day: str) -> tuple[str, str] | None:
    """The cron expression and zone of an ODCS `timeOfAvailability`, like `09:00-08:00`.

    >>> daily_schedule("09:00-08:00"), daily_schedule("09:30+05:30")
    (('0 9 * * *', 'Etc/GMT+8'), ('0 4 * * *', 'UTC'))
    """
    match = _TIME_OF_DAY.match(time_of_day.strip())
    if match is None:
        return None
    hour, minute = int(match["hour"]), int(match["minute"])
    if match["sign"] is None:
        return (f"{minute} {hour} * * *", "UTC")
    offset = int(match["hours"]) * 60 + int(match["minutes"])
    offset = -offset if match["sign"] == "-" else offset
    if offset % 60 == 0 and offset:
        # POSIX names count westwards: Etc/GMT+8 is eight hours *behind* UTC.
        return (f"{minute} {hour} * * *", f"Etc/GMT{-offset // 60:+d}")
    utc = (hour * 60 + minute - offset) % (24 * 60)
    return (f"{utc % 60} {utc // 60} * * *", "UTC")
