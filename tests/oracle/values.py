"""What values mean, over a row that is a dict: equal, in order, and inside one another.

A struct is a `Struct`, a map is a plain dict.

* NaN is larger than every number and equals itself; -0.0 equals 0.0.
* A number is the decimal that it is written as: the double 0.1 equals the decimal 0.1.
* Names of columns and fields are found whatever their case, keys of a map are not.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from dqx_dagster.metrics.value import (
    Column,
    Length,
    Literal,
    LiteralType,
    Lowercase,
    Row,
    SqlText,
    Value,
)


class Struct(dict[str, Any]):
    """A value with named fields; a plain dict is a map."""


class MissingColumnError(KeyError):
    """The table lacks a column, so nothing can be said about it."""


def value_of(value: Value, row: Mapping[str, Any]) -> Any:
    match value:
        case SqlText():
            raise NotImplementedError("SQL is evaluated by DuckDB, not row by row")
        case Column(path):
            return field(row, path)
        case Length(of):
            inner = field(row, of.path)
            if isinstance(inner, Struct):
                return sum(item is not None for item in inner.values())
            return None if inner is None else len(inner)
        case Lowercase(of):
            inner = field(row, of.path)
            return inner.lower() if isinstance(inner, str) else inner
        case Row(columns):
            return tuple(field(row, column.path) for column in columns)


def field(row: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    """A column, or what lies inside it; NULL has only NULLs inside."""
    inner: Any = row
    for part in path:
        if inner is None:
            return None
        found = [name for name in inner if name.lower() == part.lower()]
        if not found:
            raise MissingColumnError(".".join(path))
        inner = inner[part if part in found else found[0]]
    return inner


def number(value: Any) -> Any:
    """A number without rounding, as it is written; NaN and infinities stay."""
    finite = not isinstance(value, float) or math.isfinite(value)
    return Fraction(str(value)) if finite else value


def is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def order(value: Any) -> tuple[bool, Any]:
    """What values are ordered by: NaN is the largest."""
    return (True, 0) if is_nan(value) else (False, comparable(value))


def comparable(value: Any) -> Any:
    """A moment without zone is in UTC, a date is its midnight, numbers are exact."""
    match value:
        case bool() | str() | dt.time():
            return value
        case dt.datetime():
            return value if value.tzinfo else value.replace(tzinfo=dt.timezone.utc)
        case dt.date():
            return dt.datetime.combine(value, dt.time(), tzinfo=dt.timezone.utc)
        case int() | float() | Decimal():
            return number(value)
        case _:
            return value


def key_of(value: Any) -> Any:
    """What makes two values the same one."""
    match value:
        case list() | tuple():
            return tuple(key_of(item) for item in value)
        case dict():
            return frozenset((name, key_of(item)) for name, item in value.items())
        case _:
            return "NaN" if is_nan(value) else comparable(value)


def constant(literal: Literal) -> Any:
    """A literal as a value of Python."""
    match literal.type:
        case LiteralType.DATE:
            return dt.date.fromisoformat(str(literal.value))
        case LiteralType.TIMESTAMP:
            return dt.datetime.fromisoformat(str(literal.value))
        case LiteralType.TIME:
            return dt.time.fromisoformat(str(literal.value))
        case _:
            return literal.value
