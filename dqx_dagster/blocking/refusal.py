"""What is refused while P0 contract checks stand in the way: a step fails, a schedule skips.

A run with the tag `dqx_dagster/override: <reason>` goes on, and that is on record: a warning in the
log, and the reason and the broken rules on the asset.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import dagster as dg

from dqx_dagster.blocking.blocked import Blocked, gates
from dqx_dagster.blocking.event_log import closed
from dqx_dagster.errors import DefinitionsError

if TYPE_CHECKING:
    from dagster._core.definitions.assets.graph.asset_graph import AssetGraph

OVERRIDE: Final = "dqx_dagster/override"
"""The tag of a run that goes on in spite of all; its value is the reason."""


def blocked_by(
    context: dg.ScheduleEvaluationContext | dg.SensorEvaluationContext | dg.OpExecutionContext,
    selection: dg.AssetSelection,
    *,
    partition_key: str | None = None,
) -> tuple[Blocked, ...]:
    """The P0 contract checks that stand in the way of a run of this selection.

    Checks that the selection contains do not count: the run will evaluate them itself.

    Args:
        context: Of a schedule, a sensor or an op.
        selection: What the run is to make, and to check.
        partition_key: The partition that the run is for.
    """
    repository = context.repository_def
    if repository is None:
        raise DefinitionsError("the context has no repository_def: nothing is known of the assets")
    graph = repository.asset_graph
    made, checked = selection.resolve(graph), selection.resolve_checks(graph)
    partitions = [partition_key] if partition_key else []
    above = gates(graph, made, checked, partitions=partitions, store=context.instance)
    return closed(context.instance, above, partitions=partitions)


def skip_if_blocked(
    context: dg.ScheduleEvaluationContext | dg.SensorEvaluationContext,
    selection: dg.AssetSelection,
    *,
    partition_key: str | None = None,
) -> dg.SkipReason | None:
    """Why a schedule or a sensor should skip a run of this selection; None if it should not.

    ```python
    REPORTS = dg.AssetSelection.groups("reports")

    @dg.schedule(cron_schedule="0 6 * * *", target=REPORTS)
    def daily(context: dg.ScheduleEvaluationContext):
        return skip_if_blocked(context, REPORTS) or dg.RunRequest()
    ```

    Args:
        context: Of the schedule or the sensor.
        selection: What the run is to make, and to check.
        partition_key: The partition that the run is for.
    """
    found = blocked_by(context, selection, partition_key=partition_key)
    return dg.SkipReason(_listed(found)) if found else None


def refuse_if_blocked() -> None:
    """In a step: raise `Failure` if something stands in the way of the assets that it makes."""
    try:
        context = dg.AssetExecutionContext.get()
    except dg.DagsterInvariantViolationError:
        return  # called as a function, by a test: there is no run
    made = context.selected_asset_keys
    if not made:
        return  # an op outside of assets
    graph = _graph(context)
    own = graph.get_check_keys_for_assets(made)  # nobody can wait for what the same step makes
    is_partitioned = context.has_partition_key or context.has_partition_key_range
    # Not every asset of a partitioned run can tell them.
    is_asked = is_partitioned and any(graph.get(key).is_partitioned for key in made)
    partitions = context.partition_keys if is_asked else ()
    above = gates(graph, made, own, partitions=partitions, store=context.instance)
    found = closed(context.instance, above, run_id=context.run.run_id, partitions=partitions)
    if not found:
        return
    reason = context.run.tags.get(OVERRIDE)
    if reason is None or not reason.strip():
        raise _failure(context, found, is_empty=reason is not None)
    _put_on_record(context, found, reason.strip())


def _graph(context: dg.AssetExecutionContext) -> AssetGraph:
    # Not public: the graph of all assets, also of those that the job leaves out.
    return context.job_def.asset_layer.asset_graph.source_asset_graph


def _failure(
    context: dg.AssetExecutionContext, found: Sequence[Blocked], *, is_empty: bool
) -> dg.Failure:
    gap = f" (the tag {OVERRIDE} of this run gives no reason)" if is_empty else ""
    head = f"{_names(context)}: not made, P0 contract checks stand in the way{gap}"
    way = f"To make it anyway, on record, give the run the tag {OVERRIDE}: <reason>"
    return dg.Failure(
        f"{head}\n{_listed(found)}\n{way}",
        metadata={"blocked_by": dg.MetadataValue.json([each.as_metadata for each in found])},
        allow_retries=False,
    )


def _put_on_record(
    context: dg.AssetExecutionContext, found: Sequence[Blocked], reason: str
) -> None:
    text = f"{_names(context)}: made under override ({reason}), in spite of P0 contract checks"
    context.log.warning("%s\n%s", text, _listed(found))
    metadata: dict[str, Any] = {
        OVERRIDE: reason,
        "dqx_dagster/overridden": dg.MetadataValue.json([each.as_metadata for each in found]),
    }
    asset = context.assets_def
    for key in context.selected_asset_keys:
        if isinstance(asset.node_def, dg.OpDefinition):
            context.add_asset_metadata(metadata, asset_key=key)
        else:  # a later op of the graph makes the asset
            has_one = asset.partitions_def is not None and context.has_partition_key
            partition = context.partition_key if has_one else None
            context.log_event(dg.AssetObservation(key, metadata=metadata, partition=partition))


def _names(context: dg.AssetExecutionContext) -> str:
    return ", ".join(sorted(key.to_user_string() for key in context.selected_asset_keys))


def _listed(found: Sequence[Blocked]) -> str:
    """A line for each, but one for all checks of an asset of which the same is to be said."""
    alike: dict[tuple[dg.AssetKey, str], list[Blocked]] = {}
    for each in found:
        alike.setdefault((each.check.asset_key, each.says), []).append(each)
    lines = []
    for first, *others in alike.values():
        names = ", ".join(other.check.name for other in others)
        lines.append(f"- {first}" + (f" Likewise: {names}." if others else ""))
    return "\n".join(lines)
