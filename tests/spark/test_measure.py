"""Measuring on Spark: one bad rule harms no other, and nothing is passed that was not measured."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from dqx_dagster import Contract, EngineError, Outcome, SchemaValidationError
from dqx_dagster.checks.rule import Rule, plan
from dqx_dagster.cli import main
from dqx_dagster.metrics.metric import ROWS, Aggregate, Function, Unmeasurable, count_set
from dqx_dagster.metrics.plan import plan_metrics
from dqx_dagster.metrics.predicate import Matches
from dqx_dagster.metrics.value import Column
from dqx_dagster.spark.check import check_table, validate_schema
from dqx_dagster.spark.measure import measure

NOW = dt.datetime(2026, 3, 5, 10, tzinfo=dt.timezone.utc)
CANARY = "ssn 123-45-6789"

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
schema:
- name: orders
  quality:
  - {name: volume, metric: rowCount, mustBe: 3, severity: error}
  properties:
  - {name: id, logicalType: integer, primaryKey: true}
  - name: status
    logicalType: string
    quality:
    - {name: known, metric: invalidValues, arguments: {validValues: [open]}, mustBe: 0}
"""


@pytest.fixture
def contract(tmp_path: Path) -> Contract:
    path = tmp_path / "orders.odcs.yaml"
    path.write_text(CONTRACT, "utf-8")
    return Contract.from_odcs(path)[0]


@pytest.fixture
def orders(spark: SparkSession, tmp_path: Path) -> Path:
    rows = [(1, "open"), (2, "open"), (3, "lost")]
    path = tmp_path / "orders.parquet"
    spark.createDataFrame(rows, "id int, status string").write.parquet(str(path))
    return path


def column(name: str) -> Column:
    return Column((name,))


def failing(spark: SparkSession) -> DataFrame:
    """A table with a column that cannot be computed, because of one of its values."""
    rows = [(number, str(number) if number else CANARY) for number in range(5)]
    table = spark.createDataFrame(rows, "id int, text string")
    # With ANSI on, the cast fails when the row is read.
    broken = F.when(F.col("id") >= 0, F.raise_error(F.col("text"))).cast("int")
    return table.withColumn("broken", broken)


def test_a_rule_that_fails_while_running_harms_no_other(spark: SparkSession) -> None:
    good = [ROWS, count_set(column("id")), Aggregate(Function.MAX, column("id"))]
    bad = [Aggregate(Function.SUM, column("broken")), Aggregate(Function.MIN, column("broken"))]
    wanted = plan_metrics([good[0], bad[0], good[1], bad[1], good[2]])

    found = measure(failing(spark), wanted, now=NOW)

    assert [found[aggregate] for aggregate in good] == [5, 5, 4]
    assert [isinstance(found[aggregate], Unmeasurable) for aggregate in bad] == [True, True]
    assert CANARY not in repr(found)


@pytest.mark.parametrize(
    ("aggregate", "reason"),
    [
        (count_set(column("nope")), "column 'nope' is not in the data"),
        (Aggregate(Function.SUM, column("text")), "'text' is string: sum needs numbers"),
        (
            Aggregate(Function.MAX, column("text")),
            "'text' is string: max needs numbers, dates or timestamps",
        ),
        (
            Aggregate(Function.COUNT, where=Matches(column("text"), "(?<n>a)(?<n>b)")),
            "its pattern is not a regular expression that Java accepts",
        ),
        (
            Aggregate(Function.COUNT, where=Matches(column("id"), "a")),
            "'id' is int: only texts have patterns",
        ),
    ],
)
def test_what_cannot_be_measured_is_refused_with_the_reason(
    spark: SparkSession, aggregate: Aggregate, reason: str
) -> None:
    table = spark.createDataFrame([(1, "a")], "id int, text string")

    found = measure(table, plan_metrics([ROWS, aggregate]), now=NOW)

    assert found == {ROWS: 1, aggregate: Unmeasurable(reason)}


@pytest.mark.parametrize("name", ["a.b", "a b", "a`b", "ünï", "${x}", "*", "select", "a,b:c<d>"])
def test_any_name_finds_its_column(spark: SparkSession, name: str) -> None:
    table = spark.createDataFrame([(1, 10), (None, 20)], "x int, other int").toDF(name, "other")
    aggregate = count_set(column(name))

    assert measure(table, plan_metrics([aggregate]), now=NOW) == {aggregate: 1}


def test_a_name_that_fits_two_columns_is_refused(spark: SparkSession) -> None:
    table = spark.createDataFrame([(1, 2)], "id int, ID int")
    aggregate = count_set(column("Id"))

    found = measure(table, plan_metrics([aggregate]), now=NOW)

    assert found == {aggregate: Unmeasurable("column 'Id' is ambiguous: id, ID")}


