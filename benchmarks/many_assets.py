"""Where the time goes in one run of many assets with contracts, for the ways to run them.

Makes small tables and contracts of twenty rules, then runs all assets and their checks, each way in
a fresh process with a fresh instance on SQLite. The checks have a step of their own, or run in the
asset's (`contract_asset`). Steps run

* in processes, which is Dagster's default: each starts Python and a Java with Spark;
* in processes with a quick Java: it compiles fast rather than well;
* the same with the classes of Spark from an archive (`tools/archive_spark.py`);
* the same with processes that are forked from one that has imported everything;
* in processes that share a server of Spark Connect;
* all in one process.

A row tells wall and CPU time of all processes for each asset, how many sessions of Spark were
started, and where the time of all steps together went: starting processes, starting Spark, writing
tables, measuring, and the rest, most of which is Dagster's record of events. Runs on Linux.

    python benchmarks/many_assets.py --assets 50 --checks column --only "own step, one process"
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pyspark
from dagster_pyspark import LazyPySparkResource

from dqx_dagster import Granularity, Settings, contract_asset, load_contracts, with_contracts
from dqx_dagster.contract.model import Contract

COLUMNS = 6
ROWS = 10_000
SPARK = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
ARCHIVE = Path(sys.prefix) / "spark.jsa"
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
ARCHIVED = f"{QUICK} -XX:SharedArchiveFile={ARCHIVE} -Xlog:disable"
FORKED = {"start_method": {"forkserver": {"preload_modules": ["dqx_dagster.definitions"]}}}
COMMAND = ("-m", "dagster", "asset", "materialize", "-f", __file__, "--select", "*")
PLACES = ("own step", "in step")
RUNS = (
    "processes",
    "processes, quick Java",
    "processes, archived Java",
    "forked processes, archived Java",
    "processes, Spark Connect",
    "one process",
)
WAYS = [f"{place}, {run}" for run in RUNS for place in PLACES]
PARTS = ("processes", "Spark starts", "writing", "measuring", "rest")


# The project, which every process of a run loads


class TimedSpark(dg.ConfigurableResource):  # type: ignore[type-arg] # the resource is itself
    """A session, and a note of how long it took to start."""

    @property
    def spark_session(self) -> Any:
        """The session of this process."""
        start = time.perf_counter()
        if remote := os.environ.get("BENCH_REMOTE"):
            session = pyspark.sql.SparkSession.builder.remote(remote).getOrCreate()
        else:
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


def definitions(folder: Path, way: str, settings: Settings) -> dg.Definitions:
    """The assets of the project, checked in one way or the other."""
    contracts = load_contracts(folder / "contracts")
    make = _in_step if "in step" in way else _plain
    return with_contracts(
        dg.Definitions(
            assets=[make(contract, folder, settings) for contract in contracts],
            resources={"pyspark": TimedSpark()},
            executor=_executor(way),
        ),
        contracts,
        source=folder / "{dataset}.parquet",
        settings=settings,
    )


def _executor(way: str) -> dg.ExecutorDefinition:
    if "one process" in way:
        return dg.in_process_executor
    return dg.multiprocess_executor.configured(FORKED if "forked" in way else {})


def _write(spark: Any, contract: Contract, folder: Path) -> None:
    start = time.perf_counter()
    columns = [f"cast(id as int) as c{number}" for number in range(COLUMNS)]
    path = folder / f"{contract.dataset}.parquet"
    spark.range(ROWS).selectExpr(*columns).write.mode("overwrite").parquet(str(path))
    _note("write", time.perf_counter() - start)


def _plain(contract: Contract, folder: Path, _: Settings) -> dg.AssetsDefinition:
    @dg.asset(key=contract.dataset)
    def table(pyspark: TimedSpark) -> None:
        _write(pyspark.spark_session, contract, folder)

    return table


def _in_step(contract: Contract, folder: Path, settings: Settings) -> dg.AssetsDefinition:
    @contract_asset(contract, source=folder / "{dataset}.parquet", settings=settings)
    def table(pyspark: TimedSpark) -> None:
        _write(pyspark.spark_session, contract, folder)

    return table


if folder_of_run := os.environ.get("BENCH_FOLDER"):
    _settings = Settings(implied_checks=Granularity(os.environ["BENCH_CHECKS"]))
    defs = definitions(Path(folder_of_run), os.environ["BENCH_WAY"], _settings)


# What is measured


def main() -> None:
    """Print a row for each way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--assets", type=int, default=4)
    parser.add_argument("--only", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--checks", choices=[each.value for each in Granularity], default="rule")
    arguments = parser.parse_args()
    print(f"{arguments.assets} assets, checks by {arguments.checks}; seconds for each asset:")
    _adopt()
    heads = ("way", "wall s", "CPU s", "sessions", *PARTS)
    print("| " + " | ".join(heads) + " |")
    print("| " + " | ".join("---" for _ in heads) + " |", flush=True)
    for way in arguments.only:
        with tempfile.TemporaryDirectory() as name:
            row = " | ".join((way, *run(Path(name), way, arguments.assets, arguments.checks)))
        print(f"| {row} |", flush=True)


def _adopt() -> None:
    """Make what outlives its parent, as Java does, a child of this process: its time counts too."""
    set_child_subreaper = 36
    assert ctypes.CDLL(None).prctl(set_child_subreaper, 1) == 0


def _reap() -> None:
    """Wait for everything that has been adopted."""
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()


def run(folder: Path, way: str, assets: int, checks: str) -> Iterator[str]:
    """The numbers of one run."""
    write_project(folder, assets)
    home = folder / "home"
    home.mkdir()
    (home / "dagster.yaml").write_text("telemetry: {enabled: false}\n", "utf-8")
    settings = {"BENCH_FOLDER": str(folder), "BENCH_WAY": way, "BENCH_CHECKS": checks}
    settings["DAGSTER_HOME"] = str(home)
    if "Java" in way:
        settings["SPARK_SUBMIT_OPTS"] = ARCHIVED if "archived" in way else QUICK
    if "archived" in way:
        assert ARCHIVE.exists(), f"{ARCHIVE} is missing: tools/archive_spark.py writes it"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    server = _connect(folder) if "Connect" in way else contextlib.nullcontext({})
    with server as where:
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, *COMMAND],
            env=os.environ | settings | where,
            check=False,
            capture_output=True,
            encoding="utf-8",
        )
        wall = time.perf_counter() - start
    assert done.returncode == 0, done.stderr[-2000:]
    _reap()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    parts = _parts(folder)
    total = sum(parts.values())
    sessions = sum(1 for seconds in _notes(folder, "session") if seconds > 1)
    yield from (f"{wall / assets:.1f}", f"{cpu / assets:.1f}", str(sessions))
    yield from (f"{100 * seconds / total:.0f} %" for seconds in parts.values())


