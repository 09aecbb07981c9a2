"""A child process that measures failing rules, first with Spark's log off, then as Spark comes.

Prints one line of JSON. Everything else on stdout and stderr is what others print.
"""

from __future__ import annotations

import json
import logging
import sys
import time

from pyspark.sql import SparkSession

from dqx_dagster.metrics.metric import Unmeasurable
from dqx_dagster.spark.measure import measure
from oracle.faults import NOW, Fault, among, hostile_table, running_faults

NAMES = ("cast", "raised", "udf")
TURN = "=== Spark's own log ==="


def main() -> None:
    """Measure twice, and print the reasons."""
    logging.basicConfig(level=logging.INFO)
    settings: dict[str, bool | float | int | str | None] = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.timeType.enabled": "true",
    }
    spark = SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
    context = spark.sparkContext
    faults = [fault for fault in running_faults() if fault.name in NAMES]
    context.setLogLevel("OFF")
    quiet = reasons(spark, faults)
    for stream in (sys.stdout, sys.stderr):
        print(TURN, file=stream, flush=True)
    context.setLogLevel("WARN")  # as it is by default
    loud = reasons(spark, faults)
    time.sleep(0.5)  # Java writes its log in its own time
    print(json.dumps([quiet, loud]), flush=True)  # noqa: T201 - what the parent reads


def reasons(spark: SparkSession, faults: list[Fault]) -> list[str]:
    """Why each of the faults cannot be measured."""
    found = measure(hostile_table(spark), among(faults, [0, 30, 60]), now=NOW)
    values = [found[fault.leaf] for fault in faults]
    return [value.reason if isinstance(value, Unmeasurable) else "" for value in values]


if __name__ == "__main__":
    main()
