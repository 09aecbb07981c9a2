"""A folder for the files that a test of the command line writes."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test runs in a folder of its own, so that the names of its files are short."""
    monkeypatch.chdir(tmp_path)
