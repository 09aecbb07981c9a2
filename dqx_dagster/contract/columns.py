"""Finding columns among properties."""

from __future__ import annotations

from collections.abc import Iterator

from dqx_dagster.contract.model import Property
from dqx_dagster.errors import Report

MAX_NAME = 1_000


def find_property(properties: tuple[Property, ...], name: str) -> Property | None:
    """The property that is called `name`: by its name, else by its physical name."""
    by_column = None
    for item in properties:
        if item.name == name:
            return item
        if by_column is None and item.column == name:
            by_column = item
    return by_column


def walk(
    properties: tuple[Property, ...], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Property]]:
    """Every property with its path of columns, parents first."""
    for item in properties:
        path = (*above, item.column)
        yield path, item
        yield from walk(item.properties, path)


def resolve_column(properties: tuple[Property, ...], name: str) -> tuple[str, ...] | None:
    """The path of columns that `name` means: a property, or a dotted path into structs."""
    if found := find_property(properties, name):
        return (found.column,)
    head, dot, rest = name.partition(".")
    outer = find_property(properties, head) if dot else None
    inner = resolve_column(outer.properties, rest) if outer else None
    return (outer.column, *inner) if outer and inner else None


def property_at(properties: tuple[Property, ...], path: tuple[str, ...]) -> Property | None:
    """The property at a path of columns."""
    found = None
    for part in path:
        found = next((p for p in properties if p.column == part), None)
        if found is None:
            return None
        properties = found.properties
    return found


def check_unique(properties: tuple[Property, ...], label: str, report: Report) -> None:
    """Report columns that are declared twice. Spark ignores case in names, so this does."""
    seen: dict[str, Property] = {}
    for item in properties:
        if not item.column.strip():
            report.error(item.origin, "schema", f"a {label.lower()} needs a name")
        if len(item.column) > MAX_NAME:
            text = f"{label} '{item.column[:20]}…': a name has at most {MAX_NAME} characters"
            report.error(item.origin, "schema", text)
        first = seen.setdefault(item.column.lower(), item)
        if first is not item and item.column:
            text = f"{label} '{item.name}': the column '{item.column}' is declared twice, "
            text += f"first in line {first.origin.line}"
            report.error(item.origin, "duplicate", text)
