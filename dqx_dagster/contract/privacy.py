"""Which columns of a contract may be shown to people.

A contract that says nothing of a column hides nothing. What it says is inherited: by the columns of
a table that is tagged, by the fields of a struct, and by a struct, list or map from what is in it.

>>> is_private("Public", ["daily"]), is_private("internal"), is_private(None, ["gdpr:PII"])
(False, True, True)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from dqx_dagster.contract.model import Contract, Property

PRIVATE_WORDS: Final = frozenset(
    {
        "confidential",
        "gdpr",
        "hipaa",
        "npi",
        "pci",
        "personal",
        "phi",
        "pii",
        "private",
        "restricted",
        "secret",
        "sensitive",
        "spi",
        "spii",
    }
)
"""A tag with one of these words in it, in any case, makes a column private."""

_PUBLIC: Final = "public"
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def is_private(
    classification: str | None, tags: Iterable[str] = (), encrypted_name: str | None = None
) -> bool:
    """Whether what a contract says of a column forbids to show its values."""
    classified = classification is not None and classification.strip().lower() != _PUBLIC
    words = (word.lower() for tag in tags for word in _WORD.findall(tag))
    return classified or encrypted_name is not None or not PRIVATE_WORDS.isdisjoint(words)


def may_show(contract: Contract, path: tuple[str, ...]) -> bool:
    """Whether the values at a path of columns may be shown; never of a column it does not declare.

    `path` is made of column names, as in the table.
    """
    if is_private(None, contract.tags):
        return False
    properties, found = contract.properties, None
    for part in path:
        found = next((item for item in properties if item.column == part), None)
        if found is None or _is_private(found):
            return False
        properties = found.properties
    return found is not None and not _hides(found)


def _is_private(item: Property) -> bool:
    return is_private(item.classification, item.tags, item.encrypted_name)


def _hides(item: Property) -> bool:
    """Whether something inside a column is private."""
    return item.private_items or any(_is_private(f) or _hides(f) for f in item.properties)
