"""Versions of ODCS: what each of them knows, needs and forbids."""

from __future__ import annotations

import pytest
import yaml

from contract.orders import HEADER, ORDERS, Write, messages, rule
from dqx_dagster import Contract, ContractValidationError, Level
from dqx_dagster.contract.model import RuleKind


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
