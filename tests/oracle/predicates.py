"""What predicates mean: whether one holds for a row that is a dict.

* Two NULL items of a list are a repetition.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from dqx_dagster.metrics import predicate as p
from dqx_dagster.metrics.value import SqlText
from oracle.values import Struct, comparable, constant, field, key_of, number, order, value_of


def holds(predicate: p.Predicate, row: Mapping[str, Any]) -> bool:
    match predicate:
        case p.Always():
            return True
        case SqlText():
            raise NotImplementedError("SQL is evaluated by DuckDB, not row by row")
        case p.IsSet(of):
            return value_of(of, row) is not None
        case p.OneOf(of, literals):
            found = value_of(of, row)
            return found is not None and any(equal(found, constant(item)) for item in literals)
        case p.Matches(of, pattern):
            found = value_of(of, row)
            return isinstance(found, str) and java_search(pattern, found)
        case p.Compares(of, comparison, literal):
            found = value_of(of, row)
            return found is not None and compares(found, comparison, constant(literal))
        case p.IsMultipleOf(of, factor):
            found = value_of(of, row)
            if found is None or (isinstance(found, float) and not math.isfinite(found)):
                return False
            return bool(number(found) % number(constant(factor)) == 0)
        case p.HasRepeats(of):
            found = value_of(of, row)
            return found is not None and len({key_of(item) for item in found}) < len(found)
        case p.HasField(of, name):
            found = value_of(of, row)
            if isinstance(found, Struct):
                return field(found, (name,)) is not None
            return found is not None and name in found
        case p.Not(of):
            return not holds(of, row)
        case p.And(of):
            return all(holds(item, row) for item in of)
        case p.Or(of):
            return any(holds(item, row) for item in of)


def equal(value: Any, other: Any) -> bool:
    """A boolean is no number, and a text is neither."""
    for kind in (bool, str):
        if isinstance(value, kind) is not isinstance(other, kind):
            return False
    return bool(comparable(value) == comparable(other))


def compares(value: Any, comparison: p.Comparison, other: Any) -> bool:
    left, right = order(value), order(other)
    match comparison:
        case p.Comparison.LESS:
            return left < right
        case p.Comparison.LESS_OR_EQUAL:
            return left <= right
        case p.Comparison.GREATER:
            return left > right
        case p.Comparison.GREATER_OR_EQUAL:
            return left >= right


def java_search(pattern: str, text: str) -> bool:
    r"""Python's `re` in the place of Java's engine: good enough for the patterns of the cases.

    Java's classes are ASCII unless the flag U is set, and its `\z` is Python's `\Z`.
    """
    flags = found[1] if (found := re.match(r"\(\?([a-zA-Z]+)\)", pattern)) else ""
    rest = pattern[found.end() :] if found else pattern
    mode = re.UNICODE if "U" in flags else re.ASCII
    for letter in set(flags) - {"U", "u"}:
        mode |= {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}[letter]
    return re.search(rest.replace(r"\z", r"\Z"), text, mode) is not None
