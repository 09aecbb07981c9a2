"""One quality rule → the claim that it makes: its word, its parameters, its threshold."""

from __future__ import annotations

from typing import Any

from dqx_dagster.checks.limit import OPERATORS_OF, RuleError, check_sense, threshold_of, unit_of
from dqx_dagster.checks.literals import fit
from dqx_dagster.checks.measures import Given, Measure
from dqx_dagster.checks.parameters import ParameterError
from dqx_dagster.checks.rule import Claim
from dqx_dagster.checks.threshold import Threshold, threshold
from dqx_dagster.checks.vocabulary import CheckType, Scope, Unit, find, words
from dqx_dagster.contract.columns import property_at, resolve_column
from dqx_dagster.contract.model import Argument, ColumnType, Contract, Quality, RuleKind
from dqx_dagster.errors import Report, did_you_mean
from dqx_dagster.metrics.metric import ROWS, Arithmetic, Combined, Metric
from dqx_dagster.metrics.value import Column, Literal

_SHARES = {Unit.SHARE: Arithmetic.SHARE, Unit.PERCENT: Arithmetic.PERCENT}
_KINDS = {
    "string": ("string",),
    "list": ("array", "list", "vector"),
    "map": ("map", "object"),
}
_NO_COLUMN = Column(())


class QualityLowering:
    """Lowers the quality rules of one contract."""

    def __init__(self, contract: Contract, report: Report) -> None:
        """Problems go to the report."""
        self._properties, self._report = contract.properties, report

    def claim(self, quality: Quality) -> Claim | None:
        """What the rule claims; None where it makes no sense, and the report says why."""
        try:
            return self._claim(quality)
        except RuleError as wrong:
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
            raise RuleError(quality.origin, "type", text)
        self._check_kind(quality, declared)
        self._check_keys(quality, row)
        limit = threshold_of(quality, row, declared)
        given = Given(column or _NO_COLUMN, self._parameters(quality, row, column, declared))
        if row.at_most is not None:
            limit = threshold("max", given[row.at_most])
        build = row.build
        if limit is None and row.unjudged is not None:
            build, limit = row.unjudged, threshold("equals", 0)
        try:
            measure = build(given)
        except ParameterError as error:
            raise RuleError(quality.origin, error.code, str(error)) from None
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
            raise RuleError(written.origin, "unknown-column", text)
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
            raise RuleError(quality.origin, "parameter", f"{word} needs a column: add '{place}'")
        what = "metric" if kind is RuleKind.LIBRARY else "check"
        known = words(kind)
        hint = did_you_mean(word, known) or f"; known are {', '.join(known)}"
        raise RuleError(quality.origin, "unknown-check", f"unknown {what} '{word}'{hint}")

    @staticmethod
    def _check_kind(quality: Quality, declared: ColumnType | None) -> None:
        """`column_type` must not contradict the declared type."""
        argument = quality.arguments.get("column_type")
        allowed = _KINDS.get(str(argument.value)) if argument else None
        if argument and declared and allowed and declared.name not in allowed:
            text = f"column_type is {argument.value}, but the column is declared as {declared.name}"
            raise RuleError(argument.origin, "type", text)

    def _check_scope(self, quality: Quality, word: str) -> None:
        """A check of the table that stands at a column."""
        if quality.kind is RuleKind.NATIVE:
            text = f"{word} is a check of the table; move it to the 'checks' of the contract"
            raise RuleError(quality.origin, "scope", text)
        if quality.kind is RuleKind.LIBRARY:
            text = f"{quality.label}: {word} is about the table; it belongs to the schema object"
            self._report.note(quality.origin, "scope", text)

    def _check_keys(self, quality: Quality, row: CheckType) -> None:
        parameters = [parameter.name for parameter in row.parameters]
        known = {*parameters, *OPERATORS_OF[quality.kind]}
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
                    raise RuleError(quality.origin, "parameter", text)
                found[parameter.name] = column if parameter.required else parameter.default
                continue
            try:
                value = parameter.read(argument.value, self._properties)
                found[parameter.name] = self._fitted(quality, argument, value, type_)
            except ParameterError as error:
                text = str(error)
                known = text.startswith(("no property", "'"))
                text = text if known else f"'{parameter.name}' {text}"
                raise RuleError(argument.origin, error.code, text) from None
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

    def _finished(
        self, quality: Quality, row: CheckType, measure: Measure, limit: Threshold | None
    ) -> Claim:
        unit = unit_of(quality, row)
        metric: Metric = measure.metric
        if unit in _SHARES:
            metric = Combined(_SHARES[unit], metric, ROWS)
        if limit is not None and not limit.temporal:
            check_sense(self._report, quality, metric, limit)
        return Claim(
            metric=metric,
            threshold=limit,
            says=measure.says,
            unit=unit,
            counted=measure.metric if row.unit is Unit.ROWS else None,
            violation=measure.broken_by(limit),
        )
