"""What a single call may ask for: numbers in a query that decide how much memory it takes.

`lpad(status, 2000000000)` asks for 2 GB for each row, and `approx_count_distinct(id, 0.00004)` for
more columns than the driver can plan; of constants, Spark computes the first in the driver. All
other rules share that memory. So such a number must stand in the query, and be small.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from dqx_dagster.checks.sql.source import SqlError

MAX_LENGTH: Final = 1_000
"""Characters that a text is filled up to."""

MAX_DIGITS: Final = 100
"""Places that a number is rounded to."""

MAX_ACCURACY: Final = 1_000_000
MIN_DEVIATION: Final = 0.01

_DIGITS: Final = ("bround", "format_number")


def check_sizes(tree: exp.Expr) -> None:
    """Refuse calls in Spark SQL that ask for too much."""
    for node in tree.find_all(exp.Func):
        for what, given, least, most in _limits(node):
            value = _number(given)
            if value is None or not least <= value <= most:
                where = f"at least {least}" if value is not None and value < least else ""
                where = where or f"a number in the query, at most {most:,}"
                text = f"{what} is {given.sql()}; it must be {where}"
                raise SqlError(text, "sql-refused", node=node)


def _limits(node: exp.Func) -> Iterator[tuple[str, exp.Expr, float, float]]:
    """The numbers in a call, each with what it is and its bounds."""
    args = node.args
    match node:
        case exp.Pad():
            name = "lpad" if args.get("is_left") else "rpad"
            yield f"the length of {name}", args["expression"], -MAX_LENGTH, MAX_LENGTH
        case exp.Round() | exp.Ceil() | exp.Floor() if args.get("decimals"):
            yield "the number of digits", args["decimals"], -MAX_DIGITS, MAX_DIGITS
        case exp.Anonymous() if node.name.lower() in _DIGITS and len(node.expressions) > 1:
            if not node.expressions[1].is_string:  # a format
                yield "the number of digits", node.expressions[1], -MAX_DIGITS, MAX_DIGITS
        case exp.ApproxQuantile() if args.get("accuracy"):
            yield "the accuracy of percentile_approx", args["accuracy"], 1, MAX_ACCURACY
        case exp.ApproxDistinct() if args.get("accuracy"):
            name = "the deviation of approx_count_distinct"
            yield name, args["accuracy"], MIN_DEVIATION, 1


def _number(given: exp.Expr) -> float | None:
    """A number that stands in the query as such."""
    negative = isinstance(given, exp.Neg)
    plain = given.this if negative else given
    if not isinstance(plain, exp.Literal) or plain.is_string:
        return None
    return -float(plain.name) if negative else float(plain.name)
