"""Runs of one partition, or of some: just their rows are checked, and just those are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster._core.storage.tags import (
    ASSET_PARTITION_RANGE_END_TAG,
    ASSET_PARTITION_RANGE_START_TAG,
)
from pyspark.sql import SparkSession

from assets.projects import Session, write_contract
from dqx_dagster import ContractWarning, DefinitionsError, Settings, contract_asset, with_contracts

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
NEW_YORK = dg.DailyPartitionsDefinition("2026-03-01", timezone="America/New_York")


def contract(*columns: str) -> str:
    """The contract of events that are partitioned by these columns."""
    every = ("day", "at", "region", "number")
    return CONTRACT.format(**{c: PARTITIONED if c in columns else "" for c in every})


@pytest.fixture(scope="module")
def events(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve events in folders by day and region: four a day, every six hours."""
    path = tmp_path_factory.mktemp("lake") / "events.parquet"
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


@pytest.fixture
def lake(spark: SparkSession, events: Path, tmp_path: Path) -> Iterator[Lake]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield Lake(spark, events, tmp_path, instance)


MULTI = dg.MultiPartitionsDefinition({"day": DAYS, "region": REGIONS})
HOURS = dg.HourlyPartitionsDefinition("2026-03-01-00:00", end_date="2026-03-04-00:00")
NUMBERS = dg.StaticPartitionsDefinition(["0", "1", "2"])
DYNAMIC = dg.DynamicPartitionsDefinition(name="regions")


@pytest.mark.parametrize(
    ("partitions", "columns", "key", "rows"),
    [
        pytest.param(DAYS, ["day"], "2026-03-02", 4, id="days of a date"),
        pytest.param(DAYS, ["at"], "2026-03-02", 4, id="days of a timestamp"),
        pytest.param(NEW_YORK, ["at"], "2026-03-02", 4, id="days of another zone"),
        pytest.param(HOURS, ["at"], "2026-03-02-06:00", 1, id="hours"),
        pytest.param(HOURS, ["at"], "2026-03-02-07:00", 0, id="an hour without rows"),
        pytest.param(REGIONS, ["region"], "us", 6, id="static"),
        pytest.param(NUMBERS, ["number"], "2", 4, id="numbers"),
        pytest.param(DYNAMIC, ["region"], "eu", 6, id="dynamic"),
        pytest.param(MULTI, ["day", "region"], "2026-03-02|us", 2, id="two dimensions"),
    ],
)
def test_a_run_of_a_partition_checks_its_rows(
    lake: Lake, partitions: dg.PartitionsDefinition[Any], columns: list[str], key: str, rows: int
) -> None:
    lake.instance.add_dynamic_partitions("regions", ["eu"])

    told = lake.run(lake.defs(partitions, *columns), key)

    assert (told.value("rows"), told.value("rows", "partition")) == (rows, key)
    assert (told.value("all_rows"), told["all_rows"].passed) == (12, True)
    assert told["at__sla_freshness_check"].passed
    assert told.value("id__unique", "rows") == rows


@pytest.mark.parametrize(
    ("partitions", "columns", "keys", "rows"),
    [
        pytest.param(DAYS, ["day"], ("2026-03-01", "2026-03-02"), 8, id="days"),
        pytest.param(DAYS, ["at"], ("2026-03-02", "2026-03-03"), 8, id="days of a timestamp"),
        pytest.param(REGIONS, ["region"], ("eu", "us"), 12, id="static"),
        pytest.param(
            MULTI, ["day", "region"], ("2026-03-01|us", "2026-03-02|us"), 4, id="two dimensions"
        ),
    ],
)
def test_a_run_of_several_partitions_checks_the_rows_of_all(
    lake: Lake,
    partitions: dg.PartitionsDefinition[Any],
    columns: list[str],
    keys: tuple[str, str],
    rows: int,
) -> None:
    told = lake.run(lake.defs(partitions, *columns), *keys)

    assert told.value("rows") == rows
    assert told.value("rows", "partition") == f"{keys[0]} … {keys[1]} (2 partitions)"


def test_a_run_without_a_partition_checks_the_table(lake: Lake) -> None:
    told = lake.run(lake.defs(DAYS, "day"))

    assert told.value("rows") == 12
    assert "partition" not in told["rows"].metadata


