"""Everything that Spark throws → one reason without data, or one clear error.

Spark's messages contain values of the table. Only the name of the error condition is kept, with a
word on what helps where one does.
"""

from __future__ import annotations

import contextlib
import logging
import sys
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
    AssertionError,  # the same, from functions that look for the context first
    ValueError,  # a value that Python cannot hold
    RuntimeError,
)
"""What a query may raise; Spark Connect's errors are PySparkExceptions too."""

_CONVERT: Final = "a value has another form than the table's query expects; try_cast gives NULL"
_RANGE: Final = "a number is too large for its type in the table's query"
_FILES: Final = "files of the table are gone or unreadable; read the table again"
_HINTS: Final = {
    "CAST_INVALID_INPUT": _CONVERT,
    "CANNOT_PARSE": _CONVERT,
    "INVALID_VARIANT_CAST": _CONVERT,
    "CAST_OVERFLOW": _RANGE,
    "ARITHMETIC_OVERFLOW": _RANGE,
    "NUMERIC_VALUE_OUT_OF_RANGE": _RANGE,
    "DIVIDE_BY_ZERO": "the table's query divides by zero; try_divide gives NULL",
    "REMAINDER_BY_ZERO": "the table's query divides by zero; try_mod gives NULL",
    "INVALID_ARRAY_INDEX": "a list is shorter than the table's query expects; get gives NULL",
    "PYTHON_EXCEPTION": "a Python function in the table's query fails",
    "FAILED_READ_FILE": _FILES,
    "FileNotFoundException": _FILES,
    "OutOfMemoryError": "Spark needs more memory",
}
"""What the name of an error condition begins with, and what to know about it."""


def reason(error: Exception) -> str:
    """The name of what went wrong, and what helps."""
    name = _name(error)
    hints = (hint for start, hint in _HINTS.items() if name.startswith(start))
    return ": ".join((f"Spark reports {name}", *hints))


def _name(error: Exception) -> str:
    # All of them ask Java, which may have ended since.
    with contextlib.suppress(*FAILURES):
        if isinstance(error, PySparkException):
            # Spark 4 renamed it, and warns of the old name.
            ask = error.getCondition if hasattr(error, "getCondition") else error.getErrorClass
            if condition := ask():
                return condition
        if isinstance(error, Py4JJavaError):
            return _root_cause(error)
    return type(error).__name__


def _root_cause(error: Py4JJavaError) -> str:
    """The innermost Java exception: its condition or class, as its message may contain data."""
    cause = error.java_exception
    while cause.getCause() is not None:
        cause = cause.getCause()
    for ask in ("getCondition", "getErrorClass"):  # of Spark 4, of Spark 3; others have neither
        with contextlib.suppress(Py4JError):
            if condition := getattr(cause, ask)():
                return str(condition)
    return str(cause.getClass().getSimpleName())


def check_alive(spark: SparkSession, failed: Exception) -> None:
    """Raise one clear error if the session answers no more; `failed` is what made us ask."""
    if _is_unreachable(failed):  # and has been tried for minutes: no need to ask again
        raise _gone(failed) from None
    try:
        spark.sql("SELECT 1").collect()
    except FAILURES as error:
        raise _gone(error) from None


def _is_unreachable(error: Exception) -> bool:
    """Whether a server of Spark Connect does not answer."""
    status = getattr(error, "getGrpcStatusCode", lambda: None)()
    return getattr(status, "name", None) == "UNAVAILABLE"


def _gone(error: Exception) -> EngineError:
    text = "Spark is gone: its process has ended or the session was stopped"
    return EngineError(f"{text} ({type(error).__name__}); run again with a new session")


def _is_foreign(_: logging.LogRecord) -> bool:
    """Whether something is logged about a query that is not the engine's."""
    frame = sys._getframe(1)  # noqa: SLF001 - the record itself does not tell who asked
    while frame.f_back is not None:
        frame = frame.f_back
        if str(frame.f_globals.get("__name__")).startswith("dqx_dagster.spark."):
            return False
    return True


# PySpark 4 writes the message of every error to stderr by itself, with the values in it.
with contextlib.suppress(ImportError):
    from pyspark.logger import PySparkLogger

    for _logger in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(_logger).addFilter(_is_foreign)
