r"""Regular expressions in a query: made Java's, checked, and kept from ending the driver.

Java's matcher calls itself for every repetition of a group, and overflows the stack on a long text.
Spark takes that for fatal: the whole driver exits. So a pattern that repeats a group is searched
only in texts of up to 1,000 characters, and a longer text does not match, as in every other rule.
"""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from dqx_dagster.checks.regex import java_error, repeats_a_group
from dqx_dagster.checks.sql.source import SPARKS, SqlError

MAX_SEARCHED = 1_000
"""Characters in which a pattern that repeats a group is searched."""

_FLAGS: Final = {"i": "i", "c": "", "s": "s", "n": "s", "m": "m", "g": ""}

_CLASSES: Final = frozenset(
    """
    Alnum Alpha Blank Cntrl Digit Graph Lower Print Punct Space Upper XDigit
    """.split()  # noqa: SIM905 - a long list is easier to read without quotes
)
"""Classes of characters as POSIX calls them. In Java `[[:alpha:]]` is one of `:`, `a`, `h`, …"""

_CLASS: Final = re.compile(r"(?<!\\)\[:(\^?)(\w*):\]")
_IN_LIKE: Final = re.compile(r"\[\^?\]?[^\]]*\]|.", re.DOTALL)
_NO_ESCAPE: Final = frozenset(
    "athena duckdb oracle presto snowflake sqlite teradata trino tsql".split()  # noqa: SIM905
)
"""Where a backslash in LIKE is one, unless ESCAPE says otherwise."""

_JAVAS: Final = (*SPARKS, "athena", "clickhouse", "mysql", "presto", "redshift", "trino")
"""Where `$1` stands for a group in a replacement, as in Java; elsewhere it is `\\1`."""

_EMPTY: Final = (*SPARKS, "duckdb", "redshift")
"""Where what a pattern does not find is an empty text; elsewhere it is NULL."""


def resolve_patterns(tree: exp.Expr, dialect: str) -> None:
    """Write every match as Spark's RLIKE; raises `SqlError` where Java refuses the pattern."""
    for like in list(tree.find_all(exp.Like, exp.ILike)):
        _resolve_like(like, dialect)
    # From the inside out: an outer match copies what is inside it.
    for node in reversed(list(tree.find_all(exp.RegexpLike, exp.RegexpILike))):
        node.replace(_match(node, dialect))
    for function in reversed(list(tree.find_all(exp.Func))):
        if isinstance(function, exp.RegexpLike) or "Regexp" not in type(function).__name__:
            continue
        pattern = _pattern(function, dialect)
        if repeats_a_group(pattern):
            text = "a pattern that repeats a group may exhaust Java's stack in a long text; "
            text += "only a match (~, RLIKE) is safe with it"
            raise SqlError(text, "regex", node=function)
        function.set("expression", exp.Literal.string(pattern))
        if isinstance(function, exp.RegexpReplace):
            _resolve_replacement(function, dialect)
        if isinstance(function, exp.RegexpExtract) and dialect not in SPARKS:
            _resolve_extract(function, dialect)


def _resolve_like(node: exp.Expr, dialect: str) -> None:
    pattern = node.expression
    if not isinstance(pattern, exp.Literal):
        return
    is_escaped = isinstance(node.parent, exp.Escape)
    if dialect == "tsql" and "[" in pattern.name:
        if is_escaped:
            raise SqlError("brackets beside ESCAPE in LIKE are not known here", "regex", node=node)
        parts = "".join(map(_of_like, _IN_LIKE.findall(pattern.name)))
        text = exp.Literal.string(f"(?s){parts}")
        matched = exp.RegexpLike(this=node.this.copy(), expression=text, full_match=True)
        node.replace(exp.Not(this=matched) if node.args.get("negate") else matched)
    elif dialect in _NO_ESCAPE and not is_escaped:
        node.set("expression", exp.Literal.string(pattern.name.replace("\\", "\\\\")))


