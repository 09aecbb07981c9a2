"""SQL rules on Spark: honest queries give what Spark gives, fused or not, and no attack runs."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from oracle import sql_random
from oracle.effort import EFFORT
from oracle.sessions import ANSI, INTERPRETED, ZONE, session_with
from oracle.sql_attacks import EXPRESSIONS, POSITIONS, STATEMENTS
from oracle.sql_contract import claimed, document, read, spark_texts, table
from oracle.sql_honest import DIALECTS, SPARK
from pyspark.sql import DataFrame, SparkSession

from dqx_dagster.checks.rule import Claim
from dqx_dagster.checks.sql.words import FUNCTIONS
from dqx_dagster.checks.vocabulary import Unit
from dqx_dagster.errors import EngineError
from dqx_dagster.metrics.metric import Function, Measurement, SqlQuery, Unmeasurable, evaluate
from dqx_dagster.metrics.plan import plan_metrics
from dqx_dagster.spark.binding import Refusal
from dqx_dagster.spark.check import check_table
from dqx_dagster.spark.measure import measure
from dqx_dagster.spark.parser import check_query

NOW = dt.datetime(2026, 2, 3, tzinfo=dt.timezone.utc)
HONEST = [*((None, query) for query in SPARK), *(each[:2] for each in DIALECTS)]


def allowed(query: str, server: str | None = None) -> Claim:
    claim = claimed(query, server)
    assert isinstance(claim, Claim), claim
    return claim


def results(
    frame: DataFrame, claims: list[Claim], tables: Mapping[str, DataFrame] | None = None
) -> list[Measurement]:
    """What the queries give, all measured together."""
    plan = plan_metrics(claim.metric for claim in claims)
    found = measure(frame, plan, now=NOW, tables=tables or {})
    return [evaluate(claim.metric, found, NOW) for claim in claims]


def alike(one: Any, other: Any) -> bool:
    """Equal, but for how numbers are stored and the last digits of a double."""
    if isinstance(one, dt.datetime) and isinstance(other, dt.datetime):
        return one.replace(tzinfo=None) == other.replace(tzinfo=None)
    if one is None or other is None or isinstance(one, dt.date):
        return one == other and type(one) is type(other)
    a, b = float(one), float(other)
    return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)


@pytest.fixture(scope="module")
def found(spark: SparkSession) -> dict[tuple[str | None, str], Measurement]:
    """What all honest queries give."""
    claims = [allowed(query, server) for server, query in HONEST]
    others = {"customers": table(spark, "customers")}
    return dict(zip(HONEST, results(table(spark, "shop.orders"), claims, others), strict=True))


class TestHonestQueries:
    def test_all_of_them_run(self, found: dict[Any, Measurement]) -> None:
        assert len(found) >= 140
        assert {key: v for key, v in found.items() if isinstance(v, Unmeasurable)} == {}

    def test_they_give_what_spark_gives_for_the_text_itself(
        self, spark: SparkSession, found: dict[tuple[str | None, str], Measurement]
    ) -> None:
        session = spark.newSession()
        for name in ("shop.orders", "customers"):
            frame = table(spark, name)
            own = session.createDataFrame(frame.collect(), frame.schema)
            own.createTempView(name.rpartition(".")[2])
        different = []
        for query in SPARK:
            rows = session.sql(as_spark_reads(query)).collect()
            # A query whose rows are counted is one that gives rows, or is fused to a count of them.
            claim = allowed(query)
            fused = claim.unit is Unit.ROWS and not re.search(r"\bcount", query, re.IGNORECASE)
            wanted = len(rows) if fused or "number of rows" in claim.says else rows[0][0]
            if not alike(found[None, query], wanted):
                different.append((query, found[None, query], wanted))
        assert different == []

    def test_other_dialects_mean_what_they_mean_there(
        self, found: dict[tuple[str | None, str], Measurement]
    ) -> None:
        different = [
            (server, query, found[server, query], wanted)
            for server, query, wanted in DIALECTS
            if not alike(found[server, query], wanted)
        ]
        assert different == []


def as_spark_reads(query: str) -> str:
    """The author's own text, with what only a contract knows replaced by hand."""
    text = re.sub(r"`?\$?\{(table|object|model)\}`?|shop\.orders", "orders", query.rstrip(";"))
    text = re.sub(r"`?\$?\{(column|property|field)\}`?", "amount", text)
    text = re.sub(r"current_date(\(\))?", "DATE '2026-02-03'", text)
    text = re.sub(r"(current_timestamp|now)\(\)", "TIMESTAMP '2026-02-03 00:00:00Z'", text)
    return text.replace("discount", "disc")


