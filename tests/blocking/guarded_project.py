"""Jobs on guarded assets of `small_project.py`, to be copied beside it, where it is `defs.py`."""

import dagster as dg
from dagster_pyspark import LazyPySparkResource
from defs import HERE, SPARK, orders, report  # type: ignore[import-not-found] # there it is

from dqx_dagster import blocked_by, with_contracts

REPORT = dg.AssetSelection.assets("report")


@dg.op
def write(context: dg.OpExecutionContext) -> None:
    """Put down what stands in the way of a report."""
    (HERE / "blocked").write_text("\n".join(map(str, blocked_by(context, REPORT))), "utf-8")


@dg.job(executor_def=dg.in_process_executor)
def ask() -> None:
    """A job without assets."""
    write()


definitions = with_contracts(
    dg.Definitions(
        assets=[orders, report],
        jobs=[
            dg.define_asset_job("everything"),
            dg.define_asset_job("later", REPORT, executor_def=dg.in_process_executor),
            ask,
        ],
        resources={"pyspark": LazyPySparkResource(spark_config=SPARK)},
    ),
    HERE / "contracts",
    source=HERE / "{dataset}.parquet",
    guard=True,
)
