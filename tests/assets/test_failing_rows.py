"""Rows that break rules, in Dagster and in the terminal; and what must never be shown.

Every column holds a canary. By default none gets out of the table; with rows shown, only those of
columns that the contract does not call private.
"""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from click.testing import CliRunner
from pyspark.sql import DataFrame, SparkSession

from assets.projects import Session
from dqx_dagster import Contract, Granularity, Settings, build_contract_checks, load_contracts
from dqx_dagster.cli import main

TEXTS = ("said", "open", "inner", "mail", "card")
RULES = """\
    required: true
    unique: true
    logicalTypeOptions: {maxLength: 3, format: email, pattern: "^x"}
    enum: [{value: x}]
    quality:
    - {metric: invalidValues, arguments: {validValues: [x], pattern: "^y"}, mustBe: 0}
    - {metric: nullValues, mustBe: 0}
    - {metric: missingValues, arguments: {missingValues: [null, y]}, mustBe: 0}
    - {metric: duplicateValues, mustBe: 0}
    - {id: d, type: custom, engine: dqx, implementation: {check: duplicates, mustBe: 0}}
    - {id: w, type: custom, engine: dqx, implementation: {check: whitelist, values: [x], mustBe: 0}}
    - {id: p, type: custom, engine: dqx, implementation: {check: pattern, pattern: x, mustBe: 0}}
    relationships: [{to: people.id}]
"""
PRIVATE = {
    "said": "",
    "open": "classification: Public",
    "inner": "classification: internal",
    "mail": "tags: [contact, 'gdpr:PII']",
    "card": "encryptedName: card_encrypted",
}
CONTRACT = f"""\
apiVersion: v3.2.0
kind: DataContract
id: people
version: 1.0.0
status: active
schema:
- name: people
  quality:
  - {{id: pair, metric: duplicateValues, arguments: {{properties: [said, mail]}}, mustBe: 0}}
  properties:
  - {{name: id, logicalType: string, primaryKey: true, logicalTypeOptions: {{maxLength: 3}}}}
{
    "".join(
        f'''  - name: {name}
    logicalType: string
    {PRIVATE[name] or "description: nothing"}
{RULES}'''
        for name in TEXTS
    )
}\
  - name: person
    logicalType: object
    classification: restricted
    properties:
    - {{name: first, logicalType: string, logicalTypeOptions: {{maxLength: 3}}}}
  - name: home
    logicalType: object
    logicalTypeOptions: {{maxProperties: 1}}
    properties:
    - {{name: city, logicalType: string, logicalTypeOptions: {{maxLength: 3}}}}
    - {{name: street, logicalType: string, tags: [personalData],
       logicalTypeOptions: {{maxLength: 3}}}}
  - name: hobbies
    logicalType: array
    logicalTypeOptions: {{maxItems: 0}}
    items: {{logicalType: string, classification: confidential}}
"""
SCHEMA = (
    "id string, said string, open string, inner string, mail string, card string,"
    " person struct<first:string>, home struct<city:string,street:string>, hobbies array<string>"
)
SHOWN = {"CANARY_id", "CANARY_said", "CANARY_open", "CANARY_city"}


def row(number: int) -> tuple[Any, ...]:
    texts = [f"CANARY_{name}" for name in TEXTS]
    home = ("CANARY_city", "CANARY_street")
    return (f"CANARY_id{number}", *texts, ("CANARY_first",), home, ["CANARY_hobbies"])


def people(spark: SparkSession, contract: Contract, context: object) -> DataFrame:
    nobody = ("CANARY_id3", *(None for _ in TEXTS), None, None, None)
    return spark.createDataFrame([row(1), row(2), row(2), nobody], SCHEMA)


@pytest.fixture(scope="module")
def contracts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contracts")
    (folder / "people.odcs.yaml").write_text(CONTRACT, "utf-8")
    return folder


