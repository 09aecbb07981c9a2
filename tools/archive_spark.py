"""Writes an archive of the Java classes that Spark needs, from which it starts in half the time.

    python tools/archive_spark.py .venv/spark.jsa

Java takes it with `-XX:SharedArchiveFile`, and goes on without a word where it does not fit.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from pyspark import SparkContext
from pyspark.sql import SparkSession

from dqx_dagster import Contract
from dqx_dagster.spark.check import check_table

QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xlog:disable"
CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: numbers
version: 1.0.0
status: active
schema:
- name: numbers
  properties:
  - {name: id, logicalType: integer, primaryKey: true, logicalTypeOptions: {minimum: 0}}
  - name: word
    logicalType: string
    unique: true
    logicalTypeOptions: {pattern: "^[0-9]+$", maxLength: 9}
"""


def main(archive: Path) -> None:
    """Do what tests and checks do, and keep what was loaded on the way."""
    builder = SparkSession.builder.master("local[1]").config(
        map={
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.extraJavaOptions": f"-XX:ArchiveClassesAtExit={archive} {QUICK}",
            "spark.ui.enabled": "false",
            "spark.log.level": "ERROR",
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        contract, table = Path(folder) / "numbers.yaml", Path(folder) / "numbers"
        contract.write_text(CONTRACT, "utf-8")
        spark = builder.getOrCreate()
        spark.range(100).selectExpr("id", "string(id) AS word").write.parquet(str(table))
        found = check_table(Contract.from_odcs(contract)[0], spark.read.parquet(str(table)))
        assert all(verdict.passed for verdict in found.verdicts)
        spark.stop()
        _end_java()  # it writes the archive when it ends


def _end_java() -> None:
    process: subprocess.Popen[bytes] = SparkContext._gateway.proc  # type: ignore[union-attr]  # noqa: SLF001
    assert process.stdin is not None
    process.stdin.close()
    process.wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
