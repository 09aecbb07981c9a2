"""What a verdict says, and that nothing passes which was not measured."""

from __future__ import annotations

import datetime as dt
import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dqx_dagster.checks.rule import Claim, Rule, Severity
from dqx_dagster.checks.threshold import Threshold, threshold
from dqx_dagster.checks.verdict import Outcome, Verdict, judge
from dqx_dagster.checks.vocabulary import Unit
from dqx_dagster.errors import Origin
from dqx_dagster.metrics.metric import (
    ROWS,
    Age,
    Aggregate,
    Arithmetic,
    Combined,
    Field,
    Function,
    Gaps,
    Measurement,
    Measurements,
    Metric,
    Mismatches,
    Unmeasurable,
    count_set,
)
from dqx_dagster.metrics.periods import Granularity, Window
from dqx_dagster.metrics.value import Column

UTC = dt.timezone.utc
NOW = dt.datetime(2026, 3, 5, 10, tzinfo=UTC)
AMOUNT = Column(("amount",))
LARGEST = Aggregate(Function.MAX, AMOUNT)
BROKEN = count_set(AMOUNT)
SHARE = Combined(Arithmetic.SHARE, BROKEN, ROWS)


def rule(metric: Metric, limit: Threshold | None, **claim: Any) -> Rule:
    return Rule(
        name="rule",
        claim=Claim(metric, limit, **{"says": "maximum of amount", **claim}),
        severity=Severity.P1,
        origin=Origin("orders.yaml"),
        word="max",
    )


def of_rows(limit: Threshold | None, unit: Unit = Unit.ROWS) -> Rule:
    metric = SHARE if unit is Unit.SHARE else BROKEN
    return rule(metric, limit, says="are broken", unit=unit, counted=BROKEN)


@pytest.mark.parametrize("limit", [threshold("max", 5), threshold("mustNotBe", 5), None])
def test_what_could_not_be_measured_has_not_passed(limit: Threshold | None) -> None:
    asked = rule(LARGEST, limit)
    verdict = judge(asked, {LARGEST: Unmeasurable("there is no column 'amount'")})
    reason = "could not be measured: there is no column 'amount'"
    assert verdict == Verdict(asked, Outcome.UNKNOWN, None, reason)
    assert not verdict.passed


def test_what_nobody_measured_has_not_passed() -> None:
    asked = of_rows(threshold("max", 1), Unit.SHARE)
    incomplete: tuple[Measurements, ...] = ({}, {ROWS: 3}, {BROKEN: 0})
    for measurements in incomplete:
        reason = "could not be measured: it was not measured"
        assert judge(asked, measurements) == Verdict(asked, Outcome.UNKNOWN, None, reason)


@pytest.mark.parametrize("operator", ["max", "min", "mustNotBe", "mustBeLessThan"])
def test_an_undefined_metric_fails_whatever_the_threshold(operator: str) -> None:
    verdict = judge(rule(LARGEST, threshold(operator, 5)), {LARGEST: None})
    assert (verdict.outcome, verdict.actual) == (Outcome.FAILED, None)
    assert verdict.reason.startswith("maximum of amount is undefined: there are no values; ")


def test_without_a_threshold_an_undefined_metric_is_recorded() -> None:
    asked = rule(LARGEST, None)
    reason = "maximum of amount is undefined: there are no values; recorded, not judged"
    verdict = judge(asked, {LARGEST: None})
    assert verdict == Verdict(asked, Outcome.OBSERVED, None, reason)
    assert verdict.passed


@pytest.mark.parametrize(
    ("measured", "limit"),
    [
        ("text", threshold("max", 5)),
        (True, threshold("max", 5)),
        (dt.date(2026, 1, 1), threshold("max", 5)),
        (5, threshold("max", "2026-01-01")),
        ("2026-01-01", threshold("max", "2026-01-01")),
        # These two fail today, with a TypeError that stops the whole step.
        (dt.time(8, 30), threshold("max", 5)),
        (b"raw", threshold("max", 5)),
    ],
)
def test_a_threshold_of_another_type_is_no_answer(measured: Any, limit: Threshold) -> None:
    asked = rule(LARGEST, limit)
    reason = "could not be measured: the threshold does not fit the column's type"
    assert judge(asked, {LARGEST: measured}) == Verdict(asked, Outcome.UNKNOWN, None, reason)


@given(
    st.integers() | st.floats() | st.decimals(allow_nan=False, allow_infinity=False, places=3),
    st.sampled_from(["mustBe", "mustNotBe", "mustBeGreaterThan", "mustBeLessOrEqualTo"]),
    st.integers(-(10**20), 10**20),
)
def test_a_rule_passes_exactly_where_its_threshold_admits_the_number(
    actual: float | Decimal, operator: str, bound: int
) -> None:
    limit = threshold(operator, bound)
    verdict = judge(rule(LARGEST, limit), {LARGEST: actual})
    assert verdict.outcome is (Outcome.PASSED if limit.admits(actual) else Outcome.FAILED)
    assert verdict.passed is limit.admits(actual)
    assert judge(rule(LARGEST, None), {LARGEST: actual}).outcome is Outcome.OBSERVED


