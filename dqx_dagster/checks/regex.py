r"""What can be known about a Java regular expression without Java.

Spark matches with `java.util.regex`. Its dialect is neither Python's nor JavaScript's, so patterns
are never tried with `re`; this scanner finds what Java refuses for certain, and lets pass what only
Java itself can judge.

>>> java_error(r"^[A-Z]{2}\d+$")
>>> java_error("(?P<year>[0-9]{4})")
'named groups are written (?<name>…), not (?P<name>…), at position 1'
>>> java_error("[a-z")
'a character class is not closed, from position 1'
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_INT_DIGITS = 10
_QUANTIFIER = re.compile(r"\{([0-9]+)(,([0-9]*))?\}")
_LETTER_ESCAPES = frozenset("tnrfaexucdDhHsSvVwWbBAGZzpPRXkQN")
"""Java refuses a backslash before any other letter."""

_OPENING = re.compile(r"\((?:\?(?:[:=!>]|<[=!]|<[A-Za-z][A-Za-z0-9]*>|[idmsuxU-]*[:)]))?")
_LONG_ESCAPE = re.compile(r"\\(?:[pPxN]\{[^}]{0,100}\}|k<[^>]{0,100}>)")


@dataclass(slots=True)
class _Problem(Exception):  # noqa: N818 - never leaves this module
    what: str
    at: int


def java_error(pattern: str) -> str | None:
    """Why Java's regex engine is certain to refuse the pattern, or None."""
    try:
        _scan(pattern)
    except _Problem as problem:
        return f"{problem.what} position {problem.at + 1}"
    return None


def _scan(pattern: str) -> None:
    open_groups: list[int] = []
    repeatable = False  # whether a quantifier may follow
    at = 0
    while at < len(pattern):
        char, start = pattern[at], at
        match char:
            case "\\":
                at, repeatable = _escape(pattern, at), True
            case "[":
                at, repeatable = _class(pattern, at), True
            case "(":
                at, opened = _group(pattern, at)
                open_groups += [start] if opened else []
                repeatable = False
            case ")":
                if not open_groups:
                    raise _Problem("a ')' has no '(', at", at)
                open_groups.pop()
                at, repeatable = at + 1, True
            case "*" | "+" | "?":
                if not repeatable:
                    raise _Problem(f"there is nothing before '{char}' to repeat, at", at)
                at = at + 2 if pattern[at + 1 : at + 2] in ("?", "+") else at + 1
                repeatable = False
            case "{":
                at, repeatable = _counted(pattern, at), False
            case "|" | "^":
                at, repeatable = at + 1, char == "^"
            case _:
                at, repeatable = at + 1, True
        assert at > start
    if open_groups:
        raise _Problem("a '(' is not closed, at", open_groups[-1])


def _escape(pattern: str, at: int) -> int:
    if at + 1 >= len(pattern):
        raise _Problem("a backslash stands at the end, at", at)
    char = pattern[at + 1]
    if char == "Q":
        end = pattern.find("\\E", at)
        return len(pattern) if end < 0 else end + 2
    if char.isascii() and char.isalpha() and char not in _LETTER_ESCAPES:
        raise _Problem(f"'\\{char}' is not an escape that Java knows, at", at)
    found = _LONG_ESCAPE.match(pattern, at)
    return found.end() if found else at + 2


def _group(pattern: str, at: int) -> tuple[int, bool]:
    """Past the opening of a group, and whether something is open now: `(?i)` closes itself."""
    if pattern.startswith("(?P", at):
        raise _Problem("named groups are written (?<name>…), not (?P<name>…), at", at)
    if pattern.startswith("(?#", at):
        raise _Problem("comments in (?#…) are not known to Java, at", at)
    found = _OPENING.match(pattern, at)
    assert found is not None
    if pattern.startswith("(?", at) and found.end() == at + 1:
        raise _Problem("an unknown kind of group begins at", at)
    return found.end(), not found.group().endswith(")")


def _class(pattern: str, start: int) -> int:
    """Past a character class. Java's classes nest, so the open ones are kept on a stack."""
    at = start
    opened: list[int] = []
    first = -1  # where a ']' would be an ordinary character
    previous: str | None = None  # the character that a range may start with
    while at < len(pattern):
        char = pattern[at]
        if char == "[":
            opened.append(at)
            at += 2 if pattern.startswith("[^", at) else 1
            first, previous = at, None
        elif char == "]" and at > first:
            opened.pop()
            at, previous = at + 1, None
            if not opened:
                return at
        elif char == "\\":
            at, previous = _escape(pattern, at), None
        elif char == "-" and previous and pattern[at + 1 : at + 2] not in ("", "]", "[", "\\"):
            if pattern[at + 1] < previous:
                raise _Problem(f"the range {previous}-{pattern[at + 1]} is reversed, at", at - 1)
            at, previous = at + 2, None
        else:
            at, previous = at + 1, char
    raise _Problem("a character class is not closed, from", opened[-1])


def _counted(pattern: str, at: int) -> int:
    found = _QUANTIFIER.match(pattern, at)
    if found is None:
        raise _Problem("'{' must be a repetition like {2,5}, or be escaped, at", at)
    low, high = found[1].lstrip("0"), (found[3] or "").lstrip("0")
    if max(len(low), len(high)) > _INT_DIGITS:
        raise _Problem("a repetition has too large a number, at", at)
    if found[3] and int(high or 0) < int(low or 0):
        raise _Problem(f"the repetition {found.group()} is reversed, at", at)
    end = found.end()
    return end + 1 if pattern[end : end + 1] in ("?", "+") else end


_LONG_REPEAT = re.compile(r"[*+]|\{\d+,\}|\{(?:\d+,)?\d{3,}\}")


def repeats_a_group(pattern: str) -> bool:
    """Whether a group is repeated often, for which Java's matcher calls itself each time.

    >>> repeats_a_group("^(a|b)*$"), repeats_a_group("^[ab]*(c|d)$"), repeats_a_group("[(x)+]")
    (True, False, False)
    """
    at = 0
    while at < len(pattern):
        match pattern[at]:
            case "\\":
                at = _escape(pattern, at)
            case "[":
                at = _class(pattern, at)
            case ")" if _LONG_REPEAT.match(pattern, at + 1):
                return True
            case _:
                at += 1
    return False
