"""Files whose size is in the length of texts: of any length, and of the longest that is read."""

from __future__ import annotations

from contract.hostile.contracts import (
    HEADER,
    Files,
    columns,
    dqx,
    lines,
    odcs,
    options,
    rule,
    rules,
)
from contract.hostile.outcome import REFUSED
from dqx_dagster.contract.composer import MAX_TEXT

ACCENTS = "\u0327\u0301"  # a cedilla and an acute: they sort in this order
LONG: Files = {
    "a pattern of 1 MB": (
        REFUSED,
        lambda: options("string", f"{{pattern: '{'(a|b)[c-d]{2,3}' * 66_000}'}}"),
    ),
    "a pattern of 1 MB, 4,000 times": (
        None,
        lambda: odcs(
            f"  description: &p '{'a' * 1_000_000}'\n"
            + columns(1)
            + rules(4_000, dqx("check: pattern, column: column_0, mustBe: %, pattern: *p"))
        ),
    ),
    "an unknown metric of 1 MB, 4,000 times": (
        REFUSED,
        lambda: odcs(f"  description: &p '{'a' * 1_000_000}'\n" + rules(4_000, "metric: *p")),
    ),
    "YAML of 1 MB inside a string, 4,000 times": (
        REFUSED,
        lambda: odcs(
            "  description: &p |\n    check: num_rows\n"
            + lines(80_000, "    k%: 1\n")
            + rules(4_000, "type: custom, engine: dqx, implementation: *p")
        ),
    ),
    "a column's name of 1 MB": (REFUSED, lambda: odcs(columns(1, "n" * 1_000_000))),
    "a rule's name of 1 MB": (
        REFUSED,
        lambda: rule(f"{{name: {'n' * 1_000_000}, metric: nullValues, mustBe: 0}}"),
    ),
    "a table's name of 1 MB": (REFUSED, lambda: odcs(f"  physicalName: {'s.t' * 330_000}\n")),
    "an unknown column of 1 MB": (
        REFUSED,
        lambda: rule(f"{{{dqx('check: missing, column: ' + 'n' * 1_000_000)}}}"),
    ),
    "an unknown path of 500,000 columns": (
        REFUSED,
        lambda: rule(f"{{{dqx('check: missing, column: ' + 'a.' * 500_000)}}}"),
    ),
    "a name of 300,000 accents": (
        REFUSED,
        lambda: rule(f"{{name: a{ACCENTS * 150_000}, metric: nullValues, mustBe: 0}}"),
    ),
    # The same things, as large as one text may be
    "a pattern of the longest text": (
        None,
        lambda: options("string", f"{{pattern: '{'(a|b)[c-d]{2,3}' * (MAX_TEXT // 16)}'}}"),
    ),
    "a pattern of the longest text, in as many rules as there is room for": (
        None,
        lambda: odcs(
            columns(1, ", logicalType: string")
            + rules(19, dqx(f"check: pattern, column: column_0, pattern: '{'[a-b]' * 19_000}%'"))
        ),
    ),
    "YAML of the longest text inside a string": (
        REFUSED,
        lambda: rule(
            "{type: custom, engine: dqx, implementation: '"
            "check: missing\n\n      " + lines(6_000, "k%: 1\n\n      ") + "'}"
        ),
    ),
    "five names of the longest accents": (
        None,
        lambda: odcs(
            columns(1)
            + rules(5, f"name: a%{ACCENTS * (MAX_TEXT // 2 - 10)}, metric: rowCount, mustBe: %")
        ),
    ),
    "5,000 rules on a column with the longest name": (
        None,
        lambda: odcs(
            f"  properties:\n  - name: {'n' * MAX_TEXT}\n    quality:\n"
            + lines(5_000, "    - {metric: nullValues, mustBeLessThan: %}\n")
        ),
    ),
    "5,000 fields below a column with the longest name": (
        None,
        lambda: odcs(
            f"  properties:\n  - name: {'n' * MAX_TEXT}\n    logicalType: object\n"
            "    properties:\n" + lines(5_000, "    - {name: c%, required: true, unique: true}\n")
        ),
    ),
    "5,000 warnings about a rule of a table with the longest name": (
        None,
        lambda: (
            f"{HEADER}schema:\n- name: {'n' * MAX_TEXT}\n"
            + rules(5_000, "name: r%, metric: rowCount, mustBe: %, severity: unknown")
        ),
    ),
    "5,000 service levels of the longest element": (
        None,
        lambda: (
            f"{odcs(columns(1))}slaDefaultElement: {'n' * MAX_TEXT}\nslaProperties:\n"
            + lines(5_000, "- {property: latency, value: 1, unit: h}\n")
        ),
    ),
}
