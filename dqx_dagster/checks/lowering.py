"""Contract → rules. Here the words of a contract meet the algebra.

Every quality rule, every promise of the schema and every SLA becomes a `Rule`, or is `Skipped` with
a reason, or is an error of the contract. Nothing is dropped in silence.
"""

from __future__ import annotations

from dataclasses import replace

from dqx_dagster.checks.names import check_name, settle
from dqx_dagster.checks.promises import PromiseLowering
from dqx_dagster.checks.quality import QualityLowering
from dqx_dagster.checks.relationship import relationship_rule
from dqx_dagster.checks.rule import (
    Claim,
    Lowered,
    Rule,
    Settings,
    Severity,
    Skipped,
    failing_rows_problem,
)
from dqx_dagster.checks.wording import parameters_of
from dqx_dagster.contract.model import Contract, Quality, Relationship, RuleKind
from dqx_dagster.errors import ContractValidationError, Report, did_you_mean
from dqx_dagster.metrics.metric import Age, Gaps

_SCOPES = ("table", "partition")


def lower(contract: Contract, settings: Settings | None = None) -> Lowered:
    """The rules of a contract, and what of it cannot run.

    Raises `ContractValidationError` with all errors where a rule makes no sense.
    """
    report = Report()
    try:
        lowered = lower_into(report, contract, settings or Settings())
    except Report.TooMany:
        raise ContractValidationError(report.errors) from None
    if report.errors:
        raise ContractValidationError(report.errors)
    return lowered


def lower_into(report: Report, contract: Contract, settings: Settings) -> Lowered:
    """Lower a contract and put everything that there is to say about it into the report."""
    return _Lowering(contract, settings, report).lowered()


class _Lowering:
    def __init__(self, contract: Contract, settings: Settings, report: Report) -> None:
        self._contract, self._settings, self._report = contract, settings, report
        self._before = len(report.findings)
        self._promises = PromiseLowering(contract, settings, report)
        self._quality = QualityLowering(contract, report)

    def lowered(self) -> Lowered:
        skipped: list[Skipped] = []
        found = list(self._promises.rules())
        for relationship in self._contract.relationships:
            if target := relationship.target:
                found.append(
                    relationship_rule(self._contract, relationship, target, self._settings)
                )
            else:
                skipped.append(self._skip_relationship(relationship))
        for quality in self._contract.quality:
            severity = self._severity(quality)
            if reason := self._why_skipped(quality):
                skipped.append(self._skip(quality, severity, reason))
            elif claim := self._claim(quality):
                found.append(self._rule(quality, severity, claim))
        rules = self._named(found)
        findings = tuple(self._report.findings[self._before :])
        return Lowered(rules, tuple(skipped), findings)

    def _why_skipped(self, quality: Quality) -> str | None:
        if quality.kind is RuleKind.SQL and self._settings.sql_rules == "skip":
            return f"{quality.label}: type 'sql' is not executable in DQX; skipping"
        return quality.skipped

    def _claim(self, quality: Quality) -> Claim | None:
        if quality.kind is not RuleKind.SQL:
            return self._quality.claim(quality)
        from dqx_dagster.checks.sql.rule import sql_claim  # noqa: PLC0415 - it imports sqlglot

        return sql_claim(quality, self._contract, self._report)

    def _rule(self, quality: Quality, severity: Severity, claim: Claim) -> Rule:
        column = self._quality.column_of(quality)
        return Rule(
            name=check_name(column, quality.id or quality.name or quality.word or "rule"),
            claim=claim,
            severity=severity,
            origin=quality.origin,
            word=quality.word or "",
            given=parameters_of(quality),
            column=column,
            title=quality.name or quality.id,
            description=quality.description,
            dimension=quality.dimension,
            whole_table=self._whole_table(quality, claim),
            failing_rows=self._failing_rows(quality),
        )

    def _whole_table(self, quality: Quality, claim: Claim) -> bool:
        """What the rule says of itself; the age of a table and its gaps are about all of it."""
        if quality.scope is None:
            by_nature = isinstance(claim.metric, Age | Gaps)
            return by_nature or quality.word in self._settings.whole_table
        if quality.scope.value not in _SCOPES:
            hint = did_you_mean(str(quality.scope.value), _SCOPES)
            text = f"{quality.label}: scope must be table or partition, got: {quality.scope.value}"
            self._report.error(quality.scope.origin, "scope", f"{text}{hint}")
        return bool(quality.scope.value == "table")

    def _failing_rows(self, quality: Quality) -> int:
        """What the rule says of itself, else what the settings say."""
        if quality.failing_rows is None:
            return self._settings.failing_rows
        number = quality.failing_rows.value
        if problem := failing_rows_problem(number):
            text = f"{quality.label}: failing rows {problem}"
            self._report.error(quality.failing_rows.origin, "parameter", text)
        return 0 if problem else int(number)

    def _severity(self, quality: Quality) -> Severity:
        if quality.severity is None:
            return self._settings.default_severity
        known = self._settings.severities.get(quality.severity.strip().lower())
        if known is None:
            words = ", ".join(sorted(self._settings.severities))
            level = self._settings.default_severity.value
            text = f"{quality.label}: unknown severity '{quality.severity}' is read as {level}"
            self._report.warning(quality.origin, "severity", f"{text}; known are {words}")
        return known or self._settings.default_severity

    def _skip_relationship(self, relationship: Relationship) -> Skipped:
        reason = relationship.skipped or "the contract of that table is not loaded"
        text = f"{relationship.label}: {reason}; skipping"
        return self._skip(relationship, self._settings.implied_severity, text)

    def _skip(self, rule: Quality | Relationship, severity: Severity, reason: str) -> Skipped:
        self._report.warning(rule.origin, "skipped", reason)
        if severity.blocking:
            text = f"{rule.label} is {severity.value} and cannot run: nothing enforces it"
            self._report.warning(rule.origin, "blocking-skipped", text)
        return Skipped(rule.title, reason, severity, rule.origin)

    def _named(self, rules: list[Rule]) -> tuple[Rule, ...]:
        """Give every rule a name of its own; a rule that is written twice is kept once."""
        unique: dict[tuple[object, ...], Rule] = {}
        for rule in rules:
            first = unique.setdefault(_said(rule), rule)
            if first is not rule:
                text = f"'{rule.title or rule.name}' says the same as line {first.origin.line}"
                self._report.warning(rule.origin, "duplicate", f"{text}; it runs once")
        if self._report.errors:  # nobody gets these rules, and names may be anything
            return tuple(unique.values())
        names = settle([rule.name for rule in unique.values()], list(unique))
        pairs = zip(unique.values(), names, strict=True)
        return tuple(_renamed(rule, name) for rule, name in pairs)


def _said(rule: Rule) -> tuple[object, ...]:
    """All that a rule says, but not where it stands."""
    said = (rule.name, rule.word, rule.column, rule.title, rule.description, rule.severity.value)
    return (*said, rule.claim, rule.implied, rule.whole_table)


def _renamed(rule: Rule, name: str) -> Rule:
    return replace(rule, name=name) if name != rule.name else rule
