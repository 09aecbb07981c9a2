"""YAML files → documents: plain data, and the line and column of everything in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract.parsed import line, parsed, refused
from dqx_dagster.contract.document import load_document, parse_document
from dqx_dagster.errors import ContractValidationError


class TestPlaces:
    def test_every_key_and_list_item_has_its_line_and_column(self) -> None:
        document = parsed("""\
            kind: DataContract
            # a comment

            schema:
              - name: orders
                tags: [a, b]
            """)
        assert document.root == {
            "kind": "DataContract",
            "schema": [{"name": "orders", "tags": ["a", "b"]}],
        }
        assert dict(document.positions) == {
            (): (1, 1),
            ("kind",): (1, 1),
            ("schema",): (4, 1),
            ("schema", 0): (5, 5),
            ("schema", 0, "name"): (5, 5),
            ("schema", 0, "tags"): (6, 5),
            ("schema", 0, "tags", 0): (6, 12),
            ("schema", 0, "tags", 1): (6, 15),
        }

    def test_an_origin_names_file_line_column_and_path(self) -> None:
        origin = parsed("schema:\n- name: orders\n").origin("schema", 0, "name")
        assert str(origin) == "x.yaml:2:3"
        assert origin.yaml_path == "schema[0].name"

    def test_what_the_file_does_not_spell_out_is_at_its_nearest_ancestor(self) -> None:
        document = parsed("schema:\n- name: orders\n")
        origin = document.origin("schema", 0, "quality", 3)
        assert (origin.line, origin.column) == (2, 3)
        assert origin.yaml_path == "schema[0].quality[3]"

    def test_columns_count_characters_not_bytes(self) -> None:
        document = parsed("größe: {ü: 1, 😀: 2}\n")
        assert document.positions["größe", "ü"] == (1, 9)
        assert document.positions["größe", "😀"] == (1, 15)

    def test_lines_are_counted_with_any_line_ending(self) -> None:
        document = parse_document("a: 1\r\nb: |\r\n  c: 1\r\nd: 2\r\n", "x.yaml")
        assert document.root == {"a": 1, "b": "c: 1\n", "d": 2}
        assert document.positions["d",] == (4, 1)
        assert str(document.embedded("b").origin("c")) == "x.yaml:3:3"

    def test_a_mapping_with_a_question_mark_is_placed_at_its_key(self) -> None:
        assert parsed("? name\n: orders\n").positions["name",] == (1, 3)


class TestYamlInsideStrings:
    """`implementation: |` holds YAML; its lines are those of the file around it."""

    def test_lines_and_columns_are_those_of_the_file(self) -> None:
        document = parsed("""\
            quality:
            - implementation: |
                check: whitelist
                values:
                - a
            """)
        inside = document.embedded("quality", 0, "implementation")
        assert inside.root == {"check": "whitelist", "values": ["a"]}
        assert str(inside.origin("check")) == "x.yaml:3:5"
        assert str(inside.origin("values", 0)) == "x.yaml:5:7"
        path = inside.origin("values", 0).yaml_path
        assert path == "quality[0].implementation.values[0]"

    @pytest.mark.parametrize("style", ["|", "|-", "|+", "| # a comment"])
    def test_every_form_of_a_block_knows_its_place(self, style: str) -> None:
        document = parse_document(f"a: {style}\n   check: x\nb: 1\n", "x.yaml")
        assert str(document.embedded("a").origin("check")) == "x.yaml:2:4"

    def test_blank_lines_before_the_text_count(self) -> None:
        document = parse_document("a: |\n\n  check: x\n", "x.yaml")
        assert str(document.embedded("a").origin("check")) == "x.yaml:3:3"

    def test_an_explicit_indentation_leaves_the_column_right(self) -> None:
        document = parse_document("a: |2\n    check: x\n", "x.yaml")
        assert str(document.embedded("a").origin("check")) == "x.yaml:2:5"

    @pytest.mark.parametrize("style", ["'check: x'", '"check: x"', ">\n  check: x"])
    def test_a_text_on_one_line_or_folded_is_where_its_key_is(self, style: str) -> None:
        document = parse_document(f"z: 1\na: {style}\n", "x.yaml")
        assert str(document.embedded("a").origin("check")) == "x.yaml:2:1"

    def test_an_error_inside_is_placed_in_the_file(self) -> None:
        document = parse_document("a: |\n  check: x\n  check: y\n", "x.yaml")
        with pytest.raises(ContractValidationError) as caught:
            document.embedded("a")
        [error] = caught.value.errors
        assert line(error) == "3:3: the key 'check' is there twice, first in line 2"
        assert error.origin.path == ("a", "check")

    def test_broken_yaml_inside_is_placed_in_the_file(self) -> None:
        document = parse_document("z: 1\na: |\n  check: [x\n", "x.yaml")
        with pytest.raises(ContractValidationError) as caught:
            document.embedded("a")
        assert caught.value.origin.line in (3, 4)
        assert caught.value.origin.path == ("a",)


class TestWholeFiles:
    @pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n", "~\n"])
    def test_an_empty_file_says_so(self, text: str) -> None:
        [error] = refused(text)
        assert error.endswith("a contract must be a YAML mapping; the file is empty")

    @pytest.mark.parametrize(
        ("text", "what"),
        [
            ("- a\n- b\n", "a list"),
            ("[]\n", "a list"),
            ("text\n", "the value 'text'"),
            ("5\n", "the value 5"),
            ("''\n", "the value ''"),
        ],
    )
    def test_a_contract_is_a_mapping(self, text: str, what: str) -> None:
        assert refused(text) == [f"1:1: a contract must be a YAML mapping; found {what}"]

    @pytest.mark.parametrize(
        ("text", "line"), [("a: 1\n---\nb: 2\n", 2), ("---\na: 1\n---\n", 3), ("a: 1\n---\n", 2)]
    )
    def test_a_second_document_is_refused(self, text: str, line: int) -> None:
        assert refused(text) == [f"{line}:1: a second YAML document; a contract file holds one"]

    @pytest.mark.parametrize("text", ["---\na: 1\n", "a: 1\n...\n", "%YAML 1.2\n---\na: 1\n"])
    def test_one_document_may_have_its_marks(self, text: str) -> None:
        assert parse_document(text, "x.yaml").root == {"a": 1}

    def test_text_that_is_not_yaml_is_placed(self) -> None:
        [error] = refused("a: 1\nb: 'open\n")
        assert error.split(":")[0] in {"2", "3"}
        assert "not valid YAML" in error

    @pytest.mark.parametrize(
        "text", ["a:\n\t- b\n", "a: @x\n", "a: `x`\n", "a: b: c\n", "a: 1\n b: 2\n"]
    )
    def test_broken_yaml_is_one_error(self, text: str) -> None:
        [error] = refused(text)
        assert "not valid YAML" in error

    def test_all_errors_come_at_once(self) -> None:
        assert refused("a: [.inf]\nb: 1\nb: 2\n3: !x y\n") == [
            "1:5: .inf is not a finite number; quote it if it is a text",
            "3:1: the key 'b' is there twice, first in line 2",
            "4:1: the key 3 must be a text; quote it",
            "4:4: the tag !x is not allowed in a contract",
        ]

    def test_a_byte_order_mark_is_no_character(self, tmp_path: Path) -> None:
        path = tmp_path / "x.yaml"
        path.write_bytes(b"\xef\xbb\xbfa: 1\n")
        document = load_document(path)
        assert document.root == {"a": 1}
        assert str(document.origin("a")) == "x.yaml:1:1"

    def test_findings_call_a_file_what_the_caller_calls_it(self, tmp_path: Path) -> None:
        path = tmp_path / "x.yaml"
        path.write_text("a: 1\n")
        assert load_document(path, "contracts/x.yaml").origin("a").file == "contracts/x.yaml"
