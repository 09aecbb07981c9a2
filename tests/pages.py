"""The repository's pages, and the examples in them."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def block(language: str, index: int = 0, page: str = "README.md") -> str:
    """An example of a page, in the order in which those of its language stand there."""
    text = (ROOT / page).read_text("utf-8")
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    return found[index]
