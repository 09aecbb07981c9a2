"""Alerts as log lines, and as requests to a real web server."""

from __future__ import annotations

import datetime as dt
import logging
import socket
from collections.abc import Iterator
from dataclasses import replace

import dagster as dg
import pytest
from assets.projects import KEY, ORDERS, WARNING
from dagster._utils.error import serializable_error_info_from_exc_info

from alerts.endpoint import SECRET, Endpoint
from dqx_dagster import AlertError, AlertStatus, CheckAlert, Severity, log_alerts, webhook

FAILED = CheckAlert(
    asset_key=ORDERS,
    check_name=KEY,
    status=AlertStatus.FAILED,
    sentence="1 of 3 rows (33.33 %) have a key that is repeated or null; allowed: none",
    severity=Severity.P0,
    blocking=True,
    contract="contracts/orders.odcs.yaml:13",
    timestamp=dt.datetime(2026, 3, 5, 12, tzinfo=dt.timezone.utc),
    owner="team:shop",
    run_id="a1b2",
    partition="2026-03-05",
    link="https://dagster.example/assets/shop/orders?view=checks&checkDetail=id__primary_key",
)
WARNED = replace(FAILED, check_name=WARNING, severity=Severity.P1, blocking=False, partition=None)
RECOVERED = replace(WARNED, status=AlertStatus.RECOVERED, owner=None, link=None)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint.running() as endpoint:
        yield endpoint


class TestAlert:
    def test_its_text_is_one_line(self) -> None:
        assert FAILED.text == (
            "shop/orders of partition 2026-03-05: id__primary_key failed (P0, blocking): 1 of 3 "
            "rows (33.33 %) have a key that is repeated or null; allowed: none "
            "[contracts/orders.odcs.yaml:13, team:shop] "
            "https://dagster.example/assets/shop/orders?view=checks&checkDetail=id__primary_key"
        )
        assert RECOVERED.text == (
            "shop/orders: status__known recovered (P1): 1 of 3 rows (33.33 %) have a key that is "
            "repeated or null; allowed: none [contracts/orders.odcs.yaml:13]"
        )
        missed = replace(RECOVERED, status=AlertStatus.NOT_EVALUATED, sentence="the run\nfailed")
        assert missed.text == (
            "shop/orders: status__known was not evaluated (P1): the run failed "
            "[contracts/orders.odcs.yaml:13]"
        )

    def test_a_long_sentence_is_cut_in_its_text_alone(self) -> None:
        long = replace(FAILED, sentence="40 of 40 rules broken: " + "c1 is null; " * 1000)

        assert len(long.text) < len(FAILED.text) + 300
        assert " … [contracts/orders.odcs.yaml:13, team:shop] https://" in long.text
        assert long.as_dict()["sentence"] == long.sentence


