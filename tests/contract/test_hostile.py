"""Files that are broken, absurd or malicious: each loads or is refused, soon and with a reason.

What could kill or block the process runs in a child with limits on time and memory: a crash of the
parser, a hang or a memory bomb is then one failed test.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from dqx_dagster import Contract, ContractValidationError, load_contracts, lower, plan
from dqx_dagster.checks.regex import java_error
from dqx_dagster.contract.composer import MAX_DEPTH, MAX_TEXT
from dqx_dagster.contract.document import MAX_BYTES
from dqx_dagster.loading import inspect, load_file

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and limits are POSIX")

SECONDS = 20  # of processor time: guards against a hang; what is fast, the benchmarks measure
KILLED_AFTER = 60
REFUSED, LOADS = "refused", "loads"

HEADER = """\
apiVersion: v3.2.0
kind: DataContract
id: a
version: 1.0.0
status: active
"""
NATIVE = "name: n\nversion: '1'\ndescription: d\nowner: o\ndataset: s.t\n"


def odcs(body: str) -> str:
    """A contract with one table; `body` is indented by two."""
    return f"{HEADER}schema:\n- name: t\n{body}"


def rule(body: str) -> str:
    """A contract whose one column has one quality rule."""
    return odcs(f"  properties:\n  - name: a\n    quality:\n    - {body}\n")


def options(type_: str, body: str) -> str:
    """A contract whose one column has these `logicalTypeOptions`."""
    column = f"{{name: a, logicalType: {type_}, logicalTypeOptions: {body}}}"
    return odcs(f"  properties:\n  - {column}\n")


def lines(count: int, line: str) -> str:
    """The line `count` times, with its number in the place of `%`."""
    return "".join(line.replace("%", str(number)) for number in range(count))


def columns(count: int, rest: str = "") -> str:
    """The `properties:` of a table, for the body of `odcs`."""
    return "  properties:\n" + lines(count, f"  - {{name: column_%{rest}}}\n")


def rules(count: int, body: str) -> str:
    """The `quality:` of a table, for the body of `odcs`."""
    return "  quality:\n" + lines(count, f"  - {{{body}}}\n")


def levels(count: int, body: str) -> str:
    """A contract with service levels."""
    return f"{odcs(columns(1))}slaProperties:\n" + lines(count, f"- {{{body}}}\n")


def dqx(implementation: str) -> str:
    return f"type: custom, engine: dqx, implementation: {{{implementation}}}"


def loaded(path: Path) -> list[Contract]:
    """Load, lower and plan what is there, without regard to warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        contracts = load_contracts(path) if path.is_dir() else load_file(path)
    for contract in contracts:
        plan(lower(contract).rules)
    return contracts


def outcome(path: Path) -> str:
    """Whether a file or directory loads; anything but a refusal is raised."""
    try:
        loaded(path)
    except ContractValidationError:
        return REFUSED
    return LOADS


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "x.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return path


# Small files

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


# Regular expressions

PATTERNS = {
    "open groups": "(" * 100_000,
    "open classes": "[" * 100_000,
    "nested groups": "(" * 50_000 + ")" * 50_000,
    "nested classes": "[a" * 50_000 + "]" * 50_000,
    "nested negated classes": "[^[" * 30_000 + "a" + "]" * 60_000,
    "intersections": "[a&&" * 25_000 + "b" + "]" * 25_000,
    "closed groups": ")" * 100_000,
    "closed classes": "]" * 100_000,
    "backslashes": "\\" * 99_999,
    "quotations": r"\Q" * 50_000,
    "quotations in classes": r"[\Q" * 30_000,
    "empty quotations": r"\Q\E" * 25_000,
    "lookaheads": "(?=" * 30_000,
    "lookbehinds": "(?<=" * 25_000 + ")" * 25_000,
    "flags": f"(?{'i' * 100_000})",
    "flags without end": "(?i" * 30_000,
    "a long name": f"(?<{'a' * 100_000}>x)",
    "names without end": "(?<a" * 25_000,
    "alternatives": "|" * 100_000,
    "stars": "a*" * 50_000,
    "stars on stars": "*" * 100_000,
    "repeated groups": "(a*)*" * 20_000,
    "a repetition with many digits": f"a{{{'9' * 100_000}}}",
    "a repetition with two long bounds": f"a{{{'1' * 5_000},{'2' * 5_000}}}",
    "repetitions": "a{1,2}" * 16_000,
    "braces": "{" * 100_000,
    "a repetition without end": f"a{{{'1' * 100_000}",
    "ranges": "[" + "a-z" * 33_000 + "]",
    "properties": r"\p{L}" * 20_000,
    "properties without end": r"\p{" * 33_000,
    "hex escapes": r"\x{10FFFF}" * 10_000,
    "unicode escapes": r"\u0041" * 16_000,
    "control escapes": r"\c" * 50_000,
    "back references": r"(a)" + r"\1" * 50_000,
    "named back references": r"\k<" * 33_000,
    "dots": "." * 1_000_000,
    "dollars": "$^" * 50_000,
    "other digits": "a{٣,٤}" * 16_000,
}


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_is_scanned_without_recursion_and_in_one_pass(name: str) -> None:
    start = time.process_time()
    problem = java_error(PATTERNS[name])
    assert problem is None or len(problem) < 200
    assert time.process_time() - start < SECONDS


