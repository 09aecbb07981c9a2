"""What each word measures: from a column and parameters to a metric and half a sentence.

One function per word of the vocabulary. Whether NULL counts is spelled out in each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from dqx_dagster.checks.formats import FLAGS, FORMATS
from dqx_dagster.checks.parameters import ParameterError
from dqx_dagster.checks.threshold import Threshold
from dqx_dagster.metrics.metric import (
    ROWS,
    Age,
    Aggregate,
    Arithmetic,
    Combined,
    Constant,
    Function,
    Gaps,
    Metric,
    Quantile,
    count_set,
)
from dqx_dagster.metrics.periods import Granularity, Window
from dqx_dagster.metrics.predicate import IsSet, Matches, Not, OneOf, Or, Predicate, every
from dqx_dagster.metrics.value import Column, Length, Literal, Lowercase, Row, literal
from dqx_dagster.metrics.violation import NullKeys, Repeated, Violation


@dataclass(frozen=True, slots=True)
class Given:
    """What a rule gave to its word: the column, and the parameters after reading."""

    column: Column
    parameters: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.parameters[name]


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured, and how a sentence about it reads.

    `says` follows "3 of 120 rows" for counts of rows, and names the metric for everything else.
    """

    metric: Metric
    says: str
    violation: Violation | None = None  # which single rows break the rule, where rows can
    conforming: bool = False  # whether the rows that keep the rule are counted, not the others

    def broken_by(self, limit: Threshold | None) -> Violation | None:
        """The rows to blame where the limit is broken; none where it asks for more such rows."""
        if limit is None or limit.temporal:
            return None
        enough = (limit.low is not None) is limit.inside  # of the others
        return self.violation if (enough if self.conforming else limit.admits(0)) else None


Build: TypeAlias = Callable[[Given], Measure]


def conforming(where: Predicate, says: str, violation: Predicate) -> Measure:
    """The number of rows that keep a rule; `violation` holds for those that break it."""
    return Measure(Aggregate(Function.COUNT, where=where), says, violation, conforming=True)


def violating(where: Predicate, says: str) -> Measure:
    """The number of rows that break a rule."""
    return Measure(Aggregate(Function.COUNT, where=where), says, where)


# Nulls and missing values


def nulls(given: Given) -> Measure:
    """Rows where the column is null."""
    # Rows minus set values shares the count with every other check of the column.
    metric = Combined(Arithmetic.MINUS, ROWS, count_set(given.column))
    return Measure(metric, "are null", Not(IsSet(given.column)))


def missing_values(given: Given) -> Measure:
    """Rows with a listed value. The list is authoritative: null counts only if it is listed."""
    listed: tuple[Literal | None, ...] | None = given["missingValues"]
    if listed is None:
        return nulls(given)
    texts = tuple(item for item in listed if item is not None)
    holds: Predicate = OneOf(given.column, texts)
    if None in listed:
        holds = Or((Not(IsSet(given.column)), holds)) if texts else Not(IsSet(given.column))
    return violating(holds, "hold a missing value")


# Lists and patterns


def _listed(given: Given) -> Predicate:
    items = tuple(item for item in given["values"] if item is not None)
    if given["case_sensitive"]:
        return OneOf(given.column, items)
    lowered = (i if not isinstance(i.value, str) else literal(i.value.lower()) for i in items)
    return OneOf(Lowercase(given.column), tuple(dict.fromkeys(lowered)))


def _unlisted(given: Given) -> Predicate:
    return every(IsSet(given.column), Not(_listed(given)))


def outside_list(given: Given) -> Measure:
    """Rows whose value is not listed; null is no value."""
    return violating(_unlisted(given), "hold a value outside the list")


def forbidden(given: Given) -> Measure:
    """Rows with a forbidden value."""
    return violating(_listed(given), "hold a forbidden value")


def inside_list(given: Given) -> Measure:
    """Rows with a listed value."""
    return conforming(_listed(given), "hold a listed value", _unlisted(given))


def unforbidden(given: Given) -> Measure:
    """Rows with a value that is not forbidden; null is no value."""
    return conforming(_unlisted(given), "hold no forbidden value", _listed(given))


def invalid(given: Given) -> Measure:
    """Rows whose value fails the list or the pattern; with both, it must satisfy both."""
    valid: list[Predicate] = []
    if given["validValues"] is not None:
        items = tuple(item for item in given["validValues"] if item is not None)
        valid.append(OneOf(given.column, items))
    if given["pattern"] is not None:
        valid.append(Matches(given.column, given["pattern"]))
    if not valid:
        raise ParameterError("invalidValues needs validValues, a pattern, or both")
    return violating(every(IsSet(given.column), Not(every(*valid))), "hold an invalid value")


def _expression(given: Given) -> str:
    written, named, flags = given["pattern"], given["format"], given["flags"]
    if (written is None) is (named is None):
        raise ParameterError("give exactly one of 'pattern' and 'format'")
    if named is not None and flags:
        raise ParameterError("'flags' go with 'pattern', not with 'format'")
    letters = "".join(sorted({FLAGS[flag] for flag in flags}))
    return FORMATS[named] if named is not None else f"(?{letters}){written}" if letters else written


