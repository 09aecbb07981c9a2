"""What a rule and its verdict look like in Dagster's UI."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from dqx_dagster.checks.lowering import lower
from dqx_dagster.checks.rule import Rule
from dqx_dagster.checks.verdict import Outcome, Verdict, judge
from dqx_dagster.contract.model import Contract, TextRule
from dqx_dagster.errors import ContractWarning
from dqx_dagster.metadata import asset_metadata, check_description, result_metadata
from dqx_dagster.metrics.metric import ROWS, Aggregate, Measurements, leaves

ODCS = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
slaProperties:
- {property: latency, value: 2, unit: h, element: orders.placed_at}
- {property: timeOfAvailability, value: "09:00Z", driver: operational}
- {property: support, value: 5, unit: d, element: orders}
schema:
- name: orders
  quality:
  - name: One order per moment
    metric: duplicateValues
    arguments: {properties: [status, placed_at]}
    mustBeLessOrEqualTo: 1
    unit: percent
  - {name: reconciled, type: custom, engine: soda, implementation: "- row_count > 0"}
  properties:
  - {name: shop, logicalType: string, primaryKey: true, primaryKeyPosition: 1}
  - {name: id, logicalType: integer, primaryKey: true, primaryKeyPosition: 2}
  - name: status
    logicalType: string
    required: true
    logicalTypeOptions: {pattern: "^[a-z_]*$"}
    quality:
    - name: status_known
      description: A *state* that the_shop knows
      metric: invalidValues
      arguments: {validValues: [open, null, '`sent`']}
      mustBe: 0
  - name: amount
    logicalType: number
    quality:
    - {metric: invalidValues, arguments: {validValues: LONG}, mustBe: 0}
    - {type: custom, engine: dqx, implementation: {check: percentile, percentile: 0.9}}
  - {name: placed_at, logicalType: timestamp}
"""
NATIVE = """\
name: Orders
version: "1"
description: d
owner: o
dataset: orders
columns:
- name: status
  type: string
  description: d
  checks:
  - {name: listed, type: whitelist, values: [open], min: 2}
  - {name: unlisted, type: blacklist, values: [lost]}
"""


@pytest.fixture
def orders(tmp_path: Path) -> Contract:
    path = tmp_path / "orders.odcs.yaml"
    path.write_text(ODCS.replace("LONG", str(list(range(100)))), "utf-8")
    with pytest.warns(ContractWarning, match="soda"):
        (contract,) = Contract.from_odcs(path)
    return contract


@pytest.mark.parametrize(
    ("name", "head", "tail"),
    [
        pytest.param("status__required", "`status`: rows that are null", "`required`", id="word"),
        pytest.param(
            "status__pattern",
            "`status`: rows that do not match the pattern",
            "`pattern(^[a-z_]*$)`",
            id="option",
        ),
        pytest.param(
            "primary_key",
            "rows that have a key that is repeated or null",
            "`primaryKey(shop, id)`",
            id="key of several columns",
        ),
        pytest.param(
            "one_order_per_moment",
            "One order per moment\n\nrows that repeat the key; allowed: at most 1 %",
            "`duplicateValues(properties: status, placed_at)`",
            id="name for people",
        ),
        pytest.param(
            "status__known",
            "A \\*state\\* that the\\_shop knows\n\n`status`: rows that hold an invalid value",
            "`invalidValues(validValues: open, null, 'sent')`",
            id="description",
        ),
        pytest.param(
            "amount__percentile",
            "percentile 0.9 of amount; recorded, not judged\n\n**P1** · ",
            "`percentile(percentile: 0.9)`",
            id="column in the sentence",
        ),
    ],
)
def test_a_check_is_described_by_its_rule(
    orders: Contract, name: str, head: str, tail: str
) -> None:
    rules = {rule.name: rule for rule in lower(orders).rules}

    described = check_description(rules[name])

    assert described.startswith(head)
    assert described.endswith(f" · {tail}")
    assert f"/orders.odcs.yaml:{rules[name].origin.line}` · " in described


def test_a_long_list_is_cut(orders: Contract) -> None:
    rules = {rule.name: rule for rule in lower(orders).rules}

    assert check_description(rules["amount__invalid_values"]).endswith("8, 9, …)`")


def test_an_asset_tells_its_service_levels_and_what_is_skipped(orders: Contract) -> None:
    told = asset_metadata(orders, lower(orders).skipped)

    assert told["dqx_dagster/sla"].value == (
        "- latency: 2 hours (`placed_at`)\n"
        "- timeOfAvailability: 09:00Z, driver: operational\n"
        "- support: 5 d, element: orders"
    )
    folder = Path(orders.origin.file).parent.name
    place = f"`{folder}/orders.odcs.yaml:18`"
    reason = "type 'custom' with engine 'soda' is not executable in DQX"
    assert told["dqx_dagster/skipped_rules"].value == f"- `reconciled`: {reason} ({place})"


def test_the_page_explains_every_key(orders: Contract) -> None:
    page = (Path(__file__).parents[2] / "docs" / "ui.md").read_text("utf-8")
    rule = next(rule for rule in lower(orders).rules if rule.name == "status__known")
    verdict = Verdict(rule, Outcome.FAILED, 1, "", details=("one",), counted=1, fraction=0.5)
    text = replace(orders, text_rules=(TextRule("Never deleted", orders.origin),))

    added = {"rows", "partition"}  # the table's, not the verdict's
    assert explained(page, "result") == {*result_metadata(verdict)} | added
    told = asset_metadata(text, lower(orders).skipped)
    assert explained(page, "asset") == {key for key in told if key.startswith("dqx_dagster/")}


def explained(page: str, name: str) -> set[str]:
    """The keys in the first column of a table."""
    table = page.partition(f"<!-- keys: {name} -->\n")[2].partition("\n\n")[0]
    return set(re.findall(r"`([\w/]+)`", "".join(re.findall(r"^\|(.*?)\|", table, re.MULTILINE))))


def test_rows_have_failed_only_where_the_rule_counts_those_that_break_it(tmp_path: Path) -> None:
    """A native whitelist with a validator counts the rows that keep it."""
    path = tmp_path / "orders.yaml"
    path.write_text(NATIVE, "utf-8")
    rules = {rule.name: rule for rule in lower(Contract.from_yaml(path)).rules}

    listed, unlisted = (
        result_metadata(judge(rules[name], counted(rules[name], 1, 300)))
        for name in ("status__listed", "status__unlisted")
    )

    assert (listed["outcome"], listed["value"], listed["allowed"]) == ("failed", 1, "at least 2")
    assert "failed_rows" not in listed
    assert "failed_fraction" not in listed
    assert (unlisted["outcome"], unlisted["allowed"]) == ("failed", "none")
    assert (unlisted["failed_rows"], unlisted["failed_fraction"]) == (1, 0.00333333)


def counted(rule: Rule, count: int, rows: int) -> Measurements:
    """What is measured where a rule counts so many rows."""
    found = (leaf for metric in rule.claim.metrics for leaf in leaves(metric))
    return {leaf: rows if leaf == ROWS else count for leaf in found if isinstance(leaf, Aggregate)}
