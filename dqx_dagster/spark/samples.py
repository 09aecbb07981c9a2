"""Broken rules → rows that break them: one query for all rules of a table, after they are judged.

From Spark 4.2 on the shared pass could collect them on its way, with `max_by(row, hash, k)`. That
is no aggregate for generated code, and one of them would slow down all others, also on tables that
keep their rules. So nothing is collected before a rule is known to be broken.

Every part of the query gives the number of a rule, the row as texts, and how many rows look the
same. The rows with the lowest hashes are kept, so that the same table shows the same rows however
it is stored; Spark keeps just so many on the way.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql import types as T  # noqa: N812

from dqx_dagster.checks.rule import Rule
from dqx_dagster.checks.samples import MASKED, Cell, Samples, Shown, headings, key_of, shown
from dqx_dagster.contract.model import Contract
from dqx_dagster.contract.privacy import may_show
from dqx_dagster.metrics.metric import Orphans, Unmeasurable
from dqx_dagster.metrics.partition import Partition
from dqx_dagster.metrics.predicate import Predicate
from dqx_dagster.metrics.violation import NullKeys, Repeated
from dqx_dagster.spark.binding import Binding, Bound
from dqx_dagster.spark.cost import Cost, Meter
from dqx_dagster.spark.literals import FLOATS, INTEGERS
from dqx_dagster.spark.orphans import orphans
from dqx_dagster.spark.partition import rows_of
from dqx_dagster.spark.predicates import Predicates
from dqx_dagster.spark.query import Runner
from dqx_dagster.spark.tables import Tables

MAX_TEXT: Final = 200
"""Characters of a value that are shown."""

ROWS: Final = "rows"
"""The heading of how many rows look the same, where that is shown."""


def failing_samples(
    contract: Contract,
    table: DataFrame,
    rules: Sequence[Rule],
    tables: Tables,
    partition: Partition | None = None,
) -> tuple[dict[str, Samples], Cost]:
    """Rows that break these rules, by their names, and what it cost to find them.

    A rule of which nothing may be shown has none.
    """
    meter = Meter(table.sparkSession)
    query = _Query(contract, table, rules, tables, partition)
    if not query.rules:
        return {}, meter.cost()
    found = Runner(table.sparkSession, meter).collect({"samples": query.frame})["samples"]
    if isinstance(found, Unmeasurable):
        problem = Samples(problem=f"no rows can be shown: {found.reason}")
        return {rule.name: problem for rule in query.rules}, meter.cost()
    return dict(query.read(found)), meter.cost()


class _Query:
    """The one query for all broken rules of a table."""

    def __init__(
        self,
        contract: Contract,
        table: DataFrame,
        rules: Sequence[Rule],
        tables: Tables,
        partition: Partition | None,
    ) -> None:
        self._table, self._tables, self._partition = table, tables, partition
        self._shown = {rule: shown(contract, rule) for rule in rules}
        self.rules = [r for r in rules if not all(each.masked for each in self._shown[r])]
        self._binding = Binding(T.StructType())
        keys = key_of(contract)
        # Where rows cannot be told apart, those that look the same are shown as one.
        self._alike = not keys or not all(may_show(contract, key.path) for key in keys)

    def frame(self) -> DataFrame:
        """At most so many rows of each rule as the most demanding one wants."""
        self._binding = Binding.of(self._table)
        if self._partition is not None:
            self._table = self._table.where(rows_of(self._partition, self._binding))
        parts = functools.reduce(DataFrame.unionAll, self._parts())
        order = Window.partitionBy("rule").orderBy(F.xxhash64("cells"), "cells")
        ranked = parts.withColumn("rank", F.row_number().over(order))
        most = max(rule.failing_rows for rule in self.rules)
        return ranked.where(F.col("rank") <= most).orderBy("rule", "rank")

    def _parts(self) -> Iterator[DataFrame]:
        alone: dict[int, Predicate] = {}
        for number, rule in enumerate(self.rules):
            violation = rule.claim.violation
            if isinstance(violation, Repeated):
                yield self._repeated(number, rule, violation)
            elif isinstance(violation, Orphans):
                cells = self._cells(self._shown[rule])
                rows = orphans(violation, self._table, self._binding.bind, self._tables, cells)
                yield self._counted(rows.select(F.lit(number).alias("rule"), F.col("b0")))
            elif violation is not None:
                alone[number] = violation
        if alone:
            yield self._broken(alone)

    def _broken(self, alone: dict[int, Predicate]) -> DataFrame:
        """All rules that look at one row alone, in one pass over the table."""
        predicates = Predicates(self._binding)
        broken = {number: predicates.maybe(violation) for number, violation in alone.items()}
        found = [
            F.when(
                holds,
                F.struct(
                    F.lit(number).alias("rule"),
                    self._cells(self._shown[self.rules[number]]).alias("cells"),
                ),
            )
            for number, holds in broken.items()
        ]
        some = self._table.where(functools.reduce(operator.or_, broken.values()))
        each = some.select(F.explode(F.array_compact(F.array(*found))).alias("found"))
        return self._counted(each.select("found.rule", "found.cells"))

    def _counted(self, rows: DataFrame) -> DataFrame:
        """Rows, and how many of them look the same."""
        rows = rows.toDF("rule", "cells")
        if not self._alike:
            return rows.withColumn("alike", F.lit(1).cast("bigint"))
        return rows.groupBy("rule", "cells").agg(F.count(F.lit(1)).alias("alike"))

    def _repeated(self, number: int, rule: Rule, violation: Repeated) -> DataFrame:
        """Each key that is repeated, and in how many rows."""
        names = [f"k{place}" for place in range(len(violation.keys))]
        bound = [self._binding.bind(key) for key in violation.keys]
        pairs = zip(bound, names, strict=True)
        keys = self._table.select(*(key.column.alias(name) for key, name in pairs))
        groups = keys.groupBy(*names).agg(F.count(F.lit(1)).alias("alike"))
        incomplete = functools.reduce(operator.or_, (F.col(name).isNull() for name in names))
        several = F.col("alike") > 1
        match violation.nulls:
            case NullKeys.LEFT_OUT:
                several &= ~incomplete
            case NullKeys.BROKEN:
                several |= incomplete
            case NullKeys.EQUAL:
                pass
        cells = [
            F.lit(MASKED) if each.masked else _text(Bound(F.col(name), key.type))
            for each, key, name in zip(self._shown[rule], bound, names, strict=True)
        ]
        where = groups.where(several)
        return where.select(F.lit(number).alias("rule"), F.array(*cells).alias("cells"), "alike")

    def _cells(self, columns: Sequence[Shown]) -> SparkColumn:
        return F.array(
            *(
                F.lit(MASKED) if each.masked else _text(self._binding.bind(each.column))
                for each in columns
            )
        )

    def read(self, rows: Sequence[Any]) -> Iterator[tuple[str, Samples]]:
        """What the rows of the query mean, by the names of rules."""
        for number, rule in enumerate(self.rules):
            columns = self._shown[rule]
            counted = self._alike or isinstance(rule.claim.violation, Repeated)
            found = [row for row in rows if row["rule"] == number][: rule.failing_rows]
            types = [
                T.StringType() if each.masked else self._binding.bind(each.column).type
                for each in columns
            ]
            yield (
                rule.name,
                Samples(
                    headings((each.column for each in columns), *([ROWS] if counted else [])),
                    tuple(
                        (*map(_cell, row["cells"], types), *([row["alike"]] if counted else []))
                        for row in found
                    ),
                ),
            )


def _text(bound: Bound) -> SparkColumn:
    """A value as a text, one character longer than shown where it is cut."""
    binary = isinstance(bound.type, T.BinaryType)
    text = F.hex(bound.column) if binary else bound.column.cast("string")
    return F.substring(text, 1, MAX_TEXT + 1)


def _cell(text: str | None, type_: T.DataType) -> Cell:
    """What a text of Spark's means: a number or a boolean where Python and JSON can hold it."""
    if text is None:
        return None
    if isinstance(type_, INTEGERS):
        return int(text)
    if isinstance(type_, FLOATS) and math.isfinite(float(text)):
        return float(text)
    if isinstance(type_, T.BooleanType):
        return text == "true"
    return f"{text[:MAX_TEXT]}…" if len(text) > MAX_TEXT else text
