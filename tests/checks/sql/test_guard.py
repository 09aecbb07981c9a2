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
    assert len(set(attacks())) >= 1_900


def test_most_places_take_an_honest_value() -> None:
    """So an attack there is refused for what it is, not for where it stands."""
    values = ("1", "'a'", "true", "id", "placed_at", "(1)", "tags")
    texts = ([place.replace("{}", value, 1) for value in values] for place in POSITIONS)
    taking = [any(isinstance(claimed(text), Claim) for text in each) for each in texts]
    assert sum(taking) >= 75


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
        "SELECT ALL(1) OVER (ORDER BY 1) FROM `dqx_t0`",
        "SELECT LPAD(`a`, 2000000000, 'x') FROM `dqx_t0`",
        "SELECT ROUND(`a`, `b`) FROM `dqx_t0`",
    ],
)
def test_a_text_for_spark_is_judged_by_itself(text: str) -> None:
    with pytest.raises(SqlError):
        check_spark(text)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("lpad(status, 1001)", "the length of lpad is 1001; it must be a number in the query, at"),
        ("round(disc, quantity)", "it must be a number in the query, at most 100"),
        (
            "approx_count_distinct(id, 0.001)",
            "the deviation of approx_count_distinct is 0.001; it must be at least 0.01",
        ),
        (
            "percentile_approx(amount, 0.5, 9999999)",
            "the accuracy of percentile_approx is 9999999; it must be a number in the query,"
            " at most 1,000,000",
        ),
    ],
)
def test_too_much_of_it_is_told(call: str, message: str) -> None:
    assert message in str(claimed(f"SELECT MAX(x) FROM (SELECT {call} AS x FROM orders)"))


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
