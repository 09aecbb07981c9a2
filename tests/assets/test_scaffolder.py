"""What `dg scaffold defs dqx_dagster.ContractsComponent` writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from dagster.components.testing.utils import DefsFolderSandbox, create_defs_folder_sandbox
from pydantic import ValidationError

from dqx_dagster import Contract, ContractsComponent
from dqx_dagster.loading import inspect

CONTRACT = Path("contracts/orders.odcs.yaml")


@pytest.fixture
def sandbox() -> Iterator[DefsFolderSandbox]:
    with create_defs_folder_sandbox() as sandbox:
        yield sandbox


def scaffold(sandbox: DefsFolderSandbox, **params: str) -> Path:
    return sandbox.scaffold_component(ContractsComponent, "quality", scaffold_params=params)


def contract_of(folder: Path) -> Contract:
    """The one contract in which also a strict reader finds nothing to say."""
    inspection = inspect([folder / "contracts"], strict=True)
    assert inspection.findings == ()
    (contract,) = inspection.contracts
    return contract


def test_the_first_contract_is_clean(sandbox: DefsFolderSandbox) -> None:
    folder = scaffold(sandbox)

    assert contract_of(folder).asset_path == ("orders",)
    assert yaml.safe_load((folder / "defs.yaml").read_text("utf-8")) == {
        "type": "dqx_dagster.component.ContractsComponent",
        "attributes": {"contracts": "contracts"},
    }


def test_so_are_the_lines_that_are_commented_out(sandbox: DefsFolderSandbox) -> None:
    path = scaffold(sandbox, asset="shop/orders") / CONTRACT
    text = path.read_text("utf-8")
    sla = text[text.index("# slaProperties") : text.index("schema:")]
    path.write_text(text.replace(sla, re.sub("(?m)^# ", "", sla)), "utf-8")

    (latency,) = contract_of(path.parents[1]).sla_latencies
    assert (latency.max_age_hours, latency.timestamp_column) == (24, "updated_at")


def test_asset_and_source_can_be_given(sandbox: DefsFolderSandbox) -> None:
    folder = scaffold(sandbox, asset="shop/web/orders", source="data/{dataset}.parquet")

    assert contract_of(folder).asset_path == ("shop", "web", "orders")
    said = yaml.safe_load((folder / "defs.yaml").read_text("utf-8"))["attributes"]
    assert said == {"contracts": "contracts", "source": "data/{dataset}.parquet"}


@pytest.mark.parametrize("params", [{"asset": "shop orders"}, {"asset": ""}, {"aset": "orders"}])
def test_wrong_options_are_refused(sandbox: DefsFolderSandbox, params: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        scaffold(sandbox, **params)

    assert not (sandbox.defs_folder_path / "quality").exists()


def test_a_contract_that_is_there_stays(sandbox: DefsFolderSandbox) -> None:
    path = sandbox.defs_folder_path / "quality" / CONTRACT
    path.parent.mkdir(parents=True)
    path.write_text("mine", "utf-8")

    scaffold(sandbox)

    assert path.read_text("utf-8") == "mine"
