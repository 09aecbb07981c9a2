"""Arithmetic over what was measured."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dqx_dagster.metrics.metric import (
    ROWS,
    Age,
    Aggregate,
    Arithmetic,
    Combined,
    Constant,
    Field,
    Function,
    Gaps,
    Measurement,
    Metric,
    Mismatches,
    Unmeasurable,
    as_instant,
    count_set,
    evaluate,
    leaves,
)
from dqx_dagster.metrics.periods import Granularity, Window
from dqx_dagster.metrics.plan import Family, plan_metrics
from dqx_dagster.metrics.predicate import And, IsSet
from dqx_dagster.metrics.value import Column, literal

UTC = dt.timezone.utc
NOW = dt.datetime(2026, 3, 5, 10, tzinfo=UTC)
A, B = Column(("a",)), Column(("b",))
LEFT, RIGHT = Aggregate(Function.SUM, A), Aggregate(Function.SUM, B)
COUNT = st.integers(0, 10**30)


def combined(operator: Arithmetic, left: Measurement, right: Measurement) -> Measurement:
    return evaluate(Combined(operator, LEFT, RIGHT), {LEFT: left, RIGHT: right})


@given(COUNT, COUNT)
def test_counts_stay_exact(a: int, b: int) -> None:
    assert combined(Arithmetic.MINUS, a, b) == a - b
    assert combined(Arithmetic.DIVIDE, a, b) == (Fraction(a, b) if b else None)
    assert combined(Arithmetic.SHARE, a, b) == (Fraction(a, b) if b else 0)
    assert combined(Arithmetic.PERCENT, a, b) == (Fraction(100 * a, b) if b else 0)


@pytest.mark.parametrize(
    ("operator", "left", "right", "expected"),
    [
        (Arithmetic.MINUS, Decimal("0.3"), Decimal("0.1"), Fraction(1, 5)),
        (Arithmetic.DIVIDE, Decimal("0.3"), 3, Fraction(1, 10)),
        (Arithmetic.DIVIDE, 0.5, 2, Fraction(1, 4)),
        (Arithmetic.POWER, 4, 0.5, 2.0),
        (Arithmetic.POWER, Fraction(9, 4), 0.5, 1.5),
        (Arithmetic.DIVIDE, math.inf, 2, math.inf),
        (Arithmetic.DIVIDE, None, 2, None),
        (Arithmetic.DIVIDE, None, 0, None),
        (Arithmetic.POWER, None, 0.5, None),
        (Arithmetic.DIVIDE, "x", 2, Unmeasurable("the column is not numeric")),
        (Arithmetic.DIVIDE, True, 2, Unmeasurable("the column is not numeric")),
        (Arithmetic.DIVIDE, dt.date(2026, 1, 1), 2, Unmeasurable("the column is not numeric")),
        (Arithmetic.MINUS, Unmeasurable("why"), None, Unmeasurable("why")),
        (Arithmetic.MINUS, 1, Unmeasurable("why"), Unmeasurable("why")),
    ],
)
def test_numbers_of_every_kind(
    operator: Arithmetic, left: Measurement, right: Measurement, expected: Measurement
) -> None:
    assert combined(operator, left, right) == expected


def test_nan_stays_nan() -> None:
    for operator in Arithmetic:
        found = combined(operator, math.nan, 2)
        assert isinstance(found, float)
        assert math.isnan(found)


def test_a_constant_needs_no_measuring() -> None:
    assert evaluate(Constant(7), {}) == 7
    assert list(leaves(Combined(Arithmetic.MINUS, Constant(7), Constant(1)))) == []


def test_what_was_not_measured_says_so() -> None:
    assert evaluate(ROWS, {}) == Unmeasurable("it was not measured")


@pytest.mark.parametrize(
    ("moment", "hours"),
    [
        (dt.datetime(2026, 3, 5, 9, tzinfo=UTC), 1),
        (dt.datetime(2026, 3, 5, 9, tzinfo=dt.timezone(dt.timedelta(hours=2))), 3),
        (dt.datetime(2026, 3, 5, 9), 1),  # noqa: DTZ001 - without a zone on purpose
        (dt.date(2026, 3, 5), 10),
        (dt.datetime(2026, 3, 5, 9, 59, 59, 999_999, tzinfo=UTC), Fraction(1, 3_600_000_000)),
        (NOW, 0),
        (dt.date(2026, 3, 6), 0),
        (None, None),
        (Unmeasurable("why"), Unmeasurable("why")),
        (7, Unmeasurable("the column holds neither dates nor timestamps")),
        ("2026-03-05", Unmeasurable("the column holds neither dates nor timestamps")),
    ],
)
def test_ages_in_hours(moment: Measurement, hours: Measurement) -> None:
    newest = Aggregate(Function.MAX, A)
    assert evaluate(Age(newest), {newest: moment}, NOW) == hours
    assert evaluate(Age(newest), {newest: moment}, NOW.astimezone()) == hours


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
def test_an_age_is_exact_and_never_negative(moment: dt.datetime, now: dt.datetime) -> None:
    newest = Aggregate(Function.MAX, A)
    age = evaluate(Age(newest), {newest: moment}, now)
    assert isinstance(age, Fraction)
    assert dt.timedelta(microseconds=int(age * 3_600_000_000)) == max(now - moment, dt.timedelta())


def test_instants() -> None:
    midnight = dt.datetime(2026, 3, 5, tzinfo=UTC)
    assert as_instant(dt.date(2026, 3, 5)) == midnight
    assert as_instant(midnight.replace(tzinfo=None)) == midnight
    assert as_instant(midnight) == midnight
    assert as_instant("2026-03-05") is None


def test_gaps_are_the_expected_periods_that_are_not_there() -> None:
    present = Aggregate(Function.PERIODS, A, argument=Window(Granularity.DAILY, 4))
    days = [dt.datetime(2026, 3, day, tzinfo=UTC) for day in (2, 3, 4)]
    assert evaluate(Gaps(present), {present: ()}, NOW) == tuple(days)
    assert evaluate(Gaps(present), {present: (days[1], days[0])}, NOW) == (days[2],)
    assert evaluate(Gaps(present), {present: tuple(days)}, NOW) == ()
    assert evaluate(Gaps(present), {present: Unmeasurable("why")}, NOW) == Unmeasurable("why")


def test_leaves_come_in_the_order_of_use() -> None:
    schema = Mismatches((Field("a", None),))
    share = Combined(Arithmetic.SHARE, Combined(Arithmetic.MINUS, ROWS, count_set(A)), ROWS)
    assert list(leaves(share)) == [ROWS, count_set(A), ROWS]
    assert list(leaves(Age(LEFT))) == [LEFT]
    assert list(leaves(schema)) == [schema]


def test_a_plan_has_each_thing_once_and_sorts_by_family() -> None:
    schema = Mismatches((Field("a", None),))
    distinct = Aggregate(Function.DISTINCT, A)
    middle = Aggregate(Function.PERCENTILE, A)
    days = Aggregate(Function.PERIODS, A, argument=Window(Granularity.DAILY, 4))
    nulls = Combined(Arithmetic.MINUS, ROWS, count_set(A))
    share = Combined(Arithmetic.SHARE, nulls, ROWS)
    metrics: list[Metric] = [distinct, nulls, schema, share, middle, Gaps(days)]
    plan = plan_metrics([*metrics, *metrics])
    assert plan.leaves == (distinct, ROWS, count_set(A), schema, middle, days)
    assert plan.schemas == (schema,)
    assert plan.families == {
        Family.SCAN: (ROWS, count_set(A)),
        Family.DISTINCT: (distinct,),
        Family.QUANTILE: (middle,),
        Family.PERIODS: (days,),
    }
    assert plan_metrics([]).families == {}


def test_the_rows_in_which_all_columns_are_set() -> None:
    assert count_set(A) == Aggregate(Function.COUNT, where=IsSet(A))
    assert count_set(A, B) == Aggregate(Function.COUNT, where=And((IsSet(A), IsSet(B))))


def test_literals_of_different_types_are_different() -> None:
    literals = [literal(1), literal(1.0), literal("1"), literal(True), literal(0), literal(False)]
    assert len(set(literals)) == len(literals)
    assert [str(item) for item in literals] == ["1", "1.0", "'1'", "true", "0", "false"]
