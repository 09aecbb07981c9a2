"""Two tables that are related, and what is said of the references between them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dqx_dagster import Level, load_contracts, lower
from dqx_dagster.loading import inspect
from dqx_dagster.metrics.metric import Orphans
from dqx_dagster.metrics.value import Column

HEAD = """\
apiVersion: v3.2.0
kind: DataContract
id: shop
version: 1.0.0
status: active
schema:
"""
CUSTOMERS = """\
- name: customers
  id: customers_tbl
  physicalName: shop.customers
  properties:
  - {name: key, id: key_fld, physicalName: customer_key, logicalType: integer}
  - {name: country, logicalType: string}
  - name: address
    id: address_fld
    logicalType: object
    properties: [{name: zip, id: zip_fld, logicalType: string}]
  - {name: interests, logicalType: array, items: {logicalType: string}}
  - {name: loyalty, logicalType: number, semanticType: measure}
"""
ORDERS = """\
- name: orders
  id: orders_tbl
  physicalName: shop.orders
  properties:
  - {name: id, id: id_fld, logicalType: integer}
  - {name: previous, logicalType: integer}
  - {name: customer, id: customer_fld, logicalType: integer}
  - {name: country, logicalType: string}
  relationships:
"""


def orders(entry: str) -> str:
    return f"{ORDERS}  - {{{entry}}}\n"


def found(path: Path, level: Level = Level.ERROR) -> list[str]:
    """What is said of the orders, without the sentence that nothing enforces a P0."""
    findings = (f for f in inspect([path]).findings if f.code != "blocking-skipped")
    return [finding.message for finding in findings if finding.level is level]


def orphans(folder: Path) -> dict[str, object]:
    contracts = {contract.dataset: contract for contract in load_contracts(folder)}
    rules = lower(contracts["shop.orders"]).rules
    return {rule.name: rule.claim.metric for rule in rules if rule.word == "relationships"}


def key(*columns: str, table: str | None = "shop.customers") -> Callable[..., Orphans]:
    def of(*keys: tuple[str, ...]) -> Orphans:
        return Orphans(tuple(Column((c,)) for c in columns), table, tuple(map(Column, keys)))

    return of


CUSTOMER = key("customer")(("customer_key",))
