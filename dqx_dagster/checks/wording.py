"""The parameters of a rule as people read them, beside its sentence."""

from __future__ import annotations

import json
from typing import Final

from dqx_dagster.checks.threshold import ODCS_OPERATORS, VALIDATORS
from dqx_dagster.contract.model import Quality

_IN_SENTENCE: Final = frozenset({*ODCS_OPERATORS, *VALIDATORS, "column", "return"})
_ITEMS, _LETTERS = 10, 100  # what is shown of a long list, of a long text


def parameters_of(quality: Quality) -> str:
    """The parameters of a rule, without what its sentence says anyway."""
    given = {key: a.value for key, a in quality.arguments.items() if key not in _IN_SENTENCE}
    return "; ".join(f"{key}: {as_text(value)}" for key, value in given.items())


def as_text(value: object) -> str:
    """A value of YAML as people read it, cut where it is long.

    >>> as_text(["DE", None, True]), as_text("^[A-Z]{2}$")
    ('DE, null, true', '^[A-Z]{2}$')
    """
    if isinstance(value, list):
        return ", ".join([*map(as_text, value[:_ITEMS]), *(["…"] if len(value) > _ITEMS else [])])
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= _LETTERS else f"{text[:_LETTERS]}…"
