"""Random tables over one schema that has every type of column, drawn from small pools.

The pools are small, so that duplicates, ties and matches happen, and hold the edges of each type.
A table is kept as the places of its values in the pools: that makes rows cheap to compare.

>>> [len(table.codes) for table in tables(seed=1, number=3)] == [
...     len(table.codes) for table in tables(seed=1, number=3)
... ]
True
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import pyarrow as pa  # type: ignore[import-untyped]

from oracle.algebra import UTC
from oracle.values import Struct

MAX_ROWS: Final = 12
LONG: Final = "ab" * 600

TYPES: Final[dict[str, tuple[str, pa.DataType]]] = {
    "tiny": ("tinyint", pa.int8()),
    "small": ("smallint", pa.int16()),
    "int": ("int", pa.int32()),
    "big": ("bigint", pa.int64()),
    "float": ("float", pa.float32()),
    "double": ("double", pa.float64()),
    "cents": ("decimal(10,2)", pa.decimal128(10, 2)),
    "whole": ("decimal(38,0)", pa.decimal128(38, 0)),
    "exact": ("decimal(38,18)", pa.decimal128(38, 18)),
    "flag": ("boolean", pa.bool_()),
    "text": ("string", pa.string()),
    "day": ("date", pa.date32()),
    "instant": ("timestamp", pa.timestamp("us", "UTC")),
    "local": ("timestamp_ntz", pa.timestamp("us")),
    "ints": ("array<int>", pa.list_(pa.int32())),
    "texts": ("array<string>", pa.list_(pa.string())),
    "map": ("map<string,int>", pa.map_(pa.string(), pa.int32())),
    "struct": ("struct<a:int,b:string>", pa.struct([("a", pa.int32()), ("b", pa.string())])),
}
"""Each column, and its type in the words of Spark and of Arrow."""


def _utc(*parts: int) -> dt.datetime:
    return dt.datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]


def _numbers(*texts: str) -> list[Decimal]:
    return [Decimal(text) for text in texts]


_NOT_FINITE: Final = (float("nan"), float("inf"), float("-inf"))
_MOMENTS: Final = [
    _utc(1, 1, 1),
    _utc(9999, 12, 31, 23, 59, 59, 999_999),
    _utc(1582, 10, 10, 12),  # a day that only the Gregorian calendar counted back has
    _utc(1969, 12, 31, 23, 59, 59, 999_999),
    _utc(1970, 1, 1),
    _utc(2026, 3, 8, 2, 30),  # in New York there is no such hour, and ...
    _utc(2026, 3, 8, 7),
    _utc(2026, 11, 1, 1, 30),  # ... this one comes twice
    _utc(2026, 11, 1, 6),
    _utc(2025, 12, 31, 23, 30),
    _utc(2026, 2, 28, 12),
    _utc(2026, 3, 4, 23, 59, 59, 999_999),
    _utc(2026, 3, 5),
    _utc(2026, 3, 5, 9, 59, 59, 100_000),
    _utc(2026, 3, 5, 10),
]

POOLS: Final[dict[str, list[Any]]] = {
    "tiny": [-128, -3, -1, 0, 1, 2, 5, 10, 127],
    "small": [-32_768, -7, 0, 1, 2, 3, 100, 32_767],
    "int": [-(2**31), -10, -1, 0, 1, 2, 3, 5, 100, 2**31 - 1],
    "big": [-(2**63), -(2**53) - 1, -1, 0, 1, 2, 10, 2**53, 2**53 + 1, 2**63 - 2, 2**63 - 1],
    # As they are written: the nearest float of 4 bytes is what the table holds.
    "float": [
        *(0.1, 0.3, 0.0, -0.0, 1.0, -2.5, 16777216.0, 3.4028235e38, 1.1754942e-38),
        *_NOT_FINITE,
    ],
    "double": [
        *(0.1, 0.3, 0.0, -0.0, 1.0, -2.5, 2.0**53, 1e15, 1e22, 1e308, 5e-324),
        *(0.12345678901234568, *_NOT_FINITE),
    ],
    "cents": _numbers("-99999999.99", "-0.01", "0.00", "0.10", "1.00", "2.50", "99999999.99"),
    "whole": _numbers("-" + "9" * 38, "-1", "0", "1", "2", str(2**64), "9" * 37, "9" * 38),
    "exact": [
        *_numbers("-" + "9" * 20 + "." + "9" * 18, "-0.000000000000000001", "0.5", "1"),
        *_numbers("0.1", "0.000000000000000001", "9" * 20 + "." + "9" * 18, "0"),
    ],
    "flag": [False, True],
    "text": [
        *("", " ", "\u00a0", "\t", "a", "A", "ab", "abab", "\u00e9", "e\u0301", "\u00c9", "0"),
        *("\U0001f600", "\u0391\u03a3", "\u0130", "\u00df", "a\n", "a\r", "a\r\n", "a\u2028"),
        *("a\nb", "a\rb", "\r", "\x0b", "a\x00b", "NULL", "x@example.org", LONG),
    ],
    "day": [moment.date() for moment in _MOMENTS] + [dt.date(2024, 2, 29)],
    "instant": [*_MOMENTS],
    "local": [moment.replace(tzinfo=None) for moment in _MOMENTS],
    "ints": [[], [None], [None, None], [1], [1, 1], [1, 2], [1, None, 2], [2**31 - 1, 0, 0]],
    "texts": [[], [""], ["a", "A"], ["a", "a"], [None], ["a", None, None], ["\u00e9", "e\u0301"]],
    "map": [{}, {"a": 1}, {"a": None}, {"A": 1}, {"a": 1, "b": 2}, {"": 0, "a": 1}],
    "struct": [
        *(Struct(a=a, b=b) for a in (None, 0, 1) for b in (None, "", "a")),
        Struct(a=2**31 - 1, b="\U0001f600"),
    ],
}
"""The values of each column, without NULL."""

NAMES: Final = tuple(TYPES)
PLACES: Final = {name: place for place, name in enumerate(NAMES)}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of places in the pools, one per column; the place after the last value is NULL."""

    codes: tuple[tuple[int, ...], ...]

    def rows(self, names: Iterable[str] = NAMES) -> list[dict[str, Any]]:
        """The rows, with only some of the columns."""
        wanted = tuple(names)
        return [{name: value(name, row[PLACES[name]]) for name in wanted} for row in self.codes]


