"""Orders and customers that refer to each other, and runs of their checks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import dagster as dg
from pyspark.sql import DataFrame, SparkSession

from assets.projects import Session, made
from dqx_dagster import (
    Contract,
    EngineError,
    with_contracts,
)

HEAD = """\
apiVersion: v3.1.0
kind: DataContract
id: {0}
version: 1.0.0
status: active
schema:
- name: {0}
  physicalName: shop.{0}
  properties:
"""
CUSTOMERS = "  - {name: id, logicalType: integer, primaryKey: true}\n"
ORDERS = """\
  - {name: id, logicalType: integer, primaryKey: true}
  - {name: previous, logicalType: integer, relationships: [{to: orders.id}]}
  - name: customer
    logicalType: integer
    relationships: [{to: customers.odcs.yaml#/schema/customers/properties/id}]
  - {name: day, logicalType: date, partitioned: true, partitionKeyPosition: 1}
"""
EMPLOYEES = """\
  - {name: id, logicalType: integer, primaryKey: true}
  - {name: department, logicalType: integer, relationships: [{to: departments.id}]}
"""
DEPARTMENTS = """\
  - {name: id, logicalType: integer, primaryKey: true}
  - {name: manager, logicalType: integer, relationships: [{to: employees.id}]}
"""
COLUMNS = {"customers": "id int", "orders": "id int, previous int, customer int, day string"}
GOOD = [(1, None, 7, "2026-03-01"), (2, 1, None, "2026-03-02")]
STRANGER = [*GOOD, (3, 1, 8, "2026-03-02")]
FOREIGN, OWN = "customer__relationship", "previous__relationship"
CHECKS = {"schema", "id__primary_key", FOREIGN, OWN}
CUSTOMERS_KEY, ORDERS_KEY = dg.AssetKey(["shop", "customers"]), dg.AssetKey(["shop", "orders"])


class Shop:
    """Tables in memory, contracts in a folder, and which tables were asked for."""

    def __init__(self, spark: SparkSession, folder: Path, **contracts: str) -> None:
        self.spark, self.folder = spark, folder
        self.tables: dict[str, Iterable[tuple[Any, ...]]] = {"customers": [(7,)], "orders": GOOD}
        self.columns = dict(COLUMNS)
        self.asked: list[str] = []
        for name, columns in contracts.items():
            path = folder / f"{name}.odcs.yaml"
            path.write_text(HEAD.format(name) + columns, "utf-8")

    def source(self, spark: SparkSession, contract: Contract, context: Any) -> DataFrame:
        """The table of a contract."""
        name = contract.object_name
        self.asked.append(name)
        if name not in self.tables:
            raise EngineError(f"cannot read '{name}'")
        return self.table(name)

    def table(self, name: str) -> DataFrame:
        """The rows of a table."""
        frame = self.spark.createDataFrame(list(self.tables[name]), self.columns[name])
        return frame.withColumn("day", frame.day.cast("date")) if "day" in frame.columns else frame

    def defs(
        self, *assets: Any, selection: dg.AssetSelection | None = None, **options: Any
    ) -> dg.Definitions:
        """Definitions with the contracts."""
        jobs = [dg.define_asset_job("job", selection)] if selection else []
        before = dg.Definitions(
            assets=assets, jobs=jobs, resources={"pyspark": Session(self.spark)}
        )
        return with_contracts(before, self.folder, source=self.source, **options)

    def run(self, defs: dg.Definitions, partition_key: str | None = None) -> Told:
        """A run of everything, or of the job."""
        self.asked = []
        every = defs.resolve_implicit_global_asset_job_def()
        job = defs.resolve_job_def("job") if defs.jobs else every
        return Told(job.execute_in_process(partition_key=partition_key, raise_on_error=False))


class Told:
    """What a run says."""

    def __init__(self, result: dg.ExecuteInProcessResult) -> None:
        self.success, self.made = result.success, made(result)
        found = result.get_asset_check_evaluations()
        self.checks = {f"{each.asset_key.path[-1]}.{each.check_name}": each for each in found}
        assert len(self.checks) == len(found)

    @property
    def broken(self) -> dict[str, str | None]:
        """The checks that have not passed, and why."""
        return {n: each.description for n, each in self.checks.items() if not each.passed}


def asset(
    name: str, *deps: str, partitions_def: dg.PartitionsDefinition[str] | None = None
) -> dg.AssetsDefinition:
    upstream = [dg.AssetKey(["shop", each]) for each in deps]

    @dg.asset(key=["shop", name], deps=upstream, partitions_def=partitions_def)
    def made() -> None:
        """Its rows come from the source."""

    return made


REPORT = asset("report", "orders")


def specs(defs: dg.Definitions) -> dict[str, dg.AssetCheckSpec]:
    """All checks, by asset and name."""
    graph = defs.resolve_asset_graph()
    found = [graph.get_check_spec(key) for key in graph.asset_check_keys]
    return {f"{spec.asset_key.path[-1]}.{spec.name}": spec for spec in found}


def waits(spec: dg.AssetCheckSpec) -> list[str]:
    return [dep.asset_key.path[-1] for dep in spec.additional_deps]
