"""The pages say what is true: tables are those of the vocabulary, examples run."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import dagster as dg
import pytest
from pages import ROOT, block
from pyspark.sql import SparkSession

from dqx_dagster.checks.rule import plan
from dqx_dagster.loading import inspect


def reference_tables() -> ModuleType:
    path = ROOT / "tools" / "reference_tables.py"
    spec = importlib.util.spec_from_file_location("reference_tables", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def executed(page: str, folder: Path, examples: int = 1) -> dict[str, Any]:
    """What the Python of a page defines, beside the README's contract."""
    (folder / "contracts").mkdir()
    (folder / "contracts" / "orders.odcs.yaml").write_text(block("yaml"), "utf-8")
    found: dict[str, Any] = {}
    code = "".join(block("python", index, page) for index in range(examples))
    # Spark looks for relative paths where its own process was started.
    code = code.replace("data/", f"{folder}/data/")
    exec(compile(code, page, "exec", dont_inherit=True), found)
    return found


def run(page: str, folder: Path) -> dg.ExecuteInProcessResult:
    """A run of all that a page defines."""
    defs: dg.Definitions = executed(page, folder)["defs"]
    job = defs.resolve_implicit_global_asset_job_def()
    return job.execute_in_process(raise_on_error=False)


@pytest.mark.parametrize("page", ["README.md", "docs/contracts.md"])
def test_the_tables_are_those_of_the_vocabulary(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")

    assert text == reference_tables().with_tables(text), "run `make tables`"
    assert "<!-- table: checks -->" in text


def test_the_example_of_the_readme_runs(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    result = run("README.md", tmp_path)

    told = (f"{c.check_name}: {c.description}\n" for c in result.get_asset_check_evaluations())
    assert "".join(told) == block("text")
    events = result.get_asset_materialization_events()
    assert [event.asset_key for event in events] == [dg.AssetKey("orders")]


def test_the_example_of_checks_in_a_step_writes_nothing_that_is_broken(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    result = run("docs/in-step.md", tmp_path)

    broken = {c.check_name for c in result.get_asset_check_evaluations() if not c.passed}
    assert broken == {"order_id__primary_key", "status__valid_values"}
    assert result.get_asset_materialization_events() == []
    assert not (tmp_path / "data").exists()


def test_the_examples_of_blocking_run(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = "docs/blocking.md"

    example = executed(page, tmp_path, 3)
    more = dg.Definitions(assets=[example["letter"], example["total"]])
    defs = dg.Definitions.merge(example["defs"], more)
    job = defs.resolve_implicit_global_asset_job_def()
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        options: dict[str, Any] = {"instance": instance, "raise_on_error": False}
        job.execute_in_process(asset_selection=[dg.AssetKey("orders")], **options)
        keys = [dg.AssetKey(name) for name in ("report", "letter", "total")]
        later = job.execute_in_process(asset_selection=keys, **options)
        repository = defs.get_repository_def()
        with dg.build_schedule_context(instance, repository_def=repository) as context:
            morning = example["every_morning"](context)

    failures = {e.step_key: e.step_failure_data for e in later.all_events if e.is_step_failure}
    assert failures.keys() == {"report", "letter", "total.count"}
    told = failures["report"].user_failure_data
    time = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
    wanted = re.sub(time, "<time>", block("text", 0, page))
    assert told is not None
    assert re.sub(time, "<time>", f"{told.description}\n") == wanted
    assert re.sub(time, "<time>", morning.skip_message) in wanted


def test_the_errors_of_the_readme_are_real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "contracts").mkdir()
    wrong = block("yaml").replace("mustBeGreaterThan", "mustBeGreaterThn")
    wrong = wrong.replace("logicalType: integer ", "logicalType: uuid ")
    (tmp_path / "contracts" / "orders.odcs.yaml").write_text(wrong, "utf-8")
    monkeypatch.chdir(tmp_path)

    found = inspect([Path("contracts")]).errors

    assert "".join(f"{error}\n" for error in found) == block("text", 1)


def test_the_example_contracts_skip_just_what_they_say() -> None:
    inspection = inspect([ROOT / "example_project" / "contracts"])

    assert inspection.errors == ()
    skipped = "is not executable in DQX; skipping"
    assert [finding.message for finding in inspection.findings] == [
        f"Quality rule 'anomalies': type 'custom' with engine 'soda' {skipped}",
    ]
    assert len(inspection.contracts) == 4


def test_the_example_of_sql_rules_runs_in_the_shared_pass(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "sql.md").read_text("utf-8")
    snippet = page.partition("```yaml\n")[2].partition("```")[0]
    head = block("yaml").partition("schema:")[0]
    booked = "      - name: booked\n        logicalType: number\n"
    (tmp_path / "orders.odcs.yaml").write_text(head + snippet + booked, "utf-8")

    found = inspect([tmp_path])

    assert found.findings == ()
    rules = [rule for rule in found.lowered[0].rules if rule.word == "sql"]
    assert [rule.name for rule in rules] == ["reconciled", "amount__no_gifts"]
    assert plan(rules).queries == ()


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{p.name}" for p in ROOT.glob("docs/*.md"))])
def test_links_between_pages_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)

    assert [link for link in links if not ((ROOT / page).parent / link).exists()] == []


def test_every_picture_is_shown_and_loads_fast() -> None:
    pictures = sorted((ROOT / "docs" / "images").iterdir())
    page = (ROOT / "docs" / "ui.md").read_text("utf-8")

    assert [p.name for p in pictures if f"](images/{p.name})" not in page] == []
    assert [p.name for p in pictures if p.stat().st_size > 150_000] == []
