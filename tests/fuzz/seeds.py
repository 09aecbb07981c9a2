"""Contracts that are sound, and hold between them every word that is read."""

from __future__ import annotations

HEADER = "apiVersion: v3.2.0\nkind: DataContract\nid: c\nversion: 1.0.0\nstatus: active\n"
TABLE = HEADER + "schema:\n- name: orders\n"
NATIVE = "name: c\nversion: '1'\ndescription: d\nowner: o\ndataset: sales.orders\n"
DQX = "{{type: custom, engine: dqx, name: {0}_rule, implementation: {{check: {0}{1}}}}}"


def _rules(*lines: str) -> str:
    return "".join(f"    - {line}\n" for line in lines)


def _column(name: str, type_: str, *rules: str) -> str:
    quality = f"    quality:\n{_rules(*rules)}" if rules else ""
    return f"  - name: {name}\n    logicalType: {type_}\n{quality}"


SEEDS = {
    "header": HEADER
    + """\
name: orders
tenant: shop
domain: sales
dataProduct: sales
contractCreatedTs: '2024-01-01T00:00:00Z'
tags: [a, b]
description: {purpose: p, limitations: l, usage: u}
team: {name: t, members: [{username: u, role: Owner}]}
support: [{channel: c, url: 'https://example.org'}]
price: {priceAmount: 9.95, priceCurrency: EUR, priceUnit: megabyte}
roles: [{role: r, access: read}]
servers: [{server: s, type: postgres, host: h, port: 5432, database: d, schema: p}]
authoritativeDefinitions: [{type: t, url: 'https://example.org'}]
customProperties: [{property: x, value: {y: 1}}]
schema:
- name: orders
  physicalName: sales.orders
  physicalType: table
  businessName: b
  description: d
  dataGranularityDescription: g
  tags: [c]
  customProperties: [{property: dagsterAssetKey, value: [sales, orders]}]
  properties:
  - {name: id, physicalName: order_id, physicalType: INT, businessName: b, primaryKey: true,
     primaryKeyPosition: 1, required: true, unique: true, logicalType: integer,
     classification: public, encryptedName: e, criticalDataElement: true, examples: [1, 2],
     transformSourceObjects: [a], transformLogic: l, transformDescription: d, tags: [t]}
  - {name: line, logicalType: integer, primaryKey: true, primaryKeyPosition: 2}
  - {name: day, logicalType: date, partitioned: true, partitionKeyPosition: 1}
  relationships: [{type: foreignKey, from: orders.id, to: customers.id}]
- name: items
  properties:
  - {name: order, logicalType: integer, relationships: [{type: foreignKey, to: orders.id}]}
  relationships: [{type: foreignKey, from: [items.order], to: [orders.id]}]
""",
    "older": """\
apiVersion: v3.0.2
kind: DataContract
id: c
version: 1.0.0
status: active
team: [{username: u, role: owner}]
slaDefaultElement: orders.day
slaProperties: [{property: latency, value: 2, unit: d}]
schema:
- name: orders
  quality: [{rule: rowCount, mustBeGreaterThan: 0}, {rule: custom, name: n}]
  properties:
  - {name: id, logicalType: integer, quality: [{rule: nullValues, mustBe: 0}]}
  - {name: day, logicalType: date}
""",
    "options": TABLE
    + """\
  properties:
  - {name: a, logicalType: string,
     logicalTypeOptions: {minLength: 1, maxLength: 9, pattern: '^a+$', format: email}}
  - {name: b, logicalType: integer,
     logicalTypeOptions: {minimum: 0, maximum: 9, multipleOf: 3, format: i32}}
  - {name: c, logicalType: number, logicalTypeOptions: {exclusiveMinimum: 0.5, exclusiveMaximum: 9}}
  - {name: d, logicalType: date,
     logicalTypeOptions: {minimum: '2020-01-01', maximum: '2030-01-01', format: yyyy-MM-dd}}
  - {name: e, logicalType: timestamp,
     logicalTypeOptions: {minimum: '2020-01-01T00:00:00Z', timezone: true, defaultTimezone: UTC}}
  - {name: f, logicalType: time, logicalTypeOptions: {minimum: '08:00:00', maximum: '20:00:00'}}
  - {name: g, logicalType: array, items: {logicalType: string},
     logicalTypeOptions: {minItems: 1, maxItems: 9, uniqueItems: true}}
  - {name: h, logicalType: object,
     logicalTypeOptions: {minProperties: 1, maxProperties: 2, required: [x]},
     properties: [{name: x, logicalType: string, required: true}, {name: y, logicalType: object,
     properties: [{name: z, logicalType: date, unique: true}]}]}
  - {name: i, logicalType: boolean, required: true, unique: false}
  - {name: j, logicalType: map, map: {key: {logicalType: string}, value: {logicalType: integer}}}
  - {name: k, logicalType: string, enum: [{value: x, description: d}, {value: y}]}
  - {name: l, semanticType: measure, quality: [{metric: nullValues, mustBe: 0}]}
""",
    "library": TABLE
    + """\
  quality:
  - {id: rows, type: library, metric: rowCount, mustBeBetween: [1, 100], severity: error,
     dimension: completeness}
  - {name: key, metric: duplicateValues, mustBe: 0, arguments: {properties: [a, b]}}
  - {name: no_a, metric: nullValues, mustBeLessThan: 5, unit: percent, arguments: {properties: [a]}}
  properties:
"""
    + _column(
        "a",
        "string",
        "{name: n, metric: nullValues, mustBe: 0, schedule: '0 6 * * *', scheduler: cron}",
        "{name: m, metric: missingValues, mustBeLessOrEqualTo: 1,"
        " arguments: {missingValues: [null, '', n/a]}}",
        "{name: i, metric: invalidValues, mustNotBe: 1,"
        " arguments: {validValues: [x, y], pattern: '^[xy]$'}}",
        "{name: d, metric: duplicateValues, mustBeLessThan: 1, unit: rows, severity: P2}",
        "{name: v, metric: invalidValues, validValues: [x], mustBeGreaterOrEqualTo: 0}",
        "{name: observed, metric: nullValues}",
        "{type: text, description: A rule for people}",
    )
    + _column(
        "b", "integer", "{metric: invalidValues, mustBe: 0, arguments: {validValues: [1, 2]}}"
    ),
    "foreign": TABLE
    + """\
  quality:
  - {type: sql, name: s, query: 'SELECT COUNT(*) FROM {object}', mustBe: 0, severity: critical}
  - {type: custom, engine: soda, name: x, implementation: 'checks: 1'}
  - {type: custom, engine: dqx, name: labs, implementation: {check: {function: is_not_null}}}
  - {type: custom, engine: greatExpectations, implementation: {a: {b: [1]}}}
  - {type: text, name: t, description: d}
  - {description: only words}
  properties: [{name: a, logicalType: string}]
""",
    "dqx": TABLE
    + """\
  quality:
  - type: custom
    engine: dqx
    name: rows
    implementation: |
      check: num_rows
      mustBeGreaterThan: 0
  - type: custom
    engine: dqx
    name: complete
    implementation: |
      check: completeness
      partition_column: d
      granularity: daily
      lookback_days: 7
      allow_future_gaps: false
      max_gap_count: 1
  - {type: custom, engine: dqx,
     implementation: {check: freshness, timestamp_column: d, max_age_hours: 24, aggregation: max}}
  - {type: custom, engine: dqx, mustBeLessThan: 0.5,
     implementation: {check: duplicates, columns: [a, n], return: pct}}
  - {type: custom, engine: DQX,
     implementation: {check: missing, column: a, mustBe: 0, tolerance: 0.1}}
  properties:
"""
    + _column("d", "date", DQX.format("max", ", mustBeLessThan: '2030-01-01'"))
    + _column(
        "a",
        "string",
        DQX.format("whitelist", ", values: [x, y], case_sensitive: false, mustBe: 0"),
        DQX.format("blacklist", ", values: [z], return: count, mustBe: 0"),
        DQX.format("pattern", ", pattern: '^a', flags: [IGNORECASE], mustBe: 0"),
        DQX.format("min_length", ", column_type: string, mustBeGreaterThan: 0"),
        DQX.format("avg_length", ", mustBeBetween: [1, 9]"),
        DQX.format("cardinality", ", mustNotBeBetween: [5, 9]"),
    )
    + _column(
        "n",
        "number",
        DQX.format("mean", ", mustBeBetween: [1, 2.5], tolerance: 0.01"),
        DQX.format("percentile", ", percentile: 0.95, exact: true, mustBeLessThan: 9"),
        *(DQX.format(word, ", mustNotBe: 1") for word in ("sum", "variance", "stddev", "count")),
    ),
    "service levels": HEADER
    + """\
slaProperties:
- {property: latency, value: 4, unit: h, element: orders.at}
- {property: freshness, value: PT90M, element: 'orders.at, orders.day'}
- {property: frequency, value: 1, unit: d, schedule: '0 6 * * 1-5', scheduler: cron}
- {property: timeOfAvailability, value: '09:00-08:00', element: orders.day, driver: regulatory}
- {property: retention, value: 3, unit: y, valueExt: 4}
- {property: latency, value: 9, element: other.x}
schema:
- name: orders
  properties:
  - {name: at, logicalType: timestamp}
  - {name: day, logicalType: date, partitioned: true, partitionKeyPosition: 1}
- name: other
  physicalName: public.other
  properties: [{name: x, physicalName: X, logicalType: date}]
""",
    "native": NATIVE
    + """\
tags: [a]
sla: {schedule: '0 6 * * *', lag_hours: 4}
metadata: {partitioned_by: [day], timestamp_column: at, dagsterAssetKey: sales/orders, x: {y: 1}}
checks:
- {name: rows, type: num_rows, min: 1, severity: critical, description: d, tags: [t]}
- {name: fresh, type: freshness, max_age_hours: 24, timestamp_column: at, aggregation: min}
- {name: whole, type: completeness, partition_column: day, granularity: weekly, lookback_days: 30}
- {name: key, type: duplicates, columns: [a, day], max: 0, return: pct, tolerance: 0.1}
columns:
- {name: day, type: date, nullable: false, description: d, metadata: {x: 1}}
- {name: at, type: {kind: timestamp, tz: UTC}, description: d}
- {name: a, type: string, description: d}
""",
    "native types": NATIVE
    + "columns:\n"
    + "".join(
        f"- {{name: c_{name}, type: {name}, description: d}}\n"
        for name in ("int", "float", "bool", "bytes", "time", "timestamp", "decimal")
    )
    + """\
- {name: c_list, description: d,
   type: {kind: list, value_type: {kind: map, key_type: string, value_type: int}}}
- {name: c_struct, description: d, type: {kind: struct, fields: [
     {name: x, type: int, nullable: false, description: d, metadata: {}},
     {name: y, type: {kind: struct, fields: [{name: z, type: date}]}}]}}
""",
    "native checks": NATIVE
    + """\
columns:
- name: s
  type: string
  description: d
  checks:
  - {name: a, type: whitelist, values: [x, y], case_sensitive: false}
  - {name: b, type: blacklist, values: [z, null], equals: 5}
  - {name: c, type: pattern, pattern: '[a-z]+', flags: [IGNORECASE, MULTILINE], min: 1}
  - {name: d, type: pattern, format: email}
  - {name: e, type: missing, max: 0, severity: P0}
  - {name: f, type: duplicates, between: [0, 5]}
  - {name: g, type: max_length, column_type: string, not_between: [5, 9]}
  - {name: h, type: cardinality, min: 1}
- name: n
  type: decimal
  description: d
  checks:
  - {name: a, type: min, min: 0}
  - {name: b, type: percentile, percentile: 0.5, max: 100}
  - {name: c, type: mean, between: [0, 1], tolerance: 0.5}
  - {name: d, type: stddev}
""",
}
