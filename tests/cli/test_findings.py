"""What the lint finds: the mistakes that people make, each at its place and with its fix."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from cli.contracts import odcs, place
from dqx_dagster.cli import main


class Mistake(NamedTuple):
    """A contract with a mistake, the words that are wrong in it, and what is said of them."""

    text: str
    words: str
    says: str
    summary: str = "1 error in 1 file"

    @property
    def exit_code(self) -> int:
        return 1 if "error" in self.summary else 0


MISTAKES = {
    "unknown column among the properties of duplicateValues": Mistake(
        odcs(
            quality="""
            - name: one row each
              type: library
              metric: duplicateValues
              mustBe: 0
              arguments:
                properties: [order_id, statsu]
            """
        ),
        "properties: [order_id",
        "error: Quality rule 'one row each': no property 'statsu' in the contract. "
        "Did you mean 'status'?",
    ),
    "unknown column in the element of a service level": Mistake(
        odcs(
            sla="""
            - property: retention
              value: 3
              unit: y
              element: orders.orderd_at
            """
        ),
        "element:",
        "error: SLA element 'orders.orderd_at': no property 'orderd_at'. "
        "Did you mean 'ordered_at'?",
    ),
    "unknown column in the YAML inside an implementation": Mistake(
        odcs(
            quality="""
            - name: status known
              type: custom
              engine: dqx
              implementation: |
                check: missing
                column: statsu
                mustBe: 0
            """
        ),
        "column: statsu",
        "error: Quality rule 'status known': no property 'statsu' in the contract. "
        "Did you mean 'status'?",
    ),
    "positions of a primary key with a gap": Mistake(
        odcs(
            columns="""
            - name: shop
              logicalType: string
              primaryKey: true
              primaryKeyPosition: 1
            - name: receipt
              logicalType: string
              primaryKey: true
              primaryKeyPosition: 3
            """
        ),
        "primaryKeyPosition: 3",
        "warning: Property 'receipt': position 3 in a primary key of 2 column(s); they should be "
        "1 to 2, each once",
        "1 warning in 1 file",
    ),
    "a count below zero can never pass": Mistake(
        odcs(
            quality="""
            - name: volume
              metric: rowCount
              mustBeLessThan: 0
            """
        ),
        "mustBeLessThan: 0",
        "warning: Quality rule 'volume': allowed is less than 0, but the metric is always "
        "at least 0: no table can satisfy it",
        "1 warning in 1 file",
    ),
    "a count from zero on can never fail": Mistake(
        odcs(
            quality="""
            - name: volume
              metric: rowCount
              mustBeGreaterOrEqualTo: 0
            """
        ),
        "mustBeGreaterOrEqualTo: 0",
        "warning: Quality rule 'volume': allowed is at least 0, but the metric is always "
        "at least 0: every table satisfies it",
        "1 warning in 1 file",
    ),
    "reversed bounds": Mistake(
        odcs(
            quality="""
            - name: volume
              metric: rowCount
              mustBeBetween: [10, 1]
            """
        ),
        "mustBeBetween:",
        "error: Quality rule 'volume': mustBeBetween: the lower bound 10 is above 1",
    ),
    "a cron expression with hour 30": Mistake(
        odcs(
            sla="""
            - property: frequency
              value: 1
              unit: d
              scheduler: cron
              schedule: 0 30 * * *
            """
        ),
        "schedule: 0 30",
        "error: SLA schedule '0 30 * * *': hour 30 is not in 0 to 23",
    ),
    "a regular expression that does not end": Mistake(
        odcs(
            columns="""
            - name: country
              logicalType: string
              logicalTypeOptions:
                pattern: '[a-z'
            """
        ),
        "pattern:",
        "error: Property 'country': pattern is not a regular expression that Java accepts: "
        "a character class is not closed, from position 1",
    ),
    "a regular expression of Python": Mistake(
        odcs(
            columns="""
            - name: country
              logicalType: string
              quality:
                - name: letters
                  metric: invalidValues
                  mustBe: 0
                  arguments:
                    pattern: '(?P<x>a)'
            """
        ),
        "pattern:",
        "error: Quality rule 'letters': 'pattern' is not a regular expression that Java accepts: "
        "named groups are written (?<name>…), not (?P<name>…), at position 1",
    ),
    "a regular expression of JavaScript": Mistake(
        odcs(
            quality="""
            - name: short
              type: custom
              engine: dqx
              implementation:
                check: pattern
                column: status
                pattern: 'a{,2}'
                mustBe: 0
            """
        ),
        "pattern: 'a",
        "error: Quality rule 'short': 'pattern' is not a regular expression that Java accepts: "
        "'{' must be a repetition like {2,5}, or be escaped, at position 2",
    ),
    "an unknown unit of a service level": Mistake(
        odcs(
            sla="""
            - property: latency
              value: 24
              unit: hurs
              element: orders.ordered_at
            """
        ),
        "unit:",
        "error: SLA latency: unknown unit 'hurs'. Did you mean 'hours'?",
    ),
    "a unit that could be two": Mistake(
        odcs(
            sla="""
            - property: latency
              value: 90
              unit: m
              element: orders.ordered_at
            """
        ),
        "unit:",
        "error: SLA latency: unknown unit 'm': 'min' for minutes, 'mo' for months",
    ),
    "a blocking rule for another engine": Mistake(
        odcs(
            quality="""
            - name: no gaps
              type: custom
              engine: soda
              severity: error
              implementation: missing_count(order_id) = 0
            """
        ),
        "name: no gaps",
        "warning: Quality rule 'no gaps' is P0 and cannot run: nothing enforces it",
        "2 warnings in 1 file",
    ),
    "a misspelt operator": Mistake(
        odcs(
            quality="""
            - name: volume
              metric: rowCount
              mustBeLesThan: 5
            """
        ),
        "mustBeLesThan",
        "error: Quality rule 'volume': unknown key 'mustBeLesThan'. Did you mean 'mustBeLessThan'?",
    ),
    "a misspelt operator inside an implementation": Mistake(
        odcs(
            quality="""
            - name: volume
              type: custom
              engine: dqx
              implementation: |
                check: num_rows
                mustBeLesThan: 5
            """
        ),
        "mustBeLesThan",
        "error: Quality rule 'volume': num_rows has no 'mustBeLesThan'. "
        "Did you mean 'mustBeLessThan'?",
    ),
}


@pytest.mark.parametrize("mistake", [pytest.param(m, id=name) for name, m in MISTAKES.items()])
def test_a_mistake_is_found_at_its_place(
    mistake: Mistake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "orders.odcs.yaml").write_text(mistake.text, "utf-8")
    monkeypatch.chdir(tmp_path)

    result = CliRunner().invoke(main, ["lint", "orders.odcs.yaml"])

    expected = f"orders.odcs.yaml:{place(mistake.text, mistake.words)}: {mistake.says}"
    *found, last = result.stdout.splitlines()
    assert expected in found
    assert last == mistake.summary
    assert result.exit_code == mistake.exit_code


def test_two_files_for_one_asset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(odcs(), "utf-8")
    monkeypatch.chdir(tmp_path)

    result = CliRunner().invoke(main, ["lint", "."])

    assert result.stdout.splitlines() == [
        "b.yaml:7:5: error: two contracts for one asset 'orders': the other is at a.yaml:7:5",
        "1 error in 2 files",
    ]


@pytest.mark.parametrize("strict", [[], ["--strict"]])
def test_a_misspelt_operator_is_not_also_called_missing(
    strict: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The published ODCS schema would say that each of the operators is required."""
    text = MISTAKES["a misspelt operator"].text
    (tmp_path / "orders.odcs.yaml").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)

    result = CliRunner().invoke(main, ["lint", *strict, "orders.odcs.yaml"])

    assert "required property" not in result.stdout
    assert result.stdout.splitlines()[-1] == "1 error in 1 file"
