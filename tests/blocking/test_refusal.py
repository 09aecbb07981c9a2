"""What people read when something is refused, and what is on record when they override it."""
# Without postponed annotations: Dagster looks at the type of `context`, and takes no text for it.

import re
from collections.abc import Iterator
from typing import Any

import dagster as dg
import pytest
from assets.projects import made

from blocking.gated import (
    BROKEN,
    KEY,
    PLACE,
    Checks,
    Shop,
    failure_of,
    letter,
    orders,
    refusal_of,
    report,
    shop,
)
from dqx_dagster import Blocked, Cause, DefinitionsError, blocked_by, guarded, skip_if_blocked
from dqx_dagster.blocking.refusal import OVERRIDE
from dqx_dagster.metadata import CONTRACT

REASON = "the board meets at noon"
TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"
LINE = f"- orders: key ({PLACE}) failed at <time>: {BROKEN}. Mend orders, then run its checks."
REPORT = dg.AssetSelection.assets("report")


@pytest.fixture
def broken() -> Iterator[Shop]:
    """A shop with broken orders."""
    with shop(orders, guarded(report), guarded(letter)) as world:
        world.fail_key()
        yield world


@pytest.fixture(scope="module")
def on_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dg.DagsterInstance]:
    """An instance as schedules need it; shared, because it takes seconds."""
    with dg.DagsterInstance.local_temp(str(tmp_path_factory.mktemp("home"))) as instance:
        yield instance


class TestInAStep:
    def test_it_says_what_where_when_and_what_to_do(self, broken: Shop) -> None:
        said = refusal_of(broken.run("report"), "report")

        assert re.sub(TIME, "<time>", said) == (
            "report: not made, P0 contract checks stand in the way\n"
            f"{LINE}\n"
            f"To make it anyway, on record, give the run the tag {OVERRIDE}: <reason>"
        )

    def test_programs_can_read_it_too(self, broken: Shop) -> None:
        failure = failure_of(broken.run("report"), "report").user_failure_data

        (told,) = failure.metadata["blocked_by"].data
        assert told.pop("evaluated").endswith("+00:00")
        assert told == {
            "asset": "orders",
            "check": "key",
            "cause": "failed",
            "contract": PLACE,
            "found": BROKEN,
        }

    def test_all_that_stands_in_the_way_is_told_at_once(self, broken: Shop) -> None:
        specs = [
            dg.AssetCheckSpec(name, asset=asset, blocking=True, metadata={CONTRACT: f"{asset}:1"})
            for asset in ("report", "orders")
            for name in ("b", "a")
        ]

        @dg.multi_asset_check(specs=specs, can_subset=True)
        def more() -> Iterator[dg.AssetCheckResult]:
            yield from ()

        checks = [broken.checks.definition, more]
        defs = dg.Definitions(assets=broken.assets, asset_checks=checks)
        job = defs.resolve_implicit_global_asset_job_def()
        result = job.execute_in_process(
            instance=broken.instance, asset_selection=[dg.AssetKey("letter")], raise_on_error=False
        )

        never = "has never been evaluated. Run the checks of"
        lines = refusal_of(result, "letter").splitlines()[1:-1]
        assert lines[0] == f"- orders: a (orders:1) {never} orders. Likewise: b."
        assert lines[1].startswith("- orders: key (")
        assert lines[2] == f"- report: a (report:1) {never} report. Likewise: b."

    def test_the_reason_of_an_override_is_on_record(self, broken: Shop) -> None:
        result = broken.run("report", tags={OVERRIDE: f" {REASON} "})

        assert made(result) == {"report"}
        (event,) = result.get_asset_materialization_events()
        metadata: Any = event.materialization.metadata
        assert metadata[OVERRIDE] == dg.TextMetadataValue(REASON)
        (overridden,) = metadata["dqx_dagster/overridden"].value
        assert overridden["check"] == "key"
        logs = broken.instance.all_logs(result.run_id)
        (warning,) = [entry.user_message for entry in logs if REASON in entry.user_message]
        assert warning.startswith(f"report: made under override ({REASON}), in spite of")
        assert f"orders: key ({PLACE}) failed" in warning

    @pytest.mark.parametrize("reason", ["", "  "])
    def test_an_override_without_a_reason_is_none(self, broken: Shop, reason: str) -> None:
        said = refusal_of(broken.run("report", tags={OVERRIDE: reason}), "report")

        assert f"(the tag {OVERRIDE} of this run gives no reason)" in said

    def test_an_override_that_was_not_needed_leaves_no_trace(self, broken: Shop) -> None:
        broken.checks.fail = set()
        broken.run_checks()
        result = broken.run("report", tags={OVERRIDE: REASON})

        (event,) = result.get_asset_materialization_events()
        assert OVERRIDE not in event.materialization.metadata

    def test_each_asset_of_a_step_has_the_record(self, broken: Shop) -> None:
        @guarded
        @dg.multi_asset(
            specs=[dg.AssetSpec(name, deps=["orders"]) for name in ("one", "two", "three")],
            can_subset=True,
        )
        def many(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult[None]]:
            for key in sorted(context.selected_asset_keys):
                yield dg.MaterializeResult(asset_key=key, metadata={"own": 1})

        broken.assets = [orders, many]
        result = broken.run(["one", "two"], tags={OVERRIDE: REASON})

        found = [event.materialization for event in result.get_asset_materialization_events()]
        assert [each.metadata.keys() for each in found] == [
            {"own", OVERRIDE, "dqx_dagster/overridden"}
        ] * 2

    def test_an_asset_without_partitions_in_a_run_with_one(self, broken: Shop) -> None:
        some = dg.StaticPartitionsDefinition(["a", "b"])

        @dg.asset(partitions_def=some)
        def beside() -> None: ...

        broken.assets = [orders, guarded(report), beside]
        refused = broken.run(["report", "beside"], partition_key="a")
        result = broken.run(["report", "beside"], partition_key="a", tags={OVERRIDE: REASON})

        assert refusal_of(refused, "report").startswith("report: not made")
        assert made(result) == {"beside", "report"}

    def test_a_graph_has_it_in_an_observation(self, broken: Shop) -> None:
        """The op that looks is not the one that makes the asset."""

        @guarded
        @dg.op(ins={"orders": dg.In(dg.Nothing)})
        def fetch() -> int:
            return 1

        @dg.op
        def double(value: int) -> int:
            return 2 * value

        @dg.graph_asset(
            ins={"orders": dg.AssetIn("orders", dagster_type=dg.Nothing)},
            partitions_def=dg.StaticPartitionsDefinition(["a", "b"]),
        )
        def total(orders: Any) -> Any:
            return double(fetch(orders))

        broken.assets = [orders, total]
        result = broken.run("total", tags={OVERRIDE: REASON}, partition_key="b")

        (event,) = result.get_asset_observation_events()
        observation = event.asset_observation_data.asset_observation
        assert (observation.asset_key, observation.partition) == (dg.AssetKey("total"), "b")
        assert observation.metadata[OVERRIDE] == dg.TextMetadataValue(REASON)
        assert made(result) == {"total"}


