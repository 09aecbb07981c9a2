"""`make demo` tells its story, and it goes as told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_demo_goes_as_told() -> None:
    command = [sys.executable, "-m", "example_project.demo"]

    done = subprocess.run(
        command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=600
    )

    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("It went as told.\n")
    assert "blocks  status__valid_values: 20 of 2,005 rows (1 %)" in done.stdout
    assert "shop/daily_revenue does not run" in done.stdout
