"""A broad set of aggregates over the columns of `random_tables`: all functions and predicates.

What an engine does not support for a type is in here too: each engine says what it refuses.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator
from typing import Any, Final

from dqx_dagster.metrics import predicate as p
from dqx_dagster.metrics.metric import ROWS, Aggregate, Function, Quantile
from dqx_dagster.metrics.periods import Granularity, Window
from dqx_dagster.metrics.value import (
    Column,
    Length,
    Literal,
    LiteralType,
    Lowercase,
    Row,
    Value,
    literal,
)
from oracle.parts import columns_in
from oracle.random_tables import LONG, NAMES

NUMBERS: Final = ("tiny", "small", "int", "big", "float", "double", "cents", "whole", "exact")
MOMENTS: Final = ("day", "instant", "local")
SIZED: Final = ("text", "ints", "texts", "map", "struct")

PATTERNS: Final = (
    "^a$",  # Java: also before a last line end, of any kind
    "^a.b",  # Java: the point is no line end, of any kind
    r"^[^@\s]+@[^@\s]+$",
    r"\s",
    r"^\w*\z",
    "(?i)^AB",
    "^(ab)+$",
    "[\u00e9\U0001f600]",
    "",
)

_LIMITS: Final[dict[str, tuple[int | float, ...]]] = {
    "tiny": (0, 127, 128, -129, 0.5),
    "small": (2, -32_768, 1.5, 10**25),
    "int": (0, 2**31 - 1, 2**31, -0.5, 1e-25, 1e300),
    "big": (0, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 9007199254740992.0, 1e19, 0.5),
    "float": (0.1, 0.3, 0, 16777217, 3.4028235e38, 1e39, -1e39, 0.10000000149011612, 1e-40),
    "double": (0.1, 0, 2**53 + 1, 10**15, 10**400, -(10**400), 1e308, 5e-324, 1e22),
    "cents": (0, 0.1, 2.5, 0.105, 99999999.99, 10**8, -(10**10), 1e-25),
    "whole": (0, 0.5, -0.5, 2**64, 10**38 - 1, 10**38, 1e300, -(10**39)),
    "exact": (0, 0.1, 0.5, 1e-18, 1e-19, 10**20, 10**25, -(10**20), 2**64),
}
"""Constants that numbers are compared with: in and out of the type's range and precision."""

_FACTORS: Final[dict[str, tuple[int | float, ...]]] = {
    "tiny": (1, 5, 0.5),
    "small": (7, 2.5),
    "int": (2, 10, 0.1),
    "big": (2, 3, 0.01, 2**53 + 1),
    "float": (0.1, 0.5, 1),
    "double": (0.1, 1, 2.5, 1e-15),
    "cents": (0.01, 0.5, 0.1, 3),
    "whole": (3, 0.5, 9, 10**20),
    "exact": (0.1, 1, 1e-18, 3),
}

_MOMENT_LIMITS: Final[dict[str, tuple[str, ...]]] = {
    "day": ("0001-01-01", "1970-01-01", "2024-02-29", "2026-03-05", "9999-12-31"),
    "instant": (
        "2026-03-05",
        "0001-01-01T00:00:00+00:00",
        "2026-03-08T07:00:00+00:00",
        "1969-12-31T23:59:59.999999+00:00",
    ),
    "local": (
        "1970-01-01",
        "2026-03-08T02:30:00+00:00",
        "9999-12-31T23:59:59.999999+00:00",
        "1969-12-31T23:59:59.999999+00:00",
    ),
}


def _limits() -> dict[str, tuple[Literal, ...]]:
    kinds = {True: LiteralType.TIMESTAMP, False: LiteralType.DATE}
    return {name: tuple(map(literal, some)) for name, some in _LIMITS.items()} | {
        name: tuple(Literal(kinds["T" in text], text) for text in some)
        for name, some in _MOMENT_LIMITS.items()
    }


def column(*path: str) -> Column:
    return Column(path)


def grouped() -> list[Aggregate]:
    """What one pass over the rows measures: all functions but `DISTINCT` and `PERIODS`."""
    atoms = list(predicates())
    counts = [Aggregate(Function.COUNT, where=where) for where in (*atoms, *_nested(atoms))]
    return list(dict.fromkeys([ROWS, *counts, *_values()]))


def predicates() -> Iterator[p.Predicate]:
    """Every kind of predicate alone, over every column."""
    for name in (*NAMES, "struct.a", "struct.b"):
        yield p.IsSet(column(*name.split(".")))
    yield p.IsSet(Row((column("int"), column("text"))))
    yield p.IsSet(Length(column("map")))
    yield p.IsSet(Lowercase(column("text")))
    yield from _compared()
    yield from _listed()
    yield from (
        p.IsMultipleOf(column(name), literal(factor))
        for name, factors in _FACTORS.items()
        for factor in factors
    )
    for pattern in PATTERNS:
        yield p.Matches(column("text"), pattern)
    yield p.Matches(Lowercase(column("text")), "^ab")
    yield p.Matches(column("struct", "b"), "^a?$")
    yield p.HasRepeats(column("ints"))
    yield p.HasRepeats(column("texts"))
    for key in ("a", "A", "b", ""):
        yield p.HasField(column("map"), key)
    for field in ("a", "B"):
        yield p.HasField(column("struct"), field)


def _compared() -> Iterator[p.Predicate]:
    for name, some in _limits().items():
        for place, limit in enumerate(some):
            ways = list(p.Comparison)
            # All four ways for the first one, one in turn for the others.
            for way in ways if place == 0 else ways[place % 4 : place % 4 + 1]:
                yield p.Compares(column(name), way, limit)
    for name in SIZED:
        for way, size in zip(p.Comparison, (1, 2, 0, 3), strict=True):
            yield p.Compares(Length(column(name)), way, literal(size))
    yield p.Compares(Length(column("text")), p.Comparison.GREATER, literal(0.5))
    yield p.Compares(column("struct", "a"), p.Comparison.GREATER, literal(0))


