"""What stands in the way of an asset: P0 contract checks above it that have not passed.

`gates` finds the checks that assets have to wait for, in Dagster's graph of all assets; `Blocked`
is one of them that is closed, with the sentence for a person. `event_log` tells which are.
"""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING

import dagster as dg

from dqx_dagster.blocking.ancestors import Reading, ancestors
from dqx_dagster.metadata import CONTRACT

if TYPE_CHECKING:
    from dagster._core.definitions.assets.graph.asset_graph import AssetGraph


class Cause(enum.Enum):
    """Why a check stands in the way. What has not been shown to hold does not hold."""

    FAILED = "failed"
    UNFINISHED = "unfinished"  # its last execution ended without a result
    OUTDATED = "outdated"  # the asset has been materialized since it passed
    NEVER = "never evaluated"
    PENDING = "pending"  # it is part of this run, and has no result yet


@dataclass(frozen=True, slots=True)
class Gate:
    """A P0 contract check that assets have to wait for."""

    check: dg.AssetCheckKey
    contract: str  # file and line
    same_partition: bool  # the result for the partition that waits counts, not just the last one
    read: frozenset[str] | None = frozenset()  # partitions that must not have failed; None for any


@dataclass(frozen=True, slots=True)
class Blocked:
    """A P0 contract check that stands in the way, and why.

    >>> key = dg.AssetCheckKey(dg.AssetKey("orders"), "row_count")
    >>> print(Blocked(key, "contracts/orders.yaml:7", Cause.NEVER))
    orders: row_count (contracts/orders.yaml:7) has never been evaluated. Run the checks of orders.
    """

    check: dg.AssetCheckKey
    contract: str
    cause: Cause
    partition: str | None = None
    found: str | None = None  # the sentence of the result
    evaluated: dt.datetime | None = None

    def __str__(self) -> str:
        asset = self.check.asset_key.to_user_string()
        return f"{asset}: {self.check.name} ({self.contract}) {self.says}"

    @property
    def says(self) -> str:
        """What is wrong with the check, and what helps."""
        asset = self.check.asset_key.to_user_string()
        of = f" for partition {self.partition}" if self.partition else ""
        when = f" at {self.evaluated:%Y-%m-%d %H:%M:%S} UTC" if self.evaluated else ""
        match self.cause:
            case Cause.FAILED:
                found = f": {self.found}" if self.found else ""
                return f"failed{of}{when}{found}. Mend {asset}, then run its checks."
            case Cause.UNFINISHED:
                return f"ended{of} without a result, last started{when}. Run the checks of {asset}."
            case Cause.OUTDATED:
                later = f"{asset} has been materialized since"
                return f"passed{of}{when}, but {later}. Run the checks of {asset}."
            case Cause.NEVER:
                return f"has never been evaluated{of}. Run the checks of {asset}."
            case Cause.PENDING:
                wait = "Let assets wait for it: select everything between them and"
                executor = "leave require_upstream_step_success of the executor on"
                return (
                    f"is part of this run, and has no result yet. {wait} {asset}, and {executor}."
                )

    @property
    def as_metadata(self) -> dict[str, str]:
        """The same for programs."""
        known = {
            "asset": self.check.asset_key.to_user_string(),
            "check": self.check.name,
            "cause": self.cause.value,
            "contract": self.contract,
            "partition": self.partition,
            "found": self.found,
            "evaluated": self.evaluated.isoformat() if self.evaluated else None,
        }
        return {key: value for key, value in known.items() if value is not None}


def gates(
    graph: AssetGraph,
    assets: Iterable[dg.AssetKey],
    open_: AbstractSet[dg.AssetCheckKey] = frozenset(),
    *,
    partitions: Collection[str] = (),
    store: dg.DagsterInstance | None = None,
) -> tuple[Gate, ...]:
    """The P0 contract checks of everything above these assets, but for those that stand open.

    `partitions` are those of the assets that wait; `store` knows the dynamic ones.
    """
    above = ancestors(graph, assets, partitions, store)
    return tuple(
        gate
        for asset in sorted(above)
        for key in sorted(graph.get(asset).check_keys - open_, key=lambda key: key.name)
        if (gate := _gate(graph.get_check_spec(key), above[asset])) is not None
    )


def _gate(spec: dg.AssetCheckSpec, reading: Reading) -> Gate | None:
    contract = spec.metadata.get(CONTRACT)
    if not spec.blocking or contract is None:
        return None
    has_partitions = spec.partitions_def is not None
    is_mixed = has_partitions and not reading.aligned
    return Gate(
        spec.key,
        str(contract),
        same_partition=has_partitions and reading.aligned,
        read=reading.partitions if is_mixed else frozenset(),
    )
