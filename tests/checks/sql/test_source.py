"""The text of a query: its placeholders, its dialect, and the names in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from oracle.sql_contract import WRITTEN, claimed, document, lowered, read, spark_texts

from dqx_dagster.checks.rule import Claim, Rule
from dqx_dagster.errors import Finding
from dqx_dagster.loading import inspect


def texts(query: str, server: str | None = None) -> list[str]:
    claim = claimed(query, server)
    assert isinstance(claim, Claim), claim
    return spark_texts(claim)


@pytest.mark.parametrize("form", ["{%s}", "${%s}", "`{%s}`", "`${%s}`"])
@pytest.mark.parametrize("word", ["column", "property", "field"])
def test_placeholders_are_replaced_in_all_their_forms(form: str, word: str) -> None:
    for table in ("table", "object", "model"):
        query = f"SELECT COUNT(*) FROM {form % table} WHERE {form % word} < 0"
        assert texts(query) == ["`amount` < 0"]


def test_placeholders_may_be_quoted_as_the_dialect_does() -> None:
    query = 'SELECT COUNT(*) FROM "{table}" WHERE "{table}"."{column}" < 0'
    assert texts(query, "postgres") == ["`amount` < 0"]


def test_a_name_cannot_break_out_of_its_place() -> None:
    odd = "x` OR 1=1; DROP TABLE y --"
    properties = [{"name": odd, "quality": [rule("SELECT COUNT(*) FROM {table} WHERE {column}=1")]}]
    _, rules, _ = read(document(schema=[{"name": "t", "properties": properties}]))
    assert spark_texts(rules[0].claim) == ["`x`` OR 1=1; DROP TABLE y --` = 1"]


def rule(query: str) -> dict[str, Any]:
    return {"type": "sql", "query": query, "mustBe": 0}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT COUNT(*) FROM {tabel}", "unknown placeholder '{tabel}'. Did you mean 'table'?"),
        (
            "SELECT '${env:HOME}'",
            "unknown placeholder '${env:HOME}'; known are"
            " {table}, {object}, {model}, {column}, {property}, {field}",
        ),
        (
            "SELECT COUNT(*) FROM orders WHERE status = '{table}'",
            "a placeholder stands inside a text",
        ),
        (
            "SELECT {column} FROM {column}",
            "no contract here has a table 'dqx__column'; it may read",
        ),
        ("SELECT 1 AS {table}", "a placeholder stands where no name of a table or column can be"),
    ],
)
def test_a_placeholder_that_means_nothing_is_an_error(query: str, message: str) -> None:
    assert message in str(claimed(query))


def test_a_pattern_may_look_like_a_placeholder() -> None:
    assert texts(r"SELECT COUNT(*) FROM orders WHERE status RLIKE '^\\p{L}{2}$'")
    assert texts("SELECT COUNT(*) FROM orders WHERE status !~ '^[a-z]{4}$'")


def test_a_column_placeholder_needs_a_column() -> None:
    found = lowered("SELECT COUNT(*) FROM {table} WHERE {column} < 0")
    assert isinstance(found, Finding)
    assert found.message.endswith("{column} needs a column: move the rule to a property")


class TestDialect:
    QUOTED = """SELECT COUNT(*) FROM "orders" WHERE "status" = 'lost'"""

    def test_names_in_double_quotes_are_names_where_nobody_says_otherwise(self) -> None:
        """Read as Spark reads it, the condition would compare two texts, and always hold."""
        assert texts(self.QUOTED) == ["`status` = 'lost'"]
        assert "no column 'lost'" in str(
            claimed('SELECT COUNT(*) FROM orders WHERE status = "lost"')
        )

    def test_where_the_dialect_is_known_double_quotes_are_what_they_are_there(self) -> None:
        query = 'SELECT COUNT(*) FROM orders WHERE status = "lost"'
        for server in ("databricks", "bigquery", "mysql"):
            assert texts(query, server) == ["`status` = 'lost'"]
        for server in ("postgres", "snowflake", "duckdb"):
            assert "no column 'lost'" in str(claimed(query, server))

    def test_what_is_only_postgres_is_read_so_and_said(self) -> None:
        _, rules, findings = read(
            document({"query": "SELECT COUNT(*) FROM orders WHERE status !~ 'a'", "mustBe": 0})
        )
        assert [finding.code for finding in findings] == ["sql-dialect"]
        assert "it is read as Postgres" in findings[0].message
        assert spark_texts(rules[0].claim) == ["NOT `status` RLIKE 'a'"]

    def test_the_contract_may_name_it(self) -> None:
        custom = [{"property": "sqlDialect", "value": "bigquery"}]
        _, rules, findings = read(
            document(
                {"query": 'SELECT COUNTIF(status = "a") FROM orders', "mustBe": 0},
                customProperties=custom,
            )
        )
        assert findings == ()
        assert spark_texts(rules[0].claim) == ["`status` = 'a'"]

    def test_a_name_that_is_none_is_an_error(self) -> None:
        custom = [{"property": "sqlDialect", "value": "postgers"}]
        _, _, findings = read(document({"query": "SELECT 1", "mustBe": 0}, customProperties=custom))
        assert "sqlDialect 'postgers' is not known. Did you mean 'postgres'?" in findings[0].message

    def test_several_servers_are_told(self) -> None:
        servers = [
            {"server": "a", "type": "snowflake", "account": "a", "database": "d", "schema": "s"},
            {"server": "b", "type": "local", "path": "p", "format": "csv"},
            {
                "server": "c",
                "type": "postgres",
                "host": "h",
                "port": 1,
                "database": "d",
                "schema": "s",
            },
        ]
        _, _, findings = read(document({"query": "SELECT 1", "mustBe": 0}, servers=servers))
        assert [(f.level.value, f.code) for f in findings] == [("note", "sql-dialect")]
        assert (
            "its servers speak snowflake and postgres; it is read as snowflake"
            in findings[0].message
        )

    def test_quotes_in_texts_are_written_as_spark_reads_them_in_every_version(self) -> None:
        for query in ("status = 'it''s'", r"status = 'it\'s'"):
            assert texts(f"SELECT COUNT(*) FROM orders WHERE {query}") == [r"`status` = 'it\'s'"]
        query = r"SELECT COUNT(*) FROM orders WHERE status = 'a\' OR email = 'b'"
        assert texts(query, "postgres") == [r"`status` = 'a\\' OR `email` = 'b'"]

    def test_whole_numbers_are_divided_as_the_dialect_does(self) -> None:
        query = "SELECT COUNT(*) FROM orders WHERE quantity / 2 > 1 AND amount / 2 > 1"
        assert texts(query) == ["`quantity` / 2 > 1 AND `amount` / 2 > 1"]
        assert texts(query, "postgres") == [
            "CAST(`quantity` / 2 AS BIGINT) > 1 AND `amount` / 2 > 1"
        ]

    def test_flags_and_anchors_of_patterns_are_kept(self) -> None:
        query = "SELECT COUNT(*) FROM orders WHERE regexp_like(status, 'a.b', 'i')"
        assert texts(query, "databricks") == ["`status` RLIKE '(?i)a.b'"]
        assert texts(query, "snowflake") == [r"`status` RLIKE '(?i)\\A(?:a.b)\\z'"]


def test_tables_of_the_whole_directory_may_be_read(tmp_path: Path) -> None:
    other = WRITTEN.replace("id: shop", "id: other").replace("name: orders", "name: customers")
    for name, text, query in (
        (
            "a.yaml",
            WRITTEN,
            "SELECT COUNT(*) FROM orders o JOIN customers c ON o.status = c.status",
        ),
        ("b.yaml", other, "SELECT COUNT(*) FROM orders, customers"),
    ):
        (tmp_path / name).write_text(text.replace("{query}", " " * 10 + query), "utf-8")

    both = inspect([tmp_path])
    reads = [r.claim.reads for found in both.lowered for r in found.rules if r.word == "sql"]
    assert (both.findings, reads) == ((), [("customers",), ("orders",)])

    alone = inspect([tmp_path / "a.yaml"])
    assert [finding.code for finding in alone.findings] == ["unknown-table"]


def test_a_table_is_known_by_its_names_and_the_schema_of_its_server() -> None:
    for name in ("orders", "shop.orders", "ORDERS", "d.shop.orders", "public.orders"):
        assert texts(f"SELECT COUNT(*) FROM {name} WHERE id = 1", "postgres")
    for name in ("staging.orders", "shop.customers.orders", "orders.orders"):
        assert "no contract here has a table" in str(claimed(f"SELECT COUNT(*) FROM {name}"))


def test_a_column_is_known_by_both_its_names() -> None:
    assert texts("SELECT COUNT(*) FROM orders WHERE discount > 1") == ["`disc` > 1"]
    assert texts("SELECT COUNT(*) FROM orders WHERE DISC > 1") == ["`disc` > 1"]
    nested = "SELECT MAX(discount) FROM (SELECT discount FROM orders) x"
    assert texts(nested) == [
        "SELECT MAX(`x`.`discount`) FROM"
        " (SELECT `orders`.`disc` AS `discount` FROM `dqx_t0` AS `orders`) AS `x`"
    ]


def test_a_column_of_two_tables_must_say_whose_it_is() -> None:
    query = "SELECT COUNT(*) FROM orders o JOIN customers c ON o.customer_id = c.id WHERE id = 1"
    assert "'id' may be o.id or c.id" in str(claimed(query))


def test_without_declared_columns_spark_decides() -> None:
    schema = [{"name": "t", "quality": [rule("SELECT COUNT(*) FROM t WHERE x > 1")]}]
    _, rules, findings = read(document(schema=schema))
    assert findings == ()
    assert spark_texts(rules[0].claim) == ["`x` > 1"]
    for name in ("current_user", "`session_user`"):
        schema = [{"name": "t", "quality": [rule(f"SELECT COUNT(*) FROM t WHERE {name} = 'me'")]}]
        _, _, findings = read(document(schema=schema))
        assert [finding.code for finding in findings] == ["sql-refused"], name


def test_sql_is_skipped_on_request_with_the_specifications_warning() -> None:
    from dqx_dagster.checks.rule import Settings

    contract, _, _ = read(document({"name": "s", "query": "DROP TABLE x", "mustBe": 0}))
    from dqx_dagster import lower

    found = lower(contract, Settings(sql_rules="skip"))
    warning = "Quality rule 's': type 'sql' is not executable in DQX; skipping"
    assert [skipped.reason for skipped in found.skipped] == [warning]
    assert [f.message for f in found.findings] == [warning]
    with pytest.raises(ValueError, match="sql_rules must be 'run' or 'skip', got: 'no'"):
        Settings(sql_rules="no")  # type: ignore[arg-type]


def test_a_rule_is_one_sentence_of_the_contract() -> None:
    found = lowered(
        "SELECT COUNT(*) FROM orders WHERE amount < 0", column="amount", severity="error"
    )
    assert isinstance(found, Rule)
    assert (found.name, found.word, found.column, found.blocking) == (
        "amount__q",
        "sql",
        "amount",
        True,
    )
