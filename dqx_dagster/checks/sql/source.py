r"""The text of a query → its tree, in the dialect that it is written in.

Placeholders become plain words before parsing, and the real names afterwards, in the tree: a name
cannot break out of its place, however it is spelt.

>>> query = parse("SELECT COUNT(*) FROM ${table} WHERE {column} < 0", "postgres")
>>> sorted(identifier.name for identifier in query.tree.find_all(exp.Identifier))
['dqx__column', 'dqx__table']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlglot import Dialect, Token, TokenType, exp
from sqlglot.errors import ParseError, TokenError

from dqx_dagster.errors import did_you_mean

MAX_LENGTH = 20_000
"""Characters of one query."""

SPARK: Final = "spark"
POSTGRES: Final = "postgres"

SERVERS: Final[Mapping[str, str]] = {
    "athena": "athena",
    "bigquery": "bigquery",
    "clickhouse": "clickhouse",
    "databricks": "databricks",
    "dremio": "dremio",
    "duckdb": "duckdb",
    "glue": SPARK,
    "hive": "hive",
    "impala": "hive",
    "mysql": "mysql",
    "oracle": "oracle",
    "postgres": POSTGRES,
    "postgresql": POSTGRES,
    "presto": "presto",
    "redshift": "redshift",
    "snowflake": "snowflake",
    "spark": SPARK,
    "sqlite": "sqlite",
    "sqlserver": "tsql",
    "synapse": "tsql",
    "teradata": "teradata",
    "trino": "trino",
    "tsql": "tsql",
}
"""The dialects, by the `type` of a server."""

TABLE_WORDS: Final = ("table", "object", "model")
COLUMN_WORDS: Final = ("column", "property", "field")
_WORDS: Final = (*TABLE_WORDS, *COLUMN_WORDS)
_PLACEHOLDER: Final = re.compile(r"\$?\{(" + "|".join(_WORDS) + r")\}")
_ANY_PLACEHOLDER: Final = re.compile(r"\$\{[^}\s]*\}?|(?<![\\\w])\{[A-Za-z_]\w*\}")
_MARK: Final = "dqx__"
"""What the words begin with that stand for placeholders. No query may hold it otherwise."""

_STARTS: Final = (TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN)
_BACKSLASHED: Final = (SPARK, "databricks", "hive")


class SqlError(Exception):
    """A query cannot be used. The sentence goes on after the name of its rule."""

    def __init__(
        self, text: str, code: str = "sql", *, at: int | None = None, node: exp.Expr | None = None
    ) -> None:
        """`at` is where in the query it is wrong, in characters from 0; or `node` stands there."""
        super().__init__(text)
        self.code, self.text, self.at, self.node = code, text, at, node


@dataclass(frozen=True, slots=True)
class Source:
    """A query that was parsed."""

    text: str
    dialect: str
    tree: exp.Expr
    shifts: tuple[tuple[int, int], ...]  # from where in the parsed text on, by how much it is off

    def place(self, node: exp.Expr) -> int | None:
        """Where the node stands in the text, if the parser knows."""
        starts = [each.meta["start"] for each in node.walk() if "start" in each.meta]
        return self._original(min(starts)) if starts else None

    def written(self, node: exp.Expr) -> str | None:
        """How the author spelt the name of a function."""
        if "start" not in node.meta:
            return None
        start = self._original(node.meta["start"])
        return self.text[start : self._original(node.meta["end"]) + 1]

    def _original(self, offset: int) -> int:
        return offset - sum(by for start, by in self.shifts if start <= offset)


def line_and_column(text: str, at: int) -> tuple[int, int]:
    """The place of a character, counted from 0."""
    return text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1


def parse(text: str, dialect: str | None) -> Source:
    """Parse one query; raises `SqlError` where it is none.

    Without a dialect it is Spark's, unless it has names in double quotes or can only be Postgres.
    Double quotes hold a text in Spark and a name nearly everywhere else: taken for a name, a text
    is an unknown column, which is an error; the other way round a rule would compare two constants.
    """
    if len(text) > MAX_LENGTH:
        raise SqlError(f"the query has {len(text):,} characters; at most {MAX_LENGTH:,}")
    if _MARK in text.lower():
        raise SqlError(f"names that begin with '{_MARK}' are not free", at=text.find(_MARK))
    if dialect is not None:
        return _parse(text, dialect)
    if _has_quoted_names(text):
        return _parse(text, POSTGRES)
    try:
        return _parse(text, SPARK)
    except SqlError as error:
        try:
            return _parse(text, POSTGRES)
        except SqlError:
            raise error from None


def _has_quoted_names(text: str) -> bool:
    try:
        found = Dialect.get_or_raise(POSTGRES).tokenize(text)
    except TokenError:
        return False
    return any(t.token_type is TokenType.IDENTIFIER and text[t.start] == '"' for t in found)


def _parse(written: str, dialect: str) -> Source:
    text, shifts = _marked(written)
    language = Dialect.get_or_raise(dialect)
    try:
        if dialect in _BACKSLASHED:
            text = _with_escaped_quotes(text, language.tokenize(text))
        _check_start(language.tokenize(text))
        trees = [tree for tree in language.parse(text) if tree is not None]
    except TokenError:
        raise SqlError(f"it is not SQL of {_label(dialect)}: a quote is not closed") from None
    except ParseError as error:
        raise _explained(error.errors[0], text, written, dialect, shifts) from None
    except RecursionError:
        raise SqlError("it is nested too deeply") from None
    if len(trees) != 1:
        raise SqlError(f"a rule has one statement, got: {len(trees)}")
    source = Source(written, dialect, trees[0], shifts)
    _check_texts(source)
    return source


def _marked(text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text with words for its placeholders, and how far that moves what follows."""
    shifts, moved = [], 0
    for found in _PLACEHOLDER.finditer(text):
        by = len(_MARK) + len(found[1]) - len(found[0])
        shifts.append((found.end() + moved + by, by))
        moved += by
    return _PLACEHOLDER.sub(lambda found: f"{_MARK}{found[1]}", text), tuple(shifts)


