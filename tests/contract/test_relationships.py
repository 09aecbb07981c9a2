"""Relationships: where references lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract.orders import Write
from contract.related import CUSTOMER, CUSTOMERS, ORDERS, found, key, orders, orphans
from dqx_dagster import (
    Contract,
    ContractValidationError,
    ContractWarning,
    Level,
    Settings,
    Severity,
    load_contracts,
    lower,
)
from dqx_dagster.contract.reference import parse_reference
from dqx_dagster.contract.relationships import Tables
from dqx_dagster.errors import Report


@pytest.mark.parametrize(
    "to",
    [
        "customers.key",
        "customers.customer_key",
        "shop.customers.key",
        "schema/customers_tbl/properties/key_fld",
        "/schema/customers_tbl/properties/key_fld",
        "schema/customers/properties/key",
    ],
)
def test_a_table_of_the_same_file_is_found_by_every_name(to: str, write_tables: Write) -> None:
    folder = write_tables(shop=CUSTOMERS + orders(f"from: orders.customer, to: {to}"))

    assert orphans(folder) == {"customer__relationship": CUSTOMER}
    assert found(folder, Level.NOTE) == []


@pytest.mark.parametrize(
    "to",
    [
        "customers.odcs.yaml#/schema/customers_tbl/properties/key_fld",
        "./customers.odcs.yaml#schema/customers/properties/key",
        "../{folder}/customers.odcs.yaml#/schema/customers_tbl/properties/key_fld",
        "{path}/customers.odcs.yaml#/schema/customers_tbl/properties/key_fld",
    ],
)
def test_a_table_of_another_file_is_found(to: str, write_tables: Write, tmp_path: Path) -> None:
    to = to.format(folder=tmp_path.name, path=tmp_path)
    folder = write_tables(customers=CUSTOMERS, orders=orders(f"from: orders.customer, to: '{to}'"))

    assert orphans(folder) == {"customer__relationship": CUSTOMER}
    assert found(folder, Level.NOTE) == []


def test_another_file_need_not_be_named_but_then_it_is_not_portable(write_tables: Write) -> None:
    folder = write_tables(
        customers=CUSTOMERS, orders=orders("from: orders.customer, to: customers.key")
    )

    assert orphans(folder) == {"customer__relationship": CUSTOMER}
    text = (
        "Relationship to 'customers.key' is not portable ODCS: it leads to another file, which is "
        "written 'customers.odcs.yaml#/schema/customers_tbl/properties/key_fld'"
    )
    assert found(folder, Level.NOTE) == [text]
    with pytest.raises(ContractValidationError, match="is not portable ODCS"):
        load_contracts(folder, strict=True)


def test_a_table_of_the_own_file_comes_first(write_tables: Write) -> None:
    other = CUSTOMERS.replace("shop.customers", "crm.customers")
    folder = write_tables(
        crm=other, shop=CUSTOMERS + orders("from: orders.customer, to: customers.key")
    )

    assert orphans(folder) == {"customer__relationship": CUSTOMER}


def test_an_id_of_another_file_does_not_hide_a_name(write_tables: Write) -> None:
    """Of two tables that can be meant by `customers_tbl`, the reference names the file of one."""
    other = "- name: customers_tbl\n  properties: [{name: key, logicalType: integer}]\n"
    to = "crm.odcs.yaml#/schema/customers_tbl/properties/key"
    folder = write_tables(
        crm=other, customers=CUSTOMERS, orders=orders(f"from: orders.customer, to: '{to}'")
    )

    found = orphans(folder)

    assert found == {"customer__relationship": key("customer", table="customers_tbl")(("key",))}


def test_columns_inside_structs_and_keys_of_several_columns(write_tables: Write) -> None:
    folder = write_tables(
        shop=CUSTOMERS
        + orders("from: orders.country, to: customers.address.zip")
        + "  - {from: schema/orders_tbl/properties/customer_fld,"
        + " to: schema/customers_tbl/properties/address_fld/properties/zip_fld}\n"
        + "  - {id: buyer, from: [orders.customer, orders.country],"
        + " to: [customers.key, customers.country]}\n"
    ).joinpath("shop.odcs.yaml")
    text = folder.read_text("utf-8").replace(
        "name: zip, id: zip_fld, logicalType: string", "name: zip, id: zip_fld"
    )
    folder.write_text(text, "utf-8")

    assert orphans(folder) == {
        "country__relationship": key("country")(("address", "zip")),
        "customer__relationship": key("customer")(("address", "zip")),
        "customer_country__buyer": key("customer", "country")(("customer_key",), ("country",)),
    }


def test_a_table_may_refer_to_itself(write_tables: Write) -> None:
    folder = write_tables(shop=orders("from: orders.previous, to: orders.id"))
    (rule,) = (r for r in lower(load_contracts(folder)[0]).rules if r.word == "relationships")

    assert rule.claim.metric == key("previous", table=None)(("id",))
    assert (rule.reads, rule.whole_table, rule.severity) == ((), True, Severity.P0)


def test_a_rule_says_what_it_reads(write_tables: Write) -> None:
    folder = write_tables(shop=CUSTOMERS + orders("from: orders.customer, to: customers.key"))
    settings = Settings(implied_severity=Severity.P2)
    (rule,) = (
        rule
        for rule in lower(load_contracts(folder)[1], settings).rules
        if rule.word == "relationships"
    )

    assert rule.reads == ("shop.customers",)
    assert (rule.column, rule.implied, rule.whole_table) == ("customer", True, False)
    assert rule.severity is Severity.P2
    assert rule.description == "customer refers to customer_key of shop.customers"
    assert rule.origin.yaml_path == "schema[1].relationships[0]"


def test_relationships_of_a_property_start_at_it(write_tables: Write) -> None:
    text = CUSTOMERS + ORDERS.removesuffix("  relationships:\n").replace(
        "{name: customer,", "{relationships: [{to: customers.key}], name: customer,"
    )

    assert orphans(write_tables(shop=text)) == {"customer__relationship": CUSTOMER}


def test_said_twice_it_runs_once(write_tables: Write) -> None:
    text = CUSTOMERS + orders("from: orders.customer, to: customers.key").replace(
        "{name: customer,", "{relationships: [{to: shop.customers.key}], name: customer,"
    )

    with pytest.warns(ContractWarning, match="says the same as line 28; it runs once"):
        assert orphans(write_tables(shop=text)) == {"customer__relationship": CUSTOMER}


def test_contracts_that_were_loaded_one_by_one_can_be_put_in_touch(write_tables: Write) -> None:
    folder = write_tables(
        customers=CUSTOMERS, orders=orders("from: orders.customer, to: customers.key")
    )
    with pytest.warns(ContractWarning):
        (alone,) = Contract.from_odcs(folder / "orders.odcs.yaml")
    (customers,) = Contract.from_odcs(folder / "customers.odcs.yaml")

    report = Report()
    resolved = Tables([alone, customers]).resolved(alone, report)

    (relationship,) = resolved.relationships
    assert relationship.target is not None
    assert relationship.target.contract.dataset == "shop.customers"
    assert report.errors == ()
    assert Tables([alone]).resolved(resolved, report) is resolved


@pytest.mark.parametrize("text", ["orders", "schema/orders", "team/a/properties/b", "a/b/c", ""])
def test_other_references_name_no_column(text: str) -> None:
    assert parse_reference(text) is None