def matching(given: Given) -> Measure:
    """Rows in which the pattern is found."""
    found = Matches(given.column, _expression(given))
    broken = every(IsSet(given.column), Not(found))
    return conforming(found, "match the pattern", broken)


def unmatched(given: Given) -> Measure:
    """Rows with a value in which the pattern is not found."""
    found = Matches(given.column, _expression(given))
    return violating(every(IsSet(given.column), Not(found)), "do not match the pattern")


# Duplicates


def duplicates(given: Given) -> Measure:
    """Rows minus distinct values: NULLs count as duplicates, and a tuple is one value."""
    keys: tuple[Column, ...] = given.parameters.get("columns") or (given.column,)
    value = keys[0] if len(keys) == 1 else Row(keys)
    distinct = Aggregate(Function.DISTINCT, value)
    says = "repeat a value or are null" if len(keys) == 1 else "repeat a row of values"
    nulls = NullKeys.BROKEN if len(keys) == 1 else NullKeys.EQUAL
    return Measure(Combined(Arithmetic.MINUS, ROWS, distinct), says, Repeated(keys, nulls))


def repeated(keys: tuple[Column, ...]) -> Measure:
    """Rows beyond the first of each key; keys that contain a NULL are left out."""
    whole = count_set(*keys)
    metric = Combined(Arithmetic.MINUS, whole, distinct_keys(keys))
    says = "repeat the key" if len(keys) > 1 else "repeat a value"
    return Measure(metric, says, Repeated(keys, NullKeys.LEFT_OUT))


def distinct_keys(keys: tuple[Column, ...]) -> Aggregate:
    """How many different keys there are, of those without a NULL."""
    if len(keys) == 1:
        return Aggregate(Function.DISTINCT, keys[0])
    return Aggregate(Function.DISTINCT, Row(keys), where=every(*(IsSet(key) for key in keys)))


def duplicate_values(given: Given) -> Measure:
    """Rows beyond the first of each key, as ODCS counts them."""
    return repeated(given.parameters.get("properties") or (given.column,))


# Statistics


def rows(_: Given) -> Measure:
    """All rows."""
    return Measure(ROWS, "row count")


def aggregated(function: Function, says: str) -> Build:
    """A plain aggregate of the column."""

    def build(given: Given) -> Measure:
        return Measure(Aggregate(function, given.column), f"{says} of {given.column}")

    return build


def count(given: Given) -> Measure:
    """Rows where the column is set."""
    return Measure(count_set(given.column), f"number of values in {given.column}")


def mean(given: Given) -> Measure:
    """The sum divided by the count; both are shared with other checks."""
    total = Aggregate(Function.SUM, given.column)
    metric = Combined(Arithmetic.DIVIDE, total, count_set(given.column))
    return Measure(metric, f"mean of {given.column}")


def stddev(given: Given) -> Measure:
    """The root of the sample variance, which is shared with its own check."""
    variance = Aggregate(Function.VARIANCE, given.column)
    metric = Combined(Arithmetic.POWER, variance, Constant(0.5))
    return Measure(metric, f"standard deviation of {given.column}")


def percentile(given: Given) -> Measure:
    """The value below which a share of the values lies."""
    quantile = Quantile(float(given["percentile"]), given["exact"])
    metric = Aggregate(Function.PERCENTILE, given.column, argument=quantile)
    return Measure(metric, f"percentile {quantile.at:g} of {given.column}")


def length(function: Function, says: str) -> Build:
    """An aggregate of the lengths of the non-null values."""

    def build(given: Given) -> Measure:
        return Measure(Aggregate(function, _sized(given)), f"{says} of {given.column}")

    return build


def _sized(given: Given) -> Length:
    return Length(given.column, given.parameters.get("column_type"))


def average_length(given: Given) -> Measure:
    """All lengths together, by the number of values."""
    total = Aggregate(Function.SUM, _sized(given))
    metric = Combined(Arithmetic.DIVIDE, total, count_set(given.column))
    return Measure(metric, f"average length of {given.column}")


# Time


def freshness(given: Given) -> Measure:
    """Hours since the newest, or oldest, moment in the column."""
    stamp: Column = given["timestamp_column"]
    latest = given["aggregation"] == "max"
    moment = Aggregate(Function.MAX if latest else Function.MIN, stamp)
    return Measure(Age(moment), f"the {'latest' if latest else 'oldest'} {stamp}")


def completeness(given: Given) -> Measure:
    """Periods of the window that have no row."""
    granularity = Granularity(given["granularity"])
    window = Window(granularity, given["lookback_days"], not given["allow_future_gaps"])
    present = Aggregate(Function.PERIODS, given["partition_column"], argument=window)
    return Measure(Gaps(present), granularity.value)