@pytest.mark.parametrize(
    "name", ["open classes", "nested classes", "a repetition with many digits"]
)
def test_a_hostile_pattern_in_a_contract(name: str, tmp_path: Path) -> None:
    pattern = PATTERNS[name][: MAX_TEXT - 10]
    text = options("string", f"{{pattern: '{pattern}'}}")
    expected = LOADS if java_error(pattern) is None else REFUSED
    assert outcome(written(tmp_path, text)) == expected


# Files and directories


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = written(tmp_path, odcs(""))
    os.truncate(path, 100_000_000)
    with pytest.raises(ContractValidationError, match=r"100,000,000 bytes; at most 2,000,000"):
        load_file(path)


def test_the_limit_on_size_is_exact(tmp_path: Path) -> None:
    text = odcs("").encode()
    filled = text + b"#" * (MAX_BYTES - len(text))
    assert outcome(written(tmp_path, filled)) == LOADS
    assert outcome(written(tmp_path, filled + b"#")) == REFUSED


@pytest.mark.parametrize("whole_directory", [True, False])
def test_a_pipe_is_not_opened(tmp_path: Path, whole_directory: bool) -> None:
    path = tmp_path / "x.yaml"
    os.mkfifo(path)
    with pytest.raises(ContractValidationError, match="not a regular file"):
        loaded(tmp_path if whole_directory else path)


def test_a_device_is_not_read() -> None:
    with pytest.raises(ContractValidationError, match="not a regular file"):
        load_file(Path(os.devnull))


def test_a_directory_with_the_name_of_a_contract_is_a_directory(tmp_path: Path) -> None:
    folder = tmp_path / "x.yaml"
    folder.mkdir()
    with pytest.raises(ContractValidationError, match="holds no contract"):
        load_contracts(tmp_path)
    (folder / "orders.yaml").write_text(odcs(""))
    assert [c.dataset for c in load_contracts(tmp_path)] == ["t"]


def test_a_directory_without_contracts_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "readme.txt").write_text("none")
    with pytest.raises(ContractValidationError, match="holds no contract"):
        load_contracts(tmp_path)


@pytest.mark.parametrize("name", ["none.yaml", "a" * 300 + ".yaml", "a\0b.yaml", "x/../none"])
def test_a_path_that_leads_nowhere_is_an_error(name: str, tmp_path: Path) -> None:
    assert outcome_of_path(tmp_path / name) == REFUSED


def outcome_of_path(path: Path) -> str:
    """The same as `outcome`, for a path that cannot even be looked at."""
    try:
        load_file(path)
    except ContractValidationError:
        return REFUSED
    return LOADS


