r"""Regular expressions in a query: made Java's, checked, and kept from ending the driver.

Java's matcher calls itself for every repetition of a group, and overflows the stack on a long text.
Spark takes that for fatal: the whole driver exits. So a pattern that repeats a group is searched
only in texts of up to 1,000 characters, and a longer text does not match, as in every other rule.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dqx_dagster.checks.regex import java_error, repeats_a_group
from dqx_dagster.checks.sql.source import SqlError

MAX_SEARCHED = 1_000
"""Characters in which a pattern that repeats a group is searched."""

_FLAGS: Final = {"i": "i", "c": "", "s": "s", "n": "s", "m": "m", "g": ""}


def resolve_patterns(tree: exp.Expr) -> None:
    """Write every match as Spark's RLIKE; raises `SqlError` where Java refuses the pattern."""
    # From the inside out: an outer match copies what is inside it.
    for node in reversed(list(tree.find_all(exp.RegexpLike, exp.RegexpILike))):
        node.replace(_match(node))
    for function in tree.find_all(exp.Func):
        if isinstance(function, exp.RegexpLike) or "Regexp" not in type(function).__name__:
            continue
        if repeats_a_group(_pattern(function)):
            text = "a pattern that repeats a group may exhaust Java's stack in a long text; "
            text += "only a match (~, RLIKE) is safe with it"
            raise SqlError(text, "regex", node=function)


def _match(node: exp.Expr) -> exp.Expr:
    pattern = _pattern(node)
    flags = _flags(node) + ("i" if isinstance(node, exp.RegexpILike) else "")
    if node.args.get("full_match"):
        pattern = rf"\A(?:{pattern})\z"
    pattern = f"(?{flags}){pattern}" if flags else pattern
    searched = exp.RegexpLike(this=node.this.copy(), expression=exp.Literal.string(pattern))
    if not repeats_a_group(pattern):
        return searched
    # Not with AND: Spark may compute both of its sides first, if others ask for the same match.
    length, most = exp.Length(this=node.this.copy()), exp.Literal.number(MAX_SEARCHED)
    is_short = exp.LTE(this=length, expression=most)
    is_set = exp.Not(this=exp.Is(this=node.this.copy(), expression=exp.Null()))
    return exp.case().when(is_short, searched).when(is_set, exp.false())


def _pattern(node: exp.Expr) -> str:
    pattern = node.args.get("expression")
    if not isinstance(pattern, exp.Literal | exp.RawString) or pattern.is_number:
        raise SqlError("a pattern must be a text in the query", "regex", node=node)
    if problem := java_error(pattern.name):
        text = f"the pattern is not a regular expression that Java accepts: {problem}"
        raise SqlError(text, "regex", node=node)
    return pattern.name


def _flags(node: exp.Expr) -> str:
    given = node.args.get("flag")
    if given is None:
        return ""
    if not isinstance(given, exp.Literal) or set(given.name) - set(_FLAGS):
        raise SqlError("the flags of the pattern are not known here", "regex", node=node)
    return "".join(dict.fromkeys(_FLAGS[flag] for flag in given.name))
