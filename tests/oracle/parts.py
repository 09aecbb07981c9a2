"""The parts of an aggregate: the columns that it looks at, and the smallest of its predicates."""

from __future__ import annotations

from collections.abc import Iterator

from dqx_dagster.metrics import predicate as p
from dqx_dagster.metrics.metric import Aggregate
from dqx_dagster.metrics.value import Column, Length, Lowercase, Row, SqlText, Value


def columns_of(aggregate: Aggregate) -> tuple[str, ...]:
    """The table's columns that an aggregate looks at, sorted."""
    found = set(columns_in(aggregate.where))
    if aggregate.of is not None:
        found.update(_columns_of_value(aggregate.of))
    return tuple(sorted(found))


def atoms_of(predicate: p.Predicate) -> Iterator[p.Predicate]:
    """The predicates inside one, without `And`, `Or` and `Not`."""
    match predicate:
        case p.Not(of):
            yield from atoms_of(of)
        case p.And(parts) | p.Or(parts):
            for part in parts:
                yield from atoms_of(part)
        case _:
            yield predicate


def _columns_of_value(of: Value) -> Iterator[str]:
    match of:
        case Column(path):
            yield path[0]
        case Length(inner) | Lowercase(inner):
            yield inner.path[0]
        case Row(columns):
            yield from (item.path[0] for item in columns)


def columns_in(predicate: p.Predicate) -> Iterator[str]:
    for atom in atoms_of(predicate):
        if not isinstance(atom, p.Always | p.Not | p.And | p.Or | SqlText):
            yield from _columns_of_value(atom.of)
