"""The shop's assets. The data is made on the spot; `batch: bad` makes a batch with mistakes."""

import os
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
from dagster_pyspark import LazyPySparkResource
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from dqx_dagster import Contract, contract_asset, load_contracts
from dqx_dagster.spark.quarantine import failing_rows

HERE = Path(__file__).parent
DATA = Path(os.environ.get("SHOP_DATA", HERE / "data")).resolve()
TABLES = DATA / "{dataset}.parquet"
CONTRACTS = {each.dataset: each for each in load_contracts(HERE / "contracts")}
DAYS = dg.DailyPartitionsDefinition("2026-01-01")
ORDERS, CUSTOMERS = 2_000, 200
QUARANTINED = ("order_id__primary_key", "status__valid_values", "amount__minimum")


class Batch(dg.Config):
    """Which orders arrive: a good batch, or a bad one."""

    batch: str = "good"


def write(table: DataFrame, name: str) -> dg.MaterializeResult[None]:
    """Write a table of the shop."""
    path = DATA / f"shop.{name}.parquet"
    table.write.mode("overwrite").parquet(str(path))
    metadata = {"path": dg.MetadataValue.path(path)}
    return dg.MaterializeResult(asset_key=["shop", name], metadata=metadata)


def _pick(words: list[str]) -> Column:
    place = F.pmod(F.xxhash64("id"), F.lit(len(words))) + 1
    return F.element_at(F.array(*map(F.lit, words)), place.cast("int"))


def uuid_of(number: Column) -> Column:
    """A UUID for each number, always the same."""
    digest = F.md5(number.cast("string"))
    sizes = ((1, 8), (9, 4), (13, 4), (17, 4), (21, 12))
    return F.concat_ws("-", *(F.substring(digest, at, size) for at, size in sizes))


def ago(seconds: Column | int) -> Column:
    """A moment before now; rows that are written together are of different ages."""
    return F.timestamp_micros(F.unix_micros(F.current_timestamp()) - F.lit(1_000_000) * seconds)


@dg.asset(key=["shop", "customers"], group_name="shop")
def customers(pyspark: LazyPySparkResource) -> dg.MaterializeResult[None]:
    """Everybody who has ever ordered."""
    spark = pyspark.spark_session
    number = F.col("id")
    table = spark.range(1, CUSTOMERS + 1).select(
        number.alias("customer_id"),
        F.concat(F.lit("customer"), number, F.lit("@example.com")).alias("email"),
        _pick(["DE", "FR", "NO", "PL"]).alias("country"),
        F.date_add(F.lit("2020-01-01").cast("date"), number.cast("int")).alias("joined_on"),
        F.struct(
            F.lit("Springfield").alias("city"), F.lpad(number.cast("string"), 5, "0").alias("zip")
        ).alias("address"),
        F.array(_pick(["tea", "coffee"]), F.lit("books")).alias("interests"),
    )
    return write(table, "customers")


@dg.multi_asset(
    name="shop__orders",
    specs=[
        dg.AssetSpec(
            ["shop", "orders"],
            group_name="shop",
            deps=[customers],
            description="The orders of the last three days.",
        ),
        dg.AssetSpec(
            ["shop", "orders_quarantine"],
            group_name="shop",
            deps=[customers],
            description="The orders that break P0 rules, with the rules: empty on a good day.",
        ),
    ],
    can_subset=True,
)
def orders(
    context: dg.AssetExecutionContext, config: Batch, pyspark: LazyPySparkResource
) -> Iterator[dg.MaterializeResult[None]]:
    """The batch as it came, and beside it what is wrong with it; or just one of the two.

    A quarantine that came after the orders would not run when they are broken.
    """
    selected = {key.path[-1] for key in context.selected_asset_keys}
    if "orders" in selected:
        table = _batch(pyspark.spark_session)
        yield write(_spoiled(table) if config.batch == "bad" else table, "orders")
    if "orders_quarantine" in selected:
        stored = pyspark.spark_session.read.parquet(str(DATA / "shop.orders.parquet"))
        broken = failing_rows(CONTRACTS["shop.orders"], stored, QUARANTINED)
        yield write(broken, "orders_quarantine")


def _batch(spark: SparkSession) -> DataFrame:
    number = F.col("id")
    return spark.range(1, ORDERS + 1).select(
        number.alias("order_id"),
        (number % CUSTOMERS + 1).alias("customer_id"),
        _pick(["pending", "shipped", "delivered", "cancelled"]).alias("status"),
        (20 + number % 97).cast("double").alias("amount"),
        F.when(number % 50 > 0, F.concat(F.lit("customer"), number, F.lit("@example.com"))).alias(
            "email"
        ),
        ago(number * 130).alias("placed_at"),
    )


def _spoiled(table: DataFrame) -> DataFrame:
    """An upstream mistake: a status nobody knows, orders sent twice, addresses lost."""
    number = F.col("order_id")
    lost = table.withColumns(
        {
            "status": F.when(number % 100 == 7, "lost").otherwise(F.col("status")),
            "email": F.when(number % 3 > 0, F.col("email")),
            "amount": F.when(number % 400 == 9, -F.col("amount")).otherwise(F.col("amount")),
        }
    )
    return lost.unionAll(lost.where(number <= 5))


def _publish(table: DataFrame, contract: Contract, _: dg.AssetExecutionContext) -> None:
    table.write.mode("overwrite").parquet(str(DATA / f"{contract.dataset}.parquet"))


@contract_asset(
    CONTRACTS["shop.payments"],
    source=TABLES,
    write=_publish,
    group_name="shop",
    deps=[dg.AssetKey(["shop", "orders"])],
)
def payments(pyspark: LazyPySparkResource) -> DataFrame:
    """What was paid for the orders that were sent: checked before it is written."""
    spark: SparkSession = pyspark.spark_session
    paid = spark.read.parquet(str(DATA / "shop.orders.parquet")).where("status = 'delivered'")
    return paid.withColumnRenamed("order_id", "id").select(
        uuid_of(F.col("id")).alias("payment_id"),
        F.col("id").alias("order_id"),
        _pick(["card", "invoice", "voucher"]).alias("method"),
        F.col("amount").cast("decimal(10,2)").alias("amount"),
        F.col("amount").cast("decimal(10,2)").alias("booked"),
        F.col("placed_at").alias("paid_at"),
    )


@dg.asset(
    key=["shop", "daily_revenue"],
    group_name="reports",
    deps=[dg.AssetKey(["shop", "orders"]), payments],
    partitions_def=DAYS,
)
def daily_revenue(context: dg.AssetExecutionContext, pyspark: LazyPySparkResource) -> None:
    """What the shop earned, a day at a time."""
    spark = pyspark.spark_session
    paid = spark.read.parquet(str(DATA / "shop.payments.parquet"))
    table = (
        paid.groupBy(F.to_date("paid_at").alias("day"))
        .agg(F.count(F.lit(1)).alias("orders"), F.sum("amount").alias("revenue"))
        .where(F.col("day") == context.partition_key)
    )
    only_this_day = table.write.mode("overwrite").option("partitionOverwriteMode", "dynamic")
    only_this_day.partitionBy("day").parquet(str(DATA / "shop.daily_revenue.parquet"))
