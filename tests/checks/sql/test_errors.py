"""Where in the file a query is wrong, and what the error says."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from oracle.sql_contract import WRITTEN

from dqx_dagster.loading import inspect


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (
            "SELECT COUNT(*)\nFROM orders\nWHERE\n  statsu = 'a'",
            "16:13: error: Quality rule 'checked': no column 'statsu' in the contract."
            " Did you mean 'status'?",
        ),
        (
            "SELECT COUNT(*)\nFROM ordesr",
            "14:16: error: Quality rule 'checked': no contract here has a table 'ordesr'."
            " Did you mean 'orders'?",
        ),
        (
            "SELECT COUNT(*)\nFROM {table}\nWHERE status = 'a' AND\n  reflect('a', 'b') = status",
            "16:13: error: Quality rule 'checked': the function reflect is not allowed",
        ),
        (
            "SELECT COUNT(*)\nFROM {table}\nWHERE {table}.address.ctiy = 'a'",
            "15:17: error: Quality rule 'checked': no column 'orders.address.ctiy' in the contract."
            " Did you mean 'city'?",
        ),
        (
            "SELECT COUNT(*)\nFROM orders\nWHERE status RLIKE '['",
            "15:17: error: Quality rule 'checked': the pattern is not a regular expression that"
            " Java accepts: a character class is not closed, from position 1",
        ),
        (
            "SELECT COUNT(*)\nFROM orders\nWHERE status = = 1",
            "15:26: error: Quality rule 'checked': it is not SQL of Spark, near '='",
        ),
        (
            "SELECT status,\n  COUNT(*) OVER (ORDER BY x)\nFROM orders",
            "14:37: error: Quality rule 'checked': no column 'x' in the contract",
        ),
        (
            "SELECT COUNT(*) FROM {table}\nLATERAL VIEW EXPLODE(status) e AS x",
            "14:24: error: Quality rule 'checked': LATERAL is not allowed",
        ),
        (
            "WITH orders AS (SELECT 1)\nSELECT COUNT(*) FROM orders",
            "13:16: error: Quality rule 'checked': 'orders' is the name of a table;"
            " call the query after WITH something else",
        ),
        (
            "SELECT quantile_cont(status, 0.9) FROM orders",
            "13:18: error: Quality rule 'checked': the function quantile_cont is not allowed;"
            " it is one of DuckDB: name the dialect with the custom property 'sqlDialect'",
        ),
        (
            "SELECT 1 + percentile(abs(status, 2), 0.9, (1 + 1)) FROM orders",
            "13:22: error: Quality rule 'checked': percentile takes a value and a share,"
            " and no frequency",
        ),
        (
            "SELECT COUNT(*), MAX(status) FROM orders",
            "13:18: error: Quality rule 'checked': it gives one row, so it must select one value:"
            " the one that is judged",
        ),
    ],
)
def test_an_error_points_at_the_words_that_are_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str, found: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = WRITTEN.replace("{query}", textwrap.indent(query, " " * 10))
    (tmp_path / "orders.odcs.yaml").write_text(text, "utf-8")

    (error,) = inspect([Path("orders.odcs.yaml")]).findings

    assert str(error) == f"orders.odcs.yaml:{found}"