class TestFusion:
    """What joins the shared pass gives what the query gives by itself."""

    SIZES = ((0, 0.0), (30, 1.0), (50, 0.0), (100, 0.3))
    QUERIES = 20 * EFFORT  # for each table: each is a job of its own where it is not fused

    @pytest.mark.parametrize(
        "settings", [{ANSI: "true"}, {ANSI: "false", ZONE: "Asia/Tokyo", **INTERPRETED}]
    )
    def test_fused_equals_unfused_on_random_tables(
        self, spark: SparkSession, settings: Mapping[str, str]
    ) -> None:
        session = session_with(spark, settings)
        different = []
        for seed, (size, nulls) in enumerate(self.SIZES):
            random = Random(f"{seed} {settings}")
            rows = sql_random.rows(random, size, nulls)
            frame = session.createDataFrame(rows, sql_random.DDL).coalesce(1)
            queries = list(dict.fromkeys(sql_random.query(random) for _ in range(self.QUERIES)))
            claims = [self.claim(query) for query in queries]
            fused = results(frame, claims)
            for query, one, other in zip(queries, fused, self.alone(frame, queries), strict=True):
                if not alike(one, other):
                    different.append((size, nulls, query, one, other))
        assert different == []

    def claim(self, query: str) -> Claim:
        properties = [{"name": n, "logicalType": t} for n, t in sql_random.COLUMNS.items()]
        rule = {"type": "sql", "id": "q", "query": query, "mustBe": 0}
        schema = [{"name": "t", "properties": properties, "quality": [rule]}]
        _, rules, findings = read(document(schema=schema))
        assert rules, findings
        claim = rules[0].claim
        assert not isinstance(claim.metric, SqlQuery) or "DISTINCT" in query, claim.metric
        return claim

    def alone(self, frame: DataFrame, queries: list[str]) -> list[Any]:
        """Every query by itself, as subqueries of one."""
        frame.createOrReplaceTempView("t")
        texts = [
            query.replace("CURRENT_TIMESTAMP", "CAST('2026-02-03T00:00:00Z' AS TIMESTAMP)")
            for query in queries
        ]
        columns = (f"({text}) AS q{index}" for index, text in enumerate(texts))
        return list(frame.sparkSession.sql(f"SELECT {', '.join(columns)}").collect()[0])

    def test_what_fails_by_itself_fails_in_the_pass_and_harms_nothing(
        self, spark: SparkSession
    ) -> None:
        session = session_with(spark, {ANSI: "true"})
        frame = table(session, "shop.orders")
        queries = [
            "SELECT SUM(amount / quantity) FROM orders",  # 0 in one row
            "SELECT COUNT(*) FROM orders WHERE CAST(email AS INT) > 1",
            "SELECT COUNT(*) FROM orders WHERE amount < 0",
            "SELECT SUM(amount / quantity) FROM orders WHERE quantity > 0",
            "SELECT (SELECT SUM(amount / quantity) FROM orders)",
            "SELECT (SELECT COUNT(*) FROM orders WHERE amount < 0)",
            # Spark computes what stands in it twice before anything else, where it may.
            "SELECT COUNT(*) FROM orders WHERE quantity > 0"
            " AND (amount / quantity > 5 OR amount / quantity < 1)",
            "SELECT SUM(amount / quantity) + MAX(amount / quantity) FROM orders WHERE quantity > 0",
        ]
        assert results(frame, [allowed(query) for query in queries]) == [
            Unmeasurable(
                "Spark reports DIVIDE_BY_ZERO: the table's query divides by zero;"
                " try_divide gives NULL"
            ),
            Unmeasurable(
                "Spark reports CAST_INVALID_INPUT: a value has another form than the table's"
                " query expects; try_cast gives NULL"
            ),
            1,
            Decimal("5.2500000000000"),
            Unmeasurable(
                "Spark reports DIVIDE_BY_ZERO: the table's query divides by zero;"
                " try_divide gives NULL"
            ),
            1,
            2,
            Decimal("10.5000000000000"),
        ]


HARMLESS_TO_SPARK = {
    "VALUES (1)",
    "SELECT COUNT(*) FROM dqx_t0",  # these are the names that it may read
    "SELECT COUNT(*) FROM dqx_t1",
    "SELECT COUNT(*) FROM dqx_c0",
    "SELECT session.x",  # columns, as far as a parser can tell
    "SELECT current_user",
    "SELECT session_user",
    """SELECT "a\\" , reflect('x', 'y') -- \"""",  # a text, and a comment
    "SELECT 1 -- \\\n, reflect('x', 'y')",
    "SELECT now('x')",  # Spark's analyzer refuses it
    r"SELECT '\u0024{env:HOME}'",  # Spark replaces before it reads escapes
    r"SELECT '\044{env:HOME}'",
    r"SELECT '$\u007benv:HOME}'",
    r"SELECT '$\{env:HOME}'",
}


