"""Parser events → plain data with positions, within limits.

Strict where YAML 1.1 surprises: dates stay strings, `NO` stays a string, numbers are those of YAML
1.2, a key twice is an error. Built on parser *events* with a stack of its own, because PyYAML's
loaders recurse: deep input crashes the C loader, and aliases expand without end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from dqx_dagster.errors import ContractValidationError, Origin, Report, YamlPath

MAX_DEPTH = 40
MAX_NODES = 50_000
MAX_TEXT = 100_000  # characters of one text
MAX_REPEATED = 5_000  # values that aliases may repeat: an alias bomb is counted at full size
_LINE = 100  # characters that count as one value where an alias repeats them
MAX_DIGITS = 38  # what Spark's widest decimal holds

_PARSER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # only its event parser is used
_TEXT_TAGS = (None, "!", "tag:yaml.org,2002:str")
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True}
_BOOLEANS |= {"false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Offset:
    """Where the first character of a parsed text stands in its file."""

    line: int = 1
    column: int = 1
    fixed: bool = False

    def position(self, mark: Any) -> tuple[int, int]:
        """The line and column, from 1, of a parser's mark."""
        if self.fixed:
            return (self.line, self.column)
        return (self.line + mark.line, self.column + mark.column)


def failure(origin: Origin, message: str) -> ContractValidationError:
    """One error about a file as a whole."""
    report = Report()
    report.error(origin, "yaml", message)
    return ContractValidationError(report.errors)


