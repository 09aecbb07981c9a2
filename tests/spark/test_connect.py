"""Spark Connect, with a real server: the same measurements as with a classic session.

The server lives in New York and the process that talks to it in Tokyo and has no Java, so that
neither a zone nor a JVM of its own can help it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from oracle import sample_plan
from oracle.sample_run import child, clean_environment, run
from oracle.spark_servers import connect_server, free_port, kill
from pyspark.sql import SparkSession

from dqx_dagster.cli import main

pytest.importorskip("grpc", reason="Spark Connect needs the extra [connect]")

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: sample
version: 1.0.0
status: active
schema:
- name: sample
  quality:
  - {name: volume, metric: rowCount, mustBe: 200, severity: error}
  - {name: fused, type: sql, query: SELECT COUNT(*) FROM sample WHERE text IS NULL, mustBe: 29}
  - {name: own, type: sql, query: SELECT EXISTS (SELECT 1 FROM sample WHERE text IS NULL)}
  properties:
  - name: text
    logicalType: string
    quality:
    - {name: filled, metric: nullValues, mustBe: 0}
"""

SHOP = """\
apiVersion: v3.1.0
kind: DataContract
id: shop
version: 1.0.0
status: active
schema:
- name: orders
  properties:
  - {name: id, logicalType: integer, primaryKey: true}
  - {name: status, logicalType: string, required: true, logicalTypeOptions: {maxLength: 4}}
  - {name: customer, logicalType: integer, relationships: [{to: customers.id}]}
- name: customers
  properties:
  - {name: id, logicalType: integer}
"""

PARTED = """\
import json, sys
from pyspark.sql import SparkSession
from dqx_dagster import Settings, load_contracts
from dqx_dagster.spark.check import check_table
from dqx_dagster.spark.quarantine import failing_rows, good_rows

customers, orders = sorted(load_contracts(sys.argv[1]), key=lambda contract: contract.dataset)
spark = SparkSession.builder.getOrCreate()
rows = "(1, 'open', 7), (2, 'lost again', 7), (3, NULL, 8), (4, 'open', 7), (4, 'open', NULL)"
table = spark.sql(f"SELECT * FROM VALUES {rows} AS t(id, status, customer)")
tables = {"customers": spark.sql("SELECT 7 AS id")}
found = check_table(orders, table, settings=Settings(failing_rows=5), tables=tables)
bad, good = (part(orders, table, tables=tables) for part in (failing_rows, good_rows))
shown = {name: samples.rows for name, samples in found.samples.items()}
print(json.dumps([shown, sorted(map(list, bad.collect()), key=str), good.collect()]))
"""

SERVER_DIES = """\
import sys
from pyspark.sql import SparkSession
from pyspark.sql.connect.client.retries import DefaultPolicy
from dqx_dagster.errors import EngineError
from dqx_dagster.metrics.metric import ROWS
from dqx_dagster.metrics.plan import plan_metrics
from dqx_dagster.spark.measure import measure
from oracle.sample_plan import NOW

spark = SparkSession.builder.getOrCreate()
# Spark's client tries for ten minutes, as it is told here not to.
spark.client.set_retry_policies([DefaultPolicy(max_retries=1)])
table, plan = spark.range(3), plan_metrics([ROWS])
print(list(measure(table, plan, now=NOW).values()), flush=True)
sys.stdin.readline()
for table in (table, spark.range(4)):
    try:
        measure(table, plan, now=NOW)
    except EngineError as error:
        print(error, flush=True)
"""


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("connect") / "sample"
    sample_plan.store(folder)
    return folder


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    folder = tmp_path_factory.mktemp("server")
    with connect_server(folder, TZ="America/New_York") as found:
        yield found


def without_java(remote: str, folder: Path) -> dict[str, str]:
    nowhere = str(folder / "nowhere")
    return {"SPARK_REMOTE": remote, "TZ": "Asia/Tokyo", "JAVA_HOME": nowhere, "PATH": nowhere}


def test_connect_measures_what_a_classic_session_and_the_oracle_measure(
    spark: SparkSession, server: tuple[str, int], stored: Path
) -> None:
    remote = child(stored, without_java(server[0], stored))
    classic = run(spark, str(stored))

    assert (remote["different"], classic["different"]) == ([], [])
    assert remote["found"] == classic["found"]
    assert (remote["java"], classic["java"]) == (False, True)
    assert remote["cost"].pop("seconds") > 0
    assert remote["cost"] == {"jobs": None, "rows_read": None, "bytes_read": None}
    assert None not in classic["cost"].values()


def test_run_uses_the_server_that_the_environment_names(
    server: tuple[str, int], stored: Path, tmp_path: Path
) -> None:
    contract = tmp_path / "sample.odcs.yaml"
    contract.write_text(CONTRACT, "utf-8")
    command = [sys.executable, "-W", "error::UserWarning", "-m", "dqx_dagster.cli", "run"]
    arguments = [str(contract), "--table", f"sample={stored}", "--format", "json"]

    done = subprocess.run(
        [*command, *arguments],
        env=clean_environment() | without_java(server[0], tmp_path),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    (table,) = json.loads(done.stdout)["tables"]
    assert (table["rows"], table["cost"]["jobs"], table["cost"]["scans"]) == (200, None, None)
    answers = {check["name"]: (check["actual"], check["outcome"]) for check in table["checks"]}
    assert answers == {
        "schema": (0, "passed"),
        "volume": (200, "passed"),
        "fused": (29, "passed"),
        "own": (1, "passed"),
        "text__filled": (29, "failed"),
    }


def test_rows_that_break_rules_are_shown_and_parted(
    server: tuple[str, int], tmp_path: Path
) -> None:
    contract = tmp_path / "shop.odcs.yaml"
    contract.write_text(SHOP, "utf-8")

    done = subprocess.run(
        [sys.executable, "-c", PARTED, str(contract)],
        env=clean_environment() | without_java(server[0], tmp_path),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    shown, bad, good = json.loads(done.stdout)
    assert shown == {
        "id__primary_key": [[4, 2]],
        "status__required": [[3, None]],
        "status__max_length": [[2, "lost again"]],
        "customer__relationship": [[3, 8]],
    }
    assert bad == [
        [2, "lost again", 7, ["status__max_length"]],
        [3, None, 8, ["status__required", "customer__relationship"]],
        [4, "open", 7, ["id__primary_key"]],
        [4, "open", None, ["id__primary_key"]],
    ]
    assert good == [[1, "open", 7]]


def test_run_says_at_once_that_no_server_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contract = tmp_path / "sample.odcs.yaml"
    contract.write_text(CONTRACT, "utf-8")
    place = f"127.0.0.1:{free_port()}"
    monkeypatch.setenv("SPARK_REMOTE", f"sc://{place}/;user_id=me")
    monkeypatch.setattr("dqx_dagster.cli.run.getproxies", dict)

    done = CliRunner().invoke(main, ["run", str(contract), "--table", "sample=x"])

    assert done.exit_code == 2
    assert f"no Spark Connect server answers at {place}" in " ".join(done.output.split())


def test_a_server_that_dies_is_one_clear_error(server: tuple[str, int], tmp_path: Path) -> None:
    """The last test with this server."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER_DIES],
        env=clean_environment() | without_java(server[0], tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    measured = process.stdout.readline()
    kill(server[1])
    output, errors = process.communicate("dead\n", timeout=300)

    assert measured == "[3]\n", errors
    gone = "Spark is gone: its process has ended or the session was stopped"
    assert [line.partition(" (")[0] for line in output.splitlines()] == [gone, gone]
