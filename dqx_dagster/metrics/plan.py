"""Metrics → `Plan`: everything that has to be measured, each thing once.

The plan groups aggregates by how an engine like Spark executes them, because one aggregate of an
expensive kind in the same query slows down all the others.

>>> from dqx_dagster.metrics.metric import ROWS, Arithmetic, Combined
>>> plan = plan_metrics([ROWS, Combined(Arithmetic.SHARE, ROWS, ROWS)])
>>> plan.aggregates == (ROWS,)
True
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from dqx_dagster.metrics.metric import (
    Aggregate,
    Function,
    Leaf,
    Metric,
    Mismatches,
    Orphans,
    SqlQuery,
    leaves,
)


class Family(enum.Enum):
    """Aggregates that run well in one query."""

    SCAN = "scan"  # counts, sums, extremes: generated code
    DISTINCT = "distinct"  # needs a grouping
    QUANTILE = "quantile"  # needs a sketch or a sort
    PERIODS = "periods"  # collects a small set


_FAMILIES = {
    Function.DISTINCT: Family.DISTINCT,
    Function.PERCENTILE: Family.QUANTILE,
    Function.PERIODS: Family.PERIODS,
}


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything to measure for one table: unique, in the order of first use."""

    leaves: tuple[Leaf, ...]

    @property
    def aggregates(self) -> tuple[Aggregate, ...]:
        """What needs the rows."""
        return tuple(leaf for leaf in self.leaves if isinstance(leaf, Aggregate))

    @property
    def schemas(self) -> tuple[Mismatches, ...]:
        """What needs only the table's schema."""
        return tuple(leaf for leaf in self.leaves if isinstance(leaf, Mismatches))

    @property
    def orphans(self) -> tuple[Orphans, ...]:
        """What needs the rows of a second table, and so a query for each."""
        return tuple(leaf for leaf in self.leaves if isinstance(leaf, Orphans))

    @property
    def queries(self) -> tuple[SqlQuery, ...]:
        """What runs as a query of its own."""
        return tuple(leaf for leaf in self.leaves if isinstance(leaf, SqlQuery))

    @property
    def families(self) -> dict[Family, tuple[Aggregate, ...]]:
        """The aggregates by how they are executed; only families that are used."""
        return {
            family: members
            for family in Family
            if (members := tuple(a for a in self.aggregates if family_of(a) is family))
        }


def family_of(aggregate: Aggregate) -> Family:
    """How this aggregate is executed."""
    return _FAMILIES.get(aggregate.function, Family.SCAN)


def plan_metrics(metrics: Iterable[Metric]) -> Plan:
    """The plan for these metrics; what two of them share is in it once."""
    return Plan(tuple(dict.fromkeys(leaf for metric in metrics for leaf in leaves(metric))))
