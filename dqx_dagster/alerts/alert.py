"""`CheckAlert`: one piece of news about one check of a contract."""

from __future__ import annotations

import datetime as dt
import enum
import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import dagster as dg

from dqx_dagster.checks.rule import Severity

MAX_SENTENCE: Final = 300
"""Of a line for people: a check for a whole schema may say what is wrong with a hundred columns."""


class AlertStatus(enum.Enum):
    """What has happened to a check."""

    FAILED = "failed"
    RECOVERED = "recovered"  # it passes again
    NOT_EVALUATED = "not evaluated"  # its run ended before it had a result


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAlert:
    """News about a check. Of the data it holds only what the result's own sentence says."""

    asset_key: dg.AssetKey
    check_name: str
    status: AlertStatus
    sentence: str
    severity: Severity
    blocking: bool
    contract: str  # the file and line of the rule
    timestamp: dt.datetime
    owner: str | None = None
    run_id: str | None = None  # none where the result was reported from outside of Dagster
    partition: str | None = None
    link: str | None = None

    @property
    def text(self) -> str:
        """One line for people."""
        partition = f" of partition {self.partition}" if self.partition else ""
        was = "was " if self.status is AlertStatus.NOT_EVALUATED else ""
        rank = f"{self.severity.value}, blocking" if self.blocking else self.severity.value
        head = f"{self.asset_key.to_user_string()}{partition}: {self.check_name}"
        place = ", ".join(filter(None, [self.contract, self.owner]))
        sentence = textwrap.shorten(self.sentence, MAX_SENTENCE, placeholder=" …")
        said = f"{head} {was}{self.status.value} ({rank}): {sentence} [{place}]"
        return " ".join(f"{said} {self.link or ''}".split())

    def as_dict(self) -> dict[str, Any]:
        """The fields as JSON knows them."""
        return {
            "asset_key": list(self.asset_key.path),
            "check_name": self.check_name,
            "status": self.status.value,
            "sentence": self.sentence,
            "severity": self.severity.value,
            "blocking": self.blocking,
            "contract": self.contract,
            "timestamp": self.timestamp.isoformat(),
            "owner": self.owner,
            "run_id": self.run_id,
            "partition": self.partition,
            "link": self.link,
        }


AlertCallback: TypeAlias = Callable[[Sequence[CheckAlert]], object]


def headline(alerts: Sequence[CheckAlert]) -> str:
    """How many alerts there are of each status, like `2 failed, 1 recovered`."""
    counted = Counter(alert.status for alert in alerts)
    return ", ".join(f"{counted[each]} {each.value}" for each in AlertStatus if counted[each])
