"""The ODCS JSON Schema: prepared for good messages and speed, and its errors explained.

The schema comes from the package `open-data-contract-standard`. It is prepared in three ways:

* closed objects: `unevaluatedProperties` is rewritten to `additionalProperties`, which says the
  same here, costs a tenth, and gives one error per unknown key;
* the branches on `logicalType` become one keyword. This also repairs the published schema, whose
  branch for `map` fires on every property that has no logicalType at all;
* quality rules are left to our own reader, which knows the words, gives the messages that the
  specification fixes, and accepts the DQX dialect. `check_portable` puts the published ones back.
"""

from __future__ import annotations

import copy
import functools
import json
import re
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any, NamedTuple

import jsonschema
from jsonschema.exceptions import ValidationError

from dqx_dagster.contract.document import Document
from dqx_dagster.errors import Report, YamlPath, close_match, did_you_mean

SUPPORTED = ("v3.0.0", "v3.0.1", "v3.0.2", "v3.1.0", "v3.2.0")
DIALECT_KEYS = ("validValues", "pattern")
"""Keys that the DQX dialect reads at the level of a rule, and ODCS under `arguments`."""

_SHOWN = 60
_SUBJECTS: Mapping[str | int, str] = {
    "properties": "Property",
    "quality": "Quality rule",
    "columns": "Column",
    "checks": "Check",
}
_TYPES = {"string": "a text", "number": "a number", "integer": "a whole number"}
_TYPES |= {"boolean": "true or false", "array": "a list", "object": "a mapping", "null": "null"}


class Version(NamedTuple):
    """An apiVersion, comparable."""

    major: int
    minor: int
    patch: int

    @classmethod
    def parse(cls, text: object) -> Version | None:
        """The version that `text` names, or None where it is not a supported one."""
        if text not in SUPPORTED:
            return None
        return cls(*map(int, str(text)[1:].split(".")))


def check_structure(document: Document, report: Report, *, lax: bool) -> None:
    """Report everything in the document that the JSON Schema does not allow.

    ODCS 3.0.x had open objects: with `lax`, an unknown key that is no typo is only a warning.
    """
    for error in _validator(published_rules=False).iter_errors(document.root):
        explain(document, error, report, lax=lax)


def check_portable(document: Document, report: Report) -> None:
    """Report quality rules that the published JSON Schema refuses, where nothing else did."""
    faulty = {finding.origin.path for finding in report.errors}
    for error in _validator(published_rules=True).iter_errors(document.root):
        path: YamlPath = tuple(error.absolute_path)
        if not any(other[: len(path)] == path or path[: len(other)] == other for other in faulty):
            text = f"{subject(document, path)}the published ODCS schema refuses it: {_why(error)}"
            report.error(document.origin(*path), "portability", text)


def _why(error: ValidationError) -> str:
    """A short reason; the library's own texts repeat the whole rule."""
    if error.validator == "unevaluatedProperties":
        keys = re.findall(r"'(\w+)'", error.message)
        return f"{', '.join(keys)} may not stand here"
    if error.validator == "oneOf":
        return "it needs exactly one operator, with a value that fits"
    return _sentence(error, tuple(error.absolute_path))


@functools.cache
def _validator(*, published_rules: bool) -> Any:
    source = resources.files("open_data_contract_standard") / "schema.json"
    schema = json.loads(source.read_text("utf-8"))
    base = jsonschema.validators.validator_for(schema)
    kind: Any = jsonschema.validators.extend(  # type: ignore[no-untyped-call]
        base, {"byLogicalType": _by_logical_type}
    )
    return kind(_prepared(schema, published_rules=published_rules))


def _prepared(schema: dict[str, Any], *, published_rules: bool) -> dict[str, Any]:
    prepared = copy.deepcopy(schema)
    for name, node in (("", prepared), *prepared["$defs"].items()):
        if published_rules and name == "DataQuality":
            continue
        if node.pop("unevaluatedProperties", None) is False:
            known = dict.fromkeys(_keys(schema["$defs"].get(name, schema), schema), True)
            node["properties"] = known | node.get("properties", {})
            node["additionalProperties"] = False
    if not published_rules:
        rule = prepared["$defs"]["DataQuality"]
        del rule["allOf"]
        rule["properties"] |= dict.fromkeys(DIALECT_KEYS, True)
    column = prepared["$defs"]["SchemaBaseProperty"]
    element, *branches = column["allOf"]
    column["allOf"] = [element]
    column["byLogicalType"] = {
        name: branch["then"] for branch in branches for name in _constants(branch["if"])
    }
    _inline(prepared, prepared["$defs"])
    return prepared


def _inline(node: Any, definitions: Mapping[str, Any]) -> None:
    """Put what `$ref` means in its place: looking it up each time takes a third of the time."""
    children = node.items() if isinstance(node, dict) else enumerate(node)
    for key, child in list(children):
        if isinstance(child, dict) and set(child) <= {"$ref", "description", "deprecated"}:
            name = child.get("$ref", "").removeprefix("#/$defs/")
            if name in definitions:
                node[key] = definitions[name]
                continue
        if isinstance(child, dict | list):
            _inline(child, definitions)


