"""The examples of docs/alerts.md, run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from assets.projects import KEY, ORDERS, WARNING, write_contract

from alerts.endpoint import Endpoint

PAGE = (Path(__file__).parents[2] / "docs" / "alerts.md").read_text("utf-8")
SENTENCE = "1 of 2 rows (50 %) hold an invalid value; allowed: none"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint.running() as endpoint:
        yield endpoint


def test_the_examples_run_and_say_what_the_page_says(
    tmp_path: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_contract(tmp_path / "contracts")
    monkeypatch.chdir(tmp_path)
    for name in ("SLACK_WEBHOOK", "SHOP_WEBHOOK"):
        monkeypatch.setenv(name, endpoint.url)
    monkeypatch.setenv("PAGERDUTY_KEY", "key")
    example: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        code = block.replace("https://events.pagerduty.com/v2/enqueue", endpoint.url)
        exec(compile(code, "alerts.md", "exec", dont_inherit=True), example)

    (sensor,) = example["defs"].sensors
    with dg.DagsterInstance.ephemeral() as instance:
        for name in (WARNING, KEY):
            said = dg.AssetCheckEvaluation(ORDERS, name, name == KEY, description=SENTENCE)
            instance.report_runless_asset_event(said)
        sensor.evaluate_tick(dg.build_sensor_context(instance))
        told: list[Any] = []
        again = example["build_contract_alert_sensor"](example["contracts"], told.extend)
        again.evaluate_tick(dg.build_sensor_context(instance))
    example["by_owner"](told)
    example["page"](told)

    message, owned, incident = endpoint.bodies  # what has no owner, and goes to one channel
    (shown,) = re.findall(r"```text\n(.*?)\n```", PAGE, re.DOTALL)
    assert message["text"].replace("&amp;", "&") == shown
    assert [alert["check_name"] for alert in owned["alerts"]] == [WARNING]
    assert incident["event_action"] == "trigger"
    assert incident["dedup_key"] == f"shop/orders {WARNING}"
