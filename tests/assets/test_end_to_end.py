"""Real processes: a project that is materialized, killed, and run from the web server."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import dagster as dg
import pytest
from pyspark.sql import SparkSession

from assets.projects import BROKEN, CHECKS, GOOD, KEY, WARNED, WARNING, make_project

ALL_PASS = dict.fromkeys(CHECKS, True)
MATERIALIZE = ("dagster", "asset", "materialize", "-f", "defs.py", "--select", "*")
TIMEOUT = 300  # seconds; a tenth is enough where nothing else runs
SUCCESS, FAILURE = dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE
NAMES = ("rows", "failed", "goes_on")
FAILING = [
    pytest.param(BROKEN, [KEY], False, id="a broken P0"),
    pytest.param(WARNED, [WARNING], True, id="a broken P1"),
]
ALL = [pytest.param(GOOD, [], True, id="good data"), *FAILING]


@pytest.mark.parametrize(NAMES, FAILING)  # each starts several processes
def test_processes_of_their_own_stop_at_a_p0(
    spark: SparkSession,
    tmp_path: Path,
    rows: list[tuple[int, str]],
    failed: list[str],
    goes_on: bool,
) -> None:
    project = make_project(tmp_path, spark, rows)

    with project.running(*MATERIALIZE) as process:
        code = process.wait(TIMEOUT)

    assert (code == 0) is goes_on, project.log()
    assert project.reported is goes_on
    status, checks = project.last_run()
    assert status is (SUCCESS if goes_on else FAILURE)
    assert checks == ALL_PASS | dict.fromkeys(failed, False)


@pytest.mark.parametrize(NAMES, ALL)
def test_one_process_for_all_stops_at_a_p0(
    spark: SparkSession,
    tmp_path: Path,
    rows: list[tuple[int, str]],
    failed: list[str],
    goes_on: bool,
) -> None:
    project = make_project(tmp_path, spark, rows)
    defs = load_definitions(tmp_path / "defs.py")

    with project.instance() as instance:
        result = defs.resolve_implicit_global_asset_job_def().execute_in_process(
            instance=instance, raise_on_error=False
        )

    assert result.success is goes_on
    assert project.reported is goes_on
    status, checks = project.last_run()
    assert status is (SUCCESS if goes_on else FAILURE)
    assert checks == ALL_PASS | dict.fromkeys(failed, False)


def load_definitions(path: Path) -> dg.Definitions:
    """The `defs` of a file."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("small_project_of_a_test", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    defs = module.defs
    assert isinstance(defs, dg.Definitions)
    return defs


@pytest.mark.parametrize("killed", ["python", "java"])
def test_who_is_killed_while_measuring_has_not_passed(
    spark: SparkSession, tmp_path: Path, killed: str
) -> None:
    project = make_project(tmp_path, spark, GOOD)
    (tmp_path / "slow").touch()

    with project.running(*MATERIALIZE) as process:
        project.wait_for("reading")
        os.kill(int(project.wait_for(f"{killed}.pid")), signal.SIGKILL)
        code = process.wait(TIMEOUT)

    assert code != 0, project.log()
    assert project.last_run() == (FAILURE, {})
    assert not project.reported
