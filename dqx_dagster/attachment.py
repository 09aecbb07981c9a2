"""Contracts and the definitions that they are put on: what is missing, collides, or is unclear.

Dagster accepts most of this without a word: a check of an asset that is not there, one of two
checks with the same name. `with_contracts` refuses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import dagster as dg
from dagster_shared.check import CheckError

from dqx_dagster.asset_checks import op_name
from dqx_dagster.contract_checks import ContractChecks
from dqx_dagster.errors import DefinitionsError, did_you_mean
from dqx_dagster.metadata import CONTRACT
from dqx_dagster.partitions import partition_columns


def missing_assets(found: Iterable[ContractChecks], defs: dg.Definitions) -> Iterator[str]:
    """The contracts whose asset is not defined."""
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
    if isinstance(asset, dg.AssetsDefinition):
        return asset.keys
    # Cacheable assets, which older integrations make, have no keys before Dagster has loaded them.
    return (asset.key,) if hasattr(asset, "key") else ()


def never_run(found: Iterable[ContractChecks], defs: dg.Definitions) -> Iterator[str]:
    """External assets are no part of "all assets", so what blocks there has to be selected."""
    external = {key for asset in defs.assets or [] if _is_external(asset) for key in _keys(asset)}
    blocking = [
        (checks, {key for key, spec in checks.specs.items() if spec.blocking})
        for checks in found
        if checks.key in external
    ]
    selected = _selected(defs) if blocking else set()
    for checks, keys in blocking:
        if keys - selected:
            asset = f"asset '{checks.key.to_user_string()}' is external"
            text = "a run of all assets leaves its checks out, and its P0 rules stop nothing"
            fix = "`AssetSelection.all() | AssetSelection.all_asset_checks()`"
            yield f"{checks.contract.origin}: {asset}: {text}; let a job select {fix}"


def _is_external(asset: Any) -> bool:
    return asset.is_external if isinstance(asset, dg.AssetsDefinition) else True


def _selected(defs: dg.Definitions) -> set[dg.AssetCheckKey]:
    """The checks that any job selects, also a job that only a schedule or a sensor has."""
    jobs: list[Any] = [*(defs.jobs or [])]
    jobs += [each.job for each in defs.schedules or [] if getattr(each, "has_job", True)]
    jobs += [job for each in defs.sensors or [] if each.has_jobs for job in each.jobs]
    try:
        graph = defs.resolve_asset_graph()  # Dagster keeps it, and asks for it anyway
        return {
            key
            for job in jobs
            if hasattr(job, "selection")
            for key in job.selection.resolve_checks(graph)
        }
    except (dg.DagsterError, CheckError):
        return set()  # they do not load, or not before they are merged with others


def collisions(
    found: Iterable[ContractChecks], assets: Iterable[Any], checks: Iterable[dg.AssetsDefinition]
) -> Iterator[str]:
    """The contracts whose asset has the checks of one already, and checks whose name is taken."""
    checks = list(checks)
    own = [each for each in assets if isinstance(each, dg.AssetsDefinition)]
    taken = {key for each in (*own, *checks) for key in each.check_keys}
    ops = {each.node_def.name for each in checks}
    for each in found:
        asset = each.key.to_user_string()
        if each.specs and op_name(each.key) in ops:
            text = f"asset '{asset}' has the checks of a contract already"
            yield f"{each.contract.origin}: {text}; make them in one way, with the same settings"
            continue
        for key in taken & set(each.specs):
            text = f"check '{key.name}' of asset '{asset}' is there already"
            place = each.checks[key].rule.origin
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
    """What a check demands, and that it comes from a contract, but not from which file."""
    known = ("severity", "word", "column")
    place = spec.metadata.get(CONTRACT)
    demand = (spec.description or "").replace(str(place), "")
    waits = {dep.asset_key for dep in spec.additional_deps}
    said = (spec.metadata.get(f"dqx_dagster/{each}") for each in known)
    return (spec.blocking, waits, place is not None, demand, *said)


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


def hidden_partitions(found: Iterable[ContractChecks], defs: dg.Definitions) -> Iterator[str]:
    """Partitioned assets whose P0 checks have one result, which a guard takes for all of them."""
    assets, there = asset_specs(defs), _check_specs(defs)
    read = {dep.asset_key for spec in assets.values() for dep in spec.deps}
    for checks in found:
        asset = assets.get(checks.key)
        if asset is None or asset.partitions_def is None or checks.key not in read:
            continue
        specs = [there[key] for key in checks.specs if key in there]
        if any(spec.blocking and spec.partitions_def is None for spec in specs):
            text = f"the P0 checks of asset '{checks.key.to_user_string()}' have one result for all"
            text += " partitions: a good one hides a bad one from the guard; set"
            yield f"{checks.contract.origin}: {text} partitioned_checks=True"
