"""`dqx-dagster run`: what it refuses before it starts Spark."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.contracts import odcs
from dqx_dagster.cli import main


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no table for orders: add --table orders=PATH"),
        (("--table", "orders"), "--table must be NAME=PATH, got: orders"),
        (("--table", "order=x"), "--table order: no contract has it; known are orders"),
        (
            ("--table", "orders=x", "--select", "shema"),
            "--select shema: no check has such a name. Did you mean 'schema'?",
        ),
        (("--table", "orders=x", "--now", "soon"), "'soon' is not an ISO date or time"),
    ],
)
def test_a_call_that_makes_no_sense_is_refused(
    arguments: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "orders.yaml"
    path.write_text(odcs(), "utf-8")

    done = CliRunner().invoke(main, ["run", str(path), *arguments])

    assert done.exit_code == 2
    assert message in " ".join(done.output.split())
