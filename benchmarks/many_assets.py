"""Where the time goes in one run of many assets with contracts, as shares of each way to run them.

Makes small tables and contracts of twenty rules, then runs all assets and their checks

* with a step for the checks, or in the asset's own step (`contract_asset`);
* under the multiprocess executor, which is Dagster's default, and in one process;

each in a fresh process with a fresh instance on SQLite. A row of the table tells the wall time, CPU
time of all processes, and the sum over all steps of: starting processes, starting Spark, measuring,
and the rest, most of which is Dagster's record of events.

    python benchmarks/many_assets.py --assets 50
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
from dagster_pyspark import LazyPySparkResource

from dqx_dagster import contract_asset, load_contracts, with_contracts
from dqx_dagster.contract.model import Contract

COLUMNS = 6
ROWS = 10_000
SPARK = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
WAYS = (
    "own step, processes",
    "in step, processes",
    "own step, one process",
    "in step, one process",
)


# The project, which every process of a run loads


class TimedSpark(dg.ConfigurableResource):  # type: ignore[type-arg] # the resource is itself
    """A session, and a note of how long it took to start."""

    @property
    def spark_session(self) -> Any:
        """The session of this process."""
        start = time.perf_counter()
        session = LazyPySparkResource(spark_config=SPARK).spark_session
        _note("session", time.perf_counter() - start)
        return session


def _note(what: str, seconds: float) -> None:
    path = Path(os.environ["BENCH_FOLDER"]) / "notes"
    with path.open("a", encoding="utf-8") as notes:
        notes.write(f"{what} {seconds}\n")


def write_project(folder: Path, assets: int) -> None:
    """Contracts of twenty rules: a schema, six columns with three rules each, and a row count."""
    (folder / "contracts").mkdir()
    for number in range(assets):
        columns = "\n".join(
            f"  - {{name: c{column}, logicalType: integer, required: true,"
            f" logicalTypeOptions: {{minimum: 0, maximum: {ROWS}}}}}"
            for column in range(COLUMNS)
        )
        (folder / "contracts" / f"t{number}.yaml").write_text(
            f"apiVersion: v3.1.0\nkind: DataContract\nid: t{number}\nversion: 1.0.0\n"
            f"status: active\nschema:\n- name: t{number}\n  quality:\n"
            f"  - {{metric: rowCount, mustBe: {ROWS}, severity: error}}\n"
            f"  properties:\n{columns}\n",
            "utf-8",
        )


def definitions(folder: Path, *, in_step: bool, one_process: bool) -> dg.Definitions:
    """The assets of the project, checked in one way or the other."""
    contracts = load_contracts(folder / "contracts")
    make = _in_step if in_step else _plain
    return with_contracts(
        dg.Definitions(
            assets=[make(contract, folder) for contract in contracts],
            resources={"pyspark": TimedSpark()},
            executor=dg.in_process_executor if one_process else dg.multiprocess_executor,
        ),
        contracts,
        source=folder / "{dataset}.parquet",
    )


def _write(spark: Any, contract: Contract, folder: Path) -> None:
    columns = [f"cast(id as int) as c{number}" for number in range(COLUMNS)]
    path = folder / f"{contract.dataset}.parquet"
    spark.range(ROWS).selectExpr(*columns).write.mode("overwrite").parquet(str(path))


def _plain(contract: Contract, folder: Path) -> dg.AssetsDefinition:
    @dg.asset(key=contract.dataset)
    def table(pyspark: TimedSpark) -> None:
        _write(pyspark.spark_session, contract, folder)

    return table


def _in_step(contract: Contract, folder: Path) -> dg.AssetsDefinition:
    @contract_asset(contract, source=folder / "{dataset}.parquet")
    def table(pyspark: TimedSpark) -> None:
        _write(pyspark.spark_session, contract, folder)

    return table


if folder_of_run := os.environ.get("BENCH_FOLDER"):
    _way = os.environ["BENCH_WAY"]
    defs = definitions(
        Path(folder_of_run), in_step="in step" in _way, one_process="one process" in _way
    )


# What is measured


def main() -> None:
    """Print a row for each way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--assets", type=int, default=50)
    parser.add_argument("--only", nargs="+", choices=WAYS, default=WAYS)
    arguments = parser.parse_args()
    heads = ("way", "wall s", "CPU s", "sessions", "processes", "Spark starts", "measuring", "rest")
    print("| " + " | ".join(heads) + " |")
    print("| " + " | ".join("---" for _ in heads) + " |")
    for way in arguments.only:
        with tempfile.TemporaryDirectory() as name:
            print("| " + " | ".join((way, *run(Path(name), way, arguments.assets))) + " |")


def run(folder: Path, way: str, assets: int) -> Iterator[str]:
    """The numbers of one run."""
    write_project(folder, assets)
    home = folder / "home"
    home.mkdir()
    (home / "dagster.yaml").write_text("telemetry: {enabled: false}\n", "utf-8")
    settings = {"BENCH_FOLDER": str(folder), "BENCH_WAY": way, "DAGSTER_HOME": str(home)}
    command = ("asset", "materialize", "-f", __file__, "--select", "*")
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [str(Path(sys.executable).parent / "dagster"), *command],
        env=os.environ | settings,
        check=False,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    parts = _parts(folder)
    total = sum(parts.values())
    sessions = sum(1 for note in _notes(folder) if note > 1)
    yield from (f"{wall:.0f}", f"{cpu:.0f}", str(sessions))
    yield from (f"{100 * seconds / total:.0f} %" for seconds in parts.values())


def _parts(folder: Path) -> dict[str, float]:
    """Seconds of all steps together, by what they were spent on."""
    with dg.DagsterInstance.from_config(str(folder / "home")) as instance:
        (made,) = instance.get_runs(limit=1)
        entries = instance.all_logs(made.run_id)
    starting, running, measuring = 0.0, 0.0, 0.0
    began: dict[tuple[str | None, str], float] = {}
    for entry in entries:
        event = entry.dagster_event
        if event is None:
            continue
        kind = event.event_type_value
        began[event.step_key, kind] = entry.timestamp
        if kind == "STEP_START":
            starting += entry.timestamp - began.get(
                (event.step_key, "STEP_WORKER_STARTING"), entry.timestamp
            )
        elif kind == "STEP_SUCCESS":
            running += entry.timestamp - began[event.step_key, "STEP_START"]
        elif kind in ("ASSET_OBSERVATION", "ASSET_MATERIALIZATION"):
            measuring += _seconds(event)
    spark = sum(_notes(folder))
    return {
        "processes": starting,
        "spark": spark,
        "measuring": measuring,
        "rest": running - spark - measuring,
    }


def _seconds(event: dg.DagsterEvent) -> float:
    told = event.event_specific_data
    found = getattr(told, "asset_observation", None) or getattr(told, "materialization", None)
    value = found.metadata.get("seconds") if found else None
    return float(value.value) if value is not None else 0.0


def _notes(folder: Path) -> list[float]:
    lines = (folder / "notes").read_text("utf-8").splitlines()
    return [float(line.split()[1]) for line in lines]


if __name__ == "__main__":
    main()
