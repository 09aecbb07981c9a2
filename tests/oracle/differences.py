"""Where engines differ from the oracle, and why that is right or harmless.

Each difference says to which measurements it may apply, as narrowly as it can be said.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Final

from dqx_dagster.metrics import predicate as p
from dqx_dagster.metrics.metric import Function, Unmeasurable
from dqx_dagster.metrics.value import Column
from dqx_dagster.spark.predicates import MAX_SEARCHED
from oracle.compared import Difference, Seen
from oracle.parts import atoms_of


def matching(*patterns: str) -> Callable[[Seen], bool]:
    """Whether the aggregate searches texts for one of the patterns."""

    def uses(seen: Seen) -> bool:
        atoms = atoms_of(seen.aggregate.where)
        return any(isinstance(atom, p.Matches) and atom.pattern in patterns for atom in atoms)

    return uses


def texts(seen: Seen) -> list[str]:
    return [row["text"] for row in seen.rows if row.get("text") is not None]


def floats(seen: Seen) -> list[float]:
    values = [row.get(name) for row in seen.rows for name in ("float", "double")]
    return [abs(value) for value in values if value is not None and math.isfinite(value)]


def multiples(seen: Seen) -> bool:
    return any(isinstance(atom, p.IsMultipleOf) for atom in atoms_of(seen.aggregate.where))


def overflows(seen: Seen) -> bool:
    """Whether the decimals of a sum can have more than 38 digits on the way."""
    if seen.aggregate.function is not Function.SUM or not isinstance(seen.found, Unmeasurable):
        return False
    largest = {Column(("whole",)): Decimal(10) ** 38, Column(("exact",)): Decimal(10) ** 20}
    return seen.aggregate.of in largest and sum(map(abs, seen.values)) >= largest[seen.aggregate.of]


def between_infinities(seen: Seen) -> bool:
    is_percentile = seen.aggregate.function is Function.PERCENTILE
    return is_percentile and any(math.isinf(value) for value in seen.values)


SPARK_DIFFERS: Final = (
    Difference(
        "line ends",
        "For Java also CR and U+2028 end a line, so `$` matches before a last one and `.` does not "
        "match them. The oracle searches with Python, which only knows LF. Java's is what "
        "contracts mean.",
        lambda s: matching("^a$", "^a.b")(s) and any({"\r", "\u2028"} & {*t} for t in texts(s)),
    ),
    Difference(
        "long texts",
        "A pattern that repeats a group is not searched in long texts, because Java's stack might "
        "overflow and end the driver. Such a text does not match.",
        lambda s: matching("^(ab)+$")(s) and any(len(t) > MAX_SEARCHED for t in texts(s)),
    ),
    Difference(
        "large multiples",
        "A double from 1e23 on does not fit into the decimal in which multiples are computed. It "
        "counts as no multiple, so that it is reported rather than overlooked.",
        lambda s: multiples(s) and any(value >= 1e23 for value in floats(s)),
    ),
    Difference(
        "large sums",
        "Decimals of Spark have 38 digits. A sum that needs more on the way is not measured, and "
        "says so.",
        overflows,
    ),
)

DUCK_DIFFERS: Final = (
    Difference(
        "line ends",
        "`$` of RE2 matches at the end only; in Java and Python also before a last LF.",
        lambda s: matching("^a$")(s) and "a\n" in texts(s),
    ),
    Difference(
        "vertical tab",
        r"`\s` of RE2 does not match the vertical tab; that of Java and Python does.",
        lambda s: matching(r"\s")(s) and "\x0b" in texts(s),
    ),
    Difference(
        "lower case",
        "DuckDB lowers one character at a time. A sigma that ends a word, and an I with a dot, "
        "become something else in Unicode's rules, which Java and Python follow.",
        lambda s: bool({"\u0391\u03a3", "\u0130"} & {*texts(s)}),
    ),
    Difference(
        "large multiples",
        "The translation computes multiples of doubles in decimals of 20 digits before the point.",
        lambda s: multiples(s) and any(value >= 1e20 for value in floats(s)),
    ),
    Difference(
        "between infinities",
        "Between -inf and a number DuckDB's percentile is -inf. The oracle's formula gives NaN.",
        between_infinities,
    ),
)
