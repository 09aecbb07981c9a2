"""The example project loads as `make dev` loads it, and says nothing that nobody needs to know."""

from __future__ import annotations

from pathlib import Path

from assets.projects import INSTANCE, Project

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


def test_orders_can_be_made_without_their_quarantine(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.home.mkdir()
    (project.home / "dagster.yaml").write_text(INSTANCE, "utf-8")
    data = tmp_path / "data"
    command = ("dagster", "asset", "materialize", "-m", "example_project.definitions")
    select = ("--working-directory", str(ROOT), "--select", "shop/customers,shop/orders")

    with project.running(*command, *select, SHOP_DATA=str(data)) as process:
        assert process.wait(300) == 0, project.log()

    assert {path.name for path in data.iterdir()} == {
        "shop.customers.parquet",
        "shop.orders.parquet",
    }
