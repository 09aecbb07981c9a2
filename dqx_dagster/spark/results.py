"""How a value leaves Spark: as a text that always collects, and what that text means in Python."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import TypeAlias

from pyspark.sql import Column as SparkColumn
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql import types as T  # noqa: N812

from dqx_dagster.metrics.metric import Measurement, Unmeasurable
from dqx_dagster.spark.literals import INTEGERS, from_micros, is_number

Read: TypeAlias = Callable[[str], Measurement]


def leaving(value: SparkColumn, type_: T.DataType) -> tuple[SparkColumn, Read] | None:
    """The value in a form that can leave, and how to read its text; None if it is no measure."""
    match type_:
        case T.DateType():
            return F.unix_date(value), _date
        case T.TimestampType():
            return F.unix_micros(value), _instant
        case T.TimestampNTZType():
            return value, _local
        case _ if is_number(type_):
            return value, _reader(type_)
        case _:
            return None


def _reader(type_: T.DataType) -> Read:
    if isinstance(type_, INTEGERS):
        return int
    return Decimal if isinstance(type_, T.DecimalType) else float


def _instant(text: str) -> Measurement:
    return from_micros(int(text)) or Unmeasurable("a timestamp lies outside the years 1 to 9999")


def _local(text: str) -> Measurement:
    try:
        return dt.datetime.fromisoformat(_padded(text))  # without zone, as the column is
    except ValueError:
        return Unmeasurable("a timestamp lies outside the years 1 to 9999")


def _padded(text: str) -> str:
    """Spark drops trailing zeros of a fraction; Python 3.10 wants three or six digits."""
    head, dot, fraction = text.partition(".")
    return f"{head}.{fraction.ljust(6, '0')}" if dot else head


def _date(text: str) -> Measurement:
    try:
        return dt.date(1970, 1, 1) + dt.timedelta(days=int(text))
    except OverflowError:
        return Unmeasurable("a date lies outside the years 1 to 9999")
