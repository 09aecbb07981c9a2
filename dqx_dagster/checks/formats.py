r"""Named patterns, in Java's regular expressions.

Anchored with `\A` and `\z`: Java's `$` also matches before a line break at the end, so that
"2026-01-01\r" would pass as a date.
"""

from __future__ import annotations

from typing import Final

_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_HEX = r"[0-9a-fA-F]"

FORMATS: Final = {
    "email": r"\A[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}\z",
    "phone": r"\A\+?[1-9][0-9]{1,14}\z",
    "uuid": rf"\A{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}\z",
    "url": r"\Ahttps?://[^\s/$.?#]\S+\z",
    "ipv4": r"\A(?:[0-9]{1,3}\.){3}[0-9]{1,3}\z",
    "ipv6": rf"\A(?:{_HEX}{{1,4}}:){{7}}{_HEX}{{1,4}}\z",
    "date": r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}\z",
    "datetime": r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}",
}
"""The formats of the native `pattern` check."""

STRING_FORMATS: Final = {
    "email": FORMATS["email"],
    "uuid": FORMATS["uuid"],
    "uri": r"\A[a-zA-Z][a-zA-Z0-9+.-]*:[^\s]*\z",
    "hostname": r"\A(?=.{1,253}\z)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
    r"(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*\z",
    "ipv4": rf"\A(?:{_OCTET}\.){{3}}{_OCTET}\z",
    "ipv6": r"\A(?=[0-9a-fA-F:.]*:[0-9a-fA-F:.]*:)[0-9a-fA-F:.]{2,45}\z",
}
"""The formats of ODCS `logicalTypeOptions` that can be checked on a text."""

FLAGS: Final = {
    "IGNORECASE": "i",
    "MULTILINE": "m",
    "DOTALL": "s",
    "VERBOSE": "x",
    "ASCII": "",  # what Java does anyway
    "UNICODE": "U",
}
"""Python's names of flags, as Java writes them in front of a pattern."""

INTEGER_RANGES: Final = {
    f"{sign}{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if sign == "i" else (0, 2**bits - 1)
    for sign in "iu"
    for bits in (8, 16, 32, 64)
}
"""The values that fit a Rust-style integer format. Spark holds no integer beyond 64 bits."""
