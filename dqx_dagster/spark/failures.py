"""Everything that Spark throws → one reason without data, or one clear error.

Spark's messages contain values of the table. Only the name of the error condition is kept.
"""

from __future__ import annotations

from typing import Final

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dqx_dagster.errors import EngineError

FAILURES: Final = (
    PySparkException,
    Py4JError,
    OSError,  # the JVM is gone: connection refused
    AttributeError,  # of a stopped session: 'NoneType' object has no attribute 'sc'
    ValueError,  # a value that Python cannot hold
    RuntimeError,
)
"""What a query may raise; Spark Connect's errors are PySparkExceptions too."""


def reason(error: Exception) -> str:
    """The name of what went wrong."""
    if isinstance(error, PySparkException):
        # Spark 4 renamed it, and warns of the old name.
        ask = error.getCondition if hasattr(error, "getCondition") else error.getErrorClass
        if condition := ask():
            return f"Spark reports {condition}"
    if isinstance(error, Py4JJavaError):
        return f"Spark reports {_root_cause(error)}"
    return f"Spark reports {type(error).__name__}"


def _root_cause(error: Py4JJavaError) -> str:
    """The class of the innermost Java exception; its message may contain data."""
    try:
        cause = error.java_exception
        while cause.getCause() is not None:
            cause = cause.getCause()
        return str(cause.getClass().getSimpleName())
    except FAILURES:
        return "an error in Java"


def check_alive(spark: SparkSession) -> None:
    """Raise one clear error if the session answers no more."""
    try:
        spark.sql("SELECT 1").collect()
    except FAILURES as error:
        text = "Spark is gone: its process has ended or the session was stopped"
        raise EngineError(f"{text} ({type(error).__name__})") from None
