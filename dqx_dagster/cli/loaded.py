"""Paths → contracts for commands that need them whole: a wrong one ends the command."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from dqx_dagster.checks.rule import Settings
from dqx_dagster.cli.summary import Summary
from dqx_dagster.cli.terminal import write_findings
from dqx_dagster.loading import Inspection, inspect

sql_rules_option = click.option(
    "--sql-rules",
    type=click.Choice(["run", "skip"]),
    default="run",
    show_default=True,
    help="Whether rules of type sql are used, or skipped with a warning.",
)


def loaded(paths: Sequence[Path], settings: Settings) -> Inspection:
    """The contracts and their rules; errors are printed, and the command ends with 2."""
    inspection = inspect(paths, settings=settings)
    if inspection.errors:
        write_findings(
            sys.stderr, inspection.errors, str(Summary.of(inspection)), colour=sys.stderr.isatty()
        )
        sys.exit(2)
    return inspection
