"""What the web team makes."""

import dagster as dg
from dagster_pyspark import LazyPySparkResource
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from example_project.shop import ago, uuid_of, write


@dg.asset(key=["shop", "visits"], group_name="web")
def visits(pyspark: LazyPySparkResource) -> dg.MaterializeResult[None]:
    """Visits of the last three days, ten in every hour."""
    spark = pyspark.spark_session
    number = F.col("id")
    table = spark.range(720).select(
        F.date_trunc("hour", ago(number * 360)).alias("hour"),
        uuid_of(number).alias("session"),
        F.array(F.lit("/"), F.concat(F.lit("/product/"), number)).alias("pages"),
    )
    return write(table, "visits")
