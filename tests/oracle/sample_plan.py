"""A table and a plan with something of everything, and what must be measured.

Run on every kind of Spark session, by `oracle.sample_run`. The numbers are small multiples of 1/4,
so that sums in doubles are exact in whatever order they are added.
"""

from __future__ import annotations

import datetime as dt
import importlib
import math
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from dqx_dagster.contract.model import ColumnType
from dqx_dagster.metrics.metric import (
    ROWS,
    Aggregate,
    Field,
    Function,
    Leaf,
    Measurement,
    Mismatches,
    Orphans,
    Quantile,
    Unmeasurable,
    count_set,
)
from dqx_dagster.metrics.periods import Granularity, Window
from dqx_dagster.metrics.plan import Plan, plan_metrics
from dqx_dagster.metrics.predicate import (
    And,
    Compares,
    Comparison,
    HasField,
    HasRepeats,
    IsMultipleOf,
    IsSet,
    Matches,
    Not,
    OneOf,
    Predicate,
)
from dqx_dagster.metrics.value import (
    Column,
    Length,
    Literal,
    LiteralType,
    Lowercase,
    Row,
    literal,
)
from oracle.algebra import UTC, measure
from oracle.ddl import parse_type
from oracle.values import Struct

NOW: Final = dt.datetime(2026, 3, 9, 10, 30, tzinfo=UTC)  # the day after New York's clocks change
FILES: Final = 4
"""In how many files the table is stored, so that several executors read it."""

TYPES: Final = {
    name: parse_type(text)
    for name, text in {
        "id": "bigint",
        "a.b": "int",
        "${x} `y`": "int",
        "größe": "double",
        "amount": "decimal(10,2)",
        "text": "string",
        "day": "date",
        "at": "timestamp",
        "local": "timestamp_ntz",
        "tags": "array<string>",
        "attrs": "map<string,int>",
        "address": "struct<City:string,geo:struct<lat:double>>",
    }.items()
}


def _row(n: int) -> dict[str, Any]:
    """A row of the table; every column has NULLs."""
    hour = NOW - dt.timedelta(minutes=37 * n)
    geo = Struct(lat=n / 4) if n % 5 else None
    return {
        "id": 2**62 + n if n % 11 else None,
        "a.b": n % 7 or None,
        "${x} `y`": n % 3 or None,
        "größe": (math.nan if n == 90 else n / 4) if n % 10 != 3 else None,
        "amount": Decimal(n * 5) / 100 if n % 4 else None,
        "text": (None, "a@b.c", "A@B.C", "no mail", "", "größer", "x\r")[n % 7],
        "day": hour.date() if n % 6 else None,
        "at": hour if n % 9 else None,
        "local": hour.replace(tzinfo=None) if n % 8 else None,
        "tags": (None, [], ["a"], ["a", "a"], [None, None])[n % 5],
        "attrs": ({"a": n, "b": None}, {}, None)[n % 3],
        "address": Struct(City=f"c{n % 12}", geo=geo) if n % 13 else None,
    }


TABLE: Final = tuple(_row(n) for n in range(200))


def _column(*path: str) -> Column:
    return Column(path)


def _count(where: Predicate) -> Aggregate:
    return Aggregate(Function.COUNT, where=where)


def _periods(name: str, granularity: Granularity) -> Aggregate:
    return Aggregate(
        Function.PERIODS, _column(name), argument=Window(granularity, 2, with_current=True)
    )


_TEXT, _TAGS, _ATTRS = _column("text"), _column("tags"), _column("attrs")
_NUMBERS: Final = tuple(map(_column, ("id", "a.b", "größe", "amount")))
_MOMENT: Final = Literal(LiteralType.TIMESTAMP, "2026-03-08T06:30:00+00:00")
_LATE: Final = Compares(_column("at"), Comparison.GREATER_OR_EQUAL, _MOMENT)

