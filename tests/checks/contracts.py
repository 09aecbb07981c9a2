"""Contracts with few rules, lowered, and what is said of them."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from dqx_dagster.checks.lowering import lower_into
from dqx_dagster.checks.rule import Lowered, Settings
from dqx_dagster.contract.document import parse_document
from dqx_dagster.contract.native import read_native
from dqx_dagster.contract.odcs import read_odcs
from dqx_dagster.errors import Finding, Level, Report

PROPERTIES = [
    {"name": "amount", "logicalType": "number"},
    {"name": "status", "logicalType": "string"},
    {"name": "id", "logicalType": "integer"},
    {"name": "at", "logicalType": "timestamp"},
    {"name": "day", "logicalType": "date"},
    {"name": "tags", "logicalType": "array"},
    {"name": "anything"},
]
NATIVE_TYPES = {"amount": "float", "status": "string", "id": "int", "at": "timestamp"}
Yaml: TypeAlias = dict[str, Any]


def lowered(
    *quality: Yaml,
    properties: list[Yaml] | None = None,
    settings: Settings | None = None,
) -> tuple[Lowered, tuple[Finding, ...]]:
    """An ODCS contract with rules at its table; `column` and `properties` name columns."""
    document = {
        "apiVersion": "v3.2.0",
        "kind": "DataContract",
        "id": "c",
        "version": "1.0.0",
        "status": "active",
        "schema": [{"name": "t", "properties": properties or PROPERTIES, "quality": list(quality)}],
    }
    report = Report()
    (contract,) = read_odcs(parse_document(json.dumps(document), "c.yaml"), report)
    return lower_into(report, contract, settings or Settings()), report.findings


def native(column: str | None, check: Yaml) -> tuple[Lowered, tuple[Finding, ...]]:
    """A native contract with one check."""
    columns: list[Yaml] = [
        {"name": name, "type": type_, "description": "d"} for name, type_ in NATIVE_TYPES.items()
    ]
    document: Yaml = {
        "name": "c",
        "version": "1",
        "description": "d",
        "owner": "o",
        "dataset": "t",
        "columns": columns,
    }
    owner = next((c for c in columns if c["name"] == column), document)
    owner["checks"] = [{"name": "q", **check}]
    report = Report()
    contract = read_native(parse_document(json.dumps(document), "c.yaml"), report)
    return lower_into(report, contract, Settings()), report.findings


def library(metric: str, *columns: str, **rest: Any) -> Yaml:
    arguments = rest.pop("arguments", {}) | ({"properties": list(columns)} if columns else {})
    return {"name": "q", "metric": metric, "arguments": arguments, **rest}


def dqx(check: str, column: str | None = None, **rest: Any) -> Yaml:
    inside = {"check": check, **({"column": column} if column else {}), **rest}
    return {"name": "q", "type": "custom", "engine": "dqx", "implementation": inside}


def said(findings: tuple[Finding, ...], level: Level) -> list[str]:
    return [finding.message for finding in findings if finding.level is level]