class TestBeforeARun:
    @staticmethod
    def tick(world: Shop, selection: dg.AssetSelection) -> dg.RunRequest | dg.SkipReason:
        """What a schedule of this selection answers."""

        @dg.schedule(cron_schedule="@daily", target=selection)
        def daily(context: dg.ScheduleEvaluationContext) -> dg.RunRequest | dg.SkipReason:
            return skip_if_blocked(context, selection) or dg.RunRequest()

        defs = dg.Definitions.merge(world.definitions, dg.Definitions(schedules=[daily]))
        repository = defs.get_repository_def()
        with dg.build_schedule_context(world.instance, repository_def=repository) as context:
            answer = daily(context)
        assert isinstance(answer, dg.RunRequest | dg.SkipReason)
        return answer

    @pytest.fixture
    def world(self, on_disk: dg.DagsterInstance) -> Shop:
        return Shop(on_disk, [orders, report, letter])

    def test_a_schedule_skips_and_says_why(self, world: Shop) -> None:
        world.fail_key()

        answer = self.tick(world, REPORT)

        assert isinstance(answer, dg.SkipReason)
        said = re.sub(TIME, "<time>", answer.skip_message or "")
        assert said == LINE

    def test_it_goes_on_once_the_checks_pass(self, world: Shop) -> None:
        world.run("orders")

        assert isinstance(self.tick(world, REPORT), dg.RunRequest)

    def test_what_the_run_checks_itself_does_not_count(self, world: Shop) -> None:
        everything = dg.AssetSelection.all()
        world.fail_key()

        for checked in (everything, REPORT.upstream(), dg.AssetSelection.assets("orders")):
            assert isinstance(self.tick(world, checked), dg.RunRequest)
        for unchecked in (everything.without_checks(), dg.AssetSelection.assets("letter")):
            assert isinstance(self.tick(world, unchecked), dg.SkipReason)

    @pytest.mark.filterwarnings("ignore::dagster.PreviewWarning")  # of partitioned checks
    def test_a_sensor_asks_for_one_partition(self, world: Shop) -> None:
        some = dg.StaticPartitionsDefinition(["a", "b"])

        @dg.asset(name="orders", partitions_def=some)
        def upstream() -> None: ...

        @dg.asset(name="report", partitions_def=some, deps=["orders"])
        def downstream() -> None: ...

        world.assets, world.checks = [upstream, downstream], Checks(partitions=some)
        world.run("orders", partition_key="a")
        context = dg.build_sensor_context(world.instance, definitions=world.definitions)

        assert blocked_by(context, REPORT, partition_key="a") == ()
        assert blocked_by(context, REPORT, partition_key="b") == (
            Blocked(KEY, PLACE, Cause.NEVER, "b"),
        )

    def test_a_context_that_knows_no_assets_is_an_error(self, world: Shop) -> None:
        context = dg.build_sensor_context(world.instance)

        with pytest.raises(DefinitionsError, match="no repository_def"):
            blocked_by(context, REPORT)
