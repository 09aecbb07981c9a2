"""What a quality rule allows: its operator and its tolerance as a threshold, and in which unit."""

from __future__ import annotations

from dqx_dagster.checks.threshold import (
    ODCS_OPERATORS,
    TOLERANCE,
    VALIDATORS,
    Threshold,
    ThresholdError,
    threshold,
)
from dqx_dagster.checks.vocabulary import CheckType, Unit
from dqx_dagster.contract.model import ColumnType, Quality, RuleKind
from dqx_dagster.errors import Origin, Report, did_you_mean
from dqx_dagster.metrics.metric import Metric, bounds

OPERATORS_OF = {
    RuleKind.LIBRARY: ODCS_OPERATORS,
    RuleKind.DQX: ODCS_OPERATORS,
    RuleKind.NATIVE: VALIDATORS,
}
"""The operators of each dialect."""

_UNITS = {"rows": Unit.ROWS, "row": Unit.ROWS, "count": Unit.ROWS}
_UNITS |= {"percent": Unit.PERCENT, "%": Unit.PERCENT}
_MOMENTS = ("date", "timestamp")


class RuleError(Exception):
    """The rule makes no sense; the sentence goes on after its name, in the report."""

    def __init__(self, origin: Origin, code: str, text: str) -> None:
        """`origin` is what is wrong in it; `code` groups it in lint output."""
        super().__init__(text)
        self.origin, self.code, self.text = origin, code, text


def threshold_of(quality: Quality, row: CheckType, declared: ColumnType | None) -> Threshold | None:
    """From its one operator; None where it has none."""
    operators = OPERATORS_OF[quality.kind]
    given = [(key, a) for key, a in quality.arguments.items() if key in operators]
    if len(given) > 1:
        listed = ", ".join(key for key, _ in given)
        raise RuleError(given[1][1].origin, "threshold", f"more than one operator: {listed}")
    if not given:
        if "tolerance" in quality.arguments:
            _tolerance(quality)
        return None
    key, argument = given[0]
    if not row.takes_operators:
        text = f"{row.name} takes '{row.at_most}' instead of an operator, got: {key}"
        raise RuleError(argument.origin, "threshold", text)
    try:
        found = threshold(key, argument.value, _tolerance(quality))
    except ThresholdError as error:
        raise RuleError(argument.origin, "threshold", str(error)) from None
    moments = declared.name in _MOMENTS if declared else found.temporal
    if found.temporal and not row.temporal:
        text = f"{key} must be a number, got: {argument.value}"
        raise RuleError(argument.origin, "threshold", text)
    if row.temporal and moments is not found.temporal and declared:
        wanted = "a date" if moments else "a number"
        text = f"{key} must be {wanted} like the column, got: {argument.value}"
        raise RuleError(argument.origin, "threshold", text)
    return found


def _tolerance(quality: Quality) -> float:
    written = quality.arguments.get("tolerance")
    if written is None:
        return TOLERANCE
    try:
        return threshold("equals", 0, written.value).tolerance
    except ThresholdError as error:
        raise RuleError(written.origin, "threshold", str(error)) from None


def unit_of(quality: Quality, row: CheckType) -> Unit:
    """Rows, a share from 0 to 1 (`return: pct`), or percent (`unit: percent`)."""
    share = _is_share(quality)
    if quality.unit is None:
        return Unit.SHARE if share else row.unit
    unit = _UNITS.get(str(quality.unit.value).strip().lower())
    if unit is None:
        hint = did_you_mean(str(quality.unit.value), _UNITS)
        text = f"unknown unit '{quality.unit.value}'{hint}"
        raise RuleError(quality.unit.origin, "unit", text)
    if unit is Unit.PERCENT and row.unit is not Unit.ROWS:
        text = f"'unit: percent' needs a count of rows, which {row.name} is not"
        raise RuleError(quality.unit.origin, "unit", text)
    if unit is Unit.PERCENT and share:
        text = "'unit: percent' and 'return: pct' exclude each other"
        raise RuleError(quality.unit.origin, "unit", text)
    return Unit.PERCENT if unit is Unit.PERCENT else Unit.SHARE if share else row.unit


def _is_share(quality: Quality) -> bool:
    argument = quality.arguments.get("return")
    if argument is None:
        return False
    if argument.value not in ("count", "pct"):
        text = f"'return' must be one of count, pct, got: {argument.value}"
        raise RuleError(argument.origin, "parameter", text)
    return bool(argument.value == "pct")


def check_sense(report: Report, quality: Quality, metric: Metric, limit: Threshold) -> None:
    """Warn of a threshold that no table, or every table, satisfies."""
    low, high = bounds(metric)
    verdict = limit.on_range(low, high)
    if verdict is not None:
        what = "every table satisfies it" if verdict else "no table can satisfy it"
        where = f"at least {low}" if high is None else f"{low} to {high}"
        text = f"{quality.label}: allowed is {limit}, but the metric is always {where}: {what}"
        report.warning(_at_operator(quality), "senseless", text)


def _at_operator(quality: Quality) -> Origin:
    """Where the rule says what is allowed."""
    given = (a for key, a in quality.arguments.items() if key in OPERATORS_OF[quality.kind])
    return next((argument.origin for argument in given), quality.origin)
