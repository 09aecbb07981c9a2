"""Random queries over one table that can join the shared pass, and random rows for it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any, Final

COLUMNS: Final = {
    "id": "integer",
    "amount": "number",
    "price": "number",
    "status": "string",
    "paid": "boolean",
    "day": "date",
    "at": "timestamp",
}
DDL: Final = (
    "id bigint, amount double, price decimal(12,2), status string, paid boolean, day date,"
    " at timestamp"
)
_START: Final = dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)
_VALUES: Final[dict[str, Callable[[Random], Any]]] = {
    "id": lambda r: r.choice([0, 1, 2, 3, -5, 2**40]),
    "amount": lambda r: r.choice([0.0, -0.0, 0.25, -1.5, 1e6, float("nan"), float("inf")]),
    "price": lambda r: Decimal(r.randint(-999, 999)) / 100,
    "status": lambda r: r.choice(["", "a", "A", "b%", "it's", "a\\b", "ä", "lost"]),
    "paid": lambda r: r.random() < 0.5,
    "day": lambda r: (_START + dt.timedelta(days=r.randint(0, 60))).date(),
    "at": lambda r: _START + dt.timedelta(minutes=r.randint(0, 90_000)),
}


def rows(random: Random, size: int, nulls: float) -> list[tuple[Any, ...]]:
    """Rows with this share of NULLs."""
    return [
        tuple(None if random.random() < nulls else make(random) for make in _VALUES.values())
        for _ in range(size)
    ]


def query(random: Random) -> str:
    """A query that gives one value of one pass."""
    where = f" WHERE {condition(random, 3)}" if random.random() < 0.8 else ""
    return f"SELECT {_result(random, 2)} FROM t{where}"


def _result(random: Random, depth: int) -> str:
    if depth and random.random() < 0.4:
        left, right = _result(random, depth - 1), _result(random, depth - 1)
        forms = (
            f"({left}) - ({right})",
            f"({left}) + ({right})",
            f"({left}) / NULLIF({right}, 0)",
            f"COALESCE({left}, {right})",
            f"ROUND({left}, 1)",
            f"({left}) > ({right})" if depth == 2 else f"ABS({left})",
        )
        return random.choice(forms)
    return _aggregate(random)


def _aggregate(random: Random) -> str:
    number, inner = _number(random, 1), condition(random, 1)
    forms = (
        "COUNT(*)",
        "COUNT(*)",
        f"COUNT({random.choice(list(COLUMNS))})",
        f"COUNT(DISTINCT {random.choice(('id', 'status', 'day'))})",
        f"COUNT(CASE WHEN {inner} THEN 1 END)",
        f"COUNT_IF({inner})",
        f"COUNT(*) FILTER (WHERE {inner})",
        f"SUM(CASE WHEN {inner} THEN 1 ELSE 0 END)",
        f"SUM({number})",
        f"AVG({number}) FILTER (WHERE {inner})",
        f"MIN({number})",
        f"MAX({number})",
        "MAX(LENGTH(status))",
        "STDDEV(price)",
    )
    return random.choice(forms)


def _number(random: Random, depth: int) -> str:
    if depth and random.random() < 0.3:
        return f"{_number(random, 0)} {random.choice('+-*')} {_number(random, 0)}"
    return random.choice(("price", "price", "id % 7", "LENGTH(status)", "2", "-price", "0.5"))


def condition(random: Random, depth: int) -> str:
    """A condition that may be true, false or NULL."""
    if depth and random.random() < 0.6:
        left, right = condition(random, depth - 1), condition(random, depth - 1)
        joined = (f"({left} AND {right})", f"({left} OR {right})")
        return random.choice((*joined, f"(NOT {left})", f"(({left}) IS NULL)"))
    forms = (
        f"id {random.choice(('<', '<=', '=', '<>', '>', '>='))} {random.randint(-1, 3)}",
        f"amount > {random.choice(('0', '0.1', '-2', '1e3'))}",
        "price BETWEEN -1 AND 5.5",
        "price < id",
        "isnan(amount)",
        "paid",
        "status IN ('a', 'lost', '')",
        "status NOT IN ('a', NULL)",
        "status LIKE '%a%'",
        "status LIKE 'b\\\\%'",
        "status = 'it''s'",
        "status RLIKE '^[a-z]+$'",
        "LOWER(status) = status",
        "status IS NOT NULL",
        "day >= DATE '2026-02-01'",
        "at < CURRENT_TIMESTAMP",
        "CAST(at AS DATE) = day",
        "CASE WHEN paid THEN price > 0 ELSE amount > 0 END",
        "price <=> NULL",
    )
    return random.choice(forms)
