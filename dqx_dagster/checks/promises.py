"""What a schema and its service levels imply → rules that nobody has written down as rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dqx_dagster.checks import implied
from dqx_dagster.checks.measures import Given, Measure
from dqx_dagster.checks.names import check_name
from dqx_dagster.checks.parameters import ParameterError
from dqx_dagster.checks.rule import Claim, Rule, Settings
from dqx_dagster.checks.threshold import Threshold
from dqx_dagster.checks.vocabulary import Scope, Unit, find
from dqx_dagster.checks.wording import as_text
from dqx_dagster.contract.columns import walk
from dqx_dagster.contract.model import Contract, Property, RuleKind, SlaLatency
from dqx_dagster.errors import Origin, Report
from dqx_dagster.metrics.metric import Field, Mismatches
from dqx_dagster.metrics.value import Column

SLA_TITLE = "SLA: Freshness check"
NONE = Threshold(0, 0)


class PromiseLowering:
    """Lowers what the schema of one contract says, and its service levels."""

    def __init__(self, contract: Contract, settings: Settings, report: Report) -> None:
        """Problems go to the report."""
        self._contract, self._settings, self._report = contract, settings, report

    def rules(self) -> Iterator[Rule]:
        """All of them: of the table, of its columns, of its key, of its service levels."""
        yield from self._schema()
        yield from self._columns()
        yield from self._key()
        yield from self._sla()

    def _schema(self) -> Iterator[Rule]:
        """One rule for all columns: they are there, with their types."""
        stored = [p for p in self._contract.properties if p.physical]
        if stored:
            fields = tuple(Field(p.column, p.type, p.name) for p in stored)
            claim = Claim(Mismatches(fields), NONE, "do not match the contract", Unit.COLUMNS)
            yield self._implied("schema", None, claim, self._contract.origin)

    def _columns(self) -> Iterator[Rule]:
        for path, item in walk(self._contract.properties):
            if not item.physical:
                continue
            column = Column(path)
            self._note_nested(path, item)
            for word, measure in implied.schema_measures(column, item):
                yield self._implied(word, str(column), _rows(measure), item.origin)
            yield from self._options(column, item)

    def _note_nested(self, path: tuple[str, ...], item: Property) -> None:
        """Nulls are checked in columns, not inside them, as the specification has it."""
        for word, said in (("required", item.required), ("primaryKey", item.primary_key)):
            if said and len(path) > 1:
                text = f"Property '{'.'.join(path)}': {word} inside a struct is documentation"
                self._report.note(item.origin, "nested", f"{text}; nothing is checked")

    def _options(self, column: Column, item: Property) -> Iterator[Rule]:
        for low, high in implied.contradictions(item):
            text = f"Property '{item.name}': no value fits, {low} is above {high}"
            self._report.error(item.options[low].origin, "threshold", text)
        for name, argument in item.options.items():
            row = implied.option(name, item.type.name if item.type else "")
            if row is None:
                if name not in implied.DESCRIPTIVE and item.type is not None:
                    text = f"Property '{item.name}': {name} has no meaning for {item.type.name}"
                    self._report.error(argument.origin, "parameter", text)
                continue
            try:
                measure = implied.option_measure(row, column, argument.value, item)
            except ParameterError as error:
                text = f"Property '{item.name}': {name} {error}"
                self._report.error(argument.origin, error.code, text)
                continue
            if measure is None:
                if name == "format":
                    text = f"Property '{item.name}': format '{argument.value}' is documentation"
                    self._report.note(argument.origin, "format", f"{text}; nothing is checked")
                continue
            rule = self._implied(name, str(column), _rows(measure), argument.origin)
            yield replace(rule, given=as_text(argument.value))

    def _key(self) -> Iterator[Rule]:
        keys = tuple(Column((p.column,)) for p in self._contract.primary_key if p.physical)
        if keys:
            alone = str(keys[0]) if len(keys) == 1 else None
            claim = _rows(implied.primary_key(keys))
            rule = self._implied("primaryKey", alone, claim, self._contract.primary_key[0].origin)
            yield rule if alone else replace(rule, given=", ".join(map(str, keys)))

    def _sla(self) -> Iterator[Rule]:
        row = find(RuleKind.NATIVE, Scope.TABLE, "freshness")
        assert row is not None
        for latency in self._contract.sla_latencies:
            if latency.timestamp_column is None:
                continue
            try:
                stamp = row.parameters[1].read(latency.timestamp_column, self._contract.properties)
            except ParameterError as error:
                self._report.error(latency.origin, error.code, f"SLA latency: {error}")
                continue
            measure = row.build(Given(stamp, {"timestamp_column": stamp, "aggregation": "max"}))
            yield self._freshness(latency, stamp, measure)

    def _freshness(self, latency: SlaLatency, stamp: Column, measure: Measure) -> Rule:
        hours = latency.max_age_hours
        limit = Threshold(None, int(hours) if hours == int(hours) else hours)
        return Rule(
            name=check_name(str(stamp), SLA_TITLE),
            claim=Claim(measure.metric, limit, measure.says, Unit.HOURS),
            severity=self._settings.sla_severity,
            origin=latency.origin,
            word="sla",
            column=str(stamp),
            title=SLA_TITLE,
            dimension="timeliness",
            implied=True,
            whole_table=True,
        )

    def _implied(self, word: str, column: str | None, claim: Claim, origin: Origin) -> Rule:
        return Rule(
            name=check_name(column, word),
            claim=claim,
            severity=self._settings.implied_severity,
            origin=origin,
            word=word,
            column=column,
            implied=True,
            whole_table=word in self._settings.whole_table,
            failing_rows=self._settings.failing_rows,
        )


def _rows(measure: Measure) -> Claim:
    """No row may break what the schema says."""
    return Claim(
        metric=measure.metric,
        threshold=NONE,
        says=measure.says,
        unit=Unit.ROWS,
        counted=measure.metric,
        violation=measure.violation,
    )