def _listed() -> Iterator[p.Predicate]:
    for name, some in _limits().items():
        yield p.OneOf(column(name), some)
        yield p.OneOf(column(name), some[2:4])
    for name in NUMBERS:
        yield p.OneOf(column(name), (literal(1), literal(2.5)))
    yield p.OneOf(column("flag"), (literal(True),))
    for text in ("a", "", "\u00e9", "e\u0301", "\U0001f600", "\u00a0", LONG):
        yield p.OneOf(column("text"), (literal(text), literal("NULL")))
    for text in ("a", "\u00e9", "\u03b1\u03c2", "\u03b1\u03c3", "i\u0307", "i"):
        yield p.OneOf(Lowercase(column("text")), (literal(text), literal("x")))
    yield p.OneOf(Lowercase(column("int")), (literal(1),))
    yield p.OneOf(Length(column("text")), (literal(0), literal(1)))
    yield p.OneOf(column("int"), ())
    yield p.OneOf(column("struct", "b"), (literal("a"),))


def _nested(atoms: list[p.Predicate], number: int = 40) -> Iterator[p.Predicate]:
    """Predicates inside `And`, `Or` and `Not`, up to three deep, over two columns each."""
    yield p.ALWAYS
    yield p.Not(p.ALWAYS)
    for atom in atoms[:: len(atoms) // 12]:
        yield p.Not(atom)
    rng = random.Random(7)
    for _ in range(number):
        two = rng.sample(NAMES, 2)
        yield _deep(rng, [atom for atom in atoms if set(columns_in(atom)) <= set(two)], 3)


def _deep(rng: random.Random, atoms: list[p.Predicate], depth: int) -> p.Predicate:
    kind = rng.randrange(4) if depth else 0
    match kind:
        case 0:
            return rng.choice(atoms)
        case 1:
            return p.Not(_deep(rng, atoms, depth - 1))
    parts = tuple(_deep(rng, atoms, depth - 1) for _ in range(rng.choice((2, 2, 3))))
    return p.And(parts) if kind == 2 else p.Or(parts)


WHERE: Final[p.Predicate] = p.Or(
    (
        p.OneOf(column("flag"), (literal(True),)),
        p.And((p.IsSet(column("tiny")), p.Not(p.OneOf(column("tiny"), (literal(0),))))),
    )
)


_NUMERIC: Final[tuple[Value, ...]] = (
    *(column(name) for name in NUMBERS),
    column("struct", "a"),
    *(Length(column(name)) for name in SIZED),
)


def _values() -> Iterator[Aggregate]:
    others: list[Value] = [column(name) for name in NAMES if name not in NUMBERS]
    for of in [*_NUMERIC, *others]:
        for function in (Function.MIN, Function.MAX, Function.SUM, Function.VARIANCE):
            yield Aggregate(function, of)
        for function in (Function.MAX, Function.SUM):
            yield Aggregate(function, of, WHERE)


def percentiles() -> list[Aggregate]:
    """Approximate and exact ones over all numbers."""
    quantiles = (*map(Quantile, (0.0, 0.5, 0.95, 1.0)), Quantile(0.25, True), Quantile(0.9, True))
    found = [
        Aggregate(Function.PERCENTILE, of, argument=q) for of in _NUMERIC[:11] for q in quantiles
    ]
    found += [Aggregate(Function.PERCENTILE, of, WHERE, quantiles[1]) for of in _NUMERIC[4:6]]
    return found


def distinct() -> list[Aggregate]:
    """Distinct values of every column and of several together, with and without `where`."""
    names: list[Value] = [*map(column, NAMES), column("struct", "a")]
    together: list[Value] = [
        Row((column("int"), column("text"))),
        Row((column("double"), column("flag"), column("struct", "b"))),
        Row((column("day"), column("instant"), column("local"))),
        Row((column("ints"), column("struct"))),
        Row((column("cents"),)),
    ]
    both = (column("int"), column("text"))
    return [
        *(Aggregate(Function.DISTINCT, of) for of in names + together),
        *(Aggregate(Function.DISTINCT, of, WHERE) for of in names[3:6] + together[:2]),
        Aggregate(Function.DISTINCT, Row(both), p.every(*map(p.IsSet, both))),
        Aggregate(Function.DISTINCT, column("text"), p.Matches(column("text"), "a")),
        Aggregate(Function.DISTINCT, column("double"), p.Not(p.IsSet(column("int")))),
    ]


def periods() -> list[Aggregate]:
    """Present periods of every length, over every type of moment."""
    windows = (
        Window(Granularity.HOURLY, 2),
        Window(Granularity.DAILY, 5, with_current=True),
        Window(Granularity.WEEKLY, 30),
        Window(Granularity.MONTHLY, 400, with_current=True),
    )
    alone = [
        Aggregate(Function.PERIODS, column(name), argument=window)
        for name in MOMENTS
        for window in (windows if name == "instant" else windows[1:3])
    ]
    return [*alone, Aggregate(Function.PERIODS, column("instant"), WHERE, windows[0])]


def within(prefix: str, thing: Any) -> Any:
    """An aggregate, or a part of one, over columns whose names have a prefix."""
    if isinstance(thing, Column):
        return Column((prefix + thing.path[0], *thing.path[1:]))
    if isinstance(thing, tuple):
        return tuple(within(prefix, item) for item in thing)
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        parts = {f.name: within(prefix, getattr(thing, f.name)) for f in dataclasses.fields(thing)}
        return dataclasses.replace(thing, **parts)
    return thing
