"""The example project loads as `make dev` loads it, and says nothing that nobody needs to know."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest
from pyspark.sql import SparkSession

from assets.projects import INSTANCE, Project, Session

ROOT = Path(__file__).parents[2]


def test_dagster_loads_the_workspace_and_warns_of_just_what_is_not_enforced(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.home.mkdir()
    (project.home / "dagster.yaml").write_text(INSTANCE, "utf-8")
    command = ("dagster", "definitions", "validate", "-w", str(ROOT / "workspace.yaml"))

    with project.running(*command) as process:
        assert process.wait(120) == 0, project.log()

    said = [line for line in project.log().splitlines() if "WARNING" in line]
    assert [line for line in said if "engine 'soda' is not executable in DQX" not in line] == []
    assert len(said) <= 1


@pytest.mark.filterwarnings("ignore:.*engine 'soda'")  # of a contract of the example
def test_orders_can_be_made_without_their_quarantine(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from example_project import shop

    monkeypatch.setattr(shop, "DATA", tmp_path)
    resources = {"pyspark": Session(spark)}

    for name in ("orders", "orders_quarantine"):
        made = dg.materialize(
            [shop.orders], selection=[dg.AssetKey(["shop", name])], resources=resources
        )
        assert made.success
        assert {path.name for path in tmp_path.glob(f"shop.{name}.*")} == {f"shop.{name}.parquet"}
        assert len(list(tmp_path.iterdir())) == (1 if name == "orders" else 2)
