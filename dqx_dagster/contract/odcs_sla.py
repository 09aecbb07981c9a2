"""The `slaProperties` of an ODCS document, resolved for one schema object.

`latency` says how old the data may be; `schedule`, or `timeOfAvailability`, when it is due. All
other properties are kept as they are. An element that names another table is not ours.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dqx_dagster.contract.columns import resolve_column
from dqx_dagster.contract.model import Property, SlaLatency, SlaSchedule
from dqx_dagster.contract.node import Node
from dqx_dagster.contract.sla import HOURS_OF_UNIT, cron_error, daily_schedule, to_hours
from dqx_dagster.contract.standard import shown
from dqx_dagster.errors import Origin, Report, YamlPath, did_you_mean

_LATENCY = frozenset({"latency", "ly", "freshness"})
_AVAILABLE = frozenset({"timeofavailability", "ta"})
_KEPT = ("value", "valueExt", "unit", "element", "driver", "scheduler", "schedule")


class _Target(enum.Enum):
    """Whom a service level is about, seen from one table."""

    OURS = enum.auto()
    OTHER = enum.auto()
    UNKNOWN = enum.auto()


@dataclass(frozen=True, slots=True)
class Sla:
    """What the service levels say about one table."""

    latencies: tuple[SlaLatency, ...] = ()
    schedule: SlaSchedule | None = None
    metadata: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)


def table_names(root: Node) -> dict[str, YamlPath]:
    """The places of the schema objects of a document, by name and by physical name."""
    names: dict[str, YamlPath] = {}
    for table in root.nodes("schema"):
        for name in (table.text("name"), table.text("physicalName")):
            if name:
                names.setdefault(name, table.path)
    return names


def read_sla(
    table: Node,
    properties: tuple[Property, ...],
    tables: Mapping[str, YamlPath],
    report: Report,
) -> Sla:
    """Resolve the service levels for one schema object of a document."""
    return _SlaReader(table, properties, tables, report).read()


class _SlaReader:
    def __init__(
        self,
        table: Node,
        properties: tuple[Property, ...],
        tables: Mapping[str, YamlPath],
        report: Report,
    ) -> None:
        self._root, self._table = Node.root(table.document), table
        self._properties, self._tables, self._report = properties, tables, report

    def read(self) -> Sla:
        latencies: list[SlaLatency] = []
        schedules: list[SlaSchedule] = []
        metadata: dict[str, dict[str, Any]] = {}
        for node in self._root.nodes("slaProperties"):
            word = (node.text("property") or "").lower()
            target, columns = self._target(node)
            if target is _Target.OTHER:
                continue
            if word not in _LATENCY and word:
                metadata[self._free_key(node, metadata)] = _kept(node)
            schedules += self._schedule(node, word)
            if target is _Target.UNKNOWN:
                self._report_unknown(node, enforced=word in _LATENCY)
            elif word in _LATENCY:
                latencies += self._latency(node, columns)
        return Sla(tuple(latencies), next(iter(schedules), None), metadata)

    def _free_key(self, node: Node, metadata: dict[str, dict[str, Any]]) -> str:
        """A property may be there several times, for several drivers: number the later ones."""
        word = node.text("property") or ""
        taken = sum(key == word or key.startswith(f"{word}#") for key in metadata)
        return f"{word}#{taken + 1}" if taken else word

    def _target(self, node: Node) -> tuple[_Target, tuple[str, ...]]:
        """Whether the property is about this table, and about which of its columns."""
        elements, origin = self._elements(node)
        if not elements:
            return (_Target.OURS, ())
        found = [self._column(element, origin) for element in elements]
        targets = {target for target, _ in found}
        if _Target.OURS in targets:
            return (_Target.OURS, tuple(column for _, column in found if column))
        return (_Target.OTHER if _Target.OTHER in targets else _Target.UNKNOWN, ())

    def _elements(self, node: Node) -> tuple[list[str], Origin]:
        at, key = (node, "element") if node.text("element") else (self._root, "slaDefaultElement")
        written = (at.text(key) or "").split(",")
        return ([part.strip() for part in written if part.strip()], at.origin(key))

    def _column(self, element: str, origin: Origin) -> tuple[_Target, str | None]:
        name, column = element, ""
        while name:
            if name in self._tables:
                if self._tables[name] != self._table.path:
                    return (_Target.OTHER, None)
                return (_Target.OURS, self._resolve(column, element, origin) if column else None)
            name, _, last = name.rpartition(".")
            column = f"{last}.{column}" if column else last
        if len(set(self._tables.values())) == 1 and "." not in element:
            return (_Target.OURS, self._resolve(element, element, origin))
        return (_Target.UNKNOWN, None)

    def _names_table(self, node: Node) -> bool:
        """Whether the element is just the table, without a column."""
        elements, _ = self._elements(node)
        return elements[0] in (self._table.text("name"), self._table.text("physicalName"))

    def _report_unknown(self, node: Node, *, enforced: bool) -> None:
        elements, origin = self._elements(node)
        tables = list(self._tables)
        names = ", ".join(f"'{name}'" for name in tables[:10])
        text = f"SLA {node.text('property')}: '{', '.join(elements)}' names no schema object of "
        text += f"this file ({names}); write table.column"
        hint = did_you_mean(elements[0].rpartition(".")[0], tables)
        if enforced:
            self._report.warning(origin, "sla", f"{text}; it is not enforced{hint}")
        else:
            self._report.note(origin, "sla", f"{text}{hint}")

    def _resolve(self, column: str, element: str, origin: Origin) -> str | None:
        found = resolve_column(self._properties, column)
        if found:
            return ".".join(found)
        known = [p.name for p in self._properties]
        text = f"SLA element '{element}': no property '{column}'{did_you_mean(column, known)}"
        self._report.error(origin, "unknown-column", text)
        return None

    def _latency(self, node: Node, columns: tuple[str, ...]) -> Iterator[SlaLatency]:
        hours = self._hours(node)
        if hours is None:
            return
        if not columns and self._elements(node)[0] and not self._names_table(node):
            return  # its column does not exist, and that has been said
        if not columns:
            keyed = (p for p in self._properties if p.partition == 1)
            column = next((p.column for p in keyed), None)
            if column is None:
                text = "SLA latency: no column tells the age of the data; add "
                text += f"'element: {self._table.text('name')}.<column>'; "
                text += "only materializations are watched"
                self._report.warning(node.origin(), "sla", text)
            yield SlaLatency(hours, column, node.origin())
        for column in columns:
            yield SlaLatency(hours, column, node.origin())

    def _hours(self, node: Node) -> float | None:
        value, unit = node.data.get("value"), node.text("unit")
        if unit and unit.strip().lower() not in HOURS_OF_UNIT:
            hint = did_you_mean(unit, HOURS_OF_UNIT)
            if unit.strip().lower() == "m":
                hint = ": 'min' for minutes, 'mo' for months"
            text = f"SLA latency: unknown unit '{unit}'{hint}"
            self._report.error(node.origin("unit"), "sla", text)
            return None
        hours = to_hours(value, unit)
        if hours is None or hours <= 0:
            text = f"SLA latency: value must be a time above 0; found {shown(value)}"
            self._report.error(node.origin("value"), "sla", text)
            return None
        if unit is None and not (isinstance(value, str) and value.startswith("P")):
            text = f"SLA latency: no unit, {shown(value)} is read as hours; add 'unit: h'"
            self._report.warning(node.origin(), "sla", text)
        return hours

    def _schedule(self, node: Node, word: str) -> Iterator[SlaSchedule]:
        cron, scheduler = node.text("schedule"), node.text("scheduler")
        if cron and (scheduler or "cron").lower() == "cron":
            if problem := cron_error(cron):
                text = f"SLA schedule '{cron}': {problem}"
                self._report.error(node.origin("schedule"), "cron", text)
            else:
                yield SlaSchedule(" ".join(cron.split()), node.origin("schedule"))
        elif word in _AVAILABLE and (daily := daily_schedule(node.text("value") or "")):
            yield SlaSchedule(daily[0], node.origin("value"), daily[1])


def _kept(node: Node) -> dict[str, Any]:
    return {key: node.data[key] for key in _KEPT if key in node.data}
