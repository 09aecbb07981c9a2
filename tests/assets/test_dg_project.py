"""A project of `dg`, in real processes: from a scaffolded component to a broken rule that stops."""

from __future__ import annotations

import contextlib
import datetime as dt
import importlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pytest
from oracle.sample_run import clean_environment
from pyspark.sql import SparkSession

from assets.projects import INSTANCE

PAGE = (Path(__file__).parents[2] / "docs" / "component.md").read_text("utf-8")
RESOURCES, DEFINITIONS, _ = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SCAFFOLD = re.findall(r"```sh\ndg (.*?)\n```", PAGE)[0].replace("'", "").split()

# As `create-dagster project` makes it, without what is for packaging.
PYPROJECT = """\
[project]
name = "shop"
version = "0.1.0"

[tool.dg]
directory_type = "project"

[tool.dg.project]
root_module = "shop"
"""
PLAIN_DEFINITIONS = """\
from pathlib import Path

from dagster import definitions, load_from_defs_folder


@definitions
def defs():
    return load_from_defs_folder(path_within_project=Path(__file__).parent)
"""
ASSETS = """\
import dagster as dg


@dg.asset(key=["shop", "orders"])
def orders() -> None:
    \"\"\"Its table has been put there before.\"\"\"


@dg.asset(deps=[orders])
def report() -> None:
    \"\"\"What must not run on broken orders.\"\"\"
"""
# Quick for little data; the page has no settings.
SPARK = """\
spark.sql.shuffle.partitions 1
spark.ui.enabled false
"""
IN_PROCESS = '{"execution": {"config": {"in_process": {}}}}'  # fewer processes, the same verdict
ORDERS = """
select 1 as id, explode(array('open', 'paid')) as status, 1D as amount, now() as updated_at
"""
CHECKS = {
    "schema",
    "id__primary_key",
    "status__required",
    "amount__minimum",
    "not_empty",
    "status__known_status",
}


