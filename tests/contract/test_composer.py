"""YAML text → plain data: what scalars, keys, anchors and tags mean in a contract."""

from __future__ import annotations

import pytest

from contract.parsed import parsed, refused, value
from dqx_dagster.contract.document import parse_document
from dqx_dagster.errors import ContractValidationError


class TestScalars:
    """Unquoted scalars mean what YAML 1.2 says, without its traps."""

    @pytest.mark.parametrize(
        "text", ["NO", "no", "yes", "Yes", "on", "ON", "off", "y", "n", "tRUE", "nULL"]
    )
    def test_only_true_and_false_are_booleans(self, text: str) -> None:
        assert value(text) == text

    @pytest.mark.parametrize("text", ["true", "True", "TRUE"])
    def test_true(self, text: str) -> None:
        assert value(text) is True

    @pytest.mark.parametrize("text", ["false", "False", "FALSE"])
    def test_false(self, text: str) -> None:
        assert value(text) is False

    @pytest.mark.parametrize("text", ["", "~", "null", "Null", "NULL", "# only a comment"])
    def test_null(self, text: str) -> None:
        assert value(text) is None

    @pytest.mark.parametrize(
        "text", ["2024-01-01", "2024-13-45", "2024-01-01T25:00:00Z", "2024-01-01 10:00:00", "12:30"]
    )
    def test_dates_and_times_stay_text(self, text: str) -> None:
        assert value(text) == text

    @pytest.mark.parametrize(
        "text",
        ["010", "00", "-010", "1_000", "12:30:45", "0x1F", "0o17", "0b1", "1.2.3", "1e", ".", "+"],
    )
    def test_what_only_looks_like_a_number_stays_text(self, text: str) -> None:
        assert value(text) == text

    @pytest.mark.parametrize(
        ("text", "number"), [("0", 0), ("7", 7), ("+7", 7), ("-7", -7), ("9" * 38, 10**38 - 1)]
    )
    def test_integers(self, text: str, number: int) -> None:
        assert value(text) == number
        assert type(value(text)) is int

    @pytest.mark.parametrize(
        ("text", "number"),
        [("1e3", 1000), ("1E3", 1000), ("1.", 1), (".5", 0.5), ("-1.5e-3", -0.0015), ("1.10", 1.1)],
    )
    def test_floats(self, text: str, number: float) -> None:
        assert value(text) == number
        assert type(value(text)) is float

    @pytest.mark.parametrize("text", ["5", "true", "null", "2024-01-01", "", ".nan", "1e400"])
    @pytest.mark.parametrize("quote", ["'", '"'])
    def test_a_quoted_scalar_is_text(self, text: str, quote: str) -> None:
        assert value(f"{quote}{text}{quote}") == text

    @pytest.mark.parametrize("text", [".nan", ".NaN", ".NAN", ".inf", "-.inf", "+.Inf", ".INF"])
    def test_numbers_that_are_not_finite_are_refused(self, text: str) -> None:
        expected = f"1:6: {text} is not a finite number; quote it if it is a text"
        assert refused(f"key: {text}\n") == [expected]

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("1e400", "1e400 is too large for a number"),
            ("-1.0e+400", "-1.0e+400 is too large for a number"),
            ("9" * 39, f"{'9' * 20}… has more than 38 digits"),
            ("9" * 5000, f"{'9' * 20}… has more than 38 digits"),
        ],
    )
    def test_numbers_beyond_what_spark_holds_are_refused(self, text: str, why: str) -> None:
        assert refused(f"key: {text}\n") == [f"1:6: {why}"]

    def test_the_path_of_a_refused_scalar_is_its_own(self) -> None:
        with pytest.raises(ContractValidationError) as caught:
            parse_document("a:\n  b: .nan\n", "x.yaml")
        assert caught.value.origin.yaml_path == "a.b"


class TestKeys:
    def test_a_key_twice_is_an_error_that_names_both_lines(self) -> None:
        assert refused("a: 1\nb: 2\na: 3\na: 4\n") == [
            "3:1: the key 'a' is there twice, first in line 1",
            "4:1: the key 'a' is there twice, first in line 1",
        ]

    def test_a_key_twice_in_flow_style(self) -> None:
        assert refused("x: {a: 1, a: 2}\n") == ["1:11: the key 'a' is there twice, first in line 1"]

    def test_the_same_key_in_different_mappings_is_fine(self) -> None:
        assert parsed("a: {a: 1}\nb: {a: 2}\n").root == {"a": {"a": 1}, "b": {"a": 2}}

    @pytest.mark.parametrize("key", ["1", "1.5", "true", "~", "null"])
    def test_keys_must_be_texts(self, key: str) -> None:
        assert refused(f"{key}: a\n") == [f"1:1: the key {key} must be a text; quote it"]

    def test_an_empty_key_is_refused(self) -> None:
        assert refused("? \n: a\n") == ["1:2: the key null must be a text; quote it"]

    @pytest.mark.parametrize("key", ["[a]", "{a: 1}", "[]"])
    def test_a_list_or_mapping_is_no_key(self, key: str) -> None:
        assert refused(f"{key}: a\n") == ["1:1: a list or mapping cannot be a key"]

    @pytest.mark.parametrize("key", ["NO", "2024-01-01", "010", "__class__", "$ref", "'1'", "' '"])
    def test_every_text_may_be_a_key(self, key: str) -> None:
        assert parsed(f"{key}: a\n").root == {key.strip("'"): "a"}


