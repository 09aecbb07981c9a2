"""The files of `tests/cases`: a contract, a table, and what its checks must say about it.

One file per word of the vocabulary. The keys of a file:

* `word`, `kind` (library, custom, native or implied) and `scope` (column or table): what it covers;
* `contract`: a snippet, `properties` and `quality` of ODCS, or `columns` and `checks` of the native
  format, and the SLA of either; what a complete document needs besides is put around it;
* `columns`: the table's columns and their types in Spark's words;
* `cases`: a list, each with one line on what it `shows`, its `rows`, and what to `expect`; any of
  them may have a `contract`, `columns` and clock (`now`) of its own.

`expect` gives for each check `[actual, outcome]` or `[actual, outcome, reason]`, and names all of
them but the schema check, which must pass where nothing else is said.

Dates and times are written as texts; so are `NaN` and decimals that a double does not hold.
"""

from __future__ import annotations

import datetime as dt
import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dqx_dagster.checks.lowering import lower_into
from dqx_dagster.checks.rule import Lowered, Rule, Settings, plan
from dqx_dagster.checks.schema import ActualType
from dqx_dagster.checks.verdict import Verdict, judge
from dqx_dagster.contract.document import parse_document
from dqx_dagster.contract.model import Contract
from dqx_dagster.contract.native import read_native
from dqx_dagster.contract.odcs import read_odcs
from dqx_dagster.errors import ContractValidationError, Report
from dqx_dagster.metrics.metric import Measurements
from oracle.algebra import is_nan, measure
from oracle.ddl import parse_type, value_in

FOLDER: Final = Path(__file__).parents[1] / "cases"
NOW: Final = "2026-03-05T10:00:00+00:00"  # a Thursday
_FILE_KEYS: Final = {"word", "kind", "scope", "contract", "columns", "now", "cases"}
_CASE_KEYS: Final = {"shows", "contract", "columns", "now", "rows", "expect"}
_ODCS: Final = {
    "apiVersion": "v3.2.0",
    "kind": "DataContract",
    "id": "case",
    "version": "1.0.0",
    "status": "active",
}
_NATIVE: Final = {
    "name": "case",
    "version": "1.0.0",
    "description": "a case",
    "owner": "tests",
    "dataset": "orders",
}


@dataclass(frozen=True, slots=True)
class Expected:
    """What a check must say; without a reason, any sentence will do."""

    actual: int | float | str | None
    outcome: str
    reason: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A contract, a table, a clock, and the answers."""

    file: str
    word: str
    kind: str
    scope: str
    shows: str
    document: str  # a complete contract file
    columns: Mapping[str, ActualType]
    rows: tuple[dict[str, Any], ...]
    now: dt.datetime
    expected: Mapping[str, Expected]

    def __str__(self) -> str:
        return f"{self.file}: {self.shows}"

    @property
    def ddl(self) -> str:
        """The table's columns as Spark reads them."""
        return ", ".join(f"`{name}` {type_}" for name, type_ in self.columns.items())

    def read(self) -> tuple[Contract, Lowered]:
        """The contract and its rules, through the real readers."""
        return _read_contract(self.document, self.file)

    def rules(self) -> tuple[Rule, ...]:
        return self.read()[1].rules

    def measured(self, *rules: Rule) -> Measurements:
        """What the oracle measures for some of the rules."""
        return measure(self.rows, plan(rules), self.columns, self.now)

    def answers(self, rules: tuple[Rule, ...], measurements: Measurements) -> dict[str, Expected]:
        """What was found, in the form of what is expected."""
        verdicts = (judge(rule, measurements, self.now) for rule in rules)
        return {verdict.rule.name: self._answer(verdict) for verdict in verdicts}

    def _answer(self, verdict: Verdict) -> Expected:
        """The answer, with its reason where one is expected."""
        wanted = self.expected.get(verdict.rule.name)
        reason = None if wanted and wanted.reason is None else verdict.reason
        actual = "NaN" if is_nan(verdict.actual) else verdict.actual
        return Expected(actual, verdict.outcome.value, reason)


@functools.cache
def _read_contract(text: str, file: str) -> tuple[Contract, Lowered]:
    report = Report()
    document = parse_document(text, file)
    if "kind" in document.root:
        (contract,) = read_odcs(document, report)
    else:
        contract = read_native(document, report)
    lowered = lower_into(report, contract, Settings())
    if report.errors:
        raise ContractValidationError(report.errors)
    return contract, lowered


@functools.cache
def load_cases() -> tuple[Case, ...]:
    """All cases, in the order of their files."""
    files = sorted(FOLDER.rglob("*.yaml"))
    return tuple(case for path in files for case in _read(path))


def _read(path: Path) -> list[Case]:
    name = path.relative_to(FOLDER).as_posix()
    root = parse_document(path.read_text("utf-8"), name).root
    _known(name, root, _FILE_KEYS)
    return [_case(name, root, item) for item in root["cases"]]


def _case(file: str, root: Mapping[str, Any], item: Mapping[str, Any]) -> Case:
    _known(file, item, _CASE_KEYS)
    shared = {key: root[key] for key in ("contract", "columns", "now") if key in root}
    merged = {"now": NOW, **shared, **item}
    columns = {name: parse_type(type_) for name, type_ in merged["columns"].items()}
    expected = {name: Expected(*answer) for name, answer in merged["expect"].items()}
    return Case(
        file=file,
        word=root["word"],
        kind=root["kind"],
        scope=root["scope"],
        shows=item["shows"],
        # JSON is YAML, and keeps every type.
        document=json.dumps(_complete(merged["contract"], root["kind"]), ensure_ascii=False),
        columns=columns,
        rows=tuple(_row(columns, row) for row in item["rows"]),
        now=dt.datetime.fromisoformat(merged["now"].replace("Z", "+00:00")),
        expected={"schema": Expected(0, "passed"), **expected},
    )


def _known(file: str, given: Mapping[str, Any], known: set[str]) -> None:
    if unknown := set(given) - known:
        raise ValueError(f"{file}: unknown keys {sorted(unknown)}")


def _row(columns: Mapping[str, ActualType], row: list[Any]) -> dict[str, Any]:
    pairs = zip(columns.items(), row, strict=True)
    return {name: value_in(type_, written) for (name, type_), written in pairs}


def _complete(snippet: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The snippet as a whole document."""
    if kind == "native" or "columns" in snippet:
        columns = [{"description": "-", **column} for column in snippet["columns"]]
        return {**_NATIVE, **snippet, "columns": columns}
    table = {key: snippet[key] for key in ("properties", "quality") if key in snippet}
    rest = {key: value for key, value in snippet.items() if key not in table}
    return {**_ODCS, "schema": [{"name": "orders", **table}], **rest}
