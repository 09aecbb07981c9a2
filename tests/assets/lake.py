"""Events in folders by day and region, an asset for them, and runs of its partitions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._core.storage.tags import (
    ASSET_PARTITION_RANGE_END_TAG,
    ASSET_PARTITION_RANGE_START_TAG,
)
from pyspark.sql import SparkSession

from assets.projects import Session, write_contract
from dqx_dagster import with_contracts

EVENTS = dg.AssetKey("events")
CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: events
version: 1.0.0
status: active
slaProperties:
- {{property: latency, value: 100, unit: y, element: events.at}}
schema:
- name: events
  quality:
  - {{name: rows, metric: rowCount, mustBe: 4}}
  - name: all_rows
    metric: rowCount
    mustBe: 12
    customProperties: [{{property: scope, value: table}}]
  properties:
  - {{name: id, logicalType: integer, unique: true}}
  - {{name: day, logicalType: date{day}}}
  - {{name: at, logicalType: timestamp{at}}}
  - {{name: region, logicalType: string{region}}}
  - {{name: number, logicalType: integer{number}}}
"""
PARTITIONED = ", partitioned: true, partitionKeyPosition: 1"
DAYS = dg.DailyPartitionsDefinition("2026-03-01", end_date="2026-03-04")
REGIONS = dg.StaticPartitionsDefinition(["eu", "us"])


def contract(*columns: str) -> str:
    """The contract of events that are partitioned by these columns."""
    every = ("day", "at", "region", "number")
    return CONTRACT.format(**{c: PARTITIONED if c in columns else "" for c in every})


def events_in_folders(spark: SparkSession, path: Path) -> Path:
    """Twelve events in folders by day and region: four a day, every six hours."""
    table = spark.range(12).selectExpr(
        "cast(id as int) as id",
        "date_add(date'2026-03-01', cast(id div 4 as int)) as day",
        "timestamp'2026-03-01 00:00:00' + make_dt_interval(0, cast(id * 6 as int)) as at",
        "if(id % 2 = 0, 'eu', 'us') as region",
        "cast(id div 4 as int) as number",
    )
    table.repartition(1).write.partitionBy("day", "region").parquet(str(path))
    return path


@dataclass
class Lake:
    """The events, and an instance of Dagster."""

    spark: SparkSession
    events: Path
    folder: Path
    instance: dg.DagsterInstance

    def defs(
        self,
        partitions: dg.PartitionsDefinition[Any],
        *columns: str,
        metadata: dict[str, Any] | None = None,
        **options: Any,
    ) -> dg.Definitions:
        """Definitions of the events, partitioned so."""

        @dg.asset(key=EVENTS, partitions_def=partitions, metadata=metadata)
        def made() -> None: ...

        before = dg.Definitions(assets=[made], resources={"pyspark": Session(self.spark)})
        contracts = write_contract(self.folder, contract(*columns))
        return with_contracts(before, contracts, source=self.events, **options)

    def run(self, defs: dg.Definitions, key: str | None = None, end: str | None = None) -> Told:
        """A run of one partition, of those from one to another, or of none."""
        ends = (ASSET_PARTITION_RANGE_START_TAG, ASSET_PARTITION_RANGE_END_TAG)
        return Told(
            defs.resolve_implicit_global_asset_job_def().execute_in_process(
                instance=self.instance,
                partition_key=None if end else key,
                tags=dict(zip(ends, (key, end), strict=True)) if key and end else None,
                raise_on_error=False,
            )
        )


@dataclass
class Told:
    """What a run says."""

    result: dg.ExecuteInProcessResult

    def __getitem__(self, name: str) -> dg.AssetCheckEvaluation:
        found = self.result.get_asset_check_evaluations()
        assert len(found) == len({each.check_name for each in found})
        (check,) = [each for each in found if each.check_name == name]
        return check

    def value(self, name: str, key: str = "value") -> Any:
        """A number of a check."""
        return self[name].metadata[key].value
