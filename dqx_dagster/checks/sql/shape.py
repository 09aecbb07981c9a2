"""What a query gives: one value, or rows to be counted. Told from its form, never from the data.

A query of rows that happens to find just one must not be taken for its value: `SELECT amount …`
that finds one amount of 0 would then mean that nothing was found.

>>> from sqlglot import parse_one
>>> gives_one_row(parse_one("SELECT MAX(a) FROM t")), gives_one_row(parse_one("SELECT a FROM t"))
(True, False)
"""

from __future__ import annotations

from sqlglot import exp

from dqx_dagster.checks.sql.source import SqlError
from dqx_dagster.checks.sql.write import is_aggregate


def as_value(query: exp.Query) -> tuple[exp.Query, bool]:
    """A query for one value: the author's own, or one that counts its rows (then True)."""
    if not gives_one_row(query):
        rows = _unordered(query).subquery("rows")
        return exp.select(exp.Count(this=exp.Star())).from_(rows), True
    if len(query.selects) != 1 or query.is_star:
        text = "it gives one row, so it must select one value: the one that is judged"
        raise SqlError(text, node=query)
    return query, False


def _unordered(query: exp.Query) -> exp.Query:
    """Without an order that changes nothing: it does where a limit follows it."""
    if query.args.get("order") and not query.args.get("limit") and not query.args.get("offset"):
        query.set("order", None)
    return query


def gives_one_row(query: exp.Expr) -> bool:
    """Whether it has exactly one row, whatever the tables hold."""
    if isinstance(query, exp.Subquery):
        return _keeps_rows(query) and gives_one_row(query.this)
    if not isinstance(query, exp.Select) or not _keeps_rows(query):
        return False
    if any(query.args.get(part) for part in ("group", "having", "qualify")):
        return False
    return _aggregates(query) or (not query.args.get("where") and _sources_give_one_row(query))


def _keeps_rows(query: exp.Expr) -> bool:
    limit = query.args.get("limit")
    count = limit.expression if isinstance(limit, exp.Limit) else None
    positive = limit is None or (isinstance(count, exp.Literal) and count.name != "0")
    return positive and not query.args.get("offset")


def _aggregates(select: exp.Select) -> bool:
    """Whether all rows become one; an aggregate over a window, or in a subquery, does not do it."""
    found = (node for item in select.expressions for node in item.find_all(exp.Func))
    return any(
        node.find_ancestor(exp.Select) is select
        and not isinstance(_outside(node), exp.Window)
        and is_aggregate(node)
        for node in found
    )


def _outside(node: exp.Expr) -> exp.Expr | None:
    """What an aggregate stands in, besides its own clauses."""
    above = node.parent
    while isinstance(above, exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls):
        above = above.parent
    return above


def _sources_give_one_row(select: exp.Select) -> bool:
    """No table at all, or only queries of one row, side by side."""
    first, joins = select.args.get("from_"), select.args.get("joins") or []
    if any(join.args.get("on") or join.args.get("using") for join in joins):
        return False
    sources = [*([first.this] if first else []), *(join.this for join in joins)]
    return all(_source_gives_one_row(source) for source in sources)


def _source_gives_one_row(source: exp.Expr) -> bool:
    if isinstance(source, exp.Table):
        ctes = (cte for cte in source.root().find_all(exp.CTE) if cte.alias == source.name)
        found = next(ctes, None)
        return found is not None and gives_one_row(found.this)
    return isinstance(source, exp.Subquery) and gives_one_row(source)
