"""What SQL means, said by DuckDB: the oracle for queries, over a list of dicts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

import duckdb
import sqlglot

from dqx_dagster.checks.schema import ActualType
from dqx_dagster.checks.sql.tokens import at
from dqx_dagster.metrics.metric import Aggregate, Measurement, SqlQuery, Unmeasurable
from dqx_dagster.metrics.predicate import ALWAYS, And, Predicate, every
from dqx_dagster.metrics.value import Column, SqlText

Rows: TypeAlias = Sequence[Mapping[str, Any]]
Types: TypeAlias = Mapping[str, ActualType]

_TYPES: Final = {"string": "VARCHAR", "timestamp": "TIMESTAMPTZ", "timestamp_ntz": "TIMESTAMP"}


def query(leaf: SqlQuery, rows: Rows, types: Types, now: dt.datetime) -> Measurement:
    """What a query over this one table gives."""
    found: Measurement = _run(leaf.text, rows, types, now)[0][0]
    return found


def value(text: SqlText, rows: Rows, types: Types, now: dt.datetime) -> Measurement:
    """An expression that is made of aggregates."""
    if missing := _missing(text, types):
        return missing
    found: Measurement = _run(f"SELECT {text.text} FROM dqx_t0", rows, types, now)[0][0]
    return found


def applied(
    leaf: Aggregate, rows: Rows, types: Types, now: dt.datetime
) -> tuple[Aggregate, Rows] | Unmeasurable:
    """The aggregate without its conditions in SQL, and the rows where they hold."""
    for condition in [part for part in _parts(leaf.where) if isinstance(part, SqlText)]:
        if missing := _missing(condition, types):
            return missing
        text = f"SELECT n FROM dqx_t0 WHERE {condition.text}"
        rows = [rows[number] for (number,) in sorted(_run(text, rows, types, now))]
    rest = [part for part in _parts(leaf.where) if not isinstance(part, SqlText)]
    return replace(leaf, where=every(*rest) if rest else ALWAYS), rows


def _parts(where: Predicate) -> tuple[Predicate, ...]:
    return where.of if isinstance(where, And) else (where,)


def _missing(text: SqlText, types: Types) -> Unmeasurable | None:
    lacking = [column for column in text.columns if not _has(types, column)]
    return Unmeasurable(f"the table has no column '{lacking[0]}'") if lacking else None


def _has(types: Types, column: Column) -> bool:
    return column.path[0].lower() in {name.lower() for name in types}


def _run(text: str, rows: Rows, types: Types, now: dt.datetime) -> list[Any]:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        columns = ", ".join(f'"{name}" {_type(type_)}' for name, type_ in types.items())
        connection.execute(f"CREATE TABLE dqx_t0 ({columns}, n INT)")
        for number, row in enumerate(rows):
            marks = ", ".join("?" * (len(types) + 1))
            connection.execute(f"INSERT INTO dqx_t0 VALUES ({marks})", [*row.values(), number])
        translated = sqlglot.transpile(at(text, now), read="spark", write="duckdb")[0]
        return connection.execute(translated).fetchall()


def _type(type_: ActualType) -> str:
    return _TYPES.get(type_.name, type_.text)
