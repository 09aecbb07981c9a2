"""A child process that loses its Spark in one of several ways, and tells what the engine does.

Run with the way as argument. Prints one line of JSON: what was raised, or what was measured.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from dqx_dagster.metrics.metric import ROWS, Aggregate, Function
from dqx_dagster.metrics.plan import Plan, plan_metrics
from dqx_dagster.metrics.predicate import Matches
from dqx_dagster.metrics.value import Column
from dqx_dagster.spark.measure import measure

NOW = dt.datetime(2026, 3, 5, 10, tzinfo=dt.timezone.utc)
SETTINGS: dict[str, bool | float | int | str | None] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "1",
}
CANARY = "987-65-4320 eve.canary@example.test"
_NUMBER, _TEXT = Column(("id",)), Column(("text",))
PLAIN = plan_metrics([ROWS, Aggregate(Function.MAX, _NUMBER)])
"""Needs neither a pattern nor a query of its own."""
FULL = plan_metrics(
    [
        ROWS,
        Aggregate(Function.MAX, _NUMBER),
        Aggregate(Function.DISTINCT, _TEXT),
        Aggregate(Function.COUNT, where=Matches(_TEXT, "^eve")),
    ]
)


def main(way: str) -> None:
    """Lose Spark in this way, and print what the engine makes of it."""
    spark = SparkSession.builder.master("local[1]").config(map=SETTINGS).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    table, lose = prepared(way, spark)
    during = way.endswith("during")
    if during:
        threading.Thread(target=_when_running, args=(spark, lose), daemon=True).start()
    else:
        lose()
    start = time.perf_counter()
    answer = _answer(table, FULL if during else PLAIN)
    again = _answer(table, FULL)["raised"]
    answer |= {"seconds": time.perf_counter() - start, "again": again}
    print(json.dumps(answer), flush=True)  # noqa: T201 - what the parent reads
    os._exit(0)  # nothing may wait for a Java that is gone


def prepared(way: str, spark: SparkSession) -> tuple[DataFrame, Callable[[], None]]:
    """The table, and what makes Spark or the table vanish."""
    process = spark.sparkContext._jvm.java.lang.ProcessHandle.current()  # type: ignore[union-attr]
    number = int(process.pid())
    rows = 10**13 if way.endswith("during") else 5
    table = spark.range(rows).withColumn("text", F.concat(F.lit(CANARY), F.col("id")))
    if "files" in way:
        path = Path(tempfile.mkdtemp()) / "table.parquet"
        table.write.parquet(str(path))
        return spark.read.parquet(str(path)), lambda: _remove(path, everything="folder" in way)
    if "kill" in way:
        return table, lambda: os.kill(number, signal.SIGKILL)
    return table, spark.stop


def _remove(path: Path, *, everything: bool) -> None:
    if everything:
        shutil.rmtree(path.parent)
        return
    for file in path.glob("*.parquet"):
        file.unlink()


def _when_running(spark: SparkSession, lose: Callable[[], None]) -> None:
    tracker = spark.sparkContext.statusTracker()
    while not tracker.getActiveStageIds():
        time.sleep(0.05)
    lose()


def _answer(table: DataFrame, plan: Plan) -> dict[str, object]:
    try:
        found = measure(table, plan, now=NOW)
    except Exception as error:  # noqa: BLE001 - which one it is, is the question
        return {
            "raised": f"{type(error).__module__}.{type(error).__name__}",
            "text": str(error),
            "cause": repr(error.__cause__),
            "hides_context": error.__suppress_context__ or error.__context__ is None,
        }
    return {"raised": None, "text": repr(list(found.values()))}


if __name__ == "__main__":
    main(sys.argv[1])