@dataclass(slots=True)
class _Frame:
    """One open list or mapping while events come in."""

    node: dict[str, Any] | list[Any]
    path: YamlPath
    anchor: str | None
    nodes_before: int
    key: str | None = None
    merges: list[tuple[YamlPath, Any, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Anchored:
    value: Any
    nodes: int


class Composer:
    """Builds plain data from parser events, with limits on depth, size and aliases."""

    def __init__(self, file: str, at: Offset, prefix: YamlPath) -> None:
        self.file, self.at, self.prefix = file, at, prefix
        self.report = Report()
        self.positions: dict[YamlPath, tuple[int, int]] = {}
        self.blocks: dict[YamlPath, tuple[int, int]] = {}  # where a block text begins
        self._lines: list[str] = []
        self._anchors: dict[str, _Anchored] = {}
        self._stack: list[_Frame] = []
        self._nodes = 0
        self._repeated = 0
        self._documents = 0
        self._root: Any = None

    def here(self, path: YamlPath, mark: Any) -> Origin:
        """The origin of something at a parser's mark."""
        line, column = self.at.position(mark) if mark else (self.at.line, self.at.column)
        return Origin(self.file, line, column, (*self.prefix, *path))

    def build(self, text: str) -> Any:
        """The data of a text; problems that leave it readable go to the report."""
        self._lines = text.split("\n")
        try:
            for event in self._events(text):
                self._take(event)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            problem = getattr(error, "problem", None) or getattr(error, "reason", None) or error
            raise failure(self.here((), mark), f"not valid YAML: {problem}") from None
        return self._root

    @staticmethod
    def _events(text: str) -> Iterator[Any]:
        if match := _CONTROL.search(text):
            line = text.count("\n", 0, match.start())
            column = match.start() - text.rfind("\n", 0, match.start()) - 1
            mark = yaml.Mark("", 0, line, column, "", 0)
            what = f"the character U+{ord(match.group()):04X} is not allowed"
            raise yaml.MarkedYAMLError(problem=what, problem_mark=mark)
        return yaml.parse(text, Loader=_PARSER)

    def _take(self, event: Any) -> None:
        match event:
            case yaml.ScalarEvent():
                self._scalar(event)
            case yaml.MappingStartEvent():
                self._open({}, event)
            case yaml.SequenceStartEvent():
                self._open([], event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._close()
            case yaml.AliasEvent():
                self._alias(event)
            case yaml.DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    text = "a second YAML document; a contract file holds one"
                    raise failure(self.here((), event.start_mark), text)
            case _:
                pass

    def _open(self, node: dict[str, Any] | list[Any], event: Any) -> None:
        if len(self._stack) >= MAX_DEPTH:
            text = f"nested more than {MAX_DEPTH} levels deep"
            raise failure(self.here((), event.start_mark), text)
        if event.tag not in (None, "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"):
            self._refuse_tag(event)
        before = self._nodes
        path = self._place(node, event)
        self._stack.append(_Frame(node, path, event.anchor, before))

    def _close(self) -> None:
        frame = self._stack.pop()
        if isinstance(frame.node, dict):
            for path, value, mark in frame.merges:
                self._merge(frame.node, value, path, mark)
        if frame.anchor:
            self._anchors[frame.anchor] = _Anchored(frame.node, self._nodes - frame.nodes_before)

    def _alias(self, event: Any) -> None:
        anchored = self._anchors.get(event.anchor)
        if anchored is None:
            inside = any(frame.anchor == event.anchor for frame in self._stack)
            what = "contains itself" if inside else "has no anchor"
            raise failure(self.here((), event.start_mark), f"the alias *{event.anchor} {what}")
        self._repeated += anchored.nodes
        if self._repeated > MAX_REPEATED:
            text = f"aliases repeat more than {MAX_REPEATED:,} values"
            raise failure(self.here((), event.start_mark), text)
        self._nodes += anchored.nodes - 1
        self._place(anchored.value, event)

    def _scalar(self, event: Any) -> None:
        frame = self._stack[-1] if self._stack else None
        plain = event.tag is None and event.implicit[0]
        if frame is not None and isinstance(frame.node, dict) and frame.key is None:
            self._key(frame, event, plain=plain)
            return
        if event.tag not in _TEXT_TAGS:
            self._refuse_tag(event)
        value = self._resolve(event) if plain else event.value
        self._check_text(event)
        path = self._place(value, event)
        if event.style == "|":
            self.blocks[path] = self._first_content(event)
        if event.anchor:
            weight = 1 + (len(value) // _LINE if isinstance(value, str) else 0)
            self._anchors[event.anchor] = _Anchored(value, weight)

    def _first_content(self, event: Any) -> tuple[int, int]:
        """Where the text below `|` begins: its first line, and the column of its margin."""
        mark, texts = event.start_mark, event.value.split("\n")
        filled = next((i for i, text in enumerate(texts) if text.strip()), 0)
        below = self._lines[mark.line + 1 + filled : mark.line + 2 + filled] or [""]
        margin = max(0, len(below[0].rstrip()) - len(texts[filled].rstrip()))
        return (self.at.position(mark)[0] + 1, self.at.column + margin)

    def _key(self, frame: _Frame, event: Any, *, plain: bool) -> None:
        key = event.value
        path = (*frame.path, key)
        frame.key = key
        self._check_text(event)
        if event.tag not in _TEXT_TAGS:
            self._refuse_tag(event)
        # Almost all keys begin with a letter; only of the others a number could be meant.
        doubtful = plain and (not key[:1].isalpha() or key in _BOOLEANS or key in _NULL)
        if doubtful and not isinstance(self._resolve(event), str):
            text = f"the key {key or 'null'} must be a text; quote it"
            self.report.error(self.here(path, event.start_mark), "yaml", text)
        if key in frame.node:
            first = self.positions[path]
            text = f"the key '{key}' is there twice, first in line {first[0]}"
            self.report.error(self.here(path, event.start_mark), "duplicate-key", text)
        else:
            self.positions[path] = self.at.position(event.start_mark)

    def _place(self, value: Any, event: Any) -> YamlPath:
        """Put `value` where the open frame expects one, and say where that is."""
        self._nodes += 1
        if self._nodes > MAX_NODES:
            text = f"more than {MAX_NODES:,} values"
            raise failure(self.here((), event.start_mark), text)
        if not self._stack:
            self._root = value
            self.positions[()] = self.at.position(event.start_mark)
            return ()
        frame = self._stack[-1]
        if isinstance(frame.node, list):
            path = (*frame.path, len(frame.node))
            frame.node.append(value)
            self.positions[path] = self.at.position(event.start_mark)
            return path
        if frame.key is None:
            text = "a list or mapping cannot be a key"
            raise failure(self.here(frame.path, event.start_mark), text)
        key, frame.key = frame.key, None
        path = (*frame.path, key)
        if key == "<<":
            frame.merges.append((path, value, event.start_mark))
        else:
            frame.node.setdefault(key, value)
        return path

    def _merge(self, node: dict[str, Any], value: Any, path: YamlPath, mark: Any) -> None:
        """Take over the keys of other mappings that this one does not have itself."""
        sources = value if isinstance(value, list) else [value]
        if not all(isinstance(source, dict) for source in sources):
            text = "'<<' merges mappings; here it has something else"
            self.report.error(self.here(path, mark), "yaml", text)
            return
        for source in sources:
            for key, inherited in source.items():
                node.setdefault(key, inherited)

    def _resolve(self, event: Any) -> Any:
        """What an unquoted scalar means: null, boolean, number or text, as in YAML 1.2."""
        text: str = event.value
        if text in _NULL:
            return None
        if text in _BOOLEANS:
            return _BOOLEANS[text]
        if _INTEGER.match(text):
            if len(text.lstrip("+-")) > MAX_DIGITS:
                self._refuse_number(event, f"has more than {MAX_DIGITS} digits")
                return 0
            return int(text)
        if _FLOAT.match(text):
            number = float(text)
            if number in (float("inf"), float("-inf")):
                self._refuse_number(event, "is too large for a number")
                return 0
            return number
        if _NOT_FINITE.match(text):
            self._refuse_number(event, "is not a finite number; quote it if it is a text")
            return 0
        return text

    def _refuse_number(self, event: Any, why: str) -> None:
        shown = event.value if len(event.value) <= 20 else f"{event.value[:20]}…"
        origin = self.here(self._path(), event.start_mark)
        self.report.error(origin, "number", f"{shown} {why}")

    def _refuse_tag(self, event: Any) -> None:
        origin = self.here(self._path(), event.start_mark)
        self.report.error(origin, "yaml", f"the tag {event.tag} is not allowed in a contract")

    def _path(self) -> YamlPath:
        """The path of the value that comes next."""
        if not self._stack:
            return ()
        frame = self._stack[-1]
        step = len(frame.node) if isinstance(frame.node, list) else frame.key
        return frame.path if step is None else (*frame.path, step)

    def _check_text(self, event: Any) -> None:
        if len(event.value) > MAX_TEXT:
            text = f"a text of more than {MAX_TEXT:,} characters"
            raise failure(self.here(self._path(), event.start_mark), text)
        if match := _CONTROL.search(event.value):
            origin = self.here(self._path(), event.start_mark)
            what = f"the character U+{ord(match.group()):04X} is not allowed"
            self.report.error(origin, "yaml", what)
