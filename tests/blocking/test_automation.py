"""Automation that waits for the checks above an asset, and automation that does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dagster as dg
import pytest

from blocking.gated import Checks, Shop, orders, shop
from dqx_dagster import unless_blocked

pytestmark = pytest.mark.filterwarnings("ignore::dagster.BetaWarning")  # of Dagster's evaluation

EAGER = dg.AutomationCondition.eager()
SOME = dg.StaticPartitionsDefinition(["a", "b"])


@dg.asset
def prices() -> None:
    """Made without a check."""


@dg.asset(deps=[orders])
def clean() -> None:
    """Between the orders and what waits for them."""


class Automation:
    """What is requested on each tick."""

    def __init__(self, world: Shop) -> None:
        self.world = world
        self.cursor: Any = None
        self.tick()

    def tick(self) -> int:
        result = dg.evaluate_automation_conditions(
            self.world.definitions, self.world.instance, cursor=self.cursor
        )
        self.cursor = result.cursor
        return result.total_requested


def started(world: Shop, above: Any, condition: Any, **options: Any) -> Automation:
    """A world where all is made and well, and `last` is made when this condition says so."""
    partitions = world.checks.partitions

    @dg.asset(deps=[above, prices], automation_condition=condition, partitions_def=partitions)
    def last() -> None: ...

    world.assets = [*world.assets, last]
    world.run(prices.key.to_user_string())
    for asset in (*(a for a in world.assets if a is not prices),):
        world.run(asset.key.to_user_string(), **options)
    return Automation(world)


@pytest.fixture
def world() -> Iterator[Shop]:
    with shop(orders, prices, clean) as world:
        yield world


def test_eager_alone_goes_on(world: Shop) -> None:
    ticks = started(world, orders, EAGER)
    world.fail_key()

    assert ticks.tick() == 1


def test_a_failed_check_is_waited_for(world: Shop) -> None:
    ticks = started(world, orders, unless_blocked())
    assert ticks.tick() == 0
    world.fail_key()
    assert ticks.tick() == 0
    world.run("prices")
    assert ticks.tick() == 0
    world.checks.fail = set()
    world.run_checks()
    assert ticks.tick() == 1
    assert ticks.tick() == 0


def test_it_is_added_to_the_condition_given(world: Shop) -> None:
    hourly = dg.AutomationCondition.cron_tick_passed("0 * * * *")
    ticks = started(world, orders, unless_blocked(~hourly))
    assert ticks.tick() == 1
    world.fail_key()
    assert ticks.tick() == 0


def test_a_check_that_was_left_out_is_waited_for(world: Shop) -> None:
    ticks = started(world, orders, unless_blocked())
    world.run(dg.AssetSelection.assets("orders").without_checks())
    assert ticks.tick() == 0
    world.run_checks()
    assert ticks.tick() == 1


def test_a_check_that_crashed_is_waited_for(world: Shop) -> None:
    ticks = started(world, orders, unless_blocked())
    world.checks.crash = True
    world.run("orders")

    assert ticks.tick() == 0


def test_a_check_that_was_never_evaluated_is_waited_for(world: Shop) -> None:
    @dg.asset(deps=[orders], automation_condition=unless_blocked())
    def last() -> None: ...

    world.assets = [orders, last]
    ticks = Automation(world)
    world.run(dg.AssetSelection.assets("orders").without_checks())
    assert ticks.tick() == 0
    world.run_checks()
    assert ticks.tick() == 1


def test_a_warning_is_not_waited_for(world: Shop) -> None:
    ticks = started(world, orders, unless_blocked())
    world.checks.fail = {"status"}
    world.run("orders")

    assert ticks.tick() == 1


@pytest.mark.parametrize(("levels", "requested"), [(1, 1), (2, 0), (3, 0)])
def test_it_looks_as_far_up_as_it_is_told_to(world: Shop, levels: int, requested: int) -> None:
    """The prices are new; the orders, two steps up, are broken."""
    ticks = started(world, clean, unless_blocked(levels=levels))
    world.fail_key()
    world.run("prices")
    assert ticks.tick() == requested
    world.checks.fail = set()
    world.run_checks()
    assert ticks.tick() == 1 - requested


def test_there_is_at_least_one_level() -> None:
    with pytest.raises(ValueError, match="levels: 0 is less than 1"):
        unless_blocked(levels=0)


@pytest.mark.filterwarnings("ignore::dagster.PreviewWarning")  # of partitioned checks
def test_each_partition_waits_for_its_own_check() -> None:
    @dg.asset(name="orders", partitions_def=SOME)
    def upstream() -> None: ...

    with shop(upstream, prices, checks=Checks(partitions=SOME)) as world:
        ticks = started(world, upstream, unless_blocked(), partition_key="a")
        world.run(["orders", "last"], partition_key="b")
        ticks.tick()
        world.run("orders", partition_key="b")
        world.checks.fail = {"key"}
        world.run("orders", partition_key="a")
        assert ticks.tick() == 1  # of b
        world.checks.fail = set()
        world.run("orders", partition_key="a")
        assert ticks.tick() == 1
