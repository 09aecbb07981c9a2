"""The allow-list of nodes: which kinds of SQL a tree may be made of.

Used twice: on the author's tree, so that an error can point at the words that are not allowed, and
on the text that was written for Spark, parsed again, so that nothing rests on how it was written.

>>> check_spark("SELECT COUNT(*) FROM `dqx_t0` WHERE `a` > 0")
>>> check_spark("SELECT COUNT(*) FROM `parquet`.`/etc`")
Traceback (most recent call last):
dqx_dagster.checks.sql.source.SqlError: it reads `parquet`.`/etc`, which is not allowed
"""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from dqx_dagster.checks.sql.sizes import check_sizes
from dqx_dagster.checks.sql.source import SPARK, SqlError, parse_as
from dqx_dagster.checks.sql.tokens import refused
from dqx_dagster.checks.sql.words import CLOCK, FUNCTIONS

TABLE = "dqx_t{}"
CTE = "dqx_c{}"
"""What tables and common table expressions are called in the text for Spark."""

_RELATION: Final = re.compile(r"dqx_[tc][0-9]+")

_QUERIES: Final = """
    Select From Where Group Having Order Ordered Limit Offset Fetch Join With CTE Subquery Table
    TableAlias Alias Union Intersect Except Distinct Qualify Values Tuple
"""
_EXPRESSIONS: Final = """
    Column Identifier Star Literal Boolean Null Paren Add Sub Mul Div IntDiv Mod Neg DPipe
    BitwiseAnd BitwiseOr BitwiseXor BitwiseNot EQ NEQ GT GTE LT LTE NullSafeEQ NullSafeNEQ Is In
    Between Like ILike Escape Not Dot Bracket AtTimeZone DataType DataTypeParam Interval
    IntervalSpan Var RawString Window WindowSpec Filter WithinGroup IgnoreNulls RespectNulls
    JSONPath JSONPathRoot JSONPathKey JSONPathSubscript
"""
NODES: Final = frozenset(f"{_QUERIES} {_EXPRESSIONS}".split())
"""Kinds of nodes besides functions, whose names are checked when they are written for Spark."""

_CALLED: Final = {
    "ByteString": "a text like E'…' or b'…'",
    "Command": "a command",
    "Hint": "a hint",
    "Into": "SELECT … INTO",
    "Lambda": "a lambda function",
    "Lateral": "LATERAL",
    "Lock": "FOR UPDATE",
    "Parameter": "a variable",
    "Pivot": "PIVOT",
    "Placeholder": "a parameter",
    "QueryTransform": "TRANSFORM",
    "SessionParameter": "a variable",
    "TableSample": "TABLESAMPLE",
    "Version": "time travel",
}
"""How kinds of nodes are called in a message, where their own name says little."""

_BOUNDED: Final = frozenset({"with_", "order", "limit", "offset"})
_PARTS: Final[dict[str, frozenset[str]]] = {
    "Select": _BOUNDED
    | {"expressions", "distinct", "from_", "joins", "where", "group", "having", "qualify"},
    "Union": _BOUNDED | {"this", "expression", "distinct"},
    "Intersect": _BOUNDED | {"this", "expression", "distinct"},
    "Except": _BOUNDED | {"this", "expression", "distinct"},
    "Subquery": _BOUNDED | {"this", "alias"},
    "Table": frozenset({"this", "alias", "db", "catalog"}),
    "TableAlias": frozenset({"this", "columns"}),
    "With": frozenset({"expressions"}),
    "CTE": frozenset({"this", "alias"}),
    "Join": frozenset({"this", "side", "kind", "on", "using"}),
    "Group": frozenset({"expressions"}),
    "Ordered": frozenset({"this", "desc", "nulls_first"}),
    "Limit": frozenset({"expression"}),
    "Distinct": frozenset({"expressions"}),
    "Values": frozenset({"expressions", "alias"}),
    "Column": frozenset({"this", "table", "db", "catalog"}),
    "Star": frozenset(),
    "In": frozenset({"this", "expressions", "query"}),
    "Window": frozenset({"this", "partition_by", "order", "spec", "over"}),
}
"""Parts that a node may have. Nodes of other kinds are what all their parts are."""


def check_tree(tree: exp.Expr) -> None:
    """Refuse a tree that is not one query, or holds a node that is not on the list."""
    if not isinstance(tree, exp.Select | exp.SetOperation | exp.Subquery):
        raise SqlError(f"only SELECT is allowed, not {_called(tree)}", "sql-refused")
    for node in tree.walk():
        name = type(node).__name__
        if name not in NODES and not isinstance(node, exp.Func):
            raise _refusal(node, _called(node))
        for part in set(node.args) - _PARTS.get(name, frozenset(node.args)):
            if value := node.args[part]:
                first = value[0] if isinstance(value, list) else value
                if isinstance(first, exp.Expr):
                    raise _refusal(first, _called(first))
                raise _refusal(node, part.strip("_").replace("_", " ").upper())


def _refusal(node: exp.Expr, what: str) -> SqlError:
    return SqlError(f"{what} is not allowed", "sql-refused", node=node)


def _called(node: exp.Expr) -> str:
    name = type(node).__name__
    return _CALLED.get(name) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).upper()


def check_spark(text: str) -> None:
    """Refuse a text for Spark that holds anything that is not on the lists."""
    if word := refused(text):
        raise SqlError(f"'{word}' is not allowed", "sql-refused")
    tree = parse_as(SPARK, text).tree
    check_tree(tree)
    check_sizes(tree)
    for call in tree.find_all(exp.Anonymous):
        if call.name.lower() not in FUNCTIONS | CLOCK:
            raise SqlError(f"the function {call.name} is not allowed", "sql-refused")
    for table in tree.find_all(exp.Table):
        plain = isinstance(table.this, exp.Identifier) and not table.args.get("db")
        if not plain or not _RELATION.fullmatch(table.name):
            written = table.sql(SPARK, identify=True)
            raise SqlError(f"it reads {written}, which is not allowed", "sql-refused")


def check_expression(text: str) -> None:
    """The same for an expression over the table."""
    check_spark(f"SELECT {text} FROM `{TABLE.format(0)}`")  # noqa: S608 - parsed, never run
