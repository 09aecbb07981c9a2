"""`dqx-dagster run`: measures tables on Spark and judges them by their contracts.

Takes contracts and the places of their tables, gives verdicts and an exit code, without Dagster::

    $ dqx-dagster run contracts/ --table orders=data/orders.parquet
"""

from __future__ import annotations

import contextlib
import datetime as dt
import fnmatch
import functools
import os
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlsplit
from urllib.request import getproxies

import click
from rich.console import Console

from dqx_dagster.checks.lowering import lower
from dqx_dagster.checks.rule import MAX_FAILING_ROWS, Rule, Settings
from dqx_dagster.checks.threshold import parse_moment
from dqx_dagster.checks.verdict import Verdict
from dqx_dagster.cli.loaded import (
    contracts_argument,
    format_option,
    loaded,
    sql_rules_option,
)
from dqx_dagster.cli.results import as_json, write_results
from dqx_dagster.contract.model import Contract
from dqx_dagster.errors import EngineError, did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from dqx_dagster.spark.check import TableResult

_SETTINGS: Final = {
    "spark.app.name": "dqx-dagster",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # A pattern that overflows the stack then fails its rule, and not the whole process.
    "spark.executor.killOnFatalError.depth": "0",
}
"""Of a session that is started here; a server of Spark Connect has its own."""

_CONNECT_PORT: Final = 15002
_SECONDS_TO_ANSWER: Final = 10


class _Clock(click.ParamType[dt.datetime]):
    """An ISO date or time; without a zone it is UTC."""

    name = "iso"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> dt.datetime:
        """The moment that the text names."""
        moment = value if isinstance(value, dt.datetime) else parse_moment(str(value))
        if moment is None:
            self.fail(f"'{value}' is not an ISO date or time, like 2026-01-31T12:00Z", param, ctx)
        return moment


@click.command(
    "run",
    epilog="\b\nExample:\n  dqx-dagster run contracts/ --table orders=data/orders.parquet",
)
@contracts_argument
@click.option(
    "--table",
    "tables",
    metavar="NAME=PATH",
    multiple=True,
    help="Where a table is: files, or a catalog table. NAME is a dataset of the contracts.",
)
@click.option("--select", "patterns", metavar="GLOB", multiple=True, help="Only these checks.")
@click.option("--now", type=_Clock(), help="The clock, as ISO time. [default: now]")
@click.option(
    "--failing-rows",
    type=click.IntRange(0, MAX_FAILING_ROWS),
    default=0,
    help="Show so many rows that break a rule. [default: just where a rule asks for it]",
)
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warn"]),
    default="error",
    show_default=True,
    help="Which broken rules fail the run: just P0, or all.",
)
@format_option
@sql_rules_option
def run_command(  # noqa: PLR0917 - click passes one argument for each option
    contracts: tuple[Path, ...],
    tables: tuple[str, ...],
    patterns: tuple[str, ...],
    now: dt.datetime | None,
    failing_rows: int,
    fail_on: str,
    format_: str,
    sql_rules: Literal["run", "skip"],
) -> None:
    """Check tables against their contracts, on Spark.

    Exits with 0 if no P0 rule is broken or unknown, 1 if one is, 2 if a contract,
    a table or the call is wrong.
    """
    settings = Settings(sql_rules=sql_rules, failing_rows=failing_rows)
    chosen = loaded(contracts, settings).contracts
    places = _places(tables, chosen)
    _check_patterns(patterns, chosen, settings)
    clock = now or dt.datetime.now(dt.timezone.utc)
    try:
        results = _run(places, patterns, clock, settings)
    except EngineError as error:
        raise click.UsageError(str(error)) from None
    if format_ == "json":
        click.echo(as_json(results))
    else:
        write_results(sys.stdout, results)
    broken = [v for result in results for v in result.verdicts if _breaks(v, fail_on)]
    sys.exit(1 if broken else 0)


