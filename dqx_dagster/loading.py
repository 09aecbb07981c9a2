"""Files → contracts: reads contract files and directories, and reports all that is wrong at once.

`inspect` never raises and is what `lint` shows; `load_contracts` raises every error as one
exception and passes the rest on as warnings.
"""

from __future__ import annotations

import contextlib
import functools
import os
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from dqx_dagster.checks.lowering import lower_into
from dqx_dagster.checks.rule import Lowered, Settings
from dqx_dagster.contract.document import Document, load_document
from dqx_dagster.contract.model import Contract, Dialect
from dqx_dagster.contract.native import read_native
from dqx_dagster.contract.odcs import read_odcs
from dqx_dagster.contract.relationships import Tables
from dqx_dagster.contract.standard import check_portable
from dqx_dagster.errors import (
    MAX_ERRORS,
    ContractValidationError,
    ContractWarning,
    Finding,
    Level,
    Origin,
    Report,
    YamlPath,
)

SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was read, and everything that there is to say about it."""

    contracts: tuple[Contract, ...]
    lowered: tuple[Lowered, ...]
    findings: tuple[Finding, ...]
    files: int

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that stop a load."""
        return tuple(f for f in self.findings if f.level is Level.ERROR)


def load_contracts(
    directory: str | Path, *, strict: bool = False, settings: Settings | None = None
) -> list[Contract]:
    """Read every contract below a directory, in a stable order.

    Raises one `ContractValidationError` with all errors of all files. What is skipped or
    suspicious is issued as `ContractWarning`, and kept in `Contract.findings`.
    """
    return _checked(inspect([Path(directory)], strict=strict, settings=settings))


def load_file(
    path: Path, *, dialect: Dialect | None = None, strict: bool = False
) -> list[Contract]:
    """Read one file, which must be of the dialect if one is given."""
    return _checked(inspect([path], strict=strict, dialect=dialect))


