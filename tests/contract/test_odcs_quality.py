"""Quality rules of ODCS documents: what is refused, what is skipped, what is not portable."""

from __future__ import annotations

import pytest

from contract.orders import ORDERS, Write, messages, rule
from dqx_dagster import Contract, ContractWarning, Level, Severity, lower
from dqx_dagster.loading import inspect


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (
            "name: r\ntype: custom\nengine: dqx\nmustBe: 0\nimplementation: '{check: missing}'",
            "the operator belongs inside 'implementation'",
        ),
        (
            "name: r\nmetric: invalidValues\nmustBe: 0\nvalidValues: [x]",
            "'validValues' belongs under 'arguments'",
        ),
        (
            "name: r\nmetric: nullValues",
            "without an operator the metric is recorded, never judged",
        ),
    ],
)
def test_the_dialect_is_a_note_and_an_error_when_strict(write: Write, text: str, note: str) -> None:
    path = write(rule(text))
    expected = [f"Quality rule 'r' is not portable ODCS: {note}"]

    assert messages(path, Level.NOTE) == expected
    assert messages(path, Level.ERROR) == []
    assert messages(path, Level.ERROR, strict=True) == expected


def test_strict_refuses_what_the_published_schema_refuses(write: Write) -> None:
    path = write(rule("name: r\nmetric: nullValues\nmustBe: 0\ndimension: accuracy"))
    assert messages(path, strict=True) == []

    text = rule("name: r\ntype: text\ndescription: d\nmustBe: 0")
    assert len(messages(write(text), Level.ERROR, strict=True)) == 1


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (
            "name: soda_check\ntype: custom\nengine: soda\nimplementation: x",
            "Quality rule 'soda_check': type 'custom' with engine 'soda' is not executable in DQX;"
            " skipping",
        ),
        (
            "name: labs\ntype: custom\nengine: dqx\n"
            "implementation: {criticality: error, check: {function: is_not_null}}",
            "Quality rule 'labs': type 'custom' with engine 'dqx' is not executable in DQX;"
            " skipping",
        ),
    ],
)
def test_what_cannot_run_is_skipped_with_a_warning(write: Write, text: str, warning: str) -> None:
    path = write(rule(text))

    with pytest.warns(ContractWarning) as caught:
        (contract,) = Contract.from_odcs(path)

    assert [str(w.message) for w in caught] == [warning]
    assert [f.message for f in contract.findings] == [warning]
    assert [s.reason for s in lower(contract).skipped] == [warning]


