"""Native DQX documents → contracts."""

from __future__ import annotations

from pathlib import Path

import pytest

from dqx_dagster import Contract, ContractValidationError, ContractWarning, Level, Severity, lower
from dqx_dagster.contract.model import ColumnType, Dialect
from dqx_dagster.loading import inspect

NATIVE = Dialect.NATIVE

EVENTS = """\
name: Events
version: "1.0.0"
description: What people click
owner: web-team
dataset: web.events
tags: [clicks]
sla: {schedule: "0 * * * *", lag_hours: 2}
metadata:
  partitioned_by: [hour]
  team: web
columns:
- name: hour
  type: {kind: timestamp}
  nullable: false
  description: When
- name: kind
  type: string
  description: What
  checks:
  - {name: Kind is known, type: whitelist, values: [click, view], severity: P0}
checks:
- {name: Enough, type: num_rows, min: 1}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "events.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def errors(folder: Path, text: str) -> list[str]:
    return [error.message for error in inspect([write(folder, text)]).errors]


def with_type(type_: str) -> str:
    return (
        EVENTS.replace("type: string", f"type: {type_}")
        .replace("whitelist", "missing")
        .replace("values: [click, view], ", "")
    )


def test_a_contract_carries_what_the_file_says(tmp_path: Path) -> None:
    events = Contract.from_yaml(write(tmp_path, EVENTS))

    assert (events.name, events.version, events.owner) == ("Events", "1.0.0", "web-team")
    assert (events.dataset, events.asset_path) == ("web.events", ("web", "events"))
    assert (events.tags, events.description) == (("clicks",), "What people click")
    assert events.dialect is NATIVE
    assert [(p.name, p.required, p.partition) for p in events.properties] == [
        ("hour", True, 1),
        ("kind", False, None),
    ]
    assert [(r.name, r.severity) for r in lower(events).rules] == [
        ("schema", Severity.P0),
        ("hour__required", Severity.P0),
        ("hour__sla_freshness_check", Severity.P0),
        ("enough", Severity.P1),
        ("kind__is_known", Severity.P0),
    ]


@pytest.mark.parametrize(
    ("schedule", "lag", "metadata", "hours"),
    [
        ("0 0 * * *", 24, "partitioned_by: [hour]", 49.0),
        ("0 * * * *", 2, "partitioned_by: [hour]", 4.0),
        ("0 6 * * 1-5", 24, "partitioned_by: [hour]", 49.0),
        ("0 6 * * *", 0, "timestamp_column: hour", 1.0),
        ("0 */6 * * *", 0.5, "partitioned_by: [hour]", 7.5),
        ("0 0 * * 1", 0, "partitioned_by: [hour]", 169.0),
        ("0 0 1 * *", 0, "partitioned_by: [hour]", 721.0),
    ],
)
def test_the_sla_gives_the_age_that_data_may_have(
    tmp_path: Path, schedule: str, lag: float, metadata: str, hours: float
) -> None:
    text = EVENTS.replace("0 * * * *", schedule).replace("lag_hours: 2", f"lag_hours: {lag}")
    events = Contract.from_yaml(write(tmp_path, text.replace("partitioned_by: [hour]", metadata)))

    assert events.sla_latency is not None
    assert (events.sla_latency.max_age_hours, events.sla_latency.timestamp_column) == (
        hours,
        "hour",
    )
    assert events.sla_schedule is not None
    assert (events.sla_schedule.cron, events.sla_schedule.lag_hours) == (schedule, float(lag))


@pytest.mark.parametrize(
    "schedule",
    [
        "0 0 * * 2,4",
        "0 0 1,15 * *",
        "0 0 * * 1,3,5",
        "30 0 * * *",
        "*/5 * * * *",
        "0 30 * * *",
        "0 0 * *",
        "soon",
    ],
)
def test_other_schedules_are_refused(tmp_path: Path, schedule: str) -> None:
    path = write(tmp_path, EVENTS.replace("0 * * * *", schedule))

    with pytest.raises(ContractValidationError, match=r"sla\.schedule") as caught:
        Contract.from_yaml(path)

    assert caught.value.origin.line == 7


def test_a_long_lag_is_warned_about(tmp_path: Path) -> None:
    path = write(tmp_path, EVENTS.replace("lag_hours: 2", "lag_hours: 169"))

    with pytest.warns(ContractWarning, match="169 hours is more than a week"):
        Contract.from_yaml(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("owner: web-team\n", "", "'owner' is a required property"),
        ("name: Events", "nam: Events", "unknown key 'nam'. Did you mean 'name'?"),
        ("lag_hours: 2", "lag: 2", "'lag_hours' is a required property"),
        ("lag_hours: 2", "lag_hours: -1", "'lag_hours': -1 is less than the minimum of 0"),
        (
            "partitioned_by: [hour]",
            "team2: x",
            "sla: a table that is not partitioned needs metadata.timestamp_column",
        ),
        (
            "partitioned_by: [hour]",
            "partitioned_by: [our]",
            "metadata.partitioned_by: no column 'our'. Did you mean 'hour'?",
        ),
        ("type: string", "type: text", "Column 'kind': unknown type 'text'"),
        (
            "type: string",
            "type: list",
            "Column 'kind': unknown type 'list'. Write it as a mapping: {kind: list, …}",
        ),
        ("type: string", "type: {kind: list}", "Column 'kind': list needs 'value_type'"),
        (
            "type: string",
            "type: {kind: list, value_typ: int}",
            "Column 'kind': list has no 'value_typ'. Did you mean 'value_type'?",
        ),
        (
            "type: string",
            "type: {kind: struct, fields: [{name: a, type: number}]}",
            "Column 'kind': unknown type 'number'",
        ),
        (
            "type: whitelist",
            "type: whitelst",
            "Check 'Kind is known': unknown check 'whitelst'. Did you mean 'whitelist'?",
        ),
        ("min: 1", "min: 1, max: 2", "Check 'Enough': more than one operator: min, max"),
        ("min: 1", "minn: 1", "Check 'Enough': num_rows has no 'minn'. Did you mean 'min'?"),
        ("min: 1", "between: [3, 1]", "Check 'Enough': between: the lower bound 3 is above 1"),
        (
            "min: 1",
            "min: 1, tolerance: -1",
            "Check 'Enough': tolerance must not be negative, got: -1",
        ),
        ("name: kind", "name: HOUR", "Column 'HOUR': the column 'HOUR' is declared twice, first"),
    ],
)
def test_an_error_says_what_is_wrong(tmp_path: Path, old: str, new: str, message: str) -> None:
    found = errors(tmp_path, EVENTS.replace(old, new, 1))

    assert any(text.startswith(message) for text in found), found


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        *((name, ColumnType(name, NATIVE)) for name in ("int", "float", "bool", "string", "bytes")),
        *((name, ColumnType(name, NATIVE)) for name in ("date", "time", "timestamp", "decimal")),
        ("{kind: timestamp}", ColumnType("timestamp", NATIVE, timezone=False)),
        (
            "{kind: timestamp, tz: UTC}",
            ColumnType("timestamp", NATIVE, timezone=True, zone="UTC"),
        ),
        (
            "{kind: list, value_type: int}",
            ColumnType("list", NATIVE, items=ColumnType("int", NATIVE)),
        ),
        (
            "{kind: map, key_type: string, value_type: {kind: list, value_type: float}}",
            ColumnType(
                "map",
                NATIVE,
                key=ColumnType("string", NATIVE),
                items=ColumnType("list", NATIVE, items=ColumnType("float", NATIVE)),
            ),
        ),
        (
            "{kind: struct, fields: [{name: a, type: int, description: x}]}",
            ColumnType("struct", NATIVE, fields=(("a", ColumnType("int", NATIVE)),)),
        ),
    ],
)
def test_all_twelve_types_are_read(tmp_path: Path, written: str, expected: ColumnType) -> None:
    events = Contract.from_yaml(write(tmp_path, with_type(written)))

    assert events.properties[1].type == expected


def test_the_minimal_contract_checks_its_schema(tmp_path: Path) -> None:
    text = "\n".join(
        line
        for line in EVENTS[: EVENTS.index("columns:")].splitlines()
        if not line.startswith(("sla", "meta", "tags", " "))
    )
    path = write(tmp_path, f"{text}\ncolumns:\n- {{name: a, type: int, description: x}}\n")

    assert [r.name for r in lower(Contract.from_yaml(path)).rules] == ["schema"]


def test_a_native_list_without_validator_must_hold_for_all(tmp_path: Path) -> None:
    events = Contract.from_yaml(write(tmp_path, EVENTS))
    claim = lower(events).rules[-1].claim

    assert claim.says == "hold a value outside the list"
    assert str(claim.threshold) == "exactly 0"


def test_an_unknown_key_in_a_check_is_reported_once(tmp_path: Path) -> None:
    path = write(tmp_path, EVENTS.replace("min: 1", "minimum: 1"))

    assert [f.code for f in inspect([path]).findings if f.level is Level.ERROR] == ["unknown-key"]
