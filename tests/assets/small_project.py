"""A project of Dagster, to be copied into a folder with a contract and a table, and run there.

The report leaves a file behind when it runs. Where there is a file `slow`, the table takes a
minute to read, and files tell which processes are reading it.
"""

import os
import time
from pathlib import Path

import dagster as dg
from dagster_pyspark import LazyPySparkResource
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from dqx_dagster import Contract, with_contracts

HERE = Path(__file__).parent
SPARK = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@dg.asset(key=["shop", "orders"])
def orders() -> None:
    """Its table has been put there before."""


@dg.asset(deps=[orders])
def report() -> None:
    """What must not run on broken orders."""
    (HERE / "report").touch()


def slow_table(
    spark: SparkSession, contract: Contract, context: dg.AssetCheckExecutionContext
) -> DataFrame:
    """The orders, after a minute that begins when Spark is at work on them."""

    def wait(value: int) -> int:
        (HERE / "reading").touch()
        time.sleep(60)
        return value

    (HERE / "python.pid").write_text(str(os.getpid()))
    gateway = spark.sparkContext._gateway
    (HERE / "java.pid").write_text(str(gateway.proc.pid if gateway else ""))
    table = spark.read.parquet(str(HERE / "shop.orders.parquet"))
    return table.withColumn("id", F.udf(wait, "int")("id"))


defs = with_contracts(
    dg.Definitions(
        assets=[orders, report],
        resources={"pyspark": LazyPySparkResource(spark_config=SPARK)},
    ),
    HERE / "contracts",
    source=slow_table if (HERE / "slow").exists() else HERE / "{dataset}.parquet",
)
