"""What stands in the way of an asset: P0 contract checks above it that have not passed.

`gates` finds the checks that assets have to wait for, in Dagster's graph of all assets; `Blocked`
is one of them that is closed, with the sentence for a person. `event_log` tells which are.
"""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import dagster as dg

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
) -> tuple[Gate, ...]:
    """The P0 contract checks of everything above these assets, but for those that stand open."""
    found = []
    above = _above(graph, assets)
    for asset in sorted(above):
        for key in sorted(graph.get(asset).check_keys - open_, key=lambda key: key.name):
            spec = graph.get_check_spec(key)
            contract = spec.metadata.get(CONTRACT)
            if spec.blocking and contract is not None:
                aligned = above[asset] and spec.partitions_def is not None
                found.append(Gate(key, str(contract), aligned))
    return tuple(found)


def _above(graph: AssetGraph, assets: Iterable[dg.AssetKey]) -> dict[dg.AssetKey, bool]:
    """Everything above, and whether each partition of it is for the same partition of the assets.

    Several ways may lead to an asset: one that mixes partitions is enough for False.
    """
    found: dict[dg.AssetKey, bool] = {}
    todo = [(asset, True) for asset in assets]
    while todo:
        asset, aligned = todo.pop()
        for parent in graph.get(asset).parent_keys:
            same = aligned and _same_partitions(graph, asset, parent)
            if parent not in found or (found[parent] and not same):
                found[parent] = same
                todo.append((parent, same))
    return found


def _same_partitions(graph: AssetGraph, asset: dg.AssetKey, parent: dg.AssetKey) -> bool:
    own = graph.get(asset).partitions_def
    mapping: Any = graph.get_partition_mapping(asset, parent)
    plain = isinstance(mapping, dg.IdentityPartitionMapping)
    return (
        own is not None
        and own == graph.get(parent).partitions_def
        and (plain or mapping == dg.TimeWindowPartitionMapping())
    )