def placeholder(name: str) -> str | None:
    """The word of the placeholder that a name stands for, or None."""
    word = name.lower().removeprefix(_MARK)
    return word if word != name.lower() and word in _WORDS else None


def _with_escaped_quotes(text: str, tokens: Iterable[Token]) -> str:
    r"""Two quotes in a text mean one, as since Spark 4; written `\'`, which Spark always reads so.

    >>> text = "SELECT 'it''s'"
    >>> print(_with_escaped_quotes(text, Dialect.get_or_raise("spark").tokenize(text)))
    SELECT 'it\'s'
    """
    last = None
    for token in tokens:
        if token.token_type is TokenType.STRING:
            if last is not None and last.end + 1 == token.start:
                text = f"{text[: last.end]}\\{text[token.start :]}"
            last = token
    return text


def _check_start(tokens: list[Token]) -> None:
    """Refuse statements by how they begin, before the parser guesses what they could be."""
    if not tokens:
        raise SqlError("the query is empty")
    if tokens[0].token_type not in _STARTS:
        first = tokens[0].text.upper()
        raise SqlError(
            f"only SELECT and WITH … SELECT are allowed, not {first}", "sql-refused", at=0
        )
    for index, token in enumerate(tokens):
        if token.token_type is TokenType.SEMICOLON and index < len(tokens) - 1:
            raise SqlError("one statement is allowed, not several", "sql-refused")
        if token.token_type is TokenType.PIPE_GT:
            raise SqlError("pipes (|>) are not allowed; write SELECT … FROM … WHERE", "sql-refused")


def _explained(
    error: Mapping[str, Any],
    text: str,
    written: str,
    dialect: str,
    shifts: tuple[tuple[int, int], ...],
) -> SqlError:
    """A parser's complaint in words, with its place."""
    for unknown in _unknown(written):
        return _unknown_placeholder(unknown)
    lines = text.split("\n")[: int(error.get("line") or 1) - 1]
    offset = sum(len(line) + 1 for line in lines) + int(error.get("col") or 1) - 1
    near = str(error.get("highlight") or "")
    found = f", near '{near[:40]}'" if near else ""
    at = max(0, offset - sum(by for start, by in shifts if start <= offset) - len(near) + 1)
    return SqlError(f"it is not SQL of {_label(dialect)}{found}", at=at)


def _check_texts(source: Source) -> None:
    """Placeholders inside texts, which nothing replaces, and what Spark itself would replace."""
    for literal in source.tree.find_all(exp.Literal):
        if literal.is_string and _MARK in literal.name:
            raise SqlError("a placeholder stands inside a text", at=source.place(literal))
    for found in _unknown(source.text):
        if found[0].startswith("$"):
            raise _unknown_placeholder(found)


def _unknown(text: str) -> Iterator[re.Match[str]]:
    """What looks like a placeholder and is none."""
    found = _ANY_PLACEHOLDER.finditer(text)
    return (each for each in found if not _PLACEHOLDER.fullmatch(each[0]))


def _unknown_placeholder(found: re.Match[str]) -> SqlError:
    word = found[0].strip("${}")
    hint = did_you_mean(word, _WORDS) or f"; known are {', '.join(f'{{{w}}}' for w in _WORDS)}"
    return SqlError(f"unknown placeholder '{found[0]}'{hint}", at=found.start())


def _label(dialect: str) -> str:
    return {"tsql": "SQL Server", "bigquery": "BigQuery"}.get(dialect, dialect.capitalize())
