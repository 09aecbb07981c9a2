"""`dqx-dagster plan`: how the rules of contracts will be measured, without measuring anything.

Takes contracts, gives for each table its rules by what measures them, and for each rule in SQL
whether it joins the shared pass, and if not, why. No data and no Spark are needed::

    $ dqx-dagster plan contracts/
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal, TextIO

import click
from rich.text import Text

from dqx_dagster.checks.rule import Lowered, Rule, Settings, plan
from dqx_dagster.cli.loaded import (
    contracts_argument,
    format_option,
    loaded,
    sql_rules_option,
)
from dqx_dagster.cli.terminal import console, visible
from dqx_dagster.contract.model import Contract
from dqx_dagster.metrics.metric import Aggregate, Leaf, Mismatches, Orphans, SqlQuery, leaves
from dqx_dagster.metrics.plan import Family, family_of

_SCHEMA: Final = "schema"
_QUERY: Final = "query"
_MEANS: Final = {
    _SCHEMA: "by the table's columns alone",
    Family.SCAN.value: "in the shared pass",
    Family.PERIODS.value: "beside it",
    _QUERY: "beside it, by queries of their own",
    Family.DISTINCT.value: "after it, with what it found",
    Family.QUANTILE.value: "after it, with what it found",
}
"""What measures a rule, in the order of a run."""


@click.command("plan", epilog="\b\nExample:\n  dqx-dagster plan contracts/ --format json")
@contracts_argument
@format_option
@sql_rules_option
def plan_command(
    contracts: tuple[Path, ...], format_: str, sql_rules: Literal["run", "skip"]
) -> None:
    """Show how rules will be measured: together, and which queries run by themselves.

    Needs no data and starts no Spark. Exits with 2 if a contract is wrong.
    """
    inspection = loaded(contracts, Settings(sql_rules=sql_rules))
    pairs = list(zip(inspection.contracts, inspection.lowered, strict=True))
    if format_ == "json":
        click.echo(json.dumps({"tables": [_table(*pair) for pair in pairs]}, indent=2))
    else:
        _write(sys.stdout, [_table(*pair) for pair in pairs])


def _table(contract: Contract, lowered: Lowered) -> dict[str, Any]:
    needed = plan(lowered.rules)
    return {
        "dataset": contract.dataset,
        "origin": str(contract.origin),
        "measured": Counter(_measurer(leaf) for leaf in needed.leaves),
        "rules": [_rule(rule) for rule in lowered.rules],
        "skipped": [skipped.reason for skipped in lowered.skipped],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    found = list(leaves(rule.claim.metric))
    queries = [leaf for leaf in found if isinstance(leaf, SqlQuery)]
    by = {_measurer(leaf) for leaf in found}
    sql = {
        "fused": not queries,
        "why_not": queries[0].why if queries else None,
        "reads": list(rule.claim.reads),
    }
    return {
        "name": rule.name,
        "severity": rule.severity.value,
        "by": [measurer for measurer in _MEANS if measurer in by],
        "sql": sql if rule.word == "sql" and not rule.implied else None,
        "origin": str(rule.origin),
    }


def _measurer(leaf: Leaf) -> str:
    match leaf:
        case Mismatches():
            return _SCHEMA
        case Orphans() | SqlQuery():
            return _QUERY
        case Aggregate():
            return family_of(leaf).value


def _write(stream: TextIO, tables: list[dict[str, Any]]) -> None:
    lines = console(stream)
    for table in tables:
        title = Text(visible(f"{table['dataset']}  ({table['origin']})"), style="bold")
        lines.print(title, soft_wrap=True)
        for line in _lines(table):
            lines.print(Text(visible(line)), soft_wrap=True)


def _lines(table: dict[str, Any]) -> Iterator[str]:
    for measurer, means in _MEANS.items():
        rules = [rule["name"] for rule in table["rules"] if measurer in rule["by"]]
        if rules:
            count = table["measured"][measurer]
            yield f"  {measurer:<8} {count:>3}  {means}: {', '.join(rules)}"
    for rule in table["rules"]:
        if sql := rule["sql"]:
            reads = f", with {', '.join(sql['reads'])}" if sql["reads"] else ""
            how = "joins the shared pass" if sql["fused"] else f"runs by itself: {sql['why_not']}"
            yield f"  sql           {rule['name']} {how}{reads}"
    for reason in table["skipped"]:
        yield f"  skipped       {reason}"