_SCAN: Final = (
    ROWS,
    *(count_set(_column(name)) for name in TYPES),
    count_set(_column("address", "city")),
    count_set(_column("ADDRESS", "geo", "lat")),
    *(Aggregate(f, c) for c in _NUMBERS for f in (Function.MIN, Function.MAX, Function.SUM)),
    *(Aggregate(Function.MAX, _column(name)) for name in ("day", "at", "local")),
    Aggregate(Function.VARIANCE, _column("a.b")),
    Aggregate(Function.MAX, Length(_TAGS)),
    _count(And((IsSet(_TEXT), Not(Matches(_TEXT, r"^[^@\s]+@[^@\s]+$"))))),
    _count(OneOf(Lowercase(_TEXT), (literal("a@b.c"), literal("größer")))),
    _count(OneOf(_column("id"), (literal(2**62 + 1), literal(3)))),
    _count(Not(Compares(Length(_TEXT), Comparison.LESS, literal(6)))),
    _count(Compares(_column("größe"), Comparison.GREATER, literal(40))),
    _count(IsMultipleOf(_column("amount"), literal(0.1))),
    _count(_LATE),
    _count(HasRepeats(_TAGS)),
    _count(HasField(_ATTRS, "a")),
    Aggregate(Function.SUM, _column("amount"), where=_LATE),
)
_QUANTILES: Final = (
    Aggregate(Function.PERCENTILE, _column("a.b"), argument=Quantile(0.5)),
    Aggregate(Function.PERCENTILE, _column("amount"), argument=Quantile(0.95, exact=True)),
)
_DISTINCT: Final = (
    Aggregate(Function.DISTINCT, _column("größe")),
    Aggregate(Function.DISTINCT, _column("address")),
    Aggregate(Function.DISTINCT, Row((_column("a.b"), _TEXT, _column("address", "city")))),
    Aggregate(Function.DISTINCT, _TEXT, where=_LATE),
)
_PERIODS: Final = (
    _periods("day", Granularity.DAILY),
    _periods("at", Granularity.HOURLY),
    _periods("local", Granularity.HOURLY),
)
_SCHEMA: Final = Mismatches(
    (
        Field("id", ColumnType("integer")),
        Field("AT", ColumnType("timestamp")),
        Field("address", ColumnType("object", fields=(("city", ColumnType("string")),))),
        Field("amount", ColumnType("string")),
        Field("gone", None),
    )
)
_FAILS: Final = Aggregate(Function.MAX, _column("broken"))
"""Over a column that cannot be computed: it fails when its rows are read."""

_REFUSED: Final[dict[Leaf, str]] = {
    count_set(_column("nope")): "column 'nope' is not in the data",
    count_set(_column("text", "inner")): "'text' has no fields: it is string",
    Aggregate(Function.SUM, _TEXT): "'text' is string: sum needs numbers",
    _count(Matches(_TEXT, "(?<n>a)(?<n>b)")): (
        "its pattern is not a regular expression that Java accepts"
    ),
    Aggregate(Function.DISTINCT, _ATTRS): (
        "'attrs' is map<string,int>: Spark cannot tell its values apart"
    ),
    _FAILS: "Spark reports USER_RAISED_EXCEPTION",
}

_ORPHANS: Final = (
    Orphans((_column("a.b"),), None, (_column("${x} `y`"),)),
    Orphans((_column("größe"), _TEXT), None, (_column("address", "geo", "lat"), _TEXT)),
)

PLAN: Final[Plan] = plan_metrics(
    [
        *_SCAN[:20],
        *_REFUSED,
        *_SCAN[20:],
        *_QUANTILES,
        *_DISTINCT,
        *_PERIODS,
        *_ORPHANS,
        _SCHEMA,
    ]
)


def expected() -> dict[Leaf, Measurement]:
    """What the oracle measures, and why it must be refused where it must."""
    able = Plan(tuple(leaf for leaf in PLAN.leaves if leaf not in _REFUSED))
    refused = {leaf: Unmeasurable(reason) for leaf, reason in _REFUSED.items()}
    return {**measure(TABLE, able, TYPES, NOW), **refused}


def alike(found: Measurement, wanted: Measurement) -> bool:
    """Equal, but for the last digits of a variance or percentile in doubles."""
    if isinstance(found, float) and isinstance(wanted, float) and math.isnan(wanted):
        return math.isnan(found)
    if isinstance(found, float) and not isinstance(wanted, float):
        assert not isinstance(wanted, str | dt.date | tuple | Unmeasurable | None)
        return math.isclose(found, wanted, rel_tol=1e-12)
    return found == wanted


def store(folder: Path) -> None:
    """Write the table as Parquet, without Spark: the files do not depend on any session."""
    pa: Any = importlib.import_module("pyarrow")
    parquet: Any = importlib.import_module("pyarrow.parquet")
    types = {"bigint": pa.int64(), "int": pa.int32(), "double": pa.float64(), "date": pa.date32()}
    types |= {"decimal": pa.decimal128(10, 2), "string": pa.string()}
    types |= {"timestamp": pa.timestamp("us", "UTC"), "timestamp_ntz": pa.timestamp("us")}
    types |= {"array": pa.list_(pa.string()), "map": pa.map_(pa.string(), pa.int32())}
    geo = pa.struct([("lat", pa.float64())])
    types["struct"] = pa.struct([("City", pa.string()), ("geo", geo)])
    schema = pa.schema([(name, types[type_.name]) for name, type_ in TYPES.items()])
    folder.mkdir()
    for part in range(FILES):
        rows = [_arrow(row) for row in TABLE[part::FILES]]
        parquet.write_table(pa.Table.from_pylist(rows, schema), folder / f"{part}.parquet")


def _arrow(row: dict[str, Any]) -> dict[str, Any]:
    """Arrow takes a map as pairs."""
    pairs: Sequence[Any] | None = None if row["attrs"] is None else list(row["attrs"].items())
    return {**row, "attrs": pairs}
