"""The command line: `dqx-dagster COMMAND …`, one module for each command.

Takes paths and options, gives text on stdout and an exit code::

    $ dqx-dagster lint contracts/
    contracts/orders.odcs.yaml:12:9: error: Quality rule 'volume': unknown metric 'rowCuont'. …
    1 error in 1 file

Importing this package imports neither pyspark nor dagster: `lint` answers at once, and runs where
no Java is. A command that needs them imports them when it is called.
"""

from __future__ import annotations

import click

from dqx_dagster import __version__
from dqx_dagster.cli.lint import lint_command
from dqx_dagster.cli.plan import plan_command
from dqx_dagster.cli.run import run_command

__all__ = ["main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dqx-dagster", message="%(prog)s %(version)s")
def main() -> None:
    """Data contracts for Dagster assets on Spark."""


main.add_command(lint_command)
main.add_command(plan_command)
main.add_command(run_command)
