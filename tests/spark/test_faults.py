"""Broken rules among sixty good ones: no value changes, no leaf is lost, no data leaks.

Each test looks for the table's canary in what this process prints and logs. What Java prints, a
child process looks at.

`DQX_EFFORT=4` puts every kind of fault at every place, and draws four times as many mixes.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Iterator, Sequence

import pytest
from oracle.effort import EFFORT
from oracle.faults import (
    CANARY,
    GOOD,
    MARKS,
    NOW,
    ROW_COUNT,
    Fault,
    among,
    hostile_table,
    running_faults,
)
from oracle.refused import ODD, REFUSED
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from dqx_dagster.checks.rule import Claim, Rule, Severity
from dqx_dagster.checks.threshold import Threshold
from dqx_dagster.checks.verdict import Outcome, judge
from dqx_dagster.errors import EngineError, Origin
from dqx_dagster.metrics.metric import ROWS, Aggregate, Function, Leaf, Measurements, Unmeasurable
from dqx_dagster.metrics.plan import Plan
from dqx_dagster.metrics.value import Column
from dqx_dagster.spark.measure import measure

SEEDS = 4 * EFFORT
RUNNING = running_faults()
GROUPS = [RUNNING[start::3] for start in range(3)]
PLACES = (0, len(GOOD) // 2, 1000)  # first, in the middle, last


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> DataFrame:
    return hostile_table(spark)


@pytest.fixture(scope="module")
def baseline(table: DataFrame) -> Measurements:
    return measure(table, Plan(GOOD), now=NOW)


@pytest.fixture(autouse=True)
def _nothing_leaks(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> Iterator[None]:
    caplog.set_level(logging.INFO)
    yield
    out, err = capfd.readouterr()
    assert leaked(out + err + caplog.text) == []


def leaked(text: str) -> list[str]:
    """The lines that contain data."""
    return [line[:300] for line in text.splitlines() if any(mark in line for mark in MARKS)]


def wrong(found: Measurements, faults: Sequence[Fault]) -> list[tuple[str, object]]:
    """The faults that have neither a fitting reason nor their decided value."""
    return [(fault.name, found[fault.leaf]) for fault in faults if not fits(found, fault)]


def fits(found: Measurements, fault: Fault) -> bool:
    value = found[fault.leaf]
    if fault.value is not None:
        return value == fault.value
    if not isinstance(value, Unmeasurable) or leaked(value.reason):
        return False
    return fault.says in value.reason


def changed(found: Measurements, baseline: Measurements) -> list[tuple[Leaf, object, object]]:
    """The good rules that have another value than without the faults."""
    return [(leaf, found[leaf], baseline[leaf]) for leaf in GOOD if found[leaf] != baseline[leaf]]


def test_there_are_sixty_good_rules_and_the_engine_measures_them(baseline: Measurements) -> None:
    assert len(baseline) == len(GOOD) == 60
    assert [v for v in baseline.values() if v is None or isinstance(v, Unmeasurable)] == []
    assert baseline[ROWS] == ROW_COUNT


def test_there_are_many_kinds_of_faults() -> None:
    faults = [*REFUSED, *RUNNING]
    assert len({fault.name for fault in faults}) == len({fault.leaf for fault in faults}) >= 60


@pytest.mark.parametrize("start", range(3), ids=["first", "middle", "last"])
def test_what_the_schema_refuses_harms_nothing(
    table: DataFrame, baseline: Measurements, start: int
) -> None:
    places = [PLACES[(start + index) % 3] for index in range(len(REFUSED))]

    found = measure(table, among(REFUSED, places), now=NOW)

    assert len(found) == len(GOOD) + len(REFUSED)
    assert wrong(found, REFUSED) == []
    assert changed(found, baseline) == []


@pytest.mark.parametrize("shift", range(min(3, EFFORT)))
@pytest.mark.parametrize("group", range(3))
def test_what_fails_while_rows_are_read_harms_nothing(
    table: DataFrame, baseline: Measurements, group: int, shift: int
) -> None:
    faults = GROUPS[group]

    found = measure(table, among(faults, [PLACES[(group + shift) % 3]] * len(faults)), now=NOW)

    assert wrong(found, faults) == []
    assert changed(found, baseline) == []


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_mixes_harm_nothing(table: DataFrame, baseline: Measurements, seed: int) -> None:
    chance = random.Random(seed)
    running = chance.sample(RUNNING, chance.randint(0, 2))
    faults = [*running, *chance.sample(REFUSED, chance.randint(not running, 6 - len(running)))]
    chance.shuffle(faults)
    places = [chance.randint(0, len(GOOD)) for _ in faults]

    found = measure(table, among(faults, places), now=NOW)

    assert wrong(found, faults) == []
    assert changed(found, baseline) == []


@pytest.mark.parametrize(
    "function", [Function.DISTINCT, Function.PERIODS, Function.PERCENTILE], ids=lambda f: f.value
)
def test_what_has_a_query_of_its_own_harms_nothing(
    table: DataFrame, baseline: Measurements, function: Function
) -> None:
    like = next(a for a in GOOD if isinstance(a, Aggregate) and a.function is function)
    name = "x_date" if function is Function.PERIODS else "x_cast"
    leaf = Aggregate(function, Column((name,)), argument=like.argument)
    says = "CANNOT_PARSE" if function is Function.PERIODS else "CAST_INVALID_INPUT"
    fault = Fault("own query", leaf, says)

    found = measure(table, among([fault], [30]), now=NOW)

    assert wrong(found, [fault]) == []
    assert changed(found, baseline) == []


def test_more_failing_rules_than_retries_are_unknown_and_never_wrong(
    table: DataFrame, baseline: Measurements
) -> None:
    places = range(0, 3 * len(RUNNING), 3)

    found = measure(table, among(RUNNING, places), now=NOW)

    assert len(found) == len(GOOD) + len(RUNNING)
    assert [f.name for f in RUNNING if not isinstance(found[f.leaf], Unmeasurable)] == []
    assert [c for c in changed(found, baseline) if not isinstance(c[1], Unmeasurable)] == []
    assert leaked(repr(list(found.values()))) == []
    for leaf, value in found.items():
        verdict = judge(blocking(leaf), found, NOW)
        if isinstance(value, Unmeasurable):
            assert (verdict.outcome, verdict.passed) == (Outcome.UNKNOWN, False)
            assert verdict.rule.blocking


def blocking(leaf: Leaf) -> Rule:
    claim = Claim(leaf, Threshold(0, 0), "it")
    return Rule("rule", claim, Severity.P0, Origin("contract.yaml"), "word")


@pytest.mark.parametrize("fault", ODD, ids=str)
def test_even_what_no_contract_says_is_only_unmeasurable(table: DataFrame, fault: Fault) -> None:
    found = measure(table, Plan((fault.leaf, ROWS)), now=NOW)

    assert found[ROWS] == ROW_COUNT
    assert isinstance(found[fault.leaf], Unmeasurable | int)
    assert leaked(repr(list(found.values()))) == []


def test_a_table_that_fails_on_every_row_cannot_be_read(table: DataFrame) -> None:
    failing = table.where(f"CAST(mail AS INT) = 1 OR '{CANARY}' = mail")

    with pytest.raises(EngineError, match="the table cannot be read") as caught:
        measure(failing, Plan(GOOD), now=NOW)

    assert leaked(str(caught.value)) == []
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_what_others_ask_of_spark_is_still_logged(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    records: list[logging.LogRecord] = []
    logger = logging.getLogger("SQLQueryContextLogger")
    monkeypatch.setattr(logger, "callHandlers", records.append)

    with pytest.raises(PySparkException):
        spark.sql("SELECT CAST('x' AS INT)").collect()

    assert [record.levelname for record in records] == ["ERROR"]
