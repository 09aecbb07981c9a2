r"""`{table}`, `${column}` and the like → plain words, which become the real names in the tree.

So a name cannot break out of its place, however it is spelt.

>>> marked = mark("SELECT {column} FROM ${table} WHERE x")
>>> marked.text
'SELECT dqx__column FROM dqx__table WHERE x'
>>> marked.original(marked.text.index("x", 40))
36
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from dqx_dagster.errors import did_you_mean

TABLE_WORDS: Final = ("table", "object", "model")
COLUMN_WORDS: Final = ("column", "property", "field")
MARK: Final = "dqx__"
"""What the words begin with that stand for placeholders. No query may hold it otherwise."""

_WORDS: Final = (*TABLE_WORDS, *COLUMN_WORDS)
_KNOWN: Final = re.compile(r"\$?\{(" + "|".join(_WORDS) + r")\}")
_ANY: Final = re.compile(r"\$\{[^}\s]*\}?|(?<![\\\w])\{[A-Za-z_]\w*\}")


@dataclass(frozen=True, slots=True)
class Marked:
    """A text with words for its placeholders."""

    text: str
    shifts: tuple[tuple[int, int], ...]  # from where on, and by how much, it is off

    def original(self, offset: int) -> int:
        """Where a character stood before."""
        return max(0, offset - sum(by for start, by in self.shifts if start <= offset))


def mark(text: str) -> Marked:
    """Replace every known placeholder by its word."""
    shifts, moved = [], 0
    for found in _KNOWN.finditer(text):
        by = len(MARK) + len(found[1]) - len(found[0])
        moved += by
        shifts.append((found.end() + moved, by))
    return Marked(_KNOWN.sub(lambda found: f"{MARK}{found[1]}", text), tuple(shifts))


def placeholder(name: str) -> str | None:
    """The word of the placeholder that a name stands for, or None."""
    word = name.lower().removeprefix(MARK)
    return word if word != name.lower() and word in _WORDS else None


def unknown(text: str) -> Iterator[tuple[str, int]]:
    """What looks like a placeholder and is none, and where it stands."""
    for found in _ANY.finditer(text):
        if not _KNOWN.fullmatch(found[0]):
            yield found[0], found.start()


def not_known(written: str) -> str:
    """What to say about it."""
    hint = did_you_mean(written.strip("${}"), _WORDS)
    listed = ", ".join(f"{{{word}}}" for word in _WORDS)
    return f"unknown placeholder '{written}'{hint or f'; known are {listed}'}"
