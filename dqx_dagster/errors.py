"""What can go wrong with a contract, and where.

Exceptions and warnings::

    DqxError
    ├── ContractValidationError   a contract file is wrong; carries every finding of the load
    ├── DefinitionsError          contracts and the definitions of Dagster do not fit together
    ├── AlertError                an alert could not be delivered
    ├── SchemaValidationError     a table's columns are not what its contract declares
    └── EngineError               nothing can be measured: the table or Spark itself is out of reach
    ContractWarning (UserWarning) part of a contract is skipped or suspicious; loading goes on

A `Finding` is the same thing as data: `lint` prints findings, `load_contracts` raises the errors
among them as one exception and issues the rest through `warnings`.

>>> origin = Origin("orders.odcs.yaml", line=3, column=1, path=("kind",))
>>> print(Finding(Level.ERROR, "schema", "'kind' must be 'DataContract'", origin))
orders.odcs.yaml:3:1: error: 'kind' must be 'DataContract'
"""

from __future__ import annotations

import difflib
import enum
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

YamlPath: TypeAlias = tuple[str | int, ...]


class DqxError(Exception):
    """Base of everything that dqx_dagster raises on purpose."""


class ContractWarning(UserWarning):
    """Part of a contract is skipped or suspicious; the rest is used."""


class DefinitionsError(DqxError):
    """Contracts and the definitions of Dagster do not fit together."""


class AlertError(DqxError):
    """An alert could not be delivered. The next tick of its sensor tries again."""


class SchemaValidationError(DqxError):
    """A table's columns are not what its contract declares."""


class EngineError(DqxError):
    """Nothing can be measured: the table cannot be read, or Spark is gone. Worth a retry."""


class Level(enum.Enum):
    """How much a finding matters: only errors stop a contract from loading."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Origin:
    """A place in a contract file; lines and columns count from 1."""

    file: str
    line: int = 1
    column: int = 1
    path: YamlPath = ()

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    @property
    def yaml_path(self) -> str:
        """The path inside the document, like `schema[0].properties[2].name`."""
        parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path)
        return "".join(parts).removeprefix(".")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a reader has to say about one place of a contract."""

    level: Level
    code: str
    message: str
    origin: Origin

    def __str__(self) -> str:
        return f"{self.origin}: {self.level.value}: {self.message}"

    @property
    def sort_key(self) -> tuple[str, int, int, str]:
        """Findings are shown in the order of the files that they talk about."""
        return (self.origin.file, self.origin.line, self.origin.column, self.message)


class ContractValidationError(DqxError):
    """A contract is wrong, in one or in many places.

    With one error, `str()` is its sentence and the place is a note below it (and in `origin`).
    With several, `str()` lists all of them with their places. `errors` holds them as data.
    """

    def __init__(self, errors: Sequence[Finding]) -> None:
        """Keep `errors`, sorted by place; there must be at least one."""
        self.errors: tuple[Finding, ...] = tuple(sorted(errors, key=lambda e: e.sort_key))
        super().__init__(self._text())
        if len(self.errors) == 1 and sys.version_info >= (3, 11):
            self.add_note(f"  at {self.origin}  ({self.origin.yaml_path or 'document'})")

    def _text(self) -> str:
        if len(self.errors) == 1:
            return self.errors[0].message
        files = len({error.origin.file for error in self.errors})
        where = "1 contract file" if files == 1 else f"{files} contract files"
        lines = [f"{len(self.errors)} errors in {where}:"]
        lines += [f"  {error.origin}: {error.message}" for error in self.errors]
        return "\n".join(lines)

    @property
    def origin(self) -> Origin:
        """Where the first error is."""
        return self.errors[0].origin


MAX_ERRORS = 200
"""Of one file. More of them help nobody, and close matches for thousands take minutes."""


class Report:
    """Collects findings while a contract is read, so that all errors come at once.

    Raises `Report.TooMany` with the one that is too many.
    """

    class TooMany(Exception):  # noqa: N818 - a signal between reader and report
        """Ends the reading of a file; what was found until then is in its report."""

    def __init__(self, limit: int | None = MAX_ERRORS) -> None:
        """`limit` is how many errors are enough."""
        self._findings: dict[Finding, None] = {}
        self._errors, self._limit = 0, limit

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that was found, in the order of finding."""
        return tuple(self._findings)

    def error(self, origin: Origin, code: str, message: str) -> None:
        """Add an error."""
        if self._errors == self._limit:
            raise self.TooMany
        self.add(Finding(Level.ERROR, code, message, origin))

    def warning(self, origin: Origin, code: str, message: str) -> None:
        """Add a warning."""
        self.add(Finding(Level.WARNING, code, message, origin))

    def note(self, origin: Origin, code: str, message: str) -> None:
        """Add a note."""
        self.add(Finding(Level.NOTE, code, message, origin))

    def add(self, *findings: Finding) -> None:
        """Add findings; what is there already is not said twice."""
        for finding in findings:
            if finding not in self._findings:
                self._findings[finding] = None
                self._errors += finding.level is Level.ERROR

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that stop the load."""
        return tuple(f for f in self._findings if f.level is Level.ERROR)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The close match as the end of a sentence, or nothing.

    >>> did_you_mean("whitelst", ["whitelist", "blacklist"])
    ". Did you mean 'whitelist'?"
    """
    match = close_match(word, known)
    return f". Did you mean '{match}'?" if match else ""


MAX_WORD = 100
MAX_WORDS = 500
"""Beyond these, looking for a close match takes too long."""


def close_match(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` was probably meant to be."""
    # Words of more different lengths are never alike enough.
    near = [w for w in known if 3 * max(len(w), len(word)) <= 5 * min(len(w), len(word))]
    if len(word) > MAX_WORD or len(near) > MAX_WORDS:
        return None
    by_lower = {candidate.lower(): candidate for candidate in sorted(near, reverse=True)}
    found = difflib.get_close_matches(word.lower(), by_lower, n=1, cutoff=0.75)
    return by_lower[found[0]] if found else None
