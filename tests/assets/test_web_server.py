"""What the user interface sees: a run that it launches, and the checks that it shows."""

from __future__ import annotations

import contextlib
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from oracle.spark_servers import LOOPBACK, free_port
from pyspark.sql import SparkSession

from assets.projects import CHECKS, KEY, WARNED, WARNING, Project, make_project

LAUNCH = """
mutation ($params: ExecutionParams!) {
  launchRun(executionParams: $params) {
    __typename
    ... on LaunchRunSuccess { run { runId } }
    ... on PythonError { message }
  }
}"""
STATUS = "query ($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"
SHOWN = """
query ($key: AssetKeyInput!) {
  assetNodeOrError(assetKey: $key) { ... on AssetNode {
    assetChecksOrError { ... on AssetChecks { checks {
      name description blocking canExecuteIndividually
      executionForLatestMaterialization { status evaluation {
        severity description metadataEntries {
          label
          ... on IntMetadataEntry { intValue }
          ... on FloatMetadataEntry { floatValue }
          ... on TextMetadataEntry { text }
        }
      } }
    } } }
    metadataEntries { label ... on TableSchemaMetadataEntry { schema { columns { name type } } } }
  } }
}"""
ORDERS = {"path": ["shop", "orders"]}


class Server:
    """A web server of Dagster."""

    def __init__(self, project: Project, port: int) -> None:
        self._project, self._address = project, f"http://{LOOPBACK}:{port}"

    def ask(self, query: str, **variables: Any) -> Any:
        """The data that answers a query."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self._address}/graphql", body, headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            told = json.load(answer)
        assert "errors" not in told, told
        return told["data"]

    def wait_until_up(self) -> None:
        """Return when it answers."""
        for _ in self._moments():
            with (
                contextlib.suppress(urllib.error.URLError, ConnectionError),
                urllib.request.urlopen(f"{self._address}/server_info", timeout=60),
            ):
                return

    def run(self, **params: Any) -> str:
        """Launch a run, as the user interface does, and wait for how it ends."""
        launched = self.ask(LAUNCH, params=params)["launchRun"]
        assert launched["__typename"] == "LaunchRunSuccess", launched
        for _ in self._moments():
            status = self.ask(STATUS, id=launched["run"]["runId"])["runOrError"]["status"]
            if status in ("SUCCESS", "FAILURE", "CANCELED"):
                return str(status)
        raise AssertionError

    def _moments(self) -> Iterator[None]:
        end = time.monotonic() + 300
        while time.monotonic() < end:
            yield
            time.sleep(0.3)
        pytest.fail(self._project.log())


def test_a_run_of_the_user_interface_and_what_it_shows(spark: SparkSession, tmp_path: Path) -> None:
    project, port = make_project(tmp_path, spark, WARNED), free_port()
    command = ("dagster-webserver", "-f", "defs.py", "-h", LOOPBACK, "-p", str(port))
    with project.running(*command) as process:
        server = Server(project, port)
        server.wait_until_up()

        status = server.run(
            selector={
                "repositoryLocationName": "defs.py",
                "repositoryName": "__repository__",
                "pipelineName": "__ASSET_JOB",
                "assetSelection": [ORDERS, {"path": ["report"]}],
            },
            mode="default",
            runConfigData={},
        )
        shown = server.ask(SHOWN, key=ORDERS)["assetNodeOrError"]
        process.terminate()
        process.wait(60)

    assert status == "SUCCESS", project.log()
    assert project.reported
    checks = {check["name"]: check for check in shown["assetChecksOrError"]["checks"]}
    assert {check["canExecuteIndividually"] for check in checks.values()} == {"CAN_EXECUTE"}
    assert {name: _status(check) for name, check in checks.items()} == (
        dict.fromkeys(CHECKS, "SUCCEEDED") | {WARNING: "FAILED"}
    )
    assert checks[KEY]["blocking"]
    _shows_the_warning(checks[WARNING])
    assert _columns(shown) == {"id": "integer", "status": "string"}


def _status(check: Any) -> str:
    return str(check["executionForLatestMaterialization"]["status"])


def _columns(shown: Any) -> dict[str, str]:
    (schema,) = [entry["schema"] for entry in shown["metadataEntries"] if "schema" in entry]
    return {column["name"]: column["type"] for column in schema["columns"]}


def _shows_the_warning(check: Any) -> None:
    assert not check["blocking"]
    assert "`status`: rows that hold an invalid value; allowed: none" in check["description"]
    evaluation = check["executionForLatestMaterialization"]["evaluation"]
    assert evaluation["severity"] == "WARN"
    assert evaluation["description"] == "1 of 2 rows (50 %) hold an invalid value; allowed: none"
    entries = {entry.pop("label"): entry for entry in evaluation["metadataEntries"]}
    assert entries["value"] == entries["failed_rows"] == {"intValue": 1}
    assert entries["failed_fraction"] == {"floatValue": 0.5}
    assert entries["rows"] == {"intValue": 2}
    assert entries["severity"] == {"text": "P1"}
    assert entries["outcome"] == {"text": "failed"}
