"""A contract, tables that keep and break it, and a project on disk whose asset has to keep it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
from oracle.sample_run import clean_environment
from pyspark.sql import DataFrame, SparkSession

from dqx_dagster import Contract

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
name: Orders
version: 1.0.0
status: active
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
"""
ORDERS = dg.AssetKey(["shop", "orders"])
CHECKS = {"schema", "volume", "id__primary_key", "status__known"}
KEY, WARNING = "id__primary_key", "status__known"
GOOD = [(1, "open"), (2, "open")]
WARNED = [(1, "open"), (2, "lost")]
BROKEN = [(1, "open"), (1, "open")]

_SECONDS = 300
INSTANCE = """\
telemetry: {enabled: false}
run_coordinator: # runs start at once, also without a daemon that takes them from a queue
  module: dagster._core.run_coordinator
  class: DefaultRunCoordinator
"""


def table(spark: SparkSession, rows: Iterable[tuple[int, str]]) -> DataFrame:
    """Orders."""
    return spark.createDataFrame(list(rows), "id int, status string")


class Rows:
    """A source of these rows, that counts how often it is asked."""

    def __init__(self, rows: Iterable[tuple[int, str]]) -> None:
        self._rows, self.asked = list(rows), 0

    def __call__(
        self, spark: SparkSession, contract: Contract, context: dg.AssetCheckExecutionContext
    ) -> DataFrame:
        self.asked += 1
        return table(spark, self._rows)


@dataclass
class Session:
    """The resource with the session."""

    spark_session: SparkSession


def write_contract(folder: Path, text: str = CONTRACT) -> Path:
    """A folder with this contract."""
    folder.mkdir(exist_ok=True)
    (folder / "orders.odcs.yaml").write_text(text, "utf-8")
    return folder


def made(result: dg.ExecuteInProcessResult) -> set[str]:
    """The assets that were materialized."""
    events = result.get_asset_materialization_events()
    return {event.asset_key.to_user_string() for event in events if event.asset_key}


@dataclass(frozen=True)
class Project:
    """A folder with definitions, a contract, a table, and an instance of Dagster."""

    folder: Path

    @property
    def home(self) -> Path:
        """Where Dagster keeps its runs."""
        return self.folder / "home"

    @property
    def reported(self) -> bool:
        """Whether the asset after the checked one has run."""
        return (self.folder / "report").exists()

    def start(self, *command: str) -> subprocess.Popen[str]:
        """A command of Dagster, as the first of its own group of processes."""
        log = (self.folder / "log").open("w", encoding="utf-8")
        program = str(Path(sys.executable).parent / command[0])
        with log:
            return subprocess.Popen(
                [program, *command[1:]],
                cwd=self.folder,
                env=clean_environment() | {"DAGSTER_HOME": str(self.home)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                encoding="utf-8",
            )

    @contextlib.contextmanager
    def running(self, *command: str) -> Iterator[subprocess.Popen[str]]:
        """A command of Dagster; at the end it and its children are killed."""
        process = self.start(*command)
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def wait_for(self, name: str) -> str:
        """The text of a file, once it is there."""
        end = time.monotonic() + _SECONDS
        while not (self.folder / name).exists():
            assert time.monotonic() < end, self.log()
            time.sleep(0.05)
        return (self.folder / name).read_text("utf-8")

    def log(self) -> str:
        """What the processes have written."""
        return (self.folder / "log").read_text("utf-8", "replace")

    @contextlib.contextmanager
    def instance(self) -> Iterator[dg.DagsterInstance]:
        """What Dagster has kept."""
        with dg.DagsterInstance.from_config(str(self.home)) as instance:
            yield instance

    def last_run(self) -> tuple[dg.DagsterRunStatus, dict[str, bool]]:
        """How the last run ended, and which checks it has seen pass or fail."""
        with self.instance() as instance:
            (run,) = instance.get_runs(limit=1)
            logs = instance.all_logs(run.run_id, dg.DagsterEventType.ASSET_CHECK_EVALUATION)
        events = [entry.dagster_event for entry in logs if entry.dagster_event]
        found = [event.asset_check_evaluation_data for event in events]
        assert len(found) == len({each.check_name for each in found})
        return run.status, {each.check_name: each.passed for each in found}


def make_project(folder: Path, spark: SparkSession, rows: Iterable[tuple[int, str]]) -> Project:
    """A project whose orders are these rows."""
    shutil.copy(Path(__file__).parent / "small_project.py", folder / "defs.py")
    write_contract(folder / "contracts")
    table(spark, rows).coalesce(1).write.parquet(str(folder / "shop.orders.parquet"))
    project = Project(folder)
    project.home.mkdir()
    (project.home / "dagster.yaml").write_text(INSTANCE, "utf-8")
    return project
