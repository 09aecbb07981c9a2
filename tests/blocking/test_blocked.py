"""Which checks an asset has to wait for, and how what stands in its way is told."""

from __future__ import annotations

import datetime as dt
from typing import Any

import dagster as dg
import pytest

from blocking.gated import KEY, PLACE, Checks
from dqx_dagster import Blocked, Cause
from dqx_dagster.blocking.blocked import Gate, gates

NOON = dt.datetime(2026, 5, 4, 12, tzinfo=dt.timezone.utc)
DAYS = dg.DailyPartitionsDefinition("2026-01-01")
SOME = dg.StaticPartitionsDefinition(["a", "b"])


def found(*specs: dg.AssetSpec, checks: Checks | None = None, **options: Any) -> tuple[Gate, ...]:
    """The gates of the asset `last`."""
    defs = dg.Definitions(assets=specs, asset_checks=[(checks or Checks()).definition])
    return gates(defs.resolve_asset_graph(), [dg.AssetKey("last")], **options)


def test_the_p0_checks_of_contracts_above_are_gates() -> None:
    first, last = dg.AssetSpec("orders"), dg.AssetSpec("last", deps=["orders"])

    assert found(first, last) == (Gate(KEY, PLACE, same_partition=False),)
    assert found(first, last, open_={KEY}) == ()


def test_they_are_found_at_any_distance_and_by_any_way() -> None:
    specs = [
        dg.AssetSpec("orders"),
        dg.AssetSpec("left", deps=["orders"]),
        dg.AssetSpec("right", deps=["orders"]),
        dg.AssetSpec("middle", deps=["left", "right"]),
        dg.AssetSpec("last", deps=["middle"]),
    ]

    assert [gate.check for gate in found(*specs)] == [KEY]


def test_neither_below_nor_beside_nor_its_own() -> None:
    assert found(dg.AssetSpec("last"), dg.AssetSpec("orders", deps=["last"])) == ()
    assert found(dg.AssetSpec("last"), dg.AssetSpec("orders")) == ()
    own = gates(
        dg.Definitions(
            assets=[dg.AssetSpec("orders")], asset_checks=[Checks().definition]
        ).resolve_asset_graph(),
        [KEY.asset_key],
    )
    assert own == ()


@pytest.mark.filterwarnings("ignore::dagster.PreviewWarning")  # of partitioned checks
@pytest.mark.parametrize(
    ("partitions", "own", "mapping", "same"),
    [
        pytest.param(SOME, SOME, None, True, id="the same"),
        pytest.param(DAYS, DAYS, None, True, id="the same days"),
        pytest.param(SOME, SOME, dg.IdentityPartitionMapping(), True, id="identity"),
        pytest.param(SOME, SOME, dg.AllPartitionMapping(), False, id="all of them"),
        pytest.param(
            DAYS,
            DAYS,
            dg.TimeWindowPartitionMapping(start_offset=-1, end_offset=-1),
            False,
            id="the day before",
        ),
        pytest.param(SOME, None, None, False, id="none of its own"),
    ],
)
def test_only_the_very_same_partitions_are_asked_one_by_one(
    partitions: Any, own: Any, mapping: Any, same: bool
) -> None:
    (gate,) = found(
        dg.AssetSpec("orders", partitions_def=partitions),
        dg.AssetSpec("middle", partitions_def=partitions, deps=["orders"]),
        dg.AssetSpec(
            "last", partitions_def=own, deps=[dg.AssetDep("middle", partition_mapping=mapping)]
        ),
        checks=Checks(partitions=partitions),
    )

    assert gate.same_partition is same


@pytest.mark.filterwarnings("ignore::dagster.PreviewWarning")
def test_one_way_that_mixes_partitions_is_enough() -> None:
    mixed = dg.AssetDep("orders", partition_mapping=dg.AllPartitionMapping())
    (gate,) = found(
        dg.AssetSpec("orders", partitions_def=SOME),
        dg.AssetSpec("left", partitions_def=SOME, deps=["orders"]),
        dg.AssetSpec("right", partitions_def=SOME, deps=[mixed]),
        dg.AssetSpec("last", partitions_def=SOME, deps=["left", "right"]),
        checks=Checks(partitions=SOME),
    )

    assert not gate.same_partition


@pytest.mark.parametrize(
    ("blocked", "said"),
    [
        (
            Blocked(KEY, PLACE, Cause.FAILED, None, "2 rows; allowed: none", NOON),
            "failed at 2026-05-04 12:00:00 UTC: 2 rows; allowed: none. "
            "Mend orders, then run its checks.",
        ),
        (
            Blocked(KEY, PLACE, Cause.FAILED, "a", evaluated=NOON),
            "failed for partition a at 2026-05-04 12:00:00 UTC. Mend orders, then run its checks.",
        ),
        (
            Blocked(KEY, PLACE, Cause.UNFINISHED, evaluated=NOON),
            "ended without a result, last started at 2026-05-04 12:00:00 UTC. "
            "Run the checks of orders.",
        ),
        (
            Blocked(KEY, PLACE, Cause.OUTDATED, evaluated=NOON),
            "passed at 2026-05-04 12:00:00 UTC, but orders has been materialized since. "
            "Run the checks of orders.",
        ),
        (
            Blocked(KEY, PLACE, Cause.NEVER, "a"),
            "has never been evaluated for partition a. Run the checks of orders.",
        ),
        (
            Blocked(KEY, PLACE, Cause.PENDING),
            "is part of this run, and has no result yet. Let assets wait for it: select everything "
            "between them and orders, and leave require_upstream_step_success of the executor on.",
        ),
    ],
    ids=str,
)
def test_every_cause_has_its_sentence(blocked: Blocked, said: str) -> None:
    assert str(blocked) == f"orders: key ({PLACE}) {said}"
