"""Findings → a log in SARIF 2.1.0, the format of code scanning services and editors.

>>> from dqx_dagster.errors import Level, Origin
>>> origin = Origin("orders.yaml", 3, 1, ("kind",))
>>> result = _result(Finding(Level.ERROR, "schema", "'kind' is wrong", origin), Path("/repo"))
>>> result["ruleId"], result["level"], result["message"]
('schema', 'error', {'text': "'kind' is wrong"})
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from dqx_dagster import __version__
from dqx_dagster.cli.artifact import uri
from dqx_dagster.cli.codes import DESCRIPTIONS, describe
from dqx_dagster.cli.terminal import visible
from dqx_dagster.errors import Finding

SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def as_sarif(findings: Sequence[Finding], base: Path) -> str:
    """One run with all findings, as JSON in ASCII; files are named from `base`."""
    run = {
        "tool": {"driver": _driver(findings)},
        "columnKind": "unicodeCodePoints",  # how the YAML parser counts; SARIF assumes UTF-16
        "results": [_result(finding, base) for finding in findings],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _driver(findings: Iterable[Finding]) -> dict[str, Any]:
    """The tool with all its rules: also those that found nothing, so that readers can list them."""
    codes = sorted({*DESCRIPTIONS, *(finding.code for finding in findings)})
    return {
        "name": "dqx-dagster",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(code) for code in codes],
    }


def _rule(code: str) -> dict[str, Any]:
    text = {"text": describe(code)}
    # GitHub shows each of the three at another place, and asks for all of them.
    return {"id": code, "shortDescription": text, "fullDescription": text, "help": text}


def _result(finding: Finding, base: Path) -> dict[str, Any]:
    origin = finding.origin
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": uri(origin.file, base)},
            "region": {"startLine": origin.line, "startColumn": origin.column},
        }
    }
    if origin.path:
        location["logicalLocations"] = [{"fullyQualifiedName": visible(origin.yaml_path)}]
    return {
        "ruleId": finding.code,
        "level": finding.level.value,
        "message": {"text": _plain(finding.message)},
        "locations": [location],
    }


def _plain(text: str) -> str:
    """The message as text only: `[here](https://…)` is a link in SARIF, unless it is escaped."""
    return visible(text, keep="\n").replace("](", "\\](")
