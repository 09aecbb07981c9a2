"""The example project with a history, served by a real `dagster dev` on the loopback interface."""

from __future__ import annotations

import contextlib
import shutil
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from assets.projects import Project
from oracle.spark_servers import LOOPBACK, free_port

ROOT = Path(__file__).parents[2]
_SECONDS = 600
_JUDGED = [dg.AssetKey(["shop", name]) for name in ("orders", "payments", "visits")]


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of Dagster's UI; all that it shows is below the folder."""
    project = Project(folder)
    project.home.mkdir()
    shutil.copy(ROOT / "example_project" / "dagster.yaml", project.home)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("SHOP_DATA", str(folder / "data"))
        environment.setenv("FRESHNESS_DAEMON_INTERVAL_SECONDS", "1")
        with project.running("python", str(Path(__file__).parent / "history.py")) as process:
            assert process.wait(_SECONDS) == 0, project.log()
        address = f"{LOOPBACK}:{free_port()}"
        host, port = address.split(":")
        workspace = str(ROOT / "workspace.yaml")
        with project.running("dagster", "dev", "-w", workspace, "-h", host, "-p", port):
            _wait(project, address)
            yield f"http://{address}"


def _wait(project: Project, address: str) -> None:
    """Return when the web server answers, and the daemon has said what is fresh."""
    end = time.monotonic() + _SECONDS
    with project.instance() as instance:
        while not (_answers(address) and _judged(instance)):
            assert time.monotonic() < end, project.log()
            time.sleep(0.2)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"http://{address}/server_info", timeout=60):
            return True
    except OSError:
        return False


def _judged(instance: dg.DagsterInstance) -> bool:
    return len(instance.get_freshness_state_records(_JUDGED)) == len(_JUDGED)
