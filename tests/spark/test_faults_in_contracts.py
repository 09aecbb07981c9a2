"""A contract with rules that its table cannot answer: they are unknown, and the others as before.

The contract declares what it likes; the table is what it is. Nothing here is refused by reading.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from oracle.faults import MARKS, NOW, ROW_COUNT, hostile_table
from pyspark.sql import DataFrame, SparkSession

from dqx_dagster import Contract, Outcome
from dqx_dagster.checks.verdict import Verdict
from dqx_dagster.spark.check import TableResult, check_table

NUMBERS = {
    "id": "integer",
    "big": "integer",
    "small": "integer",
    "amount": "number",
    "ratio": "number",
    "weight": "number",
}
TEXTS = ("text", "novel", "mail")
STATISTICS = ("min", "max", "sum", "mean", "count", "variance", "cardinality", "missing")


def dqx(check: str, **rest: Any) -> dict[str, Any]:
    """A rule of the package's own vocabulary; P0 blocks."""
    operator = {} if "mustBeGreaterThan" in rest else {"mustBeLessThan": 1_000_000}
    implementation = {"check": check, **operator, **rest}
    return {
        "id": check,
        "type": "custom",
        "engine": "dqx",
        "severity": "error",
        "implementation": implementation,
    }


def declared(name: str, type_: str, *quality: Mapping[str, Any], **rest: Any) -> dict[str, Any]:
    return {"name": name, "logicalType": type_, "quality": list(quality), **rest}


GOOD = [
    *(declared(name, type_, *map(dqx, STATISTICS)) for name, type_ in NUMBERS.items()),
    *(
        declared(
            name,
            "string",
            dqx("max_length"),
            dqx("pattern", pattern="canary"),
            dqx("duplicates"),
            dqx("missing"),
        )
        for name in TEXTS
    ),
]

BAD = [
    declared("mial", "string", dqx("missing"), dqx("duplicates")),
    declared("twin", "integer", dqx("sum")),
    declared("raw", "number", dqx("mean"), dqx("percentile", percentile=0.5)),
    declared("flag", "string", dqx("pattern", pattern="x"), dqx("max_length")),
    declared("tags", "integer", logicalTypeOptions={"minimum": 1, "multipleOf": 2}),
    declared("person", "array", logicalTypeOptions={"uniqueItems": True}),
    declared("day", "object", logicalTypeOptions={"required": ["a"], "minProperties": 1}),
    declared("attrs", "string", dqx("cardinality"), enum=[{"value": "a"}]),
    declared("anything", "string", dqx("cardinality"), unique=True),
    declared("far_day", "date", dqx("max", mustBeGreaterThan="2026-01-01")),
    declared("edge", "number", dqx("sum"), dqx("mean")),
    declared("x_cast", "integer", dqx("max")),
    declared("x_raised", "integer", logicalTypeOptions={"maximum": 5}),
]

MISMATCHED = {"mial", "raw", "flag", "tags", "person", "day", "attrs", "anything"}


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> DataFrame:
    return hostile_table(spark)


def result(table: DataFrame, folder: Path, properties: list[dict[str, Any]]) -> TableResult:
    document = {
        "apiVersion": "v3.1.0",
        "kind": "DataContract",
        "id": "hostile",
        "version": "1.0.0",
        "status": "active",
        "schema": [{"name": "hostile", "properties": properties}],
    }
    path = folder / "hostile.odcs.yaml"
    path.write_text(json.dumps(document), "utf-8")
    return check_table(Contract.from_odcs(path)[0], table, now=NOW)


def test_rules_without_an_answer_are_unknown_and_block(
    table: DataFrame, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    good = by_name(result(table, tmp_path, GOOD))
    middle = len(BAD) // 2

    mixed = result(table, tmp_path, [*BAD[:middle], *GOOD, *BAD[middle:]])

    assert mixed.rows == ROW_COUNT
    found = by_name(mixed)
    schema, before = found.pop("schema"), good.pop("schema")
    assert (schema.outcome, before.outcome) == (Outcome.FAILED, Outcome.PASSED)
    assert mentioned(schema) == MISMATCHED
    assert len(good) == 60
    assert {name: told(found[name]) for name in good} == {n: told(v) for n, v in good.items()}
    bad = {name: verdict for name, verdict in found.items() if name not in good}
    assert len(bad) >= 20
    assert {n: told(v) for n, v in bad.items() if v.outcome is not Outcome.UNKNOWN} == {}
    assert [name for name, verdict in bad.items() if verdict.passed] == []
    assert [name for name, verdict in bad.items() if not verdict.rule.blocking] == []
    everything = repr([told(verdict) for verdict in found.values()]) + "".join(capfd.readouterr())
    assert [mark for mark in MARKS if mark in everything] == []


def mentioned(schema: Verdict) -> set[str]:
    """The columns that do not match."""
    return {detail.split("'")[1] for detail in schema.details}


def by_name(result: TableResult) -> dict[str, Verdict]:
    return {verdict.rule.name: verdict for verdict in result.verdicts}


def told(verdict: Verdict) -> tuple[object, ...]:
    return verdict.outcome, verdict.actual, verdict.reason, verdict.details
