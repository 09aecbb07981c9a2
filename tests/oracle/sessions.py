"""Spark sessions with other settings, next to the one that all tests share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ANSI: Final = "spark.sql.ansi.enabled"
ZONE: Final = "spark.sql.session.timeZone"
INTERPRETED: Final = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}
"""No generated code, which for tables of a few rows is also the quickest."""


def session_with(spark: SparkSession, settings: Mapping[str, str]) -> SparkSession:
    """A session of its own in the same process; the shared one stays as it is."""
    fresh = spark.newSession()
    for name, value in settings.items():
        fresh.conf.set(name, value)
    return fresh
