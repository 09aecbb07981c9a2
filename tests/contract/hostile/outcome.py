"""What becomes of a file: it loads, or it is refused.

What could kill or block the process runs in a child with limits on time and memory: a crash of the
parser, a hang or a memory bomb is then one failed test.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from dqx_dagster import Contract, ContractValidationError, load_contracts, lower, plan
from dqx_dagster.loading import load_file

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and limits are POSIX")

SECONDS = 20  # of processor time: guards against a hang; what is fast, the benchmarks measure
KILLED_AFTER = 60
REFUSED, LOADS = "refused", "loads"


def loaded(path: Path) -> list[Contract]:
    """Load, lower and plan what is there, without regard to warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        contracts = load_contracts(path) if path.is_dir() else load_file(path)
    for contract in contracts:
        plan(lower(contract).rules)
    return contracts


def outcome(path: Path) -> str:
    """Whether a file or directory loads; anything but a refusal is raised."""
    try:
        loaded(path)
    except ContractValidationError:
        return REFUSED
    return LOADS


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "x.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return path


def outcome_of_path(path: Path) -> str:
    """The same as `outcome`, for a path that cannot even be looked at."""
    try:
        load_file(path)
    except ContractValidationError:
        return REFUSED
    return LOADS


WORKER = """
import resource, sys, time, warnings
from pathlib import Path
from dqx_dagster import ContractValidationError, lower, plan
from dqx_dagster.loading import load_file

warnings.simplefilter("ignore")
seconds, memory = int(sys.argv[1]), 2 * 2**30
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
for name in sys.argv[2:]:
    start = time.process_time()
    until = int(start) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (until, resource.RLIM_INFINITY))
    outcome = "loads"
    try:
        for contract in load_file(Path(name)):
            plan(lower(contract).rules)
    except ContractValidationError as error:
        outcome = "refused"
        assert str(error)
    print(outcome, time.process_time() - start, flush=True)
"""


def in_a_child(*paths: Path) -> list[tuple[str, float]]:
    """Outcome and seconds of each file; a crash, another exception or a hang fails the test."""
    command = [sys.executable, "-c", WORKER, str(KILLED_AFTER), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = [line.split() for line in done.stdout.splitlines()]
    assert done.returncode != -signal.SIGXCPU, f"after {said}: no end in {KILLED_AFTER} seconds"
    assert done.returncode == 0, f"after {said}: code {done.returncode}\n{done.stderr[-3000:]}"
    return [(outcome, float(seconds)) for outcome, seconds in said]