def test_the_log_knows_how_much_an_alert_matters(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        log_alerts()([FAILED, WARNED])
        log_alerts(logging.getLogger("mine"))([RECOVERED])

    assert caplog.record_tuples == [
        ("dqx_dagster.alerts", logging.ERROR, FAILED.text),
        ("dqx_dagster.alerts", logging.WARNING, WARNED.text),
        ("mine", logging.INFO, RECOVERED.text),
    ]


class TestWebhook:
    def test_it_posts_one_document_with_a_text_and_all_fields(self, endpoint: Endpoint) -> None:
        webhook(endpoint.url)([FAILED, RECOVERED])

        assert endpoint.headers[0]["Content-Type"] == "application/json"
        assert endpoint.bodies == [
            {
                "text": "\n".join(
                    [
                        "Data contracts: 1 failed, 1 recovered",
                        f"• {FAILED.text.replace('&', '&amp;')}",
                        f"• {RECOVERED.text}",
                    ]
                ),
                "alerts": [
                    {
                        "asset_key": ["shop", "orders"],
                        "check_name": "id__primary_key",
                        "status": "failed",
                        "sentence": FAILED.sentence,
                        "severity": "P0",
                        "blocking": True,
                        "contract": "contracts/orders.odcs.yaml:13",
                        "timestamp": "2026-03-05T12:00:00+00:00",
                        "owner": "team:shop",
                        "run_id": "a1b2",
                        "partition": "2026-03-05",
                        "link": FAILED.link,
                    },
                    RECOVERED.as_dict(),
                ],
            }
        ]

    def test_no_alerts_are_no_request(self, endpoint: Endpoint) -> None:
        webhook(endpoint.url)([])

        assert endpoint.methods == []

    def test_a_contract_cannot_call_everybody(self, endpoint: Endpoint) -> None:
        webhook(endpoint.url)([replace(FAILED, owner="<!channel>")])

        assert "&lt;!channel&gt;" in endpoint.bodies[0]["text"]

    def test_a_long_text_is_cut_and_says_so(self, endpoint: Endpoint) -> None:
        webhook(endpoint.url)([FAILED] * 1000)

        (body,) = endpoint.bodies
        assert body["text"].endswith("\n… and 980 more")
        assert len(body["text"]) < 10_000
        assert len(body["alerts"]) == 1000

    def test_address_and_headers_come_from_the_environment_of_each_call(
        self, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("ALERTS_URL", raising=False)
        send = webhook(
            dg.EnvVar("ALERTS_URL"),
            headers={"Authorization": dg.EnvVar("ALERTS_KEY"), "X-Team": "shop"},
            payload=lambda alerts: {"content": alerts[0].sentence},
        )
        with pytest.raises(AlertError, match="the environment variable ALERTS_URL is not set"):
            send([FAILED])

        monkeypatch.setenv("ALERTS_URL", endpoint.url)
        monkeypatch.setenv("ALERTS_KEY", "Bearer x")
        send([FAILED])

        assert endpoint.bodies == [{"content": FAILED.sentence}]
        assert endpoint.headers[0]["Authorization"] == "Bearer x"
        assert endpoint.headers[0]["X-Team"] == "shop"

    @pytest.mark.parametrize(
        ("status", "answer"),
        [
            (500, "it answered 500 Internal Server Error"),
            (404, "it answered 404 Not Found"),
            (599, "it answered 599"),
            # Followed, it would arrive as a GET without alerts, and look like a success.
            (302, "it answered 302 Found"),
        ],
    )
    def test_no_success_is_an_error_that_keeps_the_address_secret(
        self, endpoint: Endpoint, status: int, answer: str
    ) -> None:
        endpoint.status = status

        with pytest.raises(AlertError) as error:
            webhook(endpoint.url)([FAILED, WARNED])

        assert str(error.value) == f"2 alerts for the webhook at 127.0.0.1: {answer}"
        assert endpoint.methods == ["POST"]
        assert_secret(error)

    def test_who_never_answers_is_not_waited_for(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]
            send = webhook(f"http://127.0.0.1:{port}/{SECRET}", timeout=0.2)

            with pytest.raises(AlertError, match=r"no answer within 0\.2 seconds") as error:
                send([FAILED])
        assert_secret(error)

    def test_nobody_there_is_an_error(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]

        with pytest.raises(AlertError, match="Connection refused") as error:
            webhook(f"http://127.0.0.1:{port}/{SECRET}")([FAILED])
        assert_secret(error)

    def test_a_header_that_cannot_be_sent_is_told_by_its_kind(self, endpoint: Endpoint) -> None:
        with pytest.raises(AlertError, match=r"at 127\.0\.0\.1: UnicodeEncodeError$") as error:
            webhook(endpoint.url, headers={"X-Team": f"{SECRET} \N{SNOWMAN}"})([FAILED])
        assert_secret(error)

    @pytest.mark.parametrize(
        "url",
        [
            f"file:///etc/{SECRET}",
            f"ftp://host/{SECRET}",
            f"{SECRET}",
            f"https:///{SECRET}",
            f"http://[{SECRET}",
            "",
        ],
    )
    def test_other_addresses_are_refused_at_once(self, url: str) -> None:
        with pytest.raises(AlertError, match="must be like https://host/path") as error:
            webhook(url)
        assert_secret(error)

    @pytest.mark.parametrize(
        ("path", "header"),
        [(f"/{SECRET} x", "fine"), ("/", f"{SECRET}\nx")],
        ids=["path", "header"],
    )
    def test_what_http_does_not_allow_stays_secret_too(
        self, endpoint: Endpoint, path: str, header: str
    ) -> None:
        send = webhook(f"http://127.0.0.1:{endpoint.server_port}{path}", headers={"X-Key": header})

        with pytest.raises(AlertError) as error:
            send([FAILED])
        assert_secret(error)
        assert endpoint.bodies == []


def assert_secret(error: pytest.ExceptionInfo[AlertError]) -> None:
    """What Dagster keeps of an error, with its causes, does not tell the address."""
    kept = serializable_error_info_from_exc_info((error.type, error.value, error.tb))
    assert SECRET not in str(kept)
