"""What a contract says about its asset → the asset's spec: what is written there already wins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dagster as dg

from dqx_dagster import metadata
from dqx_dagster.contract_checks import ContractChecks
from dqx_dagster.freshness import freshness_policy


def described(asset: Any, by_key: Mapping[dg.AssetKey, ContractChecks]) -> Any:
    """The asset with what its contract says; a source asset has no place for that."""
    if not isinstance(asset, dg.AssetsDefinition | dg.AssetSpec):
        return asset
    (found,) = dg.map_asset_specs(lambda spec: _spec(spec, by_key.get(spec.key)), [asset])
    return found


def _spec(spec: dg.AssetSpec, checks: ContractChecks | None) -> dg.AssetSpec:
    if checks is None:
        return spec
    contract = checks.contract
    said = metadata.asset_metadata(contract, checks.skipped)
    return spec.replace_attributes(
        description=spec.description or metadata.description(contract),
        owners=spec.owners or metadata.owners(contract),
        tags={**metadata.tags(contract), **spec.tags},
        kinds={*spec.kinds, *metadata.kinds(contract)},
        metadata={**said, **spec.metadata, **metadata.code_references(contract, spec.metadata)},
        freshness_policy=spec.freshness_policy or freshness_policy(contract),
    )