def run(spark: SparkSession, contracts: Path, settings: Settings) -> tuple[Any, str, str]:
    """The evaluations of a run; all its events as text; and the same without failing rows."""

    @dg.asset(name="people")
    def asset() -> None:
        pass

    checks = build_contract_checks(contracts, source=people, settings=settings)
    with dg.DagsterInstance.ephemeral() as instance:
        result = dg.materialize(
            [asset, *checks],
            resources={"pyspark": Session(spark)},
            instance=instance,
            raise_on_error=False,
        )
        entries = [dg.serialize_value(entry) for entry in instance.all_logs(result.run_id)]
    found = result.get_asset_check_evaluations()
    shown: list[Any] = [c.metadata.get("failing_rows") for c in found]
    tables = [dg.serialize_value(table) for table in shown if table]
    bare = "\n".join(entries)
    for table in tables:
        bare = bare.replace(table, "")
    return found, "\n".join(entries), bare


def canaries(text: str) -> set[str]:
    return set(re.findall(r"CANARY_[a-z]+", text))


def test_by_default_no_value_leaves_the_table(
    spark: SparkSession,
    contracts: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    found, events, _ = run(spark, contracts, Settings())
    out, err = capfd.readouterr()

    broken = [check for check in found if not check.passed]
    assert len(broken) >= 13 * len(TEXTS)
    assert canaries(events + out + err + caplog.text) == set()
    assert [c for c in broken if c.metadata["outcome"].value != "failed"] == []


def test_only_public_columns_are_shown_and_only_in_the_metadata(
    spark: SparkSession,
    contracts: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    found, events, bare = run(spark, contracts, Settings(failing_rows=5))
    out, err = capfd.readouterr()

    assert canaries(events) == SHOWN
    assert canaries(bare + out + err + caplog.text) == set()
    shown = {
        c.check_name: c.metadata["failing_rows"] for c in found if "failing_rows" in c.metadata
    }
    masked = [record.data for record in shown["mail__max_length"].records]
    assert sorted(r["id"] for r in masked) == ["CANARY_id1", "CANARY_id2", "CANARY_id2"]
    assert {r["mail"] for r in masked} == {"masked"}
    assert [r.data for r in shown["said__unique"].records] == [{"said": "CANARY_said", "rows": 3}]
    assert {r.data["home"] for r in shown["home__max_properties"].records} == {"masked"}
    assert "mail__unique" not in shown  # there is nothing that may be shown
    (null,) = shown["open__null_values"].records
    assert null.data == {"id": "CANARY_id3", "open": None}


def test_rules_that_are_reported_as_one_share_a_table(spark: SparkSession, contracts: Path) -> None:
    settings = Settings(failing_rows=1, implied_checks=Granularity.TABLE)
    found, _, _ = run(spark, contracts, settings)

    bundled = [c for c in found if c.check_name.startswith("schema")]
    tables = [c.metadata["failing_rows"] for c in bundled]
    assert len(tables) == 2  # what is about the whole table is reported by itself
    assert {table.schema.columns[0].name for table in tables} == {"rule"}
    records = [record.data for table in tables for record in table.records]
    rows = {record["rule"]: record for record in records}
    assert rows["open__max_length"]["open"] == "CANARY_open"
    assert rows["inner__max_length"]["inner"] == "masked"
    assert len(rows) == len(records)


def test_the_command_shows_them_as_text_and_as_json(
    spark: SparkSession, contracts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SparkSession, "stop", lambda _: None)  # the session is the tests' own
    (contract,) = load_contracts(contracts)
    people(spark, contract, None).write.parquet(str(tmp_path / "people"))
    call = ["run", str(contracts), "--table", f"people={tmp_path / 'people'}"]
    call += ["--select", "open__*", "--select", "mail__*"]

    plain = CliRunner().invoke(main, call)
    text = CliRunner().invoke(main, [*call, "--failing-rows", "1"])
    done = CliRunner().invoke(main, [*call, "--failing-rows", "1", "--format", "json"])

    assert canaries(plain.output) == set()
    assert canaries(text.output) == canaries(done.output) == {"CANARY_id", "CANARY_open"}
    assert "open__max_length: rows that break it" in text.output
    (table,) = json.loads(done.stdout)["tables"]
    checks = {check["name"]: check.get("failing_rows") for check in table["checks"]}
    assert checks["open__null_values"] == {
        "columns": ["id", "open"],
        "rows": [["CANARY_id3", None]],
    }
    assert checks["mail__unique"] is None