def test_sums_are_exact_beyond_longs(spark: SparkSession) -> None:
    table = spark.createDataFrame([(2**63 - 1,)] * 3 + [(-(2**63),)], "id bigint")
    aggregate = Aggregate(Function.SUM, column("id"))

    assert measure(table, plan_metrics([aggregate]), now=NOW) == {
        aggregate: 3 * (2**63 - 1) - 2**63
    }


def test_more_aggregates_than_one_query_holds(spark: SparkSession) -> None:
    names = [f"c{index}" for index in range(130)]
    table = spark.createDataFrame([tuple(range(130))], ", ".join(f"{n} int" for n in names))
    wanted = [Aggregate(Function.MAX, column(name)) for name in names]

    assert list(measure(table, plan_metrics(wanted), now=NOW).values()) == list(range(130))


def test_a_pattern_that_would_overflow_the_stack_leaves_spark_alive(spark: SparkSession) -> None:
    table = spark.createDataFrame([("ab" * 50_000,), ("ab",)], "text string")
    aggregate = Aggregate(Function.COUNT, where=Matches(column("text"), "^(a|b)*$"))

    assert measure(table, plan_metrics([aggregate]), now=NOW) == {aggregate: 1}


def test_a_table_that_cannot_be_read_raises(spark: SparkSession, orders: Path) -> None:
    table = spark.read.parquet(str(orders))
    for file in orders.glob("*.parquet"):
        file.unlink()

    with pytest.raises(EngineError, match="the table cannot be read: Spark reports"):
        measure(table, plan_metrics([ROWS]), now=NOW)


def test_a_table_is_judged_by_its_contract(
    spark: SparkSession, contract: Contract, orders: Path
) -> None:
    result = check_table(contract, spark.read.parquet(str(orders)), now=NOW)

    assert result.rows == 3
    assert {v.rule.name: v.outcome for v in result.verdicts} == {
        "schema": Outcome.PASSED,
        "id__primary_key": Outcome.PASSED,
        "volume": Outcome.PASSED,
        "status__known": Outcome.FAILED,
    }
    assert result.cost.jobs is not None
    assert result.cost.scans(result.rows) is not None


def test_only_what_the_rules_need_is_measured(
    spark: SparkSession, contract: Contract, orders: Path
) -> None:
    result = check_table(contract, spark.read.parquet(str(orders)), now=NOW)
    known: list[Rule] = [v.rule for v in result.verdicts if v.rule.name == "status__known"]

    chosen = check_table(contract, spark.read.parquet(str(orders)), now=NOW, rules=known)

    assert [v.rule.name for v in chosen.verdicts] == ["status__known"]
    assert len(plan(known).aggregates) == 2


def test_a_schema_that_differs_is_an_exception_for_those_who_want_one(
    spark: SparkSession, contract: Contract
) -> None:
    table = spark.createDataFrame([("1",)], "id string")

    with pytest.raises(SchemaValidationError) as caught:
        validate_schema(contract, table)

    assert str(caught.value) == (
        "Property 'id' type mismatch:\n"
        "expected logicalType 'integer' (int8–int64, uint8–uint64), got string\n"
        "Property 'status' is missing: the table has no such column"
    )


def test_run_prints_verdicts_as_json(
    spark: SparkSession,
    contract: Contract,
    orders: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(SparkSession, "stop", lambda _: None)  # the session is the tests' own
    arguments = ["run", str(tmp_path / "orders.odcs.yaml"), "--table", f"orders={orders}"]

    done = CliRunner().invoke(main, [*arguments, "--format", "json", "--now", "2026-03-05"])

    assert done.exit_code == 0, done.output
    (table,) = json.loads(done.stdout)["tables"]
    assert (table["dataset"], table["rows"]) == ("orders", 3)
    assert table["checks"][-1] == {
        "name": "status__known",
        "rule": "known",
        "column": "status",
        "severity": "P1",
        "blocking": False,
        "outcome": "failed",
        "actual": 1,
        "threshold": "exactly 0",
        "reason": "1 of 3 rows (33.33 %) hold an invalid value; allowed: none",
        "origin": f"{tmp_path / 'orders.odcs.yaml'}:15",
    }
    warned = CliRunner().invoke(main, [*arguments, "--fail-on", "warn"])
    assert warned.exit_code == 1
    missing = CliRunner().invoke(main, arguments[:2])
    assert missing.exit_code == 2
    assert "add --table orders=PATH" in missing.output
