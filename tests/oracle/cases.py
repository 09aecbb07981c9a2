"""The files of `tests/cases`: a contract, a table, and what its checks must say about it.

One file per word of the vocabulary. The keys of a file:

* `word`, `kind` (library, custom, native or implied) and `scope` (column or table): what it covers;
* `contract`: a snippet, `properties` and `quality` of ODCS, or `columns` and `checks` of the native
  format, and the SLA of either; what a complete document needs besides is put around it;
* `columns`: the table's columns and their types in Spark's words;
* `others`: more tables of the contract, each with `properties` and `columns`;
* `cases`: a list, each with one line on what it `shows`, its `rows`, and what to `expect`; any of
  them may have a `contract`, `columns`, `others` and clock (`now`) of its own; `keys` are the rows
  of the other tables.

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
from dqx_dagster.contract.relationships import Tables
from dqx_dagster.errors import ContractValidationError, Report
from dqx_dagster.metrics.metric import Measurements
from oracle.algebra import measure
from oracle.ddl import parse_type, value_in
from oracle.values import is_nan

FOLDER: Final = Path(__file__).parents[1] / "cases"
NOW: Final = "2026-03-05T10:00:00+00:00"  # a Thursday
_SHARED: Final = {"contract", "columns", "others", "now"}
_FILE_KEYS: Final = {"word", "kind", "scope", "cases"} | _SHARED
_CASE_KEYS: Final = {"shows", "rows", "keys", "expect"} | _SHARED
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


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and rows."""

    columns: Mapping[str, ActualType]
    rows: tuple[dict[str, Any], ...]

    @property
    def ddl(self) -> str:
        """The columns as Spark reads them."""
        return ", ".join(f"`{name}` {type_}" for name, type_ in self.columns.items())


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A contract, a table, a clock, and the answers."""

    file: str
    word: str
    kind: str
    scope: str
    shows: str
    document: str  # a complete contract file
    table: Table
    others: Mapping[str, Table]
    now: dt.datetime
    expected: Mapping[str, Expected]

    def __str__(self) -> str:
        return f"{self.file}: {self.shows}"

    def read(self) -> tuple[Contract, Lowered]:
        """The contract and its rules, through the real readers."""
        return _read_contract(self.document, self.file)

    def rules(self) -> tuple[Rule, ...]:
        return self.read()[1].rules

    def measured(self, *rules: Rule) -> Measurements:
        """What the oracle measures for some of the rules."""
        others = {name: (other.rows, other.columns) for name, other in self.others.items()}
        return measure(self.table.rows, plan(rules), self.table.columns, self.now, others)

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
        contracts = read_odcs(document, report)
        contract = Tables(contracts).resolved(contracts[0], report)
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
    shared = {key: root[key] for key in _SHARED if key in root}
    merged = {"now": NOW, "others": {}, "keys": {}, **shared, **item}
    others = {
        name: _table(other["columns"], merged["keys"].get(name, []))
        for name, other in merged["others"].items()
    }
    expected = {name: Expected(*answer) for name, answer in merged["expect"].items()}
    return Case(
        file=file,
        word=root["word"],
        kind=root["kind"],
        scope=root["scope"],
        shows=item["shows"],
        # JSON is YAML, and keeps every type.
        document=json.dumps(_complete(merged, root["kind"]), ensure_ascii=False),
        table=_table(merged["columns"], item["rows"]),
        others=others,
        now=dt.datetime.fromisoformat(merged["now"].replace("Z", "+00:00")),
        expected={"schema": Expected(0, "passed"), **expected},
    )


def _known(file: str, given: Mapping[str, Any], known: set[str]) -> None:
    if unknown := set(given) - known:
        raise ValueError(f"{file}: unknown keys {sorted(unknown)}")


def _table(columns: Mapping[str, str], rows: list[list[Any]]) -> Table:
    types = {name: parse_type(type_) for name, type_ in columns.items()}
    return Table(types, tuple(_row(types, row) for row in rows))


def _row(columns: Mapping[str, ActualType], row: list[Any]) -> dict[str, Any]:
    pairs = zip(columns.items(), row, strict=True)
    return {name: value_in(type_, written) for (name, type_), written in pairs}


def _complete(case: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The snippet as a whole document."""
    snippet = case["contract"]
    if kind == "native" or "columns" in snippet:
        columns = [{"description": "-", **column} for column in snippet["columns"]]
        return {**_NATIVE, **snippet, "columns": columns}
    keys = ("properties", "quality", "relationships")
    table = {key: snippet[key] for key in keys if key in snippet}
    rest = {key: value for key, value in snippet.items() if key not in table}
    others = [
        {"name": name, "properties": other["properties"]} for name, other in case["others"].items()
    ]
    return {**_ODCS, "schema": [{"name": "orders", **table}, *others], **rest}
