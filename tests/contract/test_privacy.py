"""Which columns of a contract may be shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import ROOT

from dqx_dagster.contract.model import Contract, Property
from dqx_dagster.contract.privacy import PRIVATE_WORDS, is_private, may_show
from dqx_dagster.errors import Origin
from dqx_dagster.loading import load_contracts

HERE = Origin("contract.yaml")


@pytest.mark.parametrize("classification", [None, "public", " PUBLIC "])
def test_what_is_public_or_not_classified_is_shown(classification: str | None) -> None:
    assert not is_private(classification, ["daily", "shipping", "piiano"])


@pytest.mark.parametrize("classification", ["internal", "Confidential", "non-public", "publik"])
def test_every_other_classification_is_private(classification: str) -> None:
    assert is_private(classification)


@pytest.mark.parametrize(
    "tag", ["pii", "PII", "gdpr:pii", "pii=email", "personalData", "SensitiveData", "data_PII_2"]
)
def test_a_tag_is_private_by_one_of_its_words(tag: str) -> None:
    assert is_private(None, ["daily", tag])
    assert is_private("public", [tag])


def test_the_page_lists_the_words() -> None:
    page = (ROOT / "docs" / "failing-rows.md").read_text("utf-8")
    assert ", ".join(sorted(PRIVATE_WORDS)) in " ".join(page.split())


def test_an_encrypted_name_is_private() -> None:
    assert is_private(None, (), "mail_encrypted")


def test_fields_inherit_and_structs_hide_what_is_in_them() -> None:
    secret = Property("secret", "secret", HERE, classification="restricted")
    plain = Property("plain", "plain", HERE)
    mixed = Property("mixed", "mixed", HERE, properties=(secret, plain))
    closed = Property("closed", "closed", HERE, tags=("PII",), properties=(plain,))
    contract = Contract("people", HERE, properties=(mixed, closed))
    shown = {
        ("mixed",): False,
        ("mixed", "plain"): True,
        ("mixed", "secret"): False,
        ("closed", "plain"): False,
        ("closed",): False,
        ("undeclared",): False,
    }
    assert {path: may_show(contract, path) for path in shown} == shown


def test_a_tag_of_the_contract_counts_for_all_columns() -> None:
    contract = Contract("a", HERE, tags=("PII",), properties=(Property("b", "b", HERE),))
    assert not may_show(contract, ("b",))


NATIVE = """\
name: people
version: "1.0"
description: People
owner: web
dataset: people
columns:
- {name: open, type: string, description: "", metadata: {classification: public}}
- name: mail
  type: string
  description: ""
  metadata: {tags: [pii]}
  checks: [{name: known, type: whitelist, values: [a], failing_rows: 3}]
- name: home
  type: {kind: struct, fields: [{name: city, type: string, metadata: {classification: secret}}]}
  description: ""
- name: trips
  type:
    kind: list
    value_type: {kind: struct, fields: [{name: to, type: string, metadata: {tags: [pii]}}]}
  description: ""
"""


def test_native_columns_say_it_in_their_metadata(tmp_path: Path) -> None:
    (tmp_path / "people.yaml").write_text(NATIVE, "utf-8")
    (contract,) = load_contracts(tmp_path)
    paths = [("open",), ("mail",), ("home",), ("home", "city"), ("trips",)]
    assert [may_show(contract, path) for path in paths] == [True, False, False, False, False]
