"""What people install: the wheel, in a new environment.

What it asks for comes from the environment of the tests; with `DQX_EFFORT=2` pip installs all of
that, too, which takes as long as everything else here.
"""

from __future__ import annotations

import ast
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path

import dagster as dg
import pytest
from oracle.effort import EFFORT
from oracle.java import JAVA_OPTIONS
from pages import ROOT, block

import dqx_dagster
from assets.projects import Project, write_contract

COMES_WITH = {"dagster_shared": "dagster", "py4j": "pyspark", "pydantic": "dagster"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the repository."""
    folder = tmp_path_factory.mktemp("wheel")
    build = run(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", str(folder), str(ROOT))
    if "No matching distribution found for hatchling" in build.stderr:
        pytest.skip("pip fetches the build backend from an index, and none can be reached")
    assert build.returncode == 0, build.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A new environment with the wheel and all that it asks for."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder)
    pip = (sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"))
    # What is never imported need not be compiled.
    how = ["-q", "--retries", "10", "--no-compile", "-c", str(ROOT / "constraints.txt")]
    lend = EFFORT == 1
    install = run(*pip, "install", *how, *(["--no-deps"] if lend else []), str(wheel))
    assert install.returncode == 0, install.stderr
    if lend:
        place = {"base": str(folder), "platbase": str(folder)}
        link = Path(sysconfig.get_path("purelib", vars=place)) / "lent.pth"
        link.write_text(f"{sysconfig.get_path('purelib')}\n", "utf-8")
    yield folder
    shutil.rmtree(folder)  # Spark is large, and pytest keeps folders


def run(
    *command: str, cwd: str | Path = "/", **environment: str
) -> subprocess.CompletedProcess[str]:
    """A process outside of the repository, which nothing tells where that is."""
    hidden = ("PYTHON", "PYSPARK", "SPARK", "VIRTUAL_ENV")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(hidden)}
    return subprocess.run(
        command,
        cwd=cwd,
        env=kept | environment,
        check=False,
        capture_output=True,
        encoding="utf-8",
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

    linted = run(command, "lint", str(ROOT / "example_project" / "contracts"))
    assert linted.returncode == 0, linted.stdout + linted.stderr


def test_the_package_is_that_of_the_wheel(environment: Path) -> None:
    python = str(environment / "bin" / "python")
    told = run(python, "-c", "import dqx_dagster; print(dqx_dagster.__file__)")
    assert Path(told.stdout.strip()).is_relative_to(environment), told.stderr


def test_the_example_of_the_readme_runs(environment: Path, tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.home.mkdir()
    (project.home / "dagster.yaml").write_text("telemetry: {enabled: false}\n", "utf-8")
    (tmp_path / "definitions.py").write_text(block("python"), "utf-8")
    write_contract(tmp_path / "contracts", block("yaml"))

    done = run(
        *(str(environment / "bin" / "python"), "-m", "dagster"),
        *("asset", "materialize", "-f", "definitions.py", "--select", "*"),
        cwd=tmp_path,
        DAGSTER_HOME=str(project.home),
        PATH=os.pathsep.join((str(environment / "bin"), os.environ["PATH"])),
        SPARK_LOCAL_IP="127.0.0.1",
        SPARK_SUBMIT_OPTS=JAVA_OPTIONS,
    )

    assert done.returncode == 1, done.stderr
    status, checks = project.last_run()
    assert status is dg.DagsterRunStatus.FAILURE, done.stderr
    assert checks == {
        "schema": True,
        "order_id__primary_key": False,
        "row_count": True,
        "status__valid_values": False,
    }
    with project.instance() as instance:
        made = {
            name
            for name in ("orders", "report")
            if instance.get_latest_materialization_event(dg.AssetKey(name))
        }
    assert made == {"orders"}
