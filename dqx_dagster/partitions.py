"""Which partition a run is about, and which columns of the contract tell its rows from others.

A partitioned asset's contract says it with `partitioned: true` (native: `partitioned_by`); the
asset may say it with the metadata `partition_expr`, as for Dagster's IO managers of databases.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import dagster as dg

from dqx_dagster.contract.columns import resolve_column
from dqx_dagster.contract.model import Contract
from dqx_dagster.errors import DefinitionsError
from dqx_dagster.metrics.partition import Choice, Partition, Span
from dqx_dagster.metrics.value import Column

PARTITION_EXPR = "partition_expr"
"""Where an asset's metadata names the column, or the column of each dimension."""

Context: TypeAlias = dg.AssetCheckExecutionContext | dg.AssetExecutionContext
Dimensions: TypeAlias = Mapping[str, dg.PartitionsDefinition[str]]

_ONLY = ""  # the dimension of an asset that is partitioned in one way


def partition_of(context: Context, contract: Contract, key: dg.AssetKey) -> Partition | None:
    """The partition that the run is about; None where it is about the whole table."""
    if not is_of_partition(context, key):
        return None
    node = _node(context, key)
    columns = partition_columns(contract, key, node.partitions_def, node.metadata)
    if columns is None:
        return None
    # Of a run that selects checks alone Dagster tells one key, but not "all" keys.
    is_one = context.has_partition_key
    keys = [context.partition_key] if is_one else context.partition_keys
    return _partition(keys, _dimensions(node.partitions_def), columns)


def is_of_partition(context: Context, key: dg.AssetKey) -> bool:
    """Whether the run makes or checks partitions of the asset; it may have those of others."""
    has_some = context.has_partition_key or context.has_partition_key_range
    return has_some and _node(context, key).partitions_def is not None


def _node(context: Context, key: dg.AssetKey) -> Any:
    # Not documented, but the only way from a check to the definition of its asset.
    return context.job_def.asset_layer.asset_graph.get(key)


def partition_columns(
    contract: Contract,
    key: dg.AssetKey,
    partitions_def: dg.PartitionsDefinition[str],
    metadata: Mapping[str, object],
) -> Mapping[str, Column] | None:
    """The column of each dimension; None where the contract declares no partition column.

    Raises `DefinitionsError` where it declares some, and it is not clear which one is meant.
    """
    declared = [p.name for p in contract.properties if p.partition]
    dimensions = _dimensions(partitions_def)
    written = _written(metadata, dimensions)
    found: dict[str, Column] = {}
    for name in dimensions:
        own = name or (declared[0] if len(declared) == 1 else "")
        paths = (resolve_column(contract.properties, each) for each in (written.get(name, ""), own))
        path = next((path for path in paths if path), None)
        if path is not None:
            found[name] = Column(path)
        elif declared:
            of = f"dimension '{name}' of the partitions" if name else "the partitions"
            text = f"which column holds {of} of asset '{key.to_user_string()}'?"
            how = f"{{'{name}': …}}" if name else "…"
            fix = f"Say it on the asset: metadata={{'{PARTITION_EXPR}': {how}}}"
            raise DefinitionsError(f"{contract.origin}: {text} {fix}, one of {', '.join(declared)}")
        else:
            return None
    return found


def _written(metadata: Mapping[str, object], dimensions: Dimensions) -> Mapping[str, str]:
    """What the asset says about its columns."""
    value = metadata.get(PARTITION_EXPR)
    value = value.value if isinstance(value, dg.MetadataValue) else value
    if isinstance(value, Mapping):
        return {name: str(value[name]) for name in dimensions if name in value}
    return {_ONLY: str(value)} if value else {}


def _dimensions(partitions_def: dg.PartitionsDefinition[str]) -> Dimensions:
    if isinstance(partitions_def, dg.MultiPartitionsDefinition):
        return {each.name: each.partitions_def for each in partitions_def.partitions_defs}
    return {_ONLY: partitions_def}


def _partition(
    keys: Sequence[str], dimensions: Dimensions, columns: Mapping[str, Column]
) -> Partition:
    """One choice for each dimension, where the keys are all combinations; else one for each key."""
    places = [_place(key) for key in keys]
    values = {name: tuple(dict.fromkeys(place[name] for place in places)) for name in dimensions}
    if math.prod(map(len, values.values())) == len(set(keys)):
        combinations: Iterable[Mapping[str, tuple[str, ...]]] = [values]
    else:
        combinations = [{name: (place[name],) for name in dimensions} for place in places]
    alternatives = tuple(
        tuple(_choice(columns[name], each[name], of) for name, of in dimensions.items())
        for each in combinations
    )
    return Partition(tuple(keys), alternatives)


def _place(key: str) -> Mapping[str, str]:
    """The key in each dimension."""
    return key.keys_by_dimension if isinstance(key, dg.MultiPartitionKey) else {_ONLY: key}


def _choice(
    column: Column, keys: tuple[str, ...], partitions_def: dg.PartitionsDefinition[str]
) -> Choice:
    spans: tuple[Span, ...] = ()
    if isinstance(partitions_def, dg.TimeWindowPartitionsDefinition):
        windows = (partitions_def.time_window_for_partition_key(key) for key in keys)
        spans = tuple((window.start, window.end) for window in windows)
    return Choice(column, keys, spans)
