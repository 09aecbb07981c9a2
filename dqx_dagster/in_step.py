"""`contract_asset`: an asset that is checked in its own step, by the Spark session that made it.

A step of its own for the checks costs a second JVM and, often, a second read of the table. Here
both are shared. And a function that *returns* its table has it checked before it is written: where
a P0 rule is broken nothing is written, no materialization is recorded, and the results are kept.
"""
# Without postponed annotations: Dagster looks at the types of parameters, and takes no texts.

import functools
import inspect
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from os import PathLike
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, Protocol, get_type_hints

import dagster as dg

from dqx_dagster.asset_checks import RESOURCE_KEY
from dqx_dagster.asset_specs import described
from dqx_dagster.checks.rule import Settings
from dqx_dagster.contract.model import Contract
from dqx_dagster.contract_checks import ContractChecks, contract_checks
from dqx_dagster.data_source import DataSource, as_source
from dqx_dagster.errors import DefinitionsError
from dqx_dagster.evaluation import Evaluation, evaluate, evaluate_stored, other_tables
from dqx_dagster.partitions import is_of_partition, partition_of
from dqx_dagster.translator import DagsterContractTranslator

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_OUTPUT = "result"
_NO_VALUE: Final[Any] = dg.MaterializeResult().value
_OF_ASSET: Final = (
    "automation_condition",
    "freshness_policy",
    "kinds",
    "metadata",
    "owners",
    "tags",
)
"""The options that Dagster takes for each asset of a step."""


class Write(Protocol):
    """A function that puts a table where it belongs."""

    def __call__(
        self, table: "DataFrame", contract: Contract, context: dg.AssetExecutionContext, /
    ) -> None:
        """Write the table, which has kept its P0 rules."""


def contract_asset(
    contract: str | PathLike[str] | Contract,
    *,
    source: str | PathLike[str] | DataSource | None = None,
    write: Write | None = None,
    io_manager_key: str | None = None,
    translator: DagsterContractTranslator | None = None,
    settings: Settings | None = None,
    resource_key: str = RESOURCE_KEY,
    partitioned_checks: bool = False,
    **options: Any,
) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """Make an asset of a function, with the checks of its contract in the same step.

    The function may write its table and return nothing (or a `MaterializeResult`): the table is
    then read from `source` and checked. Or it returns a DataFrame (or a `MaterializeResult` whose
    value is one), which is checked first and only then written, by `write` or by the IO manager.

    ```python
    def publish(table, contract, context):
        table.write.mode("overwrite").parquet("data/shop.orders.parquet")


    @contract_asset("contracts/orders.odcs.yaml", write=publish, source="data/{dataset}.parquet")
    def orders(pyspark: LazyPySparkResource):
        return pyspark.spark_session.read.json("landing/orders")
    ```

    Args:
        contract: A file with one schema object, or a contract that is already loaded.
        source: Where the table is, as for `build_contract_checks`; it is read in runs that select
            checks alone, and where the function has written the table itself.
        write: Writes what the function returns: `(table, contract, context) -> None`.
        io_manager_key: The IO manager that writes what the function returns.
        translator: Changes the asset key or check specs.
        settings: Severities, and how finely checks are reported.
        resource_key: The resource with the session; the function must take it, too.
        partitioned_checks: Whether Dagster keeps a result for each partition, and not just the
            latest; a preview in Dagster.
        **options: What else Dagster takes for an asset: `deps`, `ins`, `partitions_def`,
            `group_name`, `pool`, `retry_policy`, `backfill_policy`, `op_tags`,
            `automation_condition`, `metadata`, `tags`, …
    """
    checks = _checks(contract, translator, settings)
    if partitioned_checks:
        checks = checks.partitioned(options.get("partitions_def"))
    step = _Step(checks, as_source(source), write, io_manager_key, resource_key)

    def decorate(function: Callable[..., Any]) -> dg.AssetsDefinition:
        _require_session(function, resource_key, options)
        own = {name: options[name] for name in _OF_ASSET if name in options}
        out = dg.AssetOut(
            key=checks.key,
            is_required=False,
            io_manager_key=io_manager_key,
            dagster_type=Any if io_manager_key else dg.Nothing,
            description=inspect.getdoc(function),
            **own,
        )
        make = dg.multi_asset(
            name=checks.key.to_python_identifier(),
            outs={_OUTPUT: out},
            check_specs=list(checks.specs.values()),
            can_subset=True,
            **{name: value for name, value in options.items() if name not in own},
        )
        asset = described(make(_computing(function, step)), {checks.key: checks})
        assert isinstance(asset, dg.AssetsDefinition)
        return asset

    return decorate


def _checks(
    contract: str | PathLike[str] | Contract,
    translator: DagsterContractTranslator | None,
    settings: Settings | None,
) -> ContractChecks:
    given = [contract] if isinstance(contract, Contract) else contract
    found = contract_checks(given, translator, settings)
    if len(found) != 1:
        names = ", ".join(each.contract.dataset for each in found)
        text = f"{contract} has {len(found)} schema objects ({names}), an asset has one"
        raise DefinitionsError(f"{text}; pass one of load_contracts(…)")
    return found[0]


