"""What the codes of findings mean, for people who filter by them or read them in another tool.

>>> describe("unknown-column")
'A column is named that the contract does not declare.'
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

DESCRIPTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "asset-key": "A contract's asset key cannot be one of Dagster's.",
        "blocking-skipped": "A rule of severity P0 cannot run, so nothing enforces it.",
        "cron": "A schedule is not a usable cron expression of five fields.",
        "duplicate": "A column is declared twice, or two rules say the same.",
        "duplicate-asset": "Two contracts describe one asset.",
        "duplicate-key": "A key is there twice in one mapping.",
        "empty": "The contract has no schema object, so there is nothing to check.",
        "file": "A directory holds no contract, or a link leads out of it.",
        "format": "A format only describes its column; nothing is checked.",
        "nested": "A promise stands inside a struct, where it is documentation.",
        "null-value": "Null stands in a list of values where it changes nothing.",
        "number": "A number is too long, too large, or not finite.",
        "parameter": "A parameter of a check is missing, or has a value that it cannot have.",
        "portability": "It works here, but other ODCS tools will not understand it.",
        "primary-key": "The positions of the primary key's columns do not count up from 1.",
        "quality": "A quality rule is incomplete, or contradicts itself.",
        "regex": "A pattern is not a regular expression that Java accepts.",
        "relationship": "A relationship leads nowhere, or its two sides do not fit.",
        "schema": "The structure is not that of a contract: a key is missing, or a value wrong.",
        "scope": "A check of the table stands at a column.",
        "senseless": "A threshold is satisfied by every table, or by none.",
        "severity": "A severity is not a known word; the default is used.",
        "skipped": "A rule cannot run here, and is skipped.",
        "sla": "A service level is wrong, or cannot be enforced.",
        "sql": "The query of a rule cannot be read, or gives nothing that can be judged.",
        "sql-dialect": "In which dialect a query is written was guessed, or is unknown.",
        "sql-refused": "A query holds something that no rule may do.",
        "threshold": "The value of an operator makes no sense, or there are two operators.",
        "too-many": "A file has too many errors to list.",
        "type": "A type is unknown, or is not one that the check works on.",
        "unit": "A unit is unknown, or does not fit the metric.",
        "unknown-check": "A metric or check has a name that is not in the vocabulary.",
        "unknown-column": "A column is named that the contract does not declare.",
        "unknown-key": "A key is not known at its place.",
        "unknown-table": "A query names a table that none of the contracts has.",
        "value-type": "A constant does not have the type of its column.",
        "yaml": "The file cannot be read, or is not YAML that a contract may use.",
    }
)
"""One sentence for each code. A test holds it complete."""


def describe(code: str) -> str:
    """The sentence about a code; of a code without one, the code itself."""
    return DESCRIPTIONS.get(code, code)
