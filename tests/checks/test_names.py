"""Names of checks: valid in Dagster, one per rule, and the same wherever the rule stands."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dqx_dagster.checks.lowering import lower
from dqx_dagster.checks.names import check_name, settle
from dqx_dagster.checks.rule import Rule
from dqx_dagster.contract.document import parse_document
from dqx_dagster.contract.native import read_native
from dqx_dagster.errors import Report

VALID = re.compile(r"[A-Za-z0-9_]{1,64}")
TEXTS = st.text(max_size=80) | st.sampled_from(["Order ID", "order-id", "order_id", "ORDER ID"])


@pytest.mark.parametrize(
    ("column", "text", "name"),
    [
        ("status", "status_valid_values", "status__valid_values"),
        ("order_id", "Order ID is unique", "order_id__is_unique"),
        ("id", "ideal", "id__ideal"),
        (None, "rowCount", "row_count"),
        ("customerName", "minLength", "customer_name__min_length"),
        ("address.city", "required", "address_city__required"),
        (None, "Row count > 100!", "row_count_100"),
        (None, "!!!", "rule"),
        ("status", "status", "status__status"),
    ],
)
def test_names_are_the_words_of_the_column_and_the_rule(
    column: str | None, text: str, name: str
) -> None:
    assert check_name(column, text) == name


def test_long_names_are_cut_and_stay_apart() -> None:
    long = "a very long name of a rule that goes on and on and on and on and on"
    one, other = check_name("status", f"{long} 1"), check_name("status", f"{long} 2")
    assert one != other
    assert one.rpartition("_")[0] == "status__a_very_long_name_of_a_rule_that_goes_on_and_on"
    assert other.rpartition("_")[0] == one.rpartition("_")[0]
    assert max(len(one), len(other)) <= 64


def test_letters_that_are_not_ascii_are_not_lost() -> None:
    names = [check_name("größe", "x"), check_name("grosse", "x"), check_name("grße", "x")]
    names += [check_name("日本", "x"), check_name("日光", "x")]
    assert len(set(names)) == len(names)
    assert all(VALID.fullmatch(name) for name in names)


@given(st.none() | TEXTS, TEXTS)
def test_every_name_is_valid_and_always_the_same(column: str | None, text: str) -> None:
    name = check_name(column, text)
    assert VALID.fullmatch(name)
    assert name == name.lower()
    assert check_name(column, text) == name


@given(st.lists(st.tuples(st.none() | TEXTS, TEXTS), unique=True, max_size=8), st.randoms())
def test_settled_names_are_unique_in_any_order(
    rules: list[tuple[str | None, str]], random: Any
) -> None:
    def settled(members: list[tuple[str | None, str]]) -> dict[tuple[str | None, str], str]:
        names = settle([check_name(*m) for m in members], [repr(m) for m in members])
        return dict(zip(members, names, strict=True))

    found = settled(rules)
    assert all(VALID.fullmatch(name) for name in found.values())
    assert len({name.lower() for name in found.values()}) == len(rules)
    shuffled = random.sample(rules, len(rules))
    assert settled(shuffled) == found


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=9)
CHECKS = st.fixed_dictionaries(
    {
        "name": NAMES | st.sampled_from(["Max", "max", "MAX!", "count of it"]),
        "type": st.sampled_from(["max", "min", "count"]),
        "max": st.integers(1, 2),
        "severity": st.sampled_from(["P1", "P2"]),
    }
)


def rules_of(columns: list[tuple[str, list[dict[str, Any]]]]) -> tuple[Rule, ...]:
    document = {
        "name": "c",
        "version": "1",
        "description": "d",
        "owner": "o",
        "dataset": "t",
        "columns": [
            {"name": name, "type": "int", "description": "d", "checks": checks}
            for name, checks in columns
        ],
    }
    report = Report()
    contract = read_native(
        parse_document(json.dumps(document, ensure_ascii=False), "c.yaml"), report
    )
    assert report.errors == ()
    return lower(contract).rules


def sayings(rules: tuple[Rule, ...]) -> set[tuple[str, str | None, str | None, str]]:
    """The rules by name and content, without their places."""
    written = [rule for rule in rules if not rule.implied]
    return {(r.name, r.column, r.title, repr((r.claim, r.severity))) for r in written}


@settings(max_examples=50)  # reads two contracts each
@given(
    st.lists(
        st.tuples(NAMES, st.lists(CHECKS, max_size=4)),
        min_size=1,
        max_size=3,
        unique_by=lambda column: column[0].lower(),
    ),
    st.randoms(),
)
def test_moving_rules_inside_a_file_renames_none(
    columns: list[tuple[str, list[dict[str, Any]]]], random: Any
) -> None:
    rules = rules_of(columns)
    names = [rule.name for rule in rules]
    assert all(VALID.fullmatch(name) for name in names)
    assert len({name.lower() for name in names}) == len(names)
    moved = [(n, random.sample(checks, len(checks))) for n, checks in columns]
    assert sayings(rules_of(random.sample(moved, len(moved)))) == sayings(rules)


def test_rules_with_one_name_all_get_a_digest() -> None:
    one = {"name": "limit", "type": "max", "max": 1}
    other = {"name": "limit", "type": "max", "max": 2}
    names = [rule.name for rule in rules_of([("n", [one, other])]) if not rule.implied]
    assert len(set(names)) == 2
    assert all(re.fullmatch(r"n__limit_[0-9a-f]{8}", name) for name in names)


def test_a_rule_that_is_written_twice_is_one_check() -> None:
    check = {"name": "limit", "type": "max", "max": 1}
    names = [rule.name for rule in rules_of([("n", [check, check])]) if not rule.implied]
    assert names == ["n__limit"]
