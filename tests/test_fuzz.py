"""Contracts with random damage: whatever a file holds, it loads or it is refused.

Each document is a valid contract with some of its nodes replaced, removed, repeated, renamed or
moved, or with damage to its text. It is a function of two numbers, which a failure names together
with the text: `document(chunk, index)` makes it again.
"""

from __future__ import annotations

import copy
import functools
import json
import random
import re
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import yaml
from oracle.effort import EFFORT

from dqx_dagster import Contract, ContractValidationError, Finding, lower, plan
from dqx_dagster.checks.threshold import OPERATORS
from dqx_dagster.checks.vocabulary import CHECKS
from dqx_dagster.contract.document import parse_document
from dqx_dagster.loading import inspect, load_file

CHUNKS, SIZE = 16 * EFFORT, 500
LOADED_AT_LEAST = 0.05  # of a chunk: the damage must leave contracts to lower
NAME = re.compile(r"[A-Za-z0-9_]{1,64}\Z")

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

# Values of every type, in range and out of it.
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 7, 0.5, 1.5, -0.0, 100, 101, 10**18, 2**63, -(10**37)),
    *(1e308, -1e308, 5e-324, 1e16, 0.1 + 0.2, 86_400, 10**9, 10**12),
    *([], {}, [[]], [{}], {"a": {}}, [None], [""], {"": ""}, [1, 2], [2, 1], [1, "a", None], [1]),
    *(["a", "b"], ["a", "a"], [True, 1, 1.0, "1"], [0.5, 0.5], ["2024-01-01", 1], [[1, 2]]),
    *({"check": "min"}, {"value": 1}, {"name": "a"}, {"kind": "list"}, {"kind": "struct"}, [1e308]),
)
TEXTS = (
    *("", " ", "a", "orders", "orders.id", "a.b.c", ".", "..", "a b", "`a`", "${x}", "__class__"),
    *("^(a|b)*$", "[", "(", "a{2,1}", "(?P<n>a)", "[[a]", "\\", "*", "[z-a]", f"a{{{'9' * 5000}}}"),
    *("mustbe", "mustBeLessThen", "rowcount", "Nullvalues", "whitelst", "percent", "pct", "%"),
    *("P1D", "PT", f"P{'9' * 400}Y", "parsecs", "m", "h", "1h", "5", "-5", "nan", "inf", "1e9"),
    *("* * * * *", "99 99 * * *", "0 0 31 2 *", "@daily", "R R * * *", "0 */5 * * *", "0 0 1 1 L"),
    *("25:00", "9:00Z", "2024-02-30", "2024-01-01", "20240101", "2024-W01", "0000-00-00", "now"),
    *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "10000-01-01", "24:00", "12:30:45"),
    *("\n", "a\nb", "check: min", "check: [", "{", "- a", "check: &a [*a]", "a: 1\na: 2", "true"),
    *(
        "x" * 70,
        "A" * 300,
        "é",
        "日本",
        "😀",
        "a\u0301",
        "\u0627",
        "İ",
        "ﬀ",
        "\u200b",
        "\U0010ffff",
    ),
)
# What stands in a file as it is. It may mean something else than a text, or break the file.
RAW = (
    *("", "~", "True", "NO", "yes", "on", "1e3", "1e400", ".nan", ".inf", "-.inf", "9" * 39, "010"),
    *("9" * 5000, "0x1F", "1_000", "12:30:45", "2024-01-01", "2024-13-45", "2024-01-01T25:00:00Z"),
    *("!!int 5", "!!str 5", "!x y", "!!set {a}", "*a", "&a b", "&a [*a]", "{<<: {a: 1}}", "<<"),
    *(
        "'",
        '"',
        "|",
        ">",
        "- a",
        "a: b",
        "[",
        "}",
        "#",
        "%",
        "@",
        "`",
        "\\",
        '"\\ud800"',
        '"\\x1b"',
    ),
    *(
        "\u202e",
        "\u2028",
        "\x85",
        "\ufeff",
        "é",
        "\x00",
        "\x7f",
        "ß" * 300,
        "a" * 3000,
        "{a: 1, a: 2}",
    ),
)


@dataclass(frozen=True)
class Raw:
    """A piece of text that is written into the document as it is."""

    text: str