@contextlib.contextmanager
def _connect(folder: Path) -> Iterator[dict[str, str]]:
    """A server of Spark Connect, and the variable that tells where it is."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    name = "org.apache.spark.sql.connect.service.SparkConnectServer"
    settings = {
        **SPARK,
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
    }
    words = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    submit = str(Path(pyspark.__file__).parent / "bin" / "spark-submit")
    with (folder / "connect.log").open("wb") as log:
        server = subprocess.Popen(
            [submit, "--class", name, *words],
            env=os.environ | {"SPARK_LOCAL_IP": "127.0.0.1"},
            stdout=log,
            stderr=log,
        )
        try:
            while socket.socket().connect_ex(("127.0.0.1", port)) != 0:
                assert server.poll() is None, (folder / "connect.log").read_text("utf-8")
                time.sleep(0.2)
            yield {"BENCH_REMOTE": f"sc://127.0.0.1:{port}"}
        finally:
            server.terminate()
            server.wait()


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
    spark, writing = sum(_notes(folder, "session")), sum(_notes(folder, "write"))
    rest = running - spark - writing - measuring
    return dict(zip(PARTS, (starting, spark, writing, measuring, rest), strict=True))


def _seconds(event: dg.DagsterEvent) -> float:
    told = event.event_specific_data
    found = getattr(told, "asset_observation", None) or getattr(told, "materialization", None)
    value = found.metadata.get("seconds") if found else None
    return float(value.value) if value is not None else 0.0


def _notes(folder: Path, what: str) -> list[float]:
    notes = map(str.split, (folder / "notes").read_text("utf-8").splitlines())
    return [float(seconds) for kind, seconds in notes if kind == what]


if __name__ == "__main__":
    main()
