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
def every_order_has_a_customer(pyspark: LazyPySparkResource) -> dg.AssetCheckResult:
    """In Python, where SQL in a contract is not enough."""
    spark = pyspark.spark_session
    orders = spark.read.parquet(str(shop.DATA / "shop.orders.parquet"))
    customers = spark.read.parquet(str(shop.DATA / "shop.customers.parquet"))
    strangers = orders.join(customers, "customer_id", "left_anti").count()
    return dg.AssetCheckResult(passed=strangers == 0, metadata={"strangers": strangers})


defs = with_contracts(
    dg.Definitions(
        assets=[shop.customers, shop.orders, shop.payments, shop.visits, shop.daily_revenue],
        asset_checks=[every_order_has_a_customer],
        resources={"pyspark": LazyPySparkResource(spark_config=SPARK)},
    ),
    CONTRACTS,
    source=shop.DATA / "{dataset}.parquet",
    pool="spark",
)
