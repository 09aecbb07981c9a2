"""Service levels as freshness policies, and what Dagster makes of them as time passes."""

from __future__ import annotations

import datetime as dt
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.freshness import FreshnessState
from dagster._core.remote_origin import InProcessCodeLocationOrigin
from dagster._core.test_utils import freeze_time
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import InProcessWorkspaceLoadTarget
from dagster._daemon.freshness import FreshnessDaemon

from assets.projects import ORDERS, Project, write_contract
from dqx_dagster import Contract, ContractWarning
from dqx_dagster.contract.model import SlaLatency, SlaSchedule
from dqx_dagster.errors import Origin
from dqx_dagster.freshness import freshness_policy

DEFINITIONS = """\
from pathlib import Path

import dagster as dg

from dqx_dagster import with_contracts


@dg.asset(key=["shop", "orders"])
def orders() -> None: ...


defs = with_contracts(
    dg.Definitions(
        assets=[orders],
        resources={"pyspark": dg.ResourceDefinition.none_resource()},
    ),
    Path(__file__).parent / "contracts",
)
"""
CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
slaProperties:
- {sla}
schema:
- name: orders
  physicalName: shop.orders
  properties:
  - {{name: placed_at, logicalType: timestamp}}
"""
TWO_HOURS = "{property: latency, value: 2, unit: h, element: orders.placed_at}"
ONE_MINUTE = "{property: latency, value: 1, unit: min, element: orders.placed_at}"
SIX_O_CLOCK = "{property: timeOfAvailability, value: '06:00'}"
ORIGIN = Origin("orders.yaml", 3)
DAY = dt.timedelta(days=1)
MORNING = dt.datetime(2026, 3, 5, 5, 30, tzinfo=dt.timezone.utc)
PASS, FAIL, UNKNOWN = FreshnessState.PASS, FreshnessState.FAIL, FreshnessState.UNKNOWN


def make_project(folder: Path, sla: str) -> Project:
    """Definitions of one asset that has this service level."""
    (folder / "fresh_defs.py").write_text(DEFINITIONS, "utf-8")
    write_contract(folder / "contracts", CONTRACT.format(sla=sla))
    project = Project(folder)
    project.home.mkdir()
    (project.home / "dagster.yaml").write_text("telemetry: {enabled: false}\n", "utf-8")
    return project


@pytest.fixture
def evaluated(tmp_path: Path) -> Iterator[Callable[[str, int | None, int], FreshnessState]]:
    """What the daemon says after some minutes of an asset made after some minutes."""
    target = LoadableTargetOrigin(
        executable_path=sys.executable,
        python_file=str(tmp_path / "fresh_defs.py"),
        working_directory=str(tmp_path),
    )
    load = InProcessWorkspaceLoadTarget(InProcessCodeLocationOrigin(target))

    def evaluate(sla: str, made: int | None, now: int) -> FreshnessState:
        project = make_project(tmp_path, sla)
        with project.instance() as instance, WorkspaceProcessContext(instance, load) as context:
            if made is not None:
                with freeze_time(MORNING + dt.timedelta(minutes=made)):
                    instance.report_runless_asset_event(dg.AssetMaterialization(ORDERS))
            with freeze_time(MORNING + dt.timedelta(minutes=now)):
                list(FreshnessDaemon().run_iteration(context))
            return state(instance)

    yield evaluate
    sys.modules.pop("fresh_defs", None)


def state(instance: dg.DagsterInstance) -> FreshnessState:
    """What the daemon has said last."""
    record = instance.get_freshness_state_records([ORDERS]).get(ORDERS)
    return record.freshness_state if record else UNKNOWN


@pytest.mark.parametrize(
    ("sla", "made", "now", "expected"),
    [
        pytest.param(TWO_HOURS, None, 0, UNKNOWN, id="never made"),
        pytest.param(TWO_HOURS, 0, 119, PASS, id="younger than the window"),
        pytest.param(TWO_HOURS, 0, 120, FAIL, id="as old as the window"),
        pytest.param(SIX_O_CLOCK, 0, 31, PASS, id="made in time"),
        pytest.param(SIX_O_CLOCK, 0, 24 * 60, PASS, id="before the next deadline"),
        pytest.param(SIX_O_CLOCK, 0, 24 * 60 + 31, FAIL, id="after the next deadline"),
    ],
)
def test_the_daemon_lets_an_asset_grow_stale(
    evaluated: Callable[[str, int | None, int], FreshnessState],
    sla: str,
    made: int | None,
    now: int,
    expected: FreshnessState,
) -> None:
    assert evaluated(sla, made, now) is expected


def test_the_real_daemon_sees_what_is_stale_and_what_is_new_and_how_it_grows_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(tmp_path, ONE_MINUTE)
    monkeypatch.setenv("FRESHNESS_DAEMON_INTERVAL_SECONDS", "1")
    with project.instance() as instance:
        report(instance, seconds_ago=3600)

        with project.running("dagster-daemon", "run", "-f", "fresh_defs.py") as process:
            wait_for(instance, FAIL, project)
            # Most of the minute is over already: the shortest window of Dagster is long for a test.
            report(instance, seconds_ago=35)
            wait_for(instance, PASS, project)
            wait_for(instance, FAIL, project)
            process.terminate()
            process.wait(60)


def report(instance: dg.DagsterInstance, *, seconds_ago: float) -> None:
    """A materialization that was then."""
    with freeze_time(time.time() - seconds_ago):
        instance.report_runless_asset_event(dg.AssetMaterialization(ORDERS))


def wait_for(instance: dg.DagsterInstance, expected: FreshnessState, project: Project) -> None:
    end = time.monotonic() + 90
    while state(instance) is not expected:
        assert time.monotonic() < end, project.log()
        time.sleep(0.2)


def contract(*hours: float, schedule: SlaSchedule | None = None) -> Contract:
    latencies = tuple(SlaLatency(each, None, ORIGIN) for each in hours)
    return Contract("shop.orders", ORIGIN, sla_latencies=latencies, sla_schedule=schedule)


def test_no_service_level_is_no_policy() -> None:
    assert freshness_policy(contract()) is None


def test_the_strictest_age_is_the_window() -> None:
    window = dg.FreshnessPolicy.time_window(dt.timedelta(hours=2))

    assert freshness_policy(contract(48, 2, 24)) == window


@pytest.mark.parametrize(
    ("cron", "lag", "deadline", "since"),
    [
        pytest.param("30 6 * * *", 0, "30 6 * * *", DAY, id="every day"),
        pytest.param("30 6 * * *", 2, "30 8 * * *", DAY, id="and some hours"),
        pytest.param("30 6 * * *", 0.25, "45 6 * * *", DAY, id="and a quarter"),
        pytest.param("0 23 * * *", 2, "0 1 * * *", DAY, id="past midnight"),
        pytest.param("0 6 * * 1-5", 1, "0 7 * * 1-5", DAY, id="working days"),
        pytest.param("0 6 * * 1", 0, "0 6 * * 1", 7 * DAY, id="every week"),
        pytest.param("0 6 1 * *", 0, "0 6 1 * *", 28 * DAY, id="every month"),
        pytest.param("0 * * * *", 0, "0 * * * *", DAY / 24, id="every hour"),
        pytest.param("0 6,18 * * *", 0, "0 6,18 * * *", DAY / 2, id="twice a day"),
    ],
)
def test_a_schedule_is_a_deadline(
    cron: str, lag: float, deadline: str, since: dt.timedelta
) -> None:
    schedule = SlaSchedule(cron, ORIGIN, "Etc/GMT+8", lag)

    expected = dg.FreshnessPolicy.cron(deadline, since, "Etc/GMT+8")
    assert freshness_policy(contract(48, schedule=schedule)) == expected


@pytest.mark.parametrize(
    ("cron", "lag"),
    [
        pytest.param("0 23 * * 1", 2, id="past midnight of a week day"),
        pytest.param("0 * * * *", 2, id="after every hour"),
        pytest.param("0 6,18 * * *", 1, id="after two ticks a day"),
        pytest.param("0 6 * * *", 1 / 7, id="no whole minutes"),
    ],
)
def test_a_deadline_that_five_fields_cannot_say_is_a_window(cron: str, lag: float) -> None:
    schedule = SlaSchedule(cron, ORIGIN, lag_hours=lag)

    assert freshness_policy(contract(48, schedule=schedule)) == dg.FreshnessPolicy.time_window(
        dt.timedelta(hours=48)
    )
    assert freshness_policy(contract(schedule=schedule)) is None


def test_a_zone_that_dagster_does_not_know_is_a_window() -> None:
    schedule = SlaSchedule("0 6 * * *", ORIGIN, "Mars/Olympus")

    assert freshness_policy(contract(48, schedule=schedule)) == dg.FreshnessPolicy.time_window(
        dt.timedelta(hours=48)
    )


def test_below_a_minute_there_is_no_policy_but_a_warning() -> None:
    with pytest.warns(ContractWarning, match="needs at least a minute; there is none"):
        assert freshness_policy(contract(59 / 3600)) is None
    assert freshness_policy(contract(60 / 3600)) is not None
