"""Files in the current folder, and what the lint says of them."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from dqx_dagster.cli import main


def write(name: str, text: str) -> str:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, "utf-8")
    return name


def lint(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["lint", *arguments])