def inspect(
    paths: Iterable[Path],
    *,
    strict: bool = False,
    settings: Settings | None = None,
    dialect: Dialect | None = None,
) -> Inspection:
    """Read files and directories, and collect every finding."""
    report = Report(limit=None)
    given = list(paths)
    files = {_identity(path): (path, name) for path, name in _files(given, report)}
    readings = [
        _reading(path, name, report, dialect, strict=strict) for path, name in files.values()
    ]
    siblings = tuple(contract for reading in readings for contract in reading.contracts)
    tables = Tables(
        siblings,
        complete=any(_kind(path) == "directory" for path in given),
        strict=strict,
    )
    contracts: list[Contract] = []
    lowered: list[Lowered] = []
    for reading in readings:
        own = reading.report
        with _until_too_many(reading.name, report):
            resolved = (tables.resolved(contract, own) for contract in reading.contracts)
            related = [replace(contract, siblings=siblings) for contract in resolved]
            rules = [lower_into(own, contract, settings or Settings()) for contract in related]
            if strict and reading.odcs is not None:
                check_portable(reading.odcs, own)
            contracts += related
            lowered += rules
        report.add(*own.findings)
    _check_assets(contracts, report)
    found = sorted(report.findings, key=lambda finding: finding.sort_key)
    about = _by_table(contracts, found)
    return Inspection(
        tuple(replace(c, findings=said) for c, said in zip(contracts, about, strict=True)),
        tuple(lowered),
        tuple(found),
        len(files),
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    """One file, read by itself: what is wrong with one must not hide the faults of another."""

    name: str
    report: Report
    contracts: list[Contract]
    odcs: Document | None = None  # where it is of that dialect


def _reading(
    path: Path, name: str, report: Report, dialect: Dialect | None, *, strict: bool
) -> _Reading:
    own = Report()
    with _until_too_many(name, report):
        document = _document(path, name, own)
        if document is not None:
            spoken = dialect or _dialect(document)
            found = _read(document, own, spoken, strict=strict)
            return _Reading(name, own, found, document if spoken is Dialect.ODCS else None)
    return _Reading(name, own, [])


@contextlib.contextmanager
def _until_too_many(name: str, report: Report) -> Iterator[None]:
    """Give up on a file that has too many errors."""
    try:
        yield
    except Report.TooMany:
        text = f"more than {MAX_ERRORS} errors; the rest of the file is not read"
        report.error(Origin(name), "too-many", text)


def _by_table(
    contracts: Iterable[Contract], findings: Iterable[Finding]
) -> Iterator[tuple[Finding, ...]]:
    """What is said about each table: at its place, or about its file as a whole."""
    places = {(contract.origin.file, contract.origin.path) for contract in contracts}
    said: dict[tuple[str, YamlPath], list[Finding]] = {}
    for finding in findings:
        place = (finding.origin.file, finding.origin.path[:2])
        said.setdefault(place if place in places else (place[0], ()), []).append(finding)
    for contract in contracts:
        file, path = contract.origin.file, contract.origin.path
        yield (*said.get((file, ()), ()), *(said.get((file, path), ()) if path else ()))


def _checked(inspection: Inspection) -> list[Contract]:
    if inspection.errors:
        raise ContractValidationError(inspection.errors)
    for finding in inspection.findings:
        if finding.level is Level.WARNING:
            text = finding.message
            origin = finding.origin
            warnings.warn_explicit(text, ContractWarning, origin.file, origin.line)
    return list(inspection.contracts)


def _files(paths: Iterable[Path], report: Report) -> Iterator[tuple[Path, str]]:
    for path in paths:
        kind = _kind(path)
        if kind is None:
            _refuse(report, str(path), "there is no such file or directory")
        elif kind == "file":
            yield path, str(path)
        else:
            found = list(_below(path, report))
            if not found:
                _refuse(report, str(path), "the directory holds no contract (*.yaml)")
            yield from found


def _identity(path: Path) -> Path:
    """What is read once, however it is spelled."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path


def _refuse(report: Report, name: str, text: str) -> None:
    report.error(Origin(name), "file", text)


def _kind(path: Path) -> str | None:
    try:
        return "directory" if path.is_dir() else "file" if path.exists() else None
    except (OSError, ValueError):  # a name that no file can have
        return None


def _below(directory: Path, report: Report) -> Iterator[tuple[Path, str]]:
    """Every contract file below a directory, sorted.

    Hidden files and folders are none; links that lead out of it, or nowhere, are refused.
    """
    root = directory.resolve()
    unreadable = functools.partial(_refuse_folder, report)
    for folder, folders, names in os.walk(directory, onerror=unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in folders:
            link = Path(folder) / name
            if link.is_symlink() and not _inside(link, root):
                _refuse(report, link.as_posix(), "the link leads out of the directory")
        for name in sorted(names):
            path = Path(folder) / name
            if path.suffix.lower() not in SUFFIXES or name.startswith("."):
                continue
            if _inside(path, root):
                yield path, path.as_posix()
            else:
                _refuse(report, path.as_posix(), "the link leads out of the directory, or nowhere")


def _refuse_folder(report: Report, error: OSError) -> None:
    _refuse(report, str(error.filename), f"cannot read the directory: {error.strerror}")


def _inside(path: Path, root: Path) -> bool:
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):  # nowhere, or in a ring
        return False
    return root in (target, *target.parents)


def _document(path: Path, name: str, report: Report) -> Document | None:
    try:
        return load_document(path, name)
    except ContractValidationError as error:
        report.add(*error.errors)
        return None


def _read(document: Document, report: Report, dialect: Dialect, *, strict: bool) -> list[Contract]:
    match dialect:
        case Dialect.ODCS:
            return read_odcs(document, report, strict=strict)
        case Dialect.NATIVE:
            return [read_native(document, report)]


def _dialect(document: Document) -> Dialect:
    """Native files have a dataset and columns, and no kind."""
    native = "kind" not in document.root and "apiVersion" not in document.root
    return (
        Dialect.NATIVE if native and {"dataset", "columns"} & set(document.root) else Dialect.ODCS
    )


def _check_assets(contracts: Iterable[Contract], report: Report) -> None:
    claimed: dict[tuple[str, ...], Contract] = {}
    for contract in contracts:
        if not all(part.strip() for part in contract.asset_path):
            text = f"the asset key '{'/'.join(contract.asset_path)}' has an empty part"
            report.error(contract.origin, "asset-key", text)
        first = claimed.setdefault(contract.asset_path, contract)
        if first is not contract and contract.dataset:
            asset = "/".join(contract.asset_path)
            text = f"two contracts for one asset '{asset}': the other is at {first.origin}"
            report.error(contract.origin, "duplicate-asset", text)
