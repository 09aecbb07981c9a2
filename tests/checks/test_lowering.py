"""Contracts → rules: severities, what is skipped, what is said once."""

from __future__ import annotations

import pytest

from checks.contracts import dqx, library, lowered, said
from dqx_dagster.checks.rule import Settings, Severity, Skipped
from dqx_dagster.errors import Level


def test_all_errors_of_a_contract_come_at_once() -> None:
    wrong = [dqx("max", "amont"), dqx("mean", "status"), dqx("nothing", "id")]
    _, findings = lowered(*wrong)
    assert len(said(findings, Level.ERROR)) == 3


@pytest.mark.parametrize(
    ("word", "severity"),
    [
        ("error", Severity.P0),
        ("critical", Severity.P0),
        ("P0", Severity.P0),
        ("p0", Severity.P0),
        ("warning", Severity.P1),
        ("P1", Severity.P1),
        (None, Severity.P1),
        ("P2", Severity.P2),
        ("info", Severity.P3),
        ("P3", Severity.P3),
    ],
)
def test_words_of_severity(word: str | None, severity: Severity) -> None:
    quality = library("rowCount", mustBe=1) | ({"severity": word} if word else {})
    found, findings = lowered(quality)
    assert {rule.name: rule.severity for rule in found.rules} == {
        "schema": Severity.P0,
        "q": severity,
    }
    assert said(findings, Level.WARNING) == []
    assert found.rules[1].blocking is (severity is Severity.P0)


def test_an_unknown_severity_is_p1_with_a_warning() -> None:
    found, findings = lowered(library("rowCount", mustBe=1, severity="urgent"))
    assert found.rules[1].severity is Severity.P1
    (warning,) = said(findings, Level.WARNING)
    assert warning.startswith("Quality rule 'q': unknown severity 'urgent' is read as P1")


def test_settings_change_every_map_of_severities() -> None:
    settings = Settings(
        severities={"urgent": Severity.P0},
        default_severity=Severity.P3,
        implied_severity=Severity.P2,
    )
    rules = lowered(
        library("rowCount", mustBe=1, severity="Urgent"),
        {"name": "r", "metric": "rowCount", "mustBe": 2},
        settings=settings,
    )[0].rules
    assert {rule.name: rule.severity for rule in rules} == {
        "schema": Severity.P2,
        "q": Severity.P0,
        "r": Severity.P3,
    }


def test_another_engine_is_skipped_and_never_passed() -> None:
    soda = {"name": "soda_check", "type": "custom", "engine": "soda", "implementation": "x"}
    found, findings = lowered(soda)
    reason = "Quality rule 'soda_check': type 'custom' with engine 'soda' is not executable in DQX"
    reason += "; skipping"
    assert [rule.name for rule in found.rules] == ["schema"]
    origin = found.skipped[0].origin
    assert found.skipped == (Skipped("soda_check", reason, Severity.P1, origin),)
    assert said(findings, Level.WARNING) == [reason]


def test_a_blocking_rule_that_is_skipped_is_warned_of_twice() -> None:
    soda = {"name": "s", "type": "custom", "engine": "soda", "implementation": "x"}
    _, findings = lowered(soda | {"severity": "P0"})
    assert said(findings, Level.WARNING)[1:] == [
        "Quality rule 's' is P0 and cannot run: nothing enforces it"
    ]


def test_the_same_rule_in_two_places_runs_once() -> None:
    rule = library("rowCount", mustBe=1)
    found, findings = lowered(rule, rule)
    assert [r.name for r in found.rules] == ["schema", "q"]
    (warning,) = said(findings, Level.WARNING)
    assert warning.startswith("'q' says the same as line")


def test_text_is_documentation() -> None:
    found, findings = lowered({"type": "text", "description": "look at it"})
    assert [rule.name for rule in found.rules] == ["schema"]
    assert found.skipped == ()
    assert said(findings, Level.WARNING) == []


def test_a_rule_knows_its_place() -> None:
    (_, rule), _ = lowered(library("rowCount", mustBe=1))[0].rules, None
    assert rule.origin.yaml_path == "schema[0].quality[0]"