def _require_session(
    function: Callable[..., Any], resource_key: str, options: dict[str, Any]
) -> None:
    asked = {*inspect.signature(function).parameters, *options.get("required_resource_keys", ())}
    if resource_key not in asked:
        text = f"'{function.__name__}' takes no resource '{resource_key}', whose session is to"
        fix = f"add the parameter `{resource_key}: LazyPySparkResource`, or set resource_key="
        raise DefinitionsError(f"{text} check its table; {fix}")


def _computing(function: Callable[..., Any], step: "_Step") -> Callable[..., Any]:
    """The function of the step; to Dagster it looks like the given one, without its result."""

    @functools.wraps(function)
    def compute(*args: Any, **kwargs: Any) -> Iterator[Any]:
        context = dg.AssetExecutionContext.get()
        if context.selected_asset_keys:
            yield from step.made(function(*args, **kwargs), context)
        else:
            yield from step.checked(context)

    # Annotations that are texts are meant in the function's module, not in this one.
    written = {name: a for name, a in function.__annotations__.items() if name != "return"}
    names = inspect.unwrap(function).__globals__
    hints = get_type_hints(SimpleNamespace(__annotations__=written), names, include_extras=True)
    parameters = [
        parameter.replace(annotation=hints.get(name, parameter.empty))
        for name, parameter in inspect.signature(function).parameters.items()
    ]
    compute.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    compute.__annotations__ = hints
    return compute


@dataclass(frozen=True, slots=True)
class _Step:
    """What happens to the table of one asset."""

    checks: ContractChecks
    source: DataSource
    write: Write | None
    io_manager_key: str | None
    resource_key: str

    def checked(self, context: dg.AssetExecutionContext) -> Iterator[Any]:
        """The table as it is, in a run that selects checks alone."""
        found = self._evaluated(context, context.selected_asset_check_keys)
        yield found.observation(self.checks.key)
        yield from found.results

    def made(self, returned: Any, context: dg.AssetExecutionContext) -> Iterator[Any]:
        """The table that the function has returned, or has written itself."""
        given = returned if isinstance(returned, dg.MaterializeResult) else dg.MaterializeResult()
        table = given.value if given is returned else returned
        if given.check_results:
            text = f"the asset '{self._name}' returns check results of its own"
            raise DefinitionsError(f"{text}: those of its contract are made here; leave them out")
        if hasattr(table, "sparkSession"):
            yield from self._audited(table, given, context)
            return
        is_nothing = table is None or table is _NO_VALUE
        if self.write or self.io_manager_key or not is_nothing:
            found_type = "nothing" if is_nothing else type(table).__name__
            raise DefinitionsError(
                f"the asset '{self._name}' must return a DataFrame, got {found_type}"
            )
        found = self._evaluated(context, context.selected_asset_check_keys)
        yield _output(None, found, given)
        yield from found.results

    def _audited(
        self,
        table: "DataFrame",
        given: dg.MaterializeResult[Any],
        context: dg.AssetExecutionContext,
    ) -> Iterator[Any]:
        """Check, then write. What is about the whole table can only be checked afterwards."""
        from dqx_dagster.spark.check import check_repeatable  # noqa: PLC0415 - no Spark at load

        if not (self.write or self.io_manager_key):
            text = f"the asset '{self._name}' returns a DataFrame, and nothing says where it goes"
            raise DefinitionsError(f"{text}: pass write= or io_manager_key=")
        selected = context.selected_asset_check_keys
        partition = partition_of(context, self.checks.contract, self.checks.key)
        is_part = is_of_partition(context, self.checks.key)
        after = {key for key in selected if is_part and self.checks.checks[key].rule.whole_table}
        before = selected - after
        if before:
            check_repeatable(table)
        others = other_tables(self.checks, self.source, self._session(context), context)
        audit = evaluate(self.checks, before, table, partition, others, is_cut=True)
        if broken := audit.blocking:
            yield from audit.results
            raise dg.Failure(
                f"{len(broken)} of {len(audit.results)} checks stop '{self._name}', nothing was "
                "written: " + "; ".join(f"{r.check_name}: {r.description}" for r in broken),
                allow_retries=False,
            )
        if self.write:
            self.write(table, self.checks.contract, context)
        yield _output(None if self.write else table, audit, given)
        found = self._evaluated(context, after)
        yield from (*audit.results, *found.results)

    def _evaluated(
        self, context: dg.AssetExecutionContext, keys: Collection[dg.AssetCheckKey]
    ) -> Evaluation:
        """The checks on what is stored."""
        if not keys:
            return Evaluation()
        return evaluate_stored(self.checks, keys, self.source, self._session(context), context)

    def _session(self, context: dg.AssetExecutionContext) -> "SparkSession":
        resource = getattr(context.resources, self.resource_key)
        session: SparkSession = getattr(resource, "spark_session", resource)
        return session

    @property
    def _name(self) -> str:
        return self.checks.key.to_user_string()


def _output(value: Any, found: Evaluation, given: dg.MaterializeResult[Any]) -> dg.Output[Any]:
    """The materialization, with what was found out and what the function says of it."""
    return dg.Output(
        value,
        _OUTPUT,
        metadata={**found.table, **(given.metadata or {})},
        data_version=given.data_version,
        tags=dict(given.tags or {}),
    )
