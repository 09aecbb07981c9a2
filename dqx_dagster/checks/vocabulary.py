"""The one table of words: every check that a contract may ask for.

A row says what a word is called, in which dialect and scope, which parameters it takes, and what is
measured. Parsing, messages, close matches, lowering, the README's table and the completeness test
read this table: **a new check is one row here and one case file in the tests**.

>>> find(RuleKind.LIBRARY, Scope.TABLE, "rowCount").doc
'number of rows'
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, Final

from dqx_dagster.checks import measures as m
from dqx_dagster.checks import parameters as p
from dqx_dagster.checks.formats import FLAGS, FORMATS
from dqx_dagster.checks.measures import Build
from dqx_dagster.checks.parameters import Parameter
from dqx_dagster.contract.model import RuleKind
from dqx_dagster.metrics.metric import Function
from dqx_dagster.metrics.periods import Granularity

NUMBERS: Final = ("integer", "number", "int", "float", "decimal")
SIZED: Final = ("string", "array", "map", "object", "list", "struct", "vector")
TEXTS: Final = ("string",)
ORDERED: Final = (*NUMBERS, "date", "timestamp")


class Scope(enum.Enum):
    """What a check is asked of."""

    COLUMN = "column"
    TABLE = "table"


class Unit(enum.Enum):
    """What a metric's number counts."""

    ROWS = "rows"
    SHARE = "share"
    PERCENT = "percent"
    VALUE = "value"
    HOURS = "hours"
    PERIODS = "periods"
    COLUMNS = "columns"
    TRUTH = "truth"


@dataclass(frozen=True, slots=True)
class CheckType:
    """One row of the vocabulary."""

    name: str
    kinds: tuple[RuleKind, ...]
    scope: Scope
    doc: str
    build: Build
    unit: Unit = Unit.VALUE
    parameters: tuple[Parameter, ...] = ()
    at_most: str | None = None  # the parameter that is the threshold, instead of an operator
    unjudged: Build | None = None  # what must be 0 where no operator is given
    temporal: bool = False  # whether its value, and so its threshold, may be a moment
    needs: tuple[str, ...] = ()  # the declared types that it can work on; empty: any

    @property
    def takes_operators(self) -> bool:
        """Whether the rule says with an operator what is allowed."""
        return self.at_most is None


_LIBRARY, _DQX, _NATIVE = (RuleKind.LIBRARY,), (RuleKind.DQX,), (RuleKind.NATIVE,)
_BOTH = (RuleKind.DQX, RuleKind.NATIVE)
_VALUES = Parameter("values", p.values, doc="the values, compared with their types")
_CASE = Parameter("case_sensitive", p.flag, default=True, doc="false compares in lower case")
_TYPE = Parameter("column_type", p.choice("string", "list", "map"), None, "what the length is of")
_PATTERN = (
    Parameter("pattern", p.pattern, None, "a Java regular expression, searched"),
    Parameter("format", p.choice(*FORMATS), None, "a named pattern"),
    Parameter("flags", p.words_of(*FLAGS), (), "flags of the pattern"),
)
_PERCENTILE = (
    Parameter("percentile", p.number(0, 1), doc="0 to 1"),
    Parameter("exact", p.flag, False, "interpolate between two neighbouring values"),
)
_FRESHNESS = (
    Parameter("max_age_hours", p.number(0, above=True), doc="how old the data may be"),
    Parameter("timestamp_column", p.moment_column, doc="the column that tells the age"),
    Parameter("aggregation", p.choice("max", "min"), "max", "the newest or the oldest row"),
)
_COMPLETENESS = (
    Parameter("partition_column", p.moment_column, doc="a date or timestamp"),
    Parameter("granularity", p.choice(*(g.value for g in Granularity)), doc="length of a period"),
    Parameter("lookback_days", p.whole(1, 36_500), 30, "how far to look back"),
    Parameter("allow_future_gaps", p.flag, True, "leave the running period out"),
    Parameter("max_gap_count", p.whole(0), 0, "how many periods may be missing"),
)


def _column(
    name: str, kinds: tuple[RuleKind, ...], doc: str, build: Build, **rest: Any
) -> CheckType:
    return CheckType(name, kinds, Scope.COLUMN, doc, build, **rest)


def _table(
    name: str, kinds: tuple[RuleKind, ...], doc: str, build: Build, **rest: Any
) -> CheckType:
    return CheckType(name, kinds, Scope.TABLE, doc, build, **rest)


