"""Servers of Spark, started from the jars that pyspark brings, on the loopback interface only."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pyspark

from oracle.java import JAVA_OPTIONS
from oracle.sample_run import clean_environment

HOME: Final = Path(pyspark.__file__).parent
LOOPBACK: Final = "127.0.0.1"
_SECONDS_TO_START: Final = 180


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind((LOOPBACK, 0))
        return int(listener.getsockname()[1])


@contextlib.contextmanager
def started(command: Sequence[str], log: Path, **environment: str) -> Iterator[int]:
    """A program of pyspark's `bin`, with all its children; gives its process group.

    Whatever happens inside, everything is killed at the end.
    """
    variables = clean_environment() | {"SPARK_HOME": str(HOME)} | environment
    program = [str(HOME / "bin" / command[0]), *command[1:]]
    with log.open("wb") as output:
        process = subprocess.Popen(
            program, env=variables, stdout=output, stderr=output, start_new_session=True
        )
        try:
            yield process.pid
        finally:
            kill(process.pid)
            process.wait()


def kill(group: int) -> None:
    """End a process and its children at once."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def wait_for(port: int, log: Path) -> None:
    """Return when something listens on the port."""
    end = time.monotonic() + _SECONDS_TO_START
    while time.monotonic() < end:
        with socket.socket() as client:
            if client.connect_ex((LOOPBACK, port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError(f"nothing listens on {port}:\n{log.read_text('utf-8', 'replace')}")


@contextlib.contextmanager
def connect_server(folder: Path, **environment: str) -> Iterator[tuple[str, int]]:
    """A server of Spark Connect: its address and its process group."""
    port, log = free_port(), folder / "connect.log"
    settings = {
        "spark.connect.grpc.binding.address": LOOPBACK,
        "spark.connect.grpc.binding.port": str(port),
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    name = "org.apache.spark.sql.connect.service.SparkConnectServer"
    command = ["spark-submit", "--class", name, "--master", "local[1]", *_flags(settings)]
    with started(command, log, **environment) as group:
        wait_for(port, log)
        yield f"sc://{LOOPBACK}:{port}", group


@contextlib.contextmanager
def cluster(folder: Path, *, workers: int) -> Iterator[str]:
    """A standalone cluster: a master and workers with one core each; gives the master's address."""
    port, options = (
        free_port(),
        {"SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": JAVA_OPTIONS},
    )
    log = folder / "master.log"
    package = "org.apache.spark.deploy"
    address = f"spark://{LOOPBACK}:{port}"
    place = ["--host", LOOPBACK, "--webui-port", "0"]
    with contextlib.ExitStack() as stack:
        command = ["spark-class", f"{package}.master.Master", *place, "--port", str(port)]
        stack.enter_context(started(command, log, **options))
        for number in range(workers):
            work = folder / f"worker{number}"
            size = ["--cores", "1", "--memory", "700m", "--work-dir", str(work)]
            command = ["spark-class", f"{package}.worker.Worker", *place, *size, address]
            output = folder / f"worker{number}.log"
            stack.enter_context(started(command, output, **options))
        wait_for(port, log)
        yield address


def _flags(settings: dict[str, str]) -> list[str]:
    return [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]


def submit_arguments(master: str, settings: dict[str, str]) -> str:
    """For `PYSPARK_SUBMIT_ARGS`: which Spark a Python process starts."""
    quoted = " ".join(f"'{word}'" for word in _flags(settings))
    return f"--master {master} {quoted} pyspark-shell"
