"""`Cursor`: what the sensor remembers from one tick to the next, as bounded JSON.

>>> orders = dg.AssetCheckKey(dg.AssetKey(["shop", "orders"]), "volume")
>>> cursor = Cursor(Position(7, (9,)), {Subject(orders): Trouble(AlertStatus.FAILED, 9)})
>>> cursor.to_json()
'{"version":1,"after":7,"seen":[2],"troubles":{"shop/orders":[["volume",null,"failed",9]]}}'
>>> Cursor.from_json(cursor.to_json()) == cursor
True
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

import dagster as dg

from dqx_dagster.alerts.alert import AlertStatus

MAX_TROUBLES: Final = 500
"""Dagster stores the cursor with every tick, and MySQL has room for 64 KB of it."""

_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the event log: all up to `after` is known, and beyond it what was `seen`."""

    after: int
    seen: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Subject:
    """What passes or fails: a check, of a partition where it has some."""

    key: dg.AssetCheckKey
    partition: str | None = None


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong with a subject, and when it was last told."""

    status: AlertStatus
    told: int


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where the sensor is in the event log, and what does not pass there."""

    position: Position
    troubles: Mapping[Subject, Trouble]

    def of(self, keys: Collection[dg.AssetCheckKey]) -> Mapping[Subject, Trouble]:
        """The troubles of these checks: a check that has left its contract is forgotten."""
        return {subject: each for subject, each in self.troubles.items() if subject.key in keys}

    def to_json(self) -> str:
        """Of too many troubles the latest: what is forgotten would be told again, not hidden."""
        latest = sorted(self.troubles.items(), key=lambda item: item[1].told)[-MAX_TROUBLES:]
        troubles: dict[str, list[Any]] = {}
        for subject, each in latest:
            row = [subject.key.name, subject.partition, each.status.value, each.told]
            troubles.setdefault(subject.key.asset_key.to_user_string(), []).append(row)
        known = {
            "version": _VERSION,
            "after": self.position.after,
            "seen": [number - self.position.after for number in self.position.seen],
            "troubles": troubles,
        }
        return json.dumps(known, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | None) -> Cursor | None:
        """None where there is none, or none that this version has written."""
        try:
            known = json.loads(text or "null")
            if known["version"] != _VERSION:
                return None
            troubles = {
                Subject(_key(asset, name), partition): Trouble(AlertStatus(status), int(told))
                for asset, rows in known["troubles"].items()
                for name, partition, status, told in rows
            }
            after = int(known["after"])
            return cls(Position(after, tuple(after + int(n) for n in known["seen"])), troubles)
        except (AttributeError, KeyError, TypeError, ValueError):
            return None


def _key(asset: str, name: str) -> dg.AssetCheckKey:
    return dg.AssetCheckKey(dg.AssetKey.from_user_string(asset), name)
