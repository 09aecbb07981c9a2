"""Random changes to a contract: nodes are replaced, removed, repeated, renamed or moved.

A document is a function of two numbers: `document(chunk, index)` makes it again.
"""

from __future__ import annotations

import copy
import functools
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import yaml

from dqx_dagster.checks.threshold import OPERATORS
from dqx_dagster.checks.vocabulary import CHECKS
from dqx_dagster.contract.document import parse_document
from fuzz.seeds import SEEDS
from fuzz.values import RAW, TEXTS, VALUES


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
