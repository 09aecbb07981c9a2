"""Operators and the sets that they mean."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dqx_dagster.checks.threshold import (
    ODCS_OPERATORS,
    OPERATORS,
    VALIDATORS,
    Threshold,
    ThresholdError,
    parse_moment,
    threshold,
)

UTC = dt.timezone.utc
WHOLE = st.integers(min_value=-(10**30), max_value=10**30)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
MEANING: dict[str, Callable[[Any, Any, Any, Any], bool]] = {
    "mustBe": lambda x, a, _, t: abs(x - a) <= t,
    "mustNotBe": lambda x, a, _, t: abs(x - a) > t,
    "mustBeGreaterThan": lambda x, a, _, t: x > a + t,
    "mustBeGreaterOrEqualTo": lambda x, a, _, t: x >= a - t,
    "mustBeLessThan": lambda x, a, _, t: x < a - t,
    "mustBeLessOrEqualTo": lambda x, a, _, t: x <= a + t,
    "mustBeBetween": lambda x, a, b, t: a - t <= x <= b + t,
    "mustNotBeBetween": lambda x, a, b, t: not a - t <= x <= b + t,
}
SAME = {
    "min": "mustBeGreaterOrEqualTo",
    "max": "mustBeLessOrEqualTo",
    "between": "mustBeBetween",
    "not_between": "mustNotBeBetween",
    "equals": "mustBe",
}


def written(value: float | Decimal | Fraction) -> Fraction:
    """The number that its decimal text says."""
    return Fraction(value) if isinstance(value, Fraction) else Fraction(str(value))


def admits(operator: str, low: Any, high: Any, tolerance: float, actual: Any) -> bool:
    value = [low, high] if OPERATORS[operator].pair else low
    return threshold(operator, value, tolerance).admits(actual)


def test_every_operator_has_a_definition() -> None:
    assert set(ODCS_OPERATORS) == set(MEANING)
    assert set(VALIDATORS) == set(SAME)


@given(st.sampled_from(sorted(MEANING)), WHOLE, WHOLE, st.integers(-2, 2), st.sampled_from([0, 1]))
def test_whole_numbers_of_any_size_are_compared_exactly(
    operator: str, one: int, other: int, beside: int, tolerance: int
) -> None:
    low, high = sorted((one, other))
    for actual in (low + beside, high + beside):
        expected = MEANING[operator](actual, low, high, tolerance)
        assert admits(operator, low, high, tolerance, actual) is expected


@given(st.sampled_from(sorted(MEANING)), FINITE, FINITE, FINITE, st.sampled_from([0, 1e-9, 0.5]))
def test_numbers_are_what_is_written(
    operator: str, one: float, other: float, actual: float, tolerance: float
) -> None:
    low, high = sorted((one, other))
    for number in (actual, low, high, low + tolerance, high - tolerance):
        if not math.isfinite(number):
            continue
        expected = MEANING[operator](*map(written, (number, low, high, tolerance)))
        assert admits(operator, low, high, tolerance, number) is expected
        assert admits(operator, low, high, tolerance, written(number)) is expected


@given(st.sampled_from(sorted(SAME)), WHOLE, WHOLE, WHOLE)
def test_native_validators_are_operators_by_other_names(
    name: str, one: int, other: int, actual: int
) -> None:
    low, high = sorted((one, other))
    value = [low, high] if OPERATORS[name].pair else low
    assert threshold(name, value) == threshold(SAME[name], value)
    assert admits(name, low, high, 0, actual) is admits(SAME[name], low, high, 0, actual)


@pytest.mark.parametrize("operator", sorted(OPERATORS))
def test_nan_lies_in_no_set(operator: str) -> None:
    assert not admits(operator, 1, 2, 1e-9, math.nan)


def test_infinities_are_beyond_every_bound() -> None:
    assert threshold("min", 10**37).admits(math.inf)
    assert not threshold("max", 10**37).admits(math.inf)
    assert threshold("max", -(10**37)).admits(-math.inf)
    assert threshold("mustNotBe", 0).admits(-math.inf)


def test_neighbours_beyond_double_precision_are_told_apart() -> None:
    exact = threshold("mustBe", 2**53 + 1)
    assert exact.admits(2**53 + 1)
    assert not exact.admits(2**53)
    assert not exact.admits(2**53 + 2)


def test_a_decimal_equals_the_number_that_was_written() -> None:
    assert threshold("mustBe", 0.1, 0).admits(Decimal("0.100"))
    assert threshold("mustBe", 0.3, 0).admits(Fraction(3, 10))
    assert not threshold("mustBe", 0.3, 0).admits(0.1 + 0.2)
    assert threshold("mustBe", 0.3).admits(0.1 + 0.2)


def test_the_end_of_the_tolerance_is_part_of_it() -> None:
    assert threshold("mustBe", 2, 0.5).admits(Fraction(5, 2))
    assert not threshold("mustBe", 2, 0.5).admits(Fraction(5, 2) + Fraction(1, 10**12))


NOON = "2026-01-01T12:00:00Z"


@pytest.mark.parametrize(
    ("operator", "value", "actual", "expected"),
    [
        ("mustBe", "2026-01-01", dt.date(2026, 1, 1), True),
        ("mustBe", "2026-01-01", dt.datetime(2026, 1, 1), True),  # noqa: DTZ001 - means UTC
        ("mustBe", "2026-01-01", dt.datetime(2026, 1, 1, 1, tzinfo=UTC), False),
        ("mustBe", NOON, dt.datetime(2026, 1, 1, 12, tzinfo=UTC), True),
        ("mustBe", "2026-01-01T14:00:00+02:00", dt.datetime(2026, 1, 1, 12, tzinfo=UTC), True),
        ("mustBeLessThan", NOON, dt.date(2026, 1, 1), True),
        ("mustBeLessThan", NOON, dt.date(2026, 1, 2), False),
        ("mustBeBetween", ["2026-01-01", "2026-01-31"], dt.date(2026, 1, 31), True),
        ("mustBeBetween", ["2026-01-01", "2026-01-31"], dt.date(2026, 2, 1), False),
        ("mustNotBe", "2026-01-01", dt.date(2026, 1, 2), True),
    ],
)
def test_moments_are_compared_as_instants(
    operator: str, value: Any, actual: dt.date, expected: bool
) -> None:
    limit = threshold(operator, value)
    assert limit.temporal
    assert limit.admits(actual) is expected


@given(
    st.datetimes(min_value=dt.datetime(1900, 1, 1)),  # noqa: DTZ001 - hypothesis wants it so
    st.integers(-23, 23),
)
def test_an_instant_is_read_in_every_zone(moment: dt.datetime, hours: int) -> None:
    zoned = moment.replace(tzinfo=dt.timezone(dt.timedelta(hours=hours)))
    assert parse_moment(zoned.isoformat()) == zoned
    assert parse_moment(f"{moment.isoformat()}Z") == moment.replace(tzinfo=UTC)
    assert parse_moment(moment.isoformat()) == moment.replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("operator", "value", "tolerance", "message"),
    [
        ("mustBe", "five", 0, "mustBe must be a number, got: five"),
        ("mustBe", None, 0, "mustBe must be a number, got: None"),
        ("mustBe", True, 0, "mustBe must be a number, got: True"),
        ("mustBe", [1, 2], 0, "mustBe must be a number, got: [1, 2]"),
        ("mustBe", math.nan, 0, "mustBe must be a number, got: nan"),
        ("max", math.inf, 0, "max must be a number, got: inf"),
        ("mustBeBetween", 100, 0, "mustBeBetween must be a list of [lower, upper], got: 100"),
        ("between", [1], 0, "between must be a list of [lower, upper], got: [1]"),
        ("between", [1, 2, 3], 0, "between must be a list of [lower, upper], got: [1, 2, 3]"),
        ("between", [1, "x"], 0, "between must be a number, got: x"),
        ("between", [2, 1], 0, "between: the lower bound 2 is above 1"),
        (
            "between",
            ["2026-01-02", "2026-01-01"],
            0,
            "between: the lower bound 2026-01-02 is above 2026-01-01",
        ),
        ("between", ["2026-01-01", 5], 0, "between mixes a date and a number"),
        ("max", 1, -0.1, "tolerance must not be negative, got: -0.1"),
        ("max", 1, math.nan, "tolerance must be a number, got: nan"),
        ("max", 1, "0", "tolerance must be a number, got: 0"),
        ("max", 1, True, "tolerance must be a number, got: True"),
    ],
)
def test_what_is_no_threshold_is_refused(
    operator: str, value: Any, tolerance: Any, message: str
) -> None:
    with pytest.raises(ThresholdError) as refused:
        threshold(operator, value, tolerance)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("operator", "value", "unit", "text"),
    [
        ("mustBe", 1000, "", "exactly 1,000"),
        ("mustNotBe", 0, "", "anything but 0"),
        ("mustBeGreaterThan", 0.5, " %", "more than 0.5 %"),
        ("mustBeGreaterOrEqualTo", 1, "", "at least 1"),
        ("mustBeLessThan", 1, " hours", "less than 1 hours"),
        ("mustBeLessOrEqualTo", 1.5, "", "at most 1.5"),
        ("mustBeBetween", [1, 2], " %", "1 % to 2 %"),
        ("mustNotBeBetween", [1, 2], "", "outside 1 to 2"),
        ("mustBe", "2026-01-01", "", "exactly 2026-01-01"),
        ("max", "2026-01-01T10:00:00Z", "", "at most 2026-01-01T10:00:00Z"),
        ("max", 0.1, "", "at most 0.1"),
        ("max", 9007199254740993, "", "at most 9,007,199,254,740,993"),
        # Fails today: "at most 2026-01-01", which is two hours later. The bound is the evening
        # of the day before, seen from UTC.
        ("max", "2026-01-01T00:00:00+02:00", "", "at most 2025-12-31T22:00:00Z"),
    ],
)
def test_what_is_allowed_is_said_in_words(operator: str, value: Any, unit: str, text: str) -> None:
    assert threshold(operator, value).describe(unit) == text


@pytest.mark.parametrize(
    ("limit", "low", "high", "expected"),
    [
        (threshold("min", 0), 0, None, True),
        (threshold("mustBeLessThan", 0), 0, None, False),
        (threshold("max", 100), 0, 100, True),
        (threshold("max", 99), 0, 100, None),
        (threshold("min", 101), 0, 100, False),
        (threshold("mustNotBe", -5), 0, None, True),
        (threshold("mustBe", -5), 0, None, False),
        (threshold("mustBe", 5), 0, None, None),
        (threshold("mustNotBeBetween", [-1, 101]), 0, 100, False),
        (Threshold(), None, None, True),
    ],
)
def test_thresholds_that_every_or_no_number_satisfies_are_known(
    limit: Threshold, low: int | None, high: int | None, expected: bool | None
) -> None:
    assert limit.on_range(low, high) is expected


@given(
    st.sampled_from(sorted(MEANING)),
    st.lists(st.integers(-5, 5), min_size=2, max_size=2).map(sorted),
    st.lists(st.integers(-5, 5), min_size=3, max_size=3).map(sorted),
)
def test_what_is_known_of_a_range_holds_for_its_numbers(
    operator: str, bounds: list[int], numbers: list[int]
) -> None:
    limit = threshold(operator, bounds if OPERATORS[operator].pair else bounds[0])
    least, number, most = numbers
    for low, high in ((least, most), (None, most), (least, None), (None, None)):
        assert limit.on_range(low, high) in (None, limit.admits(number))