class TestAttacks:
    """A second opinion: Spark's own parser refuses them too, without the first guard."""

    def test_sparks_parser_sees_every_attack(self, spark: SparkSession, tmp_path: Path) -> None:
        before = [each.name for each in spark.catalog.listTables()]
        canary = tmp_path / "canary"
        texts = [
            *(p.replace("{}", e) for p in POSITIONS for e in (EXPRESSIONS[0], EXPRESSIONS[9])),
            *(text for text in STATEMENTS if len(text) < 500 and "${" not in text),
            f"SELECT TRANSFORM(id) USING 'touch {canary}' FROM orders",
            f"INSERT OVERWRITE DIRECTORY '{canary}' USING csv SELECT 1",
            "CREATE TABLE canary AS SELECT 1",
        ]
        accepted = [text for text in texts if is_accepted(spark, text)]

        assert set(accepted) == HARMLESS_TO_SPARK
        assert not canary.exists()
        assert [each.name for each in spark.catalog.listTables()] == before

    def test_what_other_dialects_let_through_does_nothing(self, spark: SparkSession) -> None:
        """What is a comment, a text or a name there is measured, and calls nothing."""
        call = "reflect('java.lang.System', 'setProperty', 'dqx.canary', 'x')"
        attacks = [*(position.replace("{}", call) for position in POSITIONS), *STATEMENTS]
        servers = ("postgres", "databricks", "bigquery", "sqlserver", "mysql", "snowflake")
        claims = [claimed(attack, server) for attack in attacks for server in servers]
        before = [each.name for each in spark.catalog.listTables()]

        frames = {"customers": table(spark, "customers")}
        orders = table(spark, "shop.orders")
        found = results(orders, [each for each in claims if isinstance(each, Claim)], frames)

        assert 0 < len(found) < len(claims) / 20
        assert spark._jvm.System.getProperty("dqx.canary") is None  # type: ignore[union-attr]
        assert [each.name for each in spark.catalog.listTables()] == before

    def test_sparks_parser_allows_what_the_first_guard_wrote(self, spark: SparkSession) -> None:
        texts = {text for server, q in HONEST[::7] for text in spark_texts(allowed(q, server))}
        whole = [text for text in texts if text.startswith(("SELECT", "WITH"))]
        assert whole
        assert [text for text in whole if not is_accepted(spark, text)] == []

    def test_every_function_on_the_list_is_one_of_sparks(self, spark: SparkSession) -> None:
        known = {row[0] for row in spark.sql("SHOW FUNCTIONS").collect()}
        by_parser = {"try_cast", "timestampadd", "timestampdiff"}
        assert FUNCTIONS - known - by_parser == set()


def is_accepted(spark: SparkSession, text: str) -> bool:
    try:
        check_query(spark, text)
    except Refusal:
        return False
    return True


