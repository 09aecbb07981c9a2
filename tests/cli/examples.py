"""For every code of a finding, files in which the lint finds it."""

from __future__ import annotations

from typing import TypeAlias

from cli.contracts import NATIVE, odcs

Files: TypeAlias = dict[str, str]


def orders(**parts: str) -> Files:
    """One file, whose contract has these parts."""
    return {"orders.yaml": odcs(**parts)}


EXAMPLES: dict[str, Files] = {
    "asset-key": orders(table="shop..orders"),
    "blocking-skipped": orders(
        quality="""
        - name: no gaps
          type: custom
          engine: soda
          severity: error
          implementation: missing_count(order_id) = 0
        """
    ),
    "cron": orders(
        sla="""
        - property: frequency
          value: 1
          unit: d
          schedule: 0 30 * * *
        """
    ),
    "duplicate": orders(columns="- name: STATUS\n  logicalType: string"),
    "duplicate-asset": {"a.yaml": odcs(), "b.yaml": odcs()},
    "duplicate-key": {"orders.yaml": f"{odcs()}version: 2.0.0\n"},
    "empty": {"orders.yaml": odcs().partition("schema:")[0]},
    "file": {"orders.txt": "kind: DataContract\n"},
    "format": orders(
        columns="""
        - name: photo
          logicalType: string
          logicalTypeOptions:
            format: binary
        """
    ),
    "nested": orders(
        columns="""
        - name: address
          logicalType: object
          properties:
            - name: city
              logicalType: string
              required: true
        """
    ),
    "null-value": orders(
        columns="""
        - name: size
          logicalType: string
          quality:
            - name: sizes
              metric: invalidValues
              mustBe: 0
              arguments:
                validValues: [S, M, null]
        """
    ),
    "number": orders(
        quality="""
        - name: volume
          metric: rowCount
          mustBeLessThan: .inf
        """
    ),
    "parameter": orders(
        quality="""
        - name: late
          type: custom
          engine: dqx
          implementation:
            check: percentile
            column: order_id
            percentile: 95
            mustBeLessThan: 500
        """
    ),
    "portability": orders(
        quality="""
        - name: volume
          type: custom
          engine: dqx
          mustBeGreaterThan: 0
          implementation: |
            check: num_rows
        """
    ),
    "primary-key": orders(
        columns="""
        - name: shop
          logicalType: string
          primaryKey: true
          primaryKeyPosition: 1
        - name: receipt
          logicalType: string
          primaryKey: true
          primaryKeyPosition: 3
        """
    ),
    "quality": orders(
        quality="""
        - name: volume
          query: SELECT count(*) FROM orders
          mustBe: 0
        """
    ),
    "regex": orders(
        columns="""
        - name: country
          logicalType: string
          logicalTypeOptions:
            pattern: '[a-z'
        """
    ),
    "relationship": orders(
        columns="""
        - name: previous
          logicalType: integer
          relationships:
            - to: order.order_id
        """
    ),
    "schema": {"orders.yaml": odcs().replace("status: active\n", "")},
    "scope": orders(
        columns="""
        - name: size
          logicalType: string
          quality:
            - name: volume
              metric: rowCount
              mustBeGreaterThan: 0
        """
    ),
    "senseless": orders(
        quality="""
        - name: volume
          metric: rowCount
          mustBeGreaterOrEqualTo: 0
        """
    ),
    "severity": orders(
        quality="""
        - name: volume
          metric: rowCount
          mustBeGreaterThan: 0
          severity: fatal
        """
    ),
    "skipped": orders(
        quality="""
        - name: no gaps
          type: custom
          engine: soda
          implementation: missing_count(order_id) = 0
        """
    ),
    "sla": orders(
        sla="""
        - property: latency
          value: 24
          unit: hurs
          element: orders.ordered_at
        """
    ),
    "sql": orders(
        quality="""
        - name: checked
          type: sql
          query: SELECT COUNT(* FROM orders
          mustBe: 0
        """
    ),
    "sql-dialect": orders(
        quality="""
        - name: checked
          type: sql
          query: SELECT COUNT(*) FROM "orders"
          mustBe: 0
        """
    ),
    "sql-refused": orders(
        quality="""
        - name: checked
          type: sql
          query: DELETE FROM orders
          mustBe: 0
        """
    ),
    "threshold": orders(
        quality="""
        - name: volume
          metric: rowCount
          mustBeBetween: [10, 1]
        """
    ),
    "type": {"visits.yaml": NATIVE.replace("type: timestamp", "type: timestmp")},
    "too-many": orders(quality="\n".join(f"- metric: rows{i}" for i in range(300))),
    "unit": orders(
        quality="""
        - name: volume
          metric: rowCount
          mustBeGreaterThan: 10
          unit: percent
        """
    ),
    "unknown-check": orders(
        quality="""
        - name: volume
          metric: rowCuont
          mustBeGreaterThan: 0
        """
    ),
    "unknown-column": orders(
        quality="""
        - name: one row each
          metric: duplicateValues
          mustBe: 0
          arguments:
            properties: [order_id, statsu]
        """
    ),
    "unknown-key": orders(
        quality="""
        - name: volume
          metric: rowCount
          mustBeLesThan: 5
        """
    ),
    "unknown-table": orders(
        quality="""
        - name: checked
          type: sql
          query: SELECT COUNT(*) FROM ordesr
          mustBe: 0
        """
    ),
    "value-type": orders(
        columns="""
        - name: size
          logicalType: string
          quality:
            - name: sizes
              metric: invalidValues
              mustBe: 0
              arguments:
                validValues: [1, 2]
        """
    ),
    "yaml": {"orders.yaml": f"{odcs()}---\n{odcs()}"},
}
