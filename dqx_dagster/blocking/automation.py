"""`unless_blocked`: an automation condition that waits for the blocking checks above an asset."""

from __future__ import annotations

from typing import Any

import dagster as dg


def unless_blocked(
    condition: dg.AutomationCondition[Any] | None = None, *, levels: int = 1
) -> dg.AutomationCondition[Any]:
    """The condition, as long as the blocking checks above the asset have passed.

    A check has passed when its latest result is about the latest materialization and is not a
    failure. What stopped is made up for: once the checks pass, the asset is requested.

    ```python
    @dg.asset(deps=[orders], automation_condition=unless_blocked())
    def report() -> None: ...
    ```

    Args:
        condition: When the asset is to be made; by default `AutomationCondition.eager()`.
        levels: How far up to look; 1 is the assets that this one reads. Each level multiplies what
            Dagster evaluates and stores on every tick by the number of assets that an asset reads.
    """
    if levels < 1:
        raise ValueError(f"levels: {levels} is less than 1")
    passed = dg.AutomationCondition.all_deps_blocking_checks_passed()
    above: dg.AutomationCondition[Any] = passed
    for _ in range(levels - 1):
        above = passed & dg.AutomationCondition.all_deps_match(above)
    return (condition or dg.AutomationCondition.eager()) & above
