"""Which queries join the shared pass, as what, and why others do not."""

from __future__ import annotations

import pytest
from oracle.sql_contract import claimed

from dqx_dagster.checks.rule import Claim
from dqx_dagster.metrics.metric import (
    ROWS,
    Aggregate,
    Arithmetic,
    Combined,
    Function,
    Metric,
    SqlQuery,
    count_set,
)
from dqx_dagster.metrics.predicate import IsSet, every
from dqx_dagster.metrics.value import Column, Row, SqlText

ID, STATUS = Column(("id",)), Column(("status",))
CHEAP = SqlText("`amount` < 1", (Column(("amount",)),))


def metric(query: str) -> Metric:
    claim = claimed(query)
    assert isinstance(claim, Claim), claim
    return claim.metric


@pytest.mark.parametrize(
    ("query", "fused"),
    [
        ("SELECT COUNT(*) FROM orders", ROWS),
        ("SELECT id FROM orders", ROWS),
        ("SELECT COUNT(*) FROM orders WHERE amount < 1", Aggregate(Function.COUNT, where=CHEAP)),
        ("SELECT * FROM orders WHERE amount < 1", Aggregate(Function.COUNT, where=CHEAP)),
        ("SELECT COUNT_IF(amount < 1) FROM orders", Aggregate(Function.COUNT, where=CHEAP)),
        (
            "SELECT COUNT(1) FILTER (WHERE amount < 1) FROM orders",
            Aggregate(Function.COUNT, where=CHEAP),
        ),
        ("SELECT COUNT(DISTINCT id) FROM orders", Aggregate(Function.DISTINCT, ID)),
        (
            "SELECT COUNT(DISTINCT id) FROM orders WHERE amount < 1",
            Aggregate(Function.DISTINCT, ID, CHEAP),
        ),
        (
            "SELECT COUNT(DISTINCT id, status) FROM orders",
            Aggregate(Function.DISTINCT, Row((ID, STATUS)), every(IsSet(ID), IsSet(STATUS))),
        ),
        (
            "SELECT COUNT(*) - COUNT(DISTINCT id) FROM orders",
            Combined(Arithmetic.MINUS, ROWS, Aggregate(Function.DISTINCT, ID)),
        ),
    ],
)
def test_counts_are_the_aggregates_of_all_rules(query: str, fused: Metric) -> None:
    assert metric(query) == fused


def test_a_count_of_a_column_is_that_of_its_other_rules() -> None:
    assert metric("SELECT COUNT(id) FROM orders") == count_set(ID)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("SELECT SUM(amount) FROM orders", "SUM(`amount`)"),
        (
            "SELECT SUM(amount) FROM orders WHERE paid OR id = 1",
            "SUM(CASE WHEN `paid` OR `id` = 1 THEN `amount` END)",
        ),
        (
            "SELECT SUM(amount) / COUNT(*) FROM orders WHERE paid",
            "SUM(CASE WHEN `paid` THEN `amount` END) / COUNT(CASE WHEN `paid` THEN 1 END)",
        ),
        (
            "SELECT AVG(amount) FILTER (WHERE id > 1) FROM orders WHERE paid OR id < 9",
            "AVG(CASE WHEN (`paid` OR `id` < 9) AND `id` > 1 THEN `amount` END)",
        ),
        (
            "SELECT MAX(placed_at) > MIN(placed_at) FROM orders",
            "MAX(`placed_at`) > MIN(`placed_at`)",
        ),
        ("SELECT COUNT(*) > 0 FROM orders o LIMIT 1", "COUNT(*) > 0"),
        (
            "SELECT every(paid) FROM orders WHERE id = 1",
            "EVERY(CASE WHEN `id` = 1 THEN `paid` END)",
        ),
    ],
)
def test_the_condition_goes_into_every_aggregate(query: str, text: str) -> None:
    found = metric(query)
    assert isinstance(found, Aggregate)
    assert isinstance(found.of, SqlText)
    assert (found.function, found.of.text) == (Function.SQL, text)


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("SELECT COUNT(*) FROM orders o JOIN customers c ON o.id = c.id", "it joins tables"),
        ("SELECT COUNT(*) FROM customers", "it reads another table"),
        ("SELECT COUNT(*) FROM (SELECT id FROM orders)", "it reads from a subquery"),
        ("WITH x AS (SELECT id FROM orders) SELECT COUNT(*) FROM x", "it has a WITH"),
        ("SELECT COUNT(*) FROM orders WHERE id IN (SELECT id FROM customers)", "it has a subquery"),
        ("SELECT status FROM orders GROUP BY status", "it has a GROUP BY"),
        ("SELECT COUNT(*) FROM orders HAVING COUNT(*) > 1", "it has a HAVING"),
        ("SELECT DISTINCT status FROM orders", "it has a SELECT DISTINCT"),
        ("SELECT id FROM orders LIMIT 5", "it has a LIMIT"),
        ("SELECT id FROM orders UNION SELECT id FROM customers", "it is more than one SELECT"),
        ("SELECT ROW_NUMBER() OVER (ORDER BY id) FROM orders", "it has a window function"),
        ("SELECT 1", "it reads no table"),
        (
            "SELECT percentile_approx(amount, 0.9) FROM orders",
            "percentile_approx is measured by itself",
        ),
        (
            "SELECT SUM(DISTINCT amount) FROM orders",
            "sum of different values is measured by itself",
        ),
        (
            "SELECT COUNT(DISTINCT LOWER(status)) FROM orders",
            "it counts different values of an expression",
        ),
        (
            "SELECT MAX(status) FROM orders",
            "what max is asked of may be a text, which would slow down the shared pass",
        ),
        (
            "SELECT COUNT(DISTINCT id) = COUNT(*) FROM orders",
            "count of different values is measured by itself",
        ),
    ],
)
def test_what_does_not_fit_runs_by_itself(query: str, why: str) -> None:
    found = metric(query)
    assert isinstance(found, SqlQuery)
    assert found.why == why


@pytest.mark.parametrize(
    "query",
    [
        "SELECT MAX(id) FROM orders",
        "SELECT 1",
        "SELECT (SELECT MAX(id) FROM orders)",
        "SELECT a.n - b.n FROM (SELECT COUNT(*) AS n FROM orders) a,"
        " (SELECT COUNT(*) AS n FROM customers) b",
        "WITH a AS (SELECT COUNT(*) AS n FROM orders) SELECT n * 2 FROM a",
        "SELECT COUNT(*) FROM orders LIMIT 1",
    ],
)
def test_one_row_is_a_value(query: str) -> None:
    assert "SELECT COUNT(*) FROM (" not in _own_text(query)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a.n FROM (SELECT COUNT(*) AS n FROM orders) a WHERE a.n > 1",
        "SELECT MAX(id) FROM orders GROUP BY status",
        "SELECT MAX(id) FROM orders HAVING MAX(id) > 1",
        "SELECT MAX(id) OVER () FROM orders",
        "SELECT MAX(id) FROM orders LIMIT 0",
        "SELECT MAX(id) FROM orders UNION ALL SELECT 1",
        "SELECT a.n FROM (SELECT COUNT(*) AS n FROM orders) a CROSS JOIN customers",
    ],
)
def test_anything_else_is_rows_and_is_counted(query: str) -> None:
    assert _own_text(query).startswith("SELECT COUNT(*) FROM (")


def _own_text(query: str) -> str:
    found = metric(query)
    return found.text if isinstance(found, SqlQuery) else ""