def _of_like(part: str) -> str:
    """A part of SQL Server's LIKE as a regular expression."""
    if len(part) > 1:
        inner = re.sub(r"[\\\[\]&]", r"\\\g<0>", part[1:-1])
        return f"[{inner}]"
    return {"%": ".*", "_": "."}.get(part) or (part if part.isalnum() else f"\\{part}")


def _resolve_replacement(node: exp.RegexpReplace, dialect: str) -> None:
    flags = _flags(node, "modifiers")
    every = "g" in (node.args["modifiers"].name if node.args.get("modifiers") else "")
    occurrence = node.args.get("occurrence")
    first = occurrence is not None and occurrence.name != "0"
    if first or (node.args.get("single_replace") and not every and dialect != "redshift"):
        text = "it replaces one match, and Spark every one; 'g', or occurrence 0, asks for that"
        raise SqlError(text, "regex", node=node)
    if flags:
        node.set("expression", exp.Literal.string(f"(?{flags}){node.expression.name}"))
    node.set("modifiers", None)
    given = node.args.get("replacement")
    if isinstance(given, exp.Literal | exp.RawString) and dialect not in _JAVAS:
        groups = re.sub(r"\\([0-9&])", _group, given.name.replace("$", "\\$"))
        node.set("replacement", exp.Literal.string(groups))


def _group(found: re.Match[str]) -> str:
    return f"${found[1].replace('&', '0')}"


def _resolve_extract(node: exp.RegexpExtract, dialect: str) -> None:
    if node.args.get("group") is None:
        node.set("group", exp.Literal.number(0))
    if dialect not in _EMPTY:
        matches = exp.RegexpLike(this=node.this.copy(), expression=node.expression.copy())
        node.replace(exp.case().when(matches, node.copy()))


def _match(node: exp.Expr, dialect: str) -> exp.Expr:
    pattern = _pattern(node, dialect)
    flags = _flags(node, "flag") + ("i" if isinstance(node, exp.RegexpILike) else "")
    if node.args.get("full_match"):
        pattern = rf"\A(?:{pattern})\z"
    pattern = f"(?{flags}){pattern}" if flags else pattern
    searched = exp.RegexpLike(this=node.this.copy(), expression=exp.Literal.string(pattern))
    if not repeats_a_group(pattern):
        return searched
    # Not with AND: Spark may compute both of its sides first, if others ask for the same match.
    # Spark's own LENGTH, whatever the dialect calls so.
    length = exp.Anonymous(this="LENGTH", expressions=[node.this.copy()])
    is_short = exp.LTE(this=length, expression=exp.Literal.number(MAX_SEARCHED))
    is_set = exp.Not(this=exp.Is(this=node.this.copy(), expression=exp.Null()))
    return exp.case().when(is_short, searched).when(is_set, exp.false())


def _pattern(node: exp.Expr, dialect: str) -> str:
    """The pattern in Java's words."""
    pattern = node.args.get("expression")
    if not isinstance(pattern, exp.Literal | exp.RawString) or pattern.is_number:
        raise SqlError("a pattern must be a text in the query", "regex", node=node)
    text = pattern.name if dialect in SPARKS else _CLASS.sub(_class, pattern.name)
    if problem := java_error(text):
        why = f"the pattern is not a regular expression that Java accepts: {problem}"
        raise SqlError(why, "regex", node=node)
    return text


def _class(found: re.Match[str]) -> str:
    name = next((each for each in _CLASSES if each.lower() == found[2]), None)
    if name is None:
        raise SqlError(f"the pattern has a class that Java does not know: {found[0]}", "regex")
    return rf"\{'P' if found[1] else 'p'}{{{name}}}"


def _flags(node: exp.Expr, key: str) -> str:
    given = node.args.get(key)
    if given is None:
        return ""
    if not isinstance(given, exp.Literal) or set(given.name) - set(_FLAGS):
        raise SqlError("the flags of the pattern are not known here", "regex", node=node)
    return "".join(dict.fromkeys(_FLAGS[flag] for flag in given.name))
