"""Queries of SQL rules that cannot join the shared pass, each over the same loaded tables.

They run in a session of their own, with the settings of the table's session and views of just the
tables that they read. On Spark Connect, where a table cannot change its session, they run in the
table's, and their views get names that nobody else has.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import functools
import uuid
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from dqx_dagster.checks.sql.tokens import at
from dqx_dagster.metrics.metric import SqlQuery
from dqx_dagster.spark.binding import Refusal
from dqx_dagster.spark.expressions import check_session, result_of
from dqx_dagster.spark.failures import FAILURES
from dqx_dagster.spark.parser import check_query
from dqx_dagster.spark.query import Found, Query, Rows
from dqx_dagster.spark.results import Read
from dqx_dagster.spark.tables import Tables

_OWN_SETTINGS: Final = {
    "spark.sql.variable.substitute": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
}


@contextlib.contextmanager
def sql_queries(
    queries: Sequence[SqlQuery], table: DataFrame, others: Tables, now: dt.datetime
) -> Iterator[list[Query]]:
    """The queries, ready to run while the context is open."""
    if not queries:
        yield []
        return
    workspace = _Workspace(table, others)
    try:
        yield [_query(query, workspace, now) for query in queries]
    finally:
        workspace.close()


def _query(query: SqlQuery, workspace: _Workspace, now: dt.datetime) -> Query:
    readers: list[Read] = []

    def build() -> DataFrame:
        frame = workspace.frame(query, now).toDF("value")
        value, read = result_of(F.col("value"), frame.schema.fields[0].dataType)
        readers.append(read)
        return frame.limit(2).select(value.cast("string"))

    def read(rows: Rows) -> Found:
        if len(rows) != 1:
            raise Refusal("the query gives several rows where one was expected")
        text = rows[0][0]
        return {query: None if text is None else readers[-1](text)}

    return Query((query,), build, read)


class _Workspace:
    """A session with views of the tables that queries read; they are made when first needed."""

    def __init__(self, table: DataFrame, others: Tables) -> None:
        self._table, self._others = table, others
        self._prefix = f"dqx_{uuid.uuid4().hex}_"
        self._views: dict[str, str] = {}

    @functools.cached_property
    def session(self) -> SparkSession:
        """Where the queries run."""
        spark = self._table.sparkSession
        return _own_session(spark) if _is_classic(spark) else spark

    def frame(self, query: SqlQuery, now: dt.datetime) -> DataFrame:
        session = self.session
        check_query(session, query.text)
        check_session(session, query.text)
        views = [self._view(dataset) for dataset in ("", *query.others)]
        # The query names its tables dqx_t0, dqx_t1, …: only here do these names mean anything.
        named = (f"`dqx_t{n}` AS (SELECT * FROM `{view}`)" for n, view in enumerate(views))  # noqa: S608
        return session.sql(f"WITH {', '.join(named)} SELECT * FROM ({at(query.text, now)})")  # noqa: S608

    def _view(self, dataset: str) -> str:
        """The name of the view of a table; no dataset is the table itself."""
        if dataset not in self._views:
            table = self._others[dataset] if dataset else self._table
            name = f"{self._prefix}{len(self._views)}"
            _seen_from(self.session, table).createOrReplaceTempView(name)
            self._views[dataset] = name
        return self._views[dataset]

    def close(self) -> None:
        for view in self._views.values():
            with contextlib.suppress(*FAILURES):
                self.session.catalog.dropTempView(view)


def _is_classic(spark: SparkSession) -> bool:
    """Whether it has a JVM, and so is not of Spark Connect."""
    return getattr(spark, "_jsparkSession", None) is not None


def _own_session(spark: SparkSession) -> SparkSession:
    """A new session with the settings of another."""
    session = spark.newSession()
    settings = spark._jsparkSession.sessionState().conf().getAllConfs()  # noqa: SLF001
    for name in _names(settings):
        if session.conf.isModifiable(name):
            session.conf.set(name, settings.apply(name))
    for name, value in _OWN_SETTINGS.items():
        session.conf.set(name, value)
    return session


def _names(settings: Any) -> Iterator[str]:
    """The keys of a Scala map."""
    keys = settings.keysIterator()
    while keys.hasNext():
        yield keys.next()


def _seen_from(session: SparkSession, table: DataFrame) -> DataFrame:
    """The same table in another session. No public function does that."""
    if session is table.sparkSession:
        return table
    sql: Any = session._jvm.org.apache.spark.sql  # type: ignore[union-attr]  # noqa: SLF001
    plan = table._jdf.queryExecution().analyzed()  # noqa: SLF001
    owner = session._jsparkSession  # noqa: SLF001
    try:
        found = sql.classic.Dataset.ofRows(owner, plan)
    except TypeError:  # Spark 3 has no such package
        found = sql.Dataset.ofRows(owner, plan)
    return DataFrame(found, session)
