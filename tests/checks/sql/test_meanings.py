"""What dialects write alike and mean otherwise; that the numbers are right is tested on Spark."""

from __future__ import annotations

import pytest
from oracle.sql_contract import claimed, spark_texts

from dqx_dagster.checks.rule import Claim


@pytest.mark.parametrize(
    ("server", "condition", "written"),
    [
        ("postgres", "amount::int = 1", "CAST(ROUND(`amount`) AS INT) = 1"),
        ("postgres", "status::int = 1", "CAST(`status` AS INT) = 1"),
        ("sqlserver", "CAST(amount AS int) = 1", "CAST(`amount` AS INT) = 1"),
        (None, "CAST(amount AS DECIMAL) = 1", "CAST(`amount` AS DECIMAL) = 1"),
        ("redshift", "amount::numeric = 1", "CAST(`amount` AS DECIMAL(18, 0)) = 1"),
        ("postgres", "status::varchar(2) = 'a'", "LEFT(CAST(`status` AS STRING), 2) = 'a'"),
        (None, "CAST(status AS VARCHAR(2)) = 'a'", "CAST(`status` AS STRING) = 'a'"),
        ("duckdb", "log(amount) > 1", "LOG(10, `amount`) > 1"),
        (None, "log(amount) > 1", "LN(`amount`) > 1"),
        (None, "greatest(amount, disc) > 1", "GREATEST(`amount`, `disc`) > 1"),
        (
            "bigquery",
            "GREATEST(amount, disc) > 1",
            "CASE WHEN NOT (`amount`) IS NULL AND NOT (`disc`) IS NULL"
            " THEN GREATEST(`amount`, `disc`) END > 1",
        ),
        ("sqlserver", "quantity + 1 > 1", "`quantity` + 1 > 1"),
        ("sqlserver", "'a' + status + email = 'a'", "'a' || `status` || `email` = 'a'"),
        ("sqlserver", "DATEADD(hour, -1, placed_at) = 1", "DATE_ADD(HOUR, -1, `placed_at`) = 1"),
        ("sqlserver", "DATEADD(day, -1, shipped_on) = 1", "DATE_ADD(`shipped_on`, -1) = 1"),
        (None, "date_add(placed_at, 1) = 1", "DATE_ADD(`placed_at`, 1) = 1"),
        (
            "mysql",
            "DATE_SUB(placed_at, INTERVAL quantity + 1 DAY) = 1",
            "DATE_ADD(DAY, -(`quantity` + 1), `placed_at`) = 1",
        ),
        ("duckdb", "date_add(placed_at, INTERVAL 1 DAY) = 1", "`placed_at` + INTERVAL '1' DAY = 1"),
        ("redshift", "DATE_PART(dow, placed_at) = 0", "(DAYOFWEEK(`placed_at`) - 1) = 0"),
        (None, "EXTRACT(DOW FROM placed_at) = 1", "EXTRACT(DOW FROM `placed_at`) = 1"),
        ("sqlserver", "status LIKE 'a[^]x-z]_%'", r"`status` RLIKE '\\A(?:(?s)a[^\\]x-z]..*)\\z'"),
        (
            "sqlserver",
            "REGEXP_LIKE(status, '(a|b)*')",
            "CASE WHEN LENGTH(`status`) <= 1000 THEN `status` RLIKE '(a|b)*'"
            " WHEN NOT `status` IS NULL THEN FALSE END",
        ),
        ("sqlserver", "status LIKE '50%'", "`status` LIKE '50%'"),
        ("trino", r"status LIKE 'a\_%'", r"`status` LIKE 'a\\\\_%'"),
        ("postgres", r"status LIKE 'a\_%'", r"`status` LIKE 'a\\_%'"),
        (None, "status RLIKE '[[:alpha:]]'", "`status` RLIKE '[[:alpha:]]'"),
        ("postgres", "status ~ '[[:^digit:]_]'", r"`status` RLIKE '[\\P{Digit}_]'"),
        (
            "postgres",
            r"regexp_replace(status, '(a)', '\1$', 'gi') = ''",
            r"REGEXP_REPLACE(`status`, '(?i)(a)', '$1\\$') = ''",
        ),
        ("snowflake", "parse_json(email):a = 'x'", "GET_JSON_OBJECT(`email`, '$.a') = 'x'"),
    ],
)
def test_it_is_written_as_spark_means_it(server: str | None, condition: str, written: str) -> None:
    claim = claimed(f"SELECT COUNT(*) FROM orders WHERE {condition}", server)
    assert isinstance(claim, Claim), claim
    assert spark_texts(claim) == [written]


@pytest.mark.parametrize(
    ("server", "condition", "message"),
    [
        (None, "CAST(placed_at AS TIME) > '10:00'", "a time of day would become a timestamp"),
        ("postgres", "placed_at::time > '10:00'", "compare its hour and minute"),
        ("sqlserver", "CONVERT(time, placed_at) > '10:00'", "compare its hour and minute"),
        ("postgres", "substring(status from '[0-9]+') = '1'", "write REGEXP_SUBSTR"),
        ("postgres", "substring(status, 0, 3) = 'a'", "positions begin at 1"),
        ("postgres", "left(status, -1) = 'a'", "Spark counts -1 otherwise in LEFT"),
        ("postgres", "regexp_replace(status, 'a', 'b') = ''", "'g', or occurrence 0, asks for"),
        ("oracle", "regexp_replace(status, 'a', 'b', 1, 1) = ''", "it replaces one match"),
        ("postgres", "status ~ '[[:foo:]]'", "a class that Java does not know: [:foo:]"),
        ("sqlserver", "status LIKE '[a]!%' ESCAPE '!'", "brackets beside ESCAPE"),
        ("sqlserver", "placed_at AT TIME ZONE 'UTC' > 1", "write convert_timezone("),
        ("postgres", "placed_at AT TIME ZONE 'UTC' AT TIME ZONE 'UTC' > 1", "AT TIME ZONE"),
        ("snowflake", "TRY_PARSE_JSON(email) IS NULL", "write get_json_object"),
        ("bigquery", "EXTRACT(WEEK FROM placed_at) = 1", "weeks are numbered differently"),
        ("postgres", "status <> ALL(ARRAY['a'])", "ALL is not allowed"),
        (None, "(SELECT COUNT(orders.*) FROM orders) > 1", "write COUNT(*)"),
    ],
)
def test_what_cannot_be_said_is_an_error(server: str | None, condition: str, message: str) -> None:
    assert message in str(claimed(f"SELECT COUNT(*) FROM orders WHERE {condition}", server))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT every(paid) FROM orders",
        "SELECT (SELECT COUNT(*) > 0 FROM orders)",
        "SELECT ((COUNT(*) > 0)) FROM orders",
    ],
)
def test_a_truth_is_one_in_every_form(query: str) -> None:
    claim = claimed(query)
    assert isinstance(claim, Claim)
    assert str(claim.threshold) == "exactly 1"
