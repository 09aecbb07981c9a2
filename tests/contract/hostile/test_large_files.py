"""Large files, as many things or as long texts: neither takes long."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract.hostile.long_texts import LONG
from contract.hostile.many_things import MANY
from contract.hostile.outcome import SECONDS, in_a_child, posix, written
from dqx_dagster.contract.document import MAX_BYTES

pytestmark = posix

FILES = MANY | LONG


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_very_many_things(name: str, tmp_path: Path) -> None:
    expected, text = FILES[name]
    path = written(tmp_path, text())
    assert path.stat().st_size <= MAX_BYTES
    [(found, seconds)] = in_a_child(path)
    assert found == (expected or found)
    assert seconds < SECONDS
