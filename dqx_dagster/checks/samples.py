"""`Samples`: rows that break a rule, as far as people may see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from dqx_dagster.checks.rule import Rule
from dqx_dagster.checks.verdict import Outcome, Verdict
from dqx_dagster.contract.model import Contract
from dqx_dagster.contract.privacy import may_show
from dqx_dagster.metrics.value import Column
from dqx_dagster.metrics.violation import Repeated, columns_of

MASKED: Final = "masked"
"""What is shown instead of a value that the contract calls private."""

Cell: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Samples:
    """Some rows that break a rule, or why there are none to show."""

    columns: tuple[str, ...] = ()  # no name twice
    rows: tuple[tuple[Cell, ...], ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """What a sample shows of a row."""

    column: Column
    masked: bool


def wanted(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Those of broken rules of which rows are to be shown."""
    broken = (verdict for verdict in verdicts if verdict.outcome is Outcome.FAILED)
    return [v for v in broken if v.rule.failing_rows and v.rule.claim.violation is not None]


def shown(contract: Contract, rule: Rule) -> tuple[Shown, ...]:
    """The primary key, and the columns by which a row breaks the rule; of a repeated key itself."""
    violation = rule.claim.violation
    assert violation is not None
    key = () if isinstance(violation, Repeated) else key_of(contract)
    columns = dict.fromkeys((*key, *columns_of(violation)))
    return tuple(Shown(column, not may_show(contract, column.path)) for column in columns)


def key_of(contract: Contract) -> tuple[Column, ...]:
    """The columns of the primary key."""
    return tuple(Column((item.column,)) for item in contract.primary_key if item.physical)


def together(samples: Mapping[str, Samples]) -> Samples:
    """The samples of several rules, by their names, as one table."""
    if len(samples) == 1:
        return next(iter(samples.values()))
    columns = list(dict.fromkeys(name for each in samples.values() for name in each.columns))
    rows = tuple(
        (rule, *(dict(zip(each.columns, row, strict=True)).get(name) for name in columns))
        for rule, each in samples.items()
        for row in each.rows
    )
    problems = (each.problem for each in samples.values() if each.problem)
    return Samples(headings(("rule", *columns)), rows, next(problems, None))


def headings(columns: Iterable[object], *more: str) -> tuple[str, ...]:
    """A name for each column; what is called like another gets underscores."""
    names: dict[str, None] = {}
    for name in (*map(str, columns), *more):
        while name in names:
            name += "_"  # noqa: PLW2901 - until it is free
        names[name] = None
    return tuple(names)
