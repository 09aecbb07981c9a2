"""Thousands of random tables: Spark and DuckDB must measure what the oracle measures.

Every difference is one of those in `oracle.differences`, where each has its reason. A known
difference that no longer occurs fails the test too.

`DQX_SEED` changes which tables, `DQX_EFFORT` how many.
"""

from __future__ import annotations

import datetime as dt
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from oracle.compared import NOW, Comparison, expect
from oracle.differences import DUCK_DIFFERS, SPARK_DIFFERS
from oracle.duck import translate
from oracle.effort import EFFORT
from oracle.every_aggregate import (
    MOMENTS,
    NUMBERS,
    column,
    distinct,
    grouped,
    percentiles,
    periods,
    within,
)
from oracle.random_tables import MAX_ROWS, Table, arrow, side_by_side, tables, tables_of
from pyspark.sql import DataFrame, SparkSession

from dqx_dagster.metrics.metric import Aggregate, Function, Gaps, evaluate
from dqx_dagster.metrics.plan import plan_metrics
from dqx_dagster.metrics.value import Column, Length
from dqx_dagster.spark.binding import Binding, Refusal
from dqx_dagster.spark.compile import Compiled, Compiler
from dqx_dagster.spark.measure import MAX_BUFFERS, measure

SEED = int(os.environ.get("DQX_SEED", "20260305"))
TABLES = 2_000 * EFFORT
ENOUGH = 1_000
"""Tables from which on each known difference occurs."""
SOME = 300
"""Tables for what is compared on fewer of them."""


# The tables, and what the oracle says about them


@dataclass(frozen=True, slots=True)
class Expected:
    """The tables that have rows, and what each aggregate is for each of them."""

    tables: list[Table]
    wanted: dict[Aggregate, list[Any]]


@pytest.fixture(scope="module")
def expected() -> Expected:
    some = [table for table in tables(SEED, TABLES) if table.codes]
    return Expected(some, {a: expect(a, some) for a in grouped() if is_supported(a)})


