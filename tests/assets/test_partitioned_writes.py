"""Partitions that are checked in their own step, before they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from pyspark.sql import SparkSession

from assets.lake import DAYS, EVENTS, Lake, contract, events_in_folders
from assets.projects import Session, write_contract
from dqx_dagster import ContractWarning, contract_asset, with_contracts


@pytest.fixture(scope="module")
def events(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return events_in_folders(spark, tmp_path_factory.mktemp("lake") / "events.parquet")


@pytest.fixture
def lake(spark: SparkSession, events: Path, tmp_path: Path) -> Iterator[Lake]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield Lake(spark, events, tmp_path, instance)


def written_by_day(
    lake: Lake,
    *columns: str,
    write: Callable[..., None] = lambda *_: None,
    **options: Any,
) -> dg.Definitions:
    """The events of a day, in their own step."""
    contracts = write_contract(lake.folder, contract(*columns))

    @contract_asset(
        contracts / "orders.odcs.yaml",
        source=lake.events,
        write=write,
        partitions_def=DAYS,
        **options,
    )
    def made(context: dg.AssetExecutionContext, pyspark: dg.ResourceParam[Session]) -> Any:
        day = context.partition_key
        return pyspark.spark_session.read.parquet(str(lake.events)).where(f"day = '{day}'")

    before = dg.Definitions(assets=[made], resources={"pyspark": Session(lake.spark)})
    return with_contracts(before, contracts)


def test_a_partition_is_checked_before_it_is_written(lake: Lake) -> None:
    """What is about the whole table is checked afterwards, when there is one."""
    written: list[int] = []
    defs = written_by_day(lake, "day", write=lambda table, *_: written.append(table.count()))

    told = lake.run(defs, "2026-03-02")

    assert told.result.success
    assert (written, told.value("rows"), told.value("all_rows")) == ([4], 4, 12)


def test_what_is_checked_before_it_is_written_is_counted_as_the_partition(lake: Lake) -> None:
    told = lake.run(written_by_day(lake, "day"), "2026-03-02")

    (made,) = told.result.get_asset_materialization_events()
    metadata = made.materialization.metadata
    assert metadata["dagster/partition_row_count"].value == 4
    assert "dagster/row_count" not in metadata
    assert told.value("rows", "partition") == "2026-03-02"


def test_rules_about_the_table_see_all_of_it_without_a_partition_column_too(lake: Lake) -> None:
    """The four rows that the function returns would break a rule about twelve."""
    with pytest.warns(ContractWarning, match="every run checks the whole table"):
        defs = written_by_day(lake)

    told = lake.run(defs, "2026-03-02")

    assert told.result.success
    assert (told.value("rows"), told.value("all_rows")) == (4, 12)


def test_checks_alone_observe_their_partition(lake: Lake) -> None:
    key = dg.AssetCheckKey(EVENTS, "rows")
    chosen = [dg.define_asset_job("job", dg.AssetSelection.checks(key))]
    defs = dg.Definitions.merge(written_by_day(lake, "day"), dg.Definitions(jobs=chosen))

    result = defs.resolve_job_def("job").execute_in_process(
        instance=lake.instance, tags={"dagster/partition": "2026-03-02"}
    )

    (observed,) = result.get_asset_observation_events()
    observation = observed.asset_observation_data.asset_observation
    assert observation.partition == "2026-03-02"
    assert observation.metadata["dagster/partition_row_count"].value == 4


def test_the_asset_may_say_which_column_it_is(lake: Lake) -> None:
    defs = written_by_day(lake, "day", "at", metadata={"partition_expr": "day"})

    assert lake.run(defs, "2026-03-02").value("rows") == 4
