"""`Partition`: the rows that one run of a partitioned table is about.

Orchestrators name partitions by texts, some of which stand for a window of time. What that means
for the values of a column depends on the column's type, which only the table knows.

>>> day = Choice(Column(("day",)), keys=("2026-03-01",))
>>> str(Partition(("2026-03-01",), ((day,),)))
'2026-03-01'
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TypeAlias

from dqx_dagster.metrics.value import Column

Span: TypeAlias = tuple[dt.datetime, dt.datetime]
"""From a moment, up to another one and without it; both with their time zone."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The rows whose column holds one of the keys, or a moment in one of the spans.

    `spans` are what the keys stand for where they name windows of time, else there are none.
    """

    column: Column
    keys: tuple[str, ...]
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Partition:
    """Some partitions of a table: the rows that fit all choices of one alternative."""

    keys: tuple[str, ...]
    alternatives: tuple[tuple[Choice, ...], ...]

    def __str__(self) -> str:
        if len(self.keys) == 1:
            return self.keys[0]
        return f"{self.keys[0]} … {self.keys[-1]} ({len(self.keys)} partitions)"


def joined(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """The same time in as few spans as possible, in order.

    >>> hours = [dt.datetime(2026, 3, 1, hour, tzinfo=dt.timezone.utc) for hour in range(4)]
    >>> joined(((hours[1], hours[2]), (hours[0], hours[1]))) == ((hours[0], hours[2]),)
    True
    >>> len(joined(((hours[0], hours[1]), (hours[2], hours[3]))))
    2
    """
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)
