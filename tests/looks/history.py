"""Three good nights, then a bad batch of orders: runs of the example project, for pages to show.

`SHOP_DATA` and `DAGSTER_HOME` say where. The nights are run one after the other, with Dagster's
clock set back, as its own tests do.
"""

from __future__ import annotations

import logging
import time
import warnings

import dagster as dg
from dagster._core.test_utils import freeze_time

from example_project.definitions import defs

DAY = 24 * 60 * 60
SHOP = ("orders", "payments", "daily_revenue")
NIGHTS = (
    (3, "good", ("customers", "orders")),
    (2, "good", ("orders",)),
    (1, "good", (*SHOP, "visits")),
)


def main() -> None:
    """Make the runs; what was not made today grows stale."""
    warnings.simplefilter("ignore")  # two rules of the example are for other engines
    logging.disable(logging.CRITICAL)
    with dg.DagsterInstance.get() as instance:
        for days, batch, assets in NIGHTS:
            with freeze_time(time.time() - days * DAY):
                assert run(instance, batch, assets)
        assert not run(instance, "bad", SHOP)


def run(instance: dg.DagsterInstance, batch: str, assets: tuple[str, ...]) -> bool:
    """Whether a run of these assets succeeds."""
    result = defs.resolve_implicit_global_asset_job_def().execute_in_process(
        instance=instance,
        asset_selection=[dg.AssetKey(["shop", name]) for name in assets],
        run_config={"ops": {"shop__orders": {"config": {"batch": batch}}}},
        raise_on_error=batch == "good",
    )
    return result.success


if __name__ == "__main__":
    main()
