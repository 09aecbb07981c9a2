r"""YAML text → `Document`: plain data, and the line and column of everything in it.

>>> document = parse_document("kind: DataContract\nschema:\n- name: orders\n", "orders.yaml")
>>> document.root
{'kind': 'DataContract', 'schema': [{'name': 'orders'}]}
>>> str(document.origin("schema", 0, "name"))
'orders.yaml:3:3'
"""

from __future__ import annotations

import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dqx_dagster.contract.composer import Composer, Offset, failure
from dqx_dagster.errors import ContractValidationError, Origin, YamlPath

MAX_BYTES = 2_000_000


@dataclass(frozen=True, slots=True)
class Document:
    """The data of one YAML file, with the place of every key and list item."""

    file: str
    root: dict[str, Any]
    positions: Mapping[YamlPath, tuple[int, int]] = field(repr=False)
    blocks: Mapping[YamlPath, tuple[int, int]] = field(repr=False)
    prefix: YamlPath = ()

    def origin(self, *path: str | int) -> Origin:
        """The place of `path`, or of its nearest ancestor that the file spells out."""
        for length in range(len(path), -1, -1):
            if position := self.positions.get(path[:length]):
                return Origin(self.file, *position, (*self.prefix, *path))
        return Origin(self.file, 1, 1, (*self.prefix, *path))

    def embedded(self, *path: str | int) -> Document:
        """Parse the YAML that stands inside the string at `path`; lines are those of this file."""
        text: str = self.root_at(path)
        if block := self.blocks.get(path):
            at = Offset(*block)
        else:  # on one line with its key, or folded: all of it is where the key is
            origin = self.origin(*path)
            at = Offset(origin.line, origin.column, fixed=True)
        return _parse(text, self.file, at, (*self.prefix, *path))

    def root_at(self, path: YamlPath) -> Any:
        """The value at `path`."""
        value: Any = self.root
        for part in path:
            value = value[part]
        return value


def load_document(path: Path, name: str | None = None) -> Document:
    """Read and parse one file; `name` is what findings call it."""
    file = name or path.name
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise failure(Origin(file), "not a regular file")
        if status.st_size > MAX_BYTES:
            text = f"the file has {status.st_size:,} bytes; at most {MAX_BYTES:,} are read"
            raise failure(Origin(file), text)
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise failure(Origin(file), f"cannot read the file: {reason}") from None
    try:
        return parse_document(data.decode("utf-8-sig"), file)
    except UnicodeDecodeError as error:
        raise failure(Origin(file), f"not UTF-8 at byte {error.start}") from None


def parse_document(text: str, file: str) -> Document:
    """Parse the text of a contract file."""
    return _parse(text, file, Offset(), ())


def _parse(text: str, file: str, at: Offset, prefix: YamlPath) -> Document:
    composer = Composer(file, at, prefix)
    root = composer.build(text)
    if composer.report.errors:
        raise ContractValidationError(composer.report.errors)
    if not isinstance(root, dict):
        what = "the file is empty" if root is None else f"found {_kind(root)}"
        raise failure(composer.here((), None), f"a contract must be a YAML mapping; {what}")
    return Document(file, root, composer.positions, composer.blocks, prefix)


def _kind(value: object) -> str:
    return "a list" if isinstance(value, list) else f"the value {value!r}"
