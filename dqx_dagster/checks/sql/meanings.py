"""What other dialects write as Spark does and mean otherwise → what means the same in Spark.

`CAST(1.5 AS INT)` is 2 in Postgres and 1 in Spark, `LOG(100)` is 2 there and 4.6 here. The parser
translates names, not such differences, and each would be a wrong number instead of an error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from sqlglot import exp

from dqx_dagster.checks.sql.source import SPARKS, SqlError

Rewrite: TypeAlias = Callable[[Any, str], exp.Expr | None]
"""A node and its dialect → what to put in its place, or None to keep it."""

_ROUNDING: Final = frozenset(
    """
    athena bigquery duckdb mysql oracle postgres presto redshift snowflake trino
    """.split()  # noqa: SIM905 - a long list is easier to read without quotes
)
"""Where a cast to a whole number rounds; Spark cuts off."""

_CUTTING: Final = frozenset(
    """
    athena mysql oracle postgres presto redshift snowflake teradata trino tsql
    """.split()  # noqa: SIM905 - a long list is easier to read without quotes
)
"""Where a cast to a text of some length cuts it; Spark takes no notice of the length."""

_DECIMALS: Final = {
    **dict.fromkeys(("oracle", "postgres", "sqlite"), (38, 18)),
    **dict.fromkeys(("redshift", "tsql"), (18, 0)),
    **dict.fromkeys(("athena", "presto", "trino"), (38, 0)),
    "bigquery": (38, 9),
}
"""A DECIMAL or NUMERIC without a size; in Spark it has no digits behind the point."""

_NO_TIME: Final = "a time of day would become a timestamp; compare its hour and minute"
_LOG10: Final = ("duckdb", "postgres", "redshift", "sqlite", "teradata")
_FROM_ONE: Final = ("duckdb", "postgres", "redshift", "tsql")
_INSTANTS: Final = ("duckdb", "postgres")


def resolve_meanings(tree: exp.Expr, dialect: str) -> None:
    """Write in the tree what Spark would mean otherwise; the types must be known."""
    for node in reversed(list(tree.walk())):
        rewrite = _REWRITES.get(type(node))
        new = rewrite(node, dialect) if rewrite else None
        if new is not None:
            new.type = node.type
            node.replace(new)


def _cast(node: exp.Cast, dialect: str) -> exp.Expr | None:
    to = node.to
    if to.is_type(exp.DType.TIME, exp.DType.TIMETZ):
        raise SqlError(_NO_TIME, node=node)
    if dialect in SPARKS:
        return None
    if to.is_type(exp.DType.DECIMAL) and not to.expressions and dialect in _DECIMALS:
        sizes = map(exp.Literal.number, _DECIMALS[dialect])
        to.set("expressions", [exp.DataTypeParam(this=size) for size in sizes])
    is_rounded = dialect in _ROUNDING and to.is_type(*exp.DataType.INTEGER_TYPES)
    if is_rounded and node.this.is_type(*exp.DataType.REAL_TYPES):
        node.set("this", exp.Round(this=node.this))
    return _cut(node, to, dialect)


def _convert(node: exp.Convert, dialect: str) -> exp.Expr | None:
    to = node.this
    if isinstance(to, exp.DataType) and to.is_type(exp.DType.TIME):
        raise SqlError(_NO_TIME, node=node)
    return _cut(node, to, dialect)


def _cut(node: exp.Expr, to: exp.DataType, dialect: str) -> exp.Expr | None:
    """Only so many characters."""
    if dialect not in _CUTTING or not to.is_type(*exp.DataType.TEXT_TYPES) or not to.expressions:
        return None
    size = to.expressions[0].this.copy()
    to.replace(exp.DataType.build("text"))
    return exp.Left(this=node.copy(), expression=size)


def _log(node: exp.Log, dialect: str) -> exp.Expr | None:
    if node.expression or dialect not in _LOG10:
        return None
    return exp.Log(this=exp.Literal.number(10), expression=node.this.copy())


def _extreme(node: exp.Greatest | exp.Least, dialect: str) -> exp.Expr | None:
    """NULL where one of the values is; Spark leaves that out."""
    if node.args.get("ignore_nulls") and dialect != "oracle":
        return None
    are_set = [_is_set(value) for value in (node.this, *node.expressions)]
    return exp.case().when(exp.and_(*are_set), node.copy())


def _is_set(value: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Is(this=exp.paren(value, copy=True), expression=exp.Null()))


def _length(node: exp.Length, dialect: str) -> exp.Expr | None:
    if dialect == "mysql" and node.args.get("binary"):
        return exp.Anonymous(this="OCTET_LENGTH", expressions=[node.this.copy()])
    if dialect == "tsql":
        return exp.Length(this=exp.Trim(this=node.this.copy(), position="TRAILING"))
    return None


def _sum(node: exp.Add, dialect: str) -> exp.Expr | None:
    sides = (node.this, node.expression)
    if dialect != "tsql" or not all(side.is_type(*exp.DataType.TEXT_TYPES) for side in sides):
        return None
    return exp.DPipe(this=node.this.copy(), expression=node.expression.copy(), safe=True)


def _percentile(node: exp.WithinGroup, dialect: str) -> exp.Expr | None:  # noqa: ARG001
    """The exact one: sqlglot writes an approximate one, and forgets the order."""
    names = {exp.PercentileCont: "PERCENTILE_CONT", exp.PercentileDisc: "PERCENTILE_DISC"}
    name = names.get(type(node.this))
    if name is None:
        return None
    for ordered in node.expression.expressions:
        ordered.set(
            "nulls_first", not ordered.args.get("desc")
        )  # as Spark has it: NULL is left out
    call = exp.Anonymous(this=name, expressions=[node.this.this.copy()])
    return exp.WithinGroup(this=call, expression=node.expression.copy())


def _part_of_text(node: exp.Substring | exp.Left | exp.Right, dialect: str) -> exp.Expr | None:
    at = node.args.get("start") or node.expression
    if isinstance(at, exp.Literal) and at.is_string:
        raise SqlError("SUBSTRING with a pattern is not allowed; write REGEXP_SUBSTR", node=node)
    is_substring = isinstance(node, exp.Substring)
    from_end = isinstance(at, exp.Neg) and not (is_substring and dialect == "duckdb")
    below = from_end or (is_substring and at.name == "0")
    if below and dialect in _FROM_ONE:
        text = f"Spark counts {at.sql()} otherwise in {node.sql_name()}; positions begin at 1"
        raise SqlError(text, node=node)
    return None


def _at_time_zone(node: exp.AtTimeZone, dialect: str) -> exp.Expr | None:
    """What the clocks show there, whatever the zone of the session."""
    if dialect not in _INSTANTS or isinstance(node.this, exp.ConvertTimezone):
        text = "AT TIME ZONE is not allowed here; write convert_timezone(from, to, timestamp)"
        raise SqlError(text, node=node)
    shown = exp.cast(node.this.copy(), exp.DType.TIMESTAMPNTZ)
    return exp.ConvertTimezone(target_tz=node.args["zone"].copy(), timestamp=shown)


def _count(node: exp.Count, dialect: str) -> exp.Expr | None:  # noqa: ARG001
    if isinstance(node.this, exp.Column) and node.this.is_star:
        text = f"{node.sql()} counts rows without any NULL in Spark; write COUNT(*)"
        raise SqlError(text, node=node)
    return None


def _json(node: exp.ParseJSON, dialect: str) -> exp.Expr | None:  # noqa: ARG001
    if isinstance(node.parent, exp.JSONExtract | exp.JSONExtractScalar):
        return None  # which reads texts
    text = "PARSE_JSON is not allowed: sqlglot would leave it out; write get_json_object"
    raise SqlError(text, node=node)


def _date(node: exp.TsOrDsToDate, dialect: str) -> exp.Expr | None:  # noqa: ARG001
    """NULL where a text is no date; TO_DATE is an error with ANSI."""
    if not node.args.get("safe") or node.args.get("format"):
        return None
    return exp.TryCast(this=node.this.copy(), to=exp.DataType.build("date"), safe=True)


_REWRITES: Final[dict[type[exp.Expr], Rewrite]] = {
    exp.Add: _sum,
    exp.AtTimeZone: _at_time_zone,
    exp.Cast: _cast,
    exp.Convert: _convert,
    exp.Count: _count,
    exp.Greatest: _extreme,
    exp.Least: _extreme,
    exp.Left: _part_of_text,
    exp.Length: _length,
    exp.Log: _log,
    exp.ParseJSON: _json,
    exp.Right: _part_of_text,
    exp.Substring: _part_of_text,
    exp.TryCast: _cast,
    exp.TsOrDsToDate: _date,
    exp.WithinGroup: _percentile,
}
