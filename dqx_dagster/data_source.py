"""Where the table of a contract is: in the catalog, in files, at a server that the contract names.

A `DataSource` is any function `(spark, contract, context) -> DataFrame`; here are the usual ones.
It is called when the checks run, never when definitions are loaded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol

from dqx_dagster.contract.model import Contract
from dqx_dagster.errors import EngineError, Origin, did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class DataSource(Protocol):
    """A function that gives the table of a contract."""

    def __call__(self, spark: SparkSession, contract: Contract, context: Any, /) -> DataFrame:
        """Read the table; raise where that is impossible, so that the step fails.

        `context` is Dagster's: of the checks' own step, or of the asset's where they run in that.
        """


_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def catalog_table() -> DataSource:
    """The table of the session's catalog that is called like the contract's dataset."""
    return lambda spark, contract, _: _read(spark, contract.dataset)


def path_pattern(pattern: str | PathLike[str]) -> DataSource:
    """Files at a path like `data/{dataset}.parquet`.

    Placeholders: `{dataset}` (as the contract writes it), `{path}` (the same with slashes instead
    of dots), `{object}` (the schema object's name) and `{version}`. The format is told by the
    ending, or by what lies in the folder.
    """
    text = str(pattern)
    unknown = [name for name in _PLACEHOLDER.findall(text) if name not in _words(_NOBODY)]
    if unknown:
        hint = did_you_mean(unknown[0], _words(_NOBODY))
        raise ValueError(f"path pattern '{text}': there is no '{{{unknown[0]}}}'{hint}")
    return lambda spark, contract, _: _read(spark, _filled(text, contract), is_path=True)


def server(name: str) -> DataSource:
    """What the contract's own `servers` entry of this name (or environment) says."""

    def read(spark: SparkSession, contract: Contract, _: Any) -> DataFrame:
        entry = _entry(contract, name)
        place = entry.get("location") or entry.get("path")
        if place:
            format_ = entry.get("format")
            return _read(spark, _filled(str(place), contract), format_=format_, is_path=True)
        parts = [entry.get("catalog"), entry.get("schema") or entry.get("database")]
        table = contract.dataset.rpartition(".")[2]
        return _read(spark, ".".join(str(part) for part in (*parts, table) if part))

    return read


def as_source(source: str | PathLike[str] | DataSource | None) -> DataSource:
    """A source from what users write: nothing is the catalog, a text is a path pattern."""
    if source is None:
        return catalog_table()
    return path_pattern(source) if isinstance(source, str | PathLike) else source


_NOBODY = Contract(dataset="", origin=Origin(""))


def _words(contract: Contract) -> dict[str, str]:
    return {
        "dataset": contract.dataset,
        "path": contract.dataset.replace(".", "/"),
        "object": contract.object_name,
        "model": contract.object_name,
        "version": contract.version or "",
    }


def _filled(pattern: str, contract: Contract) -> str:
    words = _words(contract)
    return _PLACEHOLDER.sub(lambda found: words.get(found[1], found[0]), pattern)


def _entry(contract: Contract, name: str) -> Mapping[str, Any]:
    for entry in contract.servers:
        if name in (entry.get("server"), entry.get("environment")):
            return entry
    known = [str(entry.get("server")) for entry in contract.servers]
    offered = f"; it has {', '.join(known)}" if known else "; it has none"
    text = f"{contract.origin}: contract '{contract.title}' has no server '{name}'"
    raise EngineError(f"{text}{offered}{did_you_mean(name, known)}")


def _read(
    spark: SparkSession, location: str, *, format_: str | None = None, is_path: bool = False
) -> DataFrame:
    from dqx_dagster.spark.sources import read_table  # noqa: PLC0415 - no Spark before checks run

    return read_table(spark, location, format_=format_, is_path=is_path)
