"""The typed contract: what a contract file says about one table, and where it says it.

ODCS and native files become the same model; one `Contract` stands for one schema object. It holds
what was *written*; what that means as a measurement is worked out by `dqx_dagster.checks`.

>>> orders = Contract(dataset="sales.orders", origin=Origin("orders.odcs.yaml"))
>>> orders.title
'sales.orders'
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, cast

from dqx_dagster.errors import Finding, Origin

EMPTY: Mapping[str, Any] = MappingProxyType({})
Table = TypeVar("Table")  # a DataFrame, which this room does not know


class Dialect(enum.Enum):
    """The two languages that contracts are written in."""

    ODCS = "ODCS"
    NATIVE = "native DQX"


class RuleKind(enum.Enum):
    """Who is asked to run a quality rule."""

    LIBRARY = "library"  # an ODCS metric
    DQX = "custom"  # `type: custom`, `engine: dqx`
    NATIVE = "native"  # a check of the native format
    SQL = "sql"
    FOREIGN = "foreign"  # another engine: kept, never run


@dataclass(frozen=True, slots=True)
class Argument:
    """A value of a rule, and where it stands."""

    value: Any = field(hash=False)  # YAML gives lists and mappings
    origin: Origin
    block: tuple[int, int] | None = None  # line and column where a text of several lines begins


@dataclass(frozen=True, slots=True)
class Quality:
    """One quality rule as it is written."""

    kind: RuleKind
    word: str | None  # the metric, the check, or the name of the foreign engine
    origin: Origin
    column: tuple[str, ...] | None = None  # the property that it is attached to
    id: str | None = None
    name: str | None = None
    description: str | None = None
    severity: str | None = None
    dimension: str | None = None
    unit: Argument | None = None
    scope: Argument | None = None  # what it is about in a partitioned table
    failing_rows: Argument | None = None  # how many rows that break it are shown
    tags: tuple[str, ...] = ()
    arguments: Mapping[str, Argument] = field(
        default_factory=dict, hash=False
    )  # operators and parameters alike
    skipped: str | None = None  # why it cannot run, known from its text alone

    @property
    def title(self) -> str:
        """What the rule is called; its word where it has no name."""
        return self.name or self.id or self.description or self.word or "unnamed"

    @property
    def label(self) -> str:
        """How a message about the rule begins."""
        return f"{'Check' if self.kind is RuleKind.NATIVE else 'Quality rule'} '{self.title}'"


@dataclass(frozen=True, slots=True)
class TextRule:
    """A rule for people: documentation, never measured."""

    text: str
    origin: Origin
    name: str | None = None
    column: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The type that a contract declares, in the words of its dialect.

    `timezone` is True, False or None (any); `zone` is the zone that a timestamp must carry.
    """

    name: str
    dialect: Dialect = Dialect.ODCS
    items: ColumnType | None = None
    key: ColumnType | None = None
    fields: tuple[tuple[str, ColumnType | None], ...] = ()
    timezone: bool | None = None
    zone: str | None = None


@dataclass(frozen=True, slots=True)
class Property:
    """A column, or a field of a struct column."""

    name: str
    column: str  # the name in the table: physicalName, else name
    origin: Origin
    type: ColumnType | None = None
    physical_type: str | None = None
    description: str | None = None
    required: bool = False
    unique: bool = False
    primary_key: int | None = None  # its position in the key
    partition: int | None = None  # its position in the partitioning
    classification: str | None = None
    encrypted_name: str | None = None
    tags: tuple[str, ...] = ()
    options: Mapping[str, Argument] = field(
        default_factory=dict, hash=False
    )  # logicalTypeOptions and enum
    properties: tuple[Property, ...] = ()
    private_items: bool = False  # something below the items of a list or map is not to be shown
    physical: bool = True  # False for a measure or dimension that is not stored
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """Where a relationship leads: columns of a table, which may be the table itself."""

    contract: Contract  # of the other table, without its own relationships
    columns: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Relationship:
    """Columns whose values must exist in another table."""

    columns: tuple[tuple[str, ...], ...]  # paths, as a column may lie inside a struct
    to: tuple[Argument, ...]  # references, as they are written
    origin: Origin
    id: str | None = None
    target: Target | None = None  # None as long as no contract of the other table is at hand
    skipped: str | None = None  # why it cannot be checked

    @property
    def title(self) -> str:
        """What the relationship is called: its id, else where it leads."""
        return self.id or ", ".join(str(reference.value) for reference in self.to)

    @property
    def label(self) -> str:
        """How a message about the relationship begins."""
        return f"Relationship '{self.title}'" if self.id else f"Relationship to '{self.title}'"


