"""ODCS documents → contracts."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from dqx_dagster import (
    Contract,
    ContractValidationError,
    ContractWarning,
    Level,
    Severity,
    load_contracts,
    lower,
)
from dqx_dagster.contract.model import ColumnType, RuleKind
from dqx_dagster.loading import inspect

Write = Callable[..., Path]

HEADER = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
"""

ORDERS = (
    HEADER
    + """\
name: orders_contract
domain: commerce
tags: [revenue]
description: {purpose: Orders of the shop}
team:
  name: shop-team
slaProperties:
- {property: latency, value: 1, unit: d, element: orders_tbl.placed_on}
- {property: retention, value: 3, unit: y, description: by law}
schema:
- name: orders
  physicalName: orders_tbl
  quality:
  - {name: enough, metric: rowCount, mustBeGreaterThan: 0, severity: error}
  - {name: keyed, metric: duplicateValues, mustBe: 0, arguments: {properties: [id, placed_on]}}
  properties:
  - name: id
    physicalName: order_id
    logicalType: integer
    required: true
    quality:
    - {type: text, description: Made by the shop}
  - name: placed_on
    logicalType: date
"""
)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str, name: str = "orders.odcs.yaml") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def messages(path: Path, *levels: Level, strict: bool = False) -> list[str]:
    found = inspect([path], strict=strict).findings
    return [f.message for f in found if not levels or f.level in levels]


def errors_of(path: Path) -> list[tuple[int, str]]:
    with pytest.raises(ContractValidationError) as caught:
        Contract.from_odcs(path)
    return [(error.origin.line, error.message) for error in caught.value.errors]


def rule(text: str, *, at: str = "property") -> str:
    """A document with one quality rule."""
    body = "\n".join(f"      {line}" for line in text.strip().splitlines())
    if at == "schema":
        body = "\n".join(line[2:] for line in body.splitlines())
        rules = f"quality:\n  - {body.strip()}\n  properties:\n  - name: a\n"
        return f"{HEADER}schema:\n- name: t\n  {rules}"
    head = f"{HEADER}schema:\n- name: t\n  properties:\n  - name: a\n    logicalType: string\n"
    return f"{head}    quality:\n    - {body.strip()}\n"


def test_a_contract_carries_what_the_file_says(write: Write) -> None:
    (orders,) = Contract.from_odcs(write(ORDERS))

    assert (orders.name, orders.version, orders.status) == ("orders_contract", "1.0.0", "active")
    assert (orders.dataset, orders.object_name) == ("orders_tbl", "orders")
    assert (orders.domain, orders.owner, orders.tags) == ("commerce", "shop-team", ("revenue",))
    assert orders.description == "Orders of the shop"
    assert orders.origin.line == 16
    assert orders.title == "orders_contract"
    assert [(p.name, p.column, p.type) for p in orders.properties] == [
        ("id", "order_id", ColumnType("integer")),
        ("placed_on", "placed_on", ColumnType("date")),
    ]
    assert [t.text for t in orders.text_rules] == ["Made by the shop"]
    assert orders.sla_metadata == {"retention": {"value": 3, "unit": "y"}}
    assert orders.sla_latency is not None
    assert orders.sla_latency.max_age_hours == 24.0
    assert orders.sla_latency.timestamp_column == "placed_on"


def test_rules_use_the_physical_names_of_columns(write: Write) -> None:
    (orders,) = Contract.from_odcs(write(ORDERS))

    assert [(r.name, r.severity) for r in lower(orders).rules] == [
        ("schema", Severity.P0),
        ("order_id__required", Severity.P0),
        ("placed_on__sla_freshness_check", Severity.P0),
        ("enough", Severity.P0),
        ("keyed", Severity.P1),
    ]


def test_one_contract_per_schema_object(write: Write) -> None:
    path = write(f"{HEADER}schema:\n- name: a\n- name: b\n  physicalName: raw.b\n")

    assert [c.dataset for c in Contract.from_odcs(path)] == ["a", "raw.b"]


def test_a_directory_is_read_in_a_stable_order(write: Write, tmp_path: Path) -> None:
    for name in ("z.yaml", "a.yml", "sub/m.yaml", "ignored.txt"):
        write(f"{HEADER}schema:\n- name: {Path(name).stem}\n", name)

    assert [c.dataset for c in load_contracts(tmp_path)] == ["a", "z", "m"]


@pytest.mark.parametrize("key", ["version", "apiVersion", "kind", "id", "status"])
def test_a_missing_header_field_has_the_specified_message(write: Write, key: str) -> None:
    document = yaml.safe_load(ORDERS)
    del document[key]

    with pytest.raises(ContractValidationError) as caught:
        Contract.from_odcs(write(yaml.safe_dump(document)))

    assert str(caught.value) == f"'{key}' is a required property"