def test_the_rows_of_the_partition_and_of_the_table_are_observed(lake: Lake) -> None:
    told = lake.run(lake.defs(DAYS, "day"), "2026-03-02")

    (observed,) = told.result.get_asset_observation_events()
    observation = observed.asset_observation_data.asset_observation
    assert observation.partition == "2026-03-02"
    assert observation.metadata["dagster/partition_row_count"].value == 4
    assert observation.metadata["dagster/row_count"].value == 12


def test_uniqueness_may_be_about_the_whole_table(lake: Lake) -> None:
    settings = Settings(whole_table=("unique",))

    told = lake.run(lake.defs(DAYS, "day", settings=settings), "2026-03-02")

    assert told.value("id__unique", "rows") == 12
    assert "partition" not in told["id__unique"].metadata


def test_dagster_keeps_a_result_for_each_partition_on_request(lake: Lake) -> None:
    defs = lake.defs(DAYS, "day", partitioned_checks=True)

    lake.run(defs, "2026-03-01")
    lake.run(defs, "2026-03-02")

    rows = dg.AssetCheckKey(EVENTS, "rows")
    history = lake.instance.event_log_storage.get_asset_check_execution_history(rows, limit=10)
    assert [record.partition for record in history] == ["2026-03-02", "2026-03-01"]


def test_the_asset_may_say_which_column_it_is(lake: Lake) -> None:
    with pytest.raises(DefinitionsError, match="which column holds the partitions of asset 'ev"):
        lake.defs(DAYS, "day", "at")

    told = lake.run(lake.defs(DAYS, "day", "at", metadata={"partition_expr": "at"}), "2026-03-02")
    assert told.value("rows") == 4


def test_dimensions_are_columns_of_the_same_name_or_named_by_the_asset(lake: Lake) -> None:
    other = dg.MultiPartitionsDefinition({"date": DAYS, "region": REGIONS})
    with pytest.raises(DefinitionsError, match="dimension 'date' of the partitions"):
        lake.defs(other, "day", "region")

    defs = lake.defs(other, "day", "region", metadata={"partition_expr": {"date": "day"}})
    assert lake.run(defs, "2026-03-02|us").value("rows") == 2


def test_without_a_partition_column_the_whole_table_is_checked_and_a_warning_says_so(
    lake: Lake,
) -> None:
    with pytest.warns(ContractWarning, match="every run checks the whole table"):
        defs = lake.defs(DAYS)

    assert lake.run(defs, "2026-03-02").value("rows") == 12


@pytest.mark.parametrize(
    ("partitions", "column", "key", "why"),
    [
        pytest.param(HOURS, "day", "2026-03-02-06:00", "begins or ends within a day", id="hours"),
        pytest.param(REGIONS, "number", "eu", "no integer, as column 'number' is", id="no number"),
        pytest.param(REGIONS, "at", "eu", "holds no keys of partitions", id="a timestamp"),
    ],
)
def test_rows_that_cannot_be_told_apart_pass_nothing(
    lake: Lake, partitions: dg.PartitionsDefinition[Any], column: str, key: str, why: str
) -> None:
    told = lake.run(lake.defs(partitions, column), key)

    assert not told["rows"].passed
    assert why in (told["rows"].description or "")
    assert not told["id__unique"].passed
    assert not told.result.success
    assert told["schema"].passed
    assert told["all_rows"].passed


def test_a_partition_is_checked_before_it_is_written(lake: Lake) -> None:
    """What is about the whole table is checked afterwards, when there is one."""
    contracts = write_contract(lake.folder, contract("day"))
    written: list[int] = []

    @contract_asset(
        contracts / "orders.odcs.yaml",
        source=lake.events,
        write=lambda table, *_: written.append(table.count()),
        partitions_def=DAYS,
    )
    def made(context: dg.AssetExecutionContext, pyspark: dg.ResourceParam[Session]) -> Any:
        day = context.partition_key
        return pyspark.spark_session.read.parquet(str(lake.events)).where(f"day = '{day}'")

    before = dg.Definitions(assets=[made], resources={"pyspark": Session(lake.spark)})
    told = lake.run(with_contracts(before, contracts), "2026-03-02")

    assert told.result.success
    assert (written, told.value("rows"), told.value("all_rows")) == ([4], 4, 12)
