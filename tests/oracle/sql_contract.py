"""A contract of two tables for queries to speak about, and the tables themselves."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from dqx_dagster.checks.lowering import lower_into
from dqx_dagster.checks.rule import Claim, Rule, Settings
from dqx_dagster.checks.sql.rule import sql_claim
from dqx_dagster.contract.document import parse_document
from dqx_dagster.contract.model import Argument, Contract, Quality, RuleKind
from dqx_dagster.contract.odcs import read_odcs
from dqx_dagster.errors import Finding, Report
from dqx_dagster.metrics.metric import Aggregate, SqlQuery, leaves
from dqx_dagster.metrics.predicate import And
from dqx_dagster.metrics.value import SqlText

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ORDERS: Final[list[dict[str, Any]]] = [
    {"name": "id", "logicalType": "integer"},
    {"name": "customer_id", "logicalType": "integer"},
    {"name": "status", "logicalType": "string"},
    {"name": "amount", "logicalType": "number"},
    {"name": "discount", "physicalName": "disc", "logicalType": "number"},
    {"name": "quantity", "logicalType": "integer"},
    {"name": "paid", "logicalType": "boolean"},
    {"name": "email", "logicalType": "string"},
    {"name": "placed_at", "logicalType": "timestamp"},
    {"name": "shipped_on", "logicalType": "date"},
    {"name": "tags", "logicalType": "array"},
    {
        "name": "address",
        "logicalType": "object",
        "properties": [{"name": "city", "logicalType": "string"}, {"name": "zip"}],
    },
    {"name": "odd `name`"},
]
CUSTOMERS: Final[list[dict[str, Any]]] = [
    {"name": "id", "logicalType": "integer"},
    {"name": "country", "logicalType": "string"},
    {"name": "joined_on", "logicalType": "date"},
]
DDL: Final = {
    "shop.orders": (
        "id bigint, customer_id bigint, status string, amount decimal(10,2), disc double,"
        " quantity int, paid boolean, email string, placed_at timestamp, shipped_on date,"
        " tags array<string>, address struct<city: string, zip: string>, `odd ``name``` int"
    ),
    "customers": "id bigint, country string, joined_on date",
}
ROWS: Final = {
    "shop.orders": [
        "1L, 1L, 'shipped', 10.50BD, 0.5D, 2, true, 'a@x.com', timestamp'2026-01-02 10:00:00Z',"
        " date'2026-01-03', array('a', 'b'), named_struct('city', 'Oslo', 'zip', '0150'), 1",
        "2L, 1L, 'pending', 0BD, null, 1, false, null, timestamp'2026-01-05 23:30:00Z',"
        " null, array('a', 'a'), named_struct('city', 'Rome', 'zip', null), 2",
        "3L, 9L, 'lost', -3.25BD, 0D, 0, null, 'nobody', timestamp'2026-02-01 00:00:00Z',"
        " date'2026-01-31', null, null, 3",
        "3L, null, null, null, 1D, null, true, 'B@Y.ORG', null,"
        " date'2026-02-02', array(), named_struct('city', 'oslo', 'zip', '1'), null",
    ],
    "customers": ["1L, 'NO', date'2020-05-05'", "2L, 'de', date'2021-01-01'", "3L, null, null"],
}

REQUIRED: Final[Mapping[str, Mapping[str, Any]]] = {
    "postgres": {"host": "h", "port": 5432, "database": "d", "schema": "shop"},
    "snowflake": {"account": "a", "database": "d", "schema": "shop"},
    "bigquery": {"project": "p", "dataset": "shop"},
    "sqlserver": {"host": "h", "port": 1, "database": "d", "schema": "dbo"},
    "databricks": {"host": "h", "catalog": "main", "schema": "shop"},
    "mysql": {"host": "h", "port": 1, "database": "shop"},
    "redshift": {"host": "h", "database": "d", "schema": "shop"},
    "trino": {"host": "h", "port": 1, "catalog": "c", "schema": "shop"},
    "oracle": {"host": "h", "port": 1, "serviceName": "s"},
    "duckdb": {"database": "d"},
    "local": {"path": "p", "format": "parquet"},
}
"""What the standard asks for of a server, by its type."""


def document(*rules: Mapping[str, Any], server: str | None = None, **more: Any) -> str:
    """A complete contract whose orders have these rules; a rule may say at which `column`."""
    orders: list[dict[str, Any]] = [dict(item) for item in ORDERS]
    at_table: list[Mapping[str, Any]] = []
    for rule in rules:
        written = {"type": "sql", **{k: v for k, v in rule.items() if k != "column"}}
        owner = next((p for p in orders if p["name"] == rule.get("column")), None)
        quality = owner.setdefault("quality", []) if owner else at_table
        quality.append(written)
    servers = [{"server": "it", "type": server, **REQUIRED[server]}] if server else []
    return json.dumps(
        {
            "apiVersion": "v3.1.0",
            "kind": "DataContract",
            "id": "shop",
            "version": "1.0.0",
            "status": "active",
            **({"servers": servers} if servers else {}),
            "schema": [
                {
                    "name": "orders",
                    "physicalName": "shop.orders",
                    "properties": orders,
                    "quality": at_table,
                },
                {"name": "customers", "properties": CUSTOMERS},
            ],
            **more,
        }
    )


def read(text: str) -> tuple[Contract, tuple[Rule, ...], tuple[Finding, ...]]:
    """The contract of the orders, its SQL rules, and all that there is to say."""
    report = Report()
    contracts = read_odcs(parse_document(text, "shop.yaml"), report)
    orders = replace(contracts[0], siblings=tuple(contracts))
    lowered = lower_into(report, orders, Settings())
    return orders, tuple(r for r in lowered.rules if r.word == "sql"), report.findings


def lowered(query: str, *, server: str | None = None, **more: Any) -> Rule | Finding:
    """The one rule that a query becomes, or the first error of it."""
    rule = {"id": "q", "query": query, "mustBe": 0, **more}
    _, rules, findings = read(document(rule, server=server))
    errors = [finding for finding in findings if finding.level.value == "error"]
    return errors[0] if errors else rules[0]


def claimed(query: str, server: str | None = None) -> Claim | str:
    """What a query claims, or why it may not run; without reading a whole contract for it."""
    contract = _orders(server)
    written = {"query": Argument(query, contract.origin)}
    quality = Quality(RuleKind.SQL, "sql", contract.origin, ("amount",), arguments=written)
    report = Report()
    return sql_claim(quality, contract, report) or report.errors[0].message


def spark_texts(claim: Claim) -> list[str]:
    """All SQL that would reach Spark for a claim."""
    found = []
    for leaf in leaves(claim.metric):
        match leaf:
            case SqlQuery(text):
                found.append(text)
            case Aggregate(of=of, where=where):
                parts = (of, *where.of) if isinstance(where, And) else (of, where)
                found += [part.text for part in parts if isinstance(part, SqlText)]
            case _:
                pass
    return found


@functools.cache
def _orders(server: str | None) -> Contract:
    return read(document(server=server))[0]


def table(spark: SparkSession, dataset: str) -> DataFrame:
    """One of the tables, with few rows and many kinds of values."""
    return _table(spark, dataset)


@functools.cache
def _table(spark: SparkSession, dataset: str) -> DataFrame:
    rows = spark.sql(" UNION ALL ".join(f"SELECT {row}" for row in ROWS[dataset])).collect()
    return spark.createDataFrame(rows, DDL[dataset]).coalesce(1)


WRITTEN: Final = """\
apiVersion: v3.1.0
kind: DataContract
id: shop
version: 1.0.0
status: active
schema:
  - name: orders
    quality:
      - name: checked
        type: sql
        mustBe: 0
        query: |
{query}
    properties:
      - name: status
        logicalType: string
      - name: address
        logicalType: object
        properties:
          - name: city
            logicalType: string
"""
"""A contract as people write it; `{query}` stands for a query."""
