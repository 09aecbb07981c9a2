"""Takes the pictures of Dagster's UI in docs/images: the example project after a bad batch.

Run it with `make screenshots`. The runs and the browser are those of tests/looks.
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from looks.browser import Pages, browsing  # noqa: E402 - found once tests is on the path
from looks.shop import served  # noqa: E402
from playwright.sync_api import FloatRect  # noqa: E402

IMAGES = ROOT / "docs" / "images"
ORDERS = "/assets/shop/orders"
NAVIGATION, MARGIN = 240, 24


@dataclass(frozen=True)
class Shot:
    """A part of a page: from where one element begins to where another ends."""

    name: str
    path: str
    last: str  # the element where the picture ends
    first: str | None = None  # where it begins; without one, all but the navigation
    filtered: tuple[str, str] | None = None  # what is typed into which field
    height: int = 1600  # of the window: what is below is not loaded


SHOTS = (
    Shot("checks", f"{ORDERS}?view=checks&checkDetail=status__valid_values", "table >> nth=-1"),
    Shot(
        "plots",
        f"{ORDERS}?view=checks&checkDetail=email__mostly_there",
        first='text="Plots"',
        last="canvas >> nth=-1",
    ),
    Shot("asset", ORDERS, "text=/^Fails if more/"),
    Shot(
        "metadata",
        "/assets/shop/payments",
        first='text="Metadata"',
        last='tr:has-text("dqx_dagster/skipped_rules")',
        filtered=("Filter metadata keys", "dqx_dagster"),
    ),
    Shot(
        "freshness",
        "/assets/shop/visits",
        first='text="Freshness policy" >> nth=-1',
        last="text=/^Fails if more/",
    ),
    Shot("lineage", f"{ORDERS}?view=lineage&lineageScope=downstream", "body", height=660),
)


def take(pages: Pages, shot: Shot) -> None:
    """Open the page and write the picture, once it does not change any more."""
    pages.page.set_viewport_size({"width": 1440, "height": shot.height})
    pages.open(shot.path)
    pages.page.wait_for_selector(shot.last)
    if shot.filtered:
        place, text = shot.filtered
        pages.page.get_by_placeholder(place).fill(text)
    pages.holds("() => !document.body.innerText.includes('Loading')", None)
    before, picture = b"", pages.page.screenshot()
    while before != picture:
        pages.page.wait_for_timeout(1000)
        before, picture = picture, pages.page.screenshot()
    pages.page.screenshot(path=IMAGES / f"{shot.name}.png", clip=_clip(pages, shot))


def _clip(pages: Pages, shot: Shot) -> FloatRect:
    page = pages.page
    last = page.locator(shot.last).bounding_box()
    first = page.locator(shot.first).bounding_box() if shot.first else None
    size = page.viewport_size
    assert last
    assert size
    # The icon of a title stands before its text.
    left, top = (first["x"] - MARGIN - 8, first["y"] - 16) if first else (NAVIGATION, 0)
    right = min(last["x"] + last["width"] + MARGIN, size["width"])
    bottom = min(last["y"] + last["height"] + MARGIN, size["height"])
    return {"x": left, "y": top, "width": right - left, "height": bottom - top}


def main() -> int:
    """Take all pictures."""
    browser = os.environ.get("DQX_BROWSER")
    if not browser:
        sys.stderr.write("DQX_BROWSER names no browser to take pictures with\n")
        return 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with served(folder) as address, browsing(browser, address, folder) as pages:
            for shot in SHOTS:
                take(pages, shot)
                sys.stdout.write(f"docs/images/{shot.name}.png\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
