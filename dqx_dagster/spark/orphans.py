"""Keys that another table lacks: one anti-join for each relationship, over the key columns alone.

Where two columns of different types meet, Spark casts both to a third one, and that may round: 2^53
and 2^53 + 1 are the same double. Here the other table's keys come into the type of ours, and those
that do not fit exactly are left out, as nothing can equal them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql import types as T  # noqa: N812

from dqx_dagster.metrics.metric import Orphans
from dqx_dagster.metrics.value import Column
from dqx_dagster.spark.binding import Binding, Bound, Refusal
from dqx_dagster.spark.literals import FLOATS, INTEGERS, TEXTS, is_number
from dqx_dagster.spark.query import Query, Subject
from dqx_dagster.spark.tables import Tables

Bind: TypeAlias = Callable[[Column], Bound]
Forms: TypeAlias = tuple[str, str]
"""How a column of ours and one of theirs are compared, in SQL; `{}` stands for the column."""


def orphans_query(leaf: Orphans, subject: Subject, tables: Tables) -> Query:
    """The number of rows whose key has no match."""

    def build() -> DataFrame:
        rows = orphans(leaf, subject.table, subject.compiler.bind, tables)
        return rows.agg(F.count(F.lit(1)))

    return Query((leaf,), build, lambda rows: {leaf: int(rows[0][0])})


def orphans(
    leaf: Orphans, table: DataFrame, bind: Bind, tables: Tables, *beside: SparkColumn
) -> DataFrame:
    """The rows whose key has no match: their keys, and what is wanted beside them."""
    other = table if leaf.table is None else tables[leaf.table]
    ours, theirs = [bind(column) for column in leaf.columns], _bound(leaf, other)
    forms = [_forms(*pair) for pair in zip(ours, theirs, strict=True)]
    rows = _keys(table, ours, [form for form, _ in forms], "k", *beside)
    keys = _keys(other, theirs, [form for _, form in forms], "o")
    equal = [F.col(f"k{place}") == F.col(f"o{place}") for place in range(len(forms))]
    return rows.join(keys, equal, "left_anti")


def with_match(
    leaf: Orphans, table: DataFrame, ours: Sequence[Bound], tables: Tables, name: str
) -> DataFrame:
    """The table with one column more: true where the key has a match, else NULL."""
    other = table if leaf.table is None else tables[leaf.table]
    theirs = _bound(leaf, other)
    forms = [_forms(*pair) for pair in zip(ours, theirs, strict=True)]
    own = [f"{name}_k{place}" for place in range(len(forms))]
    found = [f"{name}_o{place}" for place in range(len(forms))]
    rows = table.withColumns({k: bound.column for k, bound in zip(own, ours, strict=True)})
    pairs = zip(own, forms, strict=True)
    rows = rows.withColumns({k: F.expr(form.format(f"`{k}`")) for k, (form, _) in pairs})
    keys = _keys(other, theirs, [form for _, form in forms], "o").distinct().toDF(*found)
    equal = [F.col(k) == F.col(o) for k, o in zip(own, found, strict=True)]
    joined = rows.join(keys.withColumn(name, F.lit(True)), equal, "left")
    return joined.drop(*own, *found)


def _bound(leaf: Orphans, other: DataFrame) -> list[Bound]:
    """The columns of the other table."""
    binding = Binding.of(other)
    try:
        return [binding.bind(key) for key in leaf.keys]
    except Refusal as refusal:
        raise Refusal(f"{leaf.table}: {refusal}" if leaf.table else str(refusal)) from None


def _keys(
    table: DataFrame,
    columns: Sequence[Bound],
    forms: Sequence[str],
    letter: str,
    *beside: SparkColumn,
) -> DataFrame:
    """The complete keys of a table, as columns k0, k1 and so on, and others as b0, b1 and so on."""
    names = [f"{letter}{place}" for place in range(len(columns))]
    more = [f"b{place}" for place in range(len(beside))]
    wanted = zip((*(c.column for c in columns), *beside), (*names, *more), strict=True)
    keys = table.select(*(column.alias(name) for column, name in wanted))
    for name in names:
        keys = keys.where(F.col(name).isNotNull())
    pairs = zip(forms, names, strict=True)
    return keys.selectExpr(*(f"{form.format(name)} AS {name}" for form, name in pairs), *more)


def _forms(ours: Bound, theirs: Bound) -> Forms:
    """How two columns are compared; raises `Refusal` where equal values cannot be told."""
    left, right = ours.type, theirs.type
    if isinstance(left, TEXTS) and isinstance(right, TEXTS) and _order(left) == _order(right):
        return _unpadded(ours), _unpadded(theirs)
    if left == right and _is_comparable(left):
        return "{}", "{}"
    if is_number(left) and is_number(right):
        for kind, name in ((INTEGERS, "bigint"), (FLOATS, "double")):
            if isinstance(left, kind) and isinstance(right, kind):
                return f"CAST({{}} AS {name})", f"CAST({{}} AS {name})"
        if not _is_mixed(left, right):
            return _fitted(_exact(left, right), _exact(right, left))
    kinds = f"{left.simpleString()} and {right.simpleString()}"
    raise Refusal(f"the two sides are {kinds}: their values cannot be compared exactly")


def _order(type_: T.DataType) -> str:
    """The collation of a text: which texts are equal."""
    return type_.simpleString() if isinstance(type_, T.StringType) else "string"


def _unpadded(column: Bound) -> str:
    """The spaces that fill up a CHAR are not part of its value."""
    return "rtrim({})" if column.padded else "{}"


def _is_comparable(type_: T.DataType) -> bool:
    return isinstance(type_, T.AtomicType) and type_.simpleString() not in ("variant", "interval")


def _is_mixed(left: T.DataType, right: T.DataType) -> bool:
    """Whether a decimal meets a float: 0.1 is exact in the one and not in the other."""
    kinds = {type(left), type(right)}
    return T.DecimalType in kinds and not kinds.isdisjoint(FLOATS)


def _exact(type_: T.DataType, other: T.DataType) -> str:
    """A type that holds all values of a column, and is near the other column's."""
    if isinstance(type_, INTEGERS):
        return "decimal(19,0)" if isinstance(other, T.DecimalType) else "bigint"
    return "double" if isinstance(type_, FLOATS) else type_.simpleString()


def _fitted(ours: str, theirs: str) -> Forms:
    """Theirs in the type of ours, NULL where it would have to be rounded."""
    there = f"try_cast(CAST({{0}} AS {theirs}) AS {ours})"
    exact = f"try_cast({there} AS {theirs}) = {{0}}"
    if {ours, theirs} == {"bigint", "double"}:
        # Spark takes 2^63, which is no bigint, for the largest one.
        exact += " AND CAST({0} AS double) < 9.223372036854775808E18D"
    return f"CAST({{}} AS {ours})", f"CASE WHEN {exact} THEN {there} END"
