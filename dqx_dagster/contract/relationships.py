"""Where relationships lead: contracts that were read one by one → the same, put in touch.

A reference is looked up in its own file, then in all others. What leads nowhere is an error. What
may lead to a contract that is not at hand is skipped, and says so.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NoReturn

from dqx_dagster.contract.columns import property_at
from dqx_dagster.contract.model import Argument, Contract, Relationship, Target
from dqx_dagster.contract.reference import FORMS, Reference, parse_reference
from dqx_dagster.errors import (
    MAX_WORDS,
    ContractValidationError,
    Origin,
    Report,
    did_you_mean,
)

_KINDS: Final = {
    "string": "text",
    "integer": "number",
    "number": "number",
    "int": "number",
    "float": "number",
    "decimal": "number",
    "boolean": "boolean",
    "bool": "boolean",
    "date": "date",
    "timestamp": "timestamp",
    "time": "time",
    "bytes": "bytes",
}
"""Declared types whose values can be equal; the others are no single values."""


class _Wrong(Exception):  # noqa: N818 - never leaves this module
    """The relationship makes no sense; the sentence goes to the report."""

    def __init__(self, origin: Origin, code: str, text: str) -> None:
        super().__init__(text)
        self.origin, self.code, self.text = origin, code, text


class _Skip(Exception):  # noqa: N818 - never leaves this module
    """The relationship cannot be checked; without a text it can once more contracts are there."""


def related(contracts: Sequence[Contract]) -> list[Contract]:
    """Put contracts in touch that were loaded one by one.

    Raises `ContractValidationError` where a relationship leads nowhere.
    """
    report, tables = Report(limit=None), Tables(contracts)
    found = [tables.resolved(contract, report) for contract in contracts]
    if report.errors:
        raise ContractValidationError(report.errors)
    return found


class Tables:
    """The tables of all contracts at hand."""

    def __init__(
        self, contracts: Sequence[Contract], *, complete: bool = False, strict: bool = False
    ) -> None:
        """`complete` says that no other contracts are to be expected.

        A name that is nearly one of the known ones is then a typo. `strict` refuses references that
        other tools do not understand.
        """
        self._complete, self._strict = complete, strict
        self._names: dict[str, list[Contract]] = {}
        self._ids: dict[str, list[Contract]] = {}
        self._paths = {c.origin.file: _absolute(c.origin.file) for c in contracts}
        self._targets: dict[int, Contract] = {}
        for contract in contracts:
            for name in {contract.object_name, contract.dataset} - {""}:
                self._names.setdefault(name, []).append(contract)
            if contract.object_id:
                self._ids.setdefault(contract.object_id, []).append(contract)

    def resolved(self, contract: Contract, report: Report) -> Contract:
        """The contract with the targets of its relationships; wrong ones go to the report."""
        if all(each.target or each.skipped for each in contract.relationships):
            return contract
        found = (self._resolved(each, contract, report) for each in contract.relationships)
        return replace(contract, relationships=tuple(each for each in found if each))

    def _resolved(
        self, relationship: Relationship, contract: Contract, report: Report
    ) -> Relationship | None:
        if relationship.target or relationship.skipped:
            return relationship
        try:
            return replace(relationship, target=self._target(relationship, contract, report))
        except _Skip as skip:
            return replace(relationship, skipped=str(skip) or None)
        except _Wrong as wrong:
            report.error(wrong.origin, wrong.code, f"{relationship.label}: {wrong.text}")
            return None

    def _target(self, relationship: Relationship, contract: Contract, report: Report) -> Target:
        if len(relationship.columns) != len(relationship.to):
            text = f"{_count(relationship.columns)} cannot refer to {_count(relationship.to)}"
            raise _Wrong(relationship.origin, "relationship", text)
        found = [self._found(written, contract, report) for written in relationship.to]
        tables = {id(table): table for table, _ in found}
        if len(tables) > 1:
            names = ", ".join(table.dataset for table in tables.values())
            text = f"a key lies in one table, these are in {names}"
            raise _Wrong(relationship.origin, "relationship", text)
        (table,) = tables.values()
        paths = tuple(path for _, path in found)
        if not all(
            item.physical for path in paths if (item := property_at(table.properties, path))
        ):
            raise _Skip("its target is not stored, so nothing can be measured on it")
        for ours, theirs, written in zip(relationship.columns, paths, relationship.to, strict=True):
            _check_types(contract, ours, table, theirs, written.origin)
        return Target(self._stripped(table), paths)

    def _stripped(self, table: Contract) -> Contract:
        """One object for each table, without what would lead in circles."""
        bare = replace(table, relationships=(), findings=())
        return self._targets.setdefault(id(table), bare)

    def _found(
        self, written: Argument, contract: Contract, report: Report
    ) -> tuple[Contract, tuple[str, ...]]:
        """The table and the path of the column in it."""
        reference = parse_reference(str(written.value))
        if reference is None:
            raise _Wrong(written.origin, "relationship", f"it must name a column, {FORMS}")
        if reference.file is not None:
            return self._in_file(reference, written, contract)
        own = self._named(reference, self._paths.get(contract.origin.file))
        named = own or self._named(reference)
        if not named:
            self._miss(reference, written)
        table, path = _fitting(reference, written, named)
        if not own:
            self._note_other_file(written, contract, table, path, report)
        return table, path

    def _in_file(
        self, reference: Reference, written: Argument, contract: Contract
    ) -> tuple[Contract, tuple[str, ...]]:
        file = _absolute(str(Path(contract.origin.file).parent / (reference.file or "")))
        if file not in self._paths.values():
            raise _Skip
        named = self._named(reference, file)
        if not named:
            known = (name for name, tables in self._names.items() if self._within(tables, file))
            text = f"'{reference.file}' has no table '{reference.names[0]}'"
            hint = did_you_mean(reference.names[0], known)
            raise _Wrong(written.origin, "relationship", f"{text}{hint}")
        return _fitting(reference, written, named)

    def _named(
        self, reference: Reference, file: str | None = None
    ) -> list[tuple[Contract, tuple[str, ...]]]:
        """The tables that may be meant, each with the columns that are then meant in it."""
        found = []
        for name, columns in reference.readings:
            by_id = self._ids.get(name, ()) if reference.by_id else ()
            tables = self._within(by_id, file) or self._within(self._names.get(name, ()), file)
            found += [(table, columns) for table in tables]
        return found

    def _within(self, tables: Iterable[Contract], file: str | None) -> list[Contract]:
        """Those of one file, or all."""
        return [t for t in tables if file is None or self._paths[t.origin.file] == file]

    def _miss(self, reference: Reference, written: Argument) -> NoReturn:
        name, _ = next(reference.readings)
        names = self._names if len(self._names) <= MAX_WORDS else ()
        hint = did_you_mean(name, names)
        if self._complete and hint:
            text = f"no contract has a table '{name}'{hint}"
            raise _Wrong(written.origin, "relationship", text)
        raise _Skip

    def _note_other_file(
        self,
        written: Argument,
        contract: Contract,
        table: Contract,
        path: tuple[str, ...],
        report: Report,
    ) -> None:
        """ODCS looks in other files only where a reference names them."""
        file = os.path.relpath(table.origin.file, Path(contract.origin.file).parent)
        full = f"{file}#/schema/{table.object_id or table.object_name}"
        for depth, column in enumerate(path, 1):
            item = property_at(table.properties, path[:depth])
            full += f"/properties/{item.id or item.name if item else column}"
        text = f"Relationship to '{written.value}' is not portable ODCS: it leads to another file"
        add = report.error if self._strict else report.note
        add(written.origin, "portability", f"{text}, which is written '{full}'")


def _fitting(
    reference: Reference,
    written: Argument,
    named: Sequence[tuple[Contract, tuple[str, ...]]],
) -> tuple[Contract, tuple[str, ...]]:
    """The one table among those with the name that has the column."""
    paths = ((table, reference.path(table.properties, columns)) for table, columns in named)
    found = [(table, path) for table, path in paths if path]
    if not found:
        table, columns = named[0]
        hint = did_you_mean(columns[0], (p.name for p in table.properties))
        text = f"'{table.dataset}' has no property '{'.'.join(columns)}'{hint}"
        raise _Wrong(written.origin, "unknown-column", text)
    if len(found) > 1:
        places = ", ".join(str(table.origin) for table, _ in found)
        text = f"several tables are called so, at {places}; name the file, {FORMS}"
        raise _Wrong(written.origin, "relationship", text)
    return found[0]


def _check_types(
    contract: Contract,
    ours: tuple[str, ...],
    table: Contract,
    theirs: tuple[str, ...],
    origin: Origin,
) -> None:
    kinds = []
    for owner, path in ((contract, ours), (table, theirs)):
        item = property_at(owner.properties, path)
        type_ = item.type.name if item and item.type else None
        if type_ is not None and type_ not in _KINDS:
            text = f"'{'.'.join(path)}' is declared as {type_}, a key is a single value"
            raise _Wrong(origin, "type", text)
        kinds.append(type_)
    left, right = kinds
    if left and right and _KINDS[left] != _KINDS[right]:
        text = f"'{'.'.join(ours)}' is declared as {left}, '{'.'.join(theirs)}' of "
        text += f"'{table.dataset}' as {right}: they are never equal"
        raise _Wrong(origin, "type", text)


def _count(columns: Iterable[object]) -> str:
    number = len(tuple(columns))
    return "1 column" if number == 1 else f"{number} columns"


def _absolute(file: str) -> str:
    """One spelling for each file. Links are not followed, as nothing is read here."""
    return os.path.normpath(Path.cwd() / file)