def value(name: str, code: int) -> Any:
    """The value at a place of a pool."""
    pool = POOLS[name]
    return pool[code] if code < len(pool) else None


def tables(seed: int, number: int) -> list[Table]:
    """Tables of up to 12 rows, always the same ones for a seed."""
    rng = random.Random(seed)
    return [_table(rng, _size(rng)) for _ in range(number)]


def tables_of(rows: int, seed: int, number: int) -> list[Table]:
    """Tables that all have the same number of rows."""
    rng = random.Random(seed)
    return [_table(rng, rows) for _ in range(number)]


def _size(rng: random.Random) -> int:
    return rng.choice((0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 10, MAX_ROWS))


def _table(rng: random.Random, rows: int) -> Table:
    columns = [_column(rng, len(POOLS[name]), rows) for name in NAMES]
    return Table(tuple(zip(*columns, strict=True)))


def _column(rng: random.Random, null: int, rows: int) -> list[int]:
    """A few of the pool's values, and none, some or only NULLs."""
    few = rng.sample(range(null), min(null, rng.choice((1, 2, 4, null))))
    nulls = rng.choice((0.0, 0.0, 0.2, 0.6, 1.0))
    return [null if rng.random() < nulls else rng.choice(few) for _ in range(rows)]


def arrow(some: Sequence[Table]) -> pa.Table:
    """All the tables in one, told apart by the column `case`."""
    cases = [case for case, table in enumerate(some) for _ in table.codes]
    columns = {"case": pa.array(cases, pa.int32())}
    for name, (_, type_) in TYPES.items():
        pool = [*(_storable(item) for item in POOLS[name]), None]
        found = (pool[row[PLACES[name]]] for table in some for row in table.codes)
        columns[name] = pa.array(list(found), type_)
    return pa.table(columns)


def side_by_side(some: Sequence[Table]) -> pa.Table:
    """Tables with equally many rows as one wide table: `t0_int` is `int` of the first one."""
    alone = [arrow([table]) for table in some]
    wide = {f"t{at}_{name}": one.column(name) for at, one in enumerate(alone) for name in NAMES}
    return pa.table(wide)


def _storable(item: Any) -> Any:
    """Arrow takes a map as pairs."""
    return list(item.items()) if type(item) is dict else item
