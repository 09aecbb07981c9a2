"""`dqx-dagster plan`: how rules are measured, told without data."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.contracts import odcs
from dqx_dagster.cli import main

CONTRACT = odcs(
    quality="""
    - {metric: rowCount, mustBeGreaterThan: 0}
    - {name: lost, type: sql, query: "SELECT COUNT(*) FROM orders WHERE status = 'lost'", mustBe: 0}
    - {name: kinds, type: sql, query: "SELECT COUNT(DISTINCT status) FROM orders", mustBe: 3}
    - {name: twice, type: sql, query: "SELECT 1 FROM orders GROUP BY status", mustBe: 0}
    - {name: soda, type: custom, engine: soda, implementation: x}
    """
)


@pytest.fixture
def contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("orders.yaml").write_text(CONTRACT, "utf-8")
    return "orders.yaml"


def test_every_rule_stands_where_it_is_measured(contract: str) -> None:
    done = CliRunner().invoke(main, ["plan", contract])

    assert done.exit_code == 0
    assert (
        done.output
        == """\
orders  (orders.yaml:7:5)
  schema     1  by the table's columns alone: schema
  scan       2  in the shared pass: row_count, lost
  query      1  beside it, by queries of their own: twice
  distinct   1  after it, with what it found: kinds
  sql           lost joins the shared pass
  sql           kinds joins the shared pass
  sql           twice runs by itself: it has a GROUP BY
  skipped       Quality rule 'soda': type 'custom' with engine 'soda' is not executable in DQX; \
skipping
"""
    )


def test_programs_get_the_same_as_json(contract: str) -> None:
    done = CliRunner().invoke(main, ["plan", contract, "--format", "json"])

    (table,) = json.loads(done.output)["tables"]
    assert (table["dataset"], table["origin"]) == ("orders", "orders.yaml:7:5")
    assert table["measured"] == {"schema": 1, "scan": 2, "distinct": 1, "query": 1}
    assert table["rules"][-1] == {
        "name": "twice",
        "severity": "P1",
        "by": ["query"],
        "sql": {"fused": False, "why_not": "it has a GROUP BY", "reads": []},
        "origin": "orders.yaml:12:9",
    }
    assert [rule["sql"] and rule["sql"]["fused"] for rule in table["rules"]] == [
        None, None, True, True, False,
    ]  # fmt: skip


def test_the_tables_of_other_contracts_are_named(contract: str) -> None:
    query = "SELECT COUNT(*) FROM payments p LEFT ANTI JOIN orders o ON p.order_id = o.order_id"
    rule = f"- {{name: paid, type: sql, query: {query}, mustBe: 0}}"
    Path("payments.yaml").write_text(odcs(table="payments", quality=rule), "utf-8")

    done = CliRunner().invoke(main, ["plan", "."])

    assert "  sql           paid runs by itself: it joins tables, with orders\n" in done.output


def test_sql_may_be_skipped(contract: str) -> None:
    done = CliRunner().invoke(main, ["plan", contract, "--sql-rules", "skip", "--format", "json"])

    (table,) = json.loads(done.output)["tables"]
    assert [rule["name"] for rule in table["rules"]] == ["schema", "row_count"]
    assert len(table["skipped"]) == 4


def test_a_wrong_contract_ends_it_with_its_errors(contract: str) -> None:
    Path(contract).write_text(CONTRACT.replace("GROUP BY status", "GROUP BY oder_id"), "utf-8")

    done = CliRunner().invoke(main, ["plan", contract])

    assert done.exit_code == 2
    assert "no column 'oder_id' in the contract. Did you mean 'order_id'?" in done.stderr


def test_it_imports_neither_spark_nor_dagster(contract: str) -> None:
    code = (
        "import sys; from dqx_dagster.cli import main\n"
        f"try: main(['plan', '{contract}'])\n"
        "finally: print({'pyspark', 'dagster'} & {name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("set()\n")
