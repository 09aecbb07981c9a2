"""What `plan` and `run` share: their words, and contracts that are whole, or the command ends."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from dqx_dagster.checks.rule import Settings
from dqx_dagster.cli.summary import Summary
from dqx_dagster.cli.terminal import write_findings
from dqx_dagster.loading import Inspection, inspect

contracts_argument = click.argument(
    "contracts",
    metavar="CONTRACT...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, path_type=Path),
)
format_option = click.option(
    "--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True
)
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
        write_findings(sys.stderr, inspection.errors, str(Summary.of(inspection)))
        sys.exit(2)
    return inspection
