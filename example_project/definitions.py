"""The shop's definitions, with its contracts: what `workspace.yaml` loads."""

from pathlib import Path

import dagster as dg
from dagster_pyspark import LazyPySparkResource

from dqx_dagster import Settings, load_contracts, with_contracts
from example_project import shop

HERE = Path(__file__).parent
SPARK = {
    "spark.app.name": "shop",
    "spark.driver.bindAddress": "127.0.0.1",
    # For little data: compile fast rather than well, and one thread for garbage.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "4",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@dg.asset_check(
    asset=dg.AssetKey(["shop", "orders"]),
    description="Written by hand, beside those of the contract",
)
def few_files() -> dg.AssetCheckResult:
    """A rule that no contract can say: it is about files, not about rows."""
    files = len(list((shop.DATA / "shop.orders.parquet").glob("*.parquet")))
    return dg.AssetCheckResult(passed=files <= 100, metadata={"files": files})


defs = with_contracts(
    dg.Definitions.merge(
        dg.Definitions(
            assets=[shop.customers, shop.orders, shop.payments, shop.daily_revenue],
            asset_checks=[few_files],
            resources={"pyspark": LazyPySparkResource(spark_config=SPARK)},
            executor=dg.in_process_executor,  # one Spark for a run, instead of one for each step
        ),
        dg.load_from_defs_folder(path_within_project=HERE),
    ),
    # The checks of the web team are made by their component; here their assets get the rest.
    [*shop.CONTRACTS.values(), *load_contracts(HERE / "defs" / "quality" / "contracts")],
    source=shop.TABLES,
    settings=Settings(failing_rows=5),  # that break a rule, in its result
    pool="spark",
    guard=True,  # what comes after a broken P0 is not made, in no run
)
