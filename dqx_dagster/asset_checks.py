"""`build_contract_checks`: contracts → asset checks, one op for each asset.

The op measures the rules of all selected checks in one shared pass, then reports. A check that got
no result would not block, so every selected check gets exactly one, or the step fails.
"""
# Without postponed annotations: Dagster looks at the type of `context`, and takes no text for it.

from collections.abc import Iterator, Sequence
from os import PathLike

import dagster as dg

from dqx_dagster.check_order import untangled
from dqx_dagster.checks.rule import Settings
from dqx_dagster.contract_checks import STEP, ContractChecks, Contracts, contract_checks
from dqx_dagster.data_source import DataSource, as_source
from dqx_dagster.evaluation import evaluate_stored
from dqx_dagster.translator import DagsterContractTranslator

RESOURCE_KEY = "pyspark"
"""The key under which dagster-pyspark's documentation puts its resource."""


def build_contract_checks(
    contracts: Contracts,
    *,
    source: str | PathLike[str] | DataSource | None = None,
    translator: DagsterContractTranslator | None = None,
    settings: Settings | None = None,
    resource_key: str = RESOURCE_KEY,
    pool: str | None = None,
    retry_policy: dg.RetryPolicy | None = None,
) -> list[dg.AssetChecksDefinition]:
    """Asset checks for contracts, to be put beside your own: `asset_checks=[*checks, my_check]`.

    Args:
        contracts: A directory (or file) of contracts, or contracts that are already loaded.
        source: Where the tables are: a path pattern like `"data/{dataset}.parquet"`, or a function
            `(spark, contract, context) -> DataFrame`. By default the session's catalog.
        translator: Changes asset keys or check specs.
        settings: Severities, and how finely checks are reported.
        resource_key: The resource with the session: anything with a `.spark_session`.
        pool: Bounds how many of these steps run at once; each may start a JVM.
        retry_policy: Applies to failures of Spark or storage. A verdict is never retried.
    """
    found = contract_checks(contracts, translator, settings)
    return definitions_of(untangled(found, {}), source, resource_key, pool, retry_policy)


def definitions_of(
    found: Sequence[ContractChecks],
    source: str | PathLike[str] | DataSource | None,
    resource_key: str,
    pool: str | None,
    retry_policy: dg.RetryPolicy | None,
) -> list[dg.AssetChecksDefinition]:
    """One definition for each contract that has checks."""
    read = as_source(source)
    return [
        _definition(checks, read, resource_key, pool, retry_policy)
        for checks in found
        if checks.specs
    ]


def op_name(key: dg.AssetKey, step: str = STEP) -> str:
    """The op with the checks of an asset's contract; two of one name cannot be loaded."""
    return f"{key.to_python_identifier()}__{step}"


def _definition(
    checks: ContractChecks,
    source: DataSource,
    resource_key: str,
    pool: str | None,
    retry_policy: dg.RetryPolicy | None,
) -> dg.AssetChecksDefinition:
    @dg.multi_asset_check(
        name=op_name(checks.key, checks.step),
        specs=list(checks.specs.values()),
        description=f"Contract: {checks.contract.title}",
        can_subset=True,
        compute_kind="spark",
        required_resource_keys={resource_key},
        pool=pool,
        retry_policy=retry_policy,
    )
    def contract_checks_op(
        context: dg.AssetCheckExecutionContext,
    ) -> Iterator[dg.AssetCheckResult | dg.AssetObservation]:
        resource = getattr(context.resources, resource_key)
        session = getattr(resource, "spark_session", resource)
        selected = context.selected_asset_check_keys
        found = evaluate_stored(checks, selected, source, session, context)
        yield found.observation(checks.key)
        yield from found.results

    return contract_checks_op
