"""Three good nights, then a bad batch of orders: runs of the example project, for pages to show.

`SHOP_DATA` and `DAGSTER_HOME` say where. The nights are run one after the other, with Dagster's
clock set back, as its own tests do.
"""

from __future__ import annotations

import datetime as dt
import logging
import time
import warnings

import dagster as dg
from dagster._core.test_utils import freeze_time

from example_project.definitions import defs

DAY = 24 * 60 * 60
ORDERS = ("orders", "orders_quarantine")
SHOP = (*ORDERS, "payments", "daily_revenue")
NIGHTS = ((3, ("customers", *ORDERS)), (2, ORDERS), (1, (*SHOP, "visits")))


def main() -> None:
    """Make the runs; what was not made today grows stale."""
    warnings.simplefilter("ignore")  # two rules of the example are for other engines
    logging.disable(logging.CRITICAL)
    with dg.DagsterInstance.get() as instance:
        for days, assets in NIGHTS:
            with freeze_time(time.time() - days * DAY):
                assert run(instance, "good", assets, days)
        assert not run(instance, "bad", SHOP, 0)


def run(instance: dg.DagsterInstance, batch: str, assets: tuple[str, ...], days: int) -> bool:
    """Whether a run of these assets succeeds, some days ago; the report is of the day before."""
    day = dt.datetime.now(dt.timezone.utc).date() - dt.timedelta(days + 1)
    result = defs.resolve_implicit_global_asset_job_def().execute_in_process(
        instance=instance,
        partition_key=day.isoformat() if "daily_revenue" in assets else None,
        asset_selection=[dg.AssetKey(["shop", name]) for name in assets],
        run_config={"ops": {"shop__orders": {"config": {"batch": batch}}}},
        raise_on_error=batch == "good",
    )
    return result.success


if __name__ == "__main__":
    main()