def test_a_blocking_rule_that_cannot_run_is_said_twice(write: Write) -> None:
    text = "name: s\ntype: custom\nengine: soda\nimplementation: x\nseverity: error"

    assert messages(write(rule(text)))[0] == (
        "Quality rule 's' is P0 and cannot run: nothing enforces it"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "metric: nullValues\nmustBe: 0\nmustNotBe: 1",
            "more than one operator: mustBe, mustNotBe",
        ),
        ("metric: nullValues\nmustBe: x", "mustBe must be a number, got: x"),
        ("metric: nullValues\nmustBe: true", "mustBe must be a number, got: True"),
        (
            "metric: nullValues\nmustBeBetween: [5, 1]",
            "mustBeBetween: the lower bound 5 is above 1",
        ),
        ("metric: nullValues\nmustBe: 0\nunit: furlongs", "unknown unit 'furlongs'"),
        (
            "metric: nullValues\nmustBe: 0\nquery: SELECT 1",
            "it has a metric and a query; keep one",
        ),
        (
            "metric: invalidValues\nmustBe: 0",
            "invalidValues needs validValues, a pattern, or both",
        ),
        (
            "metric: invalidValues\nmustBe: 0\narguments: {validValues: []}",
            "'validValues' must not be empty",
        ),
        (
            "metric: invalidValues\nmustBe: 0\narguments: {validValues: abc}",
            "'validValues' must be a list of values, got: abc",
        ),
        (
            "metric: invalidValues\nmustBe: 0\narguments: {validValues: [1]}",
            "'validValues' holds 1, which is not a text; quote it: '1'",
        ),
        (
            "metric: invalidValues\nmustBe: 0\narguments: {pattern: '[a-z'}",
            "'pattern' is not a regular expression that Java accepts:"
            " a character class is not closed, from position 1",
        ),
        (
            "metric: invalidValues\nmustBe: 0\narguments: {validVales: [a]}",
            "invalidValues has no 'validVales'. Did you mean 'validValues'?",
        ),
        ("query: SELECT 1\nmustBe: 0", "add type: sql, it has a 'query'"),
        ("mustBe: 0", "add a metric, it has an operator"),
        ("type: sql\nmustBe: 0", "a rule of type sql needs a query"),
        (
            "type: custom\nengine: dqx\nimplementation: '{check: whitelst, values: [a]}'",
            "unknown check 'whitelst'. Did you mean 'whitelist'?",
        ),
        (
            "type: custom\nengine: dqx\nimplementation: '{check: whitelist}'",
            "whitelist needs 'values'",
        ),
        (
            "type: custom\nengine: dqx\nimplementation: '{check: missing, column: b}'",
            "no property 'b' in the contract",
        ),
        (
            "type: custom\nengine: dqx\nmustBe: 0\nimplementation: '{check: missing, mustBe: 0}'",
            "'mustBe' is given in two places, also in line 16",
        ),
        (
            "type: custom\nengine: dqx\nimplementation: ''",
            "'implementation' must say what to check",
        ),
        (
            "type: custom\nengine: dqx\nimplementation: '{a: 1}'",
            "'implementation' must name a check",
        ),
        (
            "type: custom\nengine: dqx\nimplementation: '['",
            "implementation: not valid YAML: did not find expected node content",
        ),
        (
            "type: custom\nengine: dqx\nimplementation: '{check: mean}'",
            "mean does not work on the declared type string",
        ),
        (
            "type: custom\nengine: dqx\nimplementation: '{check: min_length, return: pct}'",
            "'return' needs a check that counts rows",
        ),
        (
            "type: custom\nengine: dqx\nunit: percent\n"
            "implementation: '{check: missing, return: pct}'",
            "'unit: percent' and 'return: pct' exclude each other",
        ),
    ],
)
def test_a_rule_that_makes_no_sense_is_an_error(write: Write, text: str, message: str) -> None:
    found = messages(write(rule(f"name: r\n{text}")), Level.ERROR)

    assert any(text == f"Quality rule 'r': {message}" for text in found), found


def test_a_column_metric_of_the_table_needs_its_column(write: Write) -> None:
    alone = write(rule("name: r\nmetric: nullValues\nmustBe: 0", at="schema"))
    named = rule(
        "name: r\nmetric: nullValues\nmustBe: 0\narguments: {properties: [a]}", at="schema"
    )

    assert messages(alone, Level.ERROR) == [
        "Quality rule 'r': nullValues needs a column: add 'arguments.properties'"
    ]
    assert messages(write(named), Level.ERROR) == []


def test_a_place_inside_an_implementation_is_a_place_in_the_file(write: Write) -> None:
    text = rule(
        "name: r\ntype: custom\nengine: dqx\nimplementation: |\n  check: missing\n  retrn: pct"
    )
    (error,) = inspect([write(text)]).errors

    assert (error.origin.line, error.origin.column) == (17, 9)
    assert error.origin.yaml_path == "schema[0].properties[0].quality[0].implementation.retrn"


def test_an_unknown_severity_is_p1_with_a_warning(write: Write) -> None:
    path = write(ORDERS.replace("severity: error", "severity: dire"))

    with pytest.warns(ContractWarning, match="unknown severity 'dire' is read as P1"):
        (orders,) = Contract.from_odcs(path)

    assert {r.title: r.severity for r in lower(orders).rules}["enough"] is Severity.P1


def test_a_rule_that_is_written_twice_runs_once(write: Write) -> None:
    again = "  - {name: enough, metric: rowCount, mustBeGreaterThan: 0, severity: error}\n"
    path = write(ORDERS.replace(again, again * 2))

    with pytest.warns(ContractWarning, match="says the same as line 19; it runs once"):
        (orders,) = Contract.from_odcs(path)

    assert [r.name for r in lower(orders).rules].count("enough") == 1