def test_v3_2_needs_no_status(write: Write) -> None:
    text = ORDERS.replace("v3.1.0", "v3.2.0").replace("status: active\n", "")

    assert len(Contract.from_odcs(write(text))) == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "logicalType: integer",
            "logicalType: uuid",
            "Property 'id': unknown logicalType 'uuid'",
        ),
        (
            "mustBeGreaterThan: 0",
            "mustBeBetween: 100",
            "Quality rule 'enough': mustBeBetween must be a list of [lower, upper], got: 100",
        ),
        (
            "mustBeGreaterThan: 0",
            "mustBeGreaterThn: 0",
            "Quality rule 'enough': unknown key 'mustBeGreaterThn'."
            " Did you mean 'mustBeGreaterThan'?",
        ),
        (
            "metric: rowCount",
            "metric: rowCont",
            "Quality rule 'enough': unknown metric 'rowCont'. Did you mean 'rowCount'?",
        ),
        (
            "[id, placed_on]",
            "[id, placed_at]",
            "Quality rule 'keyed': no property 'placed_at' in the contract."
            " Did you mean 'placed_on'?",
        ),
        (
            "orders_tbl.placed_on",
            "orders_tbl.placed",
            "SLA element 'orders_tbl.placed': no property 'placed'. Did you mean 'placed_on'?",
        ),
        ("unit: d,", "unit: parsecs,", "SLA latency: unknown unit 'parsecs'"),
        (
            "unit: d,",
            "unit: m,",
            "SLA latency: unknown unit 'm': 'min' for minutes, 'mo' for months",
        ),
        ("value: 1,", "value: -1,", "SLA latency: value must be a time above 0; found -1"),
        ("version: 1.0.0", "version: 1.1", "'version' must be a text; found 1.1: quote it"),
        ("kind: DataContract", "kind: Data", "'kind' must be one of 'DataContract'; found 'Data'"),
        ("  name: shop-team", "  nam: shop-team", "unknown key 'nam'. Did you mean 'name'?"),
    ],
)
def test_an_error_says_what_is_wrong(write: Write, old: str, new: str, message: str) -> None:
    found = [text for _, text in errors_of(write(ORDERS.replace(old, new)))]

    assert found == [message]


def test_an_error_carries_its_place(write: Write) -> None:
    path = write(ORDERS.replace("logicalType: integer", "logicalType: uuid"))

    with pytest.raises(ContractValidationError) as caught:
        Contract.from_odcs(path)

    (error,) = caught.value.errors
    assert str(caught.value) == "Property 'id': unknown logicalType 'uuid'"
    assert (error.origin.file, error.origin.line, error.origin.column) == (str(path), 24, 5)
    assert error.origin.yaml_path == "schema[0].properties[0].logicalType"


def test_all_errors_of_a_directory_come_at_once(write: Write, tmp_path: Path) -> None:
    write(ORDERS.replace("kind: DataContract", "kid: DataContract"), "a.yaml")
    write(ORDERS.replace("rowCount", "rows").replace("unit: d,", "unit: x,"), "b.yaml")
    write("a: [", "c.yaml")

    with pytest.raises(ContractValidationError) as caught:
        load_contracts(tmp_path)

    assert [(Path(e.origin.file).name, e.origin.line) for e in caught.value.errors] == [
        ("a.yaml", 1),
        ("a.yaml", 2),
        ("b.yaml", 13),
        ("b.yaml", 16),
        ("b.yaml", 19),
        ("c.yaml", 2),
    ]


def test_two_contracts_for_one_asset_name_both_places(write: Write, tmp_path: Path) -> None:
    first = write(ORDERS, "a.yaml")
    write(ORDERS, "b.yaml")

    with pytest.raises(ContractValidationError, match="two contracts for one asset") as caught:
        load_contracts(tmp_path)

    assert f"{first.as_posix()}:16:3" in str(caught.value)


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


def test_rule_of_v3_0_is_read_as_metric(write: Write) -> None:
    text = rule("type: library\nrule: nullValues\nmustBe: 0").replace("v3.1.0", "v3.0.2")
    (contract,) = Contract.from_odcs(write(text))

    assert [(q.kind, q.word) for q in contract.quality] == [(RuleKind.LIBRARY, "nullValues")]


def test_a_free_rule_of_v3_0_is_skipped(write: Write) -> None:
    text = rule("type: library\nrule: nullCheck\nmustBe: 0").replace("v3.1.0", "v3.0.2")

    assert messages(write(text), Level.WARNING) == [
        "Quality rule 'nullCheck': rule 'nullCheck' is not a library metric of ODCS; skipping"
    ]


def test_v3_0_has_open_objects_but_typos_are_errors(write: Write) -> None:
    text = ORDERS.replace("v3.1.0", "v3.0.2").replace("required: true", "requird: true\n    hue: 1")

    assert messages(write(text), Level.ERROR) == [
        "Property 'id': unknown key 'requird'. Did you mean 'required'?"
    ]
    assert "Property 'id': unknown key 'hue'" in messages(write(text), Level.WARNING)


