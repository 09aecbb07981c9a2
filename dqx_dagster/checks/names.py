"""Stable, readable names for checks, valid in Dagster.

A name starts with the column. It comes from the rule's id, else its name, else what it measures.
Two rules that would get one name are told apart by a digest of what they say, never by their
position: moving a rule inside the file does not rename its check.

>>> check_name("status", "status_valid_values")
'status__valid_values'
>>> check_name("order_id", "Order ID is unique"), check_name(None, "rowCount")
('order_id__is_unique', 'row_count')
"""

from __future__ import annotations

import functools
import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

MAX_LENGTH = 64
_DIGEST = 8


@functools.lru_cache(maxsize=4096)
def slug(text: str) -> str:
    """Lower-case words of ASCII letters and digits, joined by underscores."""
    # The start is enough, and taking apart many accents on one letter takes very long.
    plain = unicodedata.normalize("NFKD", text[: 4 * MAX_LENGTH]).encode("ascii", "ignore").decode()
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})", "_", plain)
    return re.sub(r"[^a-z0-9]+", "_", parted.lower()).strip("_")


def check_name(column: str | None, text: str) -> str:
    """The name for a rule, before collisions are settled."""
    head, tail = slug(column or ""), slug(text)
    if head and tail.startswith(f"{head}_"):
        tail = tail[len(head) + 1 :]
    name = "__".join(part for part in (head, tail) if part) or "rule"
    written = f"{column or ''}{text}"
    lossless = written.isascii() or all(c.isascii() for c in written if c.isalnum())
    if lossless and len(name) <= MAX_LENGTH and len(written) <= 4 * MAX_LENGTH:
        return name
    return with_digest(name, f"{column}\0{text}")


def with_digest(name: str, identity: str) -> str:
    """The name, cut where needed, with a digest of what it stands for."""
    digest = hashlib.sha256(identity.encode()).hexdigest()[:_DIGEST]
    return f"{name[: MAX_LENGTH - _DIGEST - 1].rstrip('_')}_{digest}"


def prefixed(prefix: str, name: str) -> str:
    """The name with something before it, cut with a digest where that gets too long."""
    long = f"{prefix}{name}"
    return long if len(long) <= MAX_LENGTH else with_digest(long, long)


def settle(names: Sequence[str], said: Sequence[object]) -> list[str]:
    """Give every member of a collision a digest of what it says; names alone keep theirs.

    A name that another rule's digest has taken counts as a collision too.
    """
    settled = list(names)
    tries = 0
    while len(set(settled)) < len(settled):
        count = Counter(settled)
        for index, name in enumerate(settled):
            if count[name] > 1:
                settled[index] = with_digest(names[index], repr(said[index]) + "+" * tries)
        tries += 1
    return settled
