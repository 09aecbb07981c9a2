"""What a whole process prints when rules fail: the engine no data, Spark's own log does.

Spark's executors write the message of a failed task to the log of Java, with the values in it. The
engine does not change the log of somebody else's session: who must keep data out of it sets
Spark's log level to OFF, or filters it. The last test shows that this is so, and where it stands.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from oracle.faults import MARKS
from oracle.loud_session import NAMES, TURN

TESTS = Path(__file__).parents[1]
_ENTRY = re.compile(r"^\d\d/\d\d/\d\d \d\d:\d\d:\d\d (?:ERROR|WARN) (\w+)")
_OWN_LOG = {"Executor", "TaskSetManager", "DAGScheduler"}


@pytest.fixture(scope="module")
def printed() -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(TESTS.parent), str(TESTS)])
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "oracle.loud_session"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )


def marked(text: str) -> list[str]:
    return [line[:200] for line in text.splitlines() if any(mark in line for mark in MARKS)]


def test_with_sparks_log_off_nothing_prints_data(
    printed: subprocess.CompletedProcess[str],
) -> None:
    assert marked(printed.stderr.partition(TURN)[0]) == []


def test_stdout_never_holds_data(printed: subprocess.CompletedProcess[str]) -> None:
    assert marked(printed.stdout) == []
    quiet, loud = json.loads(printed.stdout.splitlines()[-1])
    assert quiet == loud
    assert all(text.startswith("Spark reports ") for text in quiet)
    assert len(quiet) == len(NAMES)


def test_by_default_only_the_log_of_sparks_executors_holds_data(
    printed: subprocess.CompletedProcess[str],
) -> None:
    writer, writers = "", set()
    for line in printed.stderr.partition(TURN)[2].splitlines():
        entry = _ENTRY.match(line)
        writer = entry[1] if entry else writer
        if marked(line):
            writers.add(writer)
    assert writers <= _OWN_LOG
    assert writers, "Spark's log holds no data any more: say so in the docs"
