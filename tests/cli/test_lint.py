"""The command: its exit codes, and how it is called wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import dqx_dagster
from cli.contracts import ERROR, NOTE, WARNING, odcs
from cli.linted import lint, write
from dqx_dagster.cli import main

pytestmark = pytest.mark.usefixtures("empty_folder")


@pytest.mark.parametrize("format_", ["text", "json", "github", "sarif"])
@pytest.mark.parametrize(
    ("text", "strict", "code"),
    [
        (odcs(), False, 0),
        (odcs(), True, 0),
        (NOTE, False, 0),
        (NOTE, True, 1),  # what is not portable is then an error
        (WARNING, False, 0),
        (WARNING, True, 1),
        (ERROR, False, 1),
        (ERROR, True, 1),
    ],
)
def test_exit_codes(format_: str, text: str, strict: bool, code: int) -> None:
    write("orders.yaml", text)

    result = lint("orders.yaml", "--format", format_, *(["--strict"] if strict else []))

    assert result.exit_code == code


def test_strict_shows_warnings_as_what_they_are() -> None:
    write("orders.yaml", WARNING)

    first, last = lint("--strict", "orders.yaml").stdout.splitlines()

    assert first.startswith("orders.yaml:11:9: warning: ")
    assert last == "1 warning in 1 file; --strict fails on warnings"


def test_strict_refuses_what_is_not_portable() -> None:
    write("orders.yaml", NOTE)

    first, last = lint("--strict", "orders.yaml").stdout.splitlines()

    assert first.startswith("orders.yaml:12:9: error: ")
    assert last == "1 error in 1 file"


def test_a_directory_without_contracts_is_an_error() -> None:
    Path("contracts").mkdir()

    result = lint("contracts")

    assert result.stdout.splitlines() == [
        "contracts:1:1: error: the directory holds no contract (*.yaml)",
        "1 error in 0 files",
    ]
    assert result.exit_code == 1


# Usage


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "Missing argument 'PATH...'"),
        (["absent.yaml"], "Path 'absent.yaml' does not exist"),
        ([".", "absent.yaml"], "Path 'absent.yaml' does not exist"),
        (["--format", "xml", "."], "'xml' is not one of 'text', 'json', 'github', 'sarif'"),
        (["--colour", "."], "No such option '--colour'"),
    ],
)
def test_wrong_usage_is_explained_on_stderr(arguments: list[str], says: str) -> None:
    result = lint(*arguments)

    assert says in result.stderr
    assert result.stdout == ""
    assert result.exit_code == 2


def test_help_shows_an_example() -> None:
    result = lint("--help")

    assert "dqx-dagster lint contracts/ extra/orders.odcs.yaml\n" in result.stdout
    assert result.exit_code == 0


def test_version() -> None:
    result = CliRunner().invoke(main, ["--version"])

    assert result.stdout == f"dqx-dagster {dqx_dagster.__version__}\n"
