"""Errors of ODCS documents: what they say, where they stand, and that they come at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract.orders import ORDERS, Write
from dqx_dagster import Contract, ContractValidationError, load_contracts


def errors_of(path: Path) -> list[tuple[int, str]]:
    with pytest.raises(ContractValidationError) as caught:
        Contract.from_odcs(path)
    return [(error.origin.line, error.message) for error in caught.value.errors]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "logicalType: integer",
            "logicalType: uuid",
            "Property 'id': unknown logicalType 'uuid'",
        ),
        (
            "mustBeGreaterThan: 0",
            "mustBeBetween: 100",
            "Quality rule 'enough': mustBeBetween must be a list of [lower, upper], got: 100",
        ),
        (
            "mustBeGreaterThan: 0",
            "mustBeGreaterThn: 0",
            "Quality rule 'enough': unknown key 'mustBeGreaterThn'."
            " Did you mean 'mustBeGreaterThan'?",
        ),
        (
            "metric: rowCount",
            "metric: rowCont",
            "Quality rule 'enough': unknown metric 'rowCont'. Did you mean 'rowCount'?",
        ),
        (
            "[id, placed_on]",
            "[id, placed_at]",
            "Quality rule 'keyed': no property 'placed_at' in the contract."
            " Did you mean 'placed_on'?",
        ),
        (
            "orders_tbl.placed_on",
            "orders_tbl.placed",
            "SLA element 'orders_tbl.placed': no property 'placed'. Did you mean 'placed_on'?",
        ),
        ("unit: d,", "unit: parsecs,", "SLA latency: unknown unit 'parsecs'"),
        (
            "unit: d,",
            "unit: m,",
            "SLA latency: unknown unit 'm': 'min' for minutes, 'mo' for months",
        ),
        ("value: 1,", "value: -1,", "SLA latency: value must be a time above 0; found -1"),
        ("version: 1.0.0", "version: 1.1", "'version' must be a text; found 1.1: quote it"),
        ("kind: DataContract", "kind: Data", "'kind' must be one of 'DataContract'; found 'Data'"),
        ("  name: shop-team", "  nam: shop-team", "unknown key 'nam'. Did you mean 'name'?"),
    ],
)
def test_an_error_says_what_is_wrong(write: Write, old: str, new: str, message: str) -> None:
    found = [text for _, text in errors_of(write(ORDERS.replace(old, new)))]

    assert found == [message]


def test_an_error_carries_its_place(write: Write) -> None:
    path = write(ORDERS.replace("logicalType: integer", "logicalType: uuid"))

    with pytest.raises(ContractValidationError) as caught:
        Contract.from_odcs(path)

    (error,) = caught.value.errors
    assert str(caught.value) == "Property 'id': unknown logicalType 'uuid'"
    assert (error.origin.file, error.origin.line, error.origin.column) == (str(path), 24, 5)
    assert error.origin.yaml_path == "schema[0].properties[0].logicalType"


def test_all_errors_of_a_directory_come_at_once(write: Write, tmp_path: Path) -> None:
    write(ORDERS.replace("kind: DataContract", "kid: DataContract"), "a.yaml")
    write(ORDERS.replace("rowCount", "rows").replace("unit: d,", "unit: x,"), "b.yaml")
    write("a: [", "c.yaml")

    with pytest.raises(ContractValidationError) as caught:
        load_contracts(tmp_path)

    assert [(Path(e.origin.file).name, e.origin.line) for e in caught.value.errors] == [
        ("a.yaml", 1),
        ("a.yaml", 2),
        ("b.yaml", 13),
        ("b.yaml", 16),
        ("b.yaml", 19),
        ("c.yaml", 2),
    ]


def test_two_contracts_for_one_asset_name_both_places(write: Write, tmp_path: Path) -> None:
    first = write(ORDERS, "a.yaml")
    write(ORDERS, "b.yaml")

    with pytest.raises(ContractValidationError, match="two contracts for one asset") as caught:
        load_contracts(tmp_path)

    assert f"{first.as_posix()}:16:3" in str(caught.value)


def test_an_empty_directory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ContractValidationError, match="holds no contract"):
        load_contracts(tmp_path)
