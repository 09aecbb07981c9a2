"""A table with a canary in every column, sixty rules that fit it, and many that do not.

The canary looks like personal data. Wherever its marks turn up outside the table, data has leaked.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from dqx_dagster.metrics.metric import (
    ROWS,
    Aggregate,
    Function,
    Leaf,
    Measurement,
    Quantile,
    count_set,
)
from dqx_dagster.metrics.periods import Granularity, Window
from dqx_dagster.metrics.plan import Plan
from dqx_dagster.metrics.predicate import (
    And,
    Compares,
    Comparison,
    HasField,
    HasRepeats,
    IsMultipleOf,
    IsSet,
    Matches,
    Not,
    OneOf,
    Predicate,
)
from dqx_dagster.metrics.value import (
    Column,
    Length,
    Literal,
    LiteralType,
    Lowercase,
    Row,
    Value,
    literal,
)

CANARY: Final = "987-65-4320 eve.canary@example.test"
MARKS: Final = ("987-65", "4320", "eve.canary", "9876543")
NOW: Final = dt.datetime(2026, 3, 5, 10, tzinfo=dt.timezone.utc)
ROW_COUNT: Final = 6

_DATA: Final = f"""
SELECT
  CAST(id AS INT) AS id,
  id * 2 AS big,
  CAST(id * 10 AS SMALLINT) AS small,
  CAST(id + 0.25 AS DECIMAL(10, 2)) AS amount,
  CAST(id / 4 AS DOUBLE) AS ratio,
  CAST(id / 8 AS FLOAT) AS weight,
  id % 2 = 0 AS flag,
  IF(id = 3, NULL, CONCAT(id, ' {CANARY}')) AS text,
  REPEAT('{CANARY}', 100) AS novel,
  IF(id = 2, NULL, '{CANARY}') AS mail,
  ARRAY(CONCAT(id, '{CANARY}'), '{CANARY}') AS tags,
  ARRAY(MAP('{CANARY}', id)) AS maps,
  MAP('{CANARY}', '{CANARY}', 'k', CAST(id AS STRING)) AS attrs,
  MAP(9876543 + id, '{CANARY}') AS numbered,
  NAMED_STRUCT('name', '{CANARY}', 'age', CAST(id AS INT)) AS person,
  CAST('{CANARY}' AS BINARY) AS raw,
  PARSE_JSON('{{"ssn": "{CANARY}"}}') AS anything,
  DATE '2026-03-01' + CAST(id AS INT) AS day,
  TIMESTAMP '2026-03-04 09:00:00' + MAKE_DT_INTERVAL(0, CAST(id AS INT)) AS seen,
  TIMESTAMP_NTZ '2026-03-04 09:00:00' AS local,
  TIME '09:30:00' AS clock,
  INTERVAL '3' DAY AS span,
  INTERVAL '3' MONTH AS months,
  CAST(REPEAT('9', 38) AS DECIMAL(38, 0)) AS edge,
  9223372036854775807L AS top,
  DATE_FROM_UNIX_DATE(9876543) AS far_day,
  TIMESTAMP_MICROS(987654300000000000L) AS far_seen,
  CAST(TIMESTAMP_MICROS(987654300000000000L) AS TIMESTAMP_NTZ) AS far_local,
  STRUCT() AS hollow,
  1 AS twin,
  2 AS TWIN,
  id AS `odd.name ``x`
