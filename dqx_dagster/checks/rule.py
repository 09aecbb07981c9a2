"""`Rule`: one sentence of a contract, ready to be measured and judged."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

from dqx_dagster.checks.implied import OPTIONS, SCHEMA_WORDS
from dqx_dagster.checks.threshold import Threshold
from dqx_dagster.checks.vocabulary import CHECKS, Unit
from dqx_dagster.errors import Finding, Origin, did_you_mean
from dqx_dagster.metrics.metric import ROWS, Aggregate, Leaf, Metric, Orphans, SqlQuery, leaves
from dqx_dagster.metrics.plan import Plan, plan_metrics
from dqx_dagster.metrics.violation import Violation


class Severity(enum.Enum):
    """How much a broken rule matters. P0 blocks what comes after the table."""

    P0 = "P0"
    P1 = "P1"
    P2 = "P2"
    P3 = "P3"

    @property
    def blocking(self) -> bool:
        """Whether a failure stops downstream assets."""
        return self is Severity.P0


class Granularity(enum.Enum):
    """How finely the rules that a schema implies are reported."""

    RULE = "rule"  # a check for each rule
    COLUMN = "column"  # a check for each column
    TABLE = "table"  # one check for the table


SEVERITIES: Final[Mapping[str, Severity]] = MappingProxyType(
    {
        "p0": Severity.P0,
        "error": Severity.P0,
        "critical": Severity.P0,
        "p1": Severity.P1,
        "warning": Severity.P1,
        "p2": Severity.P2,
        "p3": Severity.P3,
        "info": Severity.P3,
    }
)
"""The words of `severity`, in lower case."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How contracts become rules and checks.

    `implied_checks` says how finely what the schema implies is reported; `name_prefix` is put
    before the name of every check; `strict` refuses contracts that only this project reads;
    `sql_rules` is "run", or "skip" where no rule of `type: sql` may run. `whole_table` names checks
    (`primaryKey`, `duplicateValues`, …) that are about all rows, also in a run of one partition.
    `failing_rows` is how many of the rows that break a rule are shown.
    """

    severities: Mapping[str, Severity] = field(default_factory=lambda: SEVERITIES, hash=False)
    default_severity: Severity = Severity.P1
    implied_severity: Severity = Severity.P0
    sla_severity: Severity = Severity.P0
    implied_checks: Granularity = Granularity.RULE
    name_prefix: str = ""
    strict: bool = False
    whole_table: tuple[str, ...] = ()
    sql_rules: Literal["run", "skip"] = "run"
    failing_rows: int = 0

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9_]*", self.name_prefix):
            raise ValueError(f"name_prefix '{self.name_prefix}': only letters, digits and _")
        known = {c.name for c in CHECKS} | {o.name for o in OPTIONS} | set(SCHEMA_WORDS)
        for word in sorted(set(self.whole_table) - known):
            raise ValueError(f"whole_table: there is no check '{word}'{did_you_mean(word, known)}")
        if self.sql_rules not in ("run", "skip"):
            raise ValueError(f"sql_rules must be 'run' or 'skip', got: {self.sql_rules!r}")
        if problem := failing_rows_problem(self.failing_rows):
            raise ValueError(f"failing_rows {problem}")


MAX_FAILING_ROWS: Final = 100
"""Of one rule. More belong into a table: see docs/failing-rows.md."""


def failing_rows_problem(number: object) -> str | None:
    """What is wrong with a number of rows to show."""
    whole = isinstance(number, int) and not isinstance(number, bool)
    if whole and 0 <= number <= MAX_FAILING_ROWS:  # type: ignore[operator]
        return None
    return f"must be a whole number from 0 to {MAX_FAILING_ROWS}, got: {number}"


@dataclass(frozen=True, slots=True)
class Claim:
    """This metric must lie in this set; without a threshold it is only observed."""

    metric: Metric
    threshold: Threshold | None
    says: str
    unit: Unit = Unit.VALUE
    counted: Metric | None = None  # the number of rows, where the metric is a share of rows
    violation: Violation | None = None  # which rows break it, where single rows can

    @property
    def counts_failures(self) -> bool:
        """Whether the counted rows are those that break the rule, not those that keep it."""
        if self.violation is None or not isinstance(self.counted, Aggregate):
            return self.counted is not None
        return self.counted.where == self.violation

    @property
    def metrics(self) -> Iterator[Metric]:
        """Everything that the verdict's sentence needs."""
        yield self.metric
        if self.counted is not None:
            yield self.counted
            yield ROWS

    @property
    def reads(self) -> tuple[str, ...]:
        """The datasets that are needed besides the table itself."""
        return tuple(dict.fromkeys(read for leaf in leaves(self.metric) for read in _read_by(leaf)))


def _read_by(leaf: Leaf) -> tuple[str, ...]:
    match leaf:
        case SqlQuery(_, others):
            return others
        case Orphans(_, str(other), _):
            return (other,)
        case _:
            return ()


@dataclass(frozen=True, slots=True)
class Rule:
    """One sentence of a contract."""

    name: str  # stable and valid in Dagster
    claim: Claim
    severity: Severity
    origin: Origin
    word: str  # the check, metric or schema key that it comes from
    given: str = ""  # the word's parameters, as people read them
    column: str | None = None
    title: str | None = None  # what the contract calls it
    description: str | None = None
    dimension: str | None = None
    implied: bool = False  # said by the schema or the SLA, not by a quality rule
    whole_table: bool = False  # about all rows, also in a run of one partition
    failing_rows: int = 0  # how many of the rows that break it are shown

    @property
    def blocking(self) -> bool:
        """Whether a failure stops downstream assets."""
        return self.severity.blocking

    @property
    def reads(self) -> tuple[str, ...]:
        """The datasets of other contracts whose tables it needs."""
        return self.claim.reads


@dataclass(frozen=True, slots=True)
class Skipped:
    """A rule that will not run, and why. It is never counted as passed."""

    title: str
    reason: str
    severity: Severity
    origin: Origin


@dataclass(frozen=True, slots=True)
class Lowered:
    """A contract as rules."""

    rules: tuple[Rule, ...]
    skipped: tuple[Skipped, ...]
    findings: tuple[Finding, ...] = ()


def plan(rules: Iterable[Rule]) -> Plan:
    """Everything that these rules need, each thing once."""
    return plan_metrics(metric for rule in rules for metric in rule.claim.metrics)
