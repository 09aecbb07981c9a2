"""`make demo` tells its story, and it goes as told."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


STORY = """\
  blocks  amount__minimum at orders.odcs.yaml:N
    5 of 2,005 rows (0.25 %) are below the minimum; allowed: none
  blocks  order_id__primary_key at orders.odcs.yaml:N
    5 of 2,005 rows (0.25 %) have a key that is repeated or null; allowed: none
  blocks  status__valid_values at orders.odcs.yaml:N
    20 of 2,005 rows (1 %) hold an invalid value; allowed: none
  warns   email__mostly_there at orders.odcs.yaml:N
    694 of 2,005 rows (34.61 %) are null; allowed: less than 5 %
shop/orders_quarantine is made
shop/payments does not run: what it is made from is broken
shop/daily_revenue does not run: what it is made from is broken
"""
REFUSAL = """\
shop/daily_revenue refuses to run:
    shop/daily_revenue: not made, P0 contract checks stand in the way
    - shop/orders: amount__minimum (contracts/orders.odcs.yaml:N) failed at
"""


def demo(**environment: str) -> subprocess.CompletedProcess[str]:
    """The demo, in a terminal of the usual width."""
    return subprocess.run(
        [sys.executable, "-m", "example_project.demo"],
        check=False,
        cwd=ROOT,
        env=os.environ | {"COLUMNS": "80"} | environment,
        capture_output=True,
        text=True,
        timeout=600,
    )


def test_the_demo_goes_as_told() -> None:
    done = demo()

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("It went as told.\n")
    told = "\n".join(line.rstrip() for line in done.stdout.splitlines())
    told = re.sub(r"yaml:\d+", "yaml:N", told)
    assert STORY in told
    assert REFUSAL in told
    assert done.stderr == ""


def test_what_goes_wrong_is_not_held_back(tmp_path: Path) -> None:
    done = demo(JAVA_HOME=str(tmp_path))

    assert done.returncode == 1
    assert "shop/customers could not be made\n" in done.stdout
    assert f"{tmp_path}/bin/java: No such file or directory" in done.stderr
    assert "JAVA_GATEWAY_EXITED" in done.stderr
    assert done.stderr.endswith("It did not go as told.\n")
