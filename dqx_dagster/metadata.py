"""What people see in Dagster's UI: descriptions, results, and what a contract says of its asset."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import dagster as dg

from dqx_dagster.checks.rule import Rule, Skipped
from dqx_dagster.checks.samples import Samples, together
from dqx_dagster.checks.verdict import Verdict, allowed
from dqx_dagster.checks.vocabulary import Unit
from dqx_dagster.contract.model import ColumnType, Contract, Dialect, Property
from dqx_dagster.errors import ContractWarning, Origin

_LARGEST: Final = 2**63 - 1
_EMAIL: Final = re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,7}\Z")
_TAG: Final = re.compile(r"[A-Za-z0-9_.-]{1,63}\Z")
_SHARES: Final = (Unit.SHARE, Unit.PERCENT)
_CODE_REFERENCES: Final = "dagster/code_references"

CONTRACT: Final = "dqx_dagster/contract"
"""The file and line of a contract, in the metadata of its asset and of its checks."""

FAILING_ROWS: Final = "failing_rows"
"""Some rows that break a rule, in the metadata of its check's result."""


def present(known: Mapping[str, Any]) -> dict[str, Any]:
    """What is known: metadata has no place for None."""
    return {key: value for key, value in known.items() if value is not None}


def number(value: int | float | str | None) -> Any:
    """A value as Dagster's metadata can hold it: what is no plain number becomes a text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and abs(value) > _LARGEST:
        return str(value)
    return value


# Checks


def check_description(rule: Rule) -> str:
    """A rule in Markdown: what must hold, how much it matters, and where the contract says so."""
    title = rule.title if rule.title and " " in rule.title else None  # else it is the check's name
    what = rule.description or title
    head = f"{_escaped(what)}\n\n" if what else ""
    named = rule.claim.counted is None  # what is no count of rows names its column itself
    subject = f"{_code(rule.column)}: " if rule.column and not named else ""
    says = f"{subject}{_escaped(_measured(rule))}; {_escaped(allowed(rule.claim))}"
    effect = " (blocks downstream)" if rule.blocking else " (warns)" if rule.claim.threshold else ""
    word = f"{rule.word}({rule.given})" if rule.given else rule.word
    place = f"**{rule.severity.value}**{effect} · {_code(place_of(rule))} · {_code(word)}"
    return f"{head}{says}\n\n{place}"


def _measured(rule: Rule) -> str:
    """What is measured, as a noun."""
    match rule.claim.unit:
        case Unit.ROWS | Unit.SHARE | Unit.PERCENT:
            return f"rows that {rule.claim.says}"
        case Unit.COLUMNS:
            return f"columns that {rule.claim.says}"
        case Unit.HOURS:
            return f"age of {rule.claim.says}"
        case Unit.PERIODS:
            return f"{rule.claim.says} periods without rows"
        case Unit.VALUE | Unit.TRUTH:
            return rule.claim.says


def check_spec_metadata(rule: Rule) -> dict[str, Any]:
    """What other programs may want to know about a check."""
    known = {
        "severity": rule.severity.value,
        "word": rule.word,
        "column": rule.column,
        "dimension": rule.dimension,
        "contract": place_of(rule),
    }
    return {f"dqx_dagster/{key}": value for key, value in present(known).items()}


def place_of(rule: Rule) -> str:
    """The file and line of the contract."""
    return shown(rule.origin)


def shown(origin: Origin) -> str:
    """A place as people read it: of an absolute path the folder and the file are enough.

    >>> shown(Origin("/shop/contracts/orders.yaml", 7)), shown(Origin("orders.yaml", 7))
    ('contracts/orders.yaml:7', 'orders.yaml:7')
    """
    path = Path(origin.file)
    short = "/".join(path.parts[-2:]) if path.is_absolute() else origin.file
    return f"{short}:{origin.line}"


def result_metadata(verdict: Verdict) -> dict[str, Any]:
    """The numbers of a verdict as numbers, so that Dagster plots them."""
    rule = verdict.rule
    known = {
        "outcome": verdict.outcome.value,
        "value": number(_rounded(verdict.actual) if rule.claim.unit in _SHARES else verdict.actual),
        "allowed": allowed(rule.claim).removeprefix("allowed: ") if rule.claim.threshold else None,
        "severity": rule.severity.value,
        "contract": place_of(rule),
        "failed_rows": verdict.failed_rows,
        "failed_fraction": _rounded(verdict.fraction) if rule.claim.counts_failures else None,
        "details": dg.MetadataValue.md("\n".join(f"- {d}" for d in map(_escaped, verdict.details)))
        if verdict.details
        else None,
    }
    return present(known)


def _rounded(share: int | float | str | None) -> int | float | str | None:
    """Six digits, however small it is; the exact share are the failed rows and all rows."""
    return float(f"{share:.6g}") if isinstance(share, float) else share


def failing_rows(samples: Mapping[str, Samples]) -> dict[str, Any]:
    """The rows that break the rules of a check, as a table; or why none are shown."""
    if not samples:
        return {}
    found = together(samples)
    if found.problem:
        return {FAILING_ROWS: found.problem}
    records = [
        dg.TableRecord(dict(zip(found.columns, map(number, row), strict=True)))
        for row in found.rows
    ]
    schema = dg.TableSchema([dg.TableColumn(name, "text") for name in found.columns])
    return {FAILING_ROWS: dg.MetadataValue.table(records, schema)}


# Assets


def asset_metadata(contract: Contract, skipped: Iterable[Skipped]) -> dict[str, Any]:
    """What a contract tells about its asset."""
    left_out = [
        f"- {_code(s.title)}: {_escaped(_why(s))} ({_code(shown(s.origin))})" for s in skipped
    ]
    texts = [f"- {_escaped(rule.text)}" for rule in contract.text_rules]
    known = {
        "dagster/column_schema": column_schema(contract) if contract.properties else None,
        CONTRACT: shown(contract.origin),
        "dqx_dagster/contract_id": contract.id,
        "dqx_dagster/contract_version": contract.version,
        "dqx_dagster/contract_status": contract.status,
        "dqx_dagster/sla": dg.MetadataValue.md(promised) if (promised := _sla(contract)) else None,
        "dqx_dagster/skipped_rules": dg.MetadataValue.md("\n".join(left_out)) if left_out else None,
        "dqx_dagster/text_rules": dg.MetadataValue.md("\n".join(texts)) if texts else None,
    }
    return present(known)


def _why(skipped: Skipped) -> str:
    """The reason alone: the title stands before it."""
    return skipped.reason.rpartition(f"'{skipped.title}': ")[2].removesuffix("; skipping")


def _sla(contract: Contract) -> str:
    """The service levels, one in a line: latencies as they are understood, the rest as written."""
    latencies = [
        f"- latency: {latency.max_age_hours:g} hours"
        + (f" ({_code(latency.timestamp_column)})" if latency.timestamp_column else "")
        for latency in contract.sla_latencies
    ]
    kept = [f"- {_escaped(f'{name}: {_level(v)}')}" for name, v in contract.sla_metadata.items()]
    return "\n".join((*latencies, *kept))


def _level(said: Mapping[str, Any]) -> str:
    """A service level as written: `3 y`, `09:00Z, driver: operational`."""
    amount = " ".join(str(said[key]) for key in ("value", "unit") if key in said)
    rest = (f"{key}: {value}" for key, value in said.items() if key not in ("value", "unit"))
    return ", ".join((amount, *rest))


def column_schema(contract: Contract) -> dg.TableSchema:
    """The declared columns, for the asset's "Columns" tab."""
    key = [prop.column for prop in contract.primary_key]
    other = [f"primary key ({', '.join(key)})"] if len(key) > 1 else []
    return dg.TableSchema(
        columns=[_column(prop, is_key=key == [prop.column]) for prop in contract.properties],
        constraints=dg.TableConstraints(other=other),
    )


