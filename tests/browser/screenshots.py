"""Pictures of the pages for the documentation: ``make screenshots`` writes them to ``docs/images``.

The shop is always the same, and times are shown as one fixed time, so that a picture only changes with a page.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final, NamedTuple

from playwright.sync_api import Browser, sync_playwright

from tests.browser.lakes import PREFIX, running_shop
from tests.browser.visits import DESKTOP, PHONE, Scheme, context, launch, visited

FOLDER: Final = Path(__file__).parents[2] / "docs" / "images"
MAX_BYTES: Final = 100_000
_FIXED_TIMES: Final = r"""() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    text.data = text.data
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?/g, '2026-01-31 09:30')
      .replace(/\b\d+ (s|min) ago/g, '5 min ago')
      .replace(/127\.0\.0\.1:\d+/g, 'schemas.acme.example');
  }
}"""


class Shot(NamedTuple):
    """``scrolled_to`` is the element at the top of the picture."""

    address: str
    scrolled_to: str = "body"
    scheme: Scheme = "light"
    width: int = 1_000
    height: int = 760


SHOTS: Final = {
    "dashboard": Shot("/", height=900),
    "catalogue": Shot("/catalog?namespace=shop"),
    "package-desktop": Shot(f"/packages/{PREFIX}-shop-orders", height=760),
    "package-phone": Shot(f"/packages/{PREFIX}-shop-orders", width=PHONE),
    "dropped-package-phone": Shot(f"/packages/{PREFIX}-shop-returns", width=PHONE),
    "view-desktop-dark": Shot(f"/packages/{PREFIX}-shop-customer-value", "#sql", "dark"),
    "difference": Shot(f"/packages/{PREFIX}-shop-orders/diff/1.0.0...2.0.0", height=900),
    "lineage-of-a-column": Shot(
        "/lineage/shop.best_customers/spent?depth=all", scheme="dark", width=DESKTOP
    ),
}


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        running_shop(Path(folder), hostile=False) as shop,
        sync_playwright() as playwright,
    ):
        browser = launch(playwright)
        for name, shot in SHOTS.items():
            _take(browser, f"{shop.url}{shot.address}", shot, FOLDER / f"{name}.png")
        browser.close()


def _take(browser: Browser, address: str, shot: Shot, path: Path) -> None:
    browsing = context(browser, scheme=shot.scheme, width=shot.width)
    with visited(browsing, address) as visit:
        visit.page.set_viewport_size({"width": shot.width, "height": shot.height})
        visit.page.evaluate(_FIXED_TIMES)
        visit.page.evaluate(
            "which => document.querySelector(which).scrollIntoView()", shot.scrolled_to
        )
        visit.page.screenshot(path=path)
    browsing.close()
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise SystemExit(f"{path} has {size} bytes, more than {MAX_BYTES}: take less of the page")
    print(f"{path.name}: {size} bytes")


if __name__ == "__main__":
    main()