@pytest.mark.parametrize("version", ["v2.2.2", "v4.0.0", "3.1.0"])
def test_other_versions_are_refused(write: Write, version: str) -> None:
    found = messages(write(ORDERS.replace("v3.1.0", version)), Level.ERROR)

    assert any("'apiVersion' must be one of v3.0.0, v3.0.1" in text for text in found)


def test_newer_words_are_notes_in_older_versions(write: Write) -> None:
    text = ORDERS.replace(
        "logicalType: date", "logicalType: date\n    enum: [{value: '2026-01-01'}]"
    )

    assert messages(write(text), Level.NOTE) == [
        "Property 'placed_on': 'enum' is a word of ODCS v3.2.0; raise apiVersion"
    ]


def test_a_property_without_logical_type_is_accepted_in_v3_2(write: Write) -> None:
    """The published schema of 3.2.0 refuses it: its branch for maps lacks a condition."""
    text = f"{HEADER}schema:\n- name: t\n  properties:\n  - name: a\n".replace("v3.1.0", "v3.2.0")

    assert messages(write(text)) == []


def test_text_rules_are_kept_at_table_and_column(write: Write) -> None:
    text = ORDERS.replace(
        "  - {name: enough", "  - {type: text, description: About all}\n  - {name: enough"
    )
    (orders,) = Contract.from_odcs(write(text))

    assert [(t.text, t.column) for t in orders.text_rules] == [
        ("About all", None),
        ("Made by the shop", ("order_id",)),
    ]


def test_nested_types_are_read(write: Write) -> None:
    text = f"""{HEADER}schema:
- name: t
  properties:
  - name: address
    logicalType: object
    properties:
    - {{name: city, logicalType: string}}
  - name: items
    logicalType: array
    items: {{logicalType: integer}}
  - name: at
    logicalType: timestamp
    logicalTypeOptions: {{timezone: true, defaultTimezone: UTC}}
"""
    (contract,) = Contract.from_odcs(write(text))

    assert [p.type for p in contract.properties] == [
        ColumnType("object", fields=(("city", ColumnType("string")),)),
        ColumnType("array", items=ColumnType("integer")),
        ColumnType("timestamp", timezone=True, zone="UTC"),
    ]


def test_rules_below_list_items_are_skipped_and_said_so(write: Write) -> None:
    text = f"""{HEADER}schema:
- name: t
  properties:
  - name: items
    logicalType: array
    items:
      logicalType: string
      logicalTypeOptions: {{maxLength: 3}}
      quality:
      - {{name: q, metric: nullValues, mustBe: 0}}
"""
    assert messages(write(text), Level.WARNING) == [
        "logicalTypeOptions of 'items': it stands below the items of a list, which are not"
        " measured; skipping",
        "Quality rule 'q': it stands below the items of a list, which are not measured; skipping",
    ]


def test_a_column_declared_twice_is_an_error(write: Write) -> None:
    text = ORDERS.replace("name: placed_on", "name: Order_ID")

    assert any("is declared twice, first in line 22" in m for m in messages(write(text)))


def test_the_primary_key_is_in_the_order_of_its_positions(write: Write) -> None:
    text = f"""{HEADER}schema:
- name: t
  properties:
  - {{name: a, primaryKey: true, primaryKeyPosition: 2}}
  - {{name: b, primaryKey: true, primaryKeyPosition: 1}}
"""
    (contract,) = Contract.from_odcs(write(text))

    assert [p.name for p in contract.primary_key] == ["b", "a"]
    assert [r.name for r in lower(contract).rules] == ["schema", "primary_key"]


def test_gaps_in_the_primary_key_are_warned_about(write: Write) -> None:
    text = f"""{HEADER}schema:
- name: t
  properties:
  - {{name: a, primaryKey: true, primaryKeyPosition: 1}}
  - {{name: b, primaryKey: true, primaryKeyPosition: 3}}
"""
    assert messages(write(text)) == [
        "Property 'b': position 3 in a primary key of 2 column(s); they should be 1 to 2, each once"
    ]


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


def test_a_clean_contract_gives_no_warning(write: Write) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (orders,) = Contract.from_odcs(write(ORDERS))

    assert orders.findings == ()


def test_the_asset_key_can_be_set(write: Write) -> None:
    text = ORDERS + "  customProperties:\n  - {property: dagsterAssetKey, value: shop/orders}\n"
    (orders,) = Contract.from_odcs(write(text))

    assert orders.asset_path == ("shop", "orders")


def test_relationships_must_start_at_a_declared_column(write: Write) -> None:
    link = "  relationships:\n  - {from: orders.ido, to: customers.id}\n"

    assert messages(write(ORDERS + link), Level.ERROR) == [
        "Relationship from 'orders.ido': no property 'ido' in the contract. Did you mean 'id'?"
    ]


def test_an_empty_directory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ContractValidationError, match="holds no contract"):
        load_contracts(tmp_path)