class TestLinks:
    @pytest.fixture
    def inside(self, tmp_path: Path) -> Path:
        folder = tmp_path / "inside"
        folder.mkdir()
        return folder

    @pytest.fixture
    def outside(self, tmp_path: Path) -> Path:
        folder = tmp_path / "outside"
        folder.mkdir()
        (folder / "secret.yaml").write_text(odcs(""))
        return folder

    def test_a_link_to_a_file_outside_is_refused(self, inside: Path, outside: Path) -> None:
        (inside / "x.yaml").symlink_to(outside / "secret.yaml")
        with pytest.raises(ContractValidationError, match="leads out of the directory"):
            load_contracts(inside)

    def test_a_relative_link_to_a_file_outside_is_refused(
        self, inside: Path, outside: Path
    ) -> None:
        (inside / "x.yaml").symlink_to("../outside/secret.yaml")
        with pytest.raises(ContractValidationError, match="leads out of the directory"):
            load_contracts(inside)

    def test_a_folder_whose_name_begins_alike_is_outside(self, tmp_path: Path) -> None:
        folder, other = tmp_path / "a", tmp_path / "ab"
        folder.mkdir()
        other.mkdir()
        (other / "x.yaml").write_text(odcs(""))
        (folder / "x.yaml").symlink_to(other / "x.yaml")
        with pytest.raises(ContractValidationError, match="leads out of the directory"):
            load_contracts(folder)

    def test_a_link_to_a_directory_outside_is_refused(self, inside: Path, outside: Path) -> None:
        (inside / "ours.yaml").write_text(odcs(""))
        (inside / "folder").symlink_to(outside)
        with pytest.raises(ContractValidationError, match="leads out of the directory"):
            load_contracts(inside)

    def test_a_link_that_leads_to_itself_is_refused(self, inside: Path) -> None:
        (inside / "x.yaml").symlink_to("x.yaml")
        assert outcome(inside) == REFUSED
        assert outcome_of_path(inside / "x.yaml") == REFUSED

    def test_a_ring_of_links_is_refused(self, inside: Path) -> None:
        (inside / "x.yaml").symlink_to("y.yaml")
        (inside / "y.yaml").symlink_to("x.yaml")
        assert outcome(inside) == REFUSED

    def test_a_link_to_nothing_is_refused(self, inside: Path) -> None:
        (inside / "x.yaml").symlink_to("none.yaml")
        assert outcome(inside) == REFUSED

    def test_a_directory_inside_itself_is_read_once(self, inside: Path) -> None:
        (inside / "x.yaml").write_text(odcs(""))
        (inside / "again").symlink_to(inside)
        assert len(loaded(inside)) == 1

    def test_a_file_that_is_reached_twice_is_read_once(self, inside: Path) -> None:
        """As in a mounted ConfigMap: links beside the folder that holds the files."""
        (inside / "..v1").mkdir()
        (inside / "..v1" / "x.yaml").write_text(odcs(""))
        (inside / "..data").symlink_to("..v1")
        (inside / "x.yaml").symlink_to("..data/x.yaml")
        assert len(loaded(inside)) == 1

    def test_the_directory_itself_may_be_a_link(self, inside: Path, tmp_path: Path) -> None:
        (inside / "x.yaml").write_text(odcs(""))
        (tmp_path / "link").symlink_to(inside)
        assert len(loaded(tmp_path / "link")) == 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
class TestPermissions:
    def test_a_file_that_may_not_be_read_is_an_error(self, tmp_path: Path) -> None:
        written(tmp_path, odcs("")).chmod(0)
        assert outcome(tmp_path) == REFUSED

    def test_a_directory_that_may_not_be_listed_is_an_error(self, tmp_path: Path) -> None:
        written(tmp_path, odcs(""))
        closed = tmp_path / "closed"
        closed.mkdir(mode=0)
        try:
            assert outcome(tmp_path) == REFUSED
            assert outcome_of_path(closed / "x.yaml") == REFUSED
        finally:
            closed.chmod(0o700)


# Names of checks


def test_a_rule_cannot_take_the_name_that_tells_two_others_apart(tmp_path: Path) -> None:
    twice = rules(2, "name: a, metric: rowCount, mustBe: %")
    [contract] = loaded(written(tmp_path, odcs(twice)))
    taken = lower(contract).rules[0].name
    third = f"  - {{name: {taken}, metric: rowCount, mustBe: 7}}\n"
    [contract] = loaded(written(tmp_path, odcs(f"{twice}{third}")))
    names = [rule.name for rule in lower(contract).rules]
    assert len(set(names)) == 3


# Large files: in a child

WORKER = """
import resource, sys, time, warnings
from pathlib import Path
from dqx_dagster import ContractValidationError, lower, plan
from dqx_dagster.loading import load_file

warnings.simplefilter("ignore")
seconds, memory = int(sys.argv[1]), 2 * 2**30
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
for name in sys.argv[2:]:
    start = time.process_time()
    until = int(start) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (until, resource.RLIM_INFINITY))
    outcome = "loads"
    try:
        for contract in load_file(Path(name)):
            plan(lower(contract).rules)
    except ContractValidationError as error:
        outcome = "refused"
        assert str(error)
    print(outcome, time.process_time() - start, flush=True)
"""


