"""What people install: the wheel, alone in a new environment."""

from __future__ import annotations

import ast
import importlib.metadata
import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import dqx_dagster

REPOSITORY = Path(__file__).parents[2]
CONTRACTS = REPOSITORY / "example_project" / "contracts"
COMES_WITH = {"dagster_shared": "dagster", "py4j": "pyspark", "pydantic": "dagster"}
EXAMPLE = """\
import sys

import dagster as dg

import dqx_dagster
from dqx_dagster import load_contracts, with_contracts

contracts = load_contracts(sys.argv[1])
defs = with_contracts(
    dg.Definitions(
        assets=[dg.AssetSpec(contract.dataset.split(".")) for contract in contracts],
        resources={"pyspark": dg.ResourceDefinition.none_resource()},
    ),
    contracts,
)
dg.Definitions.validate_loadable(defs)
print(dqx_dagster.__file__)
print(len({key.asset_key for key in defs.resolve_asset_graph().asset_check_keys}))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the repository."""
    folder = tmp_path_factory.mktemp("wheel")
    build = run(
        sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", str(folder), str(REPOSITORY)
    )
    if "No matching distribution found for hatchling" in build.stderr:
        pytest.skip("pip fetches the build backend from an index, and none can be reached")
    assert build.returncode == 0, build.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel; the packages that it needs are those of the tests.

    A line of a `.pth` file links them. What such files of theirs link, like the repository, is
    not followed: of this package there is only what the wheel has brought.
    """
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder)
    python = str(folder / "bin" / "python")
    command = ("-m", "pip", "--python", python, "install", "-q", "--no-deps", "--no-index")
    install = run(sys.executable, *command, str(wheel))
    assert install.returncode == 0, install.stderr
    found = run(python, "-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
    packages = sysconfig.get_path("purelib")
    (Path(found.stdout.strip()) / "needed.pth").write_text(f"{packages}\n", "utf-8")
    return folder


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """A process outside of the repository, which nothing tells where that is."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return subprocess.run(
        command, cwd="/", env=kept, check=False, capture_output=True, encoding="utf-8"
    )


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}

    package = Path(dqx_dagster.__file__).parent
    files = [path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert names == {str(path.relative_to(package.parent)) for path in files}
    assert {"dqx_dagster/py.typed", "dqx_dagster/contract/native.schema.json"} <= names


def test_the_wheel_asks_for_all_that_it_imports(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = Parser().parsestr(archive.read(name).decode())
    asked = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    needed = {_normal(re.split(r"[^\w.-]", line)[0]) for line in asked}

    distributions = importlib.metadata.packages_distributions()
    missing = {
        module
        for module in _imported()
        if needed.isdisjoint(map(_normal, distributions.get(COMES_WITH.get(module, module), [])))
    }
    assert missing == set()


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _imported() -> set[str]:
    """The modules of others that the package imports, wherever it does."""
    found: set[str] = set()
    for path in Path(dqx_dagster.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"dqx_dagster"}


def test_the_command_is_installed(environment: Path) -> None:
    command = str(environment / "bin" / "dqx-dagster")

    told = run(command, "--help")
    assert told.returncode == 0, told.stderr
    assert {"lint", "run"} <= set(told.stdout.split())

    linted = run(command, "lint", str(CONTRACTS))
    assert linted.returncode == 0, linted.stdout + linted.stderr


def test_definitions_load_with_what_was_installed(environment: Path) -> None:
    told = run(str(environment / "bin" / "python"), "-I", "-c", EXAMPLE, str(CONTRACTS))

    assert told.returncode == 0, told.stderr
    place, assets = told.stdout.split()
    assert Path(place).is_relative_to(environment)
    assert int(assets) == len(list(CONTRACTS.glob("*.yaml")))
