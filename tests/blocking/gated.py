"""A small shop whose orders have checks that answer as they are told to, without Spark.

    orders ──▶ report ──▶ letter

The checks of the orders look like a contract's: `key` is P0, `status` is P1. `own` is none.
"""

# Without postponed annotations: Dagster looks at the type of `context`, and takes no text for it.

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import dagster as dg

from dqx_dagster import Cause
from dqx_dagster.blocking.blocked import gates
from dqx_dagster.blocking.event_log import closed
from dqx_dagster.metadata import CONTRACT

PLACE = "contracts/orders.yaml:7"
KEY = dg.AssetCheckKey(dg.AssetKey("orders"), "key")
BROKEN = "2 of 9 rows have a key that is repeated or null; allowed: none"
REFUSED = "P0 contract checks stand in the way"


@dg.asset
def orders() -> None:
    """What is checked."""


@dg.asset(deps=[orders])
def report() -> None:
    """What must not be made of broken orders."""


@dg.asset(deps=[report])
def letter() -> None:
    """What comes after the report."""


@dataclass
class Checks:
    """The checks of the orders: those named here fail, or break before they have an answer."""

    fail: set[str] = field(default_factory=set)
    crash: bool = False
    partitions: dg.PartitionsDefinition[Any] | None = None

    @property
    def specs(self) -> list[dg.AssetCheckSpec]:
        shared: dict[str, Any] = {"asset": "orders", "partitions_def": self.partitions}
        of_contract = {CONTRACT: PLACE}
        return [
            dg.AssetCheckSpec("key", blocking=True, metadata=of_contract, **shared),
            dg.AssetCheckSpec("status", metadata=of_contract, **shared),
            dg.AssetCheckSpec("own", blocking=True, **shared),
        ]

    @property
    def definition(self) -> dg.AssetChecksDefinition:
        @dg.multi_asset_check(specs=self.specs, can_subset=True)
        def checks(context: dg.AssetCheckExecutionContext) -> Iterator[dg.AssetCheckResult]:
            if self.crash:
                raise ConnectionError("storage is away")
            for key in sorted(context.selected_asset_check_keys):
                passed = key.name not in self.fail
                said = "all is well" if passed else BROKEN
                yield dg.AssetCheckResult(
                    asset_key=key.asset_key, check_name=key.name, passed=passed, description=said
                )

        return checks


@dataclass
class Shop:
    """Definitions and an instance to run them on."""

    instance: dg.DagsterInstance
    assets: Sequence[Any]
    checks: Checks = field(default_factory=Checks)
    resources: dict[str, Any] = field(default_factory=dict)

    @property
    def definitions(self) -> dg.Definitions:
        return dg.Definitions(
            assets=self.assets, asset_checks=[self.checks.definition], resources=self.resources
        )

    def run(
        self, selection: str | Sequence[str] | dg.AssetSelection, **options: Any
    ) -> dg.ExecuteInProcessResult:
        """A run of these assets and their checks, or of a selection."""
        if isinstance(selection, str):
            selection = [selection]
        if not isinstance(selection, dg.AssetSelection):
            selection = dg.AssetSelection.assets(*selection)
        jobs = dg.Definitions(jobs=[dg.define_asset_job("job", selection)])
        job = dg.Definitions.merge(self.definitions, jobs).resolve_job_def("job")
        return job.execute_in_process(instance=self.instance, raise_on_error=False, **options)

    def run_checks(self) -> dg.ExecuteInProcessResult:
        """A run of all checks of the orders, and of nothing else."""
        return self.run(dg.AssetSelection.checks_for_assets("orders"))

    def causes(self, *partitions: str) -> list[tuple[Cause, str | None]]:
        """What stands in the way of these partitions of the report."""
        graph = self.definitions.resolve_asset_graph()
        report = [dg.AssetKey("report")]
        above = gates(graph, report, partitions=partitions, store=self.instance)
        found = closed(self.instance, above, partitions=partitions)
        assert {each.check for each in found} <= {KEY}
        return [(each.cause, each.partition) for each in found]

    def fail_key(self) -> None:
        """Orders whose P0 check has failed."""
        self.checks.fail = {"key"}
        assert not self.run("orders").success


@contextlib.contextmanager
def shop(*assets: Any, **options: Any) -> Iterator[Shop]:
    """A shop that has nothing yet."""
    with dg.DagsterInstance.ephemeral() as instance:
        yield Shop(instance, assets, **options)


def failure_of(result: dg.ExecuteInProcessResult, step: str) -> Any:
    """How a step has failed."""
    (event,) = [e for e in result.all_events if e.is_step_failure and e.step_key == step]
    return event.step_failure_data


def refusal_of(result: dg.ExecuteInProcessResult, step: str) -> str:
    """Why a step has refused."""
    description = failure_of(result, step).user_failure_data.description
    assert isinstance(description, str)
    return description
