"""Texts as the parser sees them: what they mean, or why they are refused."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from dqx_dagster.contract.document import Document, parse_document
from dqx_dagster.errors import ContractValidationError, Finding


def parsed(text: str) -> Document:
    return parse_document(dedent(text), "x.yaml")


def value(scalar: str) -> Any:
    """What an unquoted scalar means."""
    return parse_document(f"key: {scalar}\n", "x.yaml").root["key"]


def refused(text: str) -> list[str]:
    """The errors of a text, each with its line and column."""
    with pytest.raises(ContractValidationError) as caught:
        parse_document(text, "x.yaml")
    return [line(error) for error in caught.value.errors]


def line(error: Finding) -> str:
    return f"{error.origin.line}:{error.origin.column}: {error.message}"
