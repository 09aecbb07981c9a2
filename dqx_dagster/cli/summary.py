"""Inspection → `Summary`: the numbers of a lint, its last line, and whether it passed.

>>> str(Summary(files=4, contracts=7, rules=112))
'4 files, 7 contracts, 112 rules: clean'
>>> str(Summary(files=4, contracts=7, rules=98, errors=3, warnings=1, notes=2))
'3 errors, 1 warning, 2 notes in 4 files'
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from dqx_dagster.errors import Level
from dqx_dagster.loading import Inspection


@dataclass(frozen=True, slots=True)
class Summary:
    """How much was read, and how much was found."""

    files: int
    contracts: int
    rules: int
    errors: int = 0
    warnings: int = 0
    notes: int = 0

    @classmethod
    def of(cls, inspection: Inspection) -> Summary:
        """The numbers of an inspection."""
        levels = Counter(finding.level for finding in inspection.findings)
        return cls(
            files=inspection.files,
            contracts=len(inspection.contracts),
            rules=sum(len(lowered.rules) for lowered in inspection.lowered),
            errors=levels[Level.ERROR],
            warnings=levels[Level.WARNING],
            notes=levels[Level.NOTE],
        )

    def passes(self, *, strict: bool) -> bool:
        """Errors fail; so do warnings where the lint is strict. Notes never do."""
        return not self.errors and not (strict and self.warnings)

    def __str__(self) -> str:
        numbers = ((self.errors, "error"), (self.warnings, "warning"), (self.notes, "note"))
        found = [_counted(number, noun) for number, noun in numbers if number]
        files = _counted(self.files, "file")
        if found:
            return f"{', '.join(found)} in {files}"
        contracts, rules = _counted(self.contracts, "contract"), _counted(self.rules, "rule")
        return f"{files}, {contracts}, {rules}: clean"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
