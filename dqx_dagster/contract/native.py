"""Native DQX `Document` → `Contract`.

The structure is checked by `native.schema.json`, the types here; what the checks mean is not known
in this room.
"""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Any, Final

import jsonschema

from dqx_dagster.contract.columns import check_unique
from dqx_dagster.contract.document import Document
from dqx_dagster.contract.model import (
    ColumnType,
    Contract,
    Dialect,
    Property,
    Quality,
    RuleKind,
    SlaLatency,
    SlaSchedule,
)
from dqx_dagster.contract.node import Node
from dqx_dagster.contract.privacy import is_private
from dqx_dagster.contract.sla import (
    LONG_LAG_HOURS,
    MAX_HOURS,
    cron_error,
    max_age_hours,
    period_hours,
)
from dqx_dagster.contract.standard import explain
from dqx_dagster.errors import Report, YamlPath, did_you_mean

SIMPLE_TYPES: Final = (
    "int",
    "float",
    "bool",
    "string",
    "bytes",
    "date",
    "time",
    "timestamp",
    "decimal",
)
NESTED_TYPES: Final = {
    "list": {"value_type": True},
    "struct": {"fields": True},
    "map": {"key_type": True, "value_type": True},
    "timestamp": {"tz": False},
}
"""Types that are written as a mapping: their parameters, and whether each is required."""

_CHECK_HEADER = frozenset(
    {"name", "type", "severity", "description", "tags", "scope", "failing_rows"}
)
_DAY_HOURS = 24


@functools.cache
def _validator() -> Any:
    source = resources.files("dqx_dagster.contract") / "native.schema.json"
    schema = json.loads(source.read_text("utf-8"))
    return jsonschema.validators.validator_for(schema)(schema)


def read_native(document: Document, report: Report) -> Contract:
    """Read the one table of a native contract; all problems go to the report."""
    for error in _validator().iter_errors(document.root):
        explain(document, error, report)
    root = Node.root(document)
    reader = _Reader(root, report)
    properties = tuple(reader.column(node) for node in root.nodes("columns"))
    reader.check_names(properties)
    latency, schedule = reader.sla()
    metadata = root.node("metadata")
    return Contract(
        dataset=root.text("dataset") or "",
        origin=root.origin(),
        dialect=Dialect.NATIVE,
        object_name=root.text("dataset") or "",
        name=root.text("name"),
        version=root.text("version"),
        description=root.text("description"),
        owner=root.text("owner"),
        tags=root.texts("tags"),
        properties=properties,
        quality=tuple(reader.quality),
        sla_latencies=(latency,) if latency else (),
        sla_schedule=schedule,
        custom=dict(metadata.data) if metadata else {},
    )


def _hides(type_: Node | None) -> bool:
    """Whether a field of a struct inside a list or map is private."""
    inside = [found for key in ("value_type", "key_type") if type_ and (found := type_.node(key))]
    fields = [field for found in inside for field in found.nodes("fields")]
    for field in fields:
        metadata = field.node("metadata")
        if metadata and is_private(metadata.text("classification"), metadata.texts("tags")):
            return True
    return any(map(_hides, (*inside, *(field.node("type") for field in fields))))


