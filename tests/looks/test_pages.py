"""Dagster's UI, as somebody sees it who opens the example project after a bad batch of orders."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from example_project.demo import BLOCKERS
from looks.browser import Pages, browsing
from looks.shop import ROOT, served

BROWSER = os.environ.get("DQX_BROWSER")
ORDERS = "/assets/shop/orders"
CONTRACTS = ROOT / "example_project" / "contracts"

MARKED = """([name, mark]) => {
    const check = [...document.querySelectorAll("[title]")].find(found => found.title === name)
    return check?.parentElement.previousElementSibling.querySelector(`[aria-label=${mark}]`)
}"""
"""Whether a check of the list has this mark before it."""

PLOTTED = """title => {
    const canvases = [...document.querySelectorAll("canvas")]
    const plot = canvases.find(found => {
        const box = found.parentElement.parentElement.parentElement
        return box.innerText.trim() === title
    })
    if (!plot) return false
    const pixels = plot.getContext("2d").getImageData(0, 0, plot.width, plot.height).data
    const columns = new Set()
    for (let at = 0; at < pixels.length; at += 4) {
        const [red, green, blue, alpha] = pixels.slice(at, at + 4)
        if (alpha > 200 && blue > 180 && red < 120 && green < 120) columns.add(at / 4 % plot.width)
    }
    return columns.size > plot.width / 2
}"""
"""Whether the plot with this title has a blue line, and not just a point."""

pytestmark = pytest.mark.skipif(
    not BROWSER, reason="DQX_BROWSER names no browser; `make test` finds or installs one"
)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    folder = tmp_path_factory.mktemp("shop")
    with served(folder) as address, browsing(str(BROWSER), address, folder) as found:
        yield found


def line_of(contract: str, text: str) -> int:
    """Where a contract says this."""
    lines = (CONTRACTS / contract).read_text("utf-8").splitlines()
    return 1 + next(number for number, line in enumerate(lines) if text in line)


def test_a_broken_rule_says_what_is_wrong_and_where_it_is_written(pages: Pages) -> None:
    line = line_of("orders.odcs.yaml", "- name: status_valid_values")

    pages.open(f"{ORDERS}?view=checks&checkDetail=status__valid_values", "Latest execution")

    pages.shows(
        "This is a blocking asset check.",
        "Every order is in a state that the shop knows",
        "status: rows that hold an invalid value; allowed: none",
        f"P0 (blocks downstream) · contracts/orders.odcs.yaml:{line} · invalidValues(validValues: "
        "pending, shipped, delivered, cancelled)",
        "20 of 2,005 rows (1 %) hold an invalid value; allowed: none",
        "allowed\nnone",
        "failed_fraction\n0.00997506",
        "failed_rows\n20",
        "outcome\nfailed",
        "rows\n2005",
        "severity\nP0",
    )
    for name in BLOCKERS:
        pages.holds(MARKED, [name, "cancel"])
    pages.holds(MARKED, ["email__mostly_there", "warning_outline"])
    pages.holds(MARKED, ["schema", "check_circle"])


def test_the_numbers_of_a_rule_are_plotted_over_its_runs(pages: Pages) -> None:
    pages.open(f"{ORDERS}?view=checks&checkDetail=email__mostly_there", "Plots")

    pages.shows(
        "This is a non-blocking asset check.",
        "P3 (warns)",
        "694 of 2,005 rows (34.61 %) are null; allowed: less than 5 %",
        "value\n34.6135",
    )
    pages.holds(PLOTTED, "value")
    pages.holds(PLOTTED, "failed_rows")


def test_an_asset_shows_its_columns_and_that_it_is_fresh(pages: Pages) -> None:
    pages.open(ORDERS, "Column name", "Last materialized", "dqx_dagster/text_rules")

    key, email = (pages.row(name).inner_text() for name in ("order_id", "email"))
    for text in ("integer", "non-nullable", "unique", "primary key", "Made by the shop"):
        assert text in key
    for text in ("string", "maxLength: 254", "format: email", "Where the receipt goes"):
        assert text in email
    assert "nullable" not in email
    pages.shows(
        "Row count\n2,005",
        "Freshness policy\nPassing",
        "Fails if more than 24 hours since last materialization",
        "Open\norders.odcs.yaml",
    )
    assert "Gross, in the currency of the shop" in pages.row("dqx_dagster/text_rules").inner_text()


def test_an_asset_that_was_not_made_in_time_is_not_fresh(pages: Pages) -> None:
    pages.open("/assets/shop/visits", "Last materialized", "Freshness policy")

    pages.shows("Freshness policy\nFailed", "Fails if more than 4 hours since last materialization")


def test_an_asset_shows_what_its_contract_says_and_what_is_not_enforced(pages: Pages) -> None:
    line = line_of("payments.odcs.yaml", "- name: anomalies")

    pages.open("/assets/shop/payments", "dqx_dagster/skipped_rules")

    pages.shows("Deadline: At 09:00")
    version, sla, skipped = (
        pages.row(f"dqx_dagster/{name}").inner_text()
        for name in ("contract_version", "sla", "skipped_rules")
    )
    assert version.endswith("2.0.0")
    assert "latency: 48 hours (paid_at)" in sla
    assert "timeOfAvailability: 09:00Z, driver: operational" in sla
    reason = "type 'custom' with engine 'soda' is not executable in DQX"
    assert f"anomalies: {reason} (contracts/payments.odcs.yaml:{line})" in skipped
