"""One quality rule → the claim that it makes: its word, its parameters, its threshold."""

from __future__ import annotations

from typing import Any

from dqx_dagster.checks.literals import fit
from dqx_dagster.checks.measures import Given, Measure
from dqx_dagster.checks.parameters import ParameterError
from dqx_dagster.checks.rule import Claim
from dqx_dagster.checks.threshold import (
    ODCS_OPERATORS,
    TOLERANCE,
    VALIDATORS,
    Threshold,
    ThresholdError,
    threshold,
)
from dqx_dagster.checks.vocabulary import CheckType, Scope, Unit, find, words
from dqx_dagster.contract.columns import property_at, resolve_column
from dqx_dagster.contract.model import Argument, ColumnType, Contract, Quality, RuleKind
from dqx_dagster.errors import Origin, Report, did_you_mean
from dqx_dagster.metrics.metric import ROWS, Arithmetic, Combined, Metric, bounds
from dqx_dagster.metrics.value import Column, Literal

_OPERATORS = {
    RuleKind.LIBRARY: ODCS_OPERATORS,
    RuleKind.DQX: ODCS_OPERATORS,
    RuleKind.NATIVE: VALIDATORS,
}
_UNITS = {"rows": Unit.ROWS, "row": Unit.ROWS, "count": Unit.ROWS}
_UNITS |= {"percent": Unit.PERCENT, "%": Unit.PERCENT}
_SHARES = {Unit.SHARE: Arithmetic.SHARE, Unit.PERCENT: Arithmetic.PERCENT}
_MOMENTS = ("date", "timestamp")
_KINDS = {
    "string": ("string",),
    "list": ("array", "list", "vector"),
    "map": ("map", "object"),
}
_NO_COLUMN = Column(())


class _Wrong(Exception):  # noqa: N818 - never leaves this module
    """The rule makes no sense; the sentence goes to the report."""

    def __init__(self, origin: Origin, code: str, text: str) -> None:
        super().__init__(text)
        self.origin, self.code, self.text = origin, code, text


