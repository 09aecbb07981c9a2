"""ODCS `relationships`, of a schema object and of its properties → `Relationship`s.

Where they lead is not looked up here: the other table may be in a file that is still to be read.
"""

from __future__ import annotations

from collections.abc import Iterator

from dqx_dagster.contract.columns import property_at
from dqx_dagster.contract.model import Argument, Property, Relationship
from dqx_dagster.contract.node import Node
from dqx_dagster.contract.reference import FORMS, parse_reference
from dqx_dagster.errors import Report, did_you_mean

_NOT_STORED = "its column is not stored, so nothing can be measured on it"
_IN_LIST = "it stands below the items of a list, which are not measured"


def read_relationships(
    table: Node, properties: tuple[Property, ...], report: Report
) -> tuple[Relationship, ...]:
    """The relationships of a schema object, then those of its properties."""
    return (*_of_table(table, properties, report), *_of_properties(table, (), None))


def _of_table(
    table: Node, properties: tuple[Property, ...], report: Report
) -> Iterator[Relationship]:
    for entry in table.nodes("relationships"):
        written = _references(entry, "from")
        columns = [_source(each, table, properties, report) for each in written]
        paths = tuple(path for path in columns if path is not None)
        if not paths or len(paths) < len(columns):
            continue
        items = (property_at(properties, path) for path in paths)
        stored = all(item.physical for item in items if item)
        yield _relationship(entry, paths, None if stored else _NOT_STORED)


def _of_properties(
    node: Node, above: tuple[str, ...], skipped: str | None
) -> Iterator[Relationship]:
    for child in node.nodes("properties"):
        path = (*above, child.text("physicalName") or child.text("name") or "")
        stored = child.text("semanticType") in (None, "column")
        yield from _of_property(child, path, skipped or (None if stored else _NOT_STORED))


def _of_property(node: Node, path: tuple[str, ...], skipped: str | None) -> Iterator[Relationship]:
    for entry in node.nodes("relationships"):
        yield _relationship(entry, (path,), skipped)
    yield from _of_properties(node, path, skipped)
    if items := node.node("items"):
        yield from _of_property(items, path, skipped or _IN_LIST)


def _relationship(
    entry: Node, columns: tuple[tuple[str, ...], ...], skipped: str | None
) -> Relationship:
    to = _references(entry, "to")
    return Relationship(columns, to, entry.origin(), entry.text("id"), skipped=skipped)


def _references(entry: Node, key: str) -> tuple[Argument, ...]:
    """The texts below a key: one, or a list for a key of several columns."""
    if (single := entry.text(key)) is not None:
        return (Argument(single, entry.origin(key)),)
    written = entry.data.get(key)
    texts = enumerate(written) if isinstance(written, list) else ()
    return tuple(Argument(t, entry.origin(key, i)) for i, t in texts if isinstance(t, str))


def _source(
    written: Argument, table: Node, properties: tuple[Property, ...], report: Report
) -> tuple[str, ...] | None:
    """The column of this table that a relationship starts at."""
    reference = parse_reference(written.value)
    if reference is None:
        text = f"Relationship from '{written.value}': it must name a column, {FORMS}"
        report.error(written.origin, "relationship", text)
        return None
    own = {table.text(key) for key in ("name", "physicalName", "id")}
    here = [columns for name, columns in reference.readings if name in own]
    if reference.file is not None or not here:
        text = f"Relationship from '{written.value}': it must start at this table"
        report.error(written.origin, "relationship", f"{text}, '{table.text('name')}'")
        return None
    found = (reference.path(properties, columns) for columns in here)
    path = next((path for path in found if path), None)
    if path is None:
        hint = did_you_mean(here[0][0], (p.name for p in properties))
        text = f"Relationship from '{written.value}': no property '{'.'.join(here[0])}'"
        report.error(written.origin, "unknown-column", f"{text} in the contract{hint}")
    return path
