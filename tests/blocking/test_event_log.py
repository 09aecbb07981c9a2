"""What stands in the way of an asset, as Dagster's event log tells it."""
# Without postponed annotations: Dagster looks at the type of `context`, and takes no text for it.

import datetime as dt
from collections.abc import Iterator
from typing import Any

import dagster as dg
import pytest
import sqlalchemy
from assets.projects import made

from blocking.gated import BROKEN, KEY, PLACE, Shop, letter, orders, report, shop
from dqx_dagster import Blocked, Cause, guarded
from dqx_dagster.blocking.blocked import Gate
from dqx_dagster.blocking.event_log import closed

GATE = Gate(KEY, PLACE, same_partition=False)
EVERYTHING = dg.AssetSelection.all()


@pytest.fixture
def world() -> Iterator[Shop]:
    with shop(orders, guarded(report), guarded(letter)) as world:
        yield world


def cause(world: Shop) -> Cause | None:
    return next((cause for cause, _ in world.causes()), None)


def test_a_check_that_was_never_evaluated(world: Shop) -> None:
    assert closed(world.instance, [GATE]) == (Blocked(KEY, PLACE, Cause.NEVER),)


def test_a_check_that_failed_tells_what_and_when(world: Shop) -> None:
    before = dt.datetime.now(dt.timezone.utc)
    world.fail_key()

    (found,) = closed(world.instance, [GATE])

    assert found.evaluated is not None
    assert before < found.evaluated < dt.datetime.now(dt.timezone.utc)
    assert found == Blocked(KEY, PLACE, Cause.FAILED, found=BROKEN, evaluated=found.evaluated)


def test_a_check_that_passed_is_open_again(world: Shop) -> None:
    world.fail_key()
    world.checks.fail = set()
    world.run_checks()

    assert cause(world) is None


@pytest.mark.parametrize("name", ["status", "own"])
def test_neither_p1_nor_checks_of_others_count(world: Shop, name: str) -> None:
    world.checks.fail = {name}
    world.run("orders")

    assert cause(world) is None


def test_a_check_that_crashed(world: Shop) -> None:
    world.run("orders")
    world.checks.crash = True
    assert not world.run_checks().success

    assert cause(world) is Cause.UNFINISHED


def test_an_execution_whose_run_is_gone(world: Shop) -> None:
    world.checks.crash = True
    lost = world.run("orders")
    world.instance.delete_run(lost.run_id)

    assert cause(world) is Cause.UNFINISHED


def test_data_that_is_newer_than_the_check(world: Shop) -> None:
    world.run("orders")
    result = world.run(EVERYTHING.without_checks())

    assert cause(world) is Cause.OUTDATED
    assert not result.success
    assert made(result) == {"orders"}


def test_a_failure_stays_one_when_the_data_is_newer(world: Shop) -> None:
    world.fail_key()
    world.run(dg.AssetSelection.assets("orders").without_checks())

    assert cause(world) is Cause.FAILED


def test_a_job_that_leaves_out_the_one_check(world: Shop) -> None:
    world.run("orders")
    result = world.run(EVERYTHING - dg.AssetSelection.checks(KEY))

    assert cause(world) is Cause.OUTDATED
    assert made(result) == {"orders"}


def test_results_reported_from_outside(world: Shop) -> None:
    """Neither they nor such materializations belong to a run: the clock tells which came first."""

    def report_result(*, passed: bool) -> None:
        result = dg.AssetCheckEvaluation(KEY.asset_key, KEY.name, passed=passed)
        world.instance.report_runless_asset_event(result)

    report_result(passed=False)
    assert cause(world) is Cause.FAILED
    report_result(passed=True)
    assert cause(world) is None
    world.instance.report_runless_asset_event(dg.AssetMaterialization("orders"))
    assert cause(world) is Cause.OUTDATED
    report_result(passed=True)
    assert cause(world) is None


class TestExecutionsThatGoOn:
    """A run that waits or runs: Dagster notes its checks when the run is created."""

    @staticmethod
    def start(world: Shop) -> None:
        job = world.definitions.resolve_implicit_global_asset_job_def()
        selected = job.get_subset(asset_selection=frozenset({KEY.asset_key}))
        world.instance.create_run_for_job(selected, status=dg.DagsterRunStatus.STARTED)

    def test_the_result_before_them_counts(self, world: Shop) -> None:
        world.run("orders")
        self.start(world)
        assert cause(world) is None
        world.fail_key()
        self.start(world)
        assert cause(world) is Cause.FAILED

    def test_a_crash_before_them_counts_too(self, world: Shop) -> None:
        world.run("orders")
        world.checks.crash = True
        world.run_checks()
        for _ in range(30):
            self.start(world)

        assert cause(world) is Cause.UNFINISHED

    def test_without_one_the_check_was_never_evaluated(self, world: Shop) -> None:
        self.start(world)
        assert cause(world) is Cause.NEVER


class TestTheSameRun:
    def test_what_has_passed_in_it_is_fine(self, world: Shop) -> None:
        assert world.run(["orders", "report", "letter"]).success

    def test_what_has_no_result_yet_is_not(self, world: Shop) -> None:
        """The report is not selected, and so the letter does not wait for the checks."""
        world.run(["orders", "report", "letter"])
        result = world.run(["orders", "letter"])

        assert made(result) == {"orders"}
        told = [e.step_failure_data for e in result.all_events if e.is_step_failure]
        assert "is part of this run, and has no result yet" in str(told[0].user_failure_data)

    def test_another_run_meanwhile_does_not_matter(self, world: Shop) -> None:
        """As in a backfill, where many runs make partitions of the same assets at once."""

        @dg.asset(deps=[orders])
        def busy() -> None:
            TestExecutionsThatGoOn.start(world)
            world.instance.report_runless_asset_event(dg.AssetMaterialization("orders"))

        @guarded
        @dg.asset(deps=[orders, busy])
        def last() -> None: ...

        world.assets = [orders, busy, last]

        assert world.run(["orders", "busy", "last"]).success


def test_many_checks_cost_no_more_queries_than_one() -> None:
    counted = 0

    def count(*_: Any) -> None:
        nonlocal counted
        counted += 1

    def queries(world: Shop, many: int) -> int:
        nonlocal counted
        keys = [dg.AssetCheckKey(dg.AssetKey(f"asset_{n % 9}"), f"check_{n}") for n in range(many)]
        for key in keys:
            result = dg.AssetCheckEvaluation(key.asset_key, key.name, passed=False)
            world.instance.report_runless_asset_event(result)
        counted = 0
        found = closed(world.instance, [Gate(key, PLACE, same_partition=False) for key in keys])
        assert len(found) == many
        return counted

    with shop(orders) as world:
        sqlalchemy.event.listen(sqlalchemy.Engine, "before_cursor_execute", count)
        try:
            one, many = queries(world, 1), queries(world, 50)
        finally:
            sqlalchemy.event.remove(sqlalchemy.Engine, "before_cursor_execute", count)

    assert 0 < many <= one