class _Reader:
    def __init__(self, root: Node, report: Report) -> None:
        self._root, self._report = root, report
        self.quality: list[Quality] = []
        metadata = root.node("metadata")
        self._partitions = metadata.texts("partitioned_by") if metadata else ()
        self._checks(root, None)

    def column(self, node: Node) -> Property:
        name = node.text("name") or ""
        self._checks(node, (name,))
        type_ = self._type(node.data.get("type"), (*node.path, "type"), name)
        partitioned = name in self._partitions
        metadata = node.node("metadata")
        return Property(
            name=name,
            column=name,
            origin=node.origin(),
            type=type_,
            description=node.text("description"),
            required=node.data.get("nullable") is False,
            partition=self._partitions.index(name) + 1 if partitioned else None,
            classification=metadata.text("classification") if metadata else None,
            tags=metadata.texts("tags") if metadata else (),
            properties=self._fields(node.node("type"), type_),
            private_items=_hides(node.node("type")),
        )

    def _fields(self, written: Node | None, type_: ColumnType | None) -> tuple[Property, ...]:
        """The fields inside a struct, as properties; their types are those of the column's type."""
        if written is None or type_ is None:
            return ()
        return tuple(
            Property(
                name=name,
                column=name,
                origin=node.origin(),
                type=inner,
                description=node.text("description"),
                classification=metadata.text("classification") if metadata else None,
                tags=metadata.texts("tags") if metadata else (),
                properties=self._fields(node.node("type"), inner),
                private_items=_hides(node.node("type")),
            )
            for node, (name, inner) in zip(written.nodes("fields"), type_.fields, strict=True)
            for metadata in [node.node("metadata")]
        )

    def _checks(self, owner: Node, column: tuple[str, ...] | None) -> None:
        for node in owner.nodes("checks"):
            arguments = {k: node.argument(k) for k in node.data if k not in _CHECK_HEADER}
            self.quality.append(
                Quality(
                    kind=RuleKind.NATIVE,
                    word=node.text("type"),
                    origin=node.origin(),
                    column=column,
                    name=node.text("name"),
                    description=node.text("description"),
                    severity=node.text("severity"),
                    tags=node.texts("tags"),
                    scope=node.argument("scope") if "scope" in node.data else None,
                    failing_rows=node.argument("failing_rows")
                    if "failing_rows" in node.data
                    else None,
                    arguments=arguments,
                )
            )

    def _type(self, written: object, path: YamlPath, column: str) -> ColumnType | None:
        if isinstance(written, str):
            return self._simple(written, path, column)
        if isinstance(written, dict):
            return self._nested(Node(self._root.document, path, written), column)
        return None

    def _simple(self, name: str, path: YamlPath, column: str) -> ColumnType | None:
        if name in SIMPLE_TYPES:
            return ColumnType(name, Dialect.NATIVE)
        hint = did_you_mean(name, (*SIMPLE_TYPES, *NESTED_TYPES))
        if name in NESTED_TYPES:
            hint = f". Write it as a mapping: {{kind: {name}, …}}"
        text = f"Column '{column}': unknown type '{name}'{hint}"
        self._report.error(self._root.document.origin(*path), "type", text)
        return None

    def _nested(self, node: Node, column: str) -> ColumnType | None:
        kind = node.text("kind")
        if kind not in NESTED_TYPES:
            if kind in SIMPLE_TYPES and set(node.data) == {"kind"}:
                return ColumnType(kind, Dialect.NATIVE)
            hint = did_you_mean(kind or "", NESTED_TYPES)
            text = f"Column '{column}': a type written as a mapping needs a kind, one of "
            text += f"{', '.join(NESTED_TYPES)}; found '{kind}'{hint}"
            self._report.error(node.origin("kind"), "type", text)
            return None
        known = NESTED_TYPES[kind]
        for key in sorted(set(node.data) - set(known) - {"kind"}):
            text = f"Column '{column}': {kind} has no '{key}'{did_you_mean(key, known)}"
            self._report.error(node.origin(key), "type", text)
        for key, required in known.items():
            if required and key not in node.data:
                text = f"Column '{column}': {kind} needs '{key}'"
                self._report.error(node.origin(), "type", text)
        return self._built(kind, node, column)

    def _built(self, kind: str, node: Node, column: str) -> ColumnType:
        def inner(key: str) -> ColumnType | None:
            return self._type(node.data.get(key), (*node.path, key), column)

        zone = node.text("tz")
        fields = tuple(
            (
                field.text("name") or "",
                self._type(field.data.get("type"), (*field.path, "type"), column),
            )
            for field in node.nodes("fields")
        )
        return ColumnType(
            name=kind,
            dialect=Dialect.NATIVE,
            items=inner("value_type"),
            key=inner("key_type"),
            fields=fields,
            timezone=zone is not None if kind == "timestamp" else None,
            zone=zone,
        )

    def check_names(self, properties: tuple[Property, ...]) -> None:
        check_unique(properties, "Column", self._report)
        known = {p.name for p in properties}
        for index, name in enumerate(self._partitions):
            self._declared(name, known, "partitioned_by", index)
        if stamp := self._timestamp_column():
            self._declared(stamp, known, "timestamp_column")

    def _declared(self, name: str, known: set[str], *path: str | int) -> None:
        if name not in known:
            text = f"metadata.{path[0]}: no column '{name}'{did_you_mean(name, known)}"
            self._report.error(self._root.origin("metadata", *path), "unknown-column", text)

    def _timestamp_column(self) -> str | None:
        metadata = self._root.node("metadata")
        return metadata.text("timestamp_column") if metadata else None

    def sla(self) -> tuple[SlaLatency | None, SlaSchedule | None]:
        node = self._root.node("sla")
        cron = node.text("schedule") if node else None
        lag = node.data.get("lag_hours") if node else None
        if (
            node is None
            or cron is None
            or isinstance(lag, bool)
            or not isinstance(lag, int | float)
        ):
            return (None, None)
        period = self._period(node, cron)
        if period is None or not 0 <= lag <= MAX_HOURS:
            return (None, None)
        if lag > LONG_LAG_HOURS and period <= _DAY_HOURS:
            text = f"sla.lag_hours: {lag} hours is more than a week on the schedule '{cron}'"
            self._report.warning(node.origin("lag_hours"), "sla", text)
        column = self._partitions[0] if self._partitions else self._timestamp_column()
        if column is None:
            text = "sla: a table that is not partitioned needs metadata.timestamp_column"
            self._report.error(node.origin(), "sla", text)
            return (None, None)
        hours = max_age_hours(float(lag), period, partitioned=bool(self._partitions))
        schedule = SlaSchedule(
            " ".join(cron.split()), node.origin("schedule"), lag_hours=float(lag)
        )
        return (SlaLatency(hours, column, node.origin()), schedule)

    def _period(self, node: Node, cron: str) -> int | None:
        problem = cron_error(cron)
        period = None if problem else period_hours(cron)
        if period is None:
            why = problem or "no single period can be told from it; write hourly, daily, every N "
            why += (
                "" if problem else "hours, business days, weekly or monthly, or a freshness check"
            )
            self._report.error(node.origin("schedule"), "cron", f"sla.schedule '{cron}': {why}")
        return period
