"""Contracts → rules: what is refused and how it is said, severities, what is skipped."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dqx_dagster.checks.lowering import lower_into
from dqx_dagster.checks.rule import Lowered, Settings, Severity, Skipped
from dqx_dagster.contract.document import parse_document
from dqx_dagster.contract.native import read_native
from dqx_dagster.contract.odcs import read_odcs
from dqx_dagster.errors import Finding, Level, Report

PROPERTIES = [
    {"name": "amount", "logicalType": "number"},
    {"name": "status", "logicalType": "string"},
    {"name": "id", "logicalType": "integer"},
    {"name": "at", "logicalType": "timestamp"},
    {"name": "day", "logicalType": "date"},
    {"name": "tags", "logicalType": "array"},
    {"name": "anything"},
]
NATIVE_TYPES = {"amount": "float", "status": "string", "id": "int", "at": "timestamp"}
Yaml = dict[str, Any]


def lowered(
    *quality: Yaml,
    properties: list[Yaml] | None = None,
    settings: Settings | None = None,
) -> tuple[Lowered, tuple[Finding, ...]]:
    """An ODCS contract with rules at its table; `column` and `properties` name columns."""
    document = {
        "apiVersion": "v3.2.0",
        "kind": "DataContract",
        "id": "c",
        "version": "1.0.0",
        "status": "active",
        "schema": [{"name": "t", "properties": properties or PROPERTIES, "quality": list(quality)}],
    }
    report = Report()
    (contract,) = read_odcs(parse_document(json.dumps(document), "c.yaml"), report)
    return lower_into(report, contract, settings or Settings()), report.findings


def native(column: str | None, check: Yaml) -> tuple[Lowered, tuple[Finding, ...]]:
    """A native contract with one check."""
    columns: list[Yaml] = [
        {"name": name, "type": type_, "description": "d"} for name, type_ in NATIVE_TYPES.items()
    ]
    document: Yaml = {
        "name": "c",
        "version": "1",
        "description": "d",
        "owner": "o",
        "dataset": "t",
        "columns": columns,
    }
    owner = next((c for c in columns if c["name"] == column), document)
    owner["checks"] = [{"name": "q", **check}]
    report = Report()
    contract = read_native(parse_document(json.dumps(document), "c.yaml"), report)
    return lower_into(report, contract, Settings()), report.findings


def library(metric: str, *columns: str, **rest: Any) -> Yaml:
    arguments = rest.pop("arguments", {}) | ({"properties": list(columns)} if columns else {})
    return {"name": "q", "metric": metric, "arguments": arguments, **rest}


def dqx(check: str, column: str | None = None, **rest: Any) -> Yaml:
    inside = {"check": check, **({"column": column} if column else {}), **rest}
    return {"name": "q", "type": "custom", "engine": "dqx", "implementation": inside}


def said(findings: tuple[Finding, ...], level: Level) -> list[str]:
    return [finding.message for finding in findings if finding.level is level]


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
    """Fails today: column_type is read, and then not looked at."""
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


def test_all_errors_of_a_contract_come_at_once() -> None:
    wrong = [dqx("max", "amont"), dqx("mean", "status"), dqx("nothing", "id")]
    _, findings = lowered(*wrong)
    assert len(said(findings, Level.ERROR)) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"minLength": -1}, "minLength must be a whole number from 0, got: -1"),
        ({"pattern": "[a-z"}, "pattern is not a regular expression that Java accepts: "),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(options: Yaml, message: str) -> None:
    column = {"name": "c", "logicalType": "string", "logicalTypeOptions": options}
    _, findings = lowered(properties=[column])
    texts = said(findings, Level.ERROR)
    assert any(text.startswith(f"Property 'c': {message}") for text in texts), texts


@pytest.mark.parametrize(
    ("type_", "options", "message"),
    [
        ("date", {"minimum": "soon"}, "Property 'c': minimum must be an ISO date, got: soon"),
        ("time", {"maximum": "25:00"}, "Property 'c': maximum must be an ISO time, got: 25:00"),
        ("integer", {"multipleOf": 0}, "Property 'c': multipleOf must be a number above 0, got: 0"),
    ],
)
def test_a_bound_that_is_none_is_refused(type_: str, options: Yaml, message: str) -> None:
    column = {"name": "c", "logicalType": type_, "logicalTypeOptions": options}
    assert message in said(lowered(properties=[column])[1], Level.ERROR)


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


@pytest.mark.parametrize(
    ("word", "severity"),
    [
        ("error", Severity.P0),
        ("critical", Severity.P0),
        ("P0", Severity.P0),
        ("p0", Severity.P0),
        ("warning", Severity.P1),
        ("P1", Severity.P1),
        (None, Severity.P1),
        ("P2", Severity.P2),
        ("info", Severity.P3),
        ("P3", Severity.P3),
    ],
)
def test_words_of_severity(word: str | None, severity: Severity) -> None:
    quality = library("rowCount", mustBe=1) | ({"severity": word} if word else {})
    found, findings = lowered(quality)
    assert {rule.name: rule.severity for rule in found.rules} == {
        "schema": Severity.P0,
        "q": severity,
    }
    assert said(findings, Level.WARNING) == []
    assert found.rules[1].blocking is (severity is Severity.P0)


def test_an_unknown_severity_is_p1_with_a_warning() -> None:
    found, findings = lowered(library("rowCount", mustBe=1, severity="urgent"))
    assert found.rules[1].severity is Severity.P1
    (warning,) = said(findings, Level.WARNING)
    assert warning.startswith("Quality rule 'q': unknown severity 'urgent' is read as P1")


def test_settings_change_every_map_of_severities() -> None:
    settings = Settings(
        severities={"urgent": Severity.P0},
        default_severity=Severity.P3,
        implied_severity=Severity.P2,
    )
    rules = lowered(
        library("rowCount", mustBe=1, severity="Urgent"),
        {"name": "r", "metric": "rowCount", "mustBe": 2},
        settings=settings,
    )[0].rules
    assert {rule.name: rule.severity for rule in rules} == {
        "schema": Severity.P2,
        "q": Severity.P0,
        "r": Severity.P3,
    }


def test_another_engine_is_skipped_and_never_passed() -> None:
    soda = {"name": "soda_check", "type": "custom", "engine": "soda", "implementation": "x"}
    found, findings = lowered(soda)
    reason = "Quality rule 'soda_check': type 'custom' with engine 'soda' is not executable in DQX"
    reason += "; skipping"
    assert [rule.name for rule in found.rules] == ["schema"]
    origin = found.skipped[0].origin
    assert found.skipped == (Skipped("soda_check", reason, Severity.P1, origin),)
    assert said(findings, Level.WARNING) == [reason]


def test_a_blocking_rule_that_is_skipped_is_warned_of_twice() -> None:
    soda = {"name": "s", "type": "custom", "engine": "soda", "implementation": "x"}
    _, findings = lowered(soda | {"severity": "P0"})
    assert said(findings, Level.WARNING)[1:] == [
        "Quality rule 's' is P0 and cannot run: nothing enforces it"
    ]


def test_the_same_rule_in_two_places_runs_once() -> None:
    rule = library("rowCount", mustBe=1)
    found, findings = lowered(rule, rule)
    assert [r.name for r in found.rules] == ["schema", "q"]
    (warning,) = said(findings, Level.WARNING)
    assert warning.startswith("'q' says the same as line")


def test_text_is_documentation() -> None:
    found, findings = lowered({"type": "text", "description": "look at it"})
    assert [rule.name for rule in found.rules] == ["schema"]
    assert found.skipped == ()
    assert said(findings, Level.WARNING) == []


def test_a_null_in_a_list_of_valid_values_is_noted() -> None:
    _, findings = lowered(dqx("whitelist", "status", values=[None, "a"], mustBe=0))
    text = "Quality rule 'q': null in the list changes nothing, nulls are not judged here"
    assert text in said(findings, Level.NOTE)


def test_a_rule_knows_its_place() -> None:
    (_, rule), _ = lowered(library("rowCount", mustBe=1))[0].rules, None
    assert rule.origin.yaml_path == "schema[0].quality[0]"
