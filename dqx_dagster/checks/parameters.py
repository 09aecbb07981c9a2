"""The parameters of a check: how each is read, and what is wrong when it cannot be.

A reader turns what YAML gave into a typed value or raises `ParameterError`, whose text continues a
sentence that names the rule and the parameter.

>>> share = Parameter("percentile", number(0, 1))
>>> share.read(0.95, ())
0.95
>>> share.read(1.5, ())
Traceback (most recent call last):
dqx_dagster.checks.parameters.ParameterError: must be a number from 0 to 1, got: 1.5
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from dqx_dagster.checks.regex import java_error
from dqx_dagster.contract.columns import property_at, resolve_column
from dqx_dagster.contract.model import Property
from dqx_dagster.errors import did_you_mean
from dqx_dagster.metrics.value import Column, Literal, literal

Properties: TypeAlias = tuple[Property, ...]
Reader: TypeAlias = Callable[[Any, Properties], Any]


class ParameterError(ValueError):
    """A parameter that cannot be used; `code` groups it in lint output."""

    def __init__(self, text: str, code: str = "parameter") -> None:
        """Keep the text and the code."""
        super().__init__(text)
        self.code = code


class _Required:
    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED: Final = _Required()


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a check."""

    name: str
    read: Reader
    default: Any = REQUIRED
    doc: str = ""

    @property
    def required(self) -> bool:
        """Whether a rule must give it."""
        return self.default is REQUIRED


def number(low: float | None = None, high: float | None = None, *, above: bool = False) -> Reader:
    """A finite number in a range; `above` leaves the lower end out."""
    if low is None:
        wanted = "a number"
    elif high is None:
        wanted = f"a number {'above' if above else 'from'} {low}"
    else:
        wanted = f"a number from {low} to {high}"

    def read(value: Any, _: Properties) -> float | int:
        fits = isinstance(value, int | float) and not isinstance(value, bool)
        fits = fits and (low is None or (value > low if above else value >= low))
        if not fits or (high is not None and value > high):
            raise ParameterError(f"must be {wanted}, got: {value}")
        return value  # type: ignore[no-any-return]

    return read


def whole(low: int, high: int | None = None) -> Reader:
    """A whole number in a range."""
    wanted = f"a whole number from {low}" + (f" to {high}" if high is not None else "")

    def read(value: Any, _: Properties) -> int:
        fits = isinstance(value, int) and not isinstance(value, bool) and value >= low
        if not fits or (high is not None and value > high):
            raise ParameterError(f"must be {wanted}, got: {value}")
        assert isinstance(value, int)
        return value

    return read


def choice(*words: str) -> Reader:
    """One of some words."""

    def read(value: Any, _: Properties) -> str:
        if value not in words:
            hint = did_you_mean(str(value), words)
            raise ParameterError(f"must be one of {', '.join(words)}, got: {value}{hint}")
        return str(value)

    return read


def flag(value: Any, _: Properties) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise ParameterError(f"must be true or false, got: {value}")
    return value


def pattern(value: Any, _: Properties) -> str:
    """A regular expression that Java may accept."""
    if not isinstance(value, str) or not value:
        raise ParameterError(f"must be a regular expression, got: {value}", "regex")
    if problem := java_error(value):
        raise ParameterError(f"is not a regular expression that Java accepts: {problem}", "regex")
    return value


def words_of(*known: str) -> Reader:
    """A list of known words, in any case."""

    def read(value: Any, _: Properties) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise ParameterError(f"must be a list, got: {value}")
        for word in value:
            if not isinstance(word, str) or word.upper() not in known:
                hint = did_you_mean(str(word), known)
                raise ParameterError(f"must hold only {', '.join(known)}, got: {word}{hint}")
        return tuple(word.upper() for word in value)

    return read


def values(value: Any, _: Properties) -> tuple[Literal | None, ...]:
    """A list of constants that is not empty; `None` stands for NULL."""
    if not isinstance(value, list):
        raise ParameterError(f"must be a list of values, got: {value}")
    if not value:
        raise ParameterError("must not be empty")
    for item in value:
        if not (item is None or isinstance(item, bool | int | float | str)):
            raise ParameterError(f"must hold plain values, got: {type(item).__name__}")
    return tuple(dict.fromkeys(None if item is None else literal(item) for item in value))


def column(value: Any, properties: Properties) -> Column:
    """A column that the contract declares, by name or physical name."""
    path = resolve_column(properties, value) if isinstance(value, str) else None
    if path is None:
        hint = did_you_mean(str(value), (p.name for p in properties))
        raise ParameterError(f"no property '{value}' in the contract{hint}", "unknown-column")
    return Column(path)


def moment_column(value: Any, properties: Properties) -> Column:
    """A declared column that holds dates or timestamps."""
    found = column(value, properties)
    declared = property_at(properties, found.path)
    if declared and declared.type and declared.type.name not in ("date", "timestamp"):
        text = f"'{value}' is declared as {declared.type.name}; it must be a date or timestamp"
        raise ParameterError(text, "type")
    return found


def columns(value: Any, properties: Properties) -> tuple[Column, ...]:
    """A list of declared columns that is not empty."""
    if not isinstance(value, list) or not value:
        raise ParameterError(f"must be a list of columns, got: {value}")
    found = tuple(column(item, properties) for item in value)
    if len(set(found)) < len(found):
        raise ParameterError("names a column twice")
    return found
