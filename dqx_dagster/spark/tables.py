"""`Tables`: the tables of other contracts, each read once, and only when a rule asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from pyspark.sql import DataFrame, SparkSession

from dqx_dagster.errors import EngineError
from dqx_dagster.spark.binding import Refusal
from dqx_dagster.spark.failures import check_alive, reason

Given: TypeAlias = Mapping[str, DataFrame | Callable[[], DataFrame]]
"""Tables by dataset, or functions that read them."""


class Tables:
    """The tables that rules may read beside their own."""

    def __init__(self, spark: SparkSession, given: Given) -> None:
        """`given` is asked only for what a rule needs."""
        self._spark, self._given = spark, given
        self._read: dict[str, DataFrame] = {}

    @property
    def used(self) -> bool:
        """Whether a rule has asked for one of them."""
        return bool(self._read)

    def __getitem__(self, dataset: str) -> DataFrame:
        """The table; raises `Refusal` where there is none, so that only its rules fail."""
        if dataset not in self._read:
            if dataset not in self._given:
                raise Refusal(f"the table '{dataset}' is needed too, and was not given")
            self._read[dataset] = self._table(dataset)
        return self._read[dataset]

    def _table(self, dataset: str) -> DataFrame:
        given = self._given[dataset]
        try:
            return given() if callable(given) else given
        except Exception as error:  # noqa: BLE001 - a source is the user's, and raises anything
            check_alive(self._spark, error)
            why = str(error) if isinstance(error, EngineError) else reason(error)
            raise Refusal(f"the table '{dataset}' cannot be read: {why}") from None
