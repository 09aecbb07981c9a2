"""Checks of partitioned assets: which partition's result counts for which."""

from __future__ import annotations

from typing import Any

import dagster as dg
import pytest
from assets.projects import made

from blocking.gated import BROKEN, Checks, Shop, refusal_of, shop
from dqx_dagster import Cause, guarded

pytestmark = pytest.mark.filterwarnings("ignore::dagster.PreviewWarning")  # of partitioned checks

SOME = dg.StaticPartitionsDefinition(["a", "b", "c"])
DAYS = dg.DailyPartitionsDefinition("2026-03-01", end_date="2026-03-15")
WEEKS = dg.WeeklyPartitionsDefinition("2026-03-01", end_date="2026-03-15")
ONE_LATER = dg.StaticPartitionMapping({"a": "b", "b": "c", "c": "a"})
DAY_BEFORE = dg.TimeWindowPartitionMapping(start_offset=-1, end_offset=-1)
TWO_DAYS = dg.TimeWindowPartitionMapping(start_offset=-1)
START, END = "dagster/asset_partition_range_start", "dagster/asset_partition_range_end"


def partitioned(
    *,
    of: Any = SOME,
    report: Any = SOME,
    mapping: Any = None,
    checks: bool = True,
    itself: Any = None,
) -> Any:
    """A shop whose orders have partitions, and a report that reads them in this way."""
    own = dg.AssetDep("orders", partition_mapping=itself)

    @dg.asset(name="orders", partitions_def=of, deps=[own] if itself else [])
    def upstream() -> None: ...

    @guarded
    @dg.asset(
        name="report",
        partitions_def=report,
        deps=[dg.AssetDep("orders", partition_mapping=mapping)],
    )
    def downstream() -> None: ...

    return shop(upstream, downstream, checks=Checks(partitions=of if checks else None))


def run(world: Shop, passed: dict[str, bool]) -> None:
    """Runs of these partitions of the orders, in their order."""
    for partition, has_passed in passed.items():
        world.checks.fail = set() if has_passed else {"key"}
        assert world.run("orders", partition_key=partition).success is has_passed


def test_each_partition_has_its_own_result() -> None:
    with partitioned() as world:
        run(world, {"a": True, "b": False})

        assert world.causes("a") == []
        assert world.causes("b") == [(Cause.FAILED, "b")]
        assert world.causes("a", "b", "c") == [(Cause.FAILED, "b"), (Cause.NEVER, "c")]
        assert world.causes() == [(Cause.FAILED, None)]
        assert world.run("report", partition_key="a").success
        assert not world.run("report", partition_key="b").success

        world.run(dg.AssetSelection.assets("orders").without_checks(), partition_key="a")
        assert world.causes("a") == [(Cause.OUTDATED, "a")]


def test_a_check_without_partitions_has_one_result() -> None:
    with partitioned(checks=False) as world:
        run(world, {"a": False})
        assert world.causes("a") == world.causes("b") == [(Cause.FAILED, None)]
        run(world, {"b": True})
        assert world.causes("a") == []


def test_an_asset_that_reads_its_own_past_is_asked_for_the_partition_alone() -> None:
    with partitioned(of=DAYS, report=DAYS, itself=DAY_BEFORE) as world:
        run(world, {"2026-03-02": False, "2026-03-03": True})

        assert world.causes("2026-03-02") == [(Cause.FAILED, "2026-03-02")]
        assert world.causes("2026-03-03") == []


class TestMixedPartitions:
    """A good partition must not hide a bad one that is read."""

    def test_the_last_result_counts(self) -> None:
        with partitioned(mapping=ONE_LATER) as world:
            assert world.causes("b") == [(Cause.NEVER, None)]
            run(world, {"b": False})
            assert world.causes("b") == [(Cause.FAILED, None)]

    def test_and_every_failure_of_what_is_read(self) -> None:
        with partitioned(mapping=ONE_LATER) as world:
            run(world, {"a": False})
            assert world.causes("b") == [(Cause.FAILED, "a")]
            run(world, {"c": True})
            assert world.causes("b") == [(Cause.FAILED, "a")]
            assert world.causes("a") == world.causes("c") == []
            run(world, {"a": True})
            assert world.causes("b") == []

    def test_an_asset_without_partitions_reads_all(self) -> None:
        with partitioned(report=None) as world:
            run(world, {"a": False, "b": False, "c": True})
            assert world.causes() == [(Cause.FAILED, "b"), (Cause.FAILED, "a")]
            refused = world.run("report")
            run(world, {"b": True, "a": True})
            assert world.run("report").success

        assert made(refused) == set()
        said = refusal_of(refused, "report")
        assert "orders: key (contracts/orders.yaml:7) failed for partition a at" in said
        assert BROKEN in said

    def test_an_asset_without_partitions_may_lie_between(self) -> None:
        with partitioned(report=None) as world:

            @guarded
            @dg.asset(partitions_def=SOME, deps=["report"])
            def last() -> None: ...

            world.assets = [*world.assets, last]
            run(world, {"a": False, "b": True})
            refused = world.run("last", partition_key="b")

        assert "failed for partition a" in refusal_of(refused, "last")

    def test_weeks_of_days(self) -> None:
        with partitioned(of=DAYS, report=WEEKS) as world:
            run(world, {"2026-03-03": False, "2026-03-09": True})

            assert world.causes("2026-03-01") == [(Cause.FAILED, "2026-03-03")]
            assert world.causes("2026-03-08") == []

    def test_the_day_before_in_the_same_run(self) -> None:
        """The run checks its own day, which says nothing of the day before."""
        with partitioned(of=DAYS, report=DAYS, mapping=TWO_DAYS) as world:
            run(world, {"2026-03-02": False})
            world.checks.fail = set()
            refused = world.run(["orders", "report"], partition_key="2026-03-03")
            fine = world.run(["orders", "report"], partition_key="2026-03-05")

        assert "failed for partition 2026-03-02" in refusal_of(refused, "report")
        assert made(refused) == {"orders"}
        assert fine.success

    def test_a_crash_does_not_hide_a_failure(self) -> None:
        with partitioned(mapping=ONE_LATER) as world:
            run(world, {"a": False})
            world.checks.crash = True
            world.run("orders", partition_key="a")
            world.checks.crash = False
            run(world, {"b": True})

            assert world.causes("b") == [(Cause.FAILED, "a")]

    def test_partitions_that_are_added_later(self) -> None:
        names = dg.DynamicPartitionsDefinition(name="names")
        with partitioned(of=names, report=None, mapping=dg.LastPartitionMapping()) as world:
            world.instance.add_dynamic_partitions("names", ["x", "y"])
            run(world, {"x": False, "y": True})
            assert world.causes() == []
            run(world, {"y": False, "x": True})
            assert world.causes() == [(Cause.FAILED, "y")]

    def test_of_many_failures_the_latest_are_named(self) -> None:
        many = dg.StaticPartitionsDefinition([str(n) for n in range(12)])
        with partitioned(of=many, report=None) as world:
            run(world, dict.fromkeys(many.get_partition_keys(), False))

            assert [partition for _, partition in world.causes()] == [
                str(n) for n in range(11, 1, -1)
            ]


def test_a_range_of_partitions_in_one_run() -> None:
    """Dagster keeps such a result without its partitions: it is good for this run alone."""
    with partitioned() as world:
        result = world.run(["orders", "report"], tags={START: "a", END: "b"})

        assert result.success
        assert world.causes() == []
        assert world.causes("a") == [(Cause.UNFINISHED, "a")]
