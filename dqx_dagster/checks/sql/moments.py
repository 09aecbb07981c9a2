"""Moments in a query, which dialects move, count and number differently.

Spark's DATEDIFF with a unit counts whole units that have passed; elsewhere it is often the number
of borders between them: from 23:59 to 00:01 is one day. A date minus a date is a number of days in
Postgres, an interval in Spark. An hour less must not become a day less, and Sunday is 0 or 1.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dqx_dagster.checks.sql.source import SPARKS, SqlError

_BORDERS: Final = ("redshift", "tsql")  # sqlglot does not note it there
_DAYS: Final = ("postgres", "redshift", "oracle", "duckdb", "snowflake")
_UNITS: Final = ("DAY", "HOUR", "MINUTE", "MONTH", "QUARTER", "SECOND", "YEAR")
_OF_DATES: Final = ("DAY", "WEEK", "MONTH", "QUARTER", "YEAR")

_MOVES: Final = (exp.DateAdd, exp.DateSub, exp.TsOrDsAdd, exp.AddMonths)

_FROM_SUNDAY_0: Final = ("duckdb", "postgres", "redshift", "snowflake")
_FROM_MONDAY_1: Final = ("athena", "presto", "trino")
_OTHER_WEEKS: Final = ("bigquery", "mysql", "tsql")
_WEEKDAY: Final = ("DOW", "DAYOFWEEK")


def resolve_moments(tree: exp.Expr, dialect: str) -> None:
    """Write moments as Spark understands them; the types must be known."""
    if dialect not in SPARKS:
        for node in reversed(list(tree.find_all(*_MOVES))):
            _put(node, _moved(node))
        for node in list(tree.find_all(exp.Extract, exp.DayOfWeek, exp.DayOfWeekIso)):
            _put(node, _weekday(node, dialect))
    for node in list(tree.find_all(exp.DateDiff, exp.TsOrDsDiff)):
        if node.args.get("unit") and (node.args.get("date_part_boundary") or dialect in _BORDERS):
            node.replace(_borders(node))
    for difference in list(tree.find_all(exp.Sub)):
        dates = [side.is_type(exp.DType.DATE) for side in (difference.this, difference.expression)]
        if dialect in _DAYS and all(dates):
            difference.replace(_days(difference.this, difference.expression))


def _put(node: exp.Expr, new: exp.Expr) -> None:
    if new is not node:
        new.type = node.type
        node.replace(new)


def _moved(node: exp.Expr) -> exp.Expr:
    """A moment so much later, with its time of day; of a date, the date."""
    by, unit = node.expression, node.args.get("unit")
    if isinstance(node, exp.AddMonths):
        unit = exp.var("MONTH")
    if isinstance(by, exp.Interval) or unit is None:
        kind = exp.Sub if isinstance(node, exp.DateSub) else exp.Add
        return kind(this=node.this.copy(), expression=by.copy())
    if node.this.is_type(exp.DType.DATE) and unit.name.upper() in _OF_DATES:
        return node
    amount = exp.Literal.number(by.name) if by.is_string and by.name.isdigit() else by.copy()
    if isinstance(node, exp.DateSub):
        amount = exp.Neg(this=exp.paren(amount) if amount.args.get("expression") else amount)
    return exp.TimestampAdd(this=node.this.copy(), expression=amount, unit=unit.copy())


def _weekday(node: exp.Expr, dialect: str) -> exp.Expr:
    """The day of the week as it is numbered there; from Sunday, 1, in Spark."""
    if isinstance(node, exp.DayOfWeekIso):
        return _from_monday(node.this)
    part = node.name.upper() if isinstance(node, exp.Extract) else "DAYOFWEEK"
    if part == "WEEK" and dialect in _OTHER_WEEKS:
        raise SqlError("weeks are numbered differently in Spark; compare dates", node=node)
    if part not in _WEEKDAY:
        return node
    day = exp.DayOfWeek(this=(node.args.get("expression") or node.this).copy())
    if dialect in _FROM_SUNDAY_0:
        return exp.paren(exp.Sub(this=day, expression=exp.Literal.number(1)))
    if dialect in _FROM_MONDAY_1 and isinstance(node, exp.Extract):
        return _from_monday(day.this)
    return node


def _from_monday(moment: exp.Expr) -> exp.Expr:
    """1 to 7; what sqlglot writes for that begins on Saturday."""
    weekday = exp.Anonymous(this="WEEKDAY", expressions=[moment.copy()])
    return exp.paren(exp.Add(this=weekday, expression=exp.Literal.number(1)))


def _borders(node: exp.Expr) -> exp.Expr:
    unit = node.args["unit"].name.upper()
    if unit not in _UNITS:
        text = f"a difference in {unit} is counted differently in Spark; write it in Spark SQL"
        raise SqlError(text, node=node)
    start, end = (
        exp.TimestampTrunc(this=side.copy(), unit=exp.var(unit))
        for side in (node.expression, node.this)
    )
    return exp.DateDiff(this=end, expression=start, unit=exp.var(unit))


def _days(end: exp.Expr, start: exp.Expr) -> exp.Expr:
    return exp.DateDiff(this=end.copy(), expression=start.copy())
