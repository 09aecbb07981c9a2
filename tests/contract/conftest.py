"""Files for contracts."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract.orders import Write
from contract.related import HEAD


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """One contract in a file."""

    def write(text: str, name: str = "orders.odcs.yaml") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def write_tables(tmp_path: Path) -> Write:
    """Contracts in a folder; a name with several tables is one file."""

    def write(**files: str) -> Path:
        for name, tables in files.items():
            (tmp_path / f"{name}.odcs.yaml").write_text(HEAD + tables, "utf-8")
        return tmp_path

    return write
