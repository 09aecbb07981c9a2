"""`with_contracts`: definitions, and a directory of contracts → definitions that enforce them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import Any, Final, Literal

import dagster as dg

from dqx_dagster import metadata
from dqx_dagster.asset_checks import (
    RESOURCE_KEY,
    ContractChecks,
    Contracts,
    contract_checks,
    definitions_of,
    op_name,
)
from dqx_dagster.checks.rule import Settings
from dqx_dagster.data_source import DataSource
from dqx_dagster.errors import ContractWarning, DefinitionsError, did_you_mean
from dqx_dagster.freshness import freshness_policy
from dqx_dagster.translator import DagsterContractTranslator


def with_contracts(
    defs: dg.Definitions,
    contracts: Contracts,
    *,
    source: str | PathLike[str] | DataSource | None = None,
    translator: DagsterContractTranslator | None = None,
    settings: Settings | None = None,
    resource_key: str = RESOURCE_KEY,
    pool: str | None = None,
    retry_policy: dg.RetryPolicy | None = None,
    on_missing_asset: Literal["error", "warn"] = "error",
) -> dg.Definitions:
    """The same definitions with the checks, freshness policies and metadata of contracts.

    What an asset says itself wins: its own freshness policy, owners, description and metadata stay.

    Args:
        defs: Your definitions.
        contracts: A directory (or file) of contracts, or contracts that are already loaded.
        source: Where the tables are: a path pattern like `"data/{dataset}.parquet"`, or a function
            `(spark, contract, context) -> DataFrame`. By default the session's catalog.
        translator: Changes asset keys or check specs.
        settings: Severities, and how finely checks are reported.
        resource_key: The resource with the session: anything with a `.spark_session`.
        pool: Bounds how many of these steps run at once; each may start a JVM.
        retry_policy: Applies to failures of Spark or storage. A verdict is never retried.
        on_missing_asset: Whether a contract without an asset is an error, or just a warning.

    Raises:
        ContractValidationError: A contract is wrong.
        DefinitionsError: A contract's asset is not there, or names collide.
    """
    found = contract_checks(contracts, translator, settings)
    assets = list(defs.assets or [])
    problems = [*missing_assets(found, assets)] if on_missing_asset == "error" else []
    problems += collisions(found, assets, defs.asset_checks or [])
    if problems:
        raise DefinitionsError("\n".join(problems))
    if on_missing_asset == "warn":
        for problem in missing_assets(found, assets):
            warnings.warn(problem, ContractWarning, stacklevel=2)
    by_key = {checks.key: checks for checks in found}
    generated = definitions_of(found, source, resource_key, pool, retry_policy)
    return dg.Definitions(
        assets=[_described(asset, by_key) for asset in assets],
        asset_checks=[*(defs.asset_checks or []), *generated],
        schedules=defs.schedules,
        sensors=defs.sensors,
        jobs=defs.jobs,
        resources=defs.resources,
        executor=defs.executor,
        loggers=defs.loggers,
        metadata=defs.metadata,
        component_tree=defs.component_tree,
    )


def _described(asset: Any, by_key: Mapping[dg.AssetKey, ContractChecks]) -> Any:
    """The asset with what its contract says; a source asset has no place for that."""
    if not isinstance(asset, dg.AssetsDefinition | dg.AssetSpec):
        return asset
    (described,) = dg.map_asset_specs(lambda spec: _spec(spec, by_key.get(spec.key)), [asset])
    return described


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


# What does not fit


def missing_assets(found: Iterable[ContractChecks], assets: Iterable[Any]) -> Iterator[str]:
    """The contracts whose asset is not among these."""
    known = {key for asset in assets for key in _keys(asset)}
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


def collisions(
    found: Iterable[ContractChecks], assets: Iterable[Any], checks: Iterable[dg.AssetsDefinition]
) -> Iterator[str]:
    """The contracts whose asset has one already, and the checks whose name is taken."""
    checks = list(checks)
    own = [each for each in assets if isinstance(each, dg.AssetsDefinition)]
    taken = {key for each in (*own, *checks) for key in each.check_keys}
    ops = {each.node_def.name for each in checks}
    for each in found:
        asset = each.key.to_user_string()
        if op_name(each.key) in ops:
            text = f"asset '{asset}' has the checks of a contract already; make them in one way: "
            yield f"{each.contract.origin}: {text}{_WAYS}"
            continue
        for key in taken & set(each.specs):
            text = f"check '{key.name}' of asset '{asset}' is there already"
            place = each.checks[key].rule.origin
            yield f"{place}: {text}; rename yours, or set Settings(name_prefix=…)"


_WAYS: Final = "`with_contracts`, `build_contract_checks` or one `ContractsComponent`"
