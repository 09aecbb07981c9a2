"""The component in a defs folder: what it makes, and what its subclasses may change."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster.components.core.component_tree import ComponentTreeException
from dagster.components.scaffold.scaffold import get_scaffolder
from dagster.components.testing.utils import DefsFolderSandbox
from pyspark.sql import SparkSession

from assets.defs_folders import ALL, ASSETS, built, check_keys, new_sandbox, outcomes, put, run
from assets.projects import BROKEN, CHECKS, CONTRACT, KEY, Session, made, table, write_contract
from dqx_dagster import (
    ContractsComponent,
    ContractValidationError,
    Granularity,
    Settings,
    Severity,
)
from dqx_dagster.checks.rule import SEVERITIES
from dqx_dagster.scaffolder import ContractsScaffolder

# Dagster itself uses what it warns of, when it reads a defs folder.
pytestmark = pytest.mark.filterwarnings(
    "ignore:`parse_obj_as` is deprecated",
    "ignore::dagster.PreviewWarning",
    "ignore::dagster.BetaWarning",
)
ORDERS = Path("quality/contracts/orders.odcs.yaml")


@pytest.fixture
def sandbox() -> Iterator[DefsFolderSandbox]:
    with new_sandbox() as sandbox:
        yield sandbox


def test_dg_finds_it_without_importing_spark() -> None:
    """A component whose import fails breaks `dg` for a whole environment."""
    code = """
import sys
from dagster.components.core.package_entry import discover_entry_point_package_objects

found = {key.to_typename() for key in discover_entry_point_package_objects()}
print("dqx_dagster.ContractsComponent" in found, "pyspark" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]


class TestChecks:
    def test_a_relative_source_starts_at_the_root_of_the_project(
        self, spark: SparkSession, sandbox: DefsFolderSandbox
    ) -> None:
        put(sandbox, source="data/{dataset}.parquet", pool="spark", resource_key="session")
        data = sandbox.project_root / "data" / "shop.orders.parquet"
        table(spark, BROKEN).write.parquet(str(data))

        with built(sandbox) as found:
            result = run(found, {"session": Session(spark)})

        (checks,) = found.asset_checks or []
        assert checks.op.pool == "spark"
        assert outcomes(result) == dict.fromkeys(CHECKS, True) | {KEY: False}
        assert made(result) == {"shop/orders"}

    def test_settings_are_those_of_python(self) -> None:
        said = {
            "severities": {"Blocker": "P0"},
            "default_severity": "P2",
            "implied_severity": "P1",
            "sla_severity": "P3",
            "implied_checks": "table",
            "name_prefix": "dqx_",
            "strict": True,
            "whole_table": ["unique"],
            "sql_rules": "skip",
            "failing_rows": 3,
        }
        assert set(said) == {field.name for field in dataclasses.fields(Settings)}

        component = ContractsComponent.from_attributes_dict(
            attributes={"contracts": "contracts", "settings": said}
        )

        # A word is added: that `error` blocks must not be lost by adding another word.
        assert component.settings == Settings(
            severities={**SEVERITIES, "blocker": Severity.P0},
            default_severity=Severity.P2,
            implied_severity=Severity.P1,
            sla_severity=Severity.P3,
            implied_checks=Granularity.TABLE,
            name_prefix="dqx_",
            strict=True,
            whole_table=("unique",),
            sql_rules="skip",
            failing_rows=3,
        )

    def test_without_settings_they_are_the_usual_ones(self) -> None:
        component = ContractsComponent.from_attributes_dict(attributes={"contracts": "contracts"})

        assert component == ContractsComponent(contracts="contracts", settings=Settings())

    def test_texts_may_be_templates(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LAKE", "s3://lake")

        component = ContractsComponent.from_attributes_dict(
            attributes={"contracts": "contracts", "source": "{{ env.LAKE }}/{path}"}
        )

        assert component.source == "s3://lake/{path}"

    def test_a_mistake_in_a_contract_is_told_with_its_place(
        self, sandbox: DefsFolderSandbox
    ) -> None:
        put(
            sandbox, contract=CONTRACT.replace("integer", "uuid").replace("mustBe: 0", "mustBee: 0")
        )

        with pytest.raises(ComponentTreeException) as caught, built(sandbox):
            pass

        cause = caught.value.__cause__
        assert isinstance(cause, ContractValidationError)
        assert [str(error.origin) for error in cause.errors] == [
            f"{sandbox.defs_folder_path / ORDERS}:13:16",
            f"{sandbox.defs_folder_path / ORDERS}:17:78",
        ]

    def test_an_instance_in_python_finds_its_contracts_too(
        self, sandbox: DefsFolderSandbox
    ) -> None:
        folder = put(sandbox)
        (folder / "defs.yaml").unlink()
        code = """\
import dagster as dg
from dqx_dagster import ContractsComponent

@dg.component_instance
def load(context: dg.ComponentLoadContext) -> ContractsComponent:
    return ContractsComponent(contracts="contracts")
"""
        (folder / "component.py").write_text(code, "utf-8")

        with built(sandbox) as defs:
            assert check_keys(defs) == ALL

    def test_no_project_is_needed(self, tmp_path: Path) -> None:
        component = ContractsComponent(contracts=str(write_contract(tmp_path)))

        defs = dg.build_defs_for_component(component)

        assert check_keys(defs) == ALL


class TestSubclasses:
    def test_the_example_of_the_page_translates_and_reads(
        self, spark: SparkSession, sandbox: DefsFolderSandbox
    ) -> None:
        page = (Path(__file__).parents[2] / "docs" / "component.md").read_text("utf-8")
        code = page.split("## In Python")[1].split("```python\n")[1].split("```")[0]
        package = sandbox.defs_folder_path.parent / "components"
        package.mkdir()
        (package / "lake_contracts.py").write_text(code, "utf-8")
        folder = put(sandbox, lake=str(sandbox.project_root))
        defs_yaml = (folder / "defs.yaml").read_text("utf-8")
        own = f"{sandbox.project_name}.components.lake_contracts.LakeContracts"
        defs_yaml = defs_yaml.replace("dqx_dagster.ContractsComponent", own)
        (folder / "defs.yaml").write_text(defs_yaml, "utf-8")
        moved = ASSETS.replace('["shop", "orders"]', '["lake", "shop", "orders"]')
        (sandbox.defs_folder_path / "assets.py").write_text(moved, "utf-8")
        table(spark, BROKEN).write.parquet(str(sandbox.project_root / "shop.orders" / "current"))

        with built(sandbox) as found:
            result = run(found, {"pyspark": Session(spark)})

        assert outcomes(result) == dict.fromkeys(CHECKS, True) | {KEY: False}
        assert made(result) == {"lake/shop/orders"}

    def test_they_are_scaffolded_alike(self) -> None:
        class Own(ContractsComponent):
            pass

        assert isinstance(get_scaffolder(Own), ContractsScaffolder)
