"""The component looks at the whole defs folder, and refuses what does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from dagster.components.core.component_tree import ComponentTreeException
from dagster.components.testing.utils import DefsFolderSandbox

from assets.defs_folders import ALL, ASSETS, built, check_keys, new_sandbox, put
from assets.projects import CHECKS, CONTRACT, write_contract
from assets.related_tables import DEPARTMENTS, EMPLOYEES, HEAD
from dqx_dagster import (
    ContractWarning,
    DefinitionsError,
    Settings,
    with_contracts,
)

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


def refused(sandbox: DefsFolderSandbox) -> list[str]:
    """The lines with which the folder is refused, with paths below it."""
    with pytest.raises(ComponentTreeException) as caught, built(sandbox):
        pass
    cause = caught.value.__cause__
    assert isinstance(cause, DefinitionsError)
    return str(cause).replace(f"{sandbox.defs_folder_path}/", "").splitlines()


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

    def test_with_contracts_tells_that_a_contract_demands_something_else(
        self, sandbox: DefsFolderSandbox, tmp_path: Path
    ) -> None:
        """The checks are there already, by name; what they demand would be lost in silence."""
        put(sandbox)
        same = write_contract(tmp_path / "same")
        stricter = CONTRACT.replace("mustBeGreaterThan: 0", "mustBeGreaterThan: 1000")
        other = write_contract(tmp_path / "other", stricter)

        with built(sandbox) as defs:
            after = with_contracts(defs, same)
            with pytest.raises(DefinitionsError, match="has the checks of a contract already"):
                with_contracts(defs, other)

        assert check_keys(after) == ALL

    def test_a_partition_column_that_is_not_clear_is_an_error(
        self, sandbox: DefsFolderSandbox
    ) -> None:
        make_partitioned(sandbox)
        partitioned = ", partitioned: true, partitionKeyPosition: 1}"
        two = CONTRACT.replace("primaryKey: true}", f"primaryKey: true{partitioned}").replace(
            "logicalType: string\n", "logicalType: string\n    partitioned: true\n"
        )
        put(sandbox, contract=two)

        (problem,) = refused(sandbox)

        assert "which column holds the partitions of asset 'shop/orders'?" in problem

    def test_without_a_partition_column_a_warning_says_what_is_checked(
        self, sandbox: DefsFolderSandbox
    ) -> None:
        make_partitioned(sandbox)
        put(sandbox)

        with pytest.warns(ContractWarning, match="every run checks the whole table"):  # noqa: SIM117
            with built(sandbox) as defs:
                assert check_keys(defs) == ALL

    def test_tables_may_refer_to_each_other(self, sandbox: DefsFolderSandbox) -> None:
        """Checks that would wait for each other come last, in a step of their own."""
        code = """\
import dagster as dg

@dg.asset(key=["shop", "employees"])
def employees() -> None: ...

@dg.asset(key=["shop", "departments"])
def departments() -> None: ...
"""
        (sandbox.defs_folder_path / "company.py").write_text(code, "utf-8")
        folder = put(sandbox)
        for name, columns in (("employees", EMPLOYEES), ("departments", DEPARTMENTS)):
            text = HEAD.format(name) + columns
            (folder / "contracts" / f"{name}.odcs.yaml").write_text(text, "utf-8")

        with pytest.warns(ContractWarning, match="it is checked last and blocks nothing"):  # noqa: SIM117
            with built(sandbox) as defs:
                found = check_keys(defs)

        assert found > ALL
        assert {key for key in found if "relationship" in key} == {
            "shop/departments:manager__relationship",
            "shop/employees:department__relationship",
        }


def make_partitioned(sandbox: DefsFolderSandbox) -> None:
    """Orders with partitions."""
    days = 'partitions_def=dg.DailyPartitionsDefinition("2026-03-01")'
    text = ASSETS.replace('"orders"])', f'"orders"], {days})')
    (sandbox.defs_folder_path / "assets.py").write_text(text, "utf-8")
