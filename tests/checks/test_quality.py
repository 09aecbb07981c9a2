"""One quality rule: what is refused and how it is said, what is warned of."""

from __future__ import annotations

import pytest

from checks.contracts import Yaml, dqx, library, lowered, native, said
from dqx_dagster.errors import Level


@pytest.mark.parametrize(
    ("quality", "message"),
    [
        (dqx("whitelst", "status"), "unknown check 'whitelst'. Did you mean 'whitelist'?"),
        (library("rowCounts"), "unknown metric 'rowCounts'. Did you mean 'rowCount'?"),
        (
            library("nullValues", mustBe=0),
            "nullValues needs a column: add 'arguments.properties'",
        ),
        (dqx("max"), "max needs a column: add 'column'"),
        (
            dqx("max", "amont"),
            "no property 'amont' in the contract. Did you mean 'amount'?",
        ),
        (
            library("duplicateValues", "amont", mustBe=0),
            "no property 'amont' in the contract. Did you mean 'amount'?",
        ),
        (library("duplicateValues", mustBe=0), "duplicateValues needs 'properties'"),
        (library("duplicateValues", "id", "id", mustBe=0), "'properties' names a column twice"),
        (dqx("max", "amount", mustBe=1, mustNotBe=2), "more than one operator: mustBe, mustNotBe"),
        (
            library("rowCount", mustBeBetween=100),
            "mustBeBetween must be a list of [lower, upper], got: 100",
        ),
        (
            library("rowCount", mustBeBetween=[2, 1]),
            "mustBeBetween: the lower bound 2 is above 1",
        ),
        (dqx("max", "amount", max=3), "max has no 'max'"),
        (dqx("max", "amount", mustBe=1, tolerance=-1), "tolerance must not be negative, got: -1"),
        (dqx("max", "amount", tolerance="x"), "tolerance must be a number, got: x"),
        (
            dqx("max", "amount", mustBe="2026-01-01"),
            "mustBe must be a number like the column, got: 2026-01-01",
        ),
        (dqx("max", "day", mustBe=5), "mustBe must be a date like the column, got: 5"),
        (dqx("mean", "amount", mustBe="2026-01-01"), "mustBe must be a number, got: 2026-01-01"),
        (dqx("mean", "status"), "mean does not work on the declared type string"),
        (dqx("pattern", "id", pattern="x"), "pattern does not work on the declared type integer"),
        (dqx("max_length", "id"), "max_length does not work on the declared type integer"),
        (
            dqx("max_length", "status", **{"return": "pct"}),
            "'return' needs a check that counts rows",
        ),
        (
            dqx("missing", "status", **{"return": "percent"}),
            "'return' must be one of count, pct, got: percent",
        ),
        (
            {**dqx("missing", "status", **{"return": "pct"}), "unit": "percent"},
            "'unit: percent' and 'return: pct' exclude each other",
        ),
        (
            library("rowCount", unit="percent", mustBe=1),
            "'unit: percent' needs a count of rows, which rowCount is not",
        ),
        (
            library("nullValues", "id", unit="precent", mustBe=1),
            "unknown unit 'precent'. Did you mean 'percent'?",
        ),
        (dqx("whitelist", "status"), "whitelist needs 'values'"),
        (dqx("whitelist", "status", values=[]), "'values' must not be empty"),
        (dqx("whitelist", "status", values="abc"), "'values' must be a list of values, got: abc"),
        (dqx("whitelist", "status", values=[["a"]]), "'values' must hold plain values, got: list"),
        (
            dqx("whitelist", "status", values=[1]),
            "'values' holds 1, which is not a text; quote it: '1'",
        ),
        (dqx("whitelist", "id", values=["1"]), "'values' holds '1', which is not a whole number"),
        (dqx("whitelist", "id", values=[1.5]), "'values' holds 1.5, which is not a whole number"),
        (dqx("whitelist", "id", values=[True]), "'values' holds true, which is not a whole number"),
        (dqx("whitelist", "day", values=["soon"]), "'values' holds 'soon', which is not a date"),
        (
            dqx("whitelist", "status", values=["a"], case_sensitive="no"),
            "'case_sensitive' must be true or false, got: no",
        ),
        (
            library("invalidValues", "status", mustBe=0),
            "invalidValues needs validValues, a pattern, or both",
        ),
        (dqx("pattern", "status"), "give exactly one of 'pattern' and 'format'"),
        (
            dqx("pattern", "status", pattern="x", format="email"),
            "give exactly one of 'pattern' and 'format'",
        ),
        (
            dqx("pattern", "status", format="email", flags=["IGNORECASE"]),
            "'flags' go with 'pattern', not with 'format'",
        ),
        (
            dqx("pattern", "status", format="emial"),
            "'format' must be one of email, phone, uuid, url, ipv4, ipv6, date, datetime, "
            "got: emial. Did you mean 'email'?",
        ),
        (
            dqx("pattern", "status", pattern="x", flags=["IGNORECAS"]),
            "'flags' must hold only IGNORECASE, MULTILINE, DOTALL, VERBOSE, ASCII, UNICODE, "
            "got: IGNORECAS. Did you mean 'IGNORECASE'?",
        ),
        (
            dqx("pattern", "status", pattern="(?P<a>x)"),
            "'pattern' is not a regular expression that Java accepts: named groups are written "
            "(?<name>…), not (?P<name>…), at position 1",
        ),
        (dqx("percentile", "amount"), "percentile needs 'percentile'"),
        (
            dqx("percentile", "amount", percentile=1.5),
            "'percentile' must be a number from 0 to 1, got: 1.5",
        ),
        (
            dqx("percentile", "amount", percentile=True),
            "'percentile' must be a number from 0 to 1, got: True",
        ),
        (
            dqx("freshness", timestamp_column="at", max_age_hours=0),
            "'max_age_hours' must be a number above 0, got: 0",
        ),
        (
            dqx("freshness", timestamp_column="id", max_age_hours=1),
            "'id' is declared as integer; it must be a date or timestamp",
        ),
        (dqx("freshness", max_age_hours=1), "freshness needs 'timestamp_column'"),
        (
            dqx("freshness", timestamp_column="at", max_age_hours=1, mustBe=1),
            "freshness takes 'max_age_hours' instead of an operator, got: mustBe",
        ),
        (
            dqx("freshness", timestamp_column="at", max_age_hours=1, aggregation="avg"),
            "'aggregation' must be one of max, min, got: avg",
        ),
        (
            dqx("completeness", partition_column="day", granularity="dayly"),
            "'granularity' must be one of hourly, daily, weekly, monthly, got: dayly. "
            "Did you mean 'daily'?",
        ),
        (
            dqx("completeness", partition_column="day", granularity="daily", lookback_days=0),
            "'lookback_days' must be a whole number from 1 to 36500, got: 0",
        ),
        (
            dqx("completeness", partition_column="day", granularity="daily", max_gap_count=0.5),
            "'max_gap_count' must be a whole number from 0, got: 0.5",
        ),
        (
            dqx("min_length", "status", column_type="text"),
            "'column_type' must be one of string, list, map, got: text",
        ),
        (dqx("missing", "status", colum="x"), "missing has no 'colum'. Did you mean 'column'?"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused_with_the_reason(quality: Yaml, message: str) -> None:
    _, findings = lowered(quality)
    assert said(findings, Level.ERROR) == [f"Quality rule 'q': {message}"]


def test_column_type_must_be_what_the_column_is_declared_as() -> None:
    fitting, unfit = dqx("max_length", "tags", column_type="list"), dqx("max_length", "status")
    unfit["implementation"]["column_type"] = "list"
    assert said(lowered(fitting)[1], Level.ERROR) == []
    assert len(said(lowered(unfit)[1], Level.ERROR)) == 1


@pytest.mark.parametrize(
    ("column", "check", "message"),
    [
        ("amount", {"type": "maximum"}, "unknown check 'maximum'"),
        (None, {"type": "max"}, "max needs a column: add 'column'"),
        ("amount", {"type": "max", "mustBe": 1}, "max has no 'mustBe'"),
        ("amount", {"type": "max", "min": 1, "max": 2}, "more than one operator: min, max"),
        ("amount", {"type": "max", "between": 100}, "between must be a list of [lower, upper]"),
        (None, {"type": "completeness", "max": 1}, "completeness takes 'max_gap_count' instead"),
        ("status", {"type": "whitelist", "values": [1]}, "'values' holds 1, which is not a text"),
    ],
)
def test_a_native_check_that_makes_no_sense_is_refused(
    column: str | None, check: Yaml, message: str
) -> None:
    (error,) = said(native(column, check)[1], Level.ERROR)
    assert error.startswith(f"Check 'q': {message}")


@pytest.mark.parametrize(
    ("quality", "message"),
    [
        (
            library("nullValues", "id", mustBeLessThan=0),
            "allowed is less than 0, but the metric is always at least 0: no table can satisfy it",
        ),
        (
            library("nullValues", "id", unit="percent", mustBeLessOrEqualTo=100),
            "allowed is at most 100, but the metric is always 0 to 100: every table satisfies it",
        ),
        (
            dqx("missing", "id", **{"return": "pct", "mustBeGreaterThan": 1}),
            "allowed is more than 1, but the metric is always 0 to 1: no table can satisfy it",
        ),
        (
            dqx("min_length", "status", mustBeGreaterOrEqualTo=0),
            "allowed is at least 0, but the metric is always at least 0: every table satisfies it",
        ),
    ],
)
def test_a_threshold_that_judges_nothing_is_warned_of(quality: Yaml, message: str) -> None:
    found, findings = lowered(quality)
    assert said(findings, Level.WARNING) == [f"Quality rule 'q': {message}"]
    assert len(found.rules) == 2


def test_a_null_in_a_list_of_valid_values_is_noted() -> None:
    _, findings = lowered(dqx("whitelist", "status", values=[None, "a"], mustBe=0))
    text = "Quality rule 'q': null in the list changes nothing, nulls are not judged here"
    assert text in said(findings, Level.NOTE)
