"""Relationships that lead nowhere, or where nothing can be measured, and what is said of them."""

from __future__ import annotations

import pytest

from contract.orders import Write
from contract.related import CUSTOMERS, found, orders
from dqx_dagster import (
    ContractValidationError,
    ContractWarning,
    Level,
    Severity,
    load_contracts,
    lower,
)

FORMS = "it must name a column, like table.column or schema/table_id/properties/column_id"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            "from: orders.customr, to: customers.key",
            "Relationship from 'orders.customr': no property 'customr' in the contract. "
            "Did you mean 'customer'?",
        ),
        (
            "from: customers.key, to: orders.id",
            "Relationship from 'customers.key': it must start at this table, 'orders'",
        ),
        (
            "from: schema/orders_tbl, to: customers.key",
            f"Relationship from 'schema/orders_tbl': {FORMS}",
        ),
        (
            "from: orders.customer, to: schema/customers_tbl",
            f"Relationship to 'schema/customers_tbl': {FORMS}",
        ),
        (
            "from: orders.customer, to: customers.contry",
            "Relationship to 'customers.contry': 'shop.customers' has no property 'contry'. "
            "Did you mean 'country'?",
        ),
        (
            "from: orders.customer, to: custmers.key",
            "Relationship to 'custmers.key': no contract has a table 'custmers'. "
            "Did you mean 'customers'?",
        ),
        (
            "from: orders.customer, to: customers.odcs.yaml#/schema/custmers/properties/key",
            "Relationship to 'customers.odcs.yaml#/schema/custmers/properties/key': "
            "'customers.odcs.yaml' has no table 'custmers'. Did you mean 'customers'?",
        ),
        (
            "from: [orders.customer, orders.country], to: [customers.key]",
            "Relationship to 'customers.key': 2 columns cannot refer to 1 column",
        ),
        (
            "from: [orders.customer, orders.previous], to: [customers.key, orders.id]",
            "Relationship to 'customers.key, orders.id': a key lies in one table, these are in "
            "shop.customers, shop.orders",
        ),
        (
            "from: orders.customer, to: customers.country",
            "Relationship to 'customers.country': 'customer' is declared as integer, 'country' of "
            "'shop.customers' as string: they are never equal",
        ),
        (
            "from: orders.country, to: customers.interests",
            "Relationship to 'customers.interests': 'interests' is declared as array, a key is a "
            "single value",
        ),
        (
            "from: orders.customer, to: customers.key, type: hierarchy",
            "'type' must be one of 'foreignKey'; found 'hierarchy'",
        ),
    ],
)
def test_what_leads_nowhere_is_an_error(entry: str, message: str, write_tables: Write) -> None:
    folder = write_tables(customers=CUSTOMERS, orders=orders(entry))

    assert found(folder) == [message]


def test_a_name_that_fits_several_tables_is_an_error(write_tables: Write) -> None:
    other = CUSTOMERS.replace("shop.customers", "crm.customers")
    folder = write_tables(
        crm=other, customers=CUSTOMERS, orders=orders("from: orders.customer, to: customers.key")
    )

    (message,) = found(folder)
    assert "several tables are called so, at " in message
    assert f"{folder / 'crm.odcs.yaml'}:7:3" in message
    assert f"{folder / 'customers.odcs.yaml'}:7:3" in message


def test_errors_say_where(write_tables: Write) -> None:
    folder = write_tables(
        customers=CUSTOMERS, orders=orders("from: orders.customer, to: customers.kye")
    )

    with pytest.raises(ContractValidationError) as caught:
        load_contracts(folder)

    assert str(caught.value.origin) == f"{folder / 'orders.odcs.yaml'}:16:29"


@pytest.mark.parametrize(
    "to",
    [
        "customers.key",
        "customers.odcs.yaml#/schema/customers_tbl/properties/key_fld",
        "https://example.com/shop.yaml#/schema/customers_tbl/properties/key_fld",
    ],
)
def test_a_target_that_is_not_loaded_is_skipped_and_says_so(to: str, write_tables: Write) -> None:
    folder = write_tables(orders=orders(f"from: orders.customer, to: '{to}'"))

    with pytest.warns(ContractWarning) as warned:
        (contract,) = load_contracts(folder)

    reason = f"Relationship to '{to}': the contract of that table is not loaded; skipping"
    assert {str(w.message) for w in warned} == {
        reason,
        f"Relationship to '{to}' is P0 and cannot run: nothing enforces it",
    }
    (skipped,) = lower(contract).skipped
    assert (skipped.title, skipped.reason, skipped.severity) == (to, reason, Severity.P0)
    assert [r for r in lower(contract).rules if r.word == "relationships"] == []


def test_a_file_alone_may_have_a_table_that_is_called_nearly_so(write_tables: Write) -> None:
    """Only a folder is complete: there it would be a typo."""
    folder = write_tables(orders=orders("from: orders.customer, to: order.id"))

    assert found(folder) == [
        "Relationship to 'order.id': no contract has a table 'order'. Did you mean 'orders'?"
    ]
    assert found(folder / "orders.odcs.yaml") == []
    assert found(folder / "orders.odcs.yaml", Level.WARNING) == [
        "Relationship to 'order.id': the contract of that table is not loaded; skipping"
    ]


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        (
            "{name: x, logicalType: integer, semanticType: measure, relationships: [%]}",
            "its column is not stored, so nothing can be measured on it",
        ),
        (
            "{name: x, logicalType: array, items: {logicalType: integer, relationships: [%]}}",
            "it stands below the items of a list, which are not measured",
        ),
        (
            "{name: x, logicalType: array, items: {logicalType: object, properties: "
            "[{name: y, logicalType: integer, relationships: [%]}]}}",
            "it stands below the items of a list, which are not measured",
        ),
    ],
)
def test_what_cannot_be_measured_is_skipped(where: str, reason: str, write_tables: Write) -> None:
    column = where.replace("%", "{to: customers.key}")
    folder = write_tables(shop=f"{CUSTOMERS}- name: orders\n  properties:\n  - {column}\n")

    assert found(folder, Level.WARNING) == [f"Relationship to 'customers.key': {reason}; skipping"]


def test_a_target_that_is_not_stored_is_skipped(write_tables: Write) -> None:
    folder = write_tables(shop=CUSTOMERS + orders("from: orders.customer, to: customers.loyalty"))

    assert found(folder, Level.WARNING) == [
        "Relationship to 'customers.loyalty': its target is not stored, so nothing can be measured "
        "on it; skipping"
    ]
