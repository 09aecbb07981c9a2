"""A contract's SLA → the freshness policy of its asset.

The policy watches when the asset was last *materialized*; Dagster's daemon evaluates it, also when
nothing runs. How old the *data* is, is measured by the check "SLA: Freshness check".
"""

from __future__ import annotations

import datetime as dt
import itertools
import warnings

import dagster as dg
from croniter import croniter
from dagster_shared.check import CheckError

from dqx_dagster.contract.model import Contract, SlaSchedule
from dqx_dagster.errors import ContractWarning

_SHORTEST = dt.timedelta(seconds=60)
_DAY = 24 * 60
_TICKS = 60


def freshness_policy(contract: Contract) -> dg.FreshnessPolicy | None:
    """The policy that the contract's SLA asks for; None where it promises nothing about time.

    A schedule becomes a deadline. Where Dagster cannot express that one, or the contract only says
    how old data may be, it is a window of time.
    """
    if contract.sla_schedule is not None and (policy := _deadline(contract.sla_schedule)):
        return policy
    ages = [dt.timedelta(hours=latency.max_age_hours) for latency in contract.sla_latencies]
    if not ages:
        return None
    window = min(ages)
    if window < _SHORTEST:
        text = f"{contract.title}: a freshness policy needs at least a minute; there is none"
        where = contract.sla_latencies[0].origin
        warnings.warn_explicit(text, ContractWarning, where.file, where.line)
        return None
    return dg.FreshnessPolicy.time_window(fail_window=window)


def _deadline(schedule: SlaSchedule) -> dg.FreshnessPolicy | None:
    """By each tick, and the lag after it, there must be a materialization since the tick before."""
    cron = _later(schedule.cron, schedule.lag_hours)
    if cron is None:
        return None
    try:
        return dg.FreshnessPolicy.cron(cron, _smallest_interval(cron), schedule.timezone)
    except CheckError:
        return None


def _later(cron: str, hours: float) -> str | None:
    """The same schedule some hours later; None where five fields cannot say it.

    >>> _later("30 6 * * *", 2), _later("0 23 * * *", 2), _later("0 23 * * 1", 2)
    ('30 8 * * *', '0 1 * * *', None)
    """
    if not hours:
        return cron
    minute, hour, *days = cron.split()
    if not (minute.isdigit() and hour.isdigit()) or hours * 60 != int(hours * 60):
        return None
    total = int(hour) * 60 + int(minute) + int(hours * 60)
    if total >= _DAY and days != ["*", "*", "*"]:
        return None
    hour_of_day, minutes = divmod(total % _DAY, 60)
    return " ".join([str(minutes), str(hour_of_day), *days])


def _smallest_interval(cron: str) -> dt.timedelta:
    """The shortest time between two ticks."""
    ticks = croniter(cron, dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc), ret_type=dt.datetime)
    moments = [ticks.get_next() for _ in range(_TICKS)]
    return min(b - a for a, b in itertools.pairwise(moments))
