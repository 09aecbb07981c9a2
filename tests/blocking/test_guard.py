"""Assets that refuse to be made while a P0 contract check above them has not passed."""

# Without postponed annotations: Dagster looks at the type of `context`, and takes no text for it.

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import dagster as dg
import pytest
from assets.projects import made

from blocking.gated import REFUSED, Shop, letter, orders, refusal_of, report, shop
from dqx_dagster import DefinitionsError, guarded
from dqx_dagster.blocking.guard import guard_all

BEFORE = dg.AssetKey("orders")
SOME = dg.StaticPartitionsDefinition(["a", "b"])


class Settings(dg.Config):
    """A setting with a default."""

    number: int = 7


class Kept(dg.IOManager):
    """Keeps values, and so tells what reached it."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
        self.values[self.name(context)] = obj

    def load_input(self, context: dg.InputContext) -> Any:
        upstream = context.upstream_output or context
        return self.values.get(self.name(upstream), "nothing")

    @staticmethod
    def name(context: dg.OutputContext | dg.InputContext) -> str:
        return "/".join(
            context.asset_key.path if context.has_asset_key else context.get_identifier()
        )


def plain() -> dg.AssetsDefinition:
    @dg.asset(deps=[BEFORE])
    def asset() -> str:
        return "made"

    return asset


def with_context() -> dg.AssetsDefinition:
    @dg.asset(deps=[BEFORE])
    def asset(context: dg.AssetExecutionContext) -> str:
        return f"made as {context.asset_key.to_user_string()}"

    return asset


def with_input_config_and_resource() -> dg.AssetsDefinition:
    @dg.asset
    def asset(orders: str, config: Settings, word: dg.ResourceParam[str]) -> str:
        return f"made of {orders}, {config.number} and {word}"

    return asset


def generator() -> dg.AssetsDefinition:
    @dg.asset(deps=[BEFORE])
    def asset() -> Iterator[Any]:
        yield dg.AssetObservation("asset")
        yield dg.Output("made")

    return asset


def coroutine() -> dg.AssetsDefinition:
    @dg.asset(deps=[BEFORE])
    async def asset() -> str:
        await asyncio.sleep(0)
        return "made"

    return asset


def async_generator() -> dg.AssetsDefinition:
    @dg.asset(deps=[BEFORE])
    async def asset() -> Any:
        await asyncio.sleep(0)
        yield dg.Output("made")

    return asset


def of_outs() -> dg.AssetsDefinition:
    @dg.multi_asset(outs={"asset": dg.AssetOut(), "twin": dg.AssetOut()}, deps=[BEFORE])
    def both() -> tuple[str, str]:
        return "made", "made too"

    return both


def of_a_plain_op() -> dg.AssetsDefinition:
    """As other libraries make them: without a decorator."""

    def compute(context: dg.OpExecutionContext, inputs: Any) -> Iterator[Any]:
        yield dg.Output(f"made of {inputs['orders']}")

    op = dg.OpDefinition(compute, "asset", ins={"orders": dg.In()}, outs={"result": dg.Out()})
    return dg.AssetsDefinition.from_op(op, keys_by_input_name={"orders": BEFORE})


def of_a_plain_async_op() -> dg.AssetsDefinition:
    async def compute(context: dg.OpExecutionContext, inputs: Any) -> AsyncIterator[Any]:
        await asyncio.sleep(0)
        yield dg.Output("made")

    op = dg.OpDefinition(compute, "asset", ins={"orders": dg.In()}, outs={"result": dg.Out()})
    return dg.AssetsDefinition.from_op(op, keys_by_input_name={"orders": BEFORE})


KINDS = [
    pytest.param(plain, "made", id="plain"),
    pytest.param(with_context, "made as asset", id="with context"),
    pytest.param(
        with_input_config_and_resource,
        "made of nothing, 7 and word",
        id="with input, config and resource",
    ),
    pytest.param(generator, "made", id="generator"),
    pytest.param(coroutine, "made", id="coroutine"),
    pytest.param(async_generator, "made", id="async generator"),
    pytest.param(of_outs, "made", id="multi-asset"),
    pytest.param(of_a_plain_op, "made of nothing", id="plain op"),
    pytest.param(of_a_plain_async_op, "made", id="plain async op"),
]


@pytest.mark.parametrize(("kind", "value"), KINDS)
def test_every_kind_of_asset_refuses_and_is_otherwise_the_same(kind: Any, value: str) -> None:
    asset, kept = guarded(kind()), Kept()
    resources = {"io_manager": kept, "word": "word"}
    with shop(orders, asset, resources=resources) as world:
        world.fail_key()
        names = [key.to_user_string() for key in asset.keys]
        refused = world.run(names)
        assert kept.values == {}
        world.checks.fail = set()
        world.run_checks()
        after = world.run(names)

    assert REFUSED in refusal_of(refused, asset.node_def.name)
    assert made(refused) == set()
    assert after.success
    assert kept.values["asset"] == value


@pytest.mark.filterwarnings("ignore::dagster.BetaWarning")  # of backfill policies and hooks
def test_all_that_an_asset_says_stays() -> None:
    @dg.success_hook
    def on_success(_: dg.HookContext) -> None: ...

    @dg.asset(
        deps=[BEFORE],
        partitions_def=SOME,
        backfill_policy=dg.BackfillPolicy.single_run(),
        code_version="3",
        compute_kind="spark",
        config_schema={"number": int},
        description="all of it",
        group_name="reports",
        hooks={on_success},
        io_manager_key="other",
        metadata={"a": 1},
        op_tags={"memory": "much"},
        owners=["team:reports"],
        pool="spark",
        required_resource_keys={"word"},
        retry_policy=dg.RetryPolicy(max_retries=2),
        check_specs=[dg.AssetCheckSpec("inner", asset="asset")],
        automation_condition=dg.AutomationCondition.eager(),
    )
    def asset() -> Iterator[Any]:
        yield

    after = guarded(asset)

    assert list(after.specs) == list(asset.specs)
    assert list(after.check_specs) == list(asset.check_specs)
    assert after.backfill_policy == asset.backfill_policy
    assert after.hook_defs == asset.hook_defs
    assert after.required_resource_keys == asset.required_resource_keys
    for name in (
        "name",
        "description",
        "tags",
        "config_schema",
        "pool",
        "retry_policy",
        "required_resource_keys",
        "ins",
        "outs",
    ):
        assert getattr(after.op, name) == getattr(asset.op, name), name


def test_the_asset_given_is_not_changed() -> None:
    before = plain()
    function = before.op.compute_fn

    after = guarded(before)

    assert after is not before
    assert before.op.compute_fn is function


def test_a_guarded_asset_is_not_guarded_twice() -> None:
    once = guarded(plain())

    assert guarded(once).op is once.op


def test_one_op_of_two_assets_stays_one() -> None:
    """Dagster refuses two ops of one name in one job."""
    op = of_a_plain_op().op
    before = {"orders": BEFORE}
    pair = [
        guarded(
            dg.AssetsDefinition.from_op(
                op, keys_by_input_name=before, keys_by_output_name={"result": dg.AssetKey(name)}
            )
        )
        for name in ("one", "other")
    ]
    with shop(orders, *pair, resources={"io_manager": Kept()}) as world:
        assert world.run(["orders", "one", "other"]).success


def test_it_can_still_be_called_as_a_function() -> None:
    """As tests of assets do: there is no run, and nothing to ask."""
    assert guarded(plain())() == "made"
    assert guarded(with_context())(dg.build_asset_context()) == "made as asset"
    told: Any = guarded(generator())()
    assert [type(each) for each in told] == [dg.AssetObservation, dg.Output]


@pytest.mark.filterwarnings("ignore::dagster.BetaWarning")  # of observable assets
def test_what_nobody_makes_and_what_comes_first_stays_as_it_is() -> None:
    @dg.observable_source_asset
    def observed() -> dg.DataVersion:
        return dg.DataVersion("1")

    @dg.multi_observable_source_asset(  # type: ignore[untyped-decorator]
        specs=[dg.AssetSpec("both", deps=[BEFORE])]
    )
    def observing() -> Iterator[dg.ObserveResult]:
        yield dg.ObserveResult("both")

    spec = dg.AssetSpec("external", deps=[BEFORE])
    external = dg.AssetsDefinition(specs=[spec])

    assert guard_all([spec, observed]) == [spec, observed]
    for asset in (orders, external, observing):
        assert guarded(asset) is asset


def test_a_refusal_is_not_tried_again() -> None:
    @guarded
    @dg.asset(deps=[BEFORE], retry_policy=dg.RetryPolicy(max_retries=3))
    def stubborn() -> None: ...

    with shop(orders, stubborn) as world:
        world.fail_key()
        result = world.run("stubborn")

    assert REFUSED in refusal_of(result, "stubborn")
    assert not [event for event in result.all_events if event.is_step_up_for_retry]


class TestStepsOfManyAssets:
    def world(self, world: Shop) -> None:
        @guarded
        @dg.multi_asset(
            specs=[dg.AssetSpec("after", deps=[BEFORE]), dg.AssetSpec("free", deps=["elsewhere"])],
            can_subset=True,
        )
        def both(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult[None]]:
            for key in sorted(context.selected_asset_keys):
                yield dg.MaterializeResult(asset_key=key)

        world.assets = [orders, both]
        world.fail_key()

    def test_only_what_is_selected_counts(self) -> None:
        with shop() as world:
            self.world(world)

            assert made(world.run("free")) == {"free"}
            assert refusal_of(world.run("after"), "both").startswith("after: not made")
            refused = world.run(["after", "free"])

        assert refusal_of(refused, "both").startswith("after, free: not made")
        assert made(refused) == set()

    def test_what_the_same_step_makes_is_not_waited_for(self) -> None:
        """Its checks can only run after the step."""

        @guarded
        @dg.multi_asset(
            specs=[
                dg.AssetSpec("orders", deps=["elsewhere"]),
                dg.AssetSpec("after", deps=["orders"]),
            ],
            can_subset=True,
        )
        def both(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult[None]]:
            for key in sorted(context.selected_asset_keys, reverse=True):
                yield dg.MaterializeResult(asset_key=key)

        with shop(both) as world:
            together = world.run(["orders", "after"])
            world.fail_key()
            alone = world.run("after")

        assert together.success
        assert REFUSED in refusal_of(alone, "both")


class TestGraphs:
    @staticmethod
    def graph(*, guard: bool) -> dg.AssetsDefinition:
        @dg.op
        def fetch(orders: Any) -> int:
            return 1

        @dg.op
        def start() -> int:
            return 2

        @dg.op
        def add(one: int, other: int) -> int:
            return one + other

        reading = guarded(fetch) if guard else fetch

        @dg.graph
        def inner(orders: Any) -> Any:
            return reading(orders)

        @dg.graph_asset
        def total(orders: Any) -> Any:
            return add(inner(orders), start())

        return total

    def test_a_graph_names_the_ops_that_guard_it(self) -> None:
        with pytest.raises(DefinitionsError) as caught:
            guarded(self.graph(guard=False))

        assert str(caught.value) == (
            "asset total is not guarded: put @guarded on the ops that take its inputs: fetch"
        )

    def test_it_refuses_by_the_ops_that_read(self) -> None:
        total = self.graph(guard=True)
        assert guarded(total) is total
        with shop(orders, total, resources={"io_manager": Kept()}) as world:
            world.fail_key()
            refused = world.run("total")
            world.checks.fail = set()
            after = world.run(["orders", "total"])

        assert refusal_of(refused, "total.inner.fetch").startswith("total: not made")
        assert made(refused) == set()
        assert after.success
        assert after.asset_value("total") == 3

    def test_a_guarded_op_outside_of_assets_just_runs(self) -> None:
        @guarded
        @dg.op
        def word() -> str:
            return "done"

        @dg.job
        def job() -> None:
            word()

        assert job.execute_in_process().output_for_node("word") == "done"


def test_the_whole_way_down_is_guarded() -> None:
    with shop(orders, *map(guarded, [report, letter])) as world:
        world.run(["orders", "report", "letter"])
        world.fail_key()
        assert REFUSED in refusal_of(world.run("report"), "report")
        assert REFUSED in refusal_of(world.run("letter"), "letter")
        world.checks.fail = set()
        everything = world.run(["orders", "report", "letter"])
        later = world.run("letter")

    assert everything.success
    assert later.success
