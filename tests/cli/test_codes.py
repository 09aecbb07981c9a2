"""Every code has a sentence, an example in which it is found, and a row in the docs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import dqx_dagster
from cli.examples import EXAMPLES
from dqx_dagster.cli.codes import DESCRIPTIONS, describe
from dqx_dagster.errors import Finding
from dqx_dagster.loading import inspect

PACKAGE = Path(dqx_dagster.__file__).parent
PAGE = PACKAGE.parent / "docs" / "lint.md"


def report_calls(tree: ast.AST) -> Iterator[ast.Call]:
    """Calls that say something about a contract: of a report, or of an error that becomes one."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Name(id="add" | "_Wrong" | "RuleError" | "ParameterError" | "SqlError")
            ):
                yield node
            case ast.Call(
                func=ast.Attribute(
                    attr="error" | "warning" | "note",
                    value=ast.Name(id="report") | ast.Attribute(attr="report" | "_report"),
                )
            ):
                yield node


def written_code(call: ast.Call) -> ast.expr | None:
    named = [keyword.value for keyword in call.keywords if keyword.arg == "code"]
    return (named + call.args[1:2] + [None])[0]


def default_codes(tree: ast.AST) -> Iterator[str]:
    """The codes that a parameter `code` has where none is given."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.args.defaults:
            names = [argument.arg for argument in node.args.args[-len(node.args.defaults) :]]
            for name, value in zip(names, node.args.defaults, strict=True):
                if name == "code":
                    yield ast.literal_eval(value)


def codes_in(source: str) -> set[str]:
    tree = ast.parse(source)
    found = set(default_codes(tree))
    for call in report_calls(tree):
        match written_code(call):
            case ast.Constant(value=str(code)):
                found.add(code)
            case None | ast.Attribute(attr="code"):
                pass  # the default, or handed on from where it was written
            case other:
                pytest.fail(f"line {other.lineno}: a code must be a plain text")
    return found


def test_every_code_of_the_package_is_described() -> None:
    found = {code for file in PACKAGE.rglob("*.py") for code in codes_in(file.read_text("utf-8"))}

    assert found == set(DESCRIPTIONS)


def test_codes_are_seen_in_every_kind_of_call() -> None:
    source = """
def __init__(self, text, code="a"): ...
report.error(origin, "b", text)
self._report.warning(origin, "c", text)
self.report.note(origin, code="d", message=text)
add(origin, "e", text)
raise _Wrong(origin, "f", text)
raise ParameterError(text, "g")
raise ParameterError(text)
raise RuleError(origin, "h", text)
report.error(origin, wrong.code, text)
context.log.error("no code", text)
"""

    assert codes_in(source) == set("abcdefgh")


def test_descriptions_are_sorted_sentences() -> None:
    assert list(DESCRIPTIONS) == sorted(DESCRIPTIONS)
    assert [text for text in DESCRIPTIONS.values() if not text.endswith(".")] == []
    assert describe("regex") == DESCRIPTIONS["regex"]
    assert describe("newer-than-the-table") == "newer-than-the-table"


def first_finding(code: str, folder: Path) -> Finding:
    for name, text in EXAMPLES[code].items():
        (folder / name).write_text(text, "utf-8")
    found = inspect([Path()]).findings
    return next(finding for finding in found if finding.code == code)


@pytest.mark.parametrize("code", DESCRIPTIONS)
def test_the_docs_show_what_the_lint_says(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = first_finding(code, tmp_path)

    row = f"| `{code}` | {describe(code)} | `{found.level.value}: {found.message}` |"

    assert row in PAGE.read_text("utf-8").splitlines()


def test_the_docs_list_no_other_codes() -> None:
    section = PAGE.read_text("utf-8").partition("## What it finds")[2].partition("\n## ")[0]

    assert re.findall(r"^\| `(.*?)`", section, re.MULTILINE) == list(DESCRIPTIONS)


def test_the_snippets_of_the_docs_are_yaml() -> None:
    snippets = re.findall(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)

    workflow, hooks = map(yaml.safe_load, snippets)
    assert workflow["jobs"]["lint"]["steps"][-1]["run"].startswith("dqx-dagster lint contracts")
    assert hooks["repos"][0]["hooks"][0]["entry"] == "dqx-dagster lint contracts"
