"""What measuring a contract on Spark costs, as ratios within one run.

Makes a table of orders, and measures contracts of 10, 35, 100 and 300 rules on it:

* as the package does;
* by hand: the best plan that we know, written for just the 35 rules (below);
* naively: all aggregates in one `agg`, with `count_distinct` and `percentile_approx` in it;
* with one job for each rule;
* and, as the floor, reading the columns alone.

All take turns in one session, and the cheapest turn of each counts, by CPU time of the JVM.

    python benchmarks/engine.py --rows 10000000 --rules 35
"""

from __future__ import annotations

import argparse
import datetime as dt
import itertools
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orders import CONTRACT_COLUMNS, by_hand, contract_of, make_orders
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from dqx_dagster import Contract, lower, plan
from dqx_dagster.checks.rule import Rule
from dqx_dagster.metrics import metric as m
from dqx_dagster.metrics.value import Row
from dqx_dagster.spark.binding import Binding
from dqx_dagster.spark.compile import Compiler
from dqx_dagster.spark.measure import measure

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)
SLOW_ROWS = 2_000_000
"""Above this many rows, what is hopeless with more than 35 rules runs only if it is named."""


@dataclass(frozen=True)
class Turn:
    """What one way of measuring took."""

    wall: float
    cpu: float


def main() -> None:
    """Print the table of ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rules", type=int, nargs="+", default=[10, 35, 100, 300])
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--data", type=Path, help="keep the table here, and use it again")
    parser.add_argument("--only", nargs="+", help="of engine, hand, agg, jobs and floor")
    given = parser.parse_args()
    spark = session()
    with tempfile.TemporaryDirectory() as folder:
        path = (given.data or Path(folder)) / f"orders-{given.rows}"
        if not path.exists():
            make_orders(spark, given.rows, str(path))
        table = spark.read.parquet(str(path))
        for rules in given.rules:
            ways = dict(ways_of(table, rules))
            hopeless = {"agg", "jobs"} if rules > 35 and given.rows > SLOW_ROWS else set()
            chosen = {k: ways[k] for k in ways if k in (given.only or ways.keys() - hopeless)}
            report(given.rows, rules, take_turns(spark, chosen, given.turns))


def session() -> SparkSession:
    """A session as a laptop has it."""
    builder = SparkSession.builder.master("local[*]").appName("benchmark")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "4g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.session.timeZone": "UTC",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def ways_of(table: DataFrame, size: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The ways of measuring a contract of so many rules."""
    rules = rules_of(size)
    wanted = plan(rules)
    yield "engine", lambda: measure(table, wanted, now=NOW)
    if size == 35:
        yield "hand", lambda: by_hand(table)
    columns = naive(table, wanted.aggregates)
    yield "agg", lambda: table.agg(*columns).collect()
    jobs = [naive(table, plan([rule]).aggregates) for rule in rules]
    yield "jobs", lambda: [table.agg(*job).collect() for job in jobs]
    names = [F.col(name) for name in CONTRACT_COLUMNS]
    yield "floor", lambda: table.agg(F.sum(F.hash(*names))).collect()


def rules_of(size: int) -> list[Rule]:
    """The first rules of a contract that has at least so many."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "orders.yaml"
        path.write_text(json.dumps(contract_of(size), indent=1), "utf-8")
        (contract,) = Contract.from_odcs(path)
    # What the schema alone implies is no part of the comparison.
    rules = [rule for rule in lower(contract).rules if rule.name != "schema"]
    assert len(rules) == size, len(rules)
    return rules


def naive(table: DataFrame, aggregates: tuple[m.Aggregate, ...]) -> list[Column]:
    """The same numbers as anybody would write them at first."""
    compiler = Compiler(Binding(table.schema))
    found = []
    for aggregate in aggregates:
        match aggregate.function:
            case m.Function.DISTINCT:
                of = aggregate.of
                names = [str(c) for c in of.columns] if isinstance(of, Row) else [str(of)]
                found.append(F.count_distinct(*names))
            case m.Function.PERCENTILE:
                assert isinstance(aggregate.argument, m.Quantile)
                found.append(F.percentile_approx(str(aggregate.of), aggregate.argument.at))
            case _:
                found.append(compiler.compile(aggregate).column)
    return [column.alias(f"m{index}") for index, column in enumerate(found)]


def take_turns(
    spark: SparkSession, ways: dict[str, Callable[[], Any]], turns: int
) -> dict[str, Turn]:
    """The cheapest turn of each; they alternate, so that all meet the same machine."""
    best: dict[str, Turn] = {}
    for _, (name, way) in itertools.product(range(turns), ways.items()):
        cpu, wall = cpu_seconds(spark), time.perf_counter()
        way()
        turn = Turn(time.perf_counter() - wall, cpu_seconds(spark) - cpu)
        best[name] = min(best.get(name, turn), turn, key=lambda each: each.cpu)
    return best


def cpu_seconds(spark: SparkSession) -> float:
    """CPU time of the JVM so far."""
    jvm: Any = spark.sparkContext._jvm  # noqa: SLF001 - there is no public way
    info = jvm.java.lang.ProcessHandle.current().info()
    return float(info.totalCpuDuration().get().toNanos()) / 1e9


def report(rows: int, rules: int, turns: dict[str, Turn]) -> None:
    """One table; the engine is 1."""
    one = turns["engine"]
    print(f"\n{rows:,} rows, {rules} rules")
    print(f"{'':8}{'CPU s':>9}{'/ engine':>10}{'wall s':>9}{'/ engine':>10}")
    for name, turn in turns.items():
        cpu, wall = turn.cpu / one.cpu, turn.wall / one.wall
        print(f"{name:8}{turn.cpu:9.1f}{cpu:10.2f}{turn.wall:9.1f}{wall:10.2f}", flush=True)


if __name__ == "__main__":
    main()
