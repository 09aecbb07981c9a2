"""Relationships: where references lead, and what is said of those that lead nowhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

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
ALL = (("customers", CUSTOMERS), ("orders", ORDERS))
FORMS = "it must name a column, like table.column or schema/table_id/properties/column_id"

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Contracts in a folder; a name with several tables is one file."""

    def write(**files: str) -> Path:
        for name, tables in files.items():
            (tmp_path / f"{name}.odcs.yaml").write_text(HEAD + tables, "utf-8")
        return tmp_path

    return write


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
def test_a_table_of_the_same_file_is_found_by_every_name(to: str, write: Write) -> None:
    folder = write(shop=CUSTOMERS + orders(f"from: orders.customer, to: {to}"))

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
def test_a_table_of_another_file_is_found(to: str, write: Write, tmp_path: Path) -> None:
    to = to.format(folder=tmp_path.name, path=tmp_path)
    folder = write(customers=CUSTOMERS, orders=orders(f"from: orders.customer, to: '{to}'"))

    assert orphans(folder) == {"customer__relationship": CUSTOMER}
    assert found(folder, Level.NOTE) == []


def test_another_file_need_not_be_named_but_then_it_is_not_portable(write: Write) -> None:
    folder = write(customers=CUSTOMERS, orders=orders("from: orders.customer, to: customers.key"))

    assert orphans(folder) == {"customer__relationship": CUSTOMER}
    text = (
        "Relationship to 'customers.key' is not portable ODCS: it leads to another file, which is "
        "written 'customers.odcs.yaml#/schema/customers_tbl/properties/key_fld'"
    )
    assert found(folder, Level.NOTE) == [text]
    with pytest.raises(ContractValidationError, match="is not portable ODCS"):
        load_contracts(folder, strict=True)


def test_a_table_of_the_own_file_comes_first(write: Write) -> None:
    other = CUSTOMERS.replace("shop.customers", "crm.customers")
    folder = write(crm=other, shop=CUSTOMERS + orders("from: orders.customer, to: customers.key"))

    assert orphans(folder) == {"customer__relationship": CUSTOMER}


def test_an_id_of_another_file_does_not_hide_a_name(write: Write) -> None:
    """Of two tables that can be meant by `customers_tbl`, the reference names the file of one."""
    other = "- name: customers_tbl\n  properties: [{name: key, logicalType: integer}]\n"
    to = "crm.odcs.yaml#/schema/customers_tbl/properties/key"
    folder = write(
        crm=other, customers=CUSTOMERS, orders=orders(f"from: orders.customer, to: '{to}'")
    )

    found = orphans(folder)

    assert found == {"customer__relationship": key("customer", table="customers_tbl")(("key",))}


def test_columns_inside_structs_and_keys_of_several_columns(write: Write) -> None:
    folder = write(
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


def test_a_table_may_refer_to_itself(write: Write) -> None:
    folder = write(shop=orders("from: orders.previous, to: orders.id"))
    (rule,) = (r for r in lower(load_contracts(folder)[0]).rules if r.word == "relationships")

    assert rule.claim.metric == key("previous", table=None)(("id",))
    assert (rule.reads, rule.whole_table, rule.severity) == ((), True, Severity.P0)


def test_a_rule_says_what_it_reads(write: Write) -> None:
    folder = write(shop=CUSTOMERS + orders("from: orders.customer, to: customers.key"))
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


def test_relationships_of_a_property_start_at_it(write: Write) -> None:
    text = CUSTOMERS + ORDERS.removesuffix("  relationships:\n").replace(
        "{name: customer,", "{relationships: [{to: customers.key}], name: customer,"
    )

    assert orphans(write(shop=text)) == {"customer__relationship": CUSTOMER}


def test_said_twice_it_runs_once(write: Write) -> None:
    text = CUSTOMERS + orders("from: orders.customer, to: customers.key").replace(
        "{name: customer,", "{relationships: [{to: shop.customers.key}], name: customer,"
    )

    with pytest.warns(ContractWarning, match="says the same as line 28; it runs once"):
        assert orphans(write(shop=text)) == {"customer__relationship": CUSTOMER}


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
def test_what_leads_nowhere_is_an_error(entry: str, message: str, write: Write) -> None:
    folder = write(customers=CUSTOMERS, orders=orders(entry))

    assert found(folder) == [message]


def test_a_name_that_fits_several_tables_is_an_error(write: Write) -> None:
    other = CUSTOMERS.replace("shop.customers", "crm.customers")
    folder = write(
        crm=other, customers=CUSTOMERS, orders=orders("from: orders.customer, to: customers.key")
    )

    (message,) = found(folder)
    assert "several tables are called so, at " in message
    assert f"{folder / 'crm.odcs.yaml'}:7:3" in message
    assert f"{folder / 'customers.odcs.yaml'}:7:3" in message


def test_errors_say_where(write: Write) -> None:
    folder = write(customers=CUSTOMERS, orders=orders("from: orders.customer, to: customers.kye"))

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
def test_a_target_that_is_not_loaded_is_skipped_and_says_so(to: str, write: Write) -> None:
    folder = write(orders=orders(f"from: orders.customer, to: '{to}'"))

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


def test_a_file_alone_may_have_a_table_that_is_called_nearly_so(write: Write) -> None:
    """Only a folder is complete: there it would be a typo."""
    folder = write(orders=orders("from: orders.customer, to: order.id"))

    assert found(folder) == [
        "Relationship to 'order.id': no contract has a table 'order'. Did you mean 'orders'?"
    ]
    assert found(folder / "orders.odcs.yaml") == []
    assert found(folder / "orders.odcs.yaml", Level.WARNING) == [
        "Relationship to 'order.id': the contract of that table is not loaded; skipping"
    ]


def test_contracts_that_were_loaded_one_by_one_can_be_put_in_touch(write: Write) -> None:
    folder = write(customers=CUSTOMERS, orders=orders("from: orders.customer, to: customers.key"))
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
def test_what_cannot_be_measured_is_skipped(where: str, reason: str, write: Write) -> None:
    column = where.replace("%", "{to: customers.key}")
    folder = write(shop=f"{CUSTOMERS}- name: orders\n  properties:\n  - {column}\n")

    assert found(folder, Level.WARNING) == [f"Relationship to 'customers.key': {reason}; skipping"]


def test_a_target_that_is_not_stored_is_skipped(write: Write) -> None:
    folder = write(shop=CUSTOMERS + orders("from: orders.customer, to: customers.loyalty"))

    assert found(folder, Level.WARNING) == [
        "Relationship to 'customers.loyalty': its target is not stored, so nothing can be measured "
        "on it; skipping"
    ]


@pytest.mark.parametrize("text", ["orders", "schema/orders", "team/a/properties/b", "a/b/c", ""])
def test_other_references_name_no_column(text: str) -> None:
    assert parse_reference(text) is None
