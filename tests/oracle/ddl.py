"""Spark's type strings → `ActualType`, and the values of a case file in those types.

>>> parse_type("array<decimal(10,2)>").items
ActualType(name='decimal', text='decimal(10,2)', items=None, key=None, fields=())
>>> value_in(parse_type("struct<a:date,b:int>"), {"a": "2026-03-05"})
{'a': datetime.date(2026, 3, 5), 'b': None}
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from dqx_dagster.checks.schema import ActualType
from oracle.algebra import UTC
from oracle.values import Struct


def parse_type(text: str) -> ActualType:
    """The type that a DDL string names, like `map<string,array<int>>`."""
    name, bracket, rest = text.partition("<")
    if not bracket:
        return ActualType(text.partition("(")[0], text)
    parts = list(_split(rest.removesuffix(">")))
    match name:
        case "array":
            return ActualType(name, text, items=parse_type(parts[0]))
        case "map":
            return ActualType(name, text, key=parse_type(parts[0]), items=parse_type(parts[1]))
        case "struct":
            pairs = (part.partition(":") for part in parts)
            fields = tuple((field, parse_type(inner)) for field, _, inner in pairs)
            return ActualType(name, text, fields=fields)
    raise ValueError(f"no type of Spark: {text}")


def _split(text: str) -> Iterator[str]:
    """The parts between the commas that stand in no brackets."""
    depth, start = 0, 0
    for at, char in enumerate(text):
        depth += (char in "<(") - (char in ">)")
        if char == "," and depth == 0:
            yield text[start:at]
            start = at + 1
    yield text[start:]


def value_in(type_: ActualType, written: Any) -> Any:
    """What a case file wrote, as a value of the type. Moments and NaN are written as texts."""
    if written is None:
        return None
    match type_.name:
        case "tinyint" | "smallint" | "int" | "bigint" | "boolean" | "string" as name:
            wanted = {"boolean": bool, "string": str}.get(name, int)
            if type(written) is not wanted:
                raise TypeError(f"{written!r} is no {name}")
            return written
        case "float" | "double":
            return float(written)
        case "decimal":
            return Decimal(str(written))
        case "date":
            return dt.date.fromisoformat(written)
        case "time":
            return dt.time.fromisoformat(written)
        case "timestamp":
            moment = dt.datetime.fromisoformat(written.replace("Z", "+00:00"))
            return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        case "timestamp_ntz":
            return dt.datetime.fromisoformat(written)
        case "binary":
            return written.encode()
        case "array":
            assert type_.items is not None
            return [value_in(type_.items, item) for item in written]
        case "map":
            assert type_.items is not None
            assert type_.key is not None
            pairs = written.items()
            return {value_in(type_.key, k): value_in(type_.items, v) for k, v in pairs}
        case "struct":
            return Struct((name, value_in(t, written.get(name))) for name, t in type_.fields)
    raise ValueError(f"no type of Spark: {type_}")