class TestOwnQueries:
    OWN = "SELECT COUNT(*) FROM orders o LEFT ANTI JOIN customers c ON o.customer_id = c.id"

    def test_another_table_is_loaded_once_and_only_if_it_is_read(self, spark: SparkSession) -> None:
        loaded = []

        def load() -> DataFrame:
            loaded.append(1)
            return table(spark, "customers")

        orders = table(spark, "shop.orders")
        rules = [
            {"id": n, "query": q, "mustBe": 1} for n, q in (("a", self.OWN), ("b", "SELECT 1"))
        ]
        contract, found, _ = read(document(*rules, {"id": "c", "query": self.OWN, "mustBe": 2}))
        assert [rule.claim.reads for rule in found] == [("customers",), (), ("customers",)]

        alone = check_table(contract, orders, rules=found[1:2], tables={"customers": load})
        assert ([v.actual for v in alone.verdicts], loaded) == ([1], [])
        all_ = check_table(contract, orders, rules=found, tables={"customers": load})
        assert [(v.actual, v.passed) for v in all_.verdicts] == [(2, False), (1, True), (2, True)]
        assert loaded == [1]

    def test_a_table_that_is_not_there_is_a_reason_and_harms_nothing(
        self, spark: SparkSession
    ) -> None:
        def broken() -> DataFrame:
            raise EngineError("cannot read 'customers'")

        orders = table(spark, "shop.orders")
        claims = [allowed(self.OWN), allowed("SELECT MAX(id) FROM (SELECT id FROM orders)")]
        plan = plan_metrics(claim.metric for claim in claims)
        for tables, why in (
            ({}, "the table 'customers' is needed too, and was not given"),
            (
                {"customers": broken},
                "the table 'customers' cannot be read: cannot read 'customers'",
            ),
        ):
            found = measure(orders, plan, now=NOW, tables=tables)
            assert list(found.values()) == [Unmeasurable(why), 3]

    def test_they_leave_nothing_behind_and_have_the_settings_of_the_table(
        self, spark: SparkSession
    ) -> None:
        session = session_with(spark, {ZONE: "Pacific/Auckland", ANSI: "false"})
        frame = table(spark, "shop.orders")
        orders = session.createDataFrame(frame.collect(), frame.schema)
        before = dict(session.conf.getAll)
        found = results(
            orders,
            [
                allowed("SELECT (SELECT MAX(CAST(placed_at AS DATE)) FROM orders)"),
                allowed("SELECT (SELECT SUM(CAST(email AS INT)) FROM orders)"),  # not with ANSI
            ],
        )
        assert found == [dt.date(2026, 2, 1), None]
        assert session.catalog.listTables() == spark.catalog.listTables()
        assert dict(session.conf.getAll) == before

    def test_a_session_that_reads_texts_otherwise_is_told(self, spark: SparkSession) -> None:
        session = session_with(spark, {"spark.sql.parser.escapedStringLiterals": "true"})
        frame = table(spark, "shop.orders")
        orders = session.createDataFrame(frame.collect(), frame.schema)
        fused = allowed(r"SELECT COUNT(*) FROM orders WHERE email RLIKE '^\\w+@'")
        own = allowed(r"SELECT (SELECT COUNT(*) FROM orders WHERE email RLIKE '^\\w+@')")
        plain = allowed("SELECT COUNT(*) FROM orders WHERE email RLIKE '@'")

        refused, *rest = results(orders, [fused, own, plain])

        assert isinstance(refused, Unmeasurable)
        assert "escapedStringLiterals, which changes what the query means" in refused.reason
        assert rest == [2, 2]

    def test_a_result_that_cannot_be_judged_is_unknown(self, spark: SparkSession) -> None:
        queries = [
            "SELECT MAX(status) FROM orders",
            "SELECT NULL",
            "SELECT (SELECT MAX(tags) FROM orders)",
        ]
        kinds = "a number, a truth or a moment can be judged"
        assert results(table(spark, "shop.orders"), [allowed(query) for query in queries]) == [
            Unmeasurable(f"the query gives string: {kinds}"),
            None,
            Unmeasurable(f"the query gives array<string>: {kinds}"),
        ]

    def test_a_pattern_that_repeats_a_group_spares_the_driver(self, spark: SparkSession) -> None:
        rows = [("ab" * 400,), ("ab" * 4000,), ("x",), (None,)]
        frame = spark.createDataFrame(rows, "status string")
        matching = allowed("SELECT COUNT(*) FROM orders WHERE status RLIKE '^(a|b)*$'")
        others = allowed("SELECT COUNT(*) FROM orders WHERE NOT status RLIKE '^(a|b)*$'")
        assert results(frame, [matching, others]) == [1, 2]

    def test_counts_are_those_of_other_rules(self) -> None:
        claim = allowed("SELECT COUNT(*) - COUNT(DISTINCT id) FROM orders")
        functions = [leaf.function for leaf in plan_metrics([claim.metric]).aggregates]
        assert functions == [Function.COUNT, Function.DISTINCT]


def test_a_contract_is_judged_from_its_text(spark: SparkSession) -> None:
    """From the file to the sentence, with severity, column and place."""
    text = document(
        {
            "name": "no gifts",
            "query": "SELECT COUNT(*) FROM {table} WHERE {column} <= 0",
            "mustBe": 0,
            "column": "amount",
            "severity": "error",
        },
        {
            "name": "few",
            "query": "SELECT id FROM orders WHERE status IS NULL",
            "unit": "percent",
            "mustBeLessOrEqualTo": 25,
        },
    )
    contract, rules, _ = read(text)
    result = check_table(contract, table(spark, "shop.orders"), rules=rules, now=NOW)

    assert json.loads(text)["schema"][0]["name"] == "orders"
    assert [(v.rule.name, v.rule.blocking, v.reason) for v in result.verdicts] == [
        ("few", False, "1 of 4 rows (25 %) are found by the query; allowed: at most 25 %"),
        ("amount__no_gifts", True, "2 of 4 rows (50 %) are found by the query; allowed: none"),
    ]
