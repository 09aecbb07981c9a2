"""Measurements → `Verdict`: did the rule hold, and the sentence that a person reads.

Fail closed: what could not be measured has not passed, and an undefined metric fails its rule.
"""

from __future__ import annotations

import datetime as dt
import enum
import math
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from dqx_dagster.checks.rule import Claim, Rule
from dqx_dagster.checks.threshold import TRUE, Threshold
from dqx_dagster.checks.vocabulary import Unit
from dqx_dagster.metrics.metric import (
    ROWS,
    Age,
    Aggregate,
    Function,
    Measurement,
    Measurements,
    Number,
    SqlQuery,
    Unmeasurable,
    as_instant,
    evaluate,
    leaves,
)
from dqx_dagster.metrics.periods import Granularity

_LISTED = 10


class Outcome(enum.Enum):
    """What became of a rule."""

    PASSED = "passed"
    FAILED = "failed"
    OBSERVED = "observed"  # measured; the contract allows anything
    UNKNOWN = "unknown"  # could not be measured: not passed


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to a rule."""

    rule: Rule
    outcome: Outcome
    actual: int | float | str | None
    reason: str
    details: tuple[str, ...] = ()  # missing periods, mismatched columns
    counted: int | None = None  # how many rows the sentence speaks of
    fraction: float | None = None  # their share of all rows

    @property
    def passed(self) -> bool:
        """Whether the table may be used as far as this rule goes."""
        return self.outcome in (Outcome.PASSED, Outcome.OBSERVED)

    @property
    def failed_rows(self) -> int | None:
        """How many rows break the rule; of a repeated key the first is not counted."""
        return self.counted if self.rule.claim.counts_failures else None


def judge(rule: Rule, measurements: Measurements, now: dt.datetime | None = None) -> Verdict:
    """Judge one rule; `now` is the clock, which rules about time need."""
    claim = rule.claim
    actual = evaluate(claim.metric, measurements, now)
    if isinstance(actual, bool) and _is_sql(claim):
        # Without an operator it is there to be true.
        claim = replace(claim, threshold=claim.threshold or TRUE, unit=Unit.TRUTH)
        actual = int(actual)
    if isinstance(actual, Unmeasurable):
        return Verdict(rule, Outcome.UNKNOWN, None, f"could not be measured: {actual.reason}")
    details = tuple(_detail(item, claim) for item in actual) if isinstance(actual, tuple) else ()
    number: Measurement = len(actual) if isinstance(actual, tuple) else actual
    outcome = _outcome(claim.threshold, number)
    if outcome is Outcome.UNKNOWN:
        reason = "could not be measured: the threshold does not fit the column's type"
        return Verdict(rule, outcome, None, reason)
    found = _found(claim, number, measurements, details)
    reason = f"{found}{_future(claim, measurements, now)}; {allowed(claim)}"
    return Verdict(rule, outcome, _plain(number), reason, details, *_share(claim, measurements))


def _share(claim: Claim, measurements: Measurements) -> tuple[int | None, float | None]:
    """The rows that the claim counts, and their share of all rows."""
    if claim.counted is None:
        return None, None
    count, rows = evaluate(claim.counted, measurements), evaluate(ROWS, measurements)
    if not isinstance(count, int) or not isinstance(rows, int):
        return None, None
    return count, count / rows if rows else 0.0


def _outcome(limit: Threshold | None, actual: Measurement) -> Outcome:
    if limit is None:
        return Outcome.OBSERVED
    if actual is None:
        return Outcome.FAILED
    number = isinstance(actual, int | float | Decimal | Fraction) and not isinstance(actual, bool)
    moment = isinstance(actual, dt.date)
    if not (moment if limit.temporal else number):
        return Outcome.UNKNOWN
    assert isinstance(actual, int | float | Decimal | Fraction | dt.date)
    return Outcome.PASSED if limit.admits(actual) else Outcome.FAILED


def _found(
    claim: Claim, actual: Measurement, measurements: Measurements, details: tuple[str, ...]
) -> str:
    """What was measured, as the first half of the sentence."""
    if actual is None:
        return f"{claim.says} is undefined: {_lack(claim)}"
    comma = "; " if claim.unit is Unit.COLUMNS else ", "  # what is said of columns has commas
    listed = comma.join(details[:_LISTED]) + (f"{comma}…" if len(details) > _LISTED else "")
    listed = f": {listed}" if details else ""
    match claim.unit:
        case Unit.ROWS | Unit.SHARE | Unit.PERCENT:
            return _rows_found(claim, measurements)
        case Unit.HOURS:
            return (
                f"{claim.says} is {_told(actual, claim)} {'hour' if actual == 1 else 'hours'} old"
            )
        case Unit.PERIODS:
            noun = "period has" if actual == 1 else "periods have"
            return f"{_amount(actual)} {claim.says} {noun} no rows{listed}"
        case Unit.COLUMNS:
            noun = "column does" if actual == 1 else "columns do"
            return f"{_amount(actual)} {noun} not match the contract{listed}"
        case Unit.TRUTH if actual in (0, 1):
            return f"{claim.says} is {'true' if actual else 'false'}"
        case Unit.VALUE | Unit.TRUTH:
            return f"{claim.says} is {_told(actual, claim)}"


def _lack(claim: Claim) -> str:
    """A variance needs two values, everything else one."""
    if _is_sql(claim):
        return "it is NULL"
    functions = {leaf.function for leaf in leaves(claim.metric) if isinstance(leaf, Aggregate)}
    return f"there are {'too few' if Function.VARIANCE in functions else 'no'} values"


def _is_sql(claim: Claim) -> bool:
    """Whether it is about whatever a query gives."""
    match claim.metric:
        case SqlQuery() | Aggregate(function=Function.SQL):
            return True
        case _:
            return False


def _told(actual: Measurement, claim: Claim) -> str:
    """The value, short; in full where the short form would look like a bound that it is not."""
    short = _amount(actual)
    limit = claim.threshold
    if isinstance(actual, int | dt.date) or limit is None or short not in str(limit).split(" "):
        return short
    return repr(_plain(actual)) if _plain(actual) not in (limit.low, limit.high) else short


def _rows_found(claim: Claim, measurements: Measurements) -> str:
    assert claim.counted is not None
    count, rows = evaluate(claim.counted, measurements), evaluate(ROWS, measurements)
    if not isinstance(count, int) or not isinstance(rows, int):
        return f"{_amount(count)} rows {claim.says}"
    share = f" ({_percent(Fraction(100 * count, rows))})" if count and rows else ""
    return f"{count:,} of {rows:,} rows{share} {claim.says}"


def allowed(claim: Claim) -> str:
    """What the contract allows, as the second half of the sentence."""
    limit = claim.threshold
    if limit is None:
        return "recorded, not judged"
    if claim.unit in (Unit.ROWS, Unit.SHARE, Unit.PERCENT, Unit.PERIODS, Unit.COLUMNS):
        if limit.inside and limit.high == 0 and limit.low in (None, 0):
            return "allowed: none"
        if claim.unit is Unit.SHARE:
            hundred = Threshold(_times(limit.low), _times(limit.high), limit.inside)
            return f"allowed: {hundred.describe(' %')}"
    if claim.unit is Unit.TRUTH:
        return f"allowed: {'true' if limit.admits(1) else 'false'}"
    units = {Unit.PERCENT: " %", Unit.HOURS: " hours"}
    return f"allowed: {limit.describe(units.get(claim.unit, ''))}"


def _times(bound: object) -> int | float | None:
    if not isinstance(bound, int | float):
        return None
    scaled = Decimal(repr(bound)) * 100
    return int(scaled) if scaled == scaled.to_integral_value() else float(scaled)


def _future(claim: Claim, measurements: Measurements, now: dt.datetime | None) -> str:
    """Data from the future has age 0, and a person should know."""
    if isinstance(claim.metric, Age) and now is not None:
        instant = as_instant(evaluate(claim.metric.of, measurements))
        if instant is not None and instant > now:
            return " (it lies in the future)"
    return ""


def _plain(actual: Measurement) -> int | float | str | None:
    """The value as JSON and Dagster can hold it."""
    match actual:
        case None | bool():
            return None
        case int() | str():
            return actual
        case float() | Decimal() | Fraction():
            return _number(actual)
        case _:
            return _moment(actual)


def _number(value: Number) -> int | float:
    if isinstance(value, float) and not math.isfinite(value):
        return value
    return int(value) if value == int(value) and not isinstance(value, float) else float(value)


def _moment(value: object) -> str:
    if isinstance(value, dt.datetime):
        text = value.isoformat().replace("+00:00", "Z")
        return text.removesuffix("T00:00:00Z")
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def _detail(item: object, claim: Claim) -> str:
    """A column or a period; an hour that is midnight is told as an hour, not as a day."""
    if isinstance(item, dt.datetime) and claim.says == Granularity.HOURLY.value:
        return f"{item:%Y-%m-%dT%H:%M}Z"
    return _moment(item)


def _amount(value: Measurement) -> str:
    match value:
        case int():
            return f"{value:,}"
        case float() | Decimal() | Fraction():
            return _short(_number(value))
        case _:
            return _moment(value)


def _short(number: int | float) -> str:
    """Six digits, more only before the point."""
    if isinstance(number, int):
        return f"{number:,}"
    if not math.isfinite(number):
        return "NaN, not a number" if math.isnan(number) else "infinite"
    if abs(number) < 1000 or abs(number) >= 1e15:
        return f"{number:.6g}"
    return f"{number:,.3f}".rstrip("0").rstrip(".")


def _percent(value: Fraction) -> str:
    """Two significant digits at least, and never 0 % or 100 % for what is not."""
    number = float(value)
    if value < Fraction(1, 100):
        return "< 0.01 %"
    if value < 100 and number > 99.99:
        return "> 99.99 %"
    return f"{number:.2f}".rstrip("0").rstrip(".") + " %"
