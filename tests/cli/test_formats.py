"""What the command prints: text for people, JSON, and commands for GitHub."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.contracts import ERROR, NATIVE, NOTE, WARNING, odcs
from cli.linted import lint, write

pytestmark = pytest.mark.usefixtures("empty_folder")


# Text


def test_clean_contracts_are_counted() -> None:
    write("contracts/orders.odcs.yaml", odcs())
    write("contracts/web/visits.yml", NATIVE)

    result = lint("contracts")

    assert result.stdout == "2 files, 2 contracts, 2 rules: clean\n"
    assert result.stderr == ""
    assert result.exit_code == 0


def test_findings_are_sorted_and_summed() -> None:
    write("b.yaml", ERROR.replace("- name: orders", "- name: b"))
    write("a.yaml", WARNING.replace("- name: orders", "- name: a"))
    write("c.yaml", NOTE.replace("- name: orders", "- name: c"))
    write("d.yaml", odcs(table="d"))

    result = lint("b.yaml", "d.yaml", "c.yaml", "a.yaml")

    assert result.stdout.splitlines() == [
        "a.yaml:11:9: warning: Quality rule 'volume': allowed is at least 0, but the metric is "
        "always at least 0: every table satisfies it",
        "b.yaml:9:9: error: Quality rule 'volume': unknown metric 'rowCuont'. "
        "Did you mean 'rowCount'?",
        "c.yaml:12:9: note: Quality rule 'volume' is not portable ODCS: "
        "the operator belongs inside 'implementation'",
        "1 error, 1 warning, 1 note in 4 files",
    ]
    assert result.exit_code == 1


def test_what_looks_like_markup_is_shown_as_it_is() -> None:
    name = "[bold]x[/bold] :smile: [link=https://example.org]y[/]"
    write("[red].yaml", ERROR.replace("name: volume", f"name: '{name}'"))

    line = lint("[red].yaml").stdout.splitlines()[0]

    assert line.startswith(f"[red].yaml:9:9: error: Quality rule '{name}': unknown")


def test_what_does_not_print_is_escaped() -> None:
    name = r"a\nb\tcd\u202ee\u200bf\u0085g\u2028h\u00a0i ü 表 😀"
    write("orders.yaml", ERROR.replace("name: volume", f'name: "{name}"'))

    first, *_, last = lint("orders.yaml").stdout.splitlines()

    shown = r"a\nb\tcd\u202ee\u200bf\x85g\u2028h\xa0i ü 表 😀"
    assert first.startswith(f"orders.yaml:9:9: error: Quality rule '{shown}': unknown metric")
    assert last == "1 error in 1 file"


def test_names_of_files_are_escaped_too() -> None:
    write("a\nb\x1b[31m.yaml", ERROR)

    assert lint(".").stdout.startswith(r"a\nb\x1b[31m.yaml:9:9: error: ")


# JSON


def test_json_has_all_findings_and_the_numbers() -> None:
    write("orders.yaml", ERROR)

    result = lint("--format", "json", "orders.yaml")

    assert json.loads(result.stdout) == {
        "findings": [
            {
                "file": "orders.yaml",
                "line": 9,
                "column": 9,
                "level": "error",
                "code": "unknown-check",
                "message": "Quality rule 'volume': unknown metric 'rowCuont'. "
                "Did you mean 'rowCount'?",
                "path": "schema[0].quality[0]",
            }
        ],
        "summary": {
            "files": 1,
            "contracts": 1,
            "rules": 1,
            "errors": 1,
            "warnings": 0,
            "notes": 0,
        },
    }
    assert result.exit_code == 1


def test_json_of_clean_contracts_has_no_findings() -> None:
    result = lint("--format", "json", write("orders.yaml", odcs()))

    assert json.loads(result.stdout)["findings"] == []
    assert result.exit_code == 0


def test_json_keeps_what_the_file_says() -> None:
    write("orders.yaml", ERROR.replace("name: volume", r'name: "a\nb\u202ec"'))

    result = lint("--format", "json", "orders.yaml")

    assert "'a\nb\u202ec'" in json.loads(result.stdout)["findings"][0]["message"]
    assert result.stdout.isascii()


def test_json_holds_no_half_characters_of_odd_file_names() -> None:
    try:
        write("latin\udce9.yaml", ERROR)
    except (OSError, UnicodeError):
        pytest.skip("the file system takes only names in UTF-8")

    result = lint("--format", "json", ".")

    assert json.loads(result.stdout)["findings"][0]["file"] == "latin\\udce9.yaml"


# GitHub


def test_github_commands_name_file_line_and_code() -> None:
    write("a.yaml", ERROR.replace("- name: orders", "- name: a"))
    write("b.yaml", NOTE)

    result = lint("--format", "github", "a.yaml", "b.yaml")

    assert result.stdout.splitlines() == [
        "::error file=a.yaml,line=9,col=9,title=dqx-dagster unknown-check::"
        "Quality rule 'volume': unknown metric 'rowCuont'. Did you mean 'rowCount'?",
        "::notice file=b.yaml,line=12,col=9,title=dqx-dagster portability::"
        "Quality rule 'volume' is not portable ODCS: the operator belongs inside 'implementation'",
        "1 error, 1 note in 2 files",
    ]
    assert result.exit_code == 1


def test_github_commands_are_escaped() -> None:
    """No text of a contract can end its command, or begin another."""
    name = r"50%, a:b\r\n::stop-commands::x\u202e"
    write("a,b:100%.yaml", ERROR.replace("name: volume", f'name: "{name}"'))

    command, last = lint("--format", "github", "a,b:100%.yaml").stdout.splitlines()

    assert command.startswith(
        "::error file=a%2Cb%3A100%25.yaml,line=9,col=9,title=dqx-dagster unknown-check::"
        r"Quality rule '50%25, a:b%0D%0A::stop-commands::x\u202e': unknown metric"
    )
    assert last == "1 error in 1 file"


def test_github_sees_files_from_the_folder_of_the_run(tmp_path: Path) -> None:
    write("contracts/orders.yaml", ERROR)

    result = lint("--format", "github", str(tmp_path / "contracts"))

    assert result.stdout.startswith("::error file=contracts/orders.yaml,line=9,")
