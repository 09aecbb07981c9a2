"""A sensor, a folder with a contract, and storage like the one that Dagster has by default."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from alerts.watching import Watch, contract_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return contract_folder(tmp_path)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def storage(home: Path) -> Iterator[dg.DagsterInstance]:
    """Dagster's default storage: SQLite, with a file for each run."""
    with dg.DagsterInstance.local_temp(str(home)) as instance:
        yield instance


@pytest.fixture
def instance(storage: dg.DagsterInstance) -> Iterator[dg.DagsterInstance]:
    """An instance in which nothing has happened."""
    yield storage
    storage.wipe()


@pytest.fixture
def watch(instance: dg.DagsterInstance, folder: Path) -> Watch:
    """A sensor that has begun before anything has happened."""
    watch = Watch(instance, folder)
    assert watch.tick() == []
    return watch
