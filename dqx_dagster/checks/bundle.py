"""Rules → checks: what is reported as one. Mostly one rule; on request all that a schema implies.

A check costs Dagster's event storage a little, so a table of a thousand columns is better off with
one check for its schema than with three for each column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dqx_dagster.checks.names import check_name, prefixed, settle
from dqx_dagster.checks.rule import Granularity, Rule, Settings
from dqx_dagster.checks.verdict import Outcome, Verdict
from dqx_dagster.metrics.metric import Age


@dataclass(frozen=True, slots=True)
class Check:
    """What is reported as one."""

    rule: Rule  # its name, severity and place; the rule itself where it is alone
    members: tuple[Rule, ...]


def bundle(rules: Sequence[Rule], settings: Settings) -> tuple[Check, ...]:
    """The checks for these rules, in their order; names stay unique."""
    groups: dict[tuple[str, str | None, bool], list[Rule]] = {}
    for rule in rules:
        groups.setdefault(_place(rule, settings.implied_checks), []).append(rule)
    checks = [_check(members) for members in groups.values()]
    names = [prefixed(settings.name_prefix, check.rule.name) for check in checks]
    said = [tuple(member.name for member in check.members) for check in checks]
    renamed = zip(checks, settle(names, said), strict=True)
    return tuple(replace(check, rule=replace(check.rule, name=name)) for check, name in renamed)


def sum_up(check: Check, verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict for all rules of a check, in the order of its members."""
    if len(verdicts) == 1 and check.members == (verdicts[0].rule,):
        return replace(verdicts[0], rule=check.rule)
    broken = [verdict for verdict in verdicts if not verdict.passed]
    failed = any(verdict.outcome is Outcome.FAILED for verdict in broken)
    outcome = Outcome.FAILED if failed else Outcome.UNKNOWN if broken else Outcome.PASSED
    details = tuple(f"{verdict.rule.name}: {verdict.reason}" for verdict in broken)
    total = f"{len(verdicts)} {'rule' if len(verdicts) == 1 else 'rules'}"
    reason = f"{len(broken)} of {total} broken: {'; '.join(details)}" if broken else f"{total} hold"
    return Verdict(check.rule, outcome, len(broken), reason, details)


def _place(rule: Rule, granularity: Granularity) -> tuple[str, str | None, bool]:
    """What a rule is reported with: others about the same rows, of the table or of a partition.

    Freshness changes with the clock, and what reads other tables has to wait for them: these always
    stand alone.
    """
    alone = rule.reads or isinstance(rule.claim.metric, Age) or granularity is Granularity.RULE
    if not rule.implied or alone:
        return rule.name, None, rule.whole_table
    column = rule.column if granularity is Granularity.COLUMN else None
    return "", column, rule.whole_table


def _check(members: Iterable[Rule]) -> Check:
    first, *rest = members
    if not rest:
        return Check(first, (first,))
    worst = min((first, *rest), key=lambda rule: rule.severity.value).severity
    names = {rule.column for rule in (first, *rest)}
    column = first.column if len(names) == 1 else None
    rule = replace(
        first,
        name=check_name(column, "schema"),
        title=None,
        word="schema",
        given="",
        column=column,
        severity=worst,
        description=f"{len(rest) + 1} rules that the schema implies",
    )
    return Check(rule, (first, *rest))
