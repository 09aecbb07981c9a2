"""A real standalone cluster: the same measurements as in one process."""

from __future__ import annotations

from pathlib import Path

from oracle import sample_plan
from oracle.java import JAVA_OPTIONS
from oracle.sample_run import child, run
from oracle.spark_servers import LOOPBACK, cluster, submit_arguments
from pyspark.sql import SparkSession

EXECUTORS = 2
SETTINGS = {
    "spark.driver.host": LOOPBACK,
    "spark.driver.bindAddress": LOOPBACK,
    "spark.executor.extraJavaOptions": JAVA_OPTIONS,
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": str(EXECUTORS),
    "spark.sql.session.timeZone": "Asia/Kathmandu",
    "spark.ui.enabled": "false",
    # Work starts when both executors are there.
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "180s",
}


def test_a_cluster_measures_what_one_process_and_the_oracle_measure(
    spark: SparkSession, tmp_path: Path
) -> None:
    stored = tmp_path / "sample"
    sample_plan.store(stored)

    with cluster(tmp_path, workers=EXECUTORS) as master:
        environment = {
            "PYSPARK_SUBMIT_ARGS": submit_arguments(master, SETTINGS),
            "TZ": "America/New_York",  # of the driver alone
        }
        spread = child(stored, environment)
    alone = run(spark, str(stored))

    assert (spread["different"], alone["different"]) == ([], [])
    assert spread["found"] == alone["found"]
    assert sorted(spread["executors"]) == [str(number) for number in range(EXECUTORS)]
    assert spread["cost"]["rows_read"] >= len(sample_plan.TABLE)
