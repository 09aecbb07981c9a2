"""What the schema itself says: keys of a property → rules that nobody has to write.

The second half of the vocabulary. Each row is one key of ODCS `logicalTypeOptions` (or `enum`), and
gives the rows that break it. `required`, `unique` and the primary key stand in `schema_measures`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from dqx_dagster.checks import parameters as p
from dqx_dagster.checks.formats import INTEGER_RANGES, STRING_FORMATS
from dqx_dagster.checks.literals import fit, moment_literal
from dqx_dagster.checks.measures import Given, Measure, distinct_keys, nulls, repeated, violating
from dqx_dagster.checks.parameters import ParameterError
from dqx_dagster.contract.model import Property
from dqx_dagster.metrics.metric import ROWS, Arithmetic, Combined
from dqx_dagster.metrics.predicate import (
    Compares,
    Comparison,
    HasField,
    HasRepeats,
    IsMultipleOf,
    IsSet,
    Matches,
    Not,
    OneOf,
    Or,
    Predicate,
    every,
)
from dqx_dagster.metrics.value import Column, Length, Literal, LiteralType, literal
from dqx_dagster.metrics.violation import NullKeys, Repeated

Broken: TypeAlias = Callable[[Column, Any, Property], Predicate | None]


@dataclass(frozen=True, slots=True)
class Option:
    """One key of `logicalTypeOptions`, and which rows break it."""

    name: str
    types: tuple[str, ...]  # the logical types that have this key
    says: str
    doc: str
    broken: Broken


def _bounded(comparison: Comparison) -> Broken:
    """Rows on the wrong side of a bound: `comparison` is what a broken row does."""

    def broken(column: Column, value: Any, owner: Property) -> Predicate:
        return Compares(column, comparison, _bound(value, owner))

    return broken


def _bound(value: Any, owner: Property) -> Literal:
    type_ = owner.type.name if owner.type else ""
    if type_ in ("integer", "number"):
        return literal(p.number()(value, ()))
    if isinstance(value, str) and (fitted := moment_literal(value, _MOMENTS.get(type_))):
        return fitted
    raise ParameterError(f"must be an ISO {type_}, got: {value}")


def _length(comparison: Comparison) -> Broken:
    def broken(column: Column, value: Any, _: Property) -> Predicate:
        return Compares(Length(column), comparison, literal(p.whole(0)(value, ())))

    return broken


def _multiple(column: Column, value: Any, _: Property) -> Predicate:
    factor = literal(p.number(0, above=True)(value, ()))
    return every(IsSet(column), Not(IsMultipleOf(column, factor)))


def _pattern(column: Column, value: Any, _: Property) -> Predicate:
    return every(IsSet(column), Not(Matches(column, p.pattern(value, ()))))


def _format(column: Column, value: Any, owner: Property) -> Predicate | None:
    """What can be checked of a format; the others describe, and are shown with the column."""
    if not isinstance(value, str):
        raise ParameterError(f"must be a text, got: {value}")
    type_ = owner.type.name if owner.type else ""
    if type_ == "string" and value in STRING_FORMATS:
        return every(IsSet(column), Not(Matches(column, STRING_FORMATS[value])))
    if type_ == "integer" and value in INTEGER_RANGES:
        low, high = INTEGER_RANGES[value]
        below = Compares(column, Comparison.LESS, literal(low))
        return Or((below, Compares(column, Comparison.GREATER, literal(high))))
    return None


def _repeats(column: Column, value: Any, _: Property) -> Predicate | None:
    return HasRepeats(column) if p.flag(value, ()) else None


def _fields(column: Column, value: Any, _: Property) -> Predicate:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ParameterError(f"must be a list of names, got: {value}")
    missing = tuple(Not(HasField(column, name)) for name in value)
    return every(IsSet(column), missing[0] if len(missing) == 1 else Or(missing))


def _enum(column: Column, value: Any, owner: Property) -> Predicate:
    listed = tuple(item for item in p.values(value, ()) if item is not None)
    return every(IsSet(column), Not(OneOf(column, fit(listed, owner.type))))


def _dimensions(column: Column, value: Any, _: Property) -> Predicate:
    size = literal(p.whole(1)(value, ()))
    shorter = Compares(Length(column), Comparison.LESS, size)
    return Or((shorter, Compares(Length(column), Comparison.GREATER, size)))


_MOMENTS = {
    "date": LiteralType.DATE,
    "timestamp": LiteralType.TIMESTAMP,
    "time": LiteralType.TIME,
}
_ORDERED = ("integer", "number", "date", "timestamp", "time")
_NUMBERS = ("integer", "number")
_ANY = ("string", "date", "timestamp", "time", "number", "integer", "boolean")

OPTIONS: Final[tuple[Option, ...]] = (
    Option(
        "minLength",
        ("string",),
        "are too short",
        "at least so many characters",
        _length(Comparison.LESS),
    ),
    Option(
        "maxLength",
        ("string",),
        "are too long",
        "at most so many characters",
        _length(Comparison.GREATER),
    ),
    Option(
        "pattern",
        ("string",),
        "do not match the pattern",
        "a Java regular expression, searched",
        _pattern,
    ),
    Option(
        "format",
        ("string", "integer"),
        "do not have the format",
        "email, uuid, uri, hostname, ipv4, ipv6; i8 to u64",
        _format,
    ),
    Option(
        "minimum", _ORDERED, "are below the minimum", "at least this", _bounded(Comparison.LESS)
    ),
    Option(
        "maximum", _ORDERED, "are above the maximum", "at most this", _bounded(Comparison.GREATER)
    ),
    Option(
        "exclusiveMinimum",
        _ORDERED,
        "are not above the minimum",
        "more than this",
        _bounded(Comparison.LESS_OR_EQUAL),
    ),
    Option(
        "exclusiveMaximum",
        _ORDERED,
        "are not below the maximum",
        "less than this",
        _bounded(Comparison.GREATER_OR_EQUAL),
    ),
    Option("multipleOf", _NUMBERS, "are not a multiple", "a multiple of this", _multiple),
    Option(
        "minItems",
        ("array",),
        "have too few items",
        "at least so many items",
        _length(Comparison.LESS),
    ),
    Option(
        "maxItems",
        ("array",),
        "have too many items",
        "at most so many items",
        _length(Comparison.GREATER),
    ),
    Option("uniqueItems", ("array",), "repeat an item", "no item twice", _repeats),
    Option(
        "minProperties",
        ("object",),
        "have too few fields",
        "at least so many fields set",
        _length(Comparison.LESS),
    ),
    Option(
        "maxProperties",
        ("object",),
        "have too many fields",
        "at most so many fields set",
        _length(Comparison.GREATER),
    ),
    Option("required", ("object",), "lack a required field", "these fields are set", _fields),
    Option(
        "dimensions", ("vector",), "have another length", "exactly so many elements", _dimensions
    ),
    Option("enum", _ANY, "hold a value outside the enumeration", "one of these values", _enum),
)

DESCRIPTIVE: Final = frozenset(
    {
        "timezone",  # part of the type
        "defaultTimezone",
        "elementType",
        "distanceMetric",
        "embeddingModel",
        "embeddingModelVersion",
        "normalized",
        "format",  # of dates and times: how they are written, not what they are
    }
)
"""Keys that describe, or that the schema check reads."""

SCHEMA_WORDS: Final = {
    "schema": "every declared column is there, with its type",
    "required": "no nulls",
    "unique": "no value twice; nulls are left out",
    "primaryKey": "no null in the key, no key twice",
    "relationships": "every key exists in the table that it refers to; nulls are left out",
    "sla": "the newest data is not older than the SLA allows",
}
"""The implied rules that are not options, for the docs and the completeness test."""


def option(name: str, type_name: str) -> Option | None:
    """The row of an option for a logical type."""
    return next((row for row in OPTIONS if row.name == name and type_name in row.types), None)


def schema_measures(column: Column, owner: Property) -> Iterator[tuple[str, Measure]]:
    """What `required` and `unique` of a property ask for."""
    if owner.required and len(column.path) == 1:
        yield "required", nulls(Given(column, {}))
    if owner.unique:
        yield "unique", repeated((column,))


def primary_key(keys: tuple[Column, ...]) -> Measure:
    """Rows minus distinct complete keys: incomplete keys, and keys beyond the first."""
    metric = Combined(Arithmetic.MINUS, ROWS, distinct_keys(keys))
    says = "have a key that is repeated or null"
    return Measure(metric, says, Repeated(keys, NullKeys.BROKEN))


def option_measure(row: Option, column: Column, value: object, owner: Property) -> Measure | None:
    """What an option asks for, or None where it only describes."""
    broken = row.broken(column, value, owner)
    return violating(broken, row.says) if broken is not None else None


_PAIRS: Final = (
    ("minimum", "maximum"),
    ("exclusiveMinimum", "maximum"),
    ("minimum", "exclusiveMaximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)


def contradictions(owner: Property) -> Iterator[tuple[str, str]]:
    """Pairs of options that no value satisfies both of."""
    for low, high in _PAIRS:
        if low in owner.options and high in owner.options:
            least, most = owner.options[low].value, owner.options[high].value
            strict = low.startswith("exclusive") or high.startswith("exclusive")
            if _comparable(least, most) and (least > most or (strict and least == most)):
                yield low, high


def _comparable(a: object, b: object) -> bool:
    numbers = isinstance(a, int | float) and isinstance(b, int | float)
    return numbers or (isinstance(a, str) and isinstance(b, str))
