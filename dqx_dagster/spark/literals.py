"""Constants of a contract → Spark literals in the type of the column they meet.

Exact or refused: an integer is compared with a decimal as decimals, never through a double, so that
2^53 + 1 is not 2^53.
"""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal

from pyspark.sql import Column as SparkColumn
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql import types as T  # noqa: N812

from dqx_dagster.checks.threshold import parse_moment
from dqx_dagster.metrics.value import Literal, LiteralType
from dqx_dagster.spark.binding import Refusal

INTEGERS = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)
FLOATS = (T.FloatType, T.DoubleType)
TEXTS = (T.StringType, T.VarcharType, T.CharType)
_NUMBERS = (LiteralType.INTEGER, LiteralType.NUMBER)
_LONG = 2**63
_DIGITS = 38


def is_number(type_: T.DataType) -> bool:
    """Whether a column holds numbers."""
    return isinstance(type_, (*INTEGERS, *FLOATS, T.DecimalType))


def is_time(type_: T.DataType) -> bool:
    """Whether a column holds times of day; Spark has them from 4.1 on."""
    return type_.simpleString().startswith("time(")


def spark_literal(constant: Literal, type_: T.DataType) -> SparkColumn:
    """The constant for a column of this type; raises `Refusal` where that is not exact."""
    value = constant.value
    if isinstance(type_, TEXTS) and constant.type is LiteralType.STRING:
        return F.lit(value)
    if isinstance(type_, T.BooleanType) and constant.type is LiteralType.BOOLEAN:
        return F.lit(value)
    if is_number(type_) and constant.type in _NUMBERS:
        assert isinstance(value, int | float)
        return _number(value, type_)
    if isinstance(value, str):
        moment = _moment(value, type_)
        if moment is not None:
            return moment
    raise Refusal(f"a {constant.type.value} cannot be compared with {type_.simpleString()}")


def _number(value: int | float, type_: T.DataType) -> SparkColumn:
    if isinstance(type_, FLOATS):
        return F.lit(float(value))
    if isinstance(value, int) and -_LONG <= value < _LONG:
        return F.lit(value).cast("bigint")
    return decimal_literal(value)


def decimal_literal(value: int | float) -> SparkColumn:
    """A number as Spark's decimal, without rounding."""
    if isinstance(value, float) and not math.isfinite(value):
        raise Refusal("a constant is not a finite number")
    exact = Decimal(repr(value))
    digits = exact.as_tuple()
    scale = max(0, -int(digits.exponent))
    precision = max(len(digits.digits) + max(0, int(digits.exponent)), scale + 1)
    if precision > _DIGITS:
        raise Refusal("a constant has more digits than a decimal of Spark")
    return F.lit(format(exact, "f")).cast(T.DecimalType(precision, scale))


def _moment(text: str, type_: T.DataType) -> SparkColumn | None:
    if is_time(type_):
        return F.lit(text).cast(type_)
    moment = parse_moment(text)
    if moment is None:
        return None
    utc = moment.astimezone(dt.timezone.utc)
    match type_:
        case T.DateType() if utc.time() == dt.time():
            return F.lit(utc.date())
        case T.TimestampNTZType():
            return F.lit(utc.replace(tzinfo=None).isoformat(" ")).cast("timestamp_ntz")
        case T.TimestampType():
            return F.timestamp_micros(F.lit(micros(utc)))
        case _:
            return None


_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)


def micros(moment: dt.datetime) -> int:
    """Microseconds since 1970."""
    return (moment - _EPOCH) // dt.timedelta(microseconds=1)


def from_micros(value: int) -> dt.datetime | None:
    """The moment, or None where Python has no such year."""
    try:
        return _EPOCH + dt.timedelta(microseconds=value)
    except OverflowError:
        return None
