"""The contract of a shop's orders, which most tests change a little, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from dqx_dagster import Level
from dqx_dagster.loading import inspect

Write: TypeAlias = Callable[..., Path]

HEADER = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
"""

ORDERS = (
    HEADER
    + """\
name: orders_contract
domain: commerce
tags: [revenue]
description: {purpose: Orders of the shop}
team:
  name: shop-team
slaProperties:
- {property: latency, value: 1, unit: d, element: orders_tbl.placed_on}
- {property: retention, value: 3, unit: y, description: by law}
schema:
- name: orders
  physicalName: orders_tbl
  quality:
  - {name: enough, metric: rowCount, mustBeGreaterThan: 0, severity: error}
  - {name: keyed, metric: duplicateValues, mustBe: 0, arguments: {properties: [id, placed_on]}}
  properties:
  - name: id
    physicalName: order_id
    logicalType: integer
    required: true
    quality:
    - {type: text, description: Made by the shop}
  - name: placed_on
    logicalType: date
"""
)


def messages(path: Path, *levels: Level, strict: bool = False) -> list[str]:
    found = inspect([path], strict=strict).findings
    return [f.message for f in found if not levels or f.level in levels]


def rule(text: str, *, at: str = "property") -> str:
    """A document with one quality rule."""
    body = "\n".join(f"      {line}" for line in text.strip().splitlines())
    if at == "schema":
        body = "\n".join(line[2:] for line in body.splitlines())
        rules = f"quality:\n  - {body.strip()}\n  properties:\n  - name: a\n"
        return f"{HEADER}schema:\n- name: t\n  {rules}"
    head = f"{HEADER}schema:\n- name: t\n  properties:\n  - name: a\n    logicalType: string\n"
    return f"{head}    quality:\n    - {body.strip()}\n"