FROM RANGE({ROW_COUNT})
"""

BROKEN: Final = {
    "cast": ("CAST(mail AS INT)", "CAST_INVALID_INPUT"),
    "decimal": ("CAST(mail AS DECIMAL(10, 2))", "CAST_INVALID_INPUT"),
    "boolean": ("CAST(CAST(mail AS BOOLEAN) AS INT)", "CAST_INVALID_INPUT"),
    "zero": ("id DIV (id - id)", "DIVIDE_BY_ZERO"),
    "remainder": ("big % (big - big)", "REMAINDER_BY_ZERO"),
    "element": ("LENGTH(ELEMENT_AT(tags, 9876543))", "INVALID_ARRAY_INDEX_IN_ELEMENT_AT"),
    "index": ("LENGTH(tags[9876543])", "INVALID_ARRAY_INDEX"),
    "raised": ("CAST(IF(id >= 0, RAISE_ERROR(novel), 1) AS INT)", "USER_RAISED_EXCEPTION"),
    "overflow": ("top + big", "ARITHMETIC_OVERFLOW"),
    "digits": ("edge + edge", "NUMERIC_VALUE_OUT_OF_RANGE"),
    "narrow": ("CAST(top AS INT)", "CAST_OVERFLOW"),
    "date": ("TO_DATE(mail, 'yyyy-MM-dd')", "CANNOT_PARSE_TIMESTAMP"),
    "stamp": ("TO_TIMESTAMP(mail)", "CAST_INVALID_INPUT"),
    "month": ("MAKE_DATE(2026, 13, id + 1)", "DATETIME_FIELD_OUT_OF_BOUNDS"),
    "variant": ("VARIANT_GET(anything, '$.ssn', 'int')", "INVALID_VARIANT_CAST"),
    "keys": ("SIZE(MAP_FROM_ARRAYS(ARRAY(novel, novel), ARRAY(1, 2)))", "DUPLICATED_MAP_KEY"),
    "json": ("FROM_JSON(novel, 'a INT', MAP('mode', 'FAILFAST')).a", "JsonParseException"),
    "number": ("TO_NUMBER(mail, '999')", "INVALID_FORMAT"),
    "format": ("LENGTH(FORMAT_STRING('%d', mail))", "IllegalFormatConversion"),
    "url": ("LENGTH(URL_DECODE(CONCAT(mail, '%zz')))", "CANNOT_DECODE_URL"),
    "java": ("CAST(JAVA_METHOD('java.lang.Long', 'parseLong', mail) AS INT)", "NumberFormat"),
    "udf": ("", "PYTHON_EXCEPTION"),
}
"""Columns that fail while a row is read, with ANSI on: the expression, and what Spark calls it."""


def hostile_table(spark: SparkSession) -> DataFrame:
    """The table, held in memory, and its columns that cannot be computed."""
    table = spark.sql(_DATA).localCheckpoint()

    def raise_(text: str) -> int:  # inside, so that it is sent to Python's worker as a whole
        raise ValueError(f"no number: {text}")

    raises = F.udf(raise_, "int", useArrow=False)
    columns = {
        f"x_{name}": F.expr(expression) if expression else raises("mail")
        for name, (expression, _) in BROKEN.items()
    }
    return table.withColumns(columns)


def column(*path: str) -> Column:
    return Column(path)


def _counting(where: Predicate) -> Aggregate:
    return Aggregate(Function.COUNT, where=where)


def _of(function: Function, *names: str) -> list[Leaf]:
    return [Aggregate(function, column(name)) for name in names]


def _good() -> list[Leaf]:
    numbers = ("id", "big", "small", "amount", "ratio", "weight")
    texts = ("text", "novel", "mail")
    window = Window(Granularity.DAILY, 5)
    found: list[Leaf] = [
        ROWS,
        *_of(Function.MIN, *numbers, "day", "seen", "local", "top", "edge"),
        *_of(Function.MAX, *numbers, "day", "seen", "local", "odd.name `x"),
        *_of(Function.SUM, *numbers, "top"),
        *_of(Function.VARIANCE, "id", "ratio"),
        *(count_set(column(name)) for name in (*texts, "tags", "attrs", "raw", "anything", "span")),
        *(Aggregate(Function.MAX, Length(column(name))) for name in (*texts, "tags", "person")),
        *(_counting(Matches(column(name), "canary")) for name in texts),
        _counting(And((IsSet(column("mail")), Not(Matches(column("mail"), "^(.+ )+x"))))),
        _counting(Compares(column("amount"), Comparison.GREATER, literal(2.5))),
        _counting(Compares(column("seen"), Comparison.LESS, _moment("2026-03-04T11:00:00Z"))),
        _counting(IsMultipleOf(column("id"), literal(2))),
        _counting(OneOf(Lowercase(column("mail")), (literal(CANARY),))),
        _counting(HasRepeats(column("tags"))),
        _counting(HasField(column("attrs"), CANARY)),
        _counting(HasField(column("person"), "name")),
        Aggregate(Function.PERCENTILE, column("id"), argument=Quantile(0.5)),
        Aggregate(Function.PERCENTILE, column("amount"), argument=Quantile(0.9, exact=True)),
        Aggregate(Function.DISTINCT, column("text")),
        Aggregate(Function.DISTINCT, Row((column("mail"), column("flag")))),
        Aggregate(Function.PERIODS, column("day"), argument=window),
    ]
    return found


def _moment(text: str) -> Literal:
    return Literal(LiteralType.TIMESTAMP, text)


@dataclass(frozen=True, slots=True)
class Fault:
    """A rule that cannot be measured: what its reason must contain, or what it is decided to be."""

    name: str
    leaf: Aggregate
    says: str
    value: Measurement = None

    def __str__(self) -> str:
        return self.name


def among(faults: Sequence[Fault], places: Iterable[int]) -> Plan:
    """A plan of the good rules, with the faults at these places among them."""
    leaves: list[Leaf] = list(GOOD)
    for fault, place in zip(faults, places, strict=True):
        leaves.insert(place, fault.leaf)
    return Plan(tuple(dict.fromkeys(leaves)))


GOOD: Final[tuple[Leaf, ...]] = tuple(_good())


def running_faults() -> list[Fault]:
    """One rule for each column that fails while it is read, of all kinds of aggregates."""
    found = []
    for index, (name, (_, says)) in enumerate(BROKEN.items()):
        broken: Value = column(f"x_{name}")
        positive = Compares(broken, Comparison.GREATER, literal(0))
        moment = name in ("date", "stamp", "month")
        kinds = [
            Aggregate(Function.MAX, broken),
            Aggregate(Function.MIN, broken),
            Aggregate(Function.SUM, broken),
            Aggregate(Function.COUNT, where=positive),
            Aggregate(Function.VARIANCE, broken),
        ]
        found.append(Fault(name, kinds[index % (2 if moment else len(kinds))], says))
    return found
