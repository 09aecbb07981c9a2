"""What is computed for one row: columns, what is derived from them, and literals.

Everything here is compared by all of its fields, so two rules that speak about the same value
speak about the same object.

>>> Length(Column(("name",))) == Length(Column(("name",)))
True
>>> literal(1) == literal(True), literal(1) == literal(1.0), literal("1") == literal(1)
(False, False, False)
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeAlias

Scalar: TypeAlias = bool | int | float | str


class LiteralType(enum.Enum):
    """The type that a literal was written with; in Python alone `1 == 1.0 == True`."""

    BOOLEAN = "boolean"
    INTEGER = "integer"
    NUMBER = "number"
    STRING = "string"
    DATE = "date"
    TIMESTAMP = "timestamp"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Literal:
    """One constant of a contract. Dates and times are ISO-8601 texts, instants are in UTC."""

    type: LiteralType
    value: Scalar

    def __str__(self) -> str:
        return f"'{self.value}'" if isinstance(self.value, str) else str(self.value).lower()


def literal(value: Scalar) -> Literal:
    """The literal for a Python value as YAML gives it."""
    match value:
        case bool():
            return Literal(LiteralType.BOOLEAN, value)
        case int():
            return Literal(LiteralType.INTEGER, value)
        case float():
            return Literal(LiteralType.NUMBER, value)
        case str():
            return Literal(LiteralType.STRING, value)


@dataclass(frozen=True, slots=True)
class Column:
    """A column, or a field inside struct columns: `("address", "city")`.

    The path is a tuple because a column may itself be called `address.city`.
    """

    path: tuple[str, ...]

    def __str__(self) -> str:
        return ".".join(self.path)


@dataclass(frozen=True, slots=True)
class Length:
    """Characters of a text, elements of a list or map, non-null fields of a struct.

    `kind` is what the column must be (string, list or map), where the contract says so.
    """

    of: Column
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Lowercase:
    """A text in lower case; other types stay what they are."""

    of: Column


@dataclass(frozen=True, slots=True)
class Row:
    """Several columns as one value. A row is never NULL, even where all its columns are."""

    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class SqlText:
    """An expression in Spark SQL that was found harmless, and the columns that it names.

    As a value it is what it computes, as a predicate it holds where it is true. SQL's own logic of
    NULL applies inside it.
    """

    text: str
    columns: tuple[Column, ...]


Value: TypeAlias = Column | Length | Lowercase | Row | SqlText
