"""The pages say what is true: tables are those of the vocabulary, examples run."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pyspark.sql import SparkSession

from dqx_dagster.loading import inspect

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def reference_tables() -> ModuleType:
    path = ROOT / "tools" / "reference_tables.py"
    spec = importlib.util.spec_from_file_location("reference_tables", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def block(language: str, index: int = 0) -> str:
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return found[index]


@pytest.mark.parametrize("page", ["README.md", "docs/contracts.md"])
def test_the_tables_are_those_of_the_vocabulary(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")

    assert text == reference_tables().with_tables(text), "run `make tables`"
    assert "<!-- table: checks -->" in text


def test_the_example_of_the_readme_runs(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "orders.odcs.yaml").write_text(block("yaml"), "utf-8")
    monkeypatch.chdir(tmp_path)

    example: dict[str, Any] = {}
    # Spark looks for relative paths where its own process was started.
    code = block("python").replace("data/", f"{tmp_path}/data/")
    exec(compile(code, "README.md", "exec", dont_inherit=True), example)
    job = example["defs"].resolve_implicit_global_asset_job_def()
    result = job.execute_in_process(raise_on_error=False)

    told = (f"{c.check_name}: {c.description}\n" for c in result.get_asset_check_evaluations())
    assert "".join(told) == block("text")
    made = {event.asset_key.to_user_string() for event in result.get_asset_materialization_events()}
    assert made == {"orders"}


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
        f"Quality rule 'reconciled': type 'sql' {skipped}",
        f"Quality rule 'anomalies': type 'custom' with engine 'soda' {skipped}",
    ]
    assert len(inspection.contracts) == 5


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