@pytest.mark.parametrize(
    ("measured", "actual"),
    [
        (3, 3),
        (2**60 + 1, 2**60 + 1),
        (2.5, 2.5),
        (math.inf, math.inf),
        (Decimal("3.00"), 3),
        (Decimal("0.1"), 0.1),
        (Fraction(1, 3), 1 / 3),
        (Fraction(6, 3), 2),
        ("text", "text"),
        (True, None),
        (dt.date(2026, 1, 1), "2026-01-01"),
        (dt.datetime(2026, 1, 1, 10, tzinfo=UTC), "2026-01-01T10:00:00Z"),
        (dt.datetime(2026, 1, 1, tzinfo=UTC), "2026-01-01"),
        (None, None),
    ],
)
def test_the_actual_value_is_one_that_json_holds(
    measured: Measurement, actual: float | str | None
) -> None:
    found = judge(rule(LARGEST, None), {LARGEST: measured}).actual
    assert (found, type(found)) == (actual, type(actual))


def shown_share(count: int, rows: int) -> str:
    reason = judge(of_rows(threshold("max", 0)), {BROKEN: count, ROWS: rows}).reason
    found = re.fullmatch(r"[\d,]+ of [\d,]+ rows(?: \((.+) %\))? are broken; allowed: none", reason)
    assert found, reason
    return found[1] or ""


@given(st.integers(1, 10**12), st.data())
def test_no_share_is_said_to_be_nothing_or_everything_that_is_not(
    rows: int, data: st.DataObject
) -> None:
    count = data.draw(st.integers(0, rows) | st.integers(0, 5).map(lambda n: max(0, rows - n)))
    share = shown_share(count, rows)
    assert (share == "") is (count == 0)
    assert (share == "100") is (count == rows)
    assert share not in ("0", "0.0", "0.00")
    if re.fullmatch(r"[\d.]+", share):
        assert abs(Fraction(share) - Fraction(100 * count, rows)) <= Fraction(1, 100)


@pytest.mark.parametrize(
    ("count", "rows", "share"),
    [
        (0, 10, ""),
        (0, 0, ""),
        (1, 8, "12.5"),
        (2, 3, "66.67"),
        (1, 1000, "0.1"),
        (1, 10_000, "0.01"),
        (1, 10_001, "< 0.01"),
        (999_999, 1_000_000, "> 99.99"),
        (9_999, 10_000, "99.99"),
        (7, 7, "100"),
    ],
)
def test_shares_are_short_and_honest(count: int, rows: int, share: str) -> None:
    assert shown_share(count, rows) == share


@pytest.mark.parametrize(
    ("limit", "unit", "text"),
    [
        (threshold("mustBe", 0), Unit.ROWS, "allowed: none"),
        (threshold("max", 0), Unit.SHARE, "allowed: none"),
        (threshold("max", 5), Unit.ROWS, "allowed: at most 5"),
        (threshold("max", 0.05), Unit.SHARE, "allowed: at most 5 %"),
        (threshold("max", 0.005), Unit.SHARE, "allowed: at most 0.5 %"),
        (threshold("between", [0.1, 0.29]), Unit.SHARE, "allowed: 10 % to 29 %"),
        (threshold("mustBeLessThan", 1), Unit.SHARE, "allowed: less than 100 %"),
        (threshold("mustNotBe", 0), Unit.ROWS, "allowed: anything but 0"),
        (threshold("min", 1), Unit.ROWS, "allowed: at least 1"),
        (None, Unit.ROWS, "recorded, not judged"),
    ],
)
def test_what_is_allowed_has_the_unit_of_the_sentence(
    limit: Threshold | None, unit: Unit, text: str
) -> None:
    reason = judge(of_rows(limit, unit), {BROKEN: 1, ROWS: 1_200}).reason
    assert reason == f"1 of 1,200 rows (0.08 %) are broken; {text}"


def test_all_gaps_are_listed_and_ten_are_said() -> None:
    window = Window(Granularity.DAILY, 30)
    present = Aggregate(Function.PERIODS, AMOUNT, argument=window)
    asked = rule(Gaps(present), threshold("max", 3), says="daily", unit=Unit.PERIODS)
    first = dt.datetime(2026, 2, 4, tzinfo=UTC)
    starts = tuple(first + dt.timedelta(days=day) for day in range(29))
    verdict = judge(asked, {present: starts[12:]}, NOW)
    listed = tuple(start.date().isoformat() for start in starts[:12])
    reason = f"12 daily periods have no rows: {', '.join(listed[:10])}, …; allowed: at most 3"
    assert verdict == Verdict(asked, Outcome.FAILED, 12, reason, listed)


def test_mismatched_columns_are_listed() -> None:
    schema = Mismatches((Field("id", None), Field("note", None)))
    asked = rule(schema, threshold("max", 0), unit=Unit.COLUMNS)
    problems = ("'id' is missing", "'note' is missing")
    reason = "2 columns do not match the contract: 'id' is missing; 'note' is missing"
    expected = Verdict(asked, Outcome.FAILED, 2, f"{reason}; allowed: none", problems)
    assert judge(asked, {schema: problems}) == expected


def test_an_age_without_a_clock_is_a_mistake_of_the_caller() -> None:
    asked = rule(Age(LARGEST), threshold("max", 3), unit=Unit.HOURS)
    for now in (None, dt.datetime(2026, 3, 5)):  # noqa: DTZ001 - without a zone on purpose
        with pytest.raises(ValueError, match="needs the clock"):
            judge(asked, {LARGEST: NOW}, now)


def test_an_age_of_what_is_no_moment_is_unknown() -> None:
    asked = rule(Age(LARGEST), threshold("max", 3), unit=Unit.HOURS)
    reason = "could not be measured: the column holds neither dates nor timestamps"
    assert judge(asked, {LARGEST: 7}, NOW) == Verdict(asked, Outcome.UNKNOWN, None, reason)