class QualityLowering:
    """Lowers the quality rules of one contract."""

    def __init__(self, contract: Contract, report: Report) -> None:
        """Problems go to the report."""
        self._properties, self._report = contract.properties, report

    def claim(self, quality: Quality) -> Claim | None:
        """What the rule claims; None where it makes no sense, and the report says why."""
        try:
            return self._claim(quality)
        except _Wrong as wrong:
            self._report.error(wrong.origin, wrong.code, f"{quality.label}: {wrong.text}")
            return None

    def column_of(self, quality: Quality) -> str | None:
        """The column that the rule is about, as text."""
        column = self._column(quality)
        return str(column) if column else None

    def _claim(self, quality: Quality) -> Claim:
        column = self._column(quality)
        row = self._row(quality, column)
        declared = self._declared(column)
        if row.needs and declared and declared.name not in row.needs:
            text = f"{row.name} does not work on the declared type {declared.name}"
            raise _Wrong(quality.origin, "type", text)
        self._check_kind(quality, declared)
        self._check_keys(quality, row)
        limit = self._threshold(quality, row, declared)
        given = Given(column or _NO_COLUMN, self._parameters(quality, row, column, declared))
        if row.at_most is not None:
            limit = threshold("max", given[row.at_most])
        build = row.build
        if limit is None and row.unjudged is not None:
            build, limit = row.unjudged, threshold("equals", 0)
        try:
            measure = build(given)
        except ParameterError as error:
            raise _Wrong(quality.origin, error.code, str(error)) from None
        return self._finished(quality, row, measure, limit)

    def _column(self, quality: Quality) -> Column | None:
        """From `column:`, else the property that the rule stands at."""
        written = quality.arguments.get("column")
        if written is None:
            only = quality.arguments.get("properties")
            alone = only.value if only and isinstance(only.value, list) else []
            schema_level = quality.kind is RuleKind.LIBRARY and quality.column is None
            if schema_level and len(alone) == 1 and quality.word != "duplicateValues":
                written = Argument(alone[0], only.origin) if only else None
        if written is None:
            return Column(quality.column) if quality.column else None
        path = resolve_column(self._properties, str(written.value))
        if path is None:
            hint = did_you_mean(str(written.value), (p.name for p in self._properties))
            text = f"no property '{written.value}' in the contract{hint}"
            raise _Wrong(written.origin, "unknown-column", text)
        return Column(path)

    def _declared(self, column: Column | None) -> ColumnType | None:
        owner = property_at(self._properties, column.path) if column else None
        return owner.type if owner else None

    def _row(self, quality: Quality, column: Column | None) -> CheckType:
        word, kind = quality.word or "", quality.kind
        on_column, on_table = (find(kind, scope, word) for scope in (Scope.COLUMN, Scope.TABLE))
        if on_table and any(item.name in quality.arguments for item in on_table.parameters):
            return on_table  # it names its columns itself, wherever it stands
        if column and on_table and not on_column:
            self._check_scope(quality, word)
        if row := (on_column or on_table) if column else on_table:
            return row
        if on_column:
            place = "arguments.properties" if kind is RuleKind.LIBRARY else "column"
            raise _Wrong(quality.origin, "parameter", f"{word} needs a column: add '{place}'")
        what = "metric" if kind is RuleKind.LIBRARY else "check"
        known = words(kind)
        hint = did_you_mean(word, known) or f"; known are {', '.join(known)}"
        raise _Wrong(quality.origin, "unknown-check", f"unknown {what} '{word}'{hint}")

    @staticmethod
    def _check_kind(quality: Quality, declared: ColumnType | None) -> None:
        """`column_type` must not contradict the declared type."""
        argument = quality.arguments.get("column_type")
        allowed = _KINDS.get(str(argument.value)) if argument else None
        if argument and declared and allowed and declared.name not in allowed:
            text = f"column_type is {argument.value}, but the column is declared as {declared.name}"
            raise _Wrong(argument.origin, "type", text)

    def _check_scope(self, quality: Quality, word: str) -> None:
        """A check of the table that stands at a column."""
        if quality.kind is RuleKind.NATIVE:
            text = f"{word} is a check of the table; move it to the 'checks' of the contract"
            raise _Wrong(quality.origin, "scope", text)
        if quality.kind is RuleKind.LIBRARY:
            text = f"{quality.label}: {word} is about the table; it belongs to the schema object"
            self._report.note(quality.origin, "scope", text)

    def _check_keys(self, quality: Quality, row: CheckType) -> None:
        parameters = [parameter.name for parameter in row.parameters]
        known = {*parameters, *_OPERATORS[quality.kind]}
        if quality.kind is not RuleKind.LIBRARY:
            known |= {"tolerance"}
        if quality.kind is RuleKind.DQX:
            known |= {"column"}
        if quality.kind is not RuleKind.LIBRARY and row.unit is Unit.ROWS:
            known |= {"return"}
        if quality.kind is RuleKind.LIBRARY and row.scope is Scope.COLUMN:
            known |= {"properties"} if quality.column is None else set()
        for key, argument in quality.arguments.items():
            if key not in known:
                what = "'return' needs a check that counts rows" if key == "return" else ""
                what = what or f"{row.name} has no '{key}'{did_you_mean(key, known)}"
                self._report.error(argument.origin, "unknown-key", f"{quality.label}: {what}")

    def _parameters(
        self, quality: Quality, row: CheckType, column: Column | None, type_: ColumnType | None
    ) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for parameter in row.parameters:
            argument = quality.arguments.get(parameter.name)
            if argument is None:
                if parameter.required and not (column and parameter.name.endswith("_column")):
                    text = f"{row.name} needs '{parameter.name}'"
                    raise _Wrong(quality.origin, "parameter", text)
                found[parameter.name] = column if parameter.required else parameter.default
                continue
            try:
                value = parameter.read(argument.value, self._properties)
                found[parameter.name] = self._fitted(quality, argument, value, type_)
            except ParameterError as error:
                text = str(error)
                known = text.startswith(("no property", "'"))
                text = text if known else f"'{parameter.name}' {text}"
                raise _Wrong(argument.origin, error.code, text) from None
        return found

    def _fitted(
        self,
        quality: Quality,
        argument: Argument,
        value: Any,
        type_: ColumnType | None,
    ) -> Any:
        """Constants in the type of their column; a NULL among valid values is said to be idle."""
        if not isinstance(value, tuple) or not any(isinstance(v, Literal) for v in value):
            return value
        constants = fit(tuple(v for v in value if v is not None), type_)
        if None not in value:
            return constants
        if quality.word != "missingValues":
            text = f"{quality.label}: null in the list changes nothing, nulls are not judged here"
            self._report.note(argument.origin, "null-value", text)
        return (None, *constants)

    def _threshold(
        self, quality: Quality, row: CheckType, declared: ColumnType | None
    ) -> Threshold | None:
        operators = _OPERATORS[quality.kind]
        given = [(key, a) for key, a in quality.arguments.items() if key in operators]
        if len(given) > 1:
            listed = ", ".join(key for key, _ in given)
            raise _Wrong(given[1][1].origin, "threshold", f"more than one operator: {listed}")
        if not given:
            if "tolerance" in quality.arguments:
                self._tolerance(quality)
            return None
        key, argument = given[0]
        if not row.takes_operators:
            text = f"{row.name} takes '{row.at_most}' instead of an operator, got: {key}"
            raise _Wrong(argument.origin, "threshold", text)
        try:
            found = threshold(key, argument.value, self._tolerance(quality))
        except ThresholdError as error:
            raise _Wrong(argument.origin, "threshold", str(error)) from None
        moments = declared.name in _MOMENTS if declared else found.temporal
        if found.temporal and not row.temporal:
            text = f"{key} must be a number, got: {argument.value}"
            raise _Wrong(argument.origin, "threshold", text)
        if row.temporal and moments is not found.temporal and declared:
            wanted = "a date" if moments else "a number"
            text = f"{key} must be {wanted} like the column, got: {argument.value}"
            raise _Wrong(argument.origin, "threshold", text)
        return found

    def _tolerance(self, quality: Quality) -> float:
        written = quality.arguments.get("tolerance")
        if written is None:
            return TOLERANCE
        try:
            return threshold("equals", 0, written.value).tolerance
        except ThresholdError as error:
            raise _Wrong(written.origin, "threshold", str(error)) from None

    def _finished(
        self, quality: Quality, row: CheckType, measure: Measure, limit: Threshold | None
    ) -> Claim:
        unit = self._unit(quality, row)
        metric: Metric = measure.metric
        if unit in _SHARES:
            metric = Combined(_SHARES[unit], metric, ROWS)
        if limit is not None and not limit.temporal:
            self._check_sense(quality, metric, limit)
        return Claim(
            metric=metric,
            threshold=limit,
            says=measure.says,
            unit=unit,
            counted=measure.metric if row.unit is Unit.ROWS else None,
            violation=measure.broken_by(limit),
        )

    def _unit(self, quality: Quality, row: CheckType) -> Unit:
        """Rows, a share from 0 to 1 (`return: pct`), or percent (`unit: percent`)."""
        share = self._return(quality)
        if quality.unit is None:
            return Unit.SHARE if share else row.unit
        unit = _UNITS.get(str(quality.unit.value).strip().lower())
        if unit is None:
            hint = did_you_mean(str(quality.unit.value), _UNITS)
            text = f"unknown unit '{quality.unit.value}'{hint}"
            raise _Wrong(quality.unit.origin, "unit", text)
        if unit is Unit.PERCENT and row.unit is not Unit.ROWS:
            text = f"'unit: percent' needs a count of rows, which {row.name} is not"
            raise _Wrong(quality.unit.origin, "unit", text)
        if unit is Unit.PERCENT and share:
            text = "'unit: percent' and 'return: pct' exclude each other"
            raise _Wrong(quality.unit.origin, "unit", text)
        return Unit.PERCENT if unit is Unit.PERCENT else Unit.SHARE if share else row.unit

    def _return(self, quality: Quality) -> bool:
        argument = quality.arguments.get("return")
        if argument is None:
            return False
        if argument.value not in ("count", "pct"):
            text = f"'return' must be one of count, pct, got: {argument.value}"
            raise _Wrong(argument.origin, "parameter", text)
        return bool(argument.value == "pct")

    def _check_sense(self, quality: Quality, metric: Metric, limit: Threshold) -> None:
        """Warn of a threshold that no table, or every table, satisfies."""
        low, high = bounds(metric)
        verdict = limit.on_range(low, high)
        if verdict is not None:
            what = "every table satisfies it" if verdict else "no table can satisfy it"
            where = f"at least {low}" if high is None else f"{low} to {high}"
            text = f"{quality.label}: allowed is {limit}, but the metric is always {where}: {what}"
            self._report.warning(_at_operator(quality), "senseless", text)


def _at_operator(quality: Quality) -> Origin:
    """Where the rule says what is allowed."""
    given = (a for key, a in quality.arguments.items() if key in _OPERATORS[quality.kind])
    return next((argument.origin for argument in given), quality.origin)
