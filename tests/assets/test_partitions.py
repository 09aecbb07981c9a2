"""Runs of one partition, or of some: just their rows are checked, and just those are read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from pyspark.sql import SparkSession

from assets.lake import DAYS, EVENTS, REGIONS, Lake, events_in_folders
from dqx_dagster import ContractWarning, DefinitionsError, Settings

NEW_YORK = dg.DailyPartitionsDefinition("2026-03-01", timezone="America/New_York")


@pytest.fixture(scope="module")
def events(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return events_in_folders(spark, tmp_path_factory.mktemp("lake") / "events.parquet")


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


def test_what_the_asset_says_of_its_column_wins(lake: Lake) -> None:
    """The contract's column is of the same name as a dimension, or the only one of its kind."""
    told = lake.run(lake.defs(HOURS, "day", metadata={"partition_expr": "at"}), "2026-03-02-06:00")
    assert told.value("rows") == 1

    other = dg.MultiPartitionsDefinition({"number": DAYS, "region": REGIONS})
    said_by_dimension = {"partition_expr": {"number": "day"}}
    defs = lake.defs(other, "day", "region", metadata=said_by_dimension)
    assert lake.run(defs, "2026-03-02|us").value("rows") == 2


def test_an_expression_of_sql_leaves_it_to_the_contract(lake: Lake) -> None:
    defs = lake.defs(DAYS, "day", metadata={"partition_expr": "TO_DATE(at)"})

    assert lake.run(defs, "2026-03-02").value("rows") == 4


def test_the_cost_of_all_that_is_read_is_added_up(lake: Lake) -> None:
    """The rules about the partition and those about the table take a pass each."""

    def read(*names: str) -> Any:
        defs = lake.defs(DAYS, "day")
        keys = [dg.AssetCheckKey(EVENTS, name) for name in names]
        chosen = dg.Definitions(jobs=[dg.define_asset_job("job", dg.AssetSelection.checks(*keys))])
        job = dg.Definitions.merge(defs, chosen).resolve_job_def("job")
        result = job.execute_in_process(
            instance=lake.instance, tags={"dagster/partition": "2026-03-02"}
        )
        (observed,) = result.get_asset_observation_events()
        metadata = observed.asset_observation_data.asset_observation.metadata
        return metadata["bytes_read"].value

    assert read("id__unique", "all_rows") == read("id__unique") + read("all_rows")


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
