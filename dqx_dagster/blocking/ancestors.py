"""Assets → everything above them, and which of its partitions they read."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import dagster as dg
from dagster_shared.check import CheckError

if TYPE_CHECKING:
    from dagster._core.definitions.assets.graph.asset_graph import AssetGraph


@dataclass(frozen=True, slots=True)
class Reading:
    """How assets read one that is above them."""

    aligned: bool  # each partition of theirs reads the same partition
    partitions: frozenset[str] | None  # what is read; None where that may be any

    def __or__(self, other: Reading) -> Reading:
        """By both ways: one that mixes partitions is enough to mix them."""
        unknown = self.partitions is None or other.partitions is None
        both = (self.partitions or frozenset()) | (other.partitions or frozenset())
        return Reading(self.aligned and other.aligned, None if unknown else both)


def ancestors(
    graph: AssetGraph,
    assets: Iterable[dg.AssetKey],
    partitions: Collection[str] = (),
    store: dg.DagsterInstance | None = None,
) -> dict[dg.AssetKey, Reading]:
    """Everything above, and how it is read by these partitions of the assets.

    What an asset has read of itself is left out: it was asked for when that was made.
    """
    found: dict[dg.AssetKey, Reading] = {}
    own = frozenset(partitions) or None
    todo = [(asset, own if graph.get(asset).is_partitioned else None, True) for asset in assets]
    while todo:
        asset, keys, aligned = todo.pop()
        for parent in graph.get(asset).parent_keys - {asset}:
            new = _reading(graph, asset, parent, Reading(aligned, keys), store)
            before = found.get(parent)
            after = before | new if before else new
            if after != before:
                found[parent] = after
                todo.append((parent, after.partitions, after.aligned))
    return found


def _reading(
    graph: AssetGraph,
    asset: dg.AssetKey,
    parent: dg.AssetKey,
    way: Reading,
    store: dg.DagsterInstance | None,
) -> Reading:
    """How the parent is read, where the asset is read like this."""
    own, of = graph.get(asset).partitions_def, graph.get(parent).partitions_def
    mapping: Any = graph.get_partition_mapping(asset, parent)
    is_plain = isinstance(mapping, dg.IdentityPartitionMapping)
    if own is not None and own == of and (is_plain or mapping == dg.TimeWindowPartitionMapping()):
        return way
    is_unknown = own is not None and way.partitions is None
    if of is None or is_unknown or isinstance(mapping, dg.AllPartitionMapping):
        return Reading(aligned=False, partitions=None)
    try:
        read = mapping.get_upstream_mapped_partitions_result_for_partitions(
            own.subset_with_partition_keys(way.partitions or ()) if own else None,
            own,
            of,
            dynamic_partitions_store=store,
        )
    except (dg.DagsterError, CheckError):
        return Reading(aligned=False, partitions=None)
    return Reading(aligned=False, partitions=frozenset(read.partitions_subset.get_partition_keys()))
