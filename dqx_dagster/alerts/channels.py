"""Ready-made callbacks: alerts → a log, or a request to a web address.

An address of a webhook is a secret, and so are its headers: no message contains them.
"""

from __future__ import annotations

import html
import http
import http.client
import json
import logging
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

import dagster as dg

from dqx_dagster.alerts.alert import AlertCallback, AlertStatus, CheckAlert, headline
from dqx_dagster.errors import AlertError

MAX_LINES: Final = 20
"""Of a message: a chat is no place for a thousand."""


def log_alerts(logger: logging.Logger | None = None) -> AlertCallback:
    """A callback that logs each alert: blocking failures as errors, recoveries as information."""
    log = logger or logging.getLogger("dqx_dagster.alerts")

    def write(alerts: Sequence[CheckAlert]) -> None:
        for alert in alerts:
            log.log(_level(alert), "%s", alert.text)

    return write


def _level(alert: CheckAlert) -> int:
    if alert.status is AlertStatus.RECOVERED:
        return logging.INFO
    return logging.ERROR if alert.blocking else logging.WARNING


def message(alerts: Sequence[CheckAlert]) -> dict[str, Any]:
    """What `webhook` sends: a `text` as Slack reads it, and all `alerts` with their fields."""
    lines = [f"Data contracts: {headline(alerts)}"]
    lines += [f"• {alert.text}" for alert in alerts[:MAX_LINES]]
    if len(alerts) > MAX_LINES:
        lines.append(f"… and {len(alerts) - MAX_LINES} more")
    # Slack takes `<!channel>` in a contract's words for a call to everybody.
    text = html.escape("\n".join(lines), quote=False)
    return {"text": text, "alerts": [alert.as_dict() for alert in alerts]}


def webhook(
    url: str | dg.EnvVar,
    *,
    headers: Mapping[str, str | dg.EnvVar] | None = None,
    payload: Callable[[Sequence[CheckAlert]], Any] = message,
    timeout: float = 10,
) -> AlertCallback:
    """A callback that posts the alerts of a tick as one JSON document.

    Args:
        url: An address of http or https; better a `dg.EnvVar`, which is looked up at each call.
        headers: More headers, with values as `url`.
        payload: Alerts → what is sent as JSON. By default `{"text": …, "alerts": […]}`.
        timeout: How many seconds the other side may stay silent.

    Raises:
        AlertError: By the callback, where the other side does not answer with a success.
    """
    if not isinstance(url, dg.EnvVar):
        _address(url)  # what is wrong with it should not wait for the first alert

    def post(alerts: Sequence[CheckAlert]) -> None:
        if not alerts:
            return
        address = _address(url)
        given = {name: _value(value) for name, value in (headers or {}).items()}
        body = json.dumps(payload(alerts)).encode()
        problem = _post(address, body, {"Content-Type": "application/json", **given}, timeout)
        if problem:
            host = urlsplit(address).hostname
            raise AlertError(f"{len(alerts)} alerts for the webhook at {host}: {problem}")

    return post


def _address(url: str | dg.EnvVar) -> str:
    address = _value(url)
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")  # the error quotes the address
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise AlertError("the address of a webhook must be like https://host/path")
    return address


def _value(given: str | dg.EnvVar) -> str:
    if not isinstance(given, dg.EnvVar):
        return given
    value = given.get_value()
    if not value:
        raise AlertError(f"the environment variable {given.env_var_name} is not set")
    return value


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirected POST would arrive as a GET, without its body and with a success."""

    def redirect_request(self, *_: object) -> None:
        """None makes the redirection an error."""


def _post(url: str, body: bytes, headers: Mapping[str, str], timeout: float) -> str | None:
    """What went wrong. Nothing is raised from here: exceptions of urllib quote the address."""
    try:
        request = urllib.request.Request(url, body, dict(headers), method="POST")  # noqa: S310
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=timeout):
            return None
    except urllib.error.HTTPError as error:
        error.close()
        phrases = {status.value: f" {status.phrase}" for status in http.HTTPStatus}
        return f"it answered {error.code}{phrases.get(error.code, '')}"
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            return f"no answer within {timeout:g} seconds"
        kind = error if isinstance(reason, str) else reason  # which may quote the address
        return getattr(reason, "strerror", None) or type(kind).__name__
