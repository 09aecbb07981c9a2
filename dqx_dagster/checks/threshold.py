"""Operators → `Threshold`: the set that a metric must lie in.

All operators of both dialects are rows of one table, with one normal form: a closed interval that
the tolerance widens, and whether the metric must lie inside it or outside.

>>> at_most = threshold("mustBeLessOrEqualTo", 5)
>>> at_most.admits(5), at_most.admits(6), str(at_most)
(True, False, 'at most 5')
>>> str(threshold("mustBeGreaterThan", 0)), str(threshold("between", [1, 2]))
('more than 0', '1 to 2')
"""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeAlias

from dqx_dagster.metrics.metric import Number, as_instant

TOLERANCE: Final = 1e-9
Bound: TypeAlias = int | float | dt.datetime


class ThresholdError(ValueError):
    """A threshold that cannot be; the text continues a sentence that names the rule."""


class Operator(NamedTuple):
    """One row of the table: which interval an operator spans, and on which side to be."""

    low: bool
    high: bool
    inside: bool
    pair: bool = False


ODCS_OPERATORS: Final = {
    "mustBe": Operator(low=True, high=True, inside=True),
    "mustNotBe": Operator(low=True, high=True, inside=False),
    "mustBeGreaterThan": Operator(low=False, high=True, inside=False),
    "mustBeGreaterOrEqualTo": Operator(low=True, high=False, inside=True),
    "mustBeLessThan": Operator(low=True, high=False, inside=False),
    "mustBeLessOrEqualTo": Operator(low=False, high=True, inside=True),
    "mustBeBetween": Operator(low=True, high=True, inside=True, pair=True),
    "mustNotBeBetween": Operator(low=True, high=True, inside=False, pair=True),
}
VALIDATORS: Final = {
    "min": ODCS_OPERATORS["mustBeGreaterOrEqualTo"],
    "max": ODCS_OPERATORS["mustBeLessOrEqualTo"],
    "between": ODCS_OPERATORS["mustBeBetween"],
    "not_between": ODCS_OPERATORS["mustNotBeBetween"],
    "equals": ODCS_OPERATORS["mustBe"],
}
OPERATORS: Final = ODCS_OPERATORS | VALIDATORS


@dataclass(frozen=True, slots=True)
class Threshold:
    """The numbers, or moments, that a metric may have. `None` is an open end."""

    low: Bound | None = None
    high: Bound | None = None
    inside: bool = True
    tolerance: float = TOLERANCE

    def admits(self, actual: Number | dt.date | dt.datetime) -> bool:
        """Whether the value lies in the set. Exact at any size; NaN lies in no set."""
        if isinstance(actual, float) and math.isnan(actual):
            return False
        value, widen = _exact(actual), _exact(self.tolerance)
        above = self.low is None or value >= _exact(self.low) - widen
        below = self.high is None or value <= _exact(self.high) + widen
        return (above and below) is self.inside

    def on_range(self, low: int | None, high: int | None) -> bool | None:
        """True if it admits every number of a range, False if none; None if it depends."""
        least = float("-inf") if low is None else low
        most = float("inf") if high is None else high
        start = float("-inf") if self.low is None else self._number(self.low) - self.tolerance
        end = float("inf") if self.high is None else self._number(self.high) + self.tolerance
        if end < least or start > most:
            return not self.inside
        if start <= least and most <= end:
            return self.inside
        return None

    @staticmethod
    def _number(bound: Bound) -> float:
        assert not isinstance(bound, dt.datetime)
        return float(bound)

    @property
    def temporal(self) -> bool:
        """Whether it is about moments, not numbers."""
        return isinstance(self.low, dt.datetime) or isinstance(self.high, dt.datetime)

    def __str__(self) -> str:
        return self.describe()

    def describe(self, unit: str = "") -> str:
        """What is allowed, in words; `unit` goes behind the numbers."""
        within = "" if self.tolerance <= TOLERANCE else f" ± {_number(self.tolerance)}"
        return f"{self._words(unit)}{within}"

    def _words(self, unit: str) -> str:
        low, high = (_shown(bound, unit) for bound in (self.low, self.high))
        match (self.low is None, self.high is None, self.inside):
            case (False, False, inside) if self.low == self.high:
                return f"exactly {low}" if inside else f"anything but {low}"
            case (False, False, inside):
                return f"{low} to {high}" if inside else f"outside {low} to {high}"
            case (False, True, inside):
                return f"at least {low}" if inside else f"less than {low}"
            case (True, False, inside):
                return f"at most {high}" if inside else f"more than {high}"
            case _:
                return "anything"


TRUE: Final = Threshold(1, 1)
"""What a truth must be that no operator judges."""


def threshold(operator: str, value: Any, tolerance: Any = TOLERANCE) -> Threshold:
    """The threshold of one operator; raises `ThresholdError` where there is none."""
    row = OPERATORS[operator]
    if row.pair:
        if not isinstance(value, list) or len(value) != 2:
            raise ThresholdError(f"{operator} must be a list of [lower, upper], got: {value}")
        low, high = (_bound(operator, item) for item in value)
        if isinstance(low, dt.datetime) is not isinstance(high, dt.datetime):
            raise ThresholdError(f"{operator} mixes a date and a number")
        if low > high:  # type: ignore[operator]
            raise ThresholdError(f"{operator}: the lower bound {value[0]} is above {value[1]}")
    else:
        low = high = _bound(operator, value)
    return Threshold(
        low=low if row.low else None,
        high=high if row.high else None,
        inside=row.inside,
        tolerance=_tolerance(tolerance),
    )


def _tolerance(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ThresholdError(f"tolerance must be a number, got: {value}")
    if value < 0:
        raise ThresholdError(f"tolerance must not be negative, got: {value}")
    return float(value)


def _bound(operator: str, value: Any) -> Bound:
    if isinstance(value, str) and (moment := parse_moment(value)):
        return moment
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ThresholdError(f"{operator} must be a number, got: {value}")
    return value


_ISO = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{3}|\.[0-9]{6})?)?"
    r"(?:Z|[+-][0-9]{2}:[0-9]{2})?)?"
)


def parse_moment(text: str) -> dt.datetime | None:
    """An ISO date or timestamp as an instant; without a zone it is UTC."""
    if not _ISO.fullmatch(text.strip()):
        return None  # newer Pythons read more forms; a contract must mean the same on all
    try:
        # Python 3.10 reads neither `Z` nor offsets without a colon.
        moment = as_instant(dt.datetime.fromisoformat(text.strip().replace("Z", "+00:00")))
        return moment.astimezone(dt.timezone.utc) if moment else None
    except (ValueError, OverflowError):  # no such date; none in UTC
        return None


_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)


def _exact(value: Number | dt.date | dt.datetime) -> Fraction | float:
    """A value without rounding: 0.1 is what was written, not the nearest binary fraction."""
    if isinstance(value, dt.date):
        instant = as_instant(value)
        assert instant is not None
        return Fraction((instant - _EPOCH) // dt.timedelta(microseconds=1))
    if isinstance(value, float):
        return Fraction(Decimal(repr(value))) if math.isfinite(value) else value
    return Fraction(value)


def _shown(bound: Bound | None, unit: str) -> str:
    if isinstance(bound, dt.datetime):
        utc = bound.astimezone(dt.timezone.utc)
        return utc.isoformat().replace("+00:00", "Z").removesuffix("T00:00:00Z")
    return f"{_number(bound)}{unit}" if bound is not None else ""


def _number(value: int | float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.12g}"
