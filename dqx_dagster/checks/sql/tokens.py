r"""Spark SQL as tokens: the last gate before Spark, and the clock.

The text was written by a generator, with every name in backticks and every text in single quotes.
The gate reads it as Spark's lexer does and refuses each token that is not on the list. It does not
know what the tokens mean together, and so cannot be misled about it.

>>> refused("SELECT COUNT(*) FROM `t` WHERE `a` > 'x\\'y'")
>>> refused("SELECT REFLECT('java.lang.System', 'exit')"), refused("SELECT 1; DROP TABLE `t`")
('REFLECT', ';')
>>> at("SELECT CURRENT_TIMESTAMP()", dt.datetime(2026, 1, 31, tzinfo=dt.timezone.utc))
"SELECT CAST('2026-01-31T00:00:00+00:00' AS TIMESTAMP)"
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from dqx_dagster.checks.sql.words import CLOCK, FUNCTIONS, OPENING, PLAIN, SIGNS, SIZED_TYPES

_TOKENS: Final = re.compile(
    r"""
      (?P<space>[ \t\r\n]+)
    | (?P<text>'(?:[^'\\]|\\.)*')
    | (?P<name>`(?:[^`]|``)*`)
    | (?P<number>[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9]+)
    | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<sign>--|/\*|\*/|\|>|->|=>|::|<=>|<>|!=|<=|>=|\|\||.)
    """,
    re.VERBOSE | re.DOTALL,
)
_SUBSTITUTED: Final = "${"
"""Spark puts settings and environment variables into `${…}`, even inside texts."""


class Token(NamedTuple):
    """A piece of the text; spaces are none."""

    kind: str
    text: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """The text in pieces; every character belongs to one, or is a space."""
    found = _TOKENS.finditer(text)
    pieces = (Token(str(m.lastgroup), m.group(), m.start(), m.end()) for m in found)
    return [piece for piece in pieces if piece.kind != "space"]


def refused(text: str) -> str | None:
    """The first thing in Spark SQL that is not on the list, or None."""
    if _SUBSTITUTED in text:
        return _SUBSTITUTED
    nothing = Token("sign", "", len(text), len(text))
    found = [nothing, *tokens(text), nothing, nothing]
    for before, token, *after in zip(found, found[1:], found[2:], found[3:], strict=False):
        if not _allowed(before, token, [following.text for following in after]):
            return token.text
    return None


def _allowed(before: Token, token: Token, after: list[str]) -> bool:
    called = after[0] == "("
    match token.kind:
        case "word":
            word = token.text.lower()
            if before.end == token.start and before.kind != "sign":
                return False  # part of something else: `1L`, `r'…'`
            if word in CLOCK:
                return not called or after[1] == ")"
            return word in (FUNCTIONS | OPENING | SIZED_TYPES if called else PLAIN)
        case "name":
            # Before a parenthesis it is a function, unless it is the name of what stands before it.
            return not called or before.text.upper() == "AS"
        case "text" | "number":
            return not called and before.kind not in ("text", "number")
        case _:
            return token.text in SIGNS


def at(text: str, now: dt.datetime) -> str:
    """The text with the clock in it, in the place of functions that ask for the time."""
    return "".join(_timed(text, now))


def _timed(text: str, now: dt.datetime) -> Iterator[str]:
    moment = f"CAST('{now.isoformat()}' AS TIMESTAMP)"
    last = 0
    pieces = tokens(text)
    for index, token in enumerate(pieces):
        if token.kind != "word" or token.text.lower() not in CLOCK:
            continue
        call = [piece.text for piece in pieces[index + 1 : index + 3]] == ["(", ")"]
        yield text[last : token.start]
        yield f"CAST({moment} AS DATE)" if token.text.lower() == "current_date" else moment
        last = pieces[index + 2].end if call else token.end
    yield text[last:]
