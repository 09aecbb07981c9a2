"""Regular expressions that are hard to read: the scanner goes over them once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from contract.hostile.contracts import options
from contract.hostile.outcome import LOADS, REFUSED, SECONDS, outcome, posix, written
from dqx_dagster.checks.regex import java_error
from dqx_dagster.contract.composer import MAX_TEXT

pytestmark = posix

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