def in_a_child(*paths: Path) -> list[tuple[str, float]]:
    """Outcome and seconds of each file; a crash, another exception or a hang fails the test."""
    command = [sys.executable, "-c", WORKER, str(KILLED_AFTER), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = [line.split() for line in done.stdout.splitlines()]
    assert done.returncode != -signal.SIGXCPU, f"after {said}: no end in {KILLED_AFTER} seconds"
    assert done.returncode == 0, f"after {said}: code {done.returncode}\n{done.stderr[-3000:]}"
    return [(outcome, float(seconds)) for outcome, seconds in said]


def embedded(text: str) -> str:
    """The text as the YAML inside an `implementation`."""
    return rule(f"type: custom\n      engine: dqx\n      implementation: |\n        {text}")


def laughs(first: str, repeat: Callable[[str], str], levels: int = 9) -> str:
    """Anchors of which each repeats the one before ten times."""
    text = f"x0: &x0 {first}\n"
    for level in range(1, levels + 1):
        text += f"x{level}: &x{level} {repeat(f'*x{level - 1}')}\n"
    return text


DEEP = 50_000
NESTED = {
    "flow lists": "[" * DEEP,
    "flow lists, closed": "[" * DEEP + "]" * DEEP,
    "flow mappings": "{a: " * DEEP,
    "flow mappings, closed": "{a: " * DEEP + "b" + "}" * DEEP,
    "flow keys": "{" * DEEP,
    "mixed": "[{a: " * DEEP + "b" + "}]" * DEEP,
    "block lists": "- " * DEEP + "a",
    "block keys": "? " * DEEP + "a",
    "block mixed": "- ? " * DEEP + "a",
    "block mappings": "".join(f"{' ' * depth}a:\n" for depth in range(1_900)),
    "block lists in mappings": "".join(f"{' ' * depth}- a:\n" for depth in range(1_900)),
    "lists inside a property": odcs(f"  properties: {'[' * DEEP}{']' * DEEP}\n"),
    "properties inside properties": odcs(
        f"  properties: {'[{name: a, properties: ' * 20_000}[]{'}]' * 20_000}\n"
    ),
    "items inside items": odcs(
        f"  properties: [{{name: a, items: {'{items: ' * DEEP}1{'}' * DEEP}}}]\n"
    ),
    "types inside types": f"{NATIVE}columns: [{{name: a, description: d, type: "
    f"{'{kind: list, value_type: ' * DEEP}int{'}' * DEEP}}}]\n",
    "flow lists inside an implementation": embedded("[" * DEEP + "]" * DEEP),
    "flow mappings inside an implementation": embedded("{a: " * DEEP + "b" + "}" * DEEP),
    "block lists inside an implementation": embedded("- " * DEEP + "a"),
    "anchors": laughs("[a]", lambda x: f"[{x}]", levels=5_000),
}
BOMBS = {
    "lists": laughs("[a, a]", lambda x: f"[{', '.join([x] * 10)}]"),
    "mappings": laughs("{a: b}", lambda x: f"{{{', '.join(f'k{i}: {x}' for i in range(10))}}}"),
    "merges": laughs("{a: b}", lambda x: f"{{<<: [{', '.join([x] * 10)}], k: {x}}}"),
    "keys that merge": laughs("{a: b}", lambda x: f"{{<<: {x}, k0: {x}, k1: {x}, k2: {x}}}"),
    "texts": laughs("lol", lambda x: f"[{', '.join([x] * 10)}]"),
    "properties": HEADER
    + laughs("[{name: a}]", lambda x: f"[{', '.join([x] * 10)}]")
    + "schema: [{name: t, properties: [*x9, *x9, *x9]}]\n",
    "properties inside properties": HEADER
    + laughs(
        "{name: a}", lambda x: f"{{name: a, logicalType: object, properties: [{x}, {x}, {x}, {x}]}}"
    )
    + "schema: [{name: t, properties: [*x9]}]\n",
    "rules": HEADER
    + "x: &r {metric: nullValues, mustBe: 0}\n"
    + f"y: &rs [{', '.join(['*r'] * 2_000)}]\n"
    + f"schema: [{{name: t, properties: [{', '.join(['{name: a, quality: *rs}'] * 50)}]}}]\n",
    "inside an implementation": embedded(
        laughs("[a, a]", lambda x: f"[{', '.join([x] * 10)}]").replace("\n", "\n        ")
    ),
    "a list in itself": "a: &a [*a]\n",
    "a mapping in itself": "a: &a {b: *a}\n",
    "a merge of itself": "a: &a {<<: *a}\n",
    "two lists in each other": "a: &a [&b [*a, *b]]\n",
}
WALLS = {  # what stands before a text that fills the file, the text, and what stands behind it
    "items": ("", "- {name: a}\n", ""),
    "properties": (odcs("  properties:\n"), "  - {name: a}\n", ""),
    "a plain text": ("a: ", "b", ""),
    "a plain text of many lines": ("a: ", "b\n ", ""),
    "a block of many lines": ("a: |\n", "  b\n", ""),
    "an integer": ("a: ", "1", ""),
    "a fraction": ("a: 1.", "1", ""),
    "an exponent": ("a: 1e", "1", ""),
    "a key": ("", "k", ": a"),
    "an anchor": ("a: &", "k", " b"),
    "a tag": ("a: !", "k", " b"),
    "an open quote": ('a: "', "b", ""),
    "escapes": ('a: "', "\\x41", '"'),
    **{
        f"only {text!r}": ("", text, "")
        for text in (
            *("[", "{", "]", "}", "- ", "? ", ": ", "a: ", "&a ", "*a ", "!", "!!", "%", "|", ">"),
            *("'", '"', "\\", "#", "#\n", "\n", "\r", " ", "---\n", "...\n", "<<: ", "[a, "),
            *("a,", "{a, ", "\u2028", "\ufeff", "é", "😀"),
        )
    },
}


def wall(before: str, text: str, after: str) -> str:
    room = MAX_BYTES - len(before.encode()) - len(after.encode())
    return before + text * (room // len(text.encode())) + after


def test_deep_nesting_is_refused_without_a_crash(tmp_path: Path) -> None:
    _refused_in_a_child(NESTED, tmp_path)


def test_alias_bombs_are_refused_without_being_built(tmp_path: Path) -> None:
    _refused_in_a_child(BOMBS, tmp_path)


@pytest.mark.parametrize("part", range(4))
def test_walls_of_one_character_are_refused(part: int, tmp_path: Path) -> None:
    names = list(WALLS)[part::4]
    _refused_in_a_child({name: wall(*WALLS[name]) for name in names}, tmp_path)


def _refused_in_a_child(texts: dict[str, str], folder: Path) -> None:
    paths = [folder / f"{number}.yaml" for number in range(len(texts))]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text, "utf-8", newline="")
    done = dict(zip(texts, in_a_child(*paths), strict=True))
    assert {name for name, (outcome, _) in done.items() if outcome != REFUSED} == set()
    assert {name for name, (_, seconds) in done.items() if seconds > SECONDS} == set()


def test_the_deepest_contract_that_is_read(tmp_path: Path) -> None:
    """The structure check recurses; the limit on depth must keep it far from Python's own."""

    def items(levels: int) -> str:
        inner = "{logicalType: array, items: " * levels + "{logicalType: string}" + "}" * levels
        return odcs(f"  properties:\n  - name: a\n    logicalType: array\n    items: {inner}\n")

    deepest = MAX_DEPTH - 5  # the document, schema, table, properties, column
    assert outcome(written(tmp_path, items(deepest - 1))) == LOADS
    assert outcome(written(tmp_path, items(deepest))) == REFUSED

    def far_down(frames: int) -> str:
        return far_down(frames - 1) if frames else outcome(written(tmp_path, items(deepest - 1)))

    assert far_down(300) == LOADS


# Files whose size is in the number of things. `None` leaves open whether they load.

KEYS = lines(20_000, "k%: 1, ")
ACCENTS = "\u0327\u0301"  # a cedilla and an acute: they sort in this order
MANY: dict[str, tuple[str | None, Callable[[], str]]] = {
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


@pytest.mark.parametrize("name", MANY)
def test_a_file_with_very_many_things(name: str, tmp_path: Path) -> None:
    expected, text = MANY[name]
    path = written(tmp_path, text())
    assert path.stat().st_size <= MAX_BYTES
    [(found, seconds)] = in_a_child(path)
    assert found == (expected or found)
    assert seconds < SECONDS
