"""The component in a defs folder: what it makes, and what it refuses."""

from __future__ import annotations

import contextlib
import dataclasses
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml
from dagster.components.core.component_tree import ComponentTreeException
from dagster.components.scaffold.scaffold import get_scaffolder
from dagster.components.testing.utils import DefsFolderSandbox, create_defs_folder_sandbox
from pyspark.sql import SparkSession

from assets.projects import BROKEN, CHECKS, CONTRACT, KEY, Session, made, table, write_contract
from dqx_dagster import (
    ContractsComponent,
    ContractValidationError,
    ContractWarning,
    DefinitionsError,
    Granularity,
    Settings,
    Severity,
    with_contracts,
)
from dqx_dagster.checks.rule import SEVERITIES
from dqx_dagster.scaffolder import ContractsScaffolder

# Dagster itself uses what it warns of, when it reads a defs folder.
pytestmark = pytest.mark.filterwarnings(
    "ignore:`parse_obj_as` is deprecated",
    "ignore::dagster.PreviewWarning",
    "ignore::dagster.BetaWarning",
)

ASSETS = """\
import dagster as dg

@dg.asset(key=["shop", "orders"])
def orders() -> None: ...

@dg.asset(deps=[orders])
def report() -> None: ...
"""
ORDERS = Path("quality/contracts/orders.odcs.yaml")


@pytest.fixture
def sandbox() -> Iterator[DefsFolderSandbox]:
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


def refused(sandbox: DefsFolderSandbox) -> list[str]:
    """The lines with which the folder is refused, with paths below it."""
    with pytest.raises(ComponentTreeException) as caught, built(sandbox):
        pass
    cause = caught.value.__cause__
    assert isinstance(cause, DefinitionsError)
    return str(cause).replace(f"{sandbox.defs_folder_path}/", "").splitlines()


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


ALL = {f"shop/orders:{name}" for name in CHECKS}


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


class TestTheWholeFolder:
    """A component sees what the other components of the folder make."""

    def test_a_contract_without_its_asset_is_an_error(self, sandbox: DefsFolderSandbox) -> None:
        put(sandbox, contract=CONTRACT.replace("shop.orders", "shop.order"))

        problem, hint = refused(sandbox)

        assert problem == (
            f"{ORDERS}:8:3: contract 'Orders' is for asset 'shop/order', which is not defined. "
            "Did you mean 'shop/orders'?"
        )
        assert "on_missing_asset: warn" in hint

    def test_or_a_warning(self, sandbox: DefsFolderSandbox) -> None:
        put(sandbox, contract=CONTRACT.replace("shop.orders", "x"), on_missing_asset="warn")

        with pytest.warns(ContractWarning, match="is for asset 'x', which is not defin"):  # noqa: SIM117
            with built(sandbox) as defs:
                assert check_keys(defs) == {f"x:{name}" for name in CHECKS}

    def test_all_components_are_looked_at(self, sandbox: DefsFolderSandbox) -> None:
        """Also those that are built because another one looks."""
        for name in ("a", "b", "c"):
            put(sandbox, name, CONTRACT.replace("shop.orders", name))

        *problems, _ = refused(sandbox)

        places = [line.partition(": ")[0] for line in problems]
        assert places == [f"{name}/contracts/orders.odcs.yaml:8:3" for name in ("a", "b", "c")]

    def test_contracts_are_read_once(self, sandbox: DefsFolderSandbox) -> None:
        """Each warns once, that of the component that looks, too."""
        warned = CONTRACT.replace("severity: error", "severity: odd")
        put(sandbox, "a", warned)
        put(sandbox, "b", warned.replace("shop.orders", "report"))

        with pytest.warns(ContractWarning) as caught, built(sandbox):
            pass

        own = [each for each in caught if each.category is ContractWarning]
        assert [Path(each.filename).parts[-3] for each in own] == ["a", "b"]

    def test_two_components_for_one_asset_are_an_error(self, sandbox: DefsFolderSandbox) -> None:
        put(sandbox, "a")
        put(sandbox, "b", settings={"name_prefix": "b_"})

        said = (
            "8:3: asset 'shop/orders' has the checks of a contract already; make them in one way, "
            "with the same settings"
        )
        assert refused(sandbox) == [f"{x}/contracts/orders.odcs.yaml:{said}" for x in "ab"]

    def test_checks_that_python_has_made_of_a_contract_are_found(
        self, sandbox: DefsFolderSandbox
    ) -> None:
        put(sandbox)
        code = f"""\
import dagster as dg
from dqx_dagster import build_contract_checks

checks = build_contract_checks({str(sandbox.defs_folder_path / "quality" / "contracts")!r})
defs = dg.Definitions(asset_checks=checks)
"""
        (sandbox.defs_folder_path / "checks.py").write_text(code, "utf-8")

        (problem,) = refused(sandbox)
        assert "'shop/orders' has the checks of a contract already" in problem

    def test_a_name_that_is_taken_is_an_error(self, sandbox: DefsFolderSandbox) -> None:
        put(sandbox)
        code = """\
import dagster as dg

@dg.asset_check(asset=["shop", "orders"])
def volume() -> dg.AssetCheckResult:
    return dg.AssetCheckResult(passed=True)
"""
        (sandbox.defs_folder_path / "checks.py").write_text(code, "utf-8")

        assert refused(sandbox) == [
            f"{ORDERS}:11:5: check 'volume' of asset 'shop/orders' is there already; "
            "rename yours, or set Settings(name_prefix=…)"
        ]

    @pytest.mark.parametrize("name", ["a_job.py", "z_job.py"])
    def test_others_may_look_at_the_component(self, sandbox: DefsFolderSandbox, name: str) -> None:
        """It looks at them, too; whoever comes first, that ends."""
        put(sandbox)
        code = """\
import dagster as dg

@dg.definitions
def defs(context: dg.ComponentLoadContext) -> dg.Definitions:
    (checks,) = context.build_defs("quality").asset_checks
    chosen = dg.AssetSelection.checks(*checks.check_keys)
    return dg.Definitions(jobs=[dg.define_asset_job("nightly", chosen)])
"""
        (sandbox.defs_folder_path / name).write_text(code, "utf-8")

        with built(sandbox) as defs:
            assert check_keys(defs) == ALL
            assert [job.name for job in defs.jobs or []] == ["nightly"]

    def test_another_component_may_be_made_of_one(self, sandbox: DefsFolderSandbox) -> None:
        folder = put(sandbox)
        (folder / "defs.yaml").unlink()
        code = """\
import dagster as dg
from dqx_dagster import ContractsComponent

@dg.definitions
def defs(context: dg.ComponentLoadContext) -> dg.Definitions:
    return ContractsComponent(contracts="contracts").build_defs(context)
"""
        (folder / "quality.py").write_text(code, "utf-8")

        with built(sandbox) as defs:
            assert check_keys(defs) == ALL

    def test_with_contracts_tells_that_a_component_makes_the_checks(
        self, sandbox: DefsFolderSandbox
    ) -> None:
        folder = put(sandbox)

        with built(sandbox) as defs, pytest.raises(DefinitionsError) as caught:
            with_contracts(defs, folder / "contracts", settings=Settings(name_prefix="two_"))

        assert str(caught.value) == (
            f"{sandbox.defs_folder_path / ORDERS}:8:3: asset 'shop/orders' has the checks of a "
            "contract already; make them in one way, with the same settings"
        )


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
