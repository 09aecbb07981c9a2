"""A browser on pages of Dagster's UI: opens them, and waits until they show what is expected."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from oracle.spark_servers import LOOPBACK
from playwright.sync_api import Locator, Page, sync_playwright
from playwright.sync_api import TimeoutError as NotInTime

_SECONDS: Final = 300
_FLAGS: Final = (
    f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {LOOPBACK}",  # nothing else is contacted
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--no-sandbox",  # which root and most containers cannot have
)


class Pages:
    """The pages of one server, seen by somebody who reads them."""

    def __init__(self, page: Page, address: str, folder: Path) -> None:
        """What was seen instead of what was expected goes to the folder."""
        self.page, self._address, self._folder = page, address, folder

    def open(self, path: str, *texts: str) -> None:
        """Open a page, and wait until it shows these texts."""
        self.page.goto(f"{self._address}{path}")
        self.shows(*texts)

    def shows(self, *texts: str) -> None:
        """Wait until the page shows these texts."""
        for text in texts:
            self.holds("text => document.body.innerText.includes(text)", text)

    def holds(self, condition: str, argument: object) -> None:
        """Wait until a function of JavaScript says yes; tell what is seen where it does not."""
        try:
            self.page.wait_for_function(condition, arg=argument)
        except NotInTime:
            picture = self._folder / "page.png"
            self.page.screenshot(path=picture)
            seen = self.page.locator("body").inner_text()
            text = f"waited for {argument!r} on {self.page.url}, see {picture}; there was:"
            raise AssertionError(f"{text}\n{seen}") from None

    def row(self, name: str) -> Locator:
        """The row of a table that begins with this."""
        cell = self.page.locator("td", has_text=re.compile(rf"^{re.escape(name)}$"))
        return self.page.locator("tr", has=cell)


@contextlib.contextmanager
def browsing(program: str, address: str, folder: Path) -> Iterator[Pages]:
    """The pages at an address, in a new window of a browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=_FLAGS, timeout=_SECONDS * 1000
        )
        page = browser.new_page(
            viewport={"width": 1440, "height": 1600},
            color_scheme="light",
            locale="en-GB",
            reduced_motion="reduce",
            timezone_id="UTC",
        )
        page.set_default_timeout(_SECONDS * 1000)
        yield Pages(page, address, folder)
        browser.close()
