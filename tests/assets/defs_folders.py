"""Defs folders with components, and what becomes of them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import yaml
from dagster.components.testing.utils import DefsFolderSandbox, create_defs_folder_sandbox

from assets.projects import CHECKS, CONTRACT, write_contract

ASSETS = """\
import dagster as dg

@dg.asset(key=["shop", "orders"])
def orders() -> None: ...

@dg.asset(deps=[orders])
def report() -> None: ...
"""
ALL = {f"shop/orders:{name}" for name in CHECKS}


@contextlib.contextmanager
def new_sandbox() -> Iterator[DefsFolderSandbox]:
    """A project whose only asset with a contract is `shop/orders`."""
    with create_defs_folder_sandbox() as sandbox:
        (sandbox.defs_folder_path / "assets.py").write_text(ASSETS, "utf-8")
        yield sandbox


def put(
    sandbox: DefsFolderSandbox, folder: str = "quality", contract: str = CONTRACT, **said: Any
) -> Path:
    """A component with one contract, in a folder of its own."""
    path = sandbox.defs_folder_path / folder
    path.mkdir()
    write_contract(path / "contracts", contract)
    component = {
        "type": "dqx_dagster.ContractsComponent",
        "attributes": {"contracts": "contracts", **said},
    }
    (path / "defs.yaml").write_text(yaml.safe_dump(component), "utf-8")
    return path


@contextlib.contextmanager
def built(sandbox: DefsFolderSandbox) -> Iterator[dg.Definitions]:
    """All definitions of the folder."""
    with sandbox.build_component_tree() as tree:
        yield tree.build_defs(tree.defs_module_path)


def run(defs: dg.Definitions, resources: dict[str, Any]) -> dg.ExecuteInProcessResult:
    whole = dg.Definitions.merge(defs, dg.Definitions(resources=resources))
    job = whole.resolve_implicit_global_asset_job_def()
    return job.execute_in_process(raise_on_error=False)


def outcomes(result: dg.ExecuteInProcessResult) -> dict[str, bool]:
    return {each.check_name: each.passed for each in result.get_asset_check_evaluations()}


def check_keys(defs: dg.Definitions) -> set[str]:
    resources = {"pyspark": dg.ResourceDefinition.none_resource()}
    whole = dg.Definitions.merge(defs, dg.Definitions(resources=resources))
    found = whole.resolve_asset_graph().asset_check_keys
    return {key.to_user_string() for key in found}
