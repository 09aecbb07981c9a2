"""A table of orders, contracts for it, and the best plan that we know for the one with 35 rules."""

from __future__ import annotations

import math
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

STATUSES = ["new", "paid", "shipped", "returned", "cancelled"]
COUNTRIES = ["DE", "ES", "FR", "IT", "NO", "PL", "SE"]
EMAIL = r"^[a-z0-9.]+@[a-z.]+\.[a-z]{2,}$"
ZIP = "^[0-9]{5}$"

CONTRACT_COLUMNS = (
    "order_id",
    "order_date",
    "customer_id",
    "status",
    "zip",
    "amount",
    "quantity",
    "email",
    "note",
    "created_at",
    "updated_at",
    "country",
)


def make_orders(spark: SparkSession, rows: int, path: str) -> None:
    """Write the table as Parquet: 12 columns, one customer for eight orders, 5 % without a note."""
    number = F.col("id")

    def chance(seed: int, below: int) -> Column:
        return F.pmod(F.xxhash64(number, F.lit(seed)), F.lit(below))

    def pick(seed: int, words: list[str]) -> Column:
        place = (chance(seed, len(words)) + 1).cast("int")
        return F.element_at(F.array(*map(F.lit, words)), place)

    def moment(seed: int) -> Column:
        return F.timestamp_micros((chance(seed, 60_000_000) + 1_704_067_200) * 1_000_000)

    columns = [
        number,
        F.date_add(F.lit("2024-01-01").cast("date"), chance(1, 700).cast("int")),
        F.format_string("C%08d", chance(2, max(1, rows // 8))),
        pick(3, STATUSES),
        F.lpad(chance(4, 100_000).cast("string"), 5, "0"),
        (chance(5, 1_000_000) / 100).cast("double"),
        chance(6, 50).cast("int"),
        F.concat(F.lit("user"), chance(7, 3_000_000).cast("string"), F.lit("@example.com")),
        F.when(
            chance(8, 20) > 0, F.substring(F.sha2(chance(8, 500_000).cast("string"), 256), 1, 20)
        ),
        moment(9),
        moment(10),
        pick(11, COUNTRIES),
    ]
    named = (column.alias(name) for name, column in zip(CONTRACT_COLUMNS, columns, strict=True))
    spark.range(rows).select(*named).write.parquet(path)


def contract_of(size: int) -> dict[str, Any]:
    """An ODCS contract with just so many rules: the 35, fewer of them, or more of their kinds."""
    rules = [
        {"name": f"rule_{index}", **rule}
        for index, rule in enumerate((_orders_rules() + _more_rules(size))[:size])
    ]
    types = {"order_id": "integer", "quantity": "integer", "amount": "number", "order_date": "date"}
    moments = ("created_at", "updated_at")
    kinds = {n: types.get(n, "timestamp" if n in moments else "string") for n in CONTRACT_COLUMNS}
    properties = [{"name": name, "logicalType": kind} for name, kind in kinds.items()]
    return {
        "apiVersion": "v3.1.0",
        "kind": "DataContract",
        "id": "orders",
        "version": "1.0.0",
        "status": "active",
        "schema": [{"name": "orders", "properties": properties, "quality": rules}],
    }


_OPERATORS = {"least": "mustBeGreaterOrEqualTo", "most": "mustBeLessOrEqualTo"}


def _rule(check: str, column: str | None = None, **given: Any) -> dict[str, Any]:
    where = {} if column is None else {"column": column}
    named = {_OPERATORS.get(key, key): value for key, value in given.items()}
    return {"type": "custom", "engine": "dqx", "implementation": {"check": check, **where, **named}}


def _orders_rules() -> list[dict[str, Any]]:
    nullable = ["order_id", "customer_id", "status", "amount", "email", "order_date"]
    both = {"columns": ["order_id", "order_date"]}
    rules = [
        _rule("num_rows", least=1),
        *(_rule("missing", name, most=0) for name in nullable),
        _rule("duplicates", "order_id", most=0),
        _rule("duplicates", **both, most=0),
        _rule("duplicates", "customer_id", most=0.99, **{"return": "pct"}),
        _rule("cardinality", "status", most=5),
        _rule("cardinality", "zip", most=100_000),
        _rule("whitelist", "status", values=STATUSES, most=0),
        _rule("blacklist", "country", values=["XX", "YY"], most=0),
        _rule("pattern", "email", pattern=EMAIL, most=0),
        _rule("pattern", "zip", pattern=ZIP, most=0),
        *(_rule(word, "amount", most=1e15) for word in ("min", "max", "mean", "sum")),
        *(_rule(word, "amount", most=1e15) for word in ("stddev", "variance")),
        *(_rule(word, "quantity", most=1e15) for word in ("min", "max", "mean")),
        _rule("percentile", "amount", percentile=0.95, most=10_000),
        *(
            _rule(word, "customer_id", least=1)
            for word in ("min_length", "max_length", "avg_length")
        ),
        _rule("max_length", "zip", mustBe=5),
        *(
            _rule("freshness", timestamp_column=name, max_age_hours=999_999)
            for name in ("created_at", "updated_at")
        ),
        *(_rule("missing", name, most=0.1, **{"return": "pct"}) for name in ("note", "zip")),
        _rule("count", "note", least=1),
    ]
    assert len(rules) == 35
    return rules


def _more_rules(size: int) -> list[dict[str, Any]]:
    """More of the kinds that share the pass, each with constants of its own."""
    rules: list[dict[str, Any]] = []
    for n in range(max(0, size)):
        match n % 5:
            case 0:
                rules.append(_rule("whitelist", "status", values=[*STATUSES, f"s{n}"], most=0))
            case 1:
                rules.append(_rule("blacklist", "country", values=[f"c{n}", "XX"], most=0))
            case 2:
                rules.append(_rule("blacklist", "quantity", values=[1_000 + n, -1], most=0))
            case 3:
                rules.append(_rule("whitelist", "zip", values=["00000", f"{n:05}"], most=1e15))
            case _:
                rules.append(_rule("blacklist", "note", values=["-", f"n{n}"], most=0))
    return rules


def by_hand(table: DataFrame) -> dict[str, Any]:
    """The 35 rules as somebody writes them who knows Spark and this table well."""
    found = _lean(table)
    found["p95"] = table.agg(
        F.kll_sketch_get_quantile_double(
            F.kll_sketch_agg_double("amount", F.lit(4096)), F.lit(0.95)
        )
    ).collect()[0][0]
    # The keys are dense, and one of them alone is unique: so are both together.
    bits = F.bitmap_construct_agg(F.bitmap_bit_position("order_id")).alias("bits")
    buckets = table.groupBy(F.bitmap_bucket_number("order_id").alias("bucket")).agg(bits)
    found["order_ids"] = buckets.agg(F.sum(F.bitmap_count("bits"))).collect()[0][0]
    hashes = table.select(F.xxhash64("customer_id").alias("h")).repartition("h")
    found["customers"] = hashes.distinct().count()
    for name in ("zip", "status"):
        found[name] = table.select(name).distinct().count()
    return found


def _lean(table: DataFrame) -> dict[str, Any]:
    """Everything that needs no grouping, with as few aggregates as possible."""
    filled = ["order_id", "customer_id", "status", "amount", "email", "order_date", "note", "zip"]
    length, zip_length = F.length("customer_id"), F.length("zip")
    columns = {
        "rows": F.count(F.lit(1)),
        **{f"{name} set": F.count(name) for name in filled},
        "statuses": F.count_if(~F.col("status").isin(STATUSES)),
        "countries": F.count_if(F.col("country").isin("XX", "YY")),
        "emails": F.count_if(~F.col("email").rlike(EMAIL)),
        "zips": F.count_if(~F.col("zip").rlike(ZIP)),
        "least": F.min("amount"),
        "most": F.max("amount"),
        "sum": F.sum("amount"),
        "variance": F.var_samp("amount"),
        "fewest": F.min("quantity"),
        "highest": F.max("quantity"),
        "pieces": F.sum("quantity"),
        "pieces set": F.count("quantity"),
        "shortest": F.min(length),
        "longest": F.max(length),
        "lengths": F.sum(length),
        "zip length": F.max(zip_length),
        "created": F.max("created_at"),
        "updated": F.max("updated_at"),
    }
    row = table.agg(*(column.alias(name) for name, column in columns.items())).collect()[0]
    found = row.asDict()
    found["mean"] = found["sum"] / found["amount set"]
    found["stddev"] = math.sqrt(found["variance"])
    return found
