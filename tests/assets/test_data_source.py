"""Where the tables of contracts are: what a contract's `servers` say, read by Spark."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import dagster as dg
import pytest
from pyspark.sql import SparkSession

from assets.projects import CONTRACT, GOOD, Session, table, write_contract
from dqx_dagster import (
    Contract,
    DefinitionsError,
    EngineError,
    build_contract_checks,
    load_contracts,
    path_pattern,
    server,
)

LAKE = {"server": "lake", "environment": "prod", "type": "custom", "path": "lake"}
COPY = {"server": "copy", "environment": "prod", "type": "custom", "path": "copy"}
TRIAL = {"server": "trial", "environment": "test", "type": "custom", "path": "trial"}
PROD = {"server": "prod", "environment": "old", "type": "custom", "path": "prod"}


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The orders in many places; the number of rows tells which is which."""
    found = tmp_path_factory.mktemp("data")
    table(spark, GOOD).write.parquet(str(found / "shop.orders.parquet"))
    table(spark, GOOD).write.parquet(str(found / "shop" / "orders" / "1.0.0"))
    (found / "orders.csv").write_text("id,status\n1,open\n2,open\n3,open\n", "utf-8")
    (found / "orders.tabs").write_text("id\tstatus\n1\topen\n", "utf-8")
    (found / "orders.dat").write_text("id;status\n1;größer\n", "latin-1")
    rows = [{"id": number, "status": "open"} for number in range(4)]
    (found / "orders.json").write_text(json.dumps(rows, indent=1), "utf-8")
    (found / "orders.lines").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return found


@pytest.fixture(scope="module")
def schema(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A schema of the session's catalog, with orders."""
    place = tmp_path_factory.mktemp("warehouse")
    spark.sql(f"CREATE SCHEMA order LOCATION '{place}'")
    table(spark, GOOD).write.saveAsTable("order.orders")
    yield "order"
    spark.sql("DROP SCHEMA order CASCADE")


def contract(folder: Path, *servers: Mapping[str, object]) -> Contract:
    """The contract of the orders, with these servers."""
    text = CONTRACT.replace("schema:\n", f"servers: {json.dumps(servers)}\nschema:\n", 1)
    (found,) = load_contracts(write_contract(folder, text if servers else CONTRACT))
    return found


def read(spark: SparkSession, name: str, found: Contract) -> list[tuple[object, ...]]:
    """The rows at this server."""
    return [tuple(row) for row in server(name)(spark, found, context()).collect()]


def context() -> dg.AssetCheckExecutionContext:
    return dg.build_asset_check_context()


@pytest.mark.parametrize(
    ("entry", "rows"),
    [
        pytest.param({"location": "{dataset}.parquet"}, 2, id="the dataset"),
        pytest.param({"location": "{path}/{version}"}, 2, id="with slashes, and the version"),
        pytest.param({"path": "{object}.csv"}, 3, id="the object, and the format by the ending"),
        pytest.param({"path": "{model}.csv"}, 3, id="the object as others write it"),
        pytest.param({"path": "*.csv"}, 3, id="many files"),
        pytest.param({"path": "orders.csv", "format": "CSV"}, 3, id="a format in capitals"),
        pytest.param({"path": "orders.tabs", "format": "tsv"}, 1, id="tabs"),
        pytest.param({"path": "orders.lines", "format": "jsonl"}, 4, id="lines of JSON"),
        pytest.param({"path": "orders.json", "delimiter": "array"}, 4, id="an array of JSON"),
        pytest.param(
            {"path": "orders.lines", "format": "json", "delimiter": "new_line"}, 4, id="new lines"
        ),
    ],
)
def test_a_server_of_files(
    spark: SparkSession, folder: Path, tmp_path: Path, entry: dict[str, str], rows: int
) -> None:
    where = {
        key: f"{folder}/{value}" if key in {"location", "path"} else value
        for key, value in entry.items()
    }
    found = contract(tmp_path, {"server": "files", "type": "custom", **where})

    read_rows = server("files")(spark, found, context())

    assert read_rows.count() == rows
    assert dict(read_rows.dtypes).keys() == {"id", "status"}


def test_a_server_tells_how_its_files_are_written(
    spark: SparkSession, folder: Path, tmp_path: Path
) -> None:
    written = {"format": "csv", "delimiter": ";", "encoding": "ISO-8859-1"}
    place = {"server": "files", "type": "custom", "path": f"{folder}/orders.dat"}

    assert read(spark, "files", contract(tmp_path, place | written)) == [(1, "größer")]


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "databricks", "catalog": "spark_catalog", "schema": "{schema}"},
        {"type": "hive", "host": "localhost", "database": "{schema}"},
        {"type": "custom", "schema": "spark_catalog.{schema}"},
    ],
    ids=["catalog and schema", "database", "schema with dots"],
)
def test_a_server_of_the_catalog(
    spark: SparkSession, schema: str, tmp_path: Path, entry: dict[str, str]
) -> None:
    """The table is the last part of the dataset, `shop.orders`."""
    named = {key: value.format(schema=schema) for key, value in entry.items()}

    assert sorted(read(spark, "lake", contract(tmp_path, {"server": "lake", **named}))) == GOOD


