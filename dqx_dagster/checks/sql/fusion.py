"""A query over its own table → aggregates of the shared pass, where it is made of nothing else.

The meaning stays that of the query: its condition goes into every aggregate, `SUM(x) … WHERE p` is
`SUM(CASE WHEN p THEN x END)`. Rows where the condition is NULL are left out either way, and the sum
of nothing stays NULL. Counts become the same aggregates that other rules have, and are shared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from dqx_dagster.checks.sql.guard import TABLE
from dqx_dagster.checks.sql.write import is_aggregate, spark_name, spark_sql
from dqx_dagster.metrics.metric import (
    Aggregate,
    Arithmetic,
    Combined,
    Function,
    Metric,
    count_set,
)
from dqx_dagster.metrics.predicate import ALWAYS, IsSet, Predicate, every
from dqx_dagster.metrics.value import Column, Row, SqlText

_FUSED: Final = frozenset(
    """
    avg bool_and bool_or count count_if every max mean min some std stddev stddev_pop stddev_samp
    sum try_avg try_sum var_pop var_samp variance
    """.split()  # noqa: SIM905 - a long list is easier to read without quotes
)
"""What Spark computes in generated code, side by side with counts."""

_ORDERED: Final = (*exp.DataType.NUMERIC_TYPES, *exp.DataType.TEMPORAL_TYPES)
_CLAUSES: Final = {
    "with_": "it has a WITH",
    "joins": "it joins tables",
    "group": "it has a GROUP BY",
    "having": "it has a HAVING",
    "qualify": "it has a QUALIFY",
    "distinct": "it has a SELECT DISTINCT",
    "offset": "it has an OFFSET",
}


class Unfused(Exception):  # noqa: N818 - not an error: the query runs by itself
    """Why a query cannot join the shared pass."""


@dataclass(frozen=True, slots=True)
class _Pass:
    """A query that reads just its own table, row by row."""

    select: exp.Select
    condition: exp.Expr | None


def fuse(query: exp.Expr, *, counted: bool) -> Metric:
    """The query as a metric of the shared pass; `counted` asks for the number of its rows.

    Raises `Unfused` with the reason where it must run by itself.
    """
    found = _pass(query, counted=counted)
    if counted:
        return _count(found.condition)
    result = found.select.selects[0].unalias()
    if (metric := _counts(result, found.condition)) is not None:
        return metric
    value = _text(_conditioned(result, found.condition))
    return Aggregate(Function.SQL, value, _predicate(found.condition))


def _pass(query: exp.Expr, *, counted: bool) -> _Pass:
    if not isinstance(query, exp.Select):
        raise Unfused("it is more than one SELECT")
    for part, why in _CLAUSES.items():
        if query.args.get(part):
            raise Unfused(why)
    if counted and query.args.get("limit"):
        raise Unfused("it has a LIMIT")
    first = query.args.get("from_")
    if first is None:
        raise Unfused("it reads no table")
    if not isinstance(first.this, exp.Table):
        raise Unfused("it reads from a subquery")
    if first.this.name != TABLE.format(0):
        raise Unfused("it reads another table")
    if any(node is not query for node in query.find_all(exp.Query)):
        raise Unfused("it has a subquery")
    if query.find(exp.Window):
        raise Unfused("it has a window function")
    where = query.args.get("where")
    return _Pass(query, where.this if where else None)


def _counts(result: exp.Expr, condition: exp.Expr | None) -> Metric | None:
    """The metric of a result that only counts; None for any other."""
    match result:
        case exp.Paren():
            return _counts(result.this, condition)
        case exp.Sub():
            left = _counts(result.this, condition)
            right = _counts(result.expression, condition)
            if left is None or right is None:
                return None
            return Combined(Arithmetic.MINUS, left, right)
        case exp.Filter():
            return _counts(result.this, _both(condition, result.expression.this))
        case exp.CountIf():
            return _count(_both(condition, result.this))
        case exp.Count() if result.expressions:
            return None
        case exp.Count(this=exp.Distinct() as distinct):
            return _distinct(distinct.expressions, condition)
        case exp.Count():
            value = result.this
            if isinstance(value, exp.Star | exp.Literal):
                return _count(condition)
            if condition is None and isinstance(value, exp.Column):
                return count_set(Column((value.name,)))
            return _count(_both(condition, _is_set(value)))
        case _:
            return None


def _count(condition: exp.Expr | None) -> Aggregate:
    return Aggregate(Function.COUNT, where=_predicate(condition))


def _predicate(condition: exp.Expr | None) -> Predicate:
    return ALWAYS if condition is None else _text(condition)


def _distinct(values: list[exp.Expr], condition: exp.Expr | None) -> Aggregate:
    """Different values, or keys, in rows where none of them is NULL."""
    if not values or not all(isinstance(value, exp.Column) for value in values):
        raise Unfused("it counts different values of an expression")
    columns = tuple(Column((value.name,)) for value in values)
    where = [] if condition is None else [_predicate(condition)]
    if len(columns) == 1:
        return Aggregate(Function.DISTINCT, columns[0], every(*where) if where else ALWAYS)
    return Aggregate(Function.DISTINCT, Row(columns), every(*map(IsSet, columns), *where))


def _conditioned(result: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    """The result with the condition inside each of its aggregates."""
    root = exp.paren(result, copy=True)
    aggregates: list[exp.Expr] = [f for f in root.find_all(exp.Func) if is_aggregate(f)]
    if not aggregates:
        raise Unfused("its result is not made of aggregates")
    for node in aggregates:
        _check(node)
    for node in aggregates:
        outer, own = node, condition
        if isinstance(node.parent, exp.Filter):
            outer, own = node.parent, _both(condition, node.parent.expression.this)
        if own is not None:
            _put_in(node, own)
        outer.replace(node)
    outside = (c for c in root.find_all(exp.Column) if not _is_inside(c, aggregates))
    if next(outside, None):
        raise Unfused("its result is not made of aggregates only")
    return root.unnest()


def _check(node: exp.Expr) -> None:
    name = spark_name(node)
    if name not in _FUSED:
        raise Unfused(f"{name} is measured by itself")
    if node.find(exp.Distinct):
        raise Unfused(f"{name} of different values is measured by itself")
    if len(node.expressions) > (0 if isinstance(node, exp.AggFunc) else 1):
        raise Unfused(f"{name} has more than one argument")
    if any(is_aggregate(inner) for inner in node.find_all(exp.Func) if inner is not node):
        raise Unfused("an aggregate stands inside another")
    if name in ("min", "max") and not (node.this.type and node.this.type.this in _ORDERED):
        text = f"what {name} is asked of may be a text, which would slow down the shared pass"
        raise Unfused(text)


def _put_in(node: exp.Expr, condition: exp.Expr) -> None:
    """The condition around the argument of an aggregate."""
    value = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
    one = isinstance(value, exp.Star)
    then = exp.Literal.number(1) if one else value.copy()
    case = exp.Case(ifs=[exp.If(this=condition.copy(), true=then)])
    if isinstance(node, exp.Anonymous):
        node.set("expressions", [case])
    else:
        node.set("this", case)


def _is_inside(column: exp.Column, aggregates: list[exp.Expr]) -> bool:
    above = column.parent
    while above is not None:
        if any(above is node for node in aggregates):
            return True
        above = above.parent
    return False


def _both(left: exp.Expr | None, right: exp.Expr) -> exp.Expr:
    return right if left is None else exp.and_(left.copy(), right.copy())


def _is_set(value: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Is(this=exp.paren(value, copy=True), expression=exp.Null()))


def _text(expression: exp.Expr) -> SqlText:
    """The expression without the name of its table, of which there is just one."""
    alone = expression.copy()
    names = []
    for column in alone.find_all(exp.Column):
        column.set("table", None)
        names.append(column.name)
    return SqlText(spark_sql(alone), tuple(Column((name,)) for name in dict.fromkeys(names)))
