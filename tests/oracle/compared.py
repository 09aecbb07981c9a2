"""What the oracle expects of many tables, and whether a measurement is that.

Counts, extremes, and sums of integers and decimals must be equal. What is computed in doubles may
differ in the last digits, because the order of additions is the engine's own business: the
tolerance is relative to the largest number that was added.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, TypeAlias

from dqx_dagster.metrics.metric import Aggregate, Function, Measurement
from dqx_dagster.metrics.predicate import ALWAYS
from dqx_dagster.metrics.value import Column
from oracle.algebra import UTC, over
from oracle.parts import columns_of
from oracle.predicates import holds
from oracle.random_tables import PLACES, Table, value
from oracle.values import is_nan, value_of

NOW: Final = dt.datetime(2026, 3, 5, 10, tzinfo=UTC)  # a Thursday

_EXACT: Final = {Function.COUNT, Function.DISTINCT, Function.MIN, Function.MAX, Function.PERIODS}
_ONCE: Final = _EXACT - {Function.COUNT}  # a row that comes again changes nothing
_CLOSE: Final = 1e-9
_CLOSE_FLOAT: Final = 1e-6  # a float of 4 bytes is added as what it is, not as it is written


_NUMBERS: Final = (int, float, decimal.Decimal, Fraction)
_TINY: Final = 1e-300  # there doubles have fewer digits


def expect(aggregate: Aggregate, tables: Sequence[Table]) -> list[Measurement]:
    """What the oracle measures for each of the tables.

    Rows are filtered first, which is what `where` means, so that equal rows are measured once.
    Fractions become doubles, because that is what engines give.
    """
    kept = dataclasses.replace(aggregate, function=Function.COUNT, of=None, argument=None)
    counts, filtered = _memory(kept), _projection(kept)
    if aggregate.function is Function.COUNT:
        return [sum([counts((row,)) for row in filtered(table)]) for table in tables]
    alone = dataclasses.replace(aggregate, where=ALWAYS)
    measured, projected = _memory(alone), _projection(alone)
    found: list[Measurement] = []
    with decimal.localcontext() as context:
        context.prec = 100  # Python's own 28 digits would round a sum
        for table in tables:
            rows = projected(table)
            if aggregate.where != ALWAYS:
                pairs = zip(filtered(table), rows, strict=True)
                rows = [row for where, row in pairs if counts((where,))]
            if aggregate.function in _ONCE:
                rows = sorted(set(rows))
            elif aggregate.function is not Function.SUM:  # doubles are added in this order
                rows.sort()
            found.append(measured(tuple(rows)))
    return found


Codes: TypeAlias = tuple[int, ...]


def _projection(aggregate: Aggregate) -> Callable[[Table], list[Codes]]:
    """A table's rows, with only the columns that the aggregate looks at."""
    places = [PLACES[name] for name in columns_of(aggregate)]
    return lambda table: [tuple([row[place] for place in places]) for row in table.codes]


def _memory(aggregate: Aggregate) -> Callable[[tuple[Codes, ...]], Any]:
    """The oracle, which remembers what it has measured."""
    names = columns_of(aggregate)
    memory: dict[tuple[Codes, ...], Any] = {}

    def measured(key: tuple[Codes, ...]) -> Any:
        if key not in memory:
            rows = [dict(zip(names, map(value, names, row), strict=True)) for row in key]
            found = over(rows, aggregate, NOW)
            memory[key] = _double(found) if isinstance(found, Fraction) else found
        return memory[key]

    return measured


@dataclass(frozen=True, slots=True)
class Seen:
    """One measurement of one table, and what the oracle says."""

    aggregate: Aggregate
    table: Table
    wanted: Any
    found: Any

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The table's rows, as far as the aggregate looks at them."""
        return self.table.rows(columns_of(self.aggregate))

    @property
    def values(self) -> list[Any]:
        """What is aggregated."""
        of = self.aggregate.of
        counted = [row for row in self.rows if holds(self.aggregate.where, row)]
        found = [] if of is None else [value_of(of, row) for row in counted]
        return [item for item in found if item is not None]

    @property
    def equal(self) -> bool:
        """Whether the engine found what the oracle wants."""
        wanted, found = self.wanted, self.found
        if wanted is None or found is None:
            return wanted is found
        if is_nan(wanted) or is_nan(found):
            return is_nan(wanted) and is_nan(found)
        exact = self.aggregate.function in _EXACT
        if exact or (self.aggregate.function is Function.SUM and not isinstance(wanted, float)):
            return type(found) is type(wanted) and bool(found == wanted)
        return isinstance(found, _NUMBERS) and self._close(_double(wanted), _double(found))

    def _close(self, wanted: float, found: float) -> bool:
        if wanted == found:
            return True
        sizes = [abs(_double(item)) for item in self.values]
        largest = max((size for size in sizes if math.isfinite(size)), default=0.0)
        function, of = self.aggregate.function, self.aggregate.of
        near = _CLOSE_FLOAT if of == Column(("float",)) else _CLOSE
        tolerance = near * (largest if function is not Function.VARIANCE else largest * largest)
        return math.isfinite(tolerance) and abs(wanted - found) <= max(tolerance, _TINY)

    def __str__(self) -> str:
        what = f"wanted {self.wanted!r}\n  found {self.found!r}"
        return f"{self.aggregate}\n  over {self.rows}\n  {what}"


def _double(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


@dataclass(frozen=True, slots=True)
class Difference:
    """A way in which an engine differs from the oracle, and why that is right or harmless."""

    name: str
    why: str
    applies: Callable[[Seen], bool]


@dataclass(slots=True)
class Comparison:
    """Counts what is equal, what differs for a known reason, and keeps what does not."""

    known: Sequence[Difference]
    compared: int = 0
    explained: dict[str, int] = field(default_factory=dict)
    unexplained: list[Seen] = field(default_factory=list)

    def see(
        self,
        aggregate: Aggregate,
        tables: Sequence[Table],
        wanted: Sequence[Any],
        found: Sequence[Any],
    ) -> None:
        """Compare one aggregate over many tables."""
        for table, expected, measured in zip(tables, wanted, found, strict=True):
            self.compared += 1
            if type(expected) is not type(measured) or expected != measured:
                self._look_into(Seen(aggregate, table, expected, measured))

    def _look_into(self, seen: Seen) -> None:
        if seen.equal:
            return
        for difference in self.known:
            if difference.applies(seen):
                self.explained[difference.name] = self.explained.get(difference.name, 0) + 1
                return
        self.unexplained.append(seen)

    @property
    def outdated(self) -> set[str]:
        """The known differences that did not occur."""
        return {difference.name for difference in self.known} - set(self.explained)
