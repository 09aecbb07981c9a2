"""Lets every test import `oracle` from this folder, and share one Spark session."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

sys.path.insert(0, str(Path(__file__).parent))

from oracle.java import JAVA_OPTIONS

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ["SPARK_SUBMIT_OPTS"] = JAVA_OPTIONS

SETTINGS: dict[str, bool | float | int | str | None] = {
    "spark.ui.enabled": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timeType.enabled": "true",  # off by default; contracts can declare times
}


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A real session, the same for all tests of a process."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[1]").config(map=SETTINGS).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
