"""Rules that cannot be measured on the table of `oracle.faults`, known before a row is read.

A few are not refused but decided: what they are then is their `value`.
"""

from __future__ import annotations

from typing import Final

from dqx_dagster.metrics.metric import Aggregate, Function, Quantile, count_set
from dqx_dagster.metrics.periods import Granularity, Window
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
    Or,
    Predicate,
)
from dqx_dagster.metrics.value import Column, Length, Literal, LiteralType, Row, Value, literal
from oracle.faults import CANARY, ROW_COUNT, Fault

MAX, MIN, SUM, DISTINCT = Function.MAX, Function.MIN, Function.SUM, Function.DISTINCT
MEDIAN = Quantile(0.5)


def _column(*path: str) -> Column:
    return Column(path)


def _fault(name: str, says: str, function: Function, *path: str) -> Fault:
    return Fault(name, Aggregate(function, _column(*path)), says)


def _counted(name: str, says: str, where: Predicate) -> Fault:
    return Fault(name, Aggregate(Function.COUNT, where=where), says)


def _above(value: Value, constant: Literal) -> Predicate:
    return Compares(value, Comparison.GREATER, constant)


def _percentile(name: str, says: str, *path: str) -> Fault:
    aggregate = Aggregate(Function.PERCENTILE, _column(*path), argument=MEDIAN)
    return Fault(name, aggregate, says)


_DAYS: Final = Window(Granularity.DAILY, 3)
_YEARS: Final = "outside the years 1 to 9999"
_DIGITS: Final = literal(10**60 + 1)

NAMES: Final = (
    Fault("missing column", count_set(_column("mial")), "Did you mean 'mail'?"),
    Fault("missing field", count_set(_column("person", "phone")), "is not in the data"),
    Fault("field of a text", count_set(_column("mail", "domain")), "'mail' has no fields"),
    _fault("ambiguous name", "is ambiguous: twin, TWIN", SUM, "twin"),
    Fault("no name", Aggregate(MAX, _column()), "names no column"),
    Fault(
        "key with a missing column",
        Aggregate(DISTINCT, Row((_column("id"), _column("nope")))),
        "'nope' is not in the data",
    ),
    _counted("missing field of an object", "'person.phone'", HasField(_column("person"), "phone")),
)

TYPES: Final = (
    _fault("sum of texts", "'mail' is string: sum needs numbers", SUM, "mail"),
    _fault("sum of a variant", "sum needs numbers", SUM, "anything"),
    _fault("variance of binaries", "variance needs numbers", Function.VARIANCE, "raw"),
    _percentile("percentile of booleans", "percentile needs numbers", "flag"),
    _percentile("percentile of texts", "percentile needs numbers", "mail"),
    _fault("minimum of texts", "min needs numbers, dates or timestamps", MIN, "mail"),
    _fault("maximum of an object", "max needs numbers", MAX, "person"),
    _fault("maximum of times", "max needs numbers", MAX, "clock"),
    _fault("maximum of days", "max needs numbers", MAX, "span"),
    _fault("minimum of months", "min needs numbers", MIN, "months"),
    Fault("length of a number", Aggregate(MAX, Length(_column("id"))), "has no length"),
    Fault("length of a variant", Aggregate(MAX, Length(_column("anything"))), "has no length"),
    Fault("length of a text as list", Aggregate(SUM, Length(_column("mail"), "list")), "a list"),
    _counted("pattern of a number", "only texts have patterns", Matches(_column("id"), "1")),
    _counted("pattern of a list", "only texts have patterns", Matches(_column("tags"), "1")),
    _counted("size of a text", "not compared by size", _above(_column("mail"), literal(1))),
    _counted("multiple of texts", "no multiples", IsMultipleOf(_column("mail"), literal(2))),
    _counted("items of a text", "only lists have items", HasRepeats(_column("mail"))),
    _counted("fields of a list", "it has no fields", HasField(_column("tags"), "a")),
    _fault("distinct maps", "cannot tell its values apart", DISTINCT, "attrs"),
    _fault("distinct variants", "cannot tell its values apart", DISTINCT, "anything"),
    Fault("distinct lengths", Aggregate(DISTINCT, Length(_column("mail"))), "only columns"),
    Fault(
        "periods of texts",
        Aggregate(Function.PERIODS, _column("mail"), argument=_DAYS),
        "a date or timestamp is needed",
    ),
)

CONSTANTS: Final = (
    _counted("text among numbers", "cannot be compared", OneOf(_column("id"), (literal("x"),))),
    _counted("number among texts", "cannot be compared", OneOf(_column("mail"), (literal(1),))),
    _counted("size of a number and a text", "cannot be", _above(_column("id"), literal("x"))),
    _counted(
        "date of no calendar",
        "cannot be compared",
        _above(_column("day"), Literal(LiteralType.DATE, "2026-02-31")),
    ),
    _counted("factor with many digits", "more digits", IsMultipleOf(_column("edge"), _DIGITS)),
    _counted(
        "factor that is no number",
        "not a finite number",
        IsMultipleOf(_column("id"), literal(float("nan"))),
    ),
    _counted(
        "pattern that Java refuses",
        "not a regular expression that Java accepts",
        And((IsSet(_column("mail")), Not(Matches(_column("mail"), "(?<n>a)(?<n>b)")))),
    ),
)

DECIDED: Final = (
    _fault("sum with 39 digits", "more digits", SUM, "edge"),
    _fault("date after 9999", _YEARS, MAX, "far_day"),
    _fault("timestamp after 9999", _YEARS, MIN, "far_seen"),
    _fault("local timestamp after 9999", _YEARS, MAX, "far_local"),
    # A text of more than a thousand characters does not match a pattern that repeats a group.
    Fault(
        "repeated group on long texts",
        Aggregate(Function.COUNT, where=Matches(_column("novel"), "^(.|x)*$")),
        "",
        value=0,
    ),
    Fault(
        "repeated group on short texts",
        Aggregate(Function.COUNT, where=Matches(_column("mail"), "^(.|x)*$")),
        "",
        value=ROW_COUNT - 1,
    ),
)

REFUSED: Final = (*NAMES, *TYPES, *CONSTANTS, *DECIDED)

ODD: Final = (
    _counted("number beyond doubles", "", _above(_column("ratio"), literal(10**400))),
    _counted("nothing of everything", "", And(())),
    _counted("nothing of anything", "", Or(())),
    _counted("key of another type", "", HasField(_column("numbered"), CANARY)),
    _counted("repeats among maps", "", HasRepeats(_column("maps"))),
    _counted(
        "time of no clock",
        "",
        _above(_column("clock"), Literal(LiteralType.TIME, f"25:00 {CANARY}")),
    ),
    Fault("length of no fields", Aggregate(MAX, Length(_column("hollow"))), ""),
)
"""Not written by any contract: all they may do is have a value, or a reason without data."""
