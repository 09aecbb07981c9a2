"""`build_contract_alert_sensor`: contracts and a callback → a sensor that tells what fails.

A failed check that only warns does not fail its run, so that no run-failure sensor ever sees it.
This sensor reads the evaluations themselves.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

import dagster as dg

from dqx_dagster.alerts.alert import AlertCallback, AlertStatus, CheckAlert, headline
from dqx_dagster.alerts.cursor import MAX_TROUBLES, Cursor, Subject, Trouble
from dqx_dagster.alerts.evaluations import Evaluation, look
from dqx_dagster.checks.rule import Settings, Severity
from dqx_dagster.contract_checks import ContractChecks, Contracts, contract_checks
from dqx_dagster.metadata import owners, place_of
from dqx_dagster.translator import DagsterContractTranslator


@dataclass(frozen=True, slots=True)
class _Promise:
    """What a contract says about a check."""

    severity: Severity
    blocking: bool
    contract: str
    owner: str | None
    link: str | None


def build_contract_alert_sensor(
    contracts: Contracts,
    callback: AlertCallback,
    *,
    name: str = "contract_alerts",
    minimum_interval_seconds: int = 30,
    default_status: dg.DefaultSensorStatus = dg.DefaultSensorStatus.STOPPED,
    webserver_url: str | None = None,
    repeat: dt.timedelta | None = None,
    translator: DagsterContractTranslator | None = None,
    settings: Settings | None = None,
) -> dg.SensorDefinition:
    """A sensor that reports contract checks that fail, recover, or get no result.

    Each tick calls `callback` at most once, with all alerts since the last tick in their order. If
    it raises, the tick fails and the next one brings the same alerts again.

    Args:
        contracts: A directory (or file) of contracts, or contracts that are already loaded.
        callback: Takes the alerts of a tick: `webhook(…)`, `log_alerts()`, or a function of yours.
        name: The sensor's name.
        minimum_interval_seconds: The time between two ticks.
        default_status: Whether the sensor runs before somebody switches it on.
        webserver_url: Where Dagster's UI is, for the links in alerts.
        repeat: When a check that keeps failing is reported again: as soon as it fails so long after
            the last report. By default never; `timedelta(0)` reports every failure.
        translator: The one that the checks are built with.
        settings: Those that the checks are built with.
    """
    found = contract_checks(contracts, translator, settings)
    promises = dict(_promises(found, (webserver_url or "").rstrip("/")))

    @dg.sensor(
        name=name,
        minimum_interval_seconds=minimum_interval_seconds,
        default_status=default_status,
        description="Reports contract checks that fail, recover, or get no result.",
    )
    def alert_sensor(context: dg.SensorEvaluationContext) -> dg.SensorResult:
        before = Cursor.from_json(context.cursor)
        position = before.position if before else None
        evaluations, after = look(context.instance, promises.keys(), position, time.time())
        troubles = dict(before.of(promises.keys()) if before else {})
        alerts = [
            _alert(each, status, promises[each.subject.key])
            for each, status in _news(evaluations, troubles, repeat)
        ]
        if alerts:
            callback(alerts)
        if len(troubles) > MAX_TROUBLES:
            context.log.warning(_too_many(len(troubles)))
        reason = headline(alerts) or "nothing new"
        return dg.SensorResult(skip_reason=reason, cursor=Cursor(after, troubles).to_json())

    return alert_sensor


def _promises(
    found: Iterable[ContractChecks], webserver_url: str
) -> Iterator[tuple[dg.AssetCheckKey, _Promise]]:
    for checks in found:
        owner = next(iter(owners(checks.contract)), None)
        for key, check in checks.checks.items():
            rule, blocking = check.rule, checks.specs[key].blocking
            link = f"{webserver_url}{_page(key)}" if webserver_url else None
            yield key, _Promise(rule.severity, blocking, place_of(rule), owner, link)


def _page(key: dg.AssetCheckKey) -> str:
    """The page of a check, as Dagster's UI addresses it."""
    asset = "/".join(quote(part, safe="") for part in key.asset_key.path)
    return f"/assets/{asset}?view=checks&checkDetail={quote(key.name, safe='')}"


def _news(
    evaluations: Iterable[Evaluation],
    troubles: dict[Subject, Trouble],
    repeat: dt.timedelta | None,
) -> Iterator[tuple[Evaluation, AlertStatus]]:
    """What is worth telling; `troubles` is kept up to date on the way."""
    for each in evaluations:
        before = troubles.pop(each.subject, None)
        if each.passed:
            if before is not None:
                yield each, AlertStatus.RECOVERED
            continue
        status = AlertStatus.NOT_EVALUATED if each.passed is None else AlertStatus.FAILED
        if before is not None and before.status is status and not _is_due(each, before, repeat):
            troubles[each.subject] = before
            continue
        troubles[each.subject] = Trouble(status, int(each.timestamp))
        yield each, status


def _is_due(evaluation: Evaluation, before: Trouble, repeat: dt.timedelta | None) -> bool:
    return repeat is not None and evaluation.timestamp - before.told >= repeat.total_seconds()


def _alert(evaluation: Evaluation, status: AlertStatus, promise: _Promise) -> CheckAlert:
    key = evaluation.subject.key
    return CheckAlert(
        asset_key=key.asset_key,
        check_name=key.name,
        status=status,
        sentence=evaluation.sentence,
        severity=promise.severity,
        blocking=promise.blocking,
        contract=promise.contract,
        timestamp=dt.datetime.fromtimestamp(evaluation.timestamp, dt.timezone.utc),
        owner=promise.owner,
        run_id=evaluation.run_id,
        partition=evaluation.subject.partition,
        link=promise.link,
    )


def _too_many(troubles: int) -> str:
    return (
        f"{troubles:,} checks do not pass, and only {MAX_TROUBLES:,} of them are remembered: the "
        "others are reported at each failure, and their recovery is not"
    )
