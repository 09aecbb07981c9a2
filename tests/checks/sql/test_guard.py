"""No attack gets past the guard, wherever it stands; and what stands on the lists is harmless."""

from __future__ import annotations

import pytest
from oracle.sql_attacks import EXPRESSIONS, POSITIONS, STATEMENTS, attacks
from oracle.sql_contract import claimed, spark_texts
from oracle.sql_honest import DIALECTS, SPARK

from dqx_dagster.checks.rule import Claim
from dqx_dagster.checks.sql.guard import check_spark
from dqx_dagster.checks.sql.source import SqlError
from dqx_dagster.checks.sql.tokens import refused, tokens
from dqx_dagster.checks.sql.words import FUNCTIONS, OPENING, PLAIN

DANGEROUS = """
    reflect java_method try_reflect transform aggregate filter exists reduce forall zip_with
    map_filter transform_keys current_user session_user user current_database current_catalog
    current_schema version input_file_name input_file_block_start input_file_block_length
    spark_partition_id monotonically_increasing_id rand randn random uuid shuffle raise_error
    assert_true explode explode_outer posexplode inline stack range json_tuple collect_list
    collect_set array_agg repeat space sequence array_repeat from_csv from_json from_avro from_xml
    schema_of_json schema_of_csv read_files aes_encrypt aes_decrypt hmac secret identifier
    regexp regexp_like rlike sql_keywords window python_worker_logs localtimestamp
""".split()  # noqa: SIM905 - a long list is easier to read without quotes


def test_there_are_enough_attacks() -> None:
    assert len(POSITIONS) >= 83
    assert len(EXPRESSIONS) >= 10
    assert len(list(attacks())) >= 1_500


def test_every_attack_is_refused() -> None:
    assert [attack for attack in attacks() if isinstance(claimed(attack), Claim)] == []


@pytest.mark.parametrize("server", ["postgres", "databricks", "bigquery", "sqlserver"])
def test_in_no_dialect_does_an_attack_reach_spark(server: str) -> None:
    """What is a comment, a text or a name there is allowed to be one, and does nothing."""
    for attack in [*(p.replace("{}", EXPRESSIONS[0]) for p in POSITIONS), *STATEMENTS]:
        claim = claimed(attack, server)
        if isinstance(claim, Claim):
            found = [token for text in spark_texts(claim) for token in tokens(text)]
            assert {t.text.lower() for t in found if t.kind == "word"}.isdisjoint(DANGEROUS), attack


def test_the_gate_alone_refuses_what_calls_code() -> None:
    """Also if the tree of a query were misunderstood, its words are on no list."""
    texts = [position.replace("{}", e) for position in POSITIONS for e in EXPRESSIONS[:9]]
    assert [text for text in texts if refused(text) is None] == []


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM `secrets`",
        "SELECT COUNT(*) FROM `parquet`.`/x`",
        "SELECT COUNT(*) FROM `dqx_t0`, `other`.`dqx_t1`",
        "SELECT COUNT(*) FROM `dqx_t0` WHERE EXISTS(SELECT 1 FROM `secrets`)",
        "SELECT 1 FROM `dqx_t0` LIMIT 1; SELECT 2",
        "SELECT `f`(1) FROM `dqx_t0`",
        "SELECT `a`.`f`(1) FROM `dqx_t0`",
        "SELECT '${x}' FROM `dqx_t0`",
        "SELECT 'a' 'b' FROM `dqx_t0`",
        "SELECT r'a' FROM `dqx_t0`",
        "SELECT 'open FROM `dqx_t0`",
        "SELECT 1 -- FROM `dqx_t0`",
        "SELECT /*+ BROADCAST(`a`) */ 1 FROM `dqx_t0`",
        "SELECT a FROM `dqx_t0`",
        "SELECT \u00a01 FROM `dqx_t0`",
        'SELECT "a" FROM `dqx_t0`',
        "SELECT `a` -> 1 FROM `dqx_t0`",
        "SELECT CURRENT_DATE('x') FROM `dqx_t0`",
        "SELECT 1 |> WHERE TRUE",
        "SELECT 1 FROM VALUES",
        "SELECT * FROM RANGE(1)",
        "SELECT 1 FROM `dqx_t0` TABLESAMPLE (1 ROWS)",
    ],
)
def test_a_text_for_spark_is_judged_by_itself(text: str) -> None:
    with pytest.raises(SqlError):
        check_spark(text)


def test_no_dangerous_function_is_on_the_list() -> None:
    assert FUNCTIONS.isdisjoint(DANGEROUS)
    # Keywords too. Before a parenthesis they are no call: the functions take a lambda, which has
    # a sign of its own.
    assert OPENING.intersection(DANGEROUS) == {"exists", "filter"}
    assert PLAIN.intersection(DANGEROUS) == {"exists", "filter", "range", "rlike"}


HONEST = [*((None, query) for query in SPARK), *(each[:2] for each in DIALECTS)]


@pytest.mark.parametrize(("server", "query"), HONEST)
def test_every_honest_query_is_allowed(server: str | None, query: str) -> None:
    claim = claimed(query, server)
    assert isinstance(claim, Claim), claim
