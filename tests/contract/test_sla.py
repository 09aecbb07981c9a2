"""Service levels of ODCS documents, resolved for each schema object."""

from __future__ import annotations

from pathlib import Path

import pytest

from dqx_dagster import Contract, ContractWarning, Level
from dqx_dagster.contract.sla import cron_error, daily_schedule, period_hours, to_hours
from dqx_dagster.loading import inspect

TWO_TABLES = """\
apiVersion: v3.1.0
kind: DataContract
id: shop
version: 1.0.0
status: active
slaProperties:
{sla}
schema:
- name: orders
  physicalName: raw.orders
  properties:
  - {{name: placed_at, logicalType: timestamp}}
  - {{name: day, logicalType: date, partitioned: true, partitionKeyPosition: 1}}
- name: payments
  properties:
  - {{name: paid_at, physicalName: paid_ts, logicalType: timestamp}}
"""


def write(folder: Path, *entries: str, top: str = "") -> Path:
    path = folder / "shop.odcs.yaml"
    path.write_text(TWO_TABLES.format(sla="\n".join(f"- {{{e}}}" for e in entries)) + top)
    return path


def latencies(path: Path) -> list[list[tuple[float, str | None]]]:
    contracts = inspect([path]).contracts
    return [[(x.max_age_hours, x.timestamp_column) for x in c.sla_latencies] for c in contracts]


@pytest.mark.parametrize(
    ("value", "unit", "hours"),
    [
        (24, "h", 24.0),
        (24, "hours", 24.0),
        (2, "d", 48.0),
        (1, "Days", 24.0),
        (1, "y", 8760.0),
        (1, "yr", 8760.0),
        (90, "min", 1.5),
        (7200, "s", 2.0),
        (1, "w", 168.0),
        (1, "mo", 720.0),
        ("12", "h", 12.0),
        (1.5, "d", 36.0),
        ("P1D", None, 24.0),
        ("PT90M", None, 1.5),
        ("P1DT12H", None, 36.0),
        ("P1W", None, 168.0),
        (5, None, 5.0),
        ("soon", "h", None),
        (True, "h", None),
        (None, "h", None),
        ("P", None, None),
        (1, "parsecs", None),
    ],
)
def test_amounts_of_time_become_hours(value: object, unit: str | None, hours: float | None) -> None:
    assert to_hours(value, unit) == hours


@pytest.mark.parametrize("word", ["latency", "ly", "LATENCY", "Freshness"])
def test_every_word_for_latency_is_understood(tmp_path: Path, word: str) -> None:
    path = write(tmp_path, f"property: {word}, value: 4, unit: h, element: orders.placed_at")

    assert latencies(path) == [[(4.0, "placed_at")], []]


@pytest.mark.parametrize("table", ["orders", "raw.orders"])
def test_the_element_names_its_table_by_either_name(tmp_path: Path, table: str) -> None:
    path = write(tmp_path, f"property: latency, value: 4, unit: h, element: {table}.placed_at")

    assert latencies(path) == [[(4.0, "placed_at")], []]


def test_the_element_gives_the_physical_name_of_its_column(tmp_path: Path) -> None:
    path = write(tmp_path, "property: latency, value: 4, unit: h, element: payments.paid_at")

    assert latencies(path) == [[], [(4.0, "paid_ts")]]


def test_several_elements_give_a_check_each(tmp_path: Path) -> None:
    elements = "'orders.placed_at, orders.day, payments.paid_at'"
    path = write(tmp_path, f"property: latency, value: 4, unit: h, element: {elements}")

    assert latencies(path) == [[(4.0, "placed_at"), (4.0, "day")], [(4.0, "paid_ts")]]


def test_without_an_element_the_first_partition_column_tells_the_age(tmp_path: Path) -> None:
    path = write(tmp_path, "property: latency, value: 4, unit: h")

    with pytest.warns(ContractWarning, match="no column tells the age of the data"):
        orders, payments = Contract.from_odcs(path)

    assert orders.sla_latency is not None
    assert orders.sla_latency.timestamp_column == "day"
    assert payments.sla_latency is not None
    assert payments.sla_latency.timestamp_column is None


def test_the_default_element_is_used(tmp_path: Path) -> None:
    entry = "property: latency, value: 4, unit: h"
    path = write(tmp_path, entry, top="slaDefaultElement: orders.placed_at\n")

    assert latencies(path) == [[(4.0, "placed_at")], []]