Parent: TypeAlias = "dict[Any, Any] | list[Any]"


@functools.cache
def _parsed() -> tuple[dict[str, Any], ...]:
    return tuple(parse_document(text, name).root for name, text in SEEDS.items())


def _walk(node: Any) -> Iterator[tuple[Parent, Any]]:
    """Every place of a document: what holds it, and its key or index there."""
    places = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in places:
        yield node, key
        if isinstance(value, dict | list):
            yield from _walk(value)


@functools.cache
def _words() -> tuple[str, ...]:
    """Every key and short text of the seeds, and the words of the vocabulary."""
    found = {row.name for row in CHECKS} | set(OPERATORS) | {"<<", "__init__", "unknown", ""}
    found |= {parameter.name for row in CHECKS for parameter in row.parameters}
    for root in _parsed():
        for parent, key in _walk(root):
            found |= {word for word in (key, parent[key]) if isinstance(word, str)}
    return tuple(sorted(found))


class Damage:
    """Random changes to one document."""

    def __init__(self, chunk: int, index: int) -> None:
        self._random = random.Random(f"{chunk}/{index}")

    def text(self) -> str:
        dice = self._random
        way = dice.random()
        if way < 0.15:
            return self._broken_text(dice.choice(list(SEEDS.values())))
        root = copy.deepcopy(dice.choice(_parsed()))
        if way < 0.5:
            self._rain(root)
        else:
            for _ in range(dice.choice((1, 1, 1, 2, 3))):
                self._change(root)
        return self._written(root)

    def _rain(self, root: dict[str, Any]) -> None:
        """Replace a tenth of all values: the readers go on behind each that is wrong."""
        for parent, key in list(_walk(root)):
            if not isinstance(parent[key], dict | list) and self._random.random() < 0.1:
                parent[key] = self._value()

    def _value(self) -> Any:
        dice = self._random
        match dice.randrange(8):
            case 0 | 1 | 2:
                return copy.deepcopy(dice.choice(VALUES))
            case 3 | 4 | 5:
                return dice.choice(TEXTS)
            case 6:
                return dice.choice(_words())
            case _:
                parent, key = dice.choice(list(_walk(dice.choice(_parsed()))))
                return copy.deepcopy(parent[key])

    def _key(self, near: object) -> Any:
        dice = self._random
        match dice.randrange(6):
            case 0:
                return Raw(dice.choice(RAW))
            case 1:
                return dice.choice(TEXTS)
            case 2 if isinstance(near, str) and near:
                at = dice.randrange(len(near))
                return dice.choice((near.upper(), near[:at] + near[at + 1 :], near + near[at]))
            case _:
                return dice.choice(_words())

    def _change(self, root: dict[str, Any]) -> None:
        dice = self._random
        places = list(_walk(root))
        if not places:
            return
        parent, key = dice.choice(places)
        value = parent[key]
        match dice.randrange(9):
            case 0 | 1:
                parent[key] = self._value()
            case 2:
                parent[key] = Raw(dice.choice(RAW))
            case 3:
                del parent[key]
            case 4:
                self._insert(parent, key, copy.deepcopy(value))
            case 5:
                self._insert(parent, self._key(key), self._value())
            case 6 if isinstance(parent, dict):
                parent[self._key(key)] = parent.pop(key)
            case 7:
                parent[key] = dice.choice(([value], {"a": value}, [value, value], {key: value}))
            case _:
                other, name = dice.choice(places)
                parent[key] = copy.deepcopy(other[name])

    def _insert(self, parent: Parent, key: Any, value: Any) -> None:
        if isinstance(parent, list):
            parent.insert(self._random.randint(0, len(parent)), value)
        elif key in parent:
            parent[self._key(key)] = value
        else:
            parent[key] = value

    def _written(self, root: dict[str, Any]) -> str:
        """The document as YAML, in block or flow style, with the raw texts in their places."""
        raw: list[str] = []

        def plain(node: Any) -> Any:
            match node:
                case Raw(text):
                    raw.append(text)
                    return f"@@{len(raw) - 1}@@"
                case dict():
                    return {_as_key(plain(k)): plain(v) for k, v in node.items()}
                case list():
                    return [plain(item) for item in node]
                case _:
                    return node

        data = plain(root)
        if self._random.random() < 0.5:
            text = json.dumps(data, ensure_ascii=False, indent=self._random.choice((None, 1)))
        else:
            text = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True)
        return re.sub(r"""(['"]?)@@(\d+)@@\1""", lambda found: raw[int(found[2])], text)

    def _broken_text(self, text: str) -> str:
        """Damage that knows nothing of the structure."""
        dice = self._random
        for _ in range(dice.choice((1, 1, 2, 5))):
            at = dice.randrange(len(text) + 1)
            end = at + dice.choice((1, 1, 5, 50))
            lines = text.splitlines(keepends=True) or [""]
            line = dice.randrange(len(lines))
            match dice.randrange(7):
                case 0:
                    text = text[:at] + text[end:]
                case 1:
                    text = (
                        text[:at]
                        + chr(dice.choice((0, 9, 10, 13, 32, 127, 255, 0x2028)))
                        + text[at:]
                    )
                case 2:
                    text = text[:at] + dice.choice(RAW) + text[at:]
                case 3:
                    text = text[:at] + text[at:end] * 2 + text[end:]
                case 4:
                    indented = " " * dice.choice((1, 2, 4)) + lines[line]
                    lines[line] = dice.choice(
                        (indented, lines[line].lstrip(" "), "\t" + lines[line])
                    )
                    text = "".join(lines)
                case 5:
                    lines.insert(dice.randrange(len(lines)), lines[line])
                    text = "".join(lines)
                case _:
                    text = text[:at]
        return text


