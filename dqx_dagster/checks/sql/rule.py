"""A rule of `type: sql` → the claim that it makes.

The result of its query is one number, truth or moment, judged by the operator; without one, a truth
must be true and everything else is recorded. The rows of a query that gives rows are counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlglot import exp
from sqlglot.errors import SqlglotError

from dqx_dagster.checks.rule import Claim
from dqx_dagster.checks.sql.columns import resolve_columns
from dqx_dagster.checks.sql.fusion import Unfused, fuse
from dqx_dagster.checks.sql.guard import check_expression, check_spark, check_tree
from dqx_dagster.checks.sql.meanings import resolve_meanings
from dqx_dagster.checks.sql.moments import resolve_moments
from dqx_dagster.checks.sql.patterns import resolve_patterns
from dqx_dagster.checks.sql.shape import as_value
from dqx_dagster.checks.sql.source import SERVERS, SPARK, Source, SqlError, line_and_column, parse
from dqx_dagster.checks.sql.tables import resolve_tables
from dqx_dagster.checks.sql.write import add_types, check_functions, spark_name, spark_sql
from dqx_dagster.checks.threshold import ODCS_OPERATORS, TRUE, Threshold, ThresholdError, threshold
from dqx_dagster.checks.vocabulary import Unit
from dqx_dagster.contract.model import Argument, Contract, Quality
from dqx_dagster.errors import Origin, Report, did_you_mean
from dqx_dagster.metrics.metric import (
    ROWS,
    Aggregate,
    Arithmetic,
    Combined,
    Function,
    Metric,
    SqlQuery,
    leaves,
)
from dqx_dagster.metrics.predicate import And
from dqx_dagster.metrics.value import SqlText

DIALECT = "sqlDialect"
"""The custom property that names the dialect of a contract's queries."""

_FOUND = "are found by the query"
_TRUTHS = ("every", "some")  # sqlglot does not know their type
_BUGS = (
    *(SqlglotError, AssertionError, AttributeError, LookupError, RecursionError),
    *(TypeError, ValueError),
)
"""What a parser may raise on texts that nobody has tried it with."""


@dataclass(frozen=True, slots=True)
class _Query:
    """What a query measures."""

    metric: Metric
    of_rows: bool = False  # it gives rows, which are counted
    is_count: bool = False  # it is a number of rows
    is_truth: bool = False


def sql_claim(quality: Quality, contract: Contract, report: Report) -> Claim | None:
    """What the rule claims; None where its query cannot be used, and the report says why."""
    written = quality.arguments["query"]
    source: Source | None = None
    try:
        source = parse(str(written.value), _dialect(quality, contract, report))
        query = _measured(source, contract, quality.column)
        _note_reading(quality, contract, source, report)
    except SqlError as error:
        at = error.at
        if at is None and source is not None and error.node is not None:
            at = source.place(error.node)
        text = f"{quality.label}: {error.text}"
        report.error(_place(written, at), error.code, text)
        return None
    except _BUGS as error:
        text = f"{quality.label}: its query cannot be read ({type(error).__name__})"
        report.error(written.origin, "sql", text)
        return None
    return _claim(quality, query, report)


def _dialect(quality: Quality, contract: Contract, report: Report) -> str | None:
    dialects = _dialects(contract)
    if len(dialects) > 1:
        text = f"{quality.label}: its servers speak {' and '.join(dialects)}; it is read as "
        text += f"{dialects[0]}, unless the custom property {DIALECT} says otherwise"
        report.note(quality.arguments["query"].origin, "sql-dialect", text)
    return dialects[0] if dialects else None


def _dialects(contract: Contract) -> list[str]:
    """The dialect that the contract names, else those of its servers."""
    named = contract.custom.get(DIALECT)
    if named is None:
        types = (SERVERS.get(str(server.get("type")).lower()) for server in contract.servers)
        return list(dict.fromkeys(dialect for dialect in types if dialect))
    found = SERVERS.get(str(named).lower())
    if found is None:
        hint = did_you_mean(str(named).lower(), SERVERS) or f"; known are {', '.join(SERVERS)}"
        raise SqlError(f"{DIALECT} '{named}' is not known{hint}", "sql-dialect")
    return [found]


def _note_reading(quality: Quality, contract: Contract, source: Source, report: Report) -> None:
    if source.dialect != SPARK and not _dialects(contract):
        text = f"{quality.label}: it is read as Postgres, because it is not Spark SQL; "
        text += f"a server, or the custom property {DIALECT}, says what it is"
        report.note(quality.arguments["query"].origin, "sql-dialect", text)


