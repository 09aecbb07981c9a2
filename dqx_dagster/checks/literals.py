"""Fitting the constants of a contract to the type of their column.

1, 1.0, "1" and true are four different values. A constant is cast to its column's type only where
that is exact; otherwise the contract is wrong, because the comparison could never hold.

>>> fit((literal(1),), ColumnType("number"))[0].type.value
'number'
>>> fit((literal(1),), ColumnType("string"))
Traceback (most recent call last):
dqx_dagster.checks.parameters.ParameterError: holds 1, which is not a text; quote it: '1'
"""

from __future__ import annotations

import datetime as dt
from typing import Final

from dqx_dagster.checks.parameters import ParameterError
from dqx_dagster.checks.threshold import parse_moment
from dqx_dagster.contract.model import ColumnType
from dqx_dagster.metrics.value import Literal, LiteralType, literal

_KINDS: Final = {
    "string": LiteralType.STRING,
    "integer": LiteralType.INTEGER,
    "int": LiteralType.INTEGER,
    "number": LiteralType.NUMBER,
    "float": LiteralType.NUMBER,
    "decimal": LiteralType.NUMBER,
    "boolean": LiteralType.BOOLEAN,
    "bool": LiteralType.BOOLEAN,
    "date": LiteralType.DATE,
    "timestamp": LiteralType.TIMESTAMP,
    "time": LiteralType.TIME,
}
_NAMES: Final = {
    LiteralType.STRING: "a text",
    LiteralType.INTEGER: "a whole number",
    LiteralType.NUMBER: "a number",
    LiteralType.BOOLEAN: "true or false",
    LiteralType.DATE: "a date",
    LiteralType.TIMESTAMP: "a timestamp",
    LiteralType.TIME: "a time of day",
}


def fit(constants: tuple[Literal, ...], type_: ColumnType | None) -> tuple[Literal, ...]:
    """The constants in the column's type; they stay as written where the type is not declared."""
    kind = _KINDS.get(type_.name) if type_ else None
    if kind is None:
        return constants
    return tuple(dict.fromkeys(_fit(constant, kind) for constant in constants))


def _fit(constant: Literal, kind: LiteralType) -> Literal:
    value = constant.value
    if constant.type is kind:
        return constant
    match (constant.type, kind):
        case (LiteralType.INTEGER, LiteralType.NUMBER):
            return Literal(kind, value)
        case (LiteralType.NUMBER, LiteralType.INTEGER) if value == int(value):
            return literal(int(value))
        case (LiteralType.STRING, _):
            if fitted := moment_literal(str(value), kind):
                return fitted
    fix = f"; quote it: '{constant}'" if kind is LiteralType.STRING else ""
    raise ParameterError(f"holds {constant}, which is not {_NAMES[kind]}{fix}", "value-type")


def moment_literal(text: str, kind: LiteralType | None) -> Literal | None:
    """A date, timestamp or time of day from its ISO text; None where it is not exactly one."""
    if kind is LiteralType.TIME:
        try:
            return Literal(kind, dt.time.fromisoformat(text.strip()).isoformat())
        except ValueError:
            return None
    moment = parse_moment(text)
    if moment is None:
        return None
    utc = moment.astimezone(dt.timezone.utc)
    if kind is LiteralType.TIMESTAMP:
        return Literal(kind, utc.isoformat())
    if kind is LiteralType.DATE and utc.time() == dt.time():
        return Literal(kind, utc.date().isoformat())
    return None
