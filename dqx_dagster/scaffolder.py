"""What `dg scaffold defs dqx_dagster.ContractsComponent` writes: a component, a first contract."""

from __future__ import annotations

from typing import Final

import dagster as dg
from pydantic import Field

FOLDER: Final = "contracts"


class ScaffoldParams(dg.Model):
    """The options of the command."""

    asset: str = Field(
        default="orders",
        pattern=r"^[A-Za-z_][A-Za-z0-9_-]*(/[A-Za-z_][A-Za-z0-9_-]*)*$",
        description="Key of the asset that the first contract is for, like shop/orders.",
    )
    source: str | None = Field(
        default=None, description="Where the tables are, like data/{dataset}.parquet."
    )


class ContractsScaffolder(dg.Scaffolder[ScaffoldParams]):
    """Writes `defs.yaml`, and beside it a folder with a contract to begin with."""

    @classmethod
    def get_scaffold_params(cls) -> type[ScaffoldParams]:
        """The model of the options."""
        return ScaffoldParams

    def scaffold(self, request: dg.ScaffoldRequest[ScaffoldParams]) -> None:
        """Write the files; a contract that is there already stays."""
        attributes = {"contracts": FOLDER}
        if request.params.source:
            attributes["source"] = request.params.source
        dg.scaffold_component(request, attributes)
        parts = request.params.asset.split("/")
        contract = request.target_path / FOLDER / f"{parts[-1]}.odcs.yaml"
        if not contract.exists():
            contract.parent.mkdir(exist_ok=True)
            text = _CONTRACT.format(id="-".join(parts), name=parts[-1], dataset=".".join(parts))
            contract.write_text(text, "utf-8")


_CONTRACT: Final = """\
# What the table must look like, in the Open Data Contract Standard. Everything below is checked on
# Spark after the asset was materialized. Replace the columns and rules by yours, then run
# `dqx-dagster lint` on this folder: it names the line of every mistake.
apiVersion: v3.1.0
kind: DataContract
id: {id}
version: 1.0.0
status: draft

# slaProperties:
#   - property: latency # the newest row may be a day old
#     value: 24
#     unit: h
#     element: {name}.updated_at

schema:
  - name: {name}
    physicalName: {dataset} # the asset's key, with dots for slashes
    description: One row per order
    quality:
      - name: not_empty
        metric: rowCount
        mustBeGreaterThan: 0
        severity: error # blocks what comes after; warning and info only tell
    properties:
      - name: id
        logicalType: integer # the column is there, with this type
        primaryKey: true # no null, no value twice
      - name: status
        logicalType: string
        required: true # no null
        quality:
          - name: known_status
            metric: invalidValues
            arguments:
              validValues: [open, paid, cancelled]
            mustBe: 0
            severity: warning
      - name: amount
        logicalType: number
        logicalTypeOptions:
          minimum: 0
      - name: updated_at
        logicalType: timestamp
"""
