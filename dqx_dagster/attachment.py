"""Contracts and the definitions that they are put on: what is missing, collides, or is unclear.

Dagster accepts most of this without a word: a check of an asset that is not there, one of two
checks with the same name. `with_contracts` refuses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import dagster as dg

from dqx_dagster.contract_checks import ContractChecks
from dqx_dagster.errors import DefinitionsError, did_you_mean
from dqx_dagster.partitions import partition_columns


def missing_assets(found: Iterable[ContractChecks], defs: dg.Definitions) -> Iterator[str]:
    """Contracts whose asset is not defined."""
    known = {key for asset in defs.assets or [] for key in _keys(asset)}
    names = sorted(key.to_user_string() for key in known)
    for checks in found:
        if checks.key not in known:
            name = checks.key.to_user_string()
            close = did_you_mean(name, names) or _listed(names)
            text = f"contract '{checks.contract.title}' is for asset '{name}', which is not defined"
            yield f"{checks.contract.origin}: {text}{close}"


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    return f"; there are {shown}" if names else "; there are no assets at all"


def _keys(asset: Any) -> Iterable[dg.AssetKey]:
    return asset.keys if isinstance(asset, dg.AssetsDefinition) else (asset.key,)


def collisions(found: Iterable[ContractChecks], defs: dg.Definitions) -> Iterator[str]:
    """Checks whose name is taken by another check of the same asset."""
    there = _check_specs(defs)
    for checks in found:
        for key in there.keys() & unattached(checks, defs).specs.keys():
            place = checks.checks[key].rule.origin
            name = key.asset_key.to_user_string()
            text = f"check '{key.name}' of asset '{name}' is there already"
            yield f"{place}: {text}; rename yours, or set Settings(name_prefix=…)"


def unattached(checks: ContractChecks, defs: dg.Definitions) -> ContractChecks:
    """What the definitions lack of these checks: all, or nothing where they were made before.

    An asset that was made from its contract's file alone lacks the checks that read other tables.
    """
    there = _check_specs(defs)
    lacking = [key for key in checks.specs if key not in there]
    is_part = len(lacking) < len(checks.specs)
    same = all(
        _says(there[key]) == _says(checks.specs[key]) for key in checks.specs if key in there
    )
    if is_part and same and all(checks.checks[key].rule.reads for key in lacking):
        return checks.only(lacking)
    return checks


def _says(spec: dg.AssetCheckSpec) -> tuple[object, ...]:
    """What a check is about, and that it comes from a contract, but not from which file."""
    known = ("severity", "word", "column")
    waits = {dep.asset_key for dep in spec.additional_deps}
    return (spec.blocking, waits, *(spec.metadata.get(f"dqx_dagster/{each}") for each in known))


def _check_specs(defs: dg.Definitions) -> dict[dg.AssetCheckKey, dg.AssetCheckSpec]:
    definitions = [
        *(defs.asset_checks or []),
        *(asset for asset in defs.assets or [] if isinstance(asset, dg.AssetsDefinition)),
    ]
    return {spec.key: spec for each in definitions for spec in each.check_specs}


def asset_specs(defs: dg.Definitions) -> dict[dg.AssetKey, dg.AssetSpec]:
    """What the assets say about themselves; source assets have no specs."""
    specs: dict[dg.AssetKey, dg.AssetSpec] = {}
    for asset in defs.assets or []:
        if isinstance(asset, dg.AssetsDefinition):
            specs |= {spec.key: spec for spec in asset.specs}
        elif isinstance(asset, dg.AssetSpec):
            specs[asset.key] = asset
    return specs


def unclear_partitions(
    found: Iterable[ContractChecks], specs: Mapping[dg.AssetKey, dg.AssetSpec]
) -> Iterator[tuple[str, bool]]:
    """Partitioned assets whose rows cannot be told by partition, and whether that is an error.

    Where the contract declares no partition column every run checks the whole table.
    """
    for checks in found:
        spec = specs.get(checks.key)
        if spec is None or spec.partitions_def is None:
            continue
        contract = checks.contract
        try:
            columns = partition_columns(contract, spec.key, spec.partitions_def, spec.metadata)
        except DefinitionsError as error:
            yield str(error), True
            continue
        if columns is None:
            text = f"asset '{spec.key.to_user_string()}' is partitioned, its contract names no "
            text += "partition column (`partitioned: true`): every run checks the whole table"
            yield f"{contract.origin}: {text}", False
