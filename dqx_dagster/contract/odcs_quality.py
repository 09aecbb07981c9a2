"""The `quality:` lists of an ODCS document → `Quality` and `TextRule`.

Decides who is asked to run a rule, and gathers its operators and arguments from the places where
ODCS and the DQX dialect allow them. What the words mean is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dqx_dagster.contract.model import EMPTY, Argument, Quality, RuleKind, TextRule
from dqx_dagster.contract.node import Node
from dqx_dagster.contract.sla import cron_error
from dqx_dagster.contract.standard import DIALECT_KEYS, Version, title
from dqx_dagster.errors import ContractValidationError, Report, close_match

LIBRARY_METRICS: Final = (
    "nullValues",
    "missingValues",
    "invalidValues",
    "duplicateValues",
    "rowCount",
)
ENGINE: Final = "dqx"
OPERATORS: Final = (
    "mustBe",
    "mustNotBe",
    "mustBeGreaterThan",
    "mustBeGreaterOrEqualTo",
    "mustBeLessThan",
    "mustBeLessOrEqualTo",
    "mustBeBetween",
    "mustNotBeBetween",
)


class RuleReader:
    """Collects the rules of one schema object."""

    def __init__(self, report: Report, version: Version, *, strict: bool) -> None:
        """`strict` makes an error of what only the DQX dialect allows."""
        self.quality: list[Quality] = []
        self.texts: list[TextRule] = []
        self._report, self._version, self._strict = report, version, strict

    def read(self, owner: Node, column: tuple[str, ...] | None) -> None:
        """Read the rules that stand at a schema object or a property."""
        for node in owner.nodes("quality"):
            self._rule(node, column)

    def skip_below(self, owner: Node, column: tuple[str, ...], why: str) -> None:
        """Keep the rules of a property that cannot be measured, and say so."""
        for node in owner.nodes("quality"):
            if node.text("type") == "text":
                self._rule(node, column)
            else:
                reason = f"Quality rule '{title(node.data)}': it {why}; skipping"
                self._add(node, column, RuleKind.FOREIGN, None, EMPTY, skipped=reason)
        for key in ("logicalTypeOptions", "enum"):
            if key in owner.data:
                reason = f"{key} of '{owner.text('name') or 'items'}': it {why}; skipping"
                self._add(owner, column, RuleKind.FOREIGN, key, EMPTY, skipped=reason)
        for key in ("properties", "items"):
            below = list(owner.nodes(key)) + ([n] if (n := owner.node(key)) else [])
            for child in below:
                self.skip_below(child, column, why)

    def _rule(self, node: Node, column: tuple[str, ...] | None) -> None:
        schedule, scheduler = node.text("schedule"), node.text("scheduler") or "cron"
        if schedule and scheduler == "cron" and (problem := cron_error(schedule)):
            text = f"Quality rule '{title(node.data)}': schedule '{schedule}': {problem}"
            self._report.warning(node.origin("schedule"), "cron", text)
        match node.text("type") or self._implied_type(node):
            case "text":
                text = node.text("description") or node.text("name") or ""
                self.texts.append(TextRule(text, node.origin(), node.text("name"), column))
            case "sql":
                self._sql(node, column)
            case "custom":
                self._custom(node, column)
            case "library":
                self._library(node, column)
            case _:
                pass  # an unknown type is reported by the structure check

    def _implied_type(self, node: Node) -> str:
        """ODCS says: without a type, a rule is a library rule. Is it?"""
        if "metric" in node.data or "rule" in node.data:
            return "library"
        for key, type_ in (("query", "sql"), ("implementation", "custom")):
            if key in node.data:
                text = f"Quality rule '{title(node.data)}': add type: {type_}, it has a '{key}'"
                self._report.error(node.origin(), "quality", text)
                return ""
        if self._operators(node):
            text = f"Quality rule '{title(node.data)}': add a metric, it has an operator"
            self._report.error(node.origin(), "quality", text)
            return ""
        text = f"Quality rule '{title(node.data)}' has no metric: kept as text, nothing is checked"
        self._report.warning(node.origin(), "quality", text)
        return "text"

    def _library(self, node: Node, column: tuple[str, ...] | None) -> None:
        arguments = self._operators(node)
        metric, rule = node.text("metric"), node.text("rule")
        if metric is None and rule is None:
            text = f"Quality rule '{title(node.data)}': a library rule needs a metric, one of "
            self._report.error(node.origin(), "quality", text + ", ".join(LIBRARY_METRICS))
            return
        if metric is None:
            # Before 3.1.0 the word was `rule`, and its values were free.
            if rule not in LIBRARY_METRICS:
                reason = f"rule '{rule}' is not a library metric of ODCS; skipping"
                reason = f"Quality rule '{title(node.data)}': {reason}"
                self._add(node, column, RuleKind.FOREIGN, rule, arguments, skipped=reason)
                return
            if self._version >= (3, 1, 0):
                self._dialect(node, "rule", "'rule' is deprecated, write 'metric'")
        elif self._version < (3, 1, 0):
            text = "'metric' is a word of ODCS v3.1.0; raise apiVersion"
            self._dialect(node, "metric", text)
        if "query" in node.data:
            text = f"Quality rule '{title(node.data)}': it has a metric and a query; keep one"
            self._report.error(node.origin("query"), "quality", text)
        if not arguments and not _has_typo(node):
            self._dialect(node, None, "without an operator the metric is recorded, never judged")
        given = node.node("arguments")
        found = given.arguments() if given else {}
        for key in DIALECT_KEYS:
            if key in node.data:
                self._dialect(node, key, f"'{key}' belongs under 'arguments'")
                self._once(node, key, found)
                found[key] = node.argument(key)
        self._add(node, column, RuleKind.LIBRARY, metric or rule, arguments | found)

    def _sql(self, node: Node, column: tuple[str, ...] | None) -> None:
        if "metric" in node.data:
            text = (
                f"Quality rule '{title(node.data)}': it is of type sql and has a metric; keep one"
            )
            self._report.error(node.origin("metric"), "quality", text)
        if not node.text("query"):
            text = f"Quality rule '{title(node.data)}': a rule of type sql needs a query"
            self._report.error(node.origin(), "quality", text)
            return
        arguments = self._operators(node)
        if not arguments and not _has_typo(node):
            self._dialect(node, None, "without an operator the result is recorded, never judged")
        arguments["query"] = node.argument("query")
        self._add(node, column, RuleKind.SQL, "sql", arguments)

    def _custom(self, node: Node, column: tuple[str, ...] | None) -> None:
        engine = node.text("engine") or ""
        written = self._implementation(node) if engine.lower() == ENGINE else None
        if engine.lower() != ENGINE or (written and isinstance(written.data.get("check"), dict)):
            # A `check` that is itself a mapping is Databricks Labs DQX, another product.
            reason = f"type 'custom' with engine '{engine}' is not executable in DQX; skipping"
            reason = f"Quality rule '{title(node.data)}': {reason}"
            self._add(node, column, RuleKind.FOREIGN, engine, EMPTY, skipped=reason)
            return
        if written is None:
            return
        arguments = self._operators(node)
        if arguments:
            text = "the operator belongs inside 'implementation'"
            self._dialect(node, next(iter(arguments)), text)
        inside = written.arguments()
        word = inside.pop("check", None)
        if word is None or not isinstance(word.value, str):
            text = f"Quality rule '{title(node.data)}': 'implementation' must name a check"
            self._report.error(written.origin("check"), "quality", text)
            return
        for key in arguments:
            self._once(node, key, inside)
        self._add(node, column, RuleKind.DQX, word.value, inside | arguments)

    def _implementation(self, node: Node) -> Node | None:
        """The mapping below `implementation`, also where it is YAML inside a string."""
        if inline := node.node("implementation"):
            return inline
        if node.text("implementation") is None:
            text = f"Quality rule '{title(node.data)}': 'implementation' must say what to check"
            self._report.error(node.origin("implementation"), "quality", text)
            return None
        try:
            return Node.root(node.document.embedded(*node.path, "implementation"))
        except ContractValidationError as error:
            for finding in error.errors:
                text = f"Quality rule '{title(node.data)}': implementation: {finding.message}"
                self._report.error(finding.origin, finding.code, text)
            return None

    def _operators(self, node: Node) -> dict[str, Argument]:
        return {key: node.argument(key) for key in OPERATORS if key in node.data}

    def _once(self, node: Node, key: str, other: dict[str, Argument]) -> None:
        if key in other:
            text = f"Quality rule '{title(node.data)}': '{key}' is given in two places, "
            text += f"also in line {other[key].origin.line}"
            self._report.error(node.origin(key), "quality", text)

    def _dialect(self, node: Node, key: str | None, what: str) -> None:
        """Say that a rule is not portable ODCS."""
        origin = node.origin(key) if key else node.origin()
        text = f"Quality rule '{title(node.data)}' is not portable ODCS: {what}"
        add = self._report.error if self._strict else self._report.note
        add(origin, "portability", text)

    def _add(
        self,
        node: Node,
        column: tuple[str, ...] | None,
        kind: RuleKind,
        word: str | None,
        arguments: Mapping[str, Argument],
        *,
        skipped: str | None = None,
    ) -> None:
        self.quality.append(
            Quality(
                kind=kind,
                word=word,
                origin=node.origin(),
                column=column,
                id=node.text("id"),
                name=node.text("name"),
                description=node.text("description"),
                severity=node.text("severity"),
                dimension=node.text("dimension"),
                unit=node.argument("unit") if "unit" in node.data else None,
                scope=node.custom_property("scope"),
                failing_rows=node.custom_property("failingRows"),
                tags=node.texts("tags"),
                arguments=arguments,
                skipped=skipped,
            )
        )


def _has_typo(node: Node) -> bool:
    """Whether an operator is meant but misspelt, which the structure check reports."""
    return any(key not in OPERATORS and close_match(key, OPERATORS) for key in node.data)
