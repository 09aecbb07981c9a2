"""Which rows count. Every predicate is total: it holds or it does not, also for NULL.

A comparison with NULL does not hold, and `Not` is plain negation on top of that. Whether NULL
counts is therefore always spelled out: "invalid" is `And((IsSet(v), Not(OneOf(v, …))))`.

>>> from dqx_dagster.metrics.value import Column
>>> every(IsSet(Column(("a",))), IsSet(Column(("b",)))) == And(
...     (IsSet(Column(("a",))), IsSet(Column(("b",))))
... )
True
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeAlias

from dqx_dagster.metrics.value import Column, Literal, SqlText, Value


class Comparison(enum.Enum):
    """How a value is compared with a literal."""

    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="


@dataclass(frozen=True, slots=True)
class Always:
    """Holds for every row."""


@dataclass(frozen=True, slots=True)
class IsSet:
    """The value is not NULL."""

    of: Value


@dataclass(frozen=True, slots=True)
class OneOf:
    """The value is one of the literals."""

    of: Value
    literals: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Matches:
    """The pattern is found in the text (searched, not anchored); syntax is Java's."""

    of: Value
    pattern: str


@dataclass(frozen=True, slots=True)
class Compares:
    """The value stands in this order to the literal."""

    of: Value
    comparison: Comparison
    literal: Literal


@dataclass(frozen=True, slots=True)
class IsMultipleOf:
    """The number is a whole multiple of `factor`."""

    of: Value
    factor: Literal


@dataclass(frozen=True, slots=True)
class HasRepeats:
    """The list holds an element more than once."""

    of: Column


@dataclass(frozen=True, slots=True)
class HasField:
    """The struct's field is set, or the map has the key."""

    of: Column
    name: str


@dataclass(frozen=True, slots=True)
class Not:
    """The predicate does not hold."""

    of: Predicate


@dataclass(frozen=True, slots=True)
class And:
    """All of the predicates hold."""

    of: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one of the predicates holds."""

    of: tuple[Predicate, ...]


Predicate: TypeAlias = (
    Always
    | IsSet
    | OneOf
    | Matches
    | Compares
    | IsMultipleOf
    | HasRepeats
    | HasField
    | Not
    | And
    | Or
    | SqlText
)

ALWAYS = Always()


def every(*predicates: Predicate) -> Predicate:
    """All of them, without a needless `And` around one."""
    return predicates[0] if len(predicates) == 1 else And(predicates)
