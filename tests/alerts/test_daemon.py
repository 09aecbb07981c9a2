"""The sensor in Dagster's own daemon, from a check on Spark to a web request."""

from __future__ import annotations

import time
from pathlib import Path

import dagster as dg
import pytest
from assets.projects import (
    BROKEN,
    GOOD,
    KEY,
    ORDERS,
    WARNED,
    WARNING,
    Project,
    Rows,
    Session,
    write_contract,
)
from pyspark.sql import SparkSession

from alerts.endpoint import Endpoint
from dqx_dagster import build_contract_checks

DEFINITIONS = """\
from pathlib import Path

import dagster as dg

from dqx_dagster import build_contract_alert_sensor, webhook

alerts = build_contract_alert_sensor(
    Path(__file__).parent / "contracts",
    webhook(dg.EnvVar("ALERTS_URL")),
    minimum_interval_seconds=1,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
defs = dg.Definitions(assets=[dg.AssetSpec(["shop", "orders"])], sensors=[alerts])
"""


def test_a_check_that_fails_and_recovers_on_spark_is_told(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(tmp_path)
    with Endpoint.running() as endpoint, project.instance() as instance:
        monkeypatch.setenv("ALERTS_URL", endpoint.url)
        check(project, instance, spark, WARNED)  # before the first tick
        with project.running("dagster-daemon", "run", "-f", "alert_defs.py"):
            wait_for(endpoint, 1, project)
            check(project, instance, spark, GOOD)
            wait_for(endpoint, 2, project)
            check(project, instance, spark, BROKEN)
            wait_for(endpoint, 3, project)

    alerts = [alert for body in endpoint.bodies for alert in body["alerts"]]
    assert [(alert["check_name"], alert["status"], alert["sentence"]) for alert in alerts] == [
        (WARNING, "failed", "1 of 2 rows (50 %) hold an invalid value; allowed: none"),
        (WARNING, "recovered", "0 of 2 rows hold an invalid value; allowed: none"),
        (KEY, "failed", "1 of 2 rows (50 %) have a key that is repeated or null; allowed: none"),
    ]


def make_project(folder: Path) -> Project:
    """Definitions of the sensor, and an instance of Dagster."""
    (folder / "alert_defs.py").write_text(DEFINITIONS, "utf-8")
    write_contract(folder / "contracts")
    project = Project(folder)
    project.home.mkdir()
    (project.home / "dagster.yaml").write_text("telemetry: {enabled: false}\n", "utf-8")
    return project


def check(
    project: Project, instance: dg.DagsterInstance, spark: SparkSession, rows: list[tuple[int, str]]
) -> None:
    """A run of the contract's checks on these rows, in the project's instance."""
    checks = build_contract_checks(project.folder / "contracts", source=Rows(rows))
    dg.materialize(
        [dg.AssetSpec(ORDERS), *checks],
        instance=instance,
        resources={"pyspark": Session(spark)},
        selection=dg.AssetSelection.all_asset_checks(),
        raise_on_error=False,
    )


def wait_for(endpoint: Endpoint, requests: int, project: Project) -> None:
    end = time.monotonic() + 300
    while len(endpoint.bodies) < requests:
        assert time.monotonic() < end, project.log()
        time.sleep(0.1)
