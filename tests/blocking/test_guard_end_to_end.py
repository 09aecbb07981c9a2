"""Real contracts on real Spark, each step in a process of its own: where blocking would end."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from assets.projects import (
    BROKEN,
    CONTRACT,
    GOOD,
    KEY,
    ORDERS,
    Project,
    Session,
    made,
    make_project,
    table,
    write_contract,
)
from pyspark.sql import SparkSession

from blocking.gated import REFUSED, refusal_of
from dqx_dagster import (
    ContractWarning,
    DagsterContractTranslator,
    contract_asset,
    with_contracts,
)

TIMEOUT = 300  # seconds; a tenth is enough where nothing else runs
PLACE = "contracts/orders.odcs.yaml:13"
OVERRIDE = "dqx_dagster/override"
EAGER_EXECUTOR = """\
execution:
  config:
    multiprocess:
      step_dependency_config: {require_upstream_step_success: false}
"""


def execute(project: Project, job: str, *options: str) -> None:
    """Run a job; how it went is in the instance."""
    command = ("dagster", "job", "execute", "-f", "guarded.py", "-j", job, *options)
    with project.running(*command) as process:
        process.wait(TIMEOUT)


def is_made(project: Project) -> bool:
    return project.reported


def refusal(project: Project) -> str:
    """What the report said in the last run, instead of being made."""
    with project.instance() as instance:
        (run,) = instance.get_runs(limit=1)
        logs = instance.all_logs(run.run_id, dg.DagsterEventType.STEP_FAILURE)
    (failure,) = [
        entry.dagster_event.step_failure_data
        for entry in logs
        if entry.dagster_event and entry.step_key == "report"
    ]
    assert failure.user_failure_data is not None
    return failure.user_failure_data.description or ""


def test_processes_refuse_until_somebody_takes_the_blame(
    spark: SparkSession, tmp_path: Path
) -> None:
    """One test, because what is refused depends on what was run before."""
    project = make_project(tmp_path, spark, BROKEN)
    shutil.copy(Path(__file__).parent / "guarded_project.py", project.folder / "guarded.py")
    (project.folder / "eager.yaml").write_text(EAGER_EXECUTOR, "utf-8")

    execute(project, "everything", "-c", "eager.yaml")
    assert not is_made(project), project.log()
    assert REFUSED in refusal(project)

    execute(project, "later")
    assert not is_made(project), project.log()
    said = refusal(project)
    assert f"shop/orders: {KEY} ({PLACE}) failed at" in said
    assert "1 of 2 rows (50 %) have a key that is repeated or null; allowed: none" in said
    assert "volume" not in said

    execute(project, "ask")
    assert project.wait_for("blocked") in said

    execute(project, "later", "--tags", json.dumps({OVERRIDE: "the board meets at noon"}))
    assert is_made(project), project.log()
    with project.instance() as instance:
        (record,) = instance.fetch_materializations(dg.AssetKey("report"), limit=1).records
    assert record.asset_materialization is not None
    metadata: Any = record.asset_materialization.metadata
    assert metadata[OVERRIDE].value == "the board meets at noon"
    assert [each["check"] for each in metadata["dqx_dagster/overridden"].value] == [KEY]


class Bare(DagsterContractTranslator):
    """Says nothing but the name."""

    def get_asset_check_spec(self, contract: Any, rule: Any) -> dg.AssetCheckSpec:
        spec = super().get_asset_check_spec(contract, rule)
        assert spec is not None
        return spec.with_metadata({})


@pytest.mark.parametrize("translator", [None, Bare()], ids=["our translator", "another"])
def test_the_checks_of_contracts_stop_and_let_go(
    spark: SparkSession, tmp_path: Path, translator: DagsterContractTranslator | None
) -> None:
    @dg.asset(key=ORDERS)
    def orders() -> None: ...

    @dg.asset(deps=[orders])
    def report() -> None: ...

    rows = BROKEN
    defs = with_contracts(
        dg.Definitions(assets=[orders, report], resources={"pyspark": Session(spark)}),
        write_contract(tmp_path),
        source=lambda spark, *_: table(spark, rows),
        translator=translator,
        guard=True,
    )
    job = defs.resolve_implicit_global_asset_job_def()
    with dg.DagsterInstance.ephemeral() as instance:

        def run(key: dg.AssetKey) -> dg.ExecuteInProcessResult:
            return job.execute_in_process(
                instance=instance, asset_selection=[key], raise_on_error=False
            )

        run(ORDERS)
        refused = run(report.key)
        rows = GOOD
        run(ORDERS)
        after = run(report.key)

    assert REFUSED in refusal_of(refused, "report")
    assert made(after) == {"report"}


def test_an_asset_that_is_checked_in_its_own_step_refuses_to_be_made_and_not_to_be_checked(
    spark: SparkSession, tmp_path: Path
) -> None:
    calls: list[str] = []
    contracts = write_contract(tmp_path)
    own = write_contract(tmp_path / "own", CONTRACT.replace("shop.orders", "shop.bills"))

    @dg.asset(key=ORDERS)
    def orders() -> None: ...

    @contract_asset(
        own / "orders.odcs.yaml", source=lambda spark, *_: table(spark, GOOD), deps=[ORDERS]
    )
    def bills(pyspark: dg.ResourceParam[Session]) -> None:
        calls.append("made")

    chosen = dg.AssetSelection.checks_for_assets(bills)
    defs = with_contracts(
        dg.Definitions(
            assets=[orders, bills],
            jobs=[dg.define_asset_job("checks", chosen)],
            resources={"pyspark": Session(spark)},
        ),
        contracts,
        source=lambda spark, *_: table(spark, BROKEN),
        guard=True,
    )
    with dg.DagsterInstance.ephemeral() as instance:

        def run(job: dg.JobDefinition, *keys: dg.AssetKey) -> dg.ExecuteInProcessResult:
            return job.execute_in_process(
                instance=instance, asset_selection=keys or None, raise_on_error=False
            )

        every = defs.resolve_implicit_global_asset_job_def()
        run(every, ORDERS)
        refused = run(every, bills.key)
        checked = run(defs.resolve_job_def("checks"))

    assert REFUSED in refusal_of(refused, "shop__bills")
    assert refused.get_asset_check_evaluations() == []
    assert calls == []
    assert checked.success
    assert len(checked.get_asset_check_evaluations()) == 4


def test_a_graph_that_cannot_be_guarded_is_named(tmp_path: Path) -> None:
    @dg.op
    def fetch(orders: Any) -> int:
        return 1

    @dg.graph_asset(ins={"orders": dg.AssetIn(ORDERS)})
    def total(orders: Any) -> Any:
        return fetch(orders)

    defs = dg.Definitions(assets=[dg.AssetSpec(ORDERS), total])
    with pytest.warns(ContractWarning) as warned:
        after = with_contracts(defs, write_contract(tmp_path), guard=True)

    assert str(warned[0].message) == (
        "asset total is not guarded: put @guarded on the ops that take its inputs: fetch"
    )
    assert warned[0].filename == __file__
    assert [" is external" in str(each.message) for each in warned] == [False, True]
    assert len(list(after.assets or [])) == 2


@pytest.mark.filterwarnings("ignore::dagster.PreviewWarning")  # of partitioned checks
def test_one_result_for_all_partitions_is_told(tmp_path: Path) -> None:
    days = dg.DailyPartitionsDefinition("2026-03-01")

    @dg.asset(key=ORDERS, partitions_def=days, metadata={"partition_expr": "id"})
    def orders() -> None: ...

    @dg.asset(deps=[orders], partitions_def=days)
    def report() -> None: ...

    defs = dg.Definitions(assets=[orders, report])
    keyed = CONTRACT.replace("primaryKey: true", "primaryKey: true, partitioned: true")
    contracts = write_contract(tmp_path, keyed)

    with pytest.warns(ContractWarning, match="a good one hides a bad one from the guard; set part"):
        with_contracts(defs, contracts, guard=True)
    with_contracts(defs, contracts)
    with_contracts(defs, contracts, guard=True, partitioned_checks=True)
    with_contracts(dg.Definitions(assets=[orders]), contracts, guard=True)  # nothing reads them
