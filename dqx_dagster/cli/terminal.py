r"""Findings → lines for people: one line each, then the summary.

A line is never wrapped or cut, and nothing in it is taken for markup, so that what is piped into
`grep` or `cut -d:` is what the terminal shows. Contracts come from others: a character that could
move the cursor, hide text or turn its direction is shown as an escape.

>>> visible("rows\u202e\x1b[2J")
'rows\\u202e\\x1b[2J'
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final, TextIO

from rich.console import Console
from rich.text import Text

from dqx_dagster.errors import Finding, Level

_STYLES: Final = {Level.ERROR: "bold red", Level.WARNING: "yellow", Level.NOTE: "cyan"}


def visible(text: str, *, keep: str = "") -> str:
    """The text with all that does not print written as an escape, but for what is in `keep`.

    Backslashes stay single, though an escape then looks like the same characters written out:
    most of them are those of regular expressions, which are hard enough to read.
    """
    return "".join(
        char if char.isprintable() or char in keep else ascii(char)[1:-1] for char in text
    )


def console(stream: TextIO, *, width: int | None = None) -> Console:
    """Where text for people goes: in colour on a terminal, unless `NO_COLOR` is set."""
    colour = stream.isatty() and not os.environ.get("NO_COLOR")
    # Without a colour system, rich writes no escape sequence whatever the environment says.
    return Console(file=stream, color_system="auto" if colour else None, width=width)


def write_findings(stream: TextIO, findings: Iterable[Finding], last: str) -> None:
    """Print every finding as `file:line:column: level: message`, and the last line."""
    lines = console(stream)
    for finding in findings:
        lines.print(_line(finding), soft_wrap=True)
    lines.print(Text(last, style="bold"), soft_wrap=True)


def _line(finding: Finding) -> Text:
    level = (finding.level.value, _STYLES[finding.level])
    return Text.assemble(visible(str(finding.origin)), ": ", level, ": ", visible(finding.message))
