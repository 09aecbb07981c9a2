"""Small contracts for the lint to read, and where something stands in them."""

from __future__ import annotations

import textwrap

_HEAD = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
"""
_COLUMNS = """\
- name: order_id
  logicalType: integer
- name: status
  logicalType: string
- name: ordered_at
  logicalType: timestamp
"""


def odcs(*, quality: str = "", columns: str = "", sla: str = "", table: str = "orders") -> str:
    """An ODCS contract with three columns, and rules, columns and service levels as given."""
    text = _HEAD
    if sla:
        text += f"slaProperties:\n{_block(sla, 2)}"
    text += f"schema:\n  - name: {table}\n"
    if quality:
        text += f"    quality:\n{_block(quality, 6)}"
    return f"{text}    properties:\n{_block(_COLUMNS, 6)}{_block(columns, 6)}"


def _block(text: str, indent: int) -> str:
    body = textwrap.dedent(text).strip("\n")
    return textwrap.indent(f"{body}\n", " " * indent) if body else ""


def place(text: str, words: str) -> str:
    """The `line:column` of some words that are in the text once."""
    assert text.count(words) == 1
    before = text[: text.index(words)]
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


NATIVE = """\
name: visits
version: "1.0"
description: Visits of the web site
owner: web
dataset: web.visits
columns:
  - name: visited_at
    type: timestamp
    description: When the visit began
"""

NOTE = odcs(
    quality="""
    - name: volume
      type: custom
      engine: dqx
      mustBeGreaterThan: 0
      implementation: |
        check: num_rows
    """
)
WARNING = odcs(
    quality="""
    - name: volume
      metric: rowCount
      mustBeGreaterOrEqualTo: 0
    """
)
ERROR = odcs(
    quality="""
    - name: volume
      metric: rowCuont
      mustBeGreaterThan: 0
    """
)
