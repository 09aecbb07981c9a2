"""A relationship whose target is known → the rule that every key has a match."""

from __future__ import annotations

from dqx_dagster.checks.names import check_name
from dqx_dagster.checks.rule import Claim, Rule, Settings
from dqx_dagster.checks.threshold import Threshold
from dqx_dagster.checks.vocabulary import Unit
from dqx_dagster.contract.model import Contract, Relationship, Target
from dqx_dagster.metrics.metric import Orphans
from dqx_dagster.metrics.value import Column

WORD = "relationships"


def relationship_rule(
    contract: Contract, relationship: Relationship, target: Target, settings: Settings
) -> Rule:
    """No row may have a key that its target lacks.

    Within one table it is about all rows: whoever replaces a partition may take away what rows of
    other partitions refer to.
    """
    ours = tuple(map(Column, relationship.columns))
    theirs = tuple(map(Column, target.columns))
    other = target.contract.dataset
    within = other == contract.dataset
    metric = Orphans(ours, None if within else other, theirs)
    names = ", ".join(map(str, ours))
    return Rule(
        name=check_name(names, relationship.id or "relationship"),
        claim=Claim(
            metric=metric,
            threshold=Threshold(0, 0),
            says=f"have no match in {other}",
            unit=Unit.ROWS,
            counted=metric,
            violation=metric,
        ),
        severity=settings.implied_severity,
        origin=relationship.origin,
        word=WORD,
        column=names if len(ours) == 1 else None,
        description=f"{names} refers to {', '.join(map(str, theirs))} of {other}",
        dimension="consistency",
        implied=True,
        whole_table=within or WORD in settings.whole_table,
        failing_rows=settings.failing_rows,
    )
