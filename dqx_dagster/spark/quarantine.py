"""A contract and its table → the rows that break it, and the rest: for pipelines that part them.

Lazy, and made of plain Spark columns: no action is run here, and the table's query appears once,
except for relationships, which read the other table too.
"""

from __future__ import annotations

import functools
import operator
from collections import Counter
from collections.abc import Collection, Sequence
from types import MappingProxyType
from typing import Final

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql import types as T  # noqa: N812

from dqx_dagster.checks.lowering import lower
from dqx_dagster.checks.rule import Rule, Settings
from dqx_dagster.contract.model import Contract
from dqx_dagster.errors import EngineError, did_you_mean
from dqx_dagster.metrics.metric import Orphans
from dqx_dagster.metrics.value import Column
from dqx_dagster.metrics.violation import NullKeys, Repeated
from dqx_dagster.spark.binding import Binding, Bound, Refusal
from dqx_dagster.spark.failures import FAILURES, check_alive, reason
from dqx_dagster.spark.literals import INTEGERS, TEXTS
from dqx_dagster.spark.orphans import with_match
from dqx_dagster.spark.predicates import Predicates
from dqx_dagster.spark.tables import Given, Tables

_SCATTERED: Final = (*TEXTS, *INTEGERS, T.DateType, T.TimestampType)
BROKEN_RULES: Final = "broken_rules"
"""The column with the names of the rules that a row breaks."""


def failing_rows(
    contract: Contract,
    table: DataFrame,
    rules: Collection[str] | None = None,
    *,
    settings: Settings | None = None,
    tables: Given = MappingProxyType({}),
) -> DataFrame:
    """The rows of a table that break rules of its contract, with the names of these rules.

    They have one column more, `broken_rules`, an array of texts. Only rules about single rows
    count, not those about a mean, a number of rows or the schema. A row that a rule tolerates,
    because it allows a few of them, breaks it too.

    Args:
        contract: What must hold.
        table: Whose rows are looked at; nothing is computed before an action on the result.
        rules: The names of the rules that count. By default all that are about single rows.
        settings: As for the checks; they change names.
        tables: Those of other contracts that relationships lead to, by dataset.

    Raises `EngineError` where a rule cannot be tried on this table, because it lacks a column for
    example: otherwise rows would pass for good that nobody has looked at.
    """
    marked = _marked(contract, table, rules, settings, tables)
    return marked.where(F.size(BROKEN_RULES) > 0)


def good_rows(
    contract: Contract,
    table: DataFrame,
    rules: Collection[str] | None = None,
    *,
    settings: Settings | None = None,
    tables: Given = MappingProxyType({}),
) -> DataFrame:
    """All other rows of the table, with its columns. Takes and raises what `failing_rows` does."""
    marked = _marked(contract, table, rules, settings, tables)
    return marked.where(F.size(BROKEN_RULES) == 0).drop(BROKEN_RULES)


def _marked(
    contract: Contract,
    table: DataFrame,
    rules: Collection[str] | None,
    settings: Settings | None,
    tables: Given,
) -> DataFrame:
    """The table with the names of the rules that each row breaks."""
    chosen = _chosen(lower(contract, settings).rules, rules)
    try:
        if clash := [name for name in table.columns if name.lower() == BROKEN_RULES]:
            raise EngineError(f"the table has a column '{clash[0]}' already; rename it")
        marked = _Marking(table, tables).marked(chosen)
        _ = marked.schema  # on Spark Connect a wrong column shows up only here
    except FAILURES as error:
        check_alive(table.sparkSession, error)
        text = f"the rows of '{contract.dataset}' cannot be told apart: {reason(error)}"
        raise EngineError(text) from None
    return marked


def _chosen(rules: Sequence[Rule], names: Collection[str] | None) -> list[Rule]:
    """The rules about single rows, or just those with these names, which must be such rules."""
    by_row = {rule.name: rule for rule in rules if rule.claim.violation is not None}
    if names is None:
        return list(by_row.values())
    for name in names:
        if name in by_row:
            continue
        if any(rule.name == name for rule in rules):
            raise EngineError(f"the rule '{name}' is not about single rows, none can break it")
        raise EngineError(f"the contract has no rule '{name}'{did_you_mean(name, by_row)}")
    return [by_row[name] for name in dict.fromkeys(names)]


class _Marking:
    """Adds to a table what tells which rows break rules."""

    def __init__(self, table: DataFrame, tables: Given) -> None:
        self._table, self._given = table, Tables(table.sparkSession, tables)
        self._binding = Binding.of(table)
        self._added: list[str] = []

    def marked(self, rules: Sequence[Rule]) -> DataFrame:
        """The table with one column more; raises `EngineError` with every rule that has none."""
        broken: dict[str, SparkColumn] = {}
        refused = []
        for rule in rules:
            try:
                broken[rule.name] = self._breaks(rule)
            except Refusal as refusal:  # noqa: PERF203 - all of them are told at once
                refused.append(f"{rule.name}: {refusal}")
        if refused:
            text = f"{len(refused)} of {len(rules)} rules cannot be tried on the rows"
            raise EngineError(f"{text}: {'; '.join(refused)}")
        names = [F.when(holds, F.lit(name)) for name, holds in broken.items()]
        listed = F.array_compact(F.array(*names)) if names else F.array().cast("array<string>")
        return self._table.withColumn(BROKEN_RULES, listed).drop(*self._added)

    def _breaks(self, rule: Rule) -> SparkColumn:
        violation = rule.claim.violation
        assert violation is not None
        if isinstance(violation, Repeated):
            return self._repeats(violation)
        if isinstance(violation, Orphans):
            return self._is_orphan(violation)
        return Predicates(self._binding).maybe(violation)

    def _repeats(self, violation: Repeated) -> SparkColumn:
        bound = [self._binding.bind(key) for key in violation.keys]
        keys = [each.column for each in bound]
        incomplete = functools.reduce(operator.or_, (key.isNull() for key in keys))
        match violation.nulls:
            case NullKeys.EQUAL:
                return _count(keys) > 1
            case NullKeys.BROKEN:
                return incomplete | (_count([*keys, self._scattered(incomplete)]) > 1)
            case NullKeys.LEFT_OUT:
                return ~incomplete & (_count([*keys, self._scattered(incomplete)]) > 1)

    def _scattered(self, incomplete: SparkColumn) -> SparkColumn:
        """Keeps rows without a key, which may be many, from coming together in one task."""
        names = Counter(name.lower() for name in self._binding.schema.names)
        columns = [
            self._binding.bind(Column((field.name,))).column
            for field in self._binding.schema.fields
            if isinstance(field.dataType, _SCATTERED) and names[field.name.lower()] == 1
        ]
        return F.when(incomplete, F.xxhash64(F.lit(0), *columns))

    def _is_orphan(self, violation: Orphans) -> SparkColumn:
        ours = [self._binding.bind(column) for column in violation.columns]
        name = _free(f"__match_{len(self._added)}", self._table.columns)
        self._table = with_match(violation, self._table, ours, self._given, name)
        self._added.append(name)
        complete = functools.reduce(operator.and_, (_is_set(key) for key in ours))
        return complete & F.col(name).isNull()


def _is_set(bound: Bound) -> SparkColumn:
    return bound.column.isNotNull()


def _count(keys: Sequence[SparkColumn]) -> SparkColumn:
    return F.count(F.lit(1)).over(Window.partitionBy(*keys))


def _free(name: str, taken: Collection[str]) -> str:
    lower_case = {each.lower() for each in taken}
    while name.lower() in lower_case:
        name += "_"
    return name
