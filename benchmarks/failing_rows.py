"""What it costs to show rows that break rules, as ratios to checking without.

Makes tables of orders in which some rows break rules: a status nobody knows, an address or a zip
code that is none, an amount that is missing; and some orders are there twice. Then measures the
contract of 35 rules on each

* without rows, with five rows of each broken rule, and
* as a warning: the shared pass alone, by itself and with `max_by(row, hash, 5)` for the four rules
  in it, which Spark has from 4.2 on; that would show rows without another query.

All take turns in one session, and the cheapest turn of each counts, by CPU time of the JVM.

    python benchmarks/failing_rows.py --rows 10000000
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine import NOW, rules_of, session, take_turns
from orders import EMAIL, STATUSES, ZIP, contract_of, make_orders
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from dqx_dagster import Contract, Settings, plan
from dqx_dagster.metrics.plan import Family
from dqx_dagster.spark.binding import Binding
from dqx_dagster.spark.check import check_table
from dqx_dagster.spark.compile import Compiler

SHOWN = Settings(failing_rows=5)
BROKEN = {  # one row in so many, and whether keys are repeated
    "one row in 1,000": (1_000, False),
    "one row and one key in 1,000": (1_000, True),
    "one row and one key in 200,000": (200_000, True),
}


def main() -> None:
    """Print a table for each kind of broken table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--data", type=Path, help="keep the tables here, and use them again")
    given = parser.parse_args()
    spark = session()
    with tempfile.TemporaryDirectory() as folder:
        contract = _contract(Path(folder))
        for name, (one_in, is_repeated) in BROKEN.items():
            path = (given.data or Path(folder)) / f"broken-{given.rows}-{one_in}-{is_repeated}"
            table = _table(spark, given.rows, path, one_in, is_repeated=is_repeated)
            ways: dict[str, Callable[[], Any]] = {
                "without": lambda table=table: check_table(contract, table, now=NOW),
                "with rows": lambda table=table: _shown(contract, table),
            }
            if not is_repeated and hasattr(F, "max_by"):
                ways |= _passes(table)
            turns = take_turns(spark, ways, given.turns)
            print(f"\n{given.rows:,} rows; broken: {name}")
            for way, turn in turns.items():
                to = turns["the pass" if "pass" in way else "without"]
                print(f"{way:24}{turn.cpu:8.1f} CPU s{turn.cpu / to.cpu:8.2f}", flush=True)


def _contract(folder: Path) -> Contract:
    document = contract_of(35)
    document["schema"][0]["properties"][0]["primaryKey"] = True  # by which rows are shown
    path = folder / "orders.yaml"
    path.write_text(json.dumps(document), "utf-8")
    (contract,) = Contract.from_odcs(path)
    return contract


def _table(
    spark: SparkSession, rows: int, path: Path, one_in: int, *, is_repeated: bool
) -> DataFrame:
    if not path.exists():
        with tempfile.TemporaryDirectory() as folder:
            make_orders(spark, rows, f"{folder}/orders")
            good = spark.read.parquet(f"{folder}/orders")
            chance = F.pmod(F.xxhash64("order_id", F.lit("broken")), F.lit(one_in))
            bad = good.withColumns(
                {
                    "status": F.when(chance == 1, "lost").otherwise(F.col("status")),
                    "email": F.when(chance == 2, "nobody").otherwise(F.col("email")),
                    "zip": F.when(chance == 3, "none").otherwise(F.col("zip")),
                    "amount": F.when(chance != 4, F.col("amount")),
                }
            )
            twice = bad.unionAll(bad.where(chance == 5)) if is_repeated else bad
            twice.write.parquet(str(path))
    return spark.read.parquet(str(path))


def _shown(contract: Contract, table: DataFrame) -> None:
    found = check_table(contract, table, now=NOW, settings=SHOWN)
    assert len(found.samples) >= 4, found.samples
    assert all(samples.rows for samples in found.samples.values()), found.samples


def _passes(table: DataFrame) -> dict[str, Callable[[], Any]]:
    """The shared pass, and the same with rows in it."""
    compiler = Compiler(Binding(table.schema))
    aggregates = plan(rules_of(35)).families[Family.SCAN]
    columns = [compiler.compile(each).column for each in aggregates]
    broken = {
        "status": ~F.col("status").isin(STATUSES),
        "email": ~F.col("email").rlike(EMAIL),
        "zip": ~F.col("zip").rlike(ZIP),
        "amount": F.col("amount").isNull(),
    }
    kept = [
        F.expr(
            f"max_by(struct(order_id, {name}), CASE WHEN broken_{name}"
            f" THEN xxhash64(order_id, {name}) END, 5)"
        )
        for name in broken
    ]
    marked = table.withColumns({f"broken_{name}": holds for name, holds in broken.items()})
    return {
        "the pass": lambda: table.agg(*columns).collect(),
        "the pass with max_by": lambda: marked.agg(*columns, *kept).collect(),
    }


if __name__ == "__main__":
    main()
