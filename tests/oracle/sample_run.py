"""Measures the sample plan with the session that the environment brings, and prints JSON.

    python -m oracle.sample_run FOLDER

`SPARK_REMOTE` or `PYSPARK_SUBMIT_ARGS` say which Spark it is. Also the tests of Spark Connect and
of a cluster call this, each in a process of its own.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dqx_dagster.metrics.metric import Measurement
from oracle.java import JAVA_OPTIONS
from oracle.sample_plan import NOW, PLAN, alike, expected

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TESTS: Final = Path(__file__).parents[1]


def sample(spark: SparkSession, folder: str) -> DataFrame:
    """The stored table, with a column that cannot be computed."""
    from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

    broken = F.when(F.col("id") > 0, F.raise_error(F.col("text"))).cast("int")
    return spark.read.parquet(folder).withColumn("broken", broken)


def run(spark: SparkSession, folder: str) -> dict[str, Any]:
    """What is measured, what of it the oracle does not say, and what it cost."""
    from dqx_dagster.spark.measure import measure_with_cost

    found, cost = measure_with_cost(sample(spark, folder), PLAN, now=NOW)
    wanted = expected()
    pairs = [(leaf, found[leaf], wanted[leaf]) for leaf in PLAN.leaves]
    return {
        "found": [_text(value) for _, value, _ in pairs],
        "different": [repr(pair) for pair in pairs if not alike(*pair[1:])],
        "cost": dataclasses.asdict(cost),
        "executors": _executors(spark),
        "java": _java(),
    }


def _text(value: Measurement) -> str:
    """The order of additions is Spark's own business, so the last digits of a double are too."""
    return f"float {value:.12g}" if isinstance(value, float) else repr(value)


def _java() -> bool:
    """Whether this process talks to a Java of its own, as classic sessions do."""
    from pyspark import SparkContext

    return SparkContext._gateway is not None or SparkContext._active_spark_context is not None


def _executors(spark: SparkSession) -> dict[str, int]:
    """The tasks of every executor, without the driver of a cluster; empty with Connect."""
    if not _java():
        return {}
    store = spark.sparkContext._jsc.sc().statusStore()
    every = store.executorList(True)
    found = [every.apply(index) for index in range(every.size())]
    return {each.id(): each.totalTasks() for each in found if each.totalTasks()}


def child(folder: Path, environment: dict[str, str], *, seconds: float = 300) -> dict[str, Any]:
    """Run this module in a process of its own and read what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "oracle.sample_run", str(folder)],
        env=clean_environment() | environment,
        cwd=folder.parent,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def clean_environment() -> dict[str, str]:
    """The environment without settings for Spark, so that a test alone says what runs.

    Only the options of Java stay, by which it starts quickly.
    """
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SPARK", "PYSPARK", "MASTER"))}
    paths = os.pathsep.join(map(str, (TESTS, TESTS.parent)))
    return kept | {
        "PYTHONPATH": paths,
        "PYTHONIOENCODING": "utf-8",
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_SUBMIT_OPTS": JAVA_OPTIONS,
    }


if __name__ == "__main__":
    from pyspark.sql import SparkSession as Session

    session = Session.builder.getOrCreate()
    sys.stdout.write(json.dumps(run(session, sys.argv[1])) + "\n")
    session.stop()