class TestAnchors:
    def test_an_alias_repeats_its_value(self) -> None:
        document = parsed("a: &x [1, 2]\nb: *x\nc: &y text\nd: *y\n")
        assert document.root == {"a": [1, 2], "b": [1, 2], "c": "text", "d": "text"}

    def test_what_stands_below_an_alias_is_placed_at_the_alias(self) -> None:
        document = parsed("a: &x {k: [1]}\nb: *x\nc: [*x]\n")
        assert str(document.origin("a", "k", 0)) == "x.yaml:1:12"
        assert str(document.origin("b", "k", 0)) == "x.yaml:2:1"
        assert str(document.origin("c", 0, "k")) == "x.yaml:3:5"

    def test_an_alias_without_anchor_is_refused(self) -> None:
        assert refused("a: *x\n") == ["1:4: the alias *x has no anchor"]

    @pytest.mark.parametrize("text", ["a: &x [*x]\n", "a: &x {b: [1, {c: *x}]}\n"])
    def test_an_alias_inside_its_own_anchor_is_refused(self, text: str) -> None:
        [error] = refused(text)
        assert error.endswith("the alias *x contains itself")

    def test_the_last_anchor_of_a_name_counts(self) -> None:
        assert parsed("a: &x 1\nb: &x 2\nc: *x\n").root == {"a": 1, "b": 2, "c": 2}

    def test_a_block_text_behind_an_alias_is_placed_at_the_alias(self) -> None:
        document = parse_document("a: &x |\n  check: y\nb: *x\n", "x.yaml")
        assert str(document.embedded("a").origin("check")) == "x.yaml:2:3"
        assert str(document.embedded("b").origin("check")) == "x.yaml:3:1"


class TestMergeKeys:
    def test_a_merge_fills_in_what_is_not_there(self) -> None:
        document = parsed("""\
            base: &base {x: 1, y: 2}
            before: {<<: *base, y: 3}
            after: {y: 4, <<: *base}
            """)
        assert document.root["before"] == {"x": 1, "y": 3}
        assert document.root["after"] == {"x": 1, "y": 4}

    def test_a_mapping_may_be_merged_in_place(self) -> None:
        assert parsed("a: {<<: {x: 1}, y: 2}\n").root == {"a": {"x": 1, "y": 2}}

    def test_of_several_mappings_the_first_wins(self) -> None:
        document = parsed("""\
            a: &a {x: 1}
            b: &b {x: 2, y: 3}
            c: {<<: [*a, *b], z: 4}
            """)
        assert document.root["c"] == {"x": 1, "y": 3, "z": 4}

    def test_a_merge_of_a_merge(self) -> None:
        document = parsed("a: &a {x: 1}\nb: &b {<<: *a, y: 2}\nc: {<<: *b}\n")
        assert document.root["c"] == {"x": 1, "y": 2}

    def test_merging_does_not_change_the_source(self) -> None:
        assert parsed("a: &a {x: 1}\nb: {<<: *a, y: 2}\n").root["a"] == {"x": 1}

    @pytest.mark.parametrize("source", ["1", "text", "[1]", "[{x: 1}, 2]", "null"])
    def test_only_mappings_can_be_merged(self, source: str) -> None:
        [error] = refused(f"a: {{<<: {source}}}\n")
        assert error.endswith("'<<' merges mappings; here it has something else")


class TestTags:
    def test_a_number_can_be_tagged_as_text(self) -> None:
        assert value("!!str 5") == "5"
        assert value("! 5") == "5"

    def test_the_tags_of_plain_lists_and_mappings_change_nothing(self) -> None:
        assert value("!!seq [1]") == [1]
        assert value("!!map {a: 1}") == {"a": 1}

    @pytest.mark.parametrize(
        ("text", "tag"),
        [
            ("!!int 5", "tag:yaml.org,2002:int"),
            ("!!int foo", "tag:yaml.org,2002:int"),
            ("!!int ''", "tag:yaml.org,2002:int"),
            ("!!bool foo", "tag:yaml.org,2002:bool"),
            ("!!float x", "tag:yaml.org,2002:float"),
            ("!!timestamp x", "tag:yaml.org,2002:timestamp"),
            ("!!binary aGk=", "tag:yaml.org,2002:binary"),
            ("!!set {a}", "tag:yaml.org,2002:set"),
            ("!!omap [a: 1]", "tag:yaml.org,2002:omap"),
            ("!x 1", "!x"),
            (
                "!!python/object/apply:os.system [ls]",
                "tag:yaml.org,2002:python/object/apply:os.system",
            ),
        ],
    )
    def test_every_other_tag_is_refused(self, text: str, tag: str) -> None:
        assert refused(f"key: {text}\n") == [f"1:6: the tag {tag} is not allowed in a contract"]

    @pytest.mark.parametrize("text", ["!!int 5: a", "!!python/name:os.system kind: a", "!x a: 1"])
    def test_a_tag_on_a_key_is_refused(self, text: str) -> None:
        [error] = refused(f"{text}\n")
        assert error.startswith("1:1: the tag ")
