"""Every case of `tests/cases` on real Spark: it must say what the oracle says.

And it must say so on every kind of session: with ANSI on and off, in UTC and elsewhere, with
generated code and without. The cases of a file take turns on them; with `DQX_EFFORT=2` each is
tried on all. Only one thing rightly depends on the session's zone: the schema check of a contract
that declares the zone of a timestamp.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from typing import Final

import pytest
from oracle.cases import Case, Expected, Table, load_cases
from oracle.effort import EFFORT
from oracle.sessions import ANSI, INTERPRETED, ZONE, session_with
from pyspark.sql import DataFrame, SparkSession

from dqx_dagster.checks.rule import plan
from dqx_dagster.spark.measure import measure_with_cost

CASES = load_cases()
FILES = sorted({case.file for case in CASES})

SESSIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "ANSI, UTC": {ANSI: "true", ZONE: "UTC"},
    "no ANSI, New York, interpreted": {ANSI: "false", ZONE: "America/New_York", **INTERPRETED},
}

ZONED: Final = {"native types": "UTC"}
"""The cases whose contract declares the zone of one timestamp: it is not the zone elsewhere."""


@pytest.fixture(params=range(len(SESSIONS)), ids=list(SESSIONS), scope="module")
def turn(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(scope="module")
def session(turn: int, spark: SparkSession) -> SparkSession:
    return session_with(spark, list(SESSIONS.values())[turn])


def alike(found: Expected | None, expected: Expected) -> bool:
    """Equal, but for the last digits of a double that Spark adds up in another order."""
    if found is None or found.outcome != expected.outcome or found.reason != expected.reason:
        return False
    a, b = found.actual, expected.actual
    if isinstance(a, float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12) or a == b
    return a == b


@pytest.mark.parametrize("file", FILES)
def test_spark_says_what_the_case_expects(file: str, turn: int, session: SparkSession) -> None:
    cases = [case for case in CASES if case.file == file]
    different = []
    for case in cases if EFFORT > 1 else cases[turn :: len(SESSIONS)]:
        found = answers(case, session)
        different += [
            (case.shows, name, found.get(name), expected)
            for name, expected in expected_in(session, case).items()
            if not alike(found.get(name), expected)
        ]
    assert different == []


def expected_in(spark: SparkSession, case: Case) -> Mapping[str, Expected]:
    if ZONED.get(case.shows) in (None, spark.conf.get(ZONE)):
        return case.expected
    return {**case.expected, "schema": Expected(1, "failed")}


def answers(case: Case, spark: SparkSession) -> dict[str, Expected]:
    others = {name: stored(other, spark) for name, other in case.others.items()}
    rules = case.rules()
    found, _ = measure_with_cost(
        stored(case.table, spark), plan(rules), now=case.now, tables=others
    )
    return case.answers(rules, found)


def stored(table: Table, spark: SparkSession) -> DataFrame:
    # Moments of a case know their zone, or are local ones: they are the same in every session.
    # One partition: nothing has to be shuffled.
    rows = [tuple(row.values()) for row in table.rows]
    return spark.createDataFrame(rows, table.ddl).coalesce(1)


@pytest.mark.parametrize(
    ("declared", "zone", "problems"),
    [
        ("UTC", "Etc/UTC", 0),
        ("UTC", "America/New_York", 1),
        ("America/New_York", "America/New_York", 0),
        ("America/New_York", "UTC", 1),
    ],
)
def test_a_declared_zone_must_be_the_zone_of_the_session(
    declared: str, zone: str, problems: int, spark: SparkSession
) -> None:
    (case,) = (case for case in CASES if case.shows == "timezone narrows a timestamp")
    document = json.loads(case.document)
    options = document["schema"][0]["properties"][0]["logicalTypeOptions"]
    options["defaultTimezone"] = declared
    case = dataclasses.replace(case, document=json.dumps(document))

    found = answers(case, session_with(spark, {ZONE: zone}))

    assert found["schema"].actual == problems
