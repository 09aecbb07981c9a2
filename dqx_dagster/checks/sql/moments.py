"""Differences of moments, which dialects count differently.

Spark's DATEDIFF with a unit counts whole units that have passed; elsewhere it is often the number
of borders between them: from 23:59 to 00:01 is one day. And a date minus a date is a number of days
in Postgres, an interval in Spark.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dqx_dagster.checks.sql.source import SqlError

_BORDERS: Final = ("redshift", "tsql")  # sqlglot does not note it there
_DAYS: Final = ("postgres", "redshift", "oracle", "duckdb")
_UNITS: Final = ("DAY", "HOUR", "MINUTE", "MONTH", "QUARTER", "SECOND", "YEAR")


def resolve_differences(tree: exp.Expr, dialect: str) -> None:
    """Write differences of moments as Spark counts them; the types must be known."""
    for node in list(tree.find_all(exp.DateDiff, exp.TsOrDsDiff)):
        if node.args.get("unit") and (node.args.get("date_part_boundary") or dialect in _BORDERS):
            node.replace(_borders(node))
    for difference in list(tree.find_all(exp.Sub)):
        dates = [side.is_type(exp.DType.DATE) for side in (difference.this, difference.expression)]
        if dialect in _DAYS and all(dates):
            difference.replace(_days(difference.this, difference.expression))


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
