"""Guarded steps that make many assets, and guarded graphs."""
# Without postponed annotations: Dagster looks at the type of `context`, and takes no text for it.

from collections.abc import Iterator
from typing import Any

import dagster as dg
import pytest
from assets.projects import made

from blocking.gated import REFUSED, Shop, orders, refusal_of, shop
from blocking.kinds import (
    BEFORE,
    Kept,
)
from dqx_dagster import DefinitionsError, guarded


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
