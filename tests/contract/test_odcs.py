"""ODCS documents → contracts."""

from __future__ import annotations

import warnings
from pathlib import Path

from contract.orders import HEADER, ORDERS, Write, messages
from dqx_dagster import Contract, Level, Severity, load_contracts, lower
from dqx_dagster.contract.model import ColumnType


def test_a_contract_carries_what_the_file_says(write: Write) -> None:
    (orders,) = Contract.from_odcs(write(ORDERS))

    assert (orders.name, orders.version, orders.status) == ("orders_contract", "1.0.0", "active")
    assert (orders.dataset, orders.object_name) == ("orders_tbl", "orders")
    assert (orders.domain, orders.owner, orders.tags) == ("commerce", "shop-team", ("revenue",))
    assert orders.description == "Orders of the shop"
    assert orders.origin.line == 16
    assert orders.title == "orders_contract"
    assert [(p.name, p.column, p.type) for p in orders.properties] == [
        ("id", "order_id", ColumnType("integer")),
        ("placed_on", "placed_on", ColumnType("date")),
    ]
    assert [t.text for t in orders.text_rules] == ["Made by the shop"]
    assert orders.sla_metadata == {"retention": {"value": 3, "unit": "y"}}
    assert orders.sla_latency is not None
    assert orders.sla_latency.max_age_hours == 24.0
    assert orders.sla_latency.timestamp_column == "placed_on"


def test_rules_use_the_physical_names_of_columns(write: Write) -> None:
    (orders,) = Contract.from_odcs(write(ORDERS))

    assert [(r.name, r.severity) for r in lower(orders).rules] == [
        ("schema", Severity.P0),
        ("order_id__required", Severity.P0),
        ("placed_on__sla_freshness_check", Severity.P0),
        ("enough", Severity.P0),
        ("keyed", Severity.P1),
    ]


def test_one_contract_per_schema_object(write: Write) -> None:
    path = write(f"{HEADER}schema:\n- name: a\n- name: b\n  physicalName: raw.b\n")

    assert [c.dataset for c in Contract.from_odcs(path)] == ["a", "raw.b"]


def test_a_directory_is_read_in_a_stable_order(write: Write, tmp_path: Path) -> None:
    for name in ("z.yaml", "a.yml", "sub/m.yaml", "ignored.txt"):
        write(f"{HEADER}schema:\n- name: {Path(name).stem}\n", name)

    assert [c.dataset for c in load_contracts(tmp_path)] == ["a", "z", "m"]


def test_text_rules_are_kept_at_table_and_column(write: Write) -> None:
    text = ORDERS.replace(
        "  - {name: enough", "  - {type: text, description: About all}\n  - {name: enough"
    )
    (orders,) = Contract.from_odcs(write(text))

    assert [(t.text, t.column) for t in orders.text_rules] == [
        ("About all", None),
        ("Made by the shop", ("order_id",)),
    ]


def test_nested_types_are_read(write: Write) -> None:
    text = f"""{HEADER}schema:
- name: t
  properties:
  - name: address
    logicalType: object
    properties:
    - {{name: city, logicalType: string}}
  - name: items
    logicalType: array
    items: {{logicalType: integer}}
  - name: at
    logicalType: timestamp
    logicalTypeOptions: {{timezone: true, defaultTimezone: UTC}}
"""
    (contract,) = Contract.from_odcs(write(text))

    assert [p.type for p in contract.properties] == [
        ColumnType("object", fields=(("city", ColumnType("string")),)),
        ColumnType("array", items=ColumnType("integer")),
        ColumnType("timestamp", timezone=True, zone="UTC"),
    ]


def test_rules_below_list_items_are_skipped_and_said_so(write: Write) -> None:
    text = f"""{HEADER}schema:
- name: t
  properties:
  - name: items
    logicalType: array
    items:
      logicalType: string
      logicalTypeOptions: {{maxLength: 3}}
      quality:
      - {{name: q, metric: nullValues, mustBe: 0}}
"""
    assert messages(write(text), Level.WARNING) == [
        "logicalTypeOptions of 'items': it stands below the items of a list, which are not"
        " measured; skipping",
        "Quality rule 'q': it stands below the items of a list, which are not measured; skipping",
    ]


def test_a_column_declared_twice_is_an_error(write: Write) -> None:
    text = ORDERS.replace("name: placed_on", "name: Order_ID")

    assert any("is declared twice, first in line 22" in m for m in messages(write(text)))


def test_the_primary_key_is_in_the_order_of_its_positions(write: Write) -> None:
    text = f"""{HEADER}schema:
- name: t
  properties:
  - {{name: a, primaryKey: true, primaryKeyPosition: 2}}
  - {{name: b, primaryKey: true, primaryKeyPosition: 1}}
"""
    (contract,) = Contract.from_odcs(write(text))

    assert [p.name for p in contract.primary_key] == ["b", "a"]
    assert [r.name for r in lower(contract).rules] == ["schema", "primary_key"]


def test_gaps_in_the_primary_key_are_warned_about(write: Write) -> None:
    text = f"""{HEADER}schema:
- name: t
  properties:
  - {{name: a, primaryKey: true, primaryKeyPosition: 1}}
  - {{name: b, primaryKey: true, primaryKeyPosition: 3}}
"""
    assert messages(write(text)) == [
        "Property 'b': position 3 in a primary key of 2 column(s); they should be 1 to 2, each once"
    ]


def test_a_clean_contract_gives_no_warning(write: Write) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (orders,) = Contract.from_odcs(write(ORDERS))

    assert orders.findings == ()


def test_the_asset_key_can_be_set(write: Write) -> None:
    text = ORDERS + "  customProperties:\n  - {property: dagsterAssetKey, value: shop/orders}\n"
    (orders,) = Contract.from_odcs(write(text))

    assert orders.asset_path == ("shop", "orders")


def test_relationships_must_start_at_a_declared_column(write: Write) -> None:
    link = "  relationships:\n  - {from: orders.ido, to: customers.id}\n"

    assert messages(write(ORDERS + link), Level.ERROR) == [
        "Relationship from 'orders.ido': no property 'ido' in the contract. Did you mean 'id'?"
    ]