def _keys(node: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    """Every key that an object of this schema may have, through references and branches."""
    yield from node.get("properties", {})
    if reference := node.get("$ref"):
        target: Any = schema
        for part in reference.removeprefix("#/").split("/"):
            target = target[part]
        yield from _keys(target, schema)
    for keyword in ("allOf", "anyOf", "oneOf"):
        for part in node.get(keyword, ()):
            yield from _keys(part, schema)
    if "then" in node:
        yield from _keys(node["then"], schema)


def _constants(condition: Mapping[str, Any]) -> Iterator[str]:
    for option in condition.get("anyOf", [condition]):
        yield option["properties"]["logicalType"]["const"]


def _by_logical_type(
    validator: Any,
    branches: Mapping[str, Any],
    instance: Any,
    _schema: object,
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        name = instance.get("logicalType")
        if isinstance(name, str) and name in branches:
            yield from validator.descend(instance, branches[name], schema_path=name)


def explain(
    document: Document, error: ValidationError, report: Report, *, lax: bool = False
) -> None:
    """Report one JSON Schema error in words that help."""
    path: YamlPath = tuple(error.absolute_path)
    about = subject(document, path)
    match error.validator:
        case "required":
            report.error(document.origin(*path), "schema", f"{about}{error.message}")
        case "additionalProperties":
            _explain_keys(document, error, report, lax=lax)
        case "anyOf" | "oneOf" if branch := _meant_branch(error):
            for inner in branch:
                explain(document, inner, report, lax=lax)
        case _:
            report.error(document.origin(*path), "schema", f"{about}{_sentence(error, path)}")


def _meant_branch(error: ValidationError) -> list[ValidationError]:
    """Of several allowed forms, the errors of the one that was meant: its type fits the value."""
    branches: dict[object, list[ValidationError]] = {}
    for inner in error.context or ():
        branches.setdefault(inner.schema_path[0], []).append(inner)
    fitting = [
        errors
        for errors in branches.values()
        if not any(
            inner.validator in ("type", "const", "enum") and not inner.path for inner in errors
        )
    ]
    return min(fitting, key=len, default=[])


def _explain_keys(document: Document, error: ValidationError, report: Report, *, lax: bool) -> None:
    path: YamlPath = tuple(error.absolute_path)
    schema: Any = error.schema
    instance: Any = error.instance
    about, known = subject(document, path), schema.get("properties", {})
    for key in sorted(set(instance) - set(known)):
        origin = document.origin(*path, key)
        text = f"{about}unknown key '{key}'{did_you_mean(key, known)}"
        if lax and close_match(key, known) is None:
            report.warning(origin, "unknown-key", text)
        else:
            report.error(origin, "unknown-key", text)


def _sentence(error: ValidationError, path: YamlPath) -> str:
    key, value = _last_key(path), error.instance
    expected: Any = error.validator_value
    match error.validator:
        case "enum" if key == "logicalType":
            return f"unknown logicalType '{value}'{did_you_mean(str(value), expected)}"
        case "enum" | "const":
            allowed = expected if error.validator == "enum" else [expected]
            words = ", ".join(f"'{word}'" for word in allowed)
            hint = did_you_mean(str(value), map(str, allowed))
            return f"'{key}' must be one of {words}; found {shown(value)}{hint}"
        case "type":
            names = [expected] if isinstance(expected, str) else expected
            wanted = " or ".join(_TYPES[name] for name in names)
            fix = ": quote it" if names == ["string"] and isinstance(value, int | float) else ""
            return f"'{key}' must be {wanted}; found {shown(value)}{fix}"
        case "pattern":
            return f"'{key}' must match {expected}; found {shown(value)}"
        case "anyOf" | "oneOf" if error.context:
            forms = dict.fromkeys(_sentence(inner, path) for inner in error.context)
            return f"'{key}' has none of the allowed forms: {', or '.join(forms)}"
        case _:
            return f"'{key}': {error.message.replace(repr(value), shown(value))}"


def _last_key(path: YamlPath) -> str:
    return next((part for part in reversed(path) if isinstance(part, str)), "document")


def shown(value: object) -> str:
    """A value of a contract as a message shows it: short, and with its type visible."""
    match value:
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
        case list():
            text = f"[{', '.join(shown(item) for item in value[:5])}{', …' * (len(value) > 5)}]"
        case dict():
            text = "a mapping"
        case _:
            text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def subject(document: Document, path: YamlPath) -> str:
    """Who a message at `path` is about, as the start of its sentence."""
    for length in range(len(path), 1, -1):
        group, index = path[length - 2], path[length - 1]
        if isinstance(index, int) and group in _SUBJECTS:
            node = document.root_at(path[:length])
            label = title(node) if isinstance(node, dict) else f"#{index + 1}"
            return f"{_SUBJECTS[group]} '{label}': "
    return ""


def title(node: Mapping[str, Any]) -> str:
    """How messages name a rule or a property: by the first of these that it has."""
    keys = ("name", "id", "description", "metric", "rule", "engine", "type")
    texts = (node.get(key) for key in keys)
    return next((text for text in texts if isinstance(text, str) and text.strip()), "unnamed")
