"""`build_contract_checks`: contracts → asset checks, one op for each asset.

The op measures the rules of all selected checks in one shared pass, then reports. A check that got
no result would not block, so every selected check gets exactly one, or the step fails.
"""
# Without postponed annotations: Dagster looks at the type of `context`, and takes no text for it.

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import dagster as dg

from dqx_dagster.checks.bundle import Check, bundle, sum_up
from dqx_dagster.checks.lowering import lower
from dqx_dagster.checks.rule import Settings, Skipped
from dqx_dagster.checks.verdict import Verdict
from dqx_dagster.contract.model import Contract
from dqx_dagster.data_source import DataSource, as_source
from dqx_dagster.errors import DefinitionsError
from dqx_dagster.loading import load_contracts
from dqx_dagster.metadata import result_metadata
from dqx_dagster.translator import DagsterContractTranslator

if TYPE_CHECKING:
    from dqx_dagster.spark.check import TableResult

RESOURCE_KEY = "pyspark"
"""The key under which dagster-pyspark's documentation puts its resource."""

Contracts: TypeAlias = str | PathLike[str] | Sequence[Contract]


@dataclass(frozen=True, slots=True)
class ContractChecks:
    """The checks of one contract."""

    contract: Contract
    key: dg.AssetKey
    specs: Mapping[dg.AssetCheckKey, dg.AssetCheckSpec]
    checks: Mapping[dg.AssetCheckKey, Check]
    skipped: tuple[Skipped, ...]
    settings: Settings


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
    return definitions_of(found, source, resource_key, pool, retry_policy)


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


def contract_checks(
    contracts: Contracts,
    translator: DagsterContractTranslator | None = None,
    settings: Settings | None = None,
) -> list[ContractChecks]:
    """The checks of every contract; raises `DefinitionsError` where names or assets collide."""
    translator, settings = translator or DagsterContractTranslator(), settings or Settings()
    found = [_checks(each, translator, settings) for each in load(contracts, settings)]
    claimed: dict[dg.AssetKey, ContractChecks] = {}
    problems = []
    for each in found:
        first = claimed.setdefault(each.key, each)
        if first is not each:
            asset, other = each.key.to_user_string(), first.contract.origin
            text = f"two contracts for one asset '{asset}': the other is at {other}"
            problems.append(f"{each.contract.origin}: {text}")
    if problems:
        raise DefinitionsError("\n".join(problems))
    return found


def load(contracts: Contracts, settings: Settings) -> list[Contract]:
    """Contracts from whatever users give."""
    if isinstance(contracts, str | PathLike):
        return load_contracts(Path(contracts), strict=settings.strict, settings=settings)
    return list(contracts)


def _checks(
    contract: Contract, translator: DagsterContractTranslator, settings: Settings
) -> ContractChecks:
    lowered = lower(contract, settings)
    key = translator.get_asset_key(contract)
    specs: dict[dg.AssetCheckKey, dg.AssetCheckSpec] = {}
    checks: dict[dg.AssetCheckKey, Check] = {}
    taken: dict[str, Check] = {}
    for check in bundle(lowered.rules, settings):
        spec = translator.get_asset_check_spec(contract, check.rule)
        if spec is None:
            continue
        # Dagster drops one of two checks with the same identifier without a word.
        first = taken.setdefault(spec.get_python_identifier().lower(), check)
        if first is not check:
            text = f"two checks are called '{spec.name}': the other is at {first.rule.origin}"
            raise DefinitionsError(f"{check.rule.origin}: {text}")
        if spec.asset_key != key:
            asset, other = key.to_user_string(), spec.asset_key.to_user_string()
            text = f"check '{spec.name}' is for asset '{other}', its contract for '{asset}'"
            raise DefinitionsError(f"{check.rule.origin}: {text}")
        specs[spec.key], checks[spec.key] = spec, check
    return ContractChecks(contract, key, specs, checks, lowered.skipped, settings)


def _definition(
    checks: ContractChecks,
    source: DataSource,
    resource_key: str,
    pool: str | None,
    retry_policy: dg.RetryPolicy | None,
) -> dg.AssetChecksDefinition:
    @dg.multi_asset_check(
        name=f"{checks.key.to_python_identifier()}__contract_checks",
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
        # Everything is measured before anything is reported: a failure on the way leaves no result.
        yield from _report(checks, source, resource, context)

    return contract_checks_op


def _report(
    checks: ContractChecks,
    source: DataSource,
    resource: Any,
    context: dg.AssetCheckExecutionContext,
) -> list[dg.AssetCheckResult | dg.AssetObservation]:
    from dqx_dagster.spark.check import check_table  # noqa: PLC0415 - no Spark before checks run

    selected = [key for key in checks.specs if key in context.selected_asset_check_keys]
    if missing := context.selected_asset_check_keys - set(selected):
        names = ", ".join(sorted(key.name for key in missing))
        raise DefinitionsError(f"the contract has no check {names}")
    rules = [rule for key in selected for rule in checks.checks[key].members]
    spark = getattr(resource, "spark_session", resource)
    table = source(spark, checks.contract, context)
    others = {c.dataset: partial(source, spark, c, context) for c in checks.contract.siblings}
    clock = dt.datetime.now(dt.timezone.utc)
    result = check_table(
        checks.contract, table, now=clock, settings=checks.settings, rules=rules, tables=others
    )
    verdicts = {verdict.rule.name: verdict for verdict in result.verdicts}
    results = []
    for key in selected:
        check = checks.checks[key]
        verdict = sum_up(check, [verdicts[rule.name] for rule in check.members])
        results.append(_result(checks.specs[key], verdict, result))
    context.log.info(_summary(result))
    return [_observation(checks.key, result), *results]


def _result(spec: dg.AssetCheckSpec, verdict: Verdict, table: "TableResult") -> dg.AssetCheckResult:
    # A blocking check that fails as a warning would not block.
    is_error = spec.blocking or verdict.rule.blocking
    return dg.AssetCheckResult(
        passed=verdict.passed,
        asset_key=spec.asset_key,
        check_name=spec.name,
        severity=dg.AssetCheckSeverity.ERROR if is_error else dg.AssetCheckSeverity.WARN,
        description=verdict.reason,
        metadata={**result_metadata(verdict), **_cost(table)},
    )


def _cost(table: "TableResult") -> dict[str, Any]:
    known = {
        "rows": table.rows,
        "seconds": table.cost.seconds,
        "scans": table.cost.scans(table.rows),
        "bytes_read": table.cost.bytes_read,
    }
    return {key: value for key, value in known.items() if value is not None}


def _observation(key: dg.AssetKey, table: "TableResult") -> dg.AssetObservation:
    """The number of rows and the newest data, from the same pass."""
    known = {
        "dagster/row_count": table.rows,
        "dagster/last_updated_timestamp": dg.MetadataValue.timestamp(table.newest)
        if table.newest
        else None,
    }
    present = {name: value for name, value in known.items() if value is not None}
    return dg.AssetObservation(asset_key=key, metadata={**present, **_cost(table)})


def _summary(table: "TableResult") -> str:
    broken = sum(not verdict.passed for verdict in table.verdicts)
    rows = "unknown" if table.rows is None else f"{table.rows:,}"
    scans = table.cost.scans(table.rows)
    read = "" if scans is None else f", {scans:g} scans"
    rules = len(table.verdicts)
    return f"{rules} rules on {rows} rows, {broken} broken; {table.cost.seconds:.1f} s{read}"
