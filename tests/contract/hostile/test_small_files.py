"""Small files with something wrong in them, or something that only looks so."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from contract.hostile.contracts import HEADER, NATIVE, odcs, options, rule, rules
from contract.hostile.outcome import LOADS, REFUSED, SECONDS, loaded, outcome, posix, written
from dqx_dagster import lower
from dqx_dagster.loading import inspect

pytestmark = posix

SMALL: dict[str, tuple[str, str | bytes]] = {
    "nothing wrong": (LOADS, odcs("  properties: [{name: a}]\n")),
    "empty": (REFUSED, ""),
    "only a comment": (REFUSED, "# nothing\n"),
    "a list": (REFUSED, "- a\n"),
    "a scalar": (REFUSED, "text\n"),
    "two documents": (REFUSED, f"{odcs('')}---\na: 1\n"),
    "trailing document mark": (REFUSED, f"{odcs('')}---\n"),
    "tabs": (REFUSED, odcs("\tproperties: []\n")),
    # Encodings
    "byte order mark": (LOADS, b"\xef\xbb\xbf" + odcs("").encode()),
    "two byte order marks": (LOADS, b"\xef\xbb\xbf\xef\xbb\xbf" + odcs("").encode()),
    "latin-1": (REFUSED, odcs("  description: café\n").encode("latin-1")),
    "utf-16": (REFUSED, odcs("").encode("utf-16")),
    "utf-16 without mark": (REFUSED, odcs("").encode("utf-16-le")),
    "utf-32": (REFUSED, odcs("").encode("utf-32")),
    "overlong utf-8": (REFUSED, odcs("  description: ").encode() + b"\xc0\xaf\n"),
    "half a surrogate pair": (REFUSED, odcs("  description: \ud800\n")),
    "zero bytes": (REFUSED, b"\0" * 1000),
    "random bytes": (REFUSED, bytes(range(256)) * 4),
    # Characters
    "escape character": (REFUSED, odcs("  description: \x1b[31m\n")),
    "escaped escape character": (REFUSED, odcs('  description: "\\x1b[31m"\n')),
    "escaped zero": (REFUSED, odcs('  description: "\\0"\n')),
    "escaped bell": (REFUSED, odcs('  description: "\\a"\n')),
    "escaped delete": (REFUSED, odcs('  description: "\\x7f"\n')),
    "escaped control sequence introducer": (REFUSED, odcs('  description: "\\x9b31m"\n')),
    "escaped surrogate": (REFUSED, odcs('  description: "\\ud800"\n')),
    "escaped surrogate pair": (REFUSED, odcs('  description: "\\ud83d\\ude00"\n')),
    "escape beyond unicode": (REFUSED, odcs('  description: "\\U00110000"\n')),
    "control character in a key": (REFUSED, odcs('  "\\x1b": a\n')),
    "control character inside an implementation": (
        REFUSED,
        rule("{type: custom, engine: dqx, implementation: 'check: \"\\x07\"'}"),
    ),
    "emoji and scripts": (LOADS, odcs("  properties: [{name: 日本}, {name: 😀}, {name: עברית}]\n")),
    # Keys
    "duplicate keys": (REFUSED, odcs("  description: a\n  description: b\n")),
    "numbers and booleans as keys": (REFUSED, odcs("  1: a\n  true: b\n  1.0: c\n")),
    "a list as key": (REFUSED, odcs("  [a]: b\n")),
    "a mapping as key": (REFUSED, odcs("  {a: b}: c\n")),
    "an alias as key": (REFUSED, odcs("  description: &d text\n  *d : b\n")),
    # Scalars that YAML 1.1 turns into something else
    "norway": (LOADS, odcs("  description: NO\n")),
    "switches": (LOADS, odcs("  tags: [on, off, yes, Yes, y, n]\n")),
    "a switch is no boolean": (REFUSED, odcs("  properties: [{name: a, required: yes}]\n")),
    "a date": (LOADS, odcs("  description: 2024-01-01\n")),
    "a date that is none": (LOADS, odcs("  description: 2024-13-45\n")),
    "a time that is none": (LOADS, odcs("  description: 2024-01-01T25:00:00Z\n")),
    "a version that is a number": (REFUSED, odcs("").replace("1.0.0", "1.10")),
    "numbers of YAML 1.1": (REFUSED, rule("{metric: rowCount, mustBe: 1_000}")),
    "sexagesimal": (REFUSED, rule("{metric: nullValues, mustBe: 12:30:45}")),
    "octal": (REFUSED, rule("{metric: nullValues, mustBe: 010}")),
    "hexadecimal": (REFUSED, rule("{metric: nullValues, mustBe: 0xFF}")),
    # Numbers
    "nan": (REFUSED, rule("{metric: nullValues, mustBe: .nan}")),
    "infinity": (REFUSED, rule("{metric: nullValues, mustBeLessThan: .inf}")),
    "minus infinity": (REFUSED, rule("{metric: nullValues, mustBeGreaterThan: -.inf}")),
    "overflow": (REFUSED, rule("{metric: nullValues, mustBe: 1.0e+400}")),
    "nan inside an implementation": (
        REFUSED,
        rule("{type: custom, engine: dqx, implementation: 'check: missing\n\n      mustBe: .nan'}"),
    ),
    "38 digits": (LOADS, rule(f"{{metric: nullValues, mustBeLessThan: {'9' * 38}}}")),
    "39 digits": (REFUSED, rule(f"{{metric: nullValues, mustBeLessThan: {'9' * 39}}}")),
    "5,000 digits": (REFUSED, rule(f"{{metric: nullValues, mustBe: {'9' * 5000}}}")),
    "50,000 hexadecimal digits": (
        REFUSED,
        rule(f"{{metric: nullValues, mustBe: 0x{'f' * 50000}}}"),
    ),
    "the largest float": (LOADS, rule("{metric: nullValues, mustBeLessThan: 1.7e308}")),
    "the smallest float": (LOADS, rule("{metric: nullValues, mustBeGreaterThan: 5e-324}")),
    "a latency beyond floats": (
        REFUSED,
        odcs("  properties: [{name: d, logicalType: date}]\n")
        + "slaProperties: [{property: latency, value: 1.0e308, unit: y, element: t.d}]\n",
    ),
    "a duration beyond floats": (
        REFUSED,
        odcs("  properties: [{name: d, logicalType: date}]\n")
        + f"slaProperties: [{{property: latency, value: P{'9' * 400}Y, element: t.d}}]\n",
    ),
    "a moment before the first year": (
        REFUSED,
        options("timestamp", "{minimum: '0001-01-01T00:00:00+14:00'}"),
    ),
    "a moment after the last year": (
        REFUSED,
        odcs(
            "  properties:\n  - name: a\n    logicalType: timestamp\n    quality:\n"
            "    - metric: invalidValues\n      mustBe: 0\n"
            "      arguments: {validValues: ['9999-12-31T23:59:59-14:00']}\n"
        ),
    ),
    # Tags
    **{
        f"tag {tag}": (REFUSED, odcs(f"  description: {tag}\n"))
        for tag in (
            "!!int foo",
            "!!int ''",
            "!!bool foo",
            "!!float x",
            "!!timestamp x",
            "!!null x",
            "!!set {a}",
            "!!omap [a: 1]",
            "!!binary aGk=",
            "!!python/name:os.system",
            "!!python/object/apply:os.system [exit 1]",
            "!x y",
            "!<tag:x> y",
        )
    },
    # Wrong kinds of values in the places that readers look into
    **{
        f"{kind} as {place.partition('%')[0].strip()}": (REFUSED, text.replace("%", value))
        for place, text in {
            "format%": options("string", "{format: %}"),
            "pattern%": options("string", "{pattern: %}"),
            "minimum%": options("integer", "{minimum: %}"),
            "required%": options("object", "{required: %}"),
            "logicalType%": odcs("  properties: [{name: a, logicalType: %}]\n"),
            "properties%": odcs("  properties: %\n"),
            "quality%": odcs("  quality: %\n"),
            "metric%": rule("{metric: %}"),
            "operator%": rule("{metric: nullValues, mustBe: %}"),
            "validValues%": rule("{metric: invalidValues, mustBe: 0, arguments: {validValues: %}}"),
            "check%": rule("{type: custom, engine: dqx, implementation: {check: [%]}}"),
            "severity%": rule("{metric: nullValues, mustBe: 0, severity: %}"),
            "unit%": rule("{metric: nullValues, mustBe: 0, unit: %}"),
            "apiVersion%": odcs("").replace("v3.2.0", "%"),
            "schema%": f"{HEADER}schema: %\n",
            "columns%": f"{NATIVE}columns: %\n",
            "type%": f"{NATIVE}columns: [{{name: a, description: d, type: %}}]\n",
            "kind%": f"{NATIVE}columns: [{{name: a, description: d, type: {{kind: %}}}}]\n",
            "sla%": f"{NATIVE}columns: [{{name: a, description: d, type: int}}]\nsla: %\n",
        }.items()
        for kind, value in {
            "a list of lists": "[[a]]",
            "a list of mappings": "[{a: 1}]",
            "a mapping": "{a: {b: c}}",
        }.items()
        if (kind, place) not in {("a list of mappings", "properties%")}
    },
    # Values that load nowhere else
    "a column without a name": (REFUSED, odcs("  properties: [{name: ''}]\n")),
    "a column with a blank name": (REFUSED, odcs("  properties: [{name: ' '}]\n")),
    "a table name with an empty part": (REFUSED, odcs("  physicalName: a..b\n")),
    "an asset key with an empty part": (
        REFUSED,
        odcs("  customProperties: [{property: dagsterAssetKey, value: a//b}]\n"),
    ),
    "a schedule that is random": (
        REFUSED,
        odcs("") + "slaProperties: [{property: x, value: 1, schedule: 'R R * * *'}]\n",
    ),
    "a look back beyond the first year": (
        REFUSED,
        odcs(
            "  properties: [{name: d, logicalType: date}]\n"
            "  quality: [{type: custom, engine: dqx, implementation: {check: completeness, "
            "partition_column: d, granularity: hourly, lookback_days: 1000000}}]\n"
        ),
    ),
    # Names that mean something to Python
    "columns with Python's names": (
        LOADS,
        odcs("  properties: [{name: __class__}, {name: __init__}, {name: self}, {name: None}]\n"),
    ),
    "custom properties with Python's names": (
        LOADS,
        odcs("  customProperties: [{property: __class__, value: {__init__: 1}}]\n"),
    ),
    "a key of a contract": (REFUSED, f"{HEADER}__class__: a\n"),
    "a key of a table": (REFUSED, odcs("  __dict__: {}\n")),
    "a key of a rule": (REFUSED, rule("{metric: nullValues, mustBe: 0, __init__: a}")),
    "a key of an implementation": (
        REFUSED,
        rule("{type: custom, engine: dqx, implementation: {check: missing, __class__: a}}"),
    ),
    "a check that is a method": (
        REFUSED,
        rule("{type: custom, engine: dqx, implementation: {check: __init__}}"),
    ),
    "a metric that is a method": (REFUSED, rule("{metric: __class__, mustBe: 0}")),
    "a reference in the place of a property": (REFUSED, odcs("  properties: [{$ref: '#'}]\n")),
    "the name of another schema": (REFUSED, f"{HEADER}$schema: http://localhost/none\n"),
}


@pytest.mark.parametrize("name", SMALL)
def test_a_small_hostile_file(name: str, tmp_path: Path) -> None:
    expected, text = SMALL[name]
    start = time.process_time()
    assert outcome(written(tmp_path, text)) == expected
    assert time.process_time() - start < SECONDS


def test_one_bad_file_does_not_hide_another(tmp_path: Path) -> None:
    """All errors of all files come together, each with its place."""
    names = [f"{number:03}.yaml" for number in range(len(SMALL))]
    for name, (_, text) in zip(names, SMALL.values(), strict=True):
        (tmp_path / name).write_bytes(written(tmp_path, text).read_bytes())
    found = inspect([tmp_path])
    wrong = {Path(error.origin.file).name for error in found.errors}
    refused = [n for n, (how, _) in zip(names, SMALL.values(), strict=True) if how == REFUSED]
    assert wrong >= set(refused)
    assert all(error.origin.line >= 1 and error.origin.column >= 1 for error in found.errors)


def test_a_rule_cannot_take_the_name_that_tells_two_others_apart(tmp_path: Path) -> None:
    twice = rules(2, "name: a, metric: rowCount, mustBe: %")
    [contract] = loaded(written(tmp_path, odcs(twice)))
    taken = lower(contract).rules[0].name
    third = f"  - {{name: {taken}, metric: rowCount, mustBe: 7}}\n"
    [contract] = loaded(written(tmp_path, odcs(f"{twice}{third}")))
    names = [rule.name for rule in lower(contract).rules]
    assert len(set(names)) == 3
