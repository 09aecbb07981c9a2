"""Writes the tables of words into README.md and docs/contracts.md, from the vocabulary itself.

Run it with `make tables`; a test fails while a page and the vocabulary differ.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from dqx_dagster.checks.implied import OPTIONS, SCHEMA_WORDS
from dqx_dagster.checks.parameters import Parameter
from dqx_dagster.checks.threshold import ODCS_OPERATORS, VALIDATORS
from dqx_dagster.checks.vocabulary import CHECKS, Unit
from dqx_dagster.contract.model import RuleKind

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/contracts.md")
_DIALECTS = {
    RuleKind.LIBRARY: "ODCS `metric`",
    RuleKind.DQX: "`engine: dqx`",
    RuleKind.NATIVE: "native",
}


def checks_table() -> str:
    """Every check that a contract can ask for."""
    rows = [
        (f"`{row.name}`", ", ".join(_DIALECTS[k] for k in row.kinds), row.scope.value, row.doc)
        for row in CHECKS
    ]
    return _table(("check", "in", "of a", "what is measured"), rows)


def parameters_table() -> str:
    """The parameters of each check that has some."""
    dialects: dict[tuple[str, str], list[RuleKind]] = {}
    for row in CHECKS:
        parts = [_parameter(parameter) for parameter in row.parameters]
        if row.unit is Unit.ROWS and row.kinds != (RuleKind.LIBRARY,):
            parts.append("`return` (count): count or pct")
        if parts:
            dialects.setdefault((row.name, "; ".join(parts)), []).extend(row.kinds)
    rows = [
        (f"`{name}`", ", ".join(_DIALECTS[kind] for kind in kinds), shown)
        for (name, shown), kinds in dialects.items()
    ]
    return _table(("check", "in", "parameters (default)"), rows)


def _parameter(parameter: Parameter) -> str:
    default = "required" if parameter.required else json.dumps(parameter.default or None)
    if isinstance(parameter.default, bool | int):
        default = json.dumps(parameter.default)
    shown = {"null": "none"}.get(default, default.strip('"'))
    return f"`{parameter.name}` ({shown}): {parameter.doc}"


def implied_table() -> str:
    """What the schema itself says."""
    rows = [(f"`{name}`", "", doc) for name, doc in SCHEMA_WORDS.items()]
    rows += [(f"`{row.name}`", _types(row.types), row.doc) for row in OPTIONS]
    return _table(("word", "of type", "what must hold"), rows)


def _types(types: tuple[str, ...]) -> str:
    return "any" if len(types) > 6 else ", ".join(types)


def operators_table() -> str:
    """The operators of both dialects."""
    native = {operator: name for name, operator in VALIDATORS.items()}
    meanings = {
        "mustBe": "= v",
        "mustNotBe": "≠ v",
        "mustBeGreaterThan": "> v",
        "mustBeGreaterOrEqualTo": "≥ v",
        "mustBeLessThan": "< v",
        "mustBeLessOrEqualTo": "≤ v",
        "mustBeBetween": "a ≤ … ≤ b",
        "mustNotBeBetween": "< a or > b",
    }
    rows = [
        (f"`{name}`", f"`{native[row]}`" if row in native else "", meanings[name])
        for name, row in ODCS_OPERATORS.items()
    ]
    return _table(("ODCS", "native", "passes when the metric is"), rows)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


TABLES = {
    "checks": checks_table,
    "parameters": parameters_table,
    "implied": implied_table,
    "operators": operators_table,
}


def with_tables(page: str) -> str:
    """The page with every marked table written anew."""
    for name, table in TABLES.items():
        marked = re.compile(rf"(<!-- table: {name} -->\n)(?:.*?\n)??(<!-- end -->)", re.DOTALL)
        if match := marked.search(page):
            written = f"{match[1]}{table()}\n{match[2]}"
            page = page[: match.start()] + written + page[match.end() :]
    return page


def main() -> None:
    """Write the tables into the pages."""
    for name in PAGES:
        path = ROOT / name
        path.write_text(with_tables(path.read_text("utf-8")), "utf-8")
        sys.stdout.write(f"{name}: written\n")


if __name__ == "__main__":
    main()
