"""A cursor over a document: typed access that never fails, and the place of everything it reads.

Readers run also over documents whose structure is wrong, so that all errors come at once. A value
of another type than asked for is therefore simply absent here; the structure check reports it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dqx_dagster.contract.document import Document
from dqx_dagster.contract.model import Argument
from dqx_dagster.errors import Origin, YamlPath


@dataclass(frozen=True, slots=True)
class Node:
    """A mapping inside a document."""

    document: Document
    path: YamlPath
    data: Mapping[str, Any]

    @classmethod
    def root(cls, document: Document) -> Node:
        """The document's own mapping."""
        return cls(document, (), document.root)

    def origin(self, *below: str | int) -> Origin:
        """Where this node, or something below it, stands."""
        return self.document.origin(*self.path, *below)

    def text(self, key: str) -> str | None:
        """A text that is not empty."""
        value = self.data.get(key)
        return value if isinstance(value, str) and value.strip() else None

    def flag(self, key: str) -> bool:
        """A boolean; false unless it is there and true."""
        return self.data.get(key) is True

    def whole(self, key: str) -> int | None:
        """A whole number."""
        value = self.data.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def texts(self, key: str) -> tuple[str, ...]:
        """The texts in a list."""
        value = self.data.get(key)
        items = value if isinstance(value, list) else []
        return tuple(item for item in items if isinstance(item, str))

    def node(self, key: str) -> Node | None:
        """A mapping below a key."""
        value = self.data.get(key)
        return Node(self.document, (*self.path, key), value) if isinstance(value, dict) else None

    def nodes(self, key: str) -> Iterator[Node]:
        """The mappings in a list."""
        value = self.data.get(key)
        for index, item in enumerate(value if isinstance(value, list) else ()):
            if isinstance(item, dict):
                yield Node(self.document, (*self.path, key, index), item)

    def argument(self, key: str) -> Argument:
        """The value of a key, whatever it is, with its place."""
        block = self.document.blocks.get((*self.path, key))
        return Argument(self.data[key], self.origin(key), block)

    def arguments(self) -> dict[str, Argument]:
        """All keys of this mapping."""
        return {key: self.argument(key) for key in self.data}

    def custom_property(self, name: str) -> Argument | None:
        """One of ODCS `customProperties`, with its place."""
        named = (n for n in self.nodes("customProperties") if n.text("property") == name)
        return next((n.argument("value") for n in named if "value" in n.data), None)

    def custom_properties(self) -> dict[str, Any]:
        """ODCS `customProperties` as a mapping."""
        items = self.nodes("customProperties")
        return {name: n.data.get("value") for n in items if (name := n.text("property"))}