def test_catalogs_may_have_any_name(spark: SparkSession, tmp_path: Path) -> None:
    entry = {"server": "lake", "type": "databricks", "catalog": "my-lake", "schema": "my shop"}

    # This session has no such catalog; without quotes the name would be no name at all.
    unread = r"cannot read '`my-lake`\.`my shop`\.orders': Spark reports REQUIRES_SINGLE_PART_NAMES"
    with pytest.raises(EngineError, match=unread):
        read(spark, "lake", contract(tmp_path, entry))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("lake", "lake", id="by its name"),
        pytest.param("test", "trial", id="by its environment"),
        pytest.param("prod", "prod", id="a name wins over an environment"),
    ],
)
def test_one_of_several_servers(
    spark: SparkSession, tmp_path: Path, name: str, expected: str
) -> None:
    for each in ("lake", "copy", "trial", "prod"):
        rows = [(1, each)]
        table(spark, rows).write.parquet(str(tmp_path / each))
    servers = [each | {"path": f"{tmp_path}/{each['path']}"} for each in (LAKE, COPY, TRIAL, PROD)]

    assert read(spark, name, contract(tmp_path / "contracts", *servers)) == [(1, expected)]


@pytest.mark.parametrize(
    ("name", "servers", "message"),
    [
        pytest.param(
            "laek",
            [LAKE, TRIAL],
            "contract 'Orders' has no server 'laek'; it has lake, trial, prod, test. "
            "Did you mean 'lake'?",
            id="a typo",
        ),
        pytest.param(
            "elsewhere",
            [LAKE],
            "contract 'Orders' has no server 'elsewhere'; it has lake, prod",
            id="unknown",
        ),
        pytest.param("lake", [], "contract 'Orders' has no server 'lake'; it has none", id="none"),
        pytest.param(
            "prod",
            [LAKE, COPY],
            "contract 'Orders' has 2 servers 'prod': lake, copy; name one of them",
            id="an environment with two",
        ),
        pytest.param(
            "lake",
            [LAKE | {"path": "data/{datset}"}],
            "server 'lake' is at 'data/{datset}': there is no '{datset}'. Did you mean 'dataset'?",
            id="an unknown placeholder",
        ),
        pytest.param(
            "lake",
            [{"server": "lake", "type": "custom"}],
            "server 'lake' says neither location, path, catalog, schema nor database",
            id="no place",
        ),
        pytest.param(
            "db",
            [{"server": "db", "type": "mysql", "host": "h", "port": 1, "database": "order"}],
            "server 'db' is of type 'mysql', which Spark does not read by itself; "
            "give `source` a function that does",
            id="a database, though the catalog has such a schema",
        ),
    ],
)
@pytest.mark.usefixtures("schema")
def test_what_does_not_fit(
    spark: SparkSession,
    tmp_path: Path,
    name: str,
    servers: list[Mapping[str, object]],
    message: str,
) -> None:
    found = contract(tmp_path, *servers)

    with pytest.raises(DefinitionsError) as caught:
        server(name)(spark, found, context())

    assert str(caught.value) == f"{found.origin}: {message}"


def test_an_unknown_server_fails_the_step(spark: SparkSession, tmp_path: Path) -> None:
    """So nothing passes, and nothing after it runs."""
    checks = build_contract_checks([contract(tmp_path, LAKE)], source=server("laek"))

    result = dg.materialize(
        checks,
        resources={"pyspark": Session(spark)},
        selection=dg.AssetSelection.all_asset_checks(),
        raise_on_error=False,
    )

    assert not result.success
    assert list(result.get_asset_check_evaluations()) == []
    (failure,) = [event for event in result.all_events if event.is_step_failure]
    assert failure.step_failure_data.error is not None
    assert "Did you mean 'lake'?" in failure.step_failure_data.error.to_string()


def test_a_pattern_with_an_unknown_placeholder_is_told_at_load() -> None:
    with pytest.raises(ValueError, match=r"no '{verson}'\. Did you mean 'version'\?"):
        path_pattern("data/{dataset}/{verson}")