def test_an_element_of_no_table_is_warned_about_and_not_enforced(tmp_path: Path) -> None:
    path = write(tmp_path, "property: latency, value: 4, unit: h, element: order.placed_at")

    assert latencies(path) == [[], []]
    assert [f.message for f in inspect([path]).findings] == [
        "SLA latency: 'order.placed_at' names no schema object of this file ('orders',"
        " 'raw.orders', 'payments'); write table.column; it is not enforced. Did you mean 'orders'?"
    ]


def test_a_latency_without_unit_is_hours_with_a_warning(tmp_path: Path) -> None:
    path = write(tmp_path, "property: latency, value: 4, element: orders.placed_at")

    assert latencies(path) == [[(4.0, "placed_at")], []]
    assert [f.message for f in inspect([path]).findings] == [
        "SLA latency: no unit, 4 is read as hours; add 'unit: h'"
    ]


def test_latency_needs_a_column_of_time(tmp_path: Path) -> None:
    path = write(tmp_path, "property: latency, value: 4, unit: h, element: orders.placed_at")
    path.write_text(path.read_text().replace("logicalType: timestamp", "logicalType: string", 1))

    assert [f.message for f in inspect([path]).errors] == [
        "SLA latency: 'placed_at' is declared as string; it must be a date or timestamp"
    ]


def test_other_properties_are_kept(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "property: retention, value: 3, unit: y, description: by law",
        "property: timeOfAvailability, value: '09:00-08:00', driver: regulatory",
        "property: timeOfAvailability, value: '08:00-08:00', driver: analytics",
        "property: availability, value: 99.9, element: payments.paid_at",
    )
    orders, payments = Contract.from_odcs(path)

    assert orders.sla_metadata == {
        "retention": {"value": 3, "unit": "y"},
        "timeOfAvailability": {"value": "09:00-08:00", "driver": "regulatory"},
        "timeOfAvailability#2": {"value": "08:00-08:00", "driver": "analytics"},
    }
    assert payments.sla_metadata["availability"]["value"] == 99.9
    assert orders.sla_schedule is not None
    assert (orders.sla_schedule.cron, orders.sla_schedule.timezone) == ("0 9 * * *", "Etc/GMT+8")


def test_a_schedule_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, "property: frequency, value: 1, unit: d, schedule: '0 6 * * *'")
    orders, _ = Contract.from_odcs(path)

    assert orders.sla_schedule is not None
    assert orders.sla_schedule.cron == "0 6 * * *"


@pytest.mark.parametrize("cron", ["0 30 * * *", "99 99 * * *", "0 0 31 2 *", "* * * * * *", "soon"])
def test_a_bad_schedule_is_an_error(tmp_path: Path, cron: str) -> None:
    path = write(tmp_path, f"property: frequency, value: 1, unit: d, schedule: '{cron}'")

    assert cron_error(cron) is not None
    assert [(f.level, f.code) for f in inspect([path]).findings] == [(Level.ERROR, "cron")]


@pytest.mark.parametrize(
    ("cron", "hours"),
    [
        ("0 * * * *", 1),
        ("0 0 * * *", 24),
        ("0 23 * * *", 24),
        ("0 */6 * * *", 6),
        ("0 0 * * 1-5", 24),
        ("0 6 * * MON-FRI", 24),
        ("0 0 * * 1", 168),
        ("0 0 * * SUN", 168),
        ("0 0 1 * *", 720),
        ("0  0  *  *  *", 24),
        ("0 0 * * 2,4", None),
        ("0 0 1,15 * *", None),
        ("0 0 2 * *", None),
        ("15 * * * *", None),
        ("* * * * *", None),
        ("0 0 * 1 *", None),
        ("0 24 * * *", None),
    ],
)
def test_the_period_is_told_for_exactly_the_listed_patterns(cron: str, hours: int | None) -> None:
    assert period_hours(cron) == hours


@pytest.mark.parametrize(
    ("text", "schedule"),
    [
        ("09:00", ("0 9 * * *", "UTC")),
        ("09:15Z", ("15 9 * * *", "UTC")),
        ("09:00-08:00", ("0 9 * * *", "Etc/GMT+8")),
        ("09:00+02:00", ("0 9 * * *", "Etc/GMT-2")),
        ("00:15+05:30", ("45 18 * * *", "UTC")),
        ("25:00", None),
        ("nine", None),
    ],
)
def test_a_time_of_day_is_a_daily_schedule(text: str, schedule: tuple[str, str] | None) -> None:
    assert daily_schedule(text) == schedule