def _place(written: Argument, at: int | None) -> Origin:
    """Where in the file a part of the query stands, if it is written line by line."""
    if at is None or written.block is None:
        return written.origin
    line, column = line_and_column(str(written.value), at)
    first, indent = written.block
    return replace(written.origin, line=first + line, column=indent + column)


def _measured(source: Source, contract: Contract, column: tuple[str, ...] | None) -> _Query:
    """The query as a metric; raises `SqlError` where it is not allowed."""
    tree = source.tree
    check_tree(tree)
    tree = _unwrapped(tree)
    tables = resolve_tables(tree, contract)
    resolve_columns(tree, tables, column)
    resolve_patterns(tree, source.dialect)
    add_types(tree, tables, source.dialect)
    resolve_moments(tree, source.dialect)
    resolve_meanings(tree, source.dialect)
    check_functions(tree, source)
    value, of_rows = as_value(tree)
    text = spark_sql(value)
    check_spark(text)
    metric: Metric
    try:
        metric = fuse(tree, counted=of_rows)
    except Unfused as why:
        metric = SqlQuery(text, tables.others, str(why))
    for expression in _expressions(metric):
        check_expression(expression.text)
    if of_rows:
        return _Query(metric, of_rows=True, is_count=True)
    result = tree.selects[0].unalias().unnest()
    counted = result.this if isinstance(result, exp.Filter) else result
    is_count = isinstance(counted, exp.Count | exp.CountIf)
    return _Query(metric, is_count=is_count, is_truth=_is_truth(result))


def _is_truth(result: exp.Expr) -> bool:
    inner = result.unalias().unnest()
    if isinstance(inner, exp.Query):
        return _is_truth(inner.selects[0])
    return inner.is_type(exp.DType.BOOLEAN) or spark_name(inner) in _TRUTHS


def _expressions(metric: Metric) -> Iterator[SqlText]:
    """What of a metric is SQL in the shared pass."""
    for leaf in leaves(metric):
        for part in (leaf.of, leaf.where) if isinstance(leaf, Aggregate) else ():
            if isinstance(part, And):
                yield from (each for each in part.of if isinstance(each, SqlText))
            elif isinstance(part, SqlText):
                yield part


def _unwrapped(tree: exp.Expr) -> exp.Query:
    """The query without parentheses around the whole of it."""
    while isinstance(tree, exp.Subquery) and set(tree.args) - {"this"} <= _empty(tree):
        tree = tree.this.pop()
    assert isinstance(tree, exp.Query)
    return tree


def _empty(tree: exp.Expr) -> set[str]:
    return {part for part, value in tree.args.items() if not value}


def _claim(quality: Quality, query: _Query, report: Report) -> Claim | None:
    metric = query.metric
    try:
        limit, unit = _threshold(quality, query)
    except ThresholdError as error:
        origin = next(a.origin for k, a in quality.arguments.items() if k in ODCS_OPERATORS)
        report.error(origin, "threshold", f"{quality.label}: {error}")
        return None
    if query.is_count and _is_percent(quality):
        share = Combined(Arithmetic.PERCENT, metric, ROWS)
        return Claim(share, limit, _FOUND, Unit.PERCENT, counted=metric)
    if isinstance(metric, Aggregate) and metric.function is Function.COUNT and metric != ROWS:
        found = metric.where
        return Claim(metric, limit, _FOUND, Unit.ROWS, counted=metric, violation=found)
    says = "number of rows that the query finds" if query.of_rows else "result of the query"
    return Claim(metric, limit, says, unit)


def _threshold(quality: Quality, query: _Query) -> tuple[Threshold | None, Unit]:
    """What is allowed; `mustBe: true` is 1, and what a truth must be without an operator."""
    given = [(key, a.value) for key, a in quality.arguments.items() if key in ODCS_OPERATORS]
    if len(given) > 1:
        raise ThresholdError(f"more than one operator: {', '.join(key for key, _ in given)}")
    if not given:
        return (TRUE, Unit.TRUTH) if query.is_truth else (None, Unit.VALUE)
    key, value = given[0]
    if isinstance(value, bool) and key in ("mustBe", "mustNotBe"):
        return threshold("mustBe", int(value is (key == "mustBe"))), Unit.TRUTH
    return threshold(key, value), Unit.VALUE


def _is_percent(quality: Quality) -> bool:
    return quality.unit is not None and str(quality.unit.value).strip().lower() in ("percent", "%")
