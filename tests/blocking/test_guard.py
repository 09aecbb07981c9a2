"""Assets that refuse to be made while a P0 contract check above them has not passed."""
# Without postponed annotations: Dagster looks at the type of `context`, and takes no text for it.

from collections.abc import Iterator
from typing import Any

import dagster as dg
import pytest
from assets.projects import made
from dagster._core.definitions.assets.definition.cacheable_assets_definition import (
    CacheableAssetsDefinition,
)

from blocking.gated import REFUSED, letter, orders, refusal_of, report, shop
from blocking.kinds import (
    BEFORE,
    Kept,
    async_generator,
    coroutine,
    generator,
    of_a_plain_async_op,
    of_a_plain_op,
    of_outs,
    plain,
    with_context,
    with_input_config_and_resource,
)
from dqx_dagster import ContractWarning, guarded
from dqx_dagster.blocking.guard import guard_all

SOME = dg.StaticPartitionsDefinition(["a", "b"])
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


def test_assets_that_are_known_later_are_named() -> None:
    class Later(CacheableAssetsDefinition):
        def compute_cacheable_data(self) -> list[Any]:
            raise AssertionError

        def build_definitions(self, data: object) -> list[Any]:
            raise AssertionError

    later = Later("later")
    with pytest.warns(ContractWarning, match="a Later is not guarded: its assets are known when"):
        assert guard_all([later]) == [later]


def test_a_refusal_is_not_tried_again() -> None:
    @guarded
    @dg.asset(deps=[BEFORE], retry_policy=dg.RetryPolicy(max_retries=3))
    def stubborn() -> None: ...

    with shop(orders, stubborn) as world:
        world.fail_key()
        result = world.run("stubborn")

    assert REFUSED in refusal_of(result, "stubborn")
    assert not [event for event in result.all_events if event.is_step_up_for_retry]


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