def _column(prop: Property, *, is_key: bool) -> dg.TableColumn:
    options = [f"{name}: {argument.value}" for name, argument in prop.options.items()]
    needed = prop.required or prop.primary_key is not None
    return dg.TableColumn(
        prop.column,
        type=_type(prop),
        description=prop.description,
        constraints=dg.TableColumnConstraints(
            nullable=not needed,
            unique=prop.unique or is_key,
            other=[*(["primary key"] if is_key else []), *options],
        ),
        tags={tag: "" for tag in prop.tags if _TAG.match(tag)},
    )


def _type(prop: Property) -> str:
    if prop.type is None:
        return prop.physical_type or "unknown"
    return prop.physical_type or _type_name(prop.type)


def _type_name(type_: ColumnType) -> str:
    return f"{type_.name}<{_type_name(type_.items)}>" if type_.items else type_.name


def code_references(contract: Contract, existing: Mapping[str, Any]) -> dict[str, Any]:
    """The line of the contract beside what the asset already refers to."""
    present = existing.get(_CODE_REFERENCES)
    before = list(present.code_references) if present is not None else []
    path = Path(contract.origin.file).resolve()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)  # Dagster's UI has shown them for years
        reference = dg.LocalFileCodeReference(
            file_path=str(path), line_number=contract.origin.line, label=path.name
        )
        after = before if reference in before else [*before, reference]
        references = dg.CodeReferencesMetadataValue(code_references=after)
    return {_CODE_REFERENCES: references}


def owners(contract: Contract) -> list[str]:
    """The contract's owner as Dagster writes owners: an e-mail address or a team."""
    owner = (contract.owner or "").strip()
    if not owner:
        return []
    return [owner if _EMAIL.match(owner) or owner.startswith("team:") else f"team:{owner}"]


def tags(contract: Contract) -> dict[str, str]:
    """The contract's tags as Dagster writes tags; what cannot be one is left out with a warning.

    A tag like `layer:gold` is the key `layer` with the value `gold`.
    """
    found = {}
    for tag in contract.tags:
        key, _, value = tag.strip().replace(" ", "_").partition(":")
        if _TAG.match(key) and (not value or _TAG.match(value)):
            found[key] = value
        else:
            _warn(contract, f"tag '{tag}' cannot be a tag in Dagster; it is left out")
    return found


def kinds(contract: Contract) -> set[str]:
    """The dialect, as a pill on the asset."""
    return {"odcs" if contract.dialect is Dialect.ODCS else "dqx"}


def description(contract: Contract) -> str | None:
    """The contract's description, and below it the rules that are written for people."""
    texts = [f"- {_escaped(rule.text)}" for rule in contract.text_rules]
    parts = [contract.description or "", "\n".join(texts)]
    return "\n\n".join(part for part in parts if part) or None


def _warn(contract: Contract, text: str) -> None:
    warnings.warn_explicit(text, ContractWarning, contract.origin.file, contract.origin.line)


def _code(text: str) -> str:
    """A text inside Markdown, as it is."""
    return "`" + " ".join(text.replace("`", "'").split()) + "`"


def _escaped(text: str) -> str:
    """A text of a contract inside Markdown: no markup of its own, no lines of its own."""
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", " ".join(text.split()))
