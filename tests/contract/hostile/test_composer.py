"""Texts that are made to kill a parser: deep nesting, alias bombs, walls of one character."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from contract.hostile.contracts import HEADER, NATIVE, embedded, odcs
from contract.hostile.outcome import LOADS, REFUSED, SECONDS, in_a_child, outcome, posix, written
from dqx_dagster.contract.composer import MAX_DEPTH
from dqx_dagster.contract.document import MAX_BYTES

pytestmark = posix


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
