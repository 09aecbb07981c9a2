"""Broken rules → rows that break them: one query for all rules of a table, after they are judged.

From Spark 4.2 on the shared pass could collect them on its way, with `max_by(row, hash, k)`. That
is no aggregate for generated code, and one of them would slow down all others, also on tables that
keep their rules. So nothing is collected before a rule is known to be broken.

By then it is known how many rows break it. Those with the lowest hashes are shown, so that the same
table shows the same rows however it is stored. Where many rows break a rule, only those whose keys
have low hashes are looked at: the others cannot be among them.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql import types as T  # noqa: N812

from dqx_dagster.checks.rule import Rule
from dqx_dagster.checks.samples import MASKED, Cell, Samples, Shown, headings, key_of, shown
from dqx_dagster.checks.verdict import Verdict
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
from dqx_dagster.spark.types import is_groupable

MAX_TEXT: Final = 200
"""Characters of a value that are shown."""

ROWS: Final = "rows"
"""The heading of how many rows look the same, where that is shown."""


EXPECTED: Final = 10
"""How many rows are expected among those with low hashes, for each that is to be shown."""


def failing_samples(
    contract: Contract,
    table: DataFrame,
    broken: Sequence[Verdict],
    tables: Tables,
    partition: Partition | None = None,
) -> tuple[dict[str, Samples], Cost]:
    """Rows that break these rules, by their names, and what it cost to find them.

    A rule of which nothing may be shown has none.
    """
    meter = Meter(table.sparkSession)
    runner = Runner(table.sparkSession, meter)

    def ask(rules: Sequence[Rule], limits: Mapping[Rule, int]) -> dict[str, Samples]:
        query = _Query(contract, table, rules, limits, tables=tables, partition=partition)
        return query.answer(runner) if rules else {}

    rules = [verdict.rule for verdict in broken if _may_show(contract, verdict.rule)]
    limits = {v.rule: limit for v in broken if (limit := _limit(contract, v)) is not None}
    found = ask(rules, limits)
    # Where keys are not spread evenly, too few of them may have low hashes.
    again = [rule for rule in rules if rule in limits and _is_short(found[rule.name], rule)]
    return found | ask(again, {}), meter.cost()


def _may_show(contract: Contract, rule: Rule) -> bool:
    return not all(each.masked for each in shown(contract, rule))


def _has_key(contract: Contract) -> bool:
    """Whether rows can be told apart by what is shown of them."""
    key = key_of(contract)
    return bool(key) and all(may_show(contract, column.path) for column in key)


def _limit(contract: Contract, broken: Verdict) -> int | None:
    """The hash of a key, any number of 64 bits, below which enough rows break the rule."""
    if not (_has_key(contract) or isinstance(broken.rule.claim.violation, Repeated)):
        return None
    enough = EXPECTED * broken.rule.failing_rows
    if broken.failed_rows is None or broken.failed_rows <= enough:
        return None
    return 2**64 * enough // broken.failed_rows - 2**63


def _is_short(samples: Samples, rule: Rule) -> bool:
    return samples.problem is None and len(samples.rows) < rule.failing_rows


class _Query:
    """One query for all these rules of a table. Its parts give (rule, hash, cells, alike)."""

    def __init__(
        self,
        contract: Contract,
        table: DataFrame,
        rules: Sequence[Rule],
        limits: Mapping[Rule, int],
        *,
        tables: Tables,
        partition: Partition | None,
    ) -> None:
        self._table, self._tables, self._partition = table, tables, partition
        self._rules, self._limits = rules, limits
        self._shown = {rule: shown(contract, rule) for rule in rules}
        self._key = key_of(contract)
        self._binding = Binding(T.StructType())
        # Where rows cannot be told apart, those that look the same are shown as one.
        self._alike = not _has_key(contract)

    def answer(self, runner: Runner) -> dict[str, Samples]:
        """The rows of each rule, by its name."""
        found = runner.collect({"samples": self._frame})["samples"]
        if isinstance(found, Unmeasurable):
            problem = Samples(problem=f"no rows can be shown: {found.reason}")
            return {rule.name: problem for rule in self._rules}
        return dict(self._read(found))

    def _frame(self) -> DataFrame:
        """At most so many rows of each rule as the most demanding one wants."""
        self._binding = Binding.of(self._table)
        if self._partition is not None:
            self._table = self._table.where(rows_of(self._partition, self._binding))
        parts = functools.reduce(DataFrame.unionAll, self._parts())
        order = Window.partitionBy("rule").orderBy("hash", "cells")
        ranked = parts.withColumn("rank", F.row_number().over(order))
        most = max(rule.failing_rows for rule in self._rules)
        return ranked.where(F.col("rank") <= most).orderBy("rule", "rank")

    def _parts(self) -> Iterator[DataFrame]:
        alone: dict[int, Predicate] = {}
        for number, rule in enumerate(self._rules):
            violation = rule.claim.violation
            if isinstance(violation, Repeated):
                yield self._repeated(number, rule, violation)
            elif isinstance(violation, Orphans):
                yield self._unmatched(number, rule, violation)
            elif violation is not None:
                alone[number] = violation
        if alone:
            yield self._broken(alone)

    def _broken(self, alone: dict[int, Predicate]) -> DataFrame:
        """All rules that look at one row alone, in one pass over the table."""
        predicates = Predicates(self._binding)
        broken = {
            number: self._is_low(self._rules[number]) & predicates.maybe(violation)
            for number, violation in alone.items()
        }
        found = [
            F.when(holds, F.struct(*self._row(number, self._rules[number])))
            for number, holds in broken.items()
        ]
        some = self._table.where(functools.reduce(operator.or_, broken.values()))
        each = some.select(F.explode(F.array_compact(F.array(*found))).alias("found"))
        return self._counted(each.select("found.rule", "found.hash", "found.cells"))

    def _unmatched(self, number: int, rule: Rule, violation: Orphans) -> DataFrame:
        """Each row whose key has no match."""
        low, row = self._table.where(self._is_low(rule)), self._row(number, rule)
        rows = orphans(violation, low, self._binding.bind, self._tables, *row)
        return self._counted(rows.select("b0", "b1", "b2").toDF("rule", "hash", "cells"))

    def _row(self, number: int, rule: Rule) -> Iterator[SparkColumn]:
        """What is told of a row: the number of the rule that it breaks, its hash, and its cells."""
        cells = self._cells(self._shown[rule])
        key = self._hash_of_key()
        yield F.lit(number).alias("rule")
        yield (F.xxhash64(cells) if key is None else key).alias("hash")
        yield cells.alias("cells")

    def _is_low(self, rule: Rule) -> SparkColumn:
        """Whether a row may be among those that are shown."""
        key, limit = self._hash_of_key(), self._limits.get(rule)
        return F.lit(True) if key is None or limit is None else key < limit

    def _hash_of_key(self) -> SparkColumn | None:
        """What rows are ordered by; `None` where no key tells them apart."""
        keys = [] if self._alike else [self._binding.bind(column) for column in self._key]
        hashable = keys and all(is_groupable(key.type) for key in keys)
        return F.xxhash64(*(key.column for key in keys)) if hashable else None

    def _counted(self, rows: DataFrame) -> DataFrame:
        """Rows, and how many of them look the same."""
        if not self._alike:
            return rows.withColumn("alike", F.lit(1).cast("bigint"))
        return rows.groupBy(*rows.columns).agg(F.count(F.lit(1)).alias("alike"))

    def _repeated(self, number: int, rule: Rule, violation: Repeated) -> DataFrame:
        """Each key that is repeated, and in how many rows."""
        names = [f"k{place}" for place in range(len(violation.keys))]
        bound = [self._binding.bind(key) for key in violation.keys]
        pairs = zip(bound, names, strict=True)
        keys = self._table.select(*(key.column.alias(name) for key, name in pairs))
        if (limit := self._limits.get(rule)) is not None:
            keys = keys.where(F.xxhash64(*names) < limit)
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
        told = F.lit(number).alias("rule"), F.xxhash64(*names).alias("hash")
        return groups.where(several).select(*told, F.array(*cells).alias("cells"), "alike")

    def _cells(self, columns: Sequence[Shown]) -> SparkColumn:
        return F.array(
            *(
                F.lit(MASKED) if each.masked else _text(self._binding.bind(each.column))
                for each in columns
            )
        )

    def _read(self, rows: Sequence[Any]) -> Iterator[tuple[str, Samples]]:
        """What the rows of the query mean, by the names of rules."""
        for number, rule in enumerate(self._rules):
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
