"""Constants of a contract → Spark literals in the type of the column they meet.

Exact or refused. Where two numbers of different types meet, Spark casts both to a third one, and
that may round: 2^53 + 1 becomes 2^53 as a double, -0.5 becomes -1 beside a decimal of 38 digits. So
a column of numbers only meets literals of its own type.
"""

from __future__ import annotations

import datetime as dt
import math
import struct
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

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
_BITS: dict[type[T.DataType], int] = {
    T.ByteType: 8,
    T.ShortType: 16,
    T.IntegerType: 32,
    T.LongType: 64,
}
_DIGITS = 38


def is_number(type_: T.DataType) -> bool:
    """Whether a column holds numbers."""
    return isinstance(type_, (*INTEGERS, *FLOATS, T.DecimalType))


def is_time(type_: T.DataType) -> bool:
    """Whether a column holds times of day; Spark has them from 4.1 on."""
    return type_.simpleString().startswith("time(")


@dataclass(frozen=True, slots=True)
class Floor:
    """The largest number of a column's type that is not above a constant.

    `value` is None where every number of the type is above it.
    """

    value: SparkColumn | None
    exact: bool  # whether it is the constant itself


def number_floor(constant: Literal, type_: T.DataType) -> Floor:
    """Where a constant lies among the numbers of a type; raises `Refusal` where it is none."""
    value = constant.value
    if constant.type not in _NUMBERS or isinstance(value, str):
        raise _unlike(constant, type_)
    if isinstance(value, float) and not math.isfinite(value):
        raise Refusal("a constant is not a finite number")
    exact = Fraction(repr(value) if isinstance(value, float) else value)
    if isinstance(type_, FLOATS):
        single = isinstance(type_, T.FloatType)
        nearest = _nearest(exact, single=single)
        written = _written(nearest, single=single)
        if written > exact:
            nearest = _next_below(nearest, single=single)
        return Floor(F.lit(nearest).cast(type_), written == exact)
    scale, lowest, highest = _range(type_)
    units = exact * 10**scale
    whole = min(math.floor(units), highest)
    if whole < lowest:
        return Floor(None, exact=False)
    text = format(Decimal((int(whole < 0), tuple(map(int, str(abs(whole)))), -scale)), "f")
    return Floor(F.lit(text).cast(type_), whole == units)


def _range(type_: T.DataType) -> tuple[int, int, int]:
    """Decimal places, and the smallest and largest number in units of the last place."""
    if isinstance(type_, T.DecimalType):
        return type_.scale, 1 - 10**type_.precision, 10**type_.precision - 1
    half: int = 2 ** (_BITS[type(type_)] - 1)
    return 0, -half, half - 1


def _nearest(exact: Fraction, *, single: bool) -> float:
    """The double, or the float of 4 bytes, that is nearest; infinite beyond the largest."""
    try:
        double = float(exact)
        return float(struct.unpack("<f", struct.pack("<f", double))[0]) if single else double
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _written(value: float, *, single: bool) -> Fraction | float:
    """The shortest decimal that stands for the number."""
    if not math.isfinite(value):
        return value
    texts = (f"{value:.{digits}g}" for digits in range(1, 10)) if single else iter(())
    short = (t for t in texts if _nearest(Fraction(t), single=True) == value)
    return Fraction(next(short, repr(value)))


def _next_below(value: float, *, single: bool) -> float:
    if not single:
        return math.nextafter(value, -math.inf)
    (bits,) = struct.unpack("<i", struct.pack("<f", value or -0.0))
    return float(struct.unpack("<f", struct.pack("<i", bits - 1 if value > 0 else bits + 1))[0])


def spark_literal(constant: Literal, type_: T.DataType) -> SparkColumn:
    """The constant for a column of this type, which holds no numbers; `Refusal` if not exact."""
    value = constant.value
    if isinstance(type_, TEXTS) and constant.type is LiteralType.STRING:
        if any("\ud800" <= char <= "\udfff" for char in str(value)):  # Py4J would break off
            raise Refusal("a constant is not a valid text")
        return F.lit(value)
    if isinstance(type_, T.BooleanType) and constant.type is LiteralType.BOOLEAN:
        return F.lit(value)
    if isinstance(value, str):
        moment = _moment(value, type_)
        if moment is not None:
            return moment
    raise _unlike(constant, type_)


def _unlike(constant: Literal, type_: T.DataType) -> Refusal:
    return Refusal(f"a {constant.type.value} cannot be compared with {type_.simpleString()}")


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
            # As a text: a Python date passes through Java's old calendar, which has no year 1.
            return F.lit(utc.date().isoformat()).cast("date")
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
