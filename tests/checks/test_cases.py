"""Every case of `tests/cases`, from the text of a contract to the sentence of a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from oracle.cases import Case, load_cases

from dqx_dagster.checks.implied import OPTIONS, SCHEMA_WORDS
from dqx_dagster.checks.rule import plan
from dqx_dagster.checks.vocabulary import CHECKS, Scope, find
from dqx_dagster.contract.columns import walk
from dqx_dagster.contract.model import RuleKind
from dqx_dagster.metrics.metric import Aggregate, leaves

SQL = ("sql", "table", "sql", "")
"""A rule in SQL: its own word, wherever it stands."""

CASES = [pytest.param(case, id=str(case)) for case in load_cases()]


@pytest.mark.parametrize("case", CASES)
def test_checks_say_what_the_case_expects(case: Case) -> None:
    rules = case.rules()
    assert case.answers(rules, case.measured(*rules)) == case.expected


@pytest.mark.parametrize("case", CASES)
def test_what_is_measured_together_equals_what_is_measured_alone(case: Case) -> None:
    rules = case.rules()
    together = case.measured(*rules)
    alone = [case.measured(rule) for rule in rules]
    assert repr(together) == repr({leaf: m[leaf] for m in alone for leaf in m})


@pytest.mark.parametrize("case", CASES)
def test_a_plan_has_everything_that_its_rules_need_once(case: Case) -> None:
    rules = case.rules()
    needed = {leaf for rule in rules for metric in rule.claim.metrics for leaf in leaves(metric)}
    planned = plan(rules)
    assert Counter(planned.leaves) == Counter(needed)
    by_family = [leaf for family in planned.families.values() for leaf in family]
    assert Counter(by_family) == Counter(planned.aggregates)
    rest = (*planned.schemas, *planned.orphans, *planned.queries)
    assert {*planned.aggregates, *rest} == needed


def test_two_cases_of_a_file_show_different_things() -> None:
    twice = [name for name, count in Counter(map(str, load_cases())).items() if count > 1]
    assert twice == []


@pytest.mark.parametrize("case", CASES)
def test_a_case_stands_in_the_file_of_its_word(case: Case) -> None:
    assert (case.kind, case.scope, case.word) in {key[:3] for key in covered(case)}


def covered(case: Case) -> Iterator[tuple[str, str, str, str]]:
    """Which words a case is about: kind, scope, word, and the declared type for an option."""
    contract, lowered = case.read()
    for quality in contract.quality:
        if quality.kind is RuleKind.SQL:
            yield SQL
            continue
        on_column = quality.column is not None or "column" in quality.arguments
        scopes = (Scope.COLUMN, Scope.TABLE) if on_column else (Scope.TABLE, Scope.COLUMN)
        rows = (find(quality.kind, scope, quality.word or "") for scope in scopes)
        row = next(row for row in rows if row)
        yield (quality.kind.value, row.scope.value, row.name, "")
    types = {".".join(path): p.type.name for path, p in walk(contract.properties) if p.type}
    for rule in lowered.rules:
        if rule.implied:
            option = isinstance(rule.claim.metric, Aggregate)  # `required` is two words
            of_type = types.get(rule.column or "", "") if option else ""
            scope = "column" if rule.column else "table"
            yield ("implied", scope, rule.word, of_type)


def test_every_word_has_a_case() -> None:
    """A row that is added to the vocabulary needs a case file; this names the ones without."""
    found = {key for case in load_cases() for key in covered(case)}
    words = {(kind.value, row.scope.value, row.name) for row in CHECKS for kind in row.kinds}
    words = (words | {SQL[:3]}) - {key[:3] for key in found}
    options = {(row.name, type_) for row in OPTIONS for type_ in row.types}
    options -= {(word, type_) for _, _, word, type_ in found}
    schema = set(SCHEMA_WORDS) - {word for _, _, word, type_ in found if not type_}
    missing = [" ".join(words) for words in sorted({*words, *options, *((w,) for w in schema)})]
    assert not missing, f"no case in tests/cases for: {', '.join(missing)}"
