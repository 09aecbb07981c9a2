"""The repository's pages, and the examples in them."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def block(language: str, index: int = 0) -> str:
    """An example of the README, in the order in which those of its language stand there."""
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return found[index]