@pytest.fixture(scope="module")
def frame(
    expected: Expected, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> DataFrame:
    """All tables in one, told apart by `case`."""
    return stored(spark, arrow(expected.tables), tmp_path_factory.mktemp("random"))


def stored(spark: SparkSession, table: Any, folder: Path) -> DataFrame:
    path = folder / "tables.parquet"
    pq.write_table(table, path)
    return spark.read.parquet(str(path)).coalesce(1)


def is_supported(aggregate: Aggregate) -> bool:
    """What the engine must be able to measure: everything that makes sense for the type."""
    of = aggregate.of
    if of is None or isinstance(of, Length) or of == column("struct", "a"):
        return True
    assert isinstance(of, Column)
    extreme = aggregate.function in (Function.MIN, Function.MAX)
    return of.path[0] in ((*NUMBERS, *MOMENTS) if extreme else NUMBERS)


# Spark


def compiled(frame: DataFrame, aggregates: Sequence[Aggregate]) -> Iterator[Compiled]:
    compiler = Compiler(Binding(frame.schema))
    for aggregate in aggregates:
        yield compiler.compile(aggregate)


def per_table(frame: DataFrame, ready: Sequence[Compiled], folder: Path) -> dict[Aggregate, Any]:
    """What Spark measures for each table, with the engine's own columns.

    Results leave as files: too many at once for Spark to send them with the end of a task.
    """
    found: dict[Aggregate, Any] = {}
    for place, group in enumerate(chunks(ready)):
        texts = [c.column.cast("string").alias(f"m{at}") for at, c in enumerate(group)]
        path = str(folder / f"found{place}")
        frame.groupBy("case").agg(*texts).write.parquet(path)
        rows = pq.read_table(path).sort_by("case")
        for at, one in enumerate(group):
            answers = rows.column(f"m{at}").to_pylist()
            found[one.aggregate] = [None if text is None else one.read(text) for text in answers]
    return found


def chunks(ready: Sequence[Compiled]) -> Iterator[list[Compiled]]:
    """As many aggregates at once as Spark generates code for."""
    group: list[Compiled] = []
    for one in ready:
        if sum(c.buffers for c in group) + one.buffers > MAX_BUFFERS:
            yield group
            group = []
        group.append(one)
    yield group


@pytest.fixture(scope="module")
def found(
    expected: Expected, frame: DataFrame, tmp_path_factory: pytest.TempPathFactory
) -> dict[Aggregate, Any]:
    ready = list(compiled(frame, list(expected.wanted)))
    return per_table(frame, ready, tmp_path_factory.mktemp("found"))


def test_spark_measures_what_the_oracle_measures(
    expected: Expected, found: dict[Aggregate, Any]
) -> None:
    comparison = Comparison(SPARK_DIFFERS)
    for aggregate, wanted in expected.wanted.items():
        comparison.see(aggregate, expected.tables, wanted, found[aggregate])
    agree(comparison, len(expected.tables))
    assert comparison.compared == len(expected.tables) * len(expected.wanted)


def agree(comparison: Comparison, number: int) -> None:
    """No difference without a reason, and no reason without a difference."""
    few = sorted(comparison.unexplained, key=lambda seen: len(seen.table.codes))[:5]
    several = f"{len(comparison.unexplained)} of {comparison.compared} differ, such as"
    assert not comparison.unexplained, "\n".join([several, *map(str, few)])
    if number >= ENOUGH:
        assert comparison.outdated == set()


def test_what_makes_no_sense_for_a_type_is_refused(frame: DataFrame) -> None:
    """All the rest is compared above, where a refusal would fail."""
    compiler = Compiler(Binding(frame.schema))
    for aggregate in grouped():
        if not is_supported(aggregate):
            with pytest.raises(Refusal):
                compiler.compile(aggregate)


def test_no_setting_of_the_session_changes_a_measurement(
    expected: Expected, frame: DataFrame, spark: SparkSession, tmp_path: Path
) -> None:
    other = {
        "spark.sql.ansi.enabled": "false",
        "spark.sql.session.timeZone": "America/New_York",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    before = {name: spark.conf.get(name) for name in other}
    some, aggregates = expected.tables[:SOME], list(expected.wanted)[::4]
    few = frame.where(f"case < {len(some)}")
    try:
        for name, value in other.items():
            spark.conf.set(name, value)
        found = per_table(few, list(compiled(few, aggregates)), tmp_path)
    finally:
        for name, usual in before.items():
            spark.conf.set(name, str(usual))
    comparison = Comparison(SPARK_DIFFERS)
    for aggregate in aggregates:
        wanted = expected.wanted[aggregate][: len(some)]
        comparison.see(aggregate, some, wanted, found[aggregate])
    agree(comparison, 0)


def test_every_measurement_of_a_wide_table(spark: SparkSession, tmp_path: Path) -> None:
    """Two tables side by side, through all that `measure` does: also distinct values, periods."""
    both = tables_of(MAX_ROWS, SEED, 2)
    frame = stored(spark, side_by_side(both), tmp_path)
    supported = [aggregate for aggregate in grouped() if is_supported(aggregate)]
    wanted = [*supported[::12], *percentiles(), *groupable(), *periods()]
    plan = plan_metrics(within(f"t{at}_", one) for at in range(len(both)) for one in wanted)
    measured = measure(frame, plan, now=NOW)
    comparison = Comparison(SPARK_DIFFERS)
    for at, table in enumerate(both):
        for aggregate in wanted:
            (answer,), value = expect(aggregate, [table]), measured[within(f"t{at}_", aggregate)]
            if aggregate.function is Function.PERIODS:  # what counts is which ones are missing
                answer, value = (
                    evaluate(Gaps(aggregate), {aggregate: x}, NOW) for x in (answer, value)
                )
            comparison.see(aggregate, [table], [answer], [value])
    agree(comparison, 0)
    assert comparison.compared == len(both) * len(wanted)


def groupable() -> list[Aggregate]:
    """Spark does not group by maps."""
    return [aggregate for aggregate in distinct() if aggregate.of != column("map")]


def test_an_empty_table(spark: SparkSession, tmp_path: Path) -> None:
    empty = Table(())
    frame = stored(spark, arrow([empty]), tmp_path)
    supported = [aggregate for aggregate in grouped() if is_supported(aggregate)]
    wanted = [*supported[::3], *percentiles(), *groupable(), *periods()]
    measured = measure(frame, plan_metrics(wanted), now=NOW)
    comparison = Comparison(())
    for aggregate in wanted:
        comparison.see(aggregate, [empty], expect(aggregate, [empty]), [measured[aggregate]])
    agree(comparison, 0)


# DuckDB


def test_duckdb_measures_what_the_oracle_measures(expected: Expected) -> None:
    comparison = Comparison(DUCK_DIFFERS)
    with duckdb.connect() as connection:
        connection.register("given", arrow(expected.tables))
        connection.execute("CREATE TABLE t AS SELECT * FROM given")
        for aggregate, wanted, measured in duck_answers(connection, expected):
            comparison.see(aggregate, expected.tables[: len(wanted)], wanted, measured)
    agree(comparison, len(expected.tables))


def duck_answers(
    connection: duckdb.DuckDBPyConnection, expected: Expected
) -> Iterator[tuple[Aggregate, list[Any], list[Any]]]:
    some = expected.tables[:SOME]
    more = {a: expect(a, some) for a in (*percentiles(), *distinct(), *periods())}
    for wanted, number in ((expected.wanted, len(expected.tables)), (more, len(some))):
        aggregates = list(wanted)
        for start in range(0, len(aggregates), 100):
            group = {a: translate(a, NOW) for a in aggregates[start : start + 100]}
            columns = ", ".join(translated.sql for translated in group.values())
            query = (
                f'SELECT {columns} FROM t WHERE "case" < {number} GROUP BY "case" ORDER BY "case"'
            )
            rows = connection.execute(query).fetchall()
            for (aggregate, translated), values in zip(
                group.items(), zip(*rows, strict=True), strict=True
            ):
                read = [None if value is None else translated.read(value) for value in values]
                if aggregate.function is Function.PERIODS:
                    read = [starts or () for starts in read]
                yield aggregate, wanted[aggregate], read


# The comparison itself


def test_a_wrong_measurement_is_noticed(expected: Expected, found: dict[Aggregate, Any]) -> None:
    """One value is changed a little, for each aggregate in turn."""
    some, unnoticed, changed = expected.tables[:SOME], [], 0
    for aggregate, wanted in expected.wanted.items():
        values = list(found[aggregate][:SOME])
        place = next((at for at, value in enumerate(values) if wrong(value) is not value), None)
        if place is None:
            continue  # only NULLs, say
        changed += 1
        values[place] = wrong(values[place])
        comparison = Comparison(())
        comparison.see(aggregate, some, wanted[:SOME], values)
        if all(seen.table is not some[place] for seen in comparison.unexplained):
            unnoticed.append((aggregate, values[place]))
    assert unnoticed == []
    assert changed > 0.9 * len(expected.wanted)


def wrong(value: Any) -> Any:
    match value:
        case float() if math.isfinite(value) and abs(value) > 1e-30:
            return value * 1.00001
        case Decimal():
            return value + Decimal((0, (1,), int(value.as_tuple().exponent)))
        case int():
            return value + 1
        case dt.date() if value.year < 9999:
            return value + dt.timedelta(days=1)
    return value
