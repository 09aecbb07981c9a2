"""ODCS `Document` → `Contract`s, one for each schema object.

Reads the header, columns and keys; quality rules and service levels have modules of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dqx_dagster.contract.columns import check_unique
from dqx_dagster.contract.document import Document
from dqx_dagster.contract.model import (
    EMPTY,
    Argument,
    ColumnType,
    Contract,
    Dialect,
    Property,
)
from dqx_dagster.contract.node import Node
from dqx_dagster.contract.odcs_quality import RuleReader
from dqx_dagster.contract.odcs_relationships import read_relationships
from dqx_dagster.contract.odcs_sla import read_sla, table_names
from dqx_dagster.contract.privacy import is_private
from dqx_dagster.contract.standard import SUPPORTED, Version, check_structure
from dqx_dagster.errors import Report, YamlPath, did_you_mean

_SINCE = {
    "enum": Version(3, 2, 0),
    "semanticType": Version(3, 2, 0),
    "map": Version(3, 2, 0),
    "vector": Version(3, 2, 0),
    "timestamp": Version(3, 1, 0),
    "time": Version(3, 1, 0),
    "relationships": Version(3, 1, 0),
}
"""Words of a property that came after 3.0.0."""


def read_odcs(document: Document, report: Report, *, strict: bool = False) -> list[Contract]:
    """Read every schema object; all problems go to the report."""
    root = Node.root(document)
    version = _api_version(root, report)
    check_structure(document, report, lax=version is not None and version < (3, 1, 0))
    if version is not None and version < (3, 2, 0) and "status" not in root.data:
        report.error(root.origin(), "schema", "'status' is a required property")
    reader = _Reader(report, version or Version(3, 2, 0), table_names(root), strict=strict)
    objects = list(root.nodes("schema"))
    if not objects and not report.errors:
        report.warning(root.origin("schema"), "empty", "the contract has no schema object to check")
    return [reader.contract(root, node) for node in objects]


def _api_version(root: Node, report: Report) -> Version | None:
    written = root.text("apiVersion")
    version = Version.parse(written)
    if written and version is None:
        text = f"'apiVersion' must be one of {', '.join(SUPPORTED)}; found '{written}'"
        report.error(root.origin("apiVersion"), "schema", text + did_you_mean(written, SUPPORTED))
    return version


class _Reader:
    """Reads schema objects of one document."""

    def __init__(
        self, report: Report, version: Version, tables: Mapping[str, YamlPath], *, strict: bool
    ) -> None:
        self._report, self._version, self._strict = report, version, strict
        self._tables = tables

    def contract(self, root: Node, node: Node) -> Contract:
        rules = RuleReader(self._report, self._version, strict=self._strict)
        rules.read(node, None)
        name = node.text("name") or ""
        properties = tuple(self._property(child, (), rules) for child in node.nodes("properties"))
        check_unique(properties, "Property", self._report)
        self._check_key(node)
        sla = read_sla(node, properties, self._tables, self._report)
        description = root.node("description")
        purpose = description.text("purpose") if description else root.text("description")
        return Contract(
            dataset=node.text("physicalName") or name,
            origin=node.origin(),
            object_name=name,
            object_id=node.text("id"),
            id=root.text("id"),
            name=root.text("name"),
            version=root.text("version"),
            status=root.text("status"),
            domain=root.text("domain"),
            description=node.text("description") or purpose,
            owner=_owner(root),
            tags=tuple(dict.fromkeys((*root.texts("tags"), *node.texts("tags")))),
            properties=properties,
            quality=tuple(rules.quality),
            text_rules=tuple(rules.texts),
            relationships=read_relationships(node, properties, self._report),
            sla_latencies=sla.latencies,
            sla_schedule=sla.schedule,
            sla_metadata=sla.metadata,
            servers=tuple(server.data for server in root.nodes("servers")),
            custom=root.custom_properties() | node.custom_properties(),
        )

    def _property(self, node: Node, above: tuple[str, ...], rules: RuleReader) -> Property:
        name = node.text("name") or ""
        column = node.text("physicalName") or name
        path = (*above, column)
        physical = node.text("semanticType") in (None, "column")
        self._check_version(node)
        if physical:
            rules.read(node, path)
        else:
            rules.skip_below(node, path, "is not a stored column, so nothing can be measured on it")
        if items := node.node("items"):
            rules.skip_below(
                items, path, "stands below the items of a list, which are not measured"
            )
        type_ = column_type(node)
        fields = tuple(self._property(child, path, rules) for child in node.nodes("properties"))
        check_unique(fields, "Property", self._report)
        return Property(
            name=name,
            column=column,
            origin=node.origin(),
            type=type_,
            physical_type=node.text("physicalType"),
            description=node.text("description"),
            required=node.flag("required"),
            unique=node.flag("unique"),
            primary_key=_position(node, "primaryKey", "primaryKeyPosition"),
            partition=_position(node, "partitioned", "partitionKeyPosition"),
            classification=node.text("classification"),
            encrypted_name=node.text("encryptedName"),
            tags=node.texts("tags"),
            options=self._options(node),
            properties=fields,
            private_items=any(map(_is_private, _inside(node))),
            physical=physical,
            id=node.text("id"),
        )

    def _options(self, node: Node) -> dict[str, Argument]:
        options = node.node("logicalTypeOptions")
        if options and not node.text("logicalType"):
            text = f"Property '{node.text('name')}': logicalTypeOptions need a logicalType"
            self._report.error(options.origin(), "schema", text)
        found = options.arguments() if options else {}
        if "enum" in node.data:
            values = [entry.data.get("value") for entry in node.nodes("enum")]
            found["enum"] = Argument(values, node.origin("enum"))
        return found

    def _check_version(self, node: Node) -> None:
        words = [word for word in ("enum", "semanticType", "relationships") if word in node.data]
        words += [word for word in (node.text("logicalType"),) if word in _SINCE]
        for word in words:
            if self._version < _SINCE[word]:
                since = ".".join(map(str, _SINCE[word]))
                name = node.text("name")
                text = f"Property '{name}': '{word}' is a word of ODCS v{since}; raise apiVersion"
                key = word if word in node.data else "logicalType"
                add = self._report.error if self._strict else self._report.note
                add(node.origin(key), "portability", text)

    def _check_key(self, node: Node) -> None:
        """Positions in the primary key should be 1, 2, 3 and so on."""
        keyed = [p for p in node.nodes("properties") if p.flag("primaryKey")]
        seen: set[int] = set()
        for item in keyed:
            position = item.whole("primaryKeyPosition")
            if position is None or position < 1:
                continue
            if position > len(keyed) or position in seen:
                text = f"Property '{item.text('name')}': position {position} in a primary key of "
                text += f"{len(keyed)} column(s); they should be 1 to {len(keyed)}, each once"
                self._report.warning(item.origin("primaryKeyPosition"), "primary-key", text)
            seen.add(position)


def column_type(node: Node | None) -> ColumnType | None:
    """The declared type, with the types inside it."""
    if node is None or (name := node.text("logicalType")) is None:
        return None
    mapping = node.node("map")
    options = nested.data if (nested := node.node("logicalTypeOptions")) else EMPTY
    timezone = options.get("timezone")
    zone = options.get("defaultTimezone") if timezone is True else None
    return ColumnType(
        name=name,
        dialect=Dialect.ODCS,
        items=column_type(mapping.node("value") if mapping else node.node("items")),
        key=column_type(mapping.node("key")) if mapping else None,
        fields=tuple(
            (child.text("physicalName") or child.text("name") or "", column_type(child))
            for child in node.nodes("properties")
        ),
        timezone=timezone if isinstance(timezone, bool) else None,
        zone=zone if isinstance(zone, str) else None,
    )


def _inside(node: Node) -> Iterator[Node]:
    """What is declared below the items of a list, or the keys and values of a map."""
    for owner, key in ((node, "items"), (node.node("map"), "key"), (node.node("map"), "value")):
        if owner and (found := owner.node(key)):
            yield from _whole(found)


def _whole(node: Node) -> Iterator[Node]:
    yield node
    for child in node.nodes("properties"):
        yield from _whole(child)
    yield from _inside(node)


def _is_private(node: Node) -> bool:
    tags, encrypted = node.texts("tags"), node.text("encryptedName")
    return is_private(node.text("classification"), tags, encrypted)


def _position(node: Node, flag: str, key: str) -> int | None:
    """Where a column stands in a key; columns without a position come last, in file order."""
    if not node.flag(flag):
        return None
    written = node.whole(key)
    index = node.path[-1]
    assert isinstance(index, int)
    return written if written is not None and written > 0 else 1_000_000 + index


def _owner(root: Node) -> str | None:
    """The team's name, else who has the role of owner."""
    team = root.node("team")
    members = list(team.nodes("members")) if team else list(root.nodes("team"))
    owners = [m.text("username") for m in members if (m.text("role") or "").lower() == "owner"]
    return (team.text("name") if team else None) or next(iter(owners), None)
