"""Declared columns against the columns that a table has.

Types are compared in words, so that this room needs no Spark: `ActualType` is what an engine says
about a column.

>>> declared = Mismatches((Field("id", ColumnType("integer"), "order_id"), Field("note", None)))
>>> for problem in mismatches(declared, {"ID": ActualType("string")}):
...     print(problem)
Property 'order_id' type mismatch:
expected logicalType 'integer' (int8–int64, uint8–uint64), got string
Property 'note' is missing: the table has no such column
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from dqx_dagster.contract.model import ColumnType, Dialect
from dqx_dagster.errors import did_you_mean
from dqx_dagster.metrics.metric import Field, Mismatches

_INTEGERS: Final = ("tinyint", "smallint", "int", "bigint")
_TEXTS: Final = ("string", "varchar", "char")
_FLOATS: Final = ("float", "double")
_TIMESTAMPS: Final = ("timestamp", "timestamp_ntz")

ACCEPTED: Final[Mapping[tuple[Dialect, str], tuple[str, ...]]] = {
    (Dialect.ODCS, "string"): _TEXTS,
    (Dialect.ODCS, "integer"): _INTEGERS,
    (Dialect.ODCS, "number"): (*_FLOATS, "decimal"),
    (Dialect.ODCS, "boolean"): ("boolean",),
    (Dialect.ODCS, "date"): ("date",),
    (Dialect.ODCS, "timestamp"): _TIMESTAMPS,
    (Dialect.ODCS, "time"): ("time",),
    (Dialect.ODCS, "array"): ("array",),
    (Dialect.ODCS, "object"): ("struct", "map"),
    (Dialect.ODCS, "map"): ("map",),
    (Dialect.ODCS, "vector"): ("array",),
    (Dialect.NATIVE, "int"): _INTEGERS,
    (Dialect.NATIVE, "float"): _FLOATS,
    (Dialect.NATIVE, "bool"): ("boolean",),
    (Dialect.NATIVE, "string"): _TEXTS,
    (Dialect.NATIVE, "bytes"): ("binary",),
    (Dialect.NATIVE, "date"): ("date",),
    (Dialect.NATIVE, "time"): ("time",),
    (Dialect.NATIVE, "timestamp"): _TIMESTAMPS,
    (Dialect.NATIVE, "decimal"): ("decimal",),
    (Dialect.NATIVE, "list"): ("array",),
    (Dialect.NATIVE, "struct"): ("struct",),
    (Dialect.NATIVE, "map"): ("map",),
}
"""Spark's types that satisfy a declared one."""

_MEANING: Final = {
    "integer": "int8–int64, uint8–uint64",
    "int": "int8-int64, uint8-uint64",
    "number": "float32, float64, decimal",
    "float": "float32, float64",
    "string": "string, varchar, char",
    "object": "struct or map",
}
_UTC: Final = frozenset({"utc", "etc/utc", "gmt", "etc/gmt", "z", "+00:00"})


@dataclass(frozen=True, slots=True)
class ActualType:
    """The type that a column has: Spark's name for it, and the types inside."""

    name: str
    text: str = ""  # as Spark writes it, with precision or fields; the name where it is empty
    items: ActualType | None = None
    key: ActualType | None = None
    fields: tuple[tuple[str, ActualType], ...] = ()

    def __str__(self) -> str:
        return self.text or self.name


def mismatches(
    declared: Mismatches,
    actual: Mapping[str, ActualType],
    *,
    case_sensitive: bool = False,
    session_zone: str | None = None,
) -> tuple[str, ...]:
    """The columns in which the table differs from its contract, a sentence each.

    `session_zone` is the zone that a Spark session gives its timestamps; without one, the zone that
    a contract asks for is not compared.
    """
    compare = _Comparison(case_sensitive, session_zone)
    columns = ("; ".join(compare.column(field, actual)) for field in declared.fields)
    return tuple(problems for problems in columns if problems)


@dataclass(frozen=True, slots=True)
class _Comparison:
    case_sensitive: bool
    session_zone: str | None

    def column(self, field: Field, actual: Mapping[str, ActualType]) -> Iterator[str]:
        expected = field.expected if isinstance(field.expected, ColumnType) else None
        dialect = expected.dialect if expected else Dialect.ODCS
        noun = "Property" if dialect is Dialect.ODCS else "Column"
        label = f"{noun} '{field.label or field.name}'"
        found = self._named(field.name, actual)
        if not found:
            hint = did_you_mean(field.name, actual)
            what = "" if field.label in ("", field.name) else f" '{field.name}'"
            yield f"{label} is missing: the table has no such column{what}{hint}"
        elif len(found) > 1:
            yield f"{label} is ambiguous: the table has {', '.join(found)}"
        elif expected:
            yield from self._type(label, expected, actual[found[0]])

    def _named(self, name: str, actual: Mapping[str, object]) -> list[str]:
        """The columns that Spark would find under a name; an exact match wins."""
        if name in actual or self.case_sensitive:
            return [name] if name in actual else []
        return [column for column in actual if column.lower() == name.lower()]

    def _type(self, label: str, expected: ColumnType, actual: ActualType) -> Iterator[str]:
        accepted = ACCEPTED.get((expected.dialect, expected.name), ())
        if actual.name not in accepted or not self._zone_fits(expected, actual):
            yield self._sentence(label, expected, actual)
            return
        if expected.items and actual.items:
            yield from self._type(f"{label} items", expected.items, actual.items)
        if expected.key and actual.key:
            yield from self._type(f"{label} key", expected.key, actual.key)
        if actual.name == "struct":
            yield from self._fields(label, expected, dict(actual.fields))

    def _fields(
        self, label: str, expected: ColumnType, actual: Mapping[str, ActualType]
    ) -> Iterator[str]:
        """Declared fields must be there; others are ignored."""
        for name, type_ in expected.fields:
            found = self._named(name, actual)
            if not found:
                yield f"{label} has no field '{name}'{did_you_mean(name, actual)}"
            elif type_:
                yield from self._type(f"{label} field '{name}'", type_, actual[found[0]])

    def _zone_fits(self, expected: ColumnType, actual: ActualType) -> bool:
        if expected.name != "timestamp" or expected.timezone is None:
            return True
        if expected.timezone is not (actual.name == "timestamp"):
            return False
        if expected.zone is None or self.session_zone is None:
            return True
        return _zone(expected.zone) == _zone(self.session_zone)

    def _sentence(self, label: str, expected: ColumnType, actual: ActualType) -> str:
        meaning = _MEANING.get(expected.name, "")
        if expected.name == "timestamp" and expected.timezone is not None:
            meaning = (
                f"with time zone {expected.zone or ''}" if expected.timezone else "no time zone"
            )
        meaning = f" ({meaning.strip()})" if meaning else ""
        zone = ""
        if actual.name == "timestamp" and expected.zone and self.session_zone:
            zone = f" in the session's time zone {self.session_zone}"
        if expected.dialect is Dialect.ODCS:
            return (
                f"{label} type mismatch:\n"
                f"expected logicalType '{expected.name}'{meaning}, got {actual}{zone}"
            )
        return f"{label} type mismatch: expected {expected.name}{meaning}, got {actual}{zone}"


def _zone(name: str) -> str:
    return "utc" if name.strip().lower() in _UTC else name.strip()
