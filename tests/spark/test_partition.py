"""The rows of a partition: which they are, and that Spark reads no others."""

from __future__ import annotations

import datetime as dt

import pytest
from pyspark.sql import DataFrame, SparkSession

from dqx_dagster.metrics.metric import ROWS
from dqx_dagster.metrics.partition import Choice, Partition
from dqx_dagster.metrics.plan import plan_metrics
from dqx_dagster.metrics.value import Column
from dqx_dagster.spark.binding import Binding
from dqx_dagster.spark.measure import measure_with_cost
from dqx_dagster.spark.partition import rows_of

UTC = dt.timezone.utc
NOW = dt.datetime(2026, 3, 9, tzinfo=UTC)
ROWS_A_DAY, DAYS = 100, 5
TIMESTAMPS = "spark.sql.parquet.outputTimestampType"


@pytest.fixture(scope="module")
def table(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    """Five days in folders, and within each file in the order of time."""
    path = str(tmp_path_factory.mktemp("lake") / "events.parquet")
    rows = spark.range(ROWS_A_DAY * DAYS).selectExpr(
        "id",
        f"date_add(date'2026-03-01', cast(id div {ROWS_A_DAY} as int)) as day",
        f"timestamp'2026-03-01' + make_dt_interval(id div {ROWS_A_DAY}) as at",
    )
    # Spark's default for timestamps in Parquet, INT96, has no statistics to prune by.
    spark.conf.set(TIMESTAMPS, "TIMESTAMP_MICROS")
    rows.repartition("day").write.partitionBy("day").parquet(path)
    spark.conf.unset(TIMESTAMPS)
    return spark.read.parquet(path)


def days(column: str, *numbers: int) -> Partition:
    """Days of March."""
    starts = [dt.datetime(2026, 3, number, tzinfo=UTC) for number in numbers]
    spans = tuple((start, start + dt.timedelta(days=1)) for start in starts)
    keys = tuple(start.date().isoformat() for start in starts)
    return Partition(keys, ((Choice(Column((column,)), keys, spans),),))


def plan_of(table: DataFrame, partition: Partition) -> str:
    """How Spark will read the rows of a partition."""
    rows = table.where(rows_of(partition, Binding.of(table)))
    return str(rows._jdf.queryExecution().executedPlan().toString())


def test_other_folders_are_not_read(table: DataFrame) -> None:
    partition = days("day", 2, 3)

    assert "(day#" in plan_of(table, partition).partition("PartitionFilters: [")[2]
    found, cost = measure_with_cost(table, plan_metrics([ROWS]), now=NOW, partition=partition)
    assert found[ROWS] == 2 * ROWS_A_DAY
    assert cost.rows_read == 2 * ROWS_A_DAY


def test_other_row_groups_are_not_read(table: DataFrame) -> None:
    """A column that is in no folder's name is compared with what Parquet knows of a file."""
    partition = days("at", 4)

    pushed = plan_of(table, partition).partition("PushedFilters: [")[2].partition("]")[0]
    assert "GreaterThanOrEqual(at,2026-03-04" in pushed
    assert "LessThan(at,2026-03-05" in pushed
    found, cost = measure_with_cost(table, plan_metrics([ROWS]), now=NOW, partition=partition)
    assert found[ROWS] == ROWS_A_DAY
    assert cost.rows_read == ROWS_A_DAY


def test_days_that_follow_each_other_are_one_comparison(table: DataFrame) -> None:
    together, apart = (plan_of(table, days("at", *each)) for each in ((1, 2, 3), (1, 3)))

    assert together.partition("\n")[0].count(">=") == 1
    assert apart.partition("\n")[0].count(">=") == 2


def test_keys_that_are_no_combinations_are_told_apart(table: DataFrame) -> None:
    """(1, a) and (2, b) are two of four combinations."""
    pairs = (("2026-03-01", "5"), ("2026-03-02", "105"))
    partition = Partition(
        tuple("|".join(pair) for pair in pairs),
        tuple(
            (Choice(Column(("day",)), (day,)), Choice(Column(("id",)), (number,)))
            for day, number in pairs
        ),
    )

    found = measure_with_cost(table, plan_metrics([ROWS]), now=NOW, partition=partition)[0]
    assert found[ROWS] == 2