CHECKS: Final[tuple[CheckType, ...]] = (
    # ODCS library metrics
    _table("rowCount", _LIBRARY, "number of rows", m.rows),
    _column("nullValues", _LIBRARY, "rows that are null", m.nulls, unit=Unit.ROWS),
    _column(
        "missingValues",
        _LIBRARY,
        "rows that are null, or hold one of the listed values",
        m.missing_values,
        unit=Unit.ROWS,
        parameters=(Parameter("missingValues", p.values, None, "null counts only if listed"),),
    ),
    _column(
        "invalidValues",
        _LIBRARY,
        "rows with a value outside the list or the pattern",
        m.invalid,
        unit=Unit.ROWS,
        parameters=(
            Parameter("validValues", p.values, None, "the allowed values"),
            Parameter("pattern", p.pattern, None, "a Java regular expression, searched"),
        ),
    ),
    _column(
        "duplicateValues",
        _LIBRARY,
        "rows beyond the first of each value",
        m.duplicate_values,
        unit=Unit.ROWS,
    ),
    _table(
        "duplicateValues",
        _LIBRARY,
        "rows beyond the first of each key",
        m.duplicate_values,
        unit=Unit.ROWS,
        parameters=(Parameter("properties", p.columns, doc="the columns of the key"),),
    ),
    # `engine: dqx` and native checks
    _table("num_rows", _BOTH, "number of rows", m.rows),
    _column("missing", _BOTH, "rows that are null", m.nulls, unit=Unit.ROWS),
    _column(
        "duplicates",
        _BOTH,
        "rows minus distinct values; nulls count as duplicates",
        m.duplicates,
        unit=Unit.ROWS,
    ),
    _table(
        "duplicates",
        _BOTH,
        "rows minus distinct keys",
        m.duplicates,
        unit=Unit.ROWS,
        parameters=(Parameter("columns", p.columns, doc="the columns of the key"),),
    ),
    _column(
        "whitelist",
        _DQX,
        "rows with a value outside the list",
        m.outside_list,
        unit=Unit.ROWS,
        parameters=(_VALUES, _CASE),
    ),
    _column(
        "whitelist",
        _NATIVE,
        "rows with a listed value; without a validator, all must be listed",
        m.inside_list,
        unit=Unit.ROWS,
        parameters=(_VALUES, _CASE),
        unjudged=m.outside_list,
    ),
    _column(
        "blacklist",
        _DQX,
        "rows with a forbidden value",
        m.forbidden,
        unit=Unit.ROWS,
        parameters=(_VALUES, _CASE),
    ),
    _column(
        "blacklist",
        _NATIVE,
        "rows with a value that is not forbidden; without a validator, none may be",
        m.unforbidden,
        unit=Unit.ROWS,
        parameters=(_VALUES, _CASE),
        unjudged=m.forbidden,
    ),
    _column(
        "pattern",
        _DQX,
        "rows that do not match",
        m.unmatched,
        unit=Unit.ROWS,
        parameters=_PATTERN,
        needs=TEXTS,
    ),
    _column(
        "pattern",
        _NATIVE,
        "rows that match; without a validator, all must match",
        m.matching,
        unit=Unit.ROWS,
        parameters=_PATTERN,
        needs=TEXTS,
        unjudged=m.unmatched,
    ),
    _column(
        "cardinality",
        _BOTH,
        "distinct non-null values",
        m.aggregated(Function.DISTINCT, "number of distinct values"),
    ),
    _column(
        "min", _BOTH, "minimum", m.aggregated(Function.MIN, "minimum"), temporal=True, needs=ORDERED
    ),
    _column(
        "max", _BOTH, "maximum", m.aggregated(Function.MAX, "maximum"), temporal=True, needs=ORDERED
    ),
    _column("mean", _BOTH, "arithmetic mean", m.mean, needs=NUMBERS),
    _column("sum", _BOTH, "sum", m.aggregated(Function.SUM, "sum"), needs=NUMBERS),
    _column("count", _BOTH, "number of non-null values", m.count),
    _column(
        "variance",
        _BOTH,
        "sample variance",
        m.aggregated(Function.VARIANCE, "variance"),
        needs=NUMBERS,
    ),
    _column("stddev", _BOTH, "sample standard deviation", m.stddev, needs=NUMBERS),
    _column(
        "percentile",
        _BOTH,
        "the value at a percentile",
        m.percentile,
        parameters=_PERCENTILE,
        needs=NUMBERS,
    ),
    _column(
        "min_length",
        _BOTH,
        "shortest length",
        m.length(Function.MIN, "shortest length"),
        parameters=(_TYPE,),
        needs=SIZED,
    ),
    _column(
        "max_length",
        _BOTH,
        "longest length",
        m.length(Function.MAX, "longest length"),
        parameters=(_TYPE,),
        needs=SIZED,
    ),
    _column(
        "avg_length", _BOTH, "average length", m.average_length, parameters=(_TYPE,), needs=SIZED
    ),
    _table(
        "freshness",
        _BOTH,
        "age of the newest (or oldest) row in hours",
        m.freshness,
        unit=Unit.HOURS,
        parameters=_FRESHNESS,
        at_most="max_age_hours",
    ),
    _table(
        "completeness",
        _BOTH,
        "periods without rows",
        m.completeness,
        unit=Unit.PERIODS,
        parameters=_COMPLETENESS,
        at_most="max_gap_count",
    ),
)


def words(kind: RuleKind, scope: Scope | None = None) -> tuple[str, ...]:
    """The words of a dialect, sorted."""
    rows = (row for row in CHECKS if kind in row.kinds and scope in (None, row.scope))
    return tuple(sorted({row.name for row in rows}))


def find(kind: RuleKind, scope: Scope, name: str) -> CheckType | None:
    """The row of a word, or None."""
    rows = (r for r in CHECKS if r.name == name and kind in r.kinds and r.scope is scope)
    return next(rows, None)
