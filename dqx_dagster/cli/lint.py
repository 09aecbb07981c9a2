"""`dqx-dagster lint`: reads contracts, prints everything that is wrong with them.

Takes files and directories, gives findings in one of four formats and an exit code: 0 for clean, 1
for findings that count, 2 for wrong usage. No data and no Spark are needed::

    $ dqx-dagster lint contracts/ --format github
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Final, Literal, TextIO

import click

from dqx_dagster.checks.rule import Settings
from dqx_dagster.cli.formats import as_github, as_json
from dqx_dagster.cli.loaded import sql_rules_option
from dqx_dagster.cli.sarif import as_sarif
from dqx_dagster.cli.summary import Summary
from dqx_dagster.cli.terminal import write_findings
from dqx_dagster.loading import Inspection, inspect

FORMATS: Final = ("text", "json", "github", "sarif")


@click.command(
    "lint",
    # \b keeps the lines of a paragraph as they are
    epilog="\b\nExample:\n  dqx-dagster lint contracts/ extra/orders.odcs.yaml",
)
@click.argument(
    "paths",
    metavar="PATH...",
    nargs=-1,
    required=True,
    # What cannot be read is left to the loader: it is a finding beside those of other files.
    type=click.Path(exists=True, readable=False, path_type=Path),
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="How to print the findings.",
)
@click.option("--strict", is_flag=True, help="Fail on warnings, and on what is not portable ODCS.")
@sql_rules_option
def lint_command(
    paths: tuple[Path, ...], format_: str, *, strict: bool, sql_rules: Literal["run", "skip"]
) -> None:
    """Check contracts without running them.

    Reads every PATH, a contract file or a directory with *.yaml files, and prints
    all that is wrong or suspicious. Needs no data and starts no Spark.

    Exits with 0 if there are no errors, 1 if there are, 2 if it was called wrongly.
    """
    inspection = inspect(paths, strict=strict, settings=Settings(sql_rules=sql_rules))
    summary = Summary.of(inspection)
    _write(inspection, summary, format_, strict=strict)
    sys.exit(0 if summary.passes(strict=strict) else 1)


def _write(inspection: Inspection, summary: Summary, format_: str, *, strict: bool) -> None:
    stream, findings, base = _stdout(), inspection.findings, Path.cwd()
    match format_:
        case "json":
            click.echo(as_json(findings, summary), file=stream)
        case "github":
            click.echo(as_github(findings, _last_line(summary, strict=strict), base), file=stream)
        case "sarif":
            click.echo(as_sarif(findings, base), file=stream)
        case _:
            write_findings(stream, findings, _last_line(summary, strict=strict))


def _last_line(summary: Summary, *, strict: bool) -> str:
    """The summary. Where only --strict makes the lint fail, it says so: no line shows an error."""
    if summary.passes(strict=False) and not summary.passes(strict=strict):
        return f"{summary}; --strict fails on warnings"
    return str(summary)


def _stdout() -> TextIO:
    """Standard output that escapes what its encoding cannot hold, instead of giving up."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    return sys.stdout
