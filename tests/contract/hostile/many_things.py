"""Files whose size is in the number of things."""

from __future__ import annotations

from contract.hostile.contracts import (
    HEADER,
    NATIVE,
    Files,
    columns,
    dqx,
    levels,
    lines,
    odcs,
    options,
    rule,
    rules,
)
from contract.hostile.outcome import LOADS, REFUSED

KEYS = lines(20_000, "k%: 1, ")
MANY: Files = {
    "50,000 properties": (None, lambda: odcs(columns(50_000))),
    "45,000 properties": (None, lambda: odcs(columns(45_000))),
    "3,000 typed properties": (
        None,
        lambda: odcs(columns(3_000, ", logicalType: string, required: true")),
    ),
    "3,000 unknown types": (REFUSED, lambda: odcs(columns(3_000, ", logicalType: strng"))),
    "a key of 3,000 columns": (
        None,
        lambda: odcs(columns(3_000, ", primaryKey: true, primaryKeyPosition: %")),
    ),
    "3,000 rules": (
        None,
        lambda: odcs(rules(3_000, "name: r%, metric: rowCount, mustBe: %")),
    ),
    "3,000 rules that are the same": (
        None,
        lambda: odcs(rules(3_000, "metric: rowCount, mustBe: 1")),
    ),
    "3,000 rules with YAML inside": (
        None,
        lambda: odcs(rules(3_000, "type: custom, engine: dqx, implementation: 'check: num_rows'")),
    ),
    "3,000 native checks": (
        None,
        lambda: (
            f"{NATIVE}columns: [{{name: a, type: int, description: d}}]\nchecks:\n"
            + lines(3_000, "- {name: r%, type: num_rows, min: %}\n")
        ),
    ),
    "2,000 rules on 2,000 columns": (
        None,
        lambda: odcs(
            columns(2_000) + rules(2_000, dqx("check: missing, column: column_%, mustBe: 0"))
        ),
    ),
    "2,000 rules on columns that are not there": (
        REFUSED,
        lambda: odcs(columns(2_000) + rules(2_000, dqx("check: missing, column: colunm_%"))),
    ),
    "2,000 relationships from columns that are not there": (
        REFUSED,
        lambda: odcs(
            columns(2_000)
            + "  relationships:\n"
            + lines(2_000, "  - {type: foreignKey, from: t.colunm_%, to: x.y}\n")
        ),
    ),
    "2,000 relationships to tables that are not there": (
        None,
        lambda: odcs(
            columns(2_000)
            + "  relationships:\n"
            + lines(2_000, "  - {type: foreignKey, from: t.column_%, to: x%.y}\n")
        ),
    ),
    "2,000 relationships within one table": (
        None,
        lambda: odcs(
            columns(2_000)
            + "  relationships:\n"
            + lines(2_000, "  - {type: foreignKey, from: t.column_%, to: t.column_1}\n")
        ),
    ),
    "a reference of 20,000 names": (
        None,
        lambda: odcs(
            columns(1)
            + "  relationships:\n"
            + f"  - {{type: foreignKey, from: t.column_0, to: x{'.a' * 20_000}}}\n"
        ),
    ),
    "2,000 partition columns that are not there": (
        REFUSED,
        lambda: (
            f"{NATIVE}metadata: {{partitioned_by: [{lines(2_000, 'colunm_%, ')}]}}\ncolumns:\n"
            + lines(2_000, "- {name: column_%, type: int, description: d}\n")
        ),
    ),
    "20,000 tables": (None, lambda: f"{HEADER}schema:\n{lines(20_000, '- {name: t%}' + chr(10))}"),
    "300 tables with 300 service levels": (
        None,
        lambda: (
            levels(300, "property: latency, value: 1, unit: h, element: t%")
            + "schema:\n"
            + lines(300, "- {name: t%}\n")
        ).replace("schema:\n- name: t\n  properties:\n  - {name: column_0}\n", ""),
    ),
    "30,000 service levels": (None, lambda: levels(30_000, "property: x, value: 1")),
    "3,000 elements of one service level": (
        REFUSED,
        lambda: levels(
            1, f"property: latency, value: 1, unit: h, element: '{lines(3_000, 't.c%, ')}'"
        ),
    ),
    "5,000 schedules": (
        None,
        lambda: levels(5_000, "property: x, value: 1, schedule: '0 0 29 2 1'"),
    ),
    "5,000 schedules that never come": (
        None,
        lambda: levels(5_000, "property: x, value: 1, schedule: '0 0 30 2 *'"),
    ),
    "a schedule of 1 MB": (
        None,
        lambda: levels(1, f"property: x, value: 1, schedule: '{'0-59/1,' * 140_000}1 * * * *'"),
    ),
    "20,000 unknown keys of a property": (REFUSED, lambda: odcs(columns(1, f", {KEYS}"))),
    "20,000 unknown keys of a rule": (REFUSED, lambda: rule(f"{{metric: nullValues, {KEYS}}}")),
    "20,000 misspelt operators": (
        REFUSED,
        lambda: rule(f"{{metric: nullValues, {lines(20_000, 'mustBx%: 1, ')}}}"),
    ),
    "20,000 unknown keys of an implementation": (
        REFUSED,
        lambda: rule(f"{{{dqx(f'check: missing, {KEYS}')}}}"),
    ),
    "20,000 unknown keys below a very long name": (
        REFUSED,
        lambda: odcs(columns(1, f"{'n' * 500_000}, {KEYS}")),
    ),
    "20,000 duplicate keys": (REFUSED, lambda: "a: 1\n" * 20_000),
    "20,000 keys that are numbers": (REFUSED, lambda: lines(20_000, "%: a\n")),
    "2,000 servers": (
        None,
        lambda: (
            f"{HEADER}servers:\n"
            + lines(2_000, "- {server: s%, type: postgres, host: h, port: 1, database: d}\n")
        ),
    ),
    "3,000 custom properties": (
        None,
        lambda: odcs(f"  customProperties: [{lines(3_000, '{property: p%, value: 1}, ')}]\n"),
    ),
    "3,000 tags": (LOADS, lambda: odcs(f"  tags: [{lines(3_000, 't%, ')}]\n")),
    "30,000 mappings where names must be": (
        REFUSED,
        lambda: options("object", f"{{required: [{lines(30_000, '{a: %}, ')}]}}"),
    ),
    "30,000 values of an enumeration": (
        None,
        lambda: odcs(columns(1, f", logicalType: string, enum: [{lines(30_000, '{value: %}, ')}]")),
    ),
    "90,000 valid values": (
        None,
        lambda: rule(
            f"{{metric: invalidValues, arguments: {{validValues: [{lines(90_000, 'v%, ')}]}}}}"
        ),
    ),
    "a list of 90,000 as a threshold": (
        REFUSED,
        lambda: rule(f"{{metric: nullValues, mustBe: [{'1, ' * 90_000}]}}"),
    ),
}
