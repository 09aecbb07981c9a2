"""Contracts with random damage: whatever a file holds, it loads or it is refused.

Each document is a valid contract with some of its nodes replaced, removed, repeated, renamed or
moved, or with damage to its text. It is a function of two numbers, which a failure names together
with the text: `document(chunk, index)` makes it again.
"""

from __future__ import annotations

import re
import textwrap
import warnings
from pathlib import Path

import pytest
from oracle.effort import EFFORT

from dqx_dagster import Contract, ContractValidationError, Finding, lower, plan
from dqx_dagster.loading import inspect, load_file
from fuzz.damage import document
from fuzz.seeds import SEEDS

CHUNKS, SIZE = 8 * EFFORT, 500
LOADED_AT_LEAST = 0.05  # of a chunk: the damage must leave contracts to lower
NAME = re.compile(r"[A-Za-z0-9_]{1,64}\Z")


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