def _breaks(verdict: Verdict, fail_on: str) -> bool:
    return not verdict.passed and (verdict.rule.blocking or fail_on == "warn")


def _places(tables: Sequence[str], contracts: Sequence[Contract]) -> list[tuple[Contract, str]]:
    """Which contract is tried on which table; each of them must have one."""
    given = dict(table.partition("=")[::2] for table in tables)
    for table in tables:
        if "=" not in table:
            raise click.UsageError(f"--table must be NAME=PATH, got: {table}")
    names = [name for c in contracts for name in (c.dataset, c.object_name)]
    if unknown := [name for name in given if name not in names]:
        known = ", ".join(sorted({c.dataset for c in contracts}))
        raise click.UsageError(f"--table {unknown[0]}: no contract has it; known are {known}")
    found = [(c, given.get(c.dataset) or given.get(c.object_name)) for c in contracts]
    places = [(contract, place) for contract, place in found if place]
    if missing := [c.dataset for c, place in found if not place]:
        raise click.UsageError(f"no table for {', '.join(missing)}: add --table {missing[0]}=PATH")
    return places


def _run(
    places: Sequence[tuple[Contract, str]],
    patterns: Sequence[str],
    clock: dt.datetime,
    settings: Settings,
) -> list[TableResult]:
    from dqx_dagster.spark.check import check_table  # noqa: PLC0415 - `lint` needs no pyspark
    from dqx_dagster.spark.sources import read_table  # noqa: PLC0415

    results = []
    with _session() as spark, Console(stderr=True).status("Starting") as status:
        tables = {c.dataset: functools.partial(read_table, spark, place) for c, place in places}
        for index, (contract, place) in enumerate(places):
            status.update(f"Checking {contract.dataset} ({index + 1} of {len(places)})")
            rules = [r for r in lower(contract, settings).rules if _selected(r, patterns)]
            table = read_table(spark, place)
            found = check_table(
                contract, table, now=clock, settings=settings, rules=rules, tables=tables
            )
            results.append(found)
    return results


def _check_patterns(
    patterns: Sequence[str], contracts: Sequence[Contract], settings: Settings
) -> None:
    """A pattern that selects nothing is a mistake: a run without checks must not pass."""
    names = [rule.name for contract in contracts for rule in lower(contract, settings).rules]
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            hint = did_you_mean(pattern, names)
            raise click.UsageError(f"--select {pattern}: no check has such a name{hint}")


def _selected(rule: Rule, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatch.fnmatchcase(rule.name, pattern) for pattern in patterns)


@contextlib.contextmanager
def _session() -> Iterator[SparkSession]:
    """A session of our own: where the environment says, else in this process."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - `lint` needs no pyspark

    from dqx_dagster.spark.failures import FAILURES, reason  # noqa: PLC0415

    builder = SparkSession.builder
    if remote := os.environ.get("SPARK_REMOTE"):
        _check_answers(remote)
    else:
        for name, value in _SETTINGS.items():
            builder = builder.config(name, value)
    try:
        spark = builder.getOrCreate()
    except (ImportError, *FAILURES) as error:
        raise EngineError(f"Spark cannot be started: {reason(error)}") from None
    try:
        with contextlib.suppress(*FAILURES):  # Spark Connect has no such switch
            spark.sparkContext.setLogLevel("ERROR")
        yield spark
    finally:
        with contextlib.suppress(*FAILURES):
            spark.stop()


def _check_answers(remote: str) -> None:
    """Raise if nothing answers at the address of a Spark Connect server.

    Spark's client tries for ten minutes before it says so.
    """
    address = urlsplit(remote)
    if address.scheme != "sc" or getproxies():  # behind a proxy, only Spark's client can tell
        return
    try:
        place = (address.hostname or "", address.port or _CONNECT_PORT)
        socket.create_connection(place, _SECONDS_TO_ANSWER).close()
    except (OSError, ValueError):
        raise EngineError(f"no Spark Connect server answers at {address.netloc}") from None