def _as_key(key: Any) -> Any:
    return key if isinstance(key, str) else str(key)


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc] # as fast as can be
    """Writes texts of several lines as blocks, and repeats what occurs twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Dumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    ),
)


def document(chunk: int, index: int) -> str:
    """The document with these two numbers."""
    return Damage(chunk, index).text()


def check_findings(findings: tuple[Finding, ...], text: str) -> None:
    """Every finding has a sentence and stands in the file."""
    last = len(re.split("\r\n|[\r\n\x85\u2028\u2029]", text)) + 1
    for finding in findings:
        assert finding.message
        assert 1 <= finding.origin.line <= last
        assert finding.origin.column >= 1


def check_lowered(contract: Contract) -> None:
    """A contract that loads can be lowered and planned, and its checks have good names."""
    rules = lower(contract).rules
    plan(rules)
    names = [rule.name for rule in rules]
    assert [name for name in names if not NAME.match(name)] == []
    assert len({name.lower() for name in names}) == len(names)


def check_document(path: Path, *, strict: bool = False, load: bool = True) -> bool:
    """Read one document; whether it loads. Loading reads it again, as the public functions do."""
    found = inspect([path], strict=strict)
    check_findings(found.findings, path.read_bytes().decode("utf-8", "surrogatepass"))
    try:
        contracts = loaded(path, strict=strict) if load else list(found.contracts)
    except ContractValidationError as error:
        assert set(error.errors) == set(found.errors)  # noqa: PT017 - it is not the one expected
        return False
    if found.errors:
        assert str(ContractValidationError(found.errors))
        return False
    for contract in contracts:
        check_lowered(contract)
    return True


def loaded(path: Path, *, strict: bool) -> list[Contract]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load_file(path, strict=strict)


@pytest.mark.parametrize("name", SEEDS)
def test_the_contracts_before_the_damage_are_sound(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(SEEDS[name], "utf-8")
    found = inspect([path])
    assert [str(error) for error in found.errors] == []
    assert check_document(path)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_damaged_contracts_load_or_are_refused(chunk: int, tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    sound = 0
    broken: list[str] = []
    for index in range(SIZE):
        text = document(chunk, index)
        path.write_text(text, "utf-8", "surrogatepass", newline="")
        try:
            # Both cost as much again, so that not every document gets them.
            sound += check_document(path, strict=index % 25 == 0, load=index % 25 < 2)
        except Exception as error:  # noqa: BLE001 - any exception is what this test looks for
            shown = textwrap.indent(text[:4000], "    ")
            what = f"{type(error).__name__}: {error}"[:300]
            broken.append(f"document({chunk}, {index}): {what}\n{shown}")
    assert not broken, f"{len(broken)} of {SIZE} documents:\n" + "\n".join(broken[:10])
    assert SIZE * LOADED_AT_LEAST < sound < SIZE
