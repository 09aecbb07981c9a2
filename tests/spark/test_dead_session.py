"""Spark dies, is stopped, or its files vanish: one clear error, soon, and never a verdict.

Each way has a process of its own, because a process cannot get its Java back.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]
SECONDS = 240  # for starting Spark on a busy machine; what the engine itself needs is told apart
GONE = "Spark is gone: its process has ended or the session was stopped"
UNREADABLE = "the table cannot be read: Spark reports"
WAYS = {
    "kill before": GONE,
    "kill during": GONE,
    "stop before": GONE,
    "stop during": GONE,
    "files before": UNREADABLE,
    "files and folder before": UNREADABLE,
}


@pytest.fixture(scope="module")
def processes() -> dict[str, Future[subprocess.CompletedProcess[str]]]:
    """All processes, two at a time."""
    with ThreadPoolExecutor(2) as pool:
        return {way: pool.submit(lost, way) for way in WAYS}


def lost(way: str) -> subprocess.CompletedProcess[str]:
    """What a process does whose Spark is lost in this way."""
    path = os.pathsep.join([str(TESTS.parent), str(TESTS)])
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "oracle.dead_session", way],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.mark.parametrize("way", WAYS)
def test_a_lost_spark_is_one_clear_error(
    way: str, processes: dict[str, Future[subprocess.CompletedProcess[str]]]
) -> None:
    done = processes[way].result()

    assert done.returncode == 0, done.stderr[-2000:]
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert answer["raised"] == "dqx_dagster.errors.EngineError", answer
    assert answer["text"].startswith(WAYS[way])
    assert (answer["cause"], answer["hides_context"]) == ("None", True)
    assert answer["again"] == answer["raised"]
    assert answer["seconds"] < SECONDS / 2
    assert "Traceback" not in done.stdout
    assert "eve.canary" not in done.stdout + done.stderr
