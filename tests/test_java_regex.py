"""The scanner of regular expressions against `java.util.regex` itself."""

from __future__ import annotations

import json
import random
import subprocess
import sys

from dqx_dagster.checks.formats import FORMATS, STRING_FORMATS
from dqx_dagster.checks.regex import java_error

ASK_JAVA = """
import json, sys
from pyspark.java_gateway import launch_gateway
gateway = launch_gateway()
compile = gateway.jvm.java.util.regex.Pattern.compile
def accepts(pattern):
    try:
        compile(pattern)
    except Exception:
        return False
    return True
print(json.dumps([accepts(pattern) for pattern in json.load(sys.stdin)]))
gateway.shutdown()
"""

LINE = (
    r"a b Z 0 [ ] ( ) { } {2} {2,} {,2} {3,1} * + ? | ^ $ . - \ \d \w \p{L} \pL \y \x41 \x{41}"
    r" \1 \Q \E \z \b (?: (?= (?! (?<= (?<! (?<n> (?P<n> (?i) (?i: (?#c) (?> [^ [a-z] [z-a]"
    r" [[:alpha:]] && [a&&[^b]] \. -z , é"
)
TOKENS = LINE.split(" ")

REFUSED = [
    "[a-z",
    "(?P<year>[0-9]{4})",
    "a{,2}",
    "(?#comment)a",
    "*a",
    "a**",
    "(a",
    "a)",
    "[z-a]",
    "a{3,1}",
    "a\\",
    r"\y",
    "{",
    "a|*",
    r"\E",
]


def java_accepts(patterns: list[str]) -> list[bool]:
    done = subprocess.run(
        [sys.executable, "-c", ASK_JAVA],
        input=json.dumps(patterns),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    accepted: list[bool] = json.loads(done.stdout)
    return accepted


def test_what_the_scanner_refuses_java_refuses_too() -> None:
    """No false alarm in thousands of random patterns; what is known to be wrong is found."""
    rng = random.Random(20261118)
    made = ["".join(rng.choices(TOKENS, k=rng.randint(1, 7))) for _ in range(4000)]
    ours = list(FORMATS.values()) + list(STRING_FORMATS.values())
    patterns = made + REFUSED + ours
    verdicts = dict(zip(patterns, java_accepts(patterns), strict=True))

    assert [p for p in patterns if verdicts[p] and java_error(p)] == []
    assert [p for p in REFUSED if verdicts[p] or not java_error(p)] == []
    assert [p for p in ours if not verdicts[p]] == []
    refused = [p for p in made if not verdicts[p]]
    assert sum(java_error(p) is not None for p in refused) > 0.9 * len(refused)
