r"""The text of a query → its tree, in the dialect that it is written in.

>>> query = parse("SELECT COUNT(*) FROM ${table} WHERE {column} !~ 'a'", "postgres")
>>> query.tree.sql("spark")
"SELECT COUNT(*) FROM dqx__table WHERE NOT dqx__column RLIKE 'a'"
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlglot import Dialect, Token, TokenType, exp
from sqlglot.errors import ParseError, TokenError

from dqx_dagster.checks.sql.placeholders import MARK, Marked, mark, not_known, unknown

MAX_LENGTH = 10_000
"""Characters of one query."""

SPARK: Final = "spark"
POSTGRES: Final = "postgres"
SPARKS: Final = (SPARK, "databricks", "hive")
"""Dialects that mean what Spark means."""

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

_STARTS: Final = (TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN)


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
    marked: Marked  # what was parsed instead of the text

    def place(self, node: exp.Expr) -> int | None:
        """Where the node stands in the text, if the parser knows."""
        starts = [each.meta["start"] for each in node.walk() if "start" in each.meta]
        return self.marked.original(min(starts)) if starts else None

    def written(self, node: exp.Expr) -> str | None:
        """How the author spelt the name of a function."""
        if "start" not in node.meta:
            return None
        start, end = (self.marked.original(node.meta[key]) for key in ("start", "end"))
        return self.text[start : end + 1]


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
    if MARK in text.lower():
        raise SqlError(f"names that begin with '{MARK}' are not free", at=text.find(MARK))
    if dialect is not None:
        return parse_as(dialect, text)
    if _has_quoted_names(text):
        return parse_as(POSTGRES, text)
    try:
        return parse_as(SPARK, text)
    except SqlError as error:
        try:
            return parse_as(POSTGRES, text)
        except SqlError:
            raise error from None


def _has_quoted_names(text: str) -> bool:
    try:
        found = Dialect.get_or_raise(POSTGRES).tokenize(text)
    except TokenError:
        return False
    return any(t.token_type is TokenType.IDENTIFIER and text[t.start] == '"' for t in found)


def parse_as(dialect: str, written: str) -> Source:
    """Parse one query in just this dialect."""
    language, marked = Dialect.get_or_raise(dialect), mark(written)
    try:
        if dialect in SPARKS:
            text = _with_escaped_quotes(marked.text, language.tokenize(marked.text))
            marked = replace(marked, text=text)
        _check_form(language.tokenize(marked.text), written)
        trees = [tree for tree in language.parse(marked.text) if tree is not None]
    except TokenError:
        raise SqlError(f"it is not SQL of {_label(dialect)}: a quote is not closed") from None
    except ParseError as error:
        raise _explained(error.errors[0], written, marked, dialect) from None
    except RecursionError:
        raise SqlError("it is nested too deeply") from None
    if len(trees) != 1:
        raise SqlError(f"a rule has one statement, got: {len(trees)}")
    source = Source(written, dialect, trees[0], marked)
    _check_texts(source)
    return source


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


def _check_form(tokens: list[Token], written: str) -> None:
    """Refuse statements by their words, before the parser guesses what they could be."""
    if not tokens:
        raise SqlError("the query is empty")
    if tokens[0].token_type not in _STARTS:
        text = f"only SELECT and WITH … SELECT are allowed, not {tokens[0].text.upper()}"
        raise SqlError(text, "sql-refused", at=0)
    kinds = [token.token_type for token in tokens]
    if TokenType.SEMICOLON in kinds[:-1]:
        raise SqlError("one statement is allowed, not several", "sql-refused")
    if TokenType.PIPE_GT in kinds:
        raise SqlError("pipes (|>) are not allowed; write SELECT … FROM … WHERE", "sql-refused")
    for place, token in enumerate(tokens[:-1]):
        if token.text.lower() == "percentile" and kinds[place + 1] is TokenType.L_PAREN:
            _check_percentile(tokens[place + 1 :], token.start)
    if TokenType.L_BRACE in kinds:  # not one inside a text
        for found, at in unknown(written):
            raise SqlError(not_known(found), at=at)


def _check_percentile(call: Iterable[Token], start: int) -> None:
    """Refuse its third argument, how often a value counts, which the parser would drop."""
    depth = commas = 0
    for token in call:
        depth += token.token_type is TokenType.L_PAREN
        depth -= token.token_type is TokenType.R_PAREN
        commas += token.token_type is TokenType.COMMA and depth == 1
        if depth == 0:
            break
    if commas > 1:
        raise SqlError("percentile takes a value and a share, and no frequency", at=start)


def _explained(error: Mapping[str, Any], written: str, marked: Marked, dialect: str) -> SqlError:
    """A parser's complaint in words, with its place."""
    for found, at in unknown(written):
        return SqlError(not_known(found), at=at)
    lines = marked.text.split("\n")[: int(error.get("line") or 1) - 1]
    offset = sum(len(line) + 1 for line in lines) + int(error.get("col") or 1)
    near = str(error.get("highlight") or "")
    at = marked.original(offset - len(near))
    where = f", near '{near[:40]}'" if near else ""
    return SqlError(f"it is not SQL of {_label(dialect)}{where}", at=at)


def _check_texts(source: Source) -> None:
    """Placeholders inside texts, which nothing replaces, and what Spark itself would replace."""
    for literal in source.tree.find_all(exp.Literal):
        if literal.is_string and MARK in literal.name:
            raise SqlError("a placeholder stands inside a text", at=source.place(literal))
    for found, at in unknown(source.text):
        if found.startswith("$"):
            raise SqlError(not_known(found), at=at)


def foreign(function: str) -> str:
    """Whose function it is, where just one dialect has it.

    >>> foreign("quantile_cont")
    "; it is one of DuckDB: name the dialect with the custom property 'sqlDialect'"
    """
    knows = [
        dialect
        for dialect in dict.fromkeys(SERVERS.values())
        if function.upper() in Dialect.get_or_raise(dialect).parser_class.FUNCTIONS
    ]
    if len(knows) != 1:
        return ""
    return (
        f"; it is one of {_label(*knows)}: name the dialect with the custom property 'sqlDialect'"
    )


def _label(dialect: str) -> str:
    names = {"bigquery": "BigQuery", "clickhouse": "ClickHouse", "duckdb": "DuckDB"}
    return (names | {"tsql": "SQL Server"}).get(dialect, dialect.capitalize())
