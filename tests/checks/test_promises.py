"""What a schema says: options that make no sense are refused. What holds is in `tests/cases`."""

from __future__ import annotations

import pytest

from checks.contracts import Yaml, lowered, said
from dqx_dagster.errors import Level


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"minLength": -1}, "minLength must be a whole number from 0, got: -1"),
        ({"pattern": "[a-z"}, "pattern is not a regular expression that Java accepts: "),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(options: Yaml, message: str) -> None:
    column = {"name": "c", "logicalType": "string", "logicalTypeOptions": options}
    _, findings = lowered(properties=[column])
    texts = said(findings, Level.ERROR)
    assert any(text.startswith(f"Property 'c': {message}") for text in texts), texts


@pytest.mark.parametrize(
    ("type_", "options", "message"),
    [
        ("date", {"minimum": "soon"}, "Property 'c': minimum must be an ISO date, got: soon"),
        ("time", {"maximum": "25:00"}, "Property 'c': maximum must be an ISO time, got: 25:00"),
        ("integer", {"multipleOf": 0}, "Property 'c': multipleOf must be a number above 0, got: 0"),
    ],
)
def test_a_bound_that_is_none_is_refused(type_: str, options: Yaml, message: str) -> None:
    column = {"name": "c", "logicalType": type_, "logicalTypeOptions": options}
    assert message in said(lowered(properties=[column])[1], Level.ERROR)
