"""Where the table of a contract is: in the catalog, in files, at a server that the contract names.

A `DataSource` is any function `(spark, contract, context) -> DataFrame`; here are the usual ones.
It is called when the checks run, never when definitions are loaded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Final, Protocol

from dqx_dagster.contract.model import Contract
from dqx_dagster.errors import DefinitionsError, Origin, did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class DataSource(Protocol):
    """A function that gives the table of a contract."""

    def __call__(self, spark: SparkSession, contract: Contract, context: Any, /) -> DataFrame:
        """Read the table; raise where that is impossible, so that the step fails.

        `context` is Dagster's: of the checks' own step, or of the asset's where they run in that.
        """


_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")
_IN_CATALOG: Final = frozenset(
    {"athena", "custom", "databricks", "glue", "hive", "iceberg", "impala", "presto", "trino"}
)
"""The types of servers whose names a catalog of Spark may know; a database is not one of them."""


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
    if problem := _unknown_placeholder(text):
        raise ValueError(f"path pattern '{text}': {problem}")
    return lambda spark, contract, _: _read(spark, _filled(text, contract), is_path=True)


def server(name: str) -> DataSource:
    """What the contract's own `servers` entry of this name (or environment) says.

    A `location` or `path` is read as files, with the entry's `format`, `delimiter` and `encoding`,
    and may hold the placeholders of `path_pattern`. Else the table is looked up in the session's
    catalog, by the entry's catalog and schema and the last part of the dataset.
    """

    def read(spark: SparkSession, contract: Contract, _: Any) -> DataFrame:
        entry = _entry(contract, name)
        place = entry.get("location") or entry.get("path")
        if not place:
            return _read(spark, _table(contract, entry))
        if problem := _unknown_placeholder(place):
            raise _misfit(contract, entry, f"is at '{place}': {problem}")
        return _read(
            spark,
            _filled(place, contract),
            is_path=True,
            format_=entry.get("format"),
            options=_options(entry),
        )

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


def _unknown_placeholder(pattern: str) -> str | None:
    known = _words(_NOBODY)
    unknown = next((name for name in _PLACEHOLDER.findall(pattern) if name not in known), None)
    return unknown and f"there is no '{{{unknown}}}'{did_you_mean(unknown, known)}"


def _filled(pattern: str, contract: Contract) -> str:
    words = _words(contract)
    return _PLACEHOLDER.sub(lambda found: words[found[1]], pattern)


# What a server says


def _entry(contract: Contract, name: str) -> Mapping[str, Any]:
    """The server of this name, else the only one of this environment."""
    named = [entry for entry in contract.servers if entry.get("server") == name]
    fitting = named or [each for each in contract.servers if each.get("environment") == name]
    if len(fitting) == 1:
        return fitting[0]
    text = f"{contract.origin}: contract '{contract.title}' has"
    if fitting:
        names = ", ".join(str(entry.get("server")) for entry in fitting)
        raise DefinitionsError(f"{text} {len(fitting)} servers '{name}': {names}; name one of them")
    told = [entry.get(key) for key in ("server", "environment") for entry in contract.servers]
    known = list(dict.fromkeys(str(each) for each in told if each))
    offered = f"; it has {', '.join(known)}" if known else "; it has none"
    raise DefinitionsError(f"{text} no server '{name}'{offered}{did_you_mean(name, known)}")


def _table(contract: Contract, entry: Mapping[str, Any]) -> str:
    """The name in the session's catalog; schemas may have any characters, and dots between them."""
    if entry.get("type") not in _IN_CATALOG:
        text = f"is of type '{entry.get('type')}', which Spark does not read by itself"
        raise _misfit(contract, entry, f"{text}; give `source` a function that does")
    schema = entry.get("schema") or entry.get("database") or entry.get("namespace")
    parts = [part for name in (entry.get("catalog"), schema) if name for part in name.split(".")]
    if not parts:
        raise _misfit(contract, entry, "says neither location, path, catalog, schema nor database")
    quoted = ["`" + part.replace("`", "``") + "`" for part in parts]
    return ".".join((*quoted, contract.dataset.rpartition(".")[2]))


def _options(entry: Mapping[str, Any]) -> dict[str, str]:
    """How files are read. The standard's `delimiter` is for JSON; that of other files is theirs."""
    delimiter = entry.get("delimiter")
    known = {
        "multiLine": "true" if delimiter == "array" else None,
        "sep": None if delimiter in ("array", "new_line") else delimiter,
        "encoding": entry.get("encoding"),
    }
    return {key: value for key, value in known.items() if value}


def _misfit(contract: Contract, entry: Mapping[str, Any], text: str) -> DefinitionsError:
    return DefinitionsError(f"{contract.origin}: server '{entry.get('server')}' {text}")


def _read(
    spark: SparkSession,
    location: str,
    *,
    is_path: bool = False,
    format_: str | None = None,
    options: Mapping[str, str] | None = None,
) -> DataFrame:
    from dqx_dagster.spark.sources import read_table  # noqa: PLC0415 - no Spark before checks run

    return read_table(spark, location, is_path=is_path, format_=format_, options=options)