@dataclass(frozen=True)
class DgProject:
    """A folder that `dg` works in."""

    root: Path

    @property
    def package(self) -> Path:
        return self.root / "src" / "shop"

    @property
    def component(self) -> Path:
        return self.package / "defs" / "quality"

    @property
    def contract(self) -> Path:
        return self.component / "contracts" / "orders.odcs.yaml"

    def dg(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command of `dg`."""
        environment = clean_environment()
        environment |= {
            "DAGSTER_HOME": str(self.root / "home"),
            "PYTHONPATH": f"{self.root / 'src'}:{environment['PYTHONPATH']}",
            "SPARK_CONF_DIR": str(self.root / "conf"),
        }
        return subprocess.run(
            [str(Path(sys.executable).parent / "dg"), *arguments],
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            encoding="utf-8",
        )

    @contextlib.contextmanager
    def changed(self, path: Path, before: str, after: str) -> Iterator[None]:
        """One text in a file is another one, for a while."""
        text = path.read_text("utf-8")
        assert before in text
        path.write_text(text.replace(before, after), "utf-8")
        try:
            yield
        finally:
            path.write_text(text, "utf-8")


@pytest.fixture(scope="module")
def project(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DgProject:
    """A project with the scaffolded component, and orders with one id twice."""
    project = DgProject(tmp_path_factory.mktemp("shop"))
    files = {
        "pyproject.toml": PYPROJECT,
        "conf/spark-defaults.conf": SPARK,
        "home/dagster.yaml": INSTANCE,
        "src/shop/__init__.py": "",
        "src/shop/definitions.py": PLAIN_DEFINITIONS,
        "src/shop/defs/__init__.py": "",
        "src/shop/defs/assets.py": ASSETS,
        "src/shop/defs/resources.py": RESOURCES,
    }
    for name, text in files.items():
        path = project.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    spark.sql(ORDERS).write.parquet(str(project.root / "data" / "shop.orders.parquet"))
    done = project.dg(*SCAFFOLD)
    assert done.returncode == 0, done.stderr
    return project


def test_the_component_is_listed(project: DgProject) -> None:
    done = project.dg("list", "components", "--json")

    known = {each["key"]: each["summary"] for each in json.loads(done.stdout)["items"]}
    assert known["dqx_dagster.ContractsComponent"] == (
        "Asset checks from a folder of data contracts, measured on Spark."
    )


def test_scaffolding_writes_what_the_page_shows(project: DgProject) -> None:
    shown = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[0]
    assert (project.component / "defs.yaml").read_text("utf-8") == shown

    (tree,) = re.findall(r"```text\nsrc/shop/defs/quality/\n(.*?)```", PAGE, re.DOTALL)
    names = {line.split()[-1].rstrip("/") for line in tree.splitlines()}
    assert names == {path.name for path in project.component.rglob("*")}


def test_what_is_scaffolded_passes_the_checks_of_dg(project: DgProject) -> None:
    done = project.dg("check", "defs")

    assert done.returncode == 0, done.stdout
    assert "All component YAML validated successfully." in done.stdout
    assert "All definitions loaded successfully." in done.stdout


def test_the_checks_are_listed(project: DgProject) -> None:
    done = project.dg("list", "defs", "--json")

    found = {each["key"] for each in json.loads(done.stdout)["asset_checks"]}
    assert found == {f"shop/orders:{name}" for name in CHECKS}


def test_an_attribute_that_does_not_exist_is_refused_with_its_line(project: DgProject) -> None:
    with project.changed(project.component / "defs.yaml", "  source:", "  sorce:"):
        done = project.dg("check", "yaml")

    assert done.returncode == 1
    assert f"{project.component / 'defs.yaml'}:5" in done.stdout
    assert "'sorce' was unexpected" in done.stdout


def test_mistakes_in_a_contract_are_told_at_once(project: DgProject) -> None:
    with (
        project.changed(project.contract, "mustBeGreaterThan", "mustBeGreaterThn"),
        project.changed(project.contract, "logicalType: integer", "logicalType: uuid"),
    ):
        done = project.dg("check", "defs")

    assert done.returncode == 1
    assert "2 errors in 1 contract file:" in done.stdout
    assert (
        f"{project.contract}:23:9: Quality rule 'not_empty': unknown key 'mustBeGreaterThn'. "
        "Did you mean 'mustBeGreaterThan'?\n"
    ) in done.stdout
    assert f"{project.contract}:27:9: Property 'id': unknown logicalType 'uuid'\n" in done.stdout


def test_a_broken_p0_stops_a_launch(project: DgProject) -> None:
    done = project.dg("launch", "--assets", "*", "--config-json", IN_PROCESS)

    assert done.returncode == 1, done.stdout + done.stderr
    with dg.DagsterInstance.from_config(str(project.root / "home")) as instance:
        (run,) = instance.get_runs()
        logs = instance.all_logs(run.run_id)
    events = [entry.dagster_event for entry in logs if entry.dagster_event]
    made = {event.asset_key for event in events if event.is_step_materialization}
    assert made == {dg.AssetKey(["shop", "orders"])}
    kind = dg.DagsterEventType.ASSET_CHECK_EVALUATION
    found = [e.asset_check_evaluation_data for e in events if e.event_type is kind]
    assert {each.check_name: each.passed for each in found} == {
        name: name != "id__primary_key" for name in CHECKS
    }


class TestAroundTheFolder:
    """`with_contracts` in `definitions.py`, as the page shows it."""

    @pytest.fixture
    def definitions(
        self, project: DgProject, monkeypatch: pytest.MonkeyPatch
    ) -> Iterator[Callable[[], dg.Definitions]]:
        """Loads the project's definitions, which have the contract of the component, too."""
        monkeypatch.syspath_prepend(str(project.root / "src"))
        shutil.copytree(project.contract.parent, project.package / "contracts")
        path = project.package / "definitions.py"
        with project.changed(path, PLAIN_DEFINITIONS, DEFINITIONS):
            yield lambda: importlib.import_module("shop.definitions").defs()
        shutil.rmtree(project.package / "contracts")
        for name in [name for name in sys.modules if name.partition(".")[0] == "shop"]:
            del sys.modules[name]

    def test_assets_get_all_that_their_contract_says(
        self, project: DgProject, definitions: Callable[[], dg.Definitions]
    ) -> None:
        contract = project.package / "contracts" / "orders.odcs.yaml"
        text = contract.read_text("utf-8")
        contract.write_text(re.sub("(?m)^# (slaP|  )", r"\1", text), "utf-8")
        aside = project.component.rename(project.root / "aside")
        try:
            defs = definitions()
        finally:
            aside.rename(project.component)

        dg.Definitions.validate_loadable(defs)
        spec = next(s for s in defs.resolve_all_asset_specs() if s.key.path[-1] == "orders")
        assert spec.freshness_policy == dg.FreshnessPolicy.time_window(dt.timedelta(hours=24))
        assert spec.metadata["dqx_dagster/contract_status"] == "draft"
        assert "dagster/column_schema" in spec.metadata
        names = {key.name for key in defs.resolve_asset_graph().asset_check_keys}
        assert names == CHECKS | {"updated_at__sla_freshness_check"}

    # Dagster says so of its own copy of the checks that it loads from a folder.
    @pytest.mark.filterwarnings("ignore:Parameter .execution_type. of function")
    def test_what_a_component_cannot_say_is_added_to_its_checks(
        self, definitions: Callable[[], dg.Definitions]
    ) -> None:
        defs = definitions()

        spec = next(s for s in defs.resolve_all_asset_specs() if s.key.path[-1] == "orders")
        assert spec.metadata["dqx_dagster/contract_status"] == "draft"
        assert {key.name for key in defs.resolve_asset_graph().asset_check_keys} == CHECKS
