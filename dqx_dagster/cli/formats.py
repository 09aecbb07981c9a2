"""Findings → what other programs read: JSON, and the workflow commands of GitHub Actions.

>>> from dqx_dagster.errors import Origin
>>> origin = Origin("contracts/orders, old.yaml", 3, 1, ("kind",))
>>> _command(Finding(Level.NOTE, "schema", "100% wrong", origin), Path("/repo"))
'::notice file=contracts/orders%2C old.yaml,line=3,col=1,title=dqx-dagster schema::100%25 wrong'
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from dqx_dagster.cli.artifact import relative_name
from dqx_dagster.cli.summary import Summary
from dqx_dagster.cli.terminal import visible
from dqx_dagster.errors import Finding, Level

_COMMANDS: Final = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def as_json(findings: Iterable[Finding], summary: Summary) -> str:
    """All findings and the numbers as one JSON object, in ASCII."""
    records = [_record(finding) for finding in findings]
    return json.dumps({"findings": records, "summary": asdict(summary)}, indent=2)


def _record(finding: Finding) -> dict[str, Any]:
    return {
        "file": _whole(finding.origin.file),
        "line": finding.origin.line,
        "column": finding.origin.column,
        "level": finding.level.value,
        "code": finding.code,
        "message": _whole(finding.message),
        "path": _whole(finding.origin.yaml_path),
    }


def _whole(text: str) -> str:
    """The text without halves of surrogate pairs, which strict readers of JSON refuse.

    Python puts them into names of files that are not UTF-8.
    """
    return text.encode("utf-8", "backslashreplace").decode()


def as_github(findings: Iterable[Finding], last: str, base: Path) -> str:
    """One workflow command for each finding, and the last line for the log."""
    return "\n".join([*(_command(finding, base) for finding in findings), last])


def _command(finding: Finding, base: Path) -> str:
    properties = {
        "file": relative_name(finding.origin.file, base),
        "line": str(finding.origin.line),
        "col": str(finding.origin.column),
        "title": f"dqx-dagster {finding.code}",
    }
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{_COMMANDS[finding.level]} {listed}::{_data(finding.message)}"


def _data(text: str) -> str:
    """The runner decodes these three; a raw line break would end the command."""
    shown = visible(text, keep="\r\n")
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
