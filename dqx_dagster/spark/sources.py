"""Where a table is → a DataFrame: a path to files, or the name of a catalog table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from dqx_dagster.errors import EngineError
from dqx_dagster.spark.failures import FAILURES, check_alive, reason

_FORMATS: Final = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".orc": "orc",
}
_OPTIONS: Final = {"csv": {"header": "true", "inferSchema": "true"}}


def read_table(
    spark: SparkSession,
    location: str,
    *,
    is_path: bool = False,
    format_: str | None = None,
    options: Mapping[str, str] | None = None,
) -> DataFrame:
    """The table at a path, or in the catalog; raises `EngineError` where there is none.

    `is_path` says that it is no name of a table, however it looks. `options` are Spark's, and win
    over those that the format has here.
    """
    try:
        ending = f".{format_.lower()}" if format_ else Path(location).suffix.lower()
        format_ = format_ or file_format(location) or ("parquet" if is_path else None)
        if format_ is None:
            return spark.table(location)
        format_ = _FORMATS.get(f".{format_.lower()}", format_)
        usual = _OPTIONS.get(format_, {}) | ({"sep": "\t"} if ending == ".tsv" else {})
        return spark.read.format(format_).options(**usual | {**(options or {})}).load(location)
    except FAILURES as error:
        check_alive(spark, error)
        raise EngineError(f"cannot read '{location}': {reason(error)}") from None


def file_format(location: str) -> str | None:
    """The format of the files at a path; None for the name of a catalog table."""
    by_name = _FORMATS.get(Path(location).suffix.lower())
    path = Path(location)
    if path.is_dir():
        if (path / "_delta_log").is_dir():
            return "delta"
        if (path / "metadata").is_dir() and (path / "data").is_dir():
            return "iceberg"
        inside = (_FORMATS.get(file.suffix.lower()) for file in sorted(path.rglob("*.*")))
        return next((found for found in inside if found), None) or by_name or "parquet"
    if by_name or path.exists():
        return by_name or "parquet"
    return "parquet" if "/" in location else None
