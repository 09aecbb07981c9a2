"""The shop's definitions, with its contracts: what `workspace.yaml` loads."""

from pathlib import Path

import dagster as dg
from dagster_pyspark import LazyPySparkResource

from dqx_dagster import with_contracts
from example_project import shop

CONTRACTS = Path(__file__).parent / "contracts"
SPARK = {
    "spark.app.name": "shop",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "4",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@dg.asset_check(asset=shop.orders, description="Written by hand, beside those of the contract")
def few_files() -> dg.AssetCheckResult:
    """A rule that no contract can say: it is about files, not about rows."""
    files = len(list((shop.DATA / "shop.orders.parquet").glob("*.parquet")))
    return dg.AssetCheckResult(passed=files <= 100, metadata={"files": files})


defs = with_contracts(
    dg.Definitions(
        assets=[shop.customers, shop.orders, shop.payments, shop.visits, shop.daily_revenue],
        asset_checks=[few_files],
        resources={"pyspark": LazyPySparkResource(spark_config=SPARK)},
    ),
    CONTRACTS,
    source=shop.DATA / "{dataset}.parquet",
    pool="spark",
)