@dataclass(frozen=True, slots=True)
class SlaLatency:
    """How old the data may be, and which column says how old it is."""

    max_age_hours: float
    timestamp_column: str | None
    origin: Origin


@dataclass(frozen=True, slots=True)
class SlaSchedule:
    """When new data is due, as a five-field cron expression."""

    cron: str
    origin: Origin
    timezone: str = "UTC"
    lag_hours: float = 0.0


@dataclass(frozen=True, slots=True)
class Contract:
    """What must hold for one table."""

    dataset: str
    origin: Origin
    dialect: Dialect = Dialect.ODCS
    object_name: str = ""
    object_id: str | None = None
    id: str | None = None
    name: str | None = None
    version: str | None = None
    status: str | None = None
    domain: str | None = None
    description: str | None = None
    owner: str | None = None
    tags: tuple[str, ...] = ()
    properties: tuple[Property, ...] = ()
    quality: tuple[Quality, ...] = ()
    text_rules: tuple[TextRule, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    sla_latencies: tuple[SlaLatency, ...] = ()
    sla_schedule: SlaSchedule | None = None
    sla_metadata: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    servers: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)
    custom: Mapping[str, Any] = field(default_factory=dict, hash=False)
    findings: tuple[Finding, ...] = field(default=(), compare=False)
    siblings: tuple[Contract, ...] = field(default=(), compare=False, repr=False)

    @property
    def title(self) -> str:
        """The contract's name, else its dataset."""
        return self.name or self.dataset

    @property
    def asset_path(self) -> tuple[str, ...]:
        """The path of the asset: the custom property `dagsterAssetKey`, else the dataset's parts.

        >>> Contract(dataset="sales.orders", origin=Origin("orders.yaml")).asset_path
        ('sales', 'orders')
        """
        written = self.custom.get("dagsterAssetKey")
        if isinstance(written, list) and written and all(isinstance(w, str) for w in written):
            return tuple(written)
        if isinstance(written, str) and written:
            return tuple(written.split("/"))
        return tuple(self.dataset.split("."))

    @property
    def sla_latency(self) -> SlaLatency | None:
        """The latency that the contract promises; the first, where it names several columns."""
        return self.sla_latencies[0] if self.sla_latencies else None

    @property
    def primary_key(self) -> tuple[Property, ...]:
        """The columns of the primary key, in the order of their positions."""
        keyed = [p for p in self.properties if p.primary_key is not None]
        return tuple(sorted(keyed, key=lambda p: p.primary_key or 0))

    def failing_rows(self, table: Table) -> Table:
        """The rows of a DataFrame that break rules, with their names in `broken_rules`.

        `dqx_dagster.spark.quarantine.failing_rows` says more, and has options.
        """
        from dqx_dagster.spark.quarantine import failing_rows  # noqa: PLC0415 - no Spark at load

        return cast("Table", failing_rows(self, cast("Any", table)))

    def good_rows(self, table: Table) -> Table:
        """The rows of a DataFrame that break no rule."""
        from dqx_dagster.spark.quarantine import good_rows  # noqa: PLC0415 - no Spark at load

        return cast("Table", good_rows(self, cast("Any", table)))

    @classmethod
    def from_odcs(cls, path: str | Path, *, strict: bool = False) -> list[Contract]:
        """Read an ODCS file: one contract per schema object.

        `strict` refuses what only this project reads (see docs/contracts.md).
        """
        from dqx_dagster.loading import load_file  # noqa: PLC0415 - it reads into this model

        return load_file(Path(path), dialect=Dialect.ODCS, strict=strict)

    @classmethod
    def from_yaml(cls, path: str | Path) -> Contract:
        """Read a contract in the native format."""
        from dqx_dagster.loading import load_file  # noqa: PLC0415 - it reads into this model

        return load_file(Path(path), dialect=Dialect.NATIVE)[0]
