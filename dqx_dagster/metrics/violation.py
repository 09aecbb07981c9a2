"""Which single rows break a rule: by what is in them, or by how they stand to other rows.

>>> from dqx_dagster.metrics.predicate import IsSet, Not
>>> columns_of(Not(IsSet(Column(("address", "city")))))
(Column(path=('address', 'city')),)
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterator
from typing import TypeAlias

from dqx_dagster.metrics.metric import Orphans
from dqx_dagster.metrics.predicate import Predicate
from dqx_dagster.metrics.value import Column


class NullKeys(enum.Enum):
    """What a NULL in a key means."""

    LEFT_OUT = "left out"  # there is no key, and so nothing that repeats it
    EQUAL = "equal"  # a value like others
    BROKEN = "broken"  # breaks the rule by itself


@dataclasses.dataclass(frozen=True, slots=True)
class Repeated:
    """The key occurs in more than one row: all of these rows break the rule, also the first."""

    keys: tuple[Column, ...]
    nulls: NullKeys


Violation: TypeAlias = Predicate | Repeated | Orphans


def columns_of(violation: Violation) -> tuple[Column, ...]:
    """The columns of the table itself that decide whether a row breaks the rule."""
    own = violation.columns if isinstance(violation, Orphans) else violation
    return tuple(dict.fromkeys(_columns(own)))


def _columns(part: object) -> Iterator[Column]:
    if isinstance(part, Column):
        yield part
    elif isinstance(part, tuple):
        for each in part:
            yield from _columns(each)
    elif dataclasses.is_dataclass(part):
        for field in dataclasses.fields(part):
            yield from _columns(getattr(part, field.name))
