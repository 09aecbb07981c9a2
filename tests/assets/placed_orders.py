"""Orders with the time at which they were placed: a contract, rows, and runs of their checks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import dagster as dg
from pyspark.sql import DataFrame, SparkSession

from dqx_dagster import (
    Contract,
)

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
name: Orders
version: 1.0.0
status: active
slaProperties:
- {property: latency, value: 1000000, unit: h, element: orders.placed_at}
schema:
- name: orders
  physicalName: shop.orders
  quality:
  - {name: volume, metric: rowCount, mustBeGreaterThan: 0, severity: error}
  properties:
  - {name: id, logicalType: integer, primaryKey: true}
  - name: status
    logicalType: string
    quality:
    - {name: known, metric: invalidValues, arguments: {validValues: [open]}, mustBe: 0}
  - {name: placed_at, logicalType: timestamp}
"""
COLUMNS = "id int, status string, placed_at timestamp"
GOOD = [(1, "open", "2026-03-05 10:00:00"), (2, "open", "2026-03-06 10:00:00")]
WARNED = [(1, "open", "2026-03-05 10:00:00"), (2, "lost", "2026-03-06 10:00:00")]
BROKEN = [(1, "open", "2026-03-05 10:00:00"), (1, "lost", "2026-03-06 10:00:00")]
ALL = {"schema", "id__primary_key", "volume", "status__known", "placed_at__sla_freshness_check"}


@dataclass
class Session:
    """Any resource with a `.spark_session` will do."""

    spark_session: SparkSession


class Tables:
    """A source that gives what the test has put there."""

    def __init__(self, rows: Iterable[tuple[Any, ...]], columns: str = COLUMNS) -> None:
        self._rows, self._columns, self.asked = list(rows), columns, 0

    def __call__(
        self, spark: SparkSession, contract: Contract, context: dg.AssetCheckExecutionContext
    ) -> DataFrame:
        self.asked += 1
        texts = ", ".join(f"{c.split()[0]} string" for c in self._columns.split(", "))
        table = spark.createDataFrame([tuple(map(_text, row)) for row in self._rows], texts)
        return table.selectExpr(
            *(f"cast({c.split()[0]} as {c.split()[1]})" for c in self._columns.split(", "))
        )


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


@dg.asset(key=["shop", "orders"])
def orders() -> None:
    """The rows come from the source of the checks."""


@dg.asset(deps=[orders])
def report() -> None:
    """What must not run on broken orders."""


def run(
    spark: SparkSession,
    checks: list[dg.AssetChecksDefinition],
    selection: dg.AssetSelection | None = None,
) -> dg.ExecuteInProcessResult:
    return dg.materialize(
        [orders, report, *checks],
        resources={"pyspark": Session(spark)},
        selection=selection,
        raise_on_error=False,
    )


def outcomes(result: dg.ExecuteInProcessResult) -> dict[str, str]:
    found = result.get_asset_check_evaluations()
    assert len({each.check_name for each in found}) == len(found)
    return {each.check_name: str(each.metadata["outcome"].value) for each in found}


def made(result: dg.ExecuteInProcessResult) -> set[str]:
    events = result.get_asset_materialization_events()
    return {event.asset_key.to_user_string() for event in events if event.asset_key}
