"""Rules in SQL as asset checks: over the asset's own table, and over others of the contracts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pytest
from pyspark.sql import DataFrame, SparkSession

from dqx_dagster import Contract, ContractWarning, Settings, build_contract_checks

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: shop
version: 1.0.0
status: active
schema:
- name: orders
  quality:
  - name: known_customers
    type: sql
    query: SELECT COUNT(*) FROM {table} o LEFT ANTI JOIN customers c ON o.customer = c.id
    mustBe: 0
    severity: error
  - name: few_lost
    type: sql
    query: SELECT COUNT(*) FROM orders WHERE status = 'lost'
    mustBe: 1
  properties:
  - {name: customer, logicalType: integer}
  - {name: status, logicalType: string}
- name: customers
  properties:
  - {name: id, logicalType: integer}
"""
ROWS = {
    "orders": ("customer bigint, status string", [(1, "open"), (2, "lost"), (3, "open")]),
    "customers": ("id bigint", [(1,), (2,)]),
}


@dataclass
class Session:
    """Any resource with a `.spark_session` will do."""

    spark_session: SparkSession


@dg.asset
def customers() -> None:
    """Comes first."""


@dg.asset(deps=[customers])
def orders() -> None:
    """Has a customer that is none."""


@dg.asset(deps=[orders])
def report() -> None:
    """Must not run."""


@pytest.fixture
def contracts(tmp_path: Path) -> Path:
    (tmp_path / "shop.odcs.yaml").write_text(CONTRACT, "utf-8")
    return tmp_path


def test_a_broken_rule_over_two_tables_blocks(spark: SparkSession, contracts: Path) -> None:
    asked = []

    def source(
        session: SparkSession, contract: Contract, context: dg.AssetCheckExecutionContext
    ) -> DataFrame:
        asked.append(contract.dataset)
        columns, rows = ROWS[contract.dataset]
        return session.createDataFrame(rows, columns)

    result = dg.materialize(
        [customers, orders, report, *build_contract_checks(contracts, source=source)],
        resources={"pyspark": Session(spark)},
        raise_on_error=False,
    )

    told = {c.check_name: c.description for c in result.get_asset_check_evaluations()}
    assert told["known_customers"] == "result of the query is 1; allowed: exactly 0"
    assert told["few_lost"] == ("1 of 3 rows (33.33 %) are found by the query; allowed: exactly 1")
    made = [event.asset_key for event in result.get_asset_materialization_events()]
    assert set(made) == {customers.key, orders.key}
    assert sorted(asked) == ["customers", "customers", "orders"]


def test_without_sql_there_are_no_checks_for_it(contracts: Path) -> None:
    """Not even for a query that could not run: it is skipped with a warning each."""
    text = CONTRACT.replace("SELECT COUNT(*) FROM orders", "DELETE FROM orders")
    (contracts / "shop.odcs.yaml").write_text(text, "utf-8")

    with pytest.warns(ContractWarning) as caught:
        checks = build_contract_checks(contracts, settings=Settings(sql_rules="skip"))
    skipped = "type 'sql' is not executable in DQX; skipping"
    assert [str(warning.message) for warning in caught] == [
        "Quality rule 'known_customers' is P0 and cannot run: nothing enforces it",
        f"Quality rule 'known_customers': {skipped}",
        f"Quality rule 'few_lost': {skipped}",
    ]

    names = {spec.name for definition in checks for spec in definition.check_specs}
    assert names == {"schema"}
