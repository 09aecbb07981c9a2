"""What the sensor remembers stays small."""

from __future__ import annotations

import dagster as dg

from dqx_dagster import AlertStatus
from dqx_dagster.alerts.cursor import MAX_TROUBLES, Cursor, Position, Subject, Trouble


def test_of_too_many_troubles_the_latest_are_kept() -> None:
    name = "a_name_of_sixty_four_letters_as_long_as_they_should_be_in_MySQL_"
    asset = dg.AssetKey(["warehouse", "shop", "orders"])
    troubles = {
        Subject(dg.AssetCheckKey(asset, f"{name[:60]}{n}"), "2026-03-05"): Trouble(
            AlertStatus.NOT_EVALUATED, 1_800_000_000 + n
        )
        for n in range(5000)
    }
    cursor = Cursor(Position(10**9, tuple(range(10**9, 10**9 + 1000))), troubles)

    text = cursor.to_json()
    kept = Cursor.from_json(text)

    assert len(text) < 2**16
    assert kept is not None
    assert list(kept.troubles.items()) == list(troubles.items())[-MAX_TROUBLES:]
