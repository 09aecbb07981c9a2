"""Checks of tables that refer to each other in a circle come last."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from assets.related_tables import (
    DEPARTMENTS,
    EMPLOYEES,
    Shop,
    asset,
    specs,
)
from dqx_dagster import (
    ContractWarning,
)


@pytest.mark.parametrize(
    ("deps", "last"),
    [
        ((), {"employees.department__relationship", "departments.manager__relationship"}),
        (("employees",), {"employees.department__relationship"}),
    ],
    ids=["side by side", "one is made from the other"],
)
def test_checks_that_would_wait_for_each_other_come_last(
    deps: tuple[str, ...], last: set[str], spark: SparkSession, tmp_path: Path
) -> None:
    """Dagster refuses definitions in which they block."""
    company = Shop(spark, tmp_path, employees=EMPLOYEES, departments=DEPARTMENTS)
    company.columns = {"employees": "id int, department int", "departments": "id int, manager int"}
    company.tables = {"employees": [(1, 1), (2, 3)], "departments": [(1, 1)]}
    assets = [asset("employees"), asset("departments", *deps), asset("report", "employees")]

    with pytest.warns(ContractWarning) as warned:
        defs = company.defs(*assets)
    told = company.run(defs)

    text = "check 'department__relationship' is P0, but it reads shop/departments, which waits for"
    assert text in "\n".join(str(each.message) for each in warned)
    found = specs(defs)
    assert {name for name, spec in found.items() if not spec.blocking} == last
    assert "it is checked last and blocks nothing" in (
        found["employees.department__relationship"].description or ""
    )
    assert told.success
    assert told.broken == {
        "employees.department__relationship": "1 of 2 rows (50 %) have no match in "
        "shop.departments; allowed: none"
    }
    assert set(told.checks) == set(found)
    assert "shop/report" in told.made
