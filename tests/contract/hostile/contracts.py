"""Contracts that are written from a few words, however long they become."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Files: TypeAlias = dict[str, tuple[str | None, Callable[[], str]]]
"""Files by name: whether they load (`None` leaves it open), and how their text is made."""

HEADER = """\
apiVersion: v3.2.0
kind: DataContract
id: a
version: 1.0.0
status: active
"""
NATIVE = "name: n\nversion: '1'\ndescription: d\nowner: o\ndataset: s.t\n"


def odcs(body: str) -> str:
    """A contract with one table; `body` is indented by two."""
    return f"{HEADER}schema:\n- name: t\n{body}"


def rule(body: str) -> str:
    """A contract whose one column has one quality rule."""
    return odcs(f"  properties:\n  - name: a\n    quality:\n    - {body}\n")


def options(type_: str, body: str) -> str:
    """A contract whose one column has these `logicalTypeOptions`."""
    column = f"{{name: a, logicalType: {type_}, logicalTypeOptions: {body}}}"
    return odcs(f"  properties:\n  - {column}\n")


def lines(count: int, line: str) -> str:
    """The line `count` times, with its number in the place of `%`."""
    return "".join(line.replace("%", str(number)) for number in range(count))


def columns(count: int, rest: str = "") -> str:
    """The `properties:` of a table, for the body of `odcs`."""
    return "  properties:\n" + lines(count, f"  - {{name: column_%{rest}}}\n")


def rules(count: int, body: str) -> str:
    """The `quality:` of a table, for the body of `odcs`."""
    return "  quality:\n" + lines(count, f"  - {{{body}}}\n")


def levels(count: int, body: str) -> str:
    """A contract with service levels."""
    return f"{odcs(columns(1))}slaProperties:\n" + lines(count, f"- {{{body}}}\n")


def dqx(implementation: str) -> str:
    return f"type: custom, engine: dqx, implementation: {{{implementation}}}"


def embedded(text: str) -> str:
    """The text as the YAML inside an `implementation`."""
    return rule(f"type: custom\n      engine: dqx\n      implementation: |\n        {text}")
