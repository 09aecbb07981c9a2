"""Table results → JSON for programs, a table for people.

Failures come first, each with its sentence and its place in the contract; the last line counts.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TextIO

from rich.table import Table
from rich.text import Text

from dqx_dagster.checks.samples import Cell, Samples
from dqx_dagster.checks.verdict import Outcome, Verdict
from dqx_dagster.cli.terminal import console, visible

if TYPE_CHECKING:
    from dqx_dagster.spark.check import TableResult

_ORDER: Final = (Outcome.UNKNOWN, Outcome.FAILED, Outcome.OBSERVED, Outcome.PASSED)
_STYLES: Final = {
    Outcome.UNKNOWN: "bold magenta",
    Outcome.FAILED: "bold red",
    Outcome.OBSERVED: "cyan",
    Outcome.PASSED: "green",
}
_WIDE: Final = 200


def as_json(results: Sequence[TableResult]) -> str:
    """Everything that was found out, as one document."""
    return json.dumps({"tables": [_table(result) for result in results]}, indent=2)


def _table(result: TableResult) -> dict[str, Any]:
    cost = result.cost
    scans = cost.scans(result.rows)
    return {
        "dataset": result.contract.dataset,
        "rows": result.rows,
        "cost": {"seconds": cost.seconds, "scans": scans, "jobs": cost.jobs},
        "checks": [_check(v, result.samples.get(v.rule.name)) for v in result.verdicts],
        "skipped": [
            {"rule": s.title, "reason": s.reason, "origin": _place(s.origin.file, s.origin.line)}
            for s in result.skipped
        ],
    }


def _check(verdict: Verdict, samples: Samples | None) -> dict[str, Any]:
    rule, actual = verdict.rule, verdict.actual
    finite = not isinstance(actual, float) or math.isfinite(actual)
    return {
        "name": rule.name,
        "rule": rule.title,
        "column": rule.column,
        "severity": rule.severity.value,
        "blocking": rule.blocking,
        "outcome": verdict.outcome.value,
        "actual": actual if finite else None,
        "threshold": str(rule.claim.threshold) if rule.claim.threshold else None,
        "reason": verdict.reason,
        "origin": _place(rule.origin.file, rule.origin.line),
        **({"failing_rows": _failing(samples)} if samples else {}),
    }


def _failing(samples: Samples) -> dict[str, Any]:
    if samples.problem:
        return {"problem": samples.problem}
    return {"columns": samples.columns, "rows": samples.rows}


def _place(file: str, line: int) -> str:
    return f"{file}:{line}"


def write_results(stream: TextIO, results: Sequence[TableResult]) -> None:
    """Print every table, failures first."""
    lines = console(stream, width=None if stream.isatty() else _WIDE)
    for result in results:
        lines.print(_shown(result))
        for name, samples in result.samples.items():
            said = samples.problem or "rows that break it"
            lines.print(Text(visible(f"{name}: {said}")), soft_wrap=True)
            lines.print(_samples(samples))
        for skipped in result.skipped:
            place = _place(skipped.origin.file, skipped.origin.line)
            lines.print(Text(visible(f"skipped  {place}: {skipped.reason}"), style="dim"))
        lines.print(Text(_last_line(result), style="bold"), soft_wrap=True)


def _shown(result: TableResult) -> Table:
    table = Table(title=visible(result.contract.title), title_justify="left", box=None)
    for name in ("outcome", "", "check", "what was found", "contract"):
        table.add_column(name, overflow="fold")
    verdicts = sorted(result.verdicts, key=lambda v: (_ORDER.index(v.outcome), _level(v)))
    for verdict in verdicts:
        rule = verdict.rule
        table.add_row(
            Text(verdict.outcome.value, style=_STYLES[verdict.outcome]),
            rule.severity.value,
            visible(rule.name),
            Text(visible(verdict.reason, keep="\n")),
            Text(visible(_place(rule.origin.file, rule.origin.line)), style="dim"),
        )
    return table


def _samples(samples: Samples) -> Table:
    """Rows that break a rule. They are data, and come from others: nothing in them is markup."""
    table = Table(box=None)
    for name in samples.columns:
        table.add_column(Text(visible(name)), overflow="fold")
    for row in samples.rows:
        table.add_row(*(_cell(value) for value in row))
    return table


def _cell(value: Cell) -> Text:
    return Text("null", style="dim") if value is None else Text(visible(str(value)))


def _level(verdict: Verdict) -> str:
    return verdict.rule.severity.value


def _last_line(result: TableResult) -> str:
    counts = Counter(verdict.outcome for verdict in result.verdicts)
    parts = [f"{counts[outcome]} {outcome.value}" for outcome in _ORDER if counts[outcome]]
    parts += [f"{len(result.skipped)} skipped"] if result.skipped else []
    rows = "?" if result.rows is None else f"{result.rows:,}"
    scans = result.cost.scans(result.rows)
    cost = f"{result.cost.seconds:.1f} s" + (f", {scans:g} scans" if scans is not None else "")
    return f"{result.contract.dataset}: {', '.join(parts)}; {rows} rows in {cost}\n"
