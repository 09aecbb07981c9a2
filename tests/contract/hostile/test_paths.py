"""Files and directories that are not what they seem: links, pipes, devices, closed doors."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from contract.hostile.contracts import odcs
from contract.hostile.outcome import (
    LOADS,
    REFUSED,
    loaded,
    outcome,
    outcome_of_path,
    posix,
    written,
)
from dqx_dagster import ContractValidationError, load_contracts
from dqx_dagster.contract.document import MAX_BYTES
from dqx_dagster.loading import load_file

pytestmark = posix


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = written(tmp_path, odcs(""))
    os.truncate(path, 100_000_000)
    with pytest.raises(ContractValidationError, match=r"100,000,000 bytes; at most 2,000,000"):
        load_file(path)


def test_the_limit_on_size_is_exact(tmp_path: Path) -> None:
    text = odcs("").encode()
    filled = text + b"#" * (MAX_BYTES - len(text))
    assert outcome(written(tmp_path, filled)) == LOADS
    assert outcome(written(tmp_path, filled + b"#")) == REFUSED


@pytest.mark.parametrize("whole_directory", [True, False])
def test_a_pipe_is_not_opened(tmp_path: Path, whole_directory: bool) -> None:
    path = tmp_path / "x.yaml"
    os.mkfifo(path)
    with pytest.raises(ContractValidationError, match="not a regular file"):
        loaded(tmp_path if whole_directory else path)


def test_a_device_is_not_read() -> None:
    with pytest.raises(ContractValidationError, match="not a regular file"):
        load_file(Path(os.devnull))


def test_a_directory_with_the_name_of_a_contract_is_a_directory(tmp_path: Path) -> None:
    folder = tmp_path / "x.yaml"
    folder.mkdir()
    with pytest.raises(ContractValidationError, match="holds no contract"):
        load_contracts(tmp_path)
    (folder / "orders.yaml").write_text(odcs(""))
    assert [c.dataset for c in load_contracts(tmp_path)] == ["t"]


def test_a_directory_without_contracts_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "readme.txt").write_text("none")
    with pytest.raises(ContractValidationError, match="holds no contract"):
        load_contracts(tmp_path)


@pytest.mark.parametrize("name", ["none.yaml", "a" * 300 + ".yaml", "a\0b.yaml", "x/../none"])
def test_a_path_that_leads_nowhere_is_an_error(name: str, tmp_path: Path) -> None:
    assert outcome_of_path(tmp_path / name) == REFUSED


class TestLinks:
    @pytest.fixture
    def inside(self, tmp_path: Path) -> Path:
        folder = tmp_path / "inside"
        folder.mkdir()
        return folder

    @pytest.fixture
    def outside(self, tmp_path: Path) -> Path:
        folder = tmp_path / "outside"
        folder.mkdir()
        (folder / "secret.yaml").write_text(odcs(""))
        return folder

    def test_a_link_to_a_file_outside_is_refused(self, inside: Path, outside: Path) -> None:
        (inside / "x.yaml").symlink_to(outside / "secret.yaml")
        with pytest.raises(ContractValidationError, match="leads out of the directory"):
            load_contracts(inside)

    def test_a_relative_link_to_a_file_outside_is_refused(
        self, inside: Path, outside: Path
    ) -> None:
        (inside / "x.yaml").symlink_to("../outside/secret.yaml")
        with pytest.raises(ContractValidationError, match="leads out of the directory"):
            load_contracts(inside)

    def test_a_folder_whose_name_begins_alike_is_outside(self, tmp_path: Path) -> None:
        folder, other = tmp_path / "a", tmp_path / "ab"
        folder.mkdir()
        other.mkdir()
        (other / "x.yaml").write_text(odcs(""))
        (folder / "x.yaml").symlink_to(other / "x.yaml")
        with pytest.raises(ContractValidationError, match="leads out of the directory"):
            load_contracts(folder)

    def test_a_link_to_a_directory_outside_is_refused(self, inside: Path, outside: Path) -> None:
        (inside / "ours.yaml").write_text(odcs(""))
        (inside / "folder").symlink_to(outside)
        with pytest.raises(ContractValidationError, match="leads out of the directory"):
            load_contracts(inside)

    def test_a_link_that_leads_to_itself_is_refused(self, inside: Path) -> None:
        (inside / "x.yaml").symlink_to("x.yaml")
        assert outcome(inside) == REFUSED
        assert outcome_of_path(inside / "x.yaml") == REFUSED

    def test_a_ring_of_links_is_refused(self, inside: Path) -> None:
        (inside / "x.yaml").symlink_to("y.yaml")
        (inside / "y.yaml").symlink_to("x.yaml")
        assert outcome(inside) == REFUSED

    def test_a_link_to_nothing_is_refused(self, inside: Path) -> None:
        (inside / "x.yaml").symlink_to("none.yaml")
        assert outcome(inside) == REFUSED

    def test_a_directory_inside_itself_is_read_once(self, inside: Path) -> None:
        (inside / "x.yaml").write_text(odcs(""))
        (inside / "again").symlink_to(inside)
        assert len(loaded(inside)) == 1

    def test_a_file_that_is_reached_twice_is_read_once(self, inside: Path) -> None:
        """As in a mounted ConfigMap: links beside the folder that holds the files."""
        (inside / "..v1").mkdir()
        (inside / "..v1" / "x.yaml").write_text(odcs(""))
        (inside / "..data").symlink_to("..v1")
        (inside / "x.yaml").symlink_to("..data/x.yaml")
        assert len(loaded(inside)) == 1

    def test_the_directory_itself_may_be_a_link(self, inside: Path, tmp_path: Path) -> None:
        (inside / "x.yaml").write_text(odcs(""))
        (tmp_path / "link").symlink_to(inside)
        assert len(loaded(tmp_path / "link")) == 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
class TestPermissions:
    def test_a_file_that_may_not_be_read_is_an_error(self, tmp_path: Path) -> None:
        written(tmp_path, odcs("")).chmod(0)
        assert outcome(tmp_path) == REFUSED

    def test_a_directory_that_may_not_be_listed_is_an_error(self, tmp_path: Path) -> None:
        written(tmp_path, odcs(""))
        closed = tmp_path / "closed"
        closed.mkdir(mode=0)
        try:
            assert outcome(tmp_path) == REFUSED
            assert outcome_of_path(closed / "x.yaml") == REFUSED
        finally:
            closed.chmod(0o700)
