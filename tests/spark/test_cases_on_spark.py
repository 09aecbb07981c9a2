"""Every case of `tests/cases` on real Spark: it must say what the oracle says."""

from __future__ import annotations

import math

import pytest
from oracle.cases import Case, Expected, load_cases
from pyspark.sql import SparkSession

from dqx_dagster.checks.rule import plan
from dqx_dagster.spark.measure import measure

CASES = load_cases()
FILES = sorted({case.file for case in CASES})


def alike(found: Expected | None, expected: Expected) -> bool:
    """Equal, but for the last digits of a double that Spark adds up in another order."""
    if found is None or found.outcome != expected.outcome or found.reason != expected.reason:
        return False
    a, b = found.actual, expected.actual
    if isinstance(a, float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12) or a == b
    return a == b


@pytest.mark.parametrize("file", FILES)
def test_spark_says_what_the_case_expects(file: str, spark: SparkSession) -> None:
    different = []
    for case in (case for case in CASES if case.file == file):
        found = answers(case, spark)
        different += [
            (case.shows, name, found.get(name), expected)
            for name, expected in case.expected.items()
            if not alike(found.get(name), expected)
        ]
    assert different == []


def answers(case: Case, spark: SparkSession) -> dict[str, Expected]:
    table = spark.createDataFrame([tuple(row.values()) for row in case.rows], case.ddl)
    rules = case.rules()
    return case.answers(rules, measure(table, plan(rules), now=case.now))
