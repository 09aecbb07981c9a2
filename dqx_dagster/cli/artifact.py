"""How other tools name a contract file: seen from the folder where the lint runs.

GitHub and SARIF viewers look files up from the root of the repository, which is where the lint
should run. A file elsewhere keeps its absolute name.

>>> repository = Path("/repo")
>>> relative_name("/repo/data/../orders #1.yaml", repository)
'orders #1.yaml'
>>> uri("orders #1.yaml", repository), uri("/etc/orders.yaml", repository)
('orders%20%231.yaml', 'file:///etc/orders.yaml')
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote_from_bytes


def relative_name(file: str, base: Path) -> str:
    """The file's name from `base`, with slashes; the absolute name where it lies elsewhere."""
    path = _normal(file, base)
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else path.as_posix()


def uri(file: str, base: Path) -> str:
    """The file as a URI reference, percent-encoded."""
    path = _normal(file, base)
    if not path.is_relative_to(base):
        return path.as_uri()
    # As bytes, because a name need not be UTF-8. Colons are encoded too: in the first part of a
    # relative reference they would end a scheme.
    return quote_from_bytes(os.fsencode(path.relative_to(base).as_posix()), safe="/")


def _normal(file: str, base: Path) -> Path:
    """An absolute path without `..`. By its text alone: links stay what the user called them."""
    return Path(os.path.normpath(base / file))
