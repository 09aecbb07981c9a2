"""`with_contracts`: definitions, and a directory of contracts → definitions that enforce them."""

from __future__ import annotations

import warnings
from os import PathLike
from typing import Literal

import dagster as dg

from dqx_dagster.asset_checks import RESOURCE_KEY, definitions_of
from dqx_dagster.asset_specs import described
from dqx_dagster.attachment import (
    asset_specs,
    collisions,
    hidden_partitions,
    missing_assets,
    never_run,
    unattached,
    unclear_partitions,
)
from dqx_dagster.blocking.guard import guard_all
from dqx_dagster.check_order import untangled
from dqx_dagster.checks.rule import Settings
from dqx_dagster.contract_checks import Contracts, contract_checks
from dqx_dagster.data_source import DataSource
from dqx_dagster.errors import ContractWarning, DefinitionsError
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
    partitioned_checks: bool = False,
    guard: bool = False,
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
        partitioned_checks: Whether Dagster keeps a result for each partition of a partitioned
            asset, and not just the latest; a preview in Dagster.
        guard: Whether assets refuse to be made, in any run, while a P0 check of a contract above
            them has not passed: see `guarded`.

    Raises:
        ContractValidationError: A contract is wrong.
        DefinitionsError: A contract's asset is not there, or names collide.
    """
    found = contract_checks(contracts, translator, settings)
    specs = asset_specs(defs)
    missing = [(text, on_missing_asset == "error") for text in missing_assets(found, defs)]
    new = [unattached(checks, defs) for checks in found]
    taken = collisions(new, defs.assets or [], defs.asset_checks or [])
    colliding = [(text, True) for text in taken]
    problems = [*missing, *unclear_partitions(found, specs), *colliding]
    if errors := [text for text, is_error in problems if is_error]:
        raise DefinitionsError("\n".join(errors))
    for text, _ in problems:
        warnings.warn(text, ContractWarning, stacklevel=2)
    made_from = {key: {dep.asset_key for dep in spec.deps} for key, spec in specs.items()}
    new = untangled(new, made_from)
    if partitioned_checks:
        partitions = {key: spec.partitions_def for key, spec in specs.items()}
        new = [checks.partitioned(partitions.get(checks.key)) for checks in new]
    by_key = {checks.key: checks for checks in found}
    generated = definitions_of(new, source, resource_key, pool, retry_policy)
    assets = [described(asset, by_key) for asset in defs.assets or []]
    after = dg.Definitions(
        assets=guard_all(assets) if guard else assets,
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
    hidden = hidden_partitions(found, after) if guard else ()
    for text in (*never_run(found, after), *hidden):
        warnings.warn(text, ContractWarning, stacklevel=2)
    return after
