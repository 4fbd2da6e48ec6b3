"""Texts of a metastore that try to be markup: a browser shows them as text, and runs nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext
from starlette.responses import HTMLResponse

from publisher.daemon.service import Service
from publisher.web.server import WebServer
from tests.browser.lakes import HOSTILE_COLUMN, LINK, PREFIX, SCRIPT, running_shop
from tests.browser.visits import context, visited

pytestmark = pytest.mark.slow

# What each page shows of the hostile texts; to show nothing would be harmless, too.
PAGES = {
    "/": "odd.broken",
    "/?q=hacked": SCRIPT,
    "/relations/odd.texts": SCRIPT,
    "/relations/odd.shown": HOSTILE_COLUMN,
    "/relations/odd.broken": SCRIPT,
    "/lineage/odd.shown?depth=all": HOSTILE_COLUMN,
    "/lineage/odd.shown/made?depth=all": "javascript:alert(1)",
    "/impact/odd.texts": HOSTILE_COLUMN,
    "/catalog?namespace=odd": "javascript:alert(3)",
    f"/catalog?q={SCRIPT}": "No relation matches",
    f"/packages/{PREFIX}-odd-texts": SCRIPT,
    f"/packages/{PREFIX}-odd-texts/1.0.0": LINK.partition(" ")[0],
    f"/packages/{PREFIX}-odd-shown": "alert(5)",
    "/packages/?q=hacked": "onerror",
    f"/packages/{SCRIPT}": "alert(1)",
    f"/nothing{SCRIPT}": "alert(1)",
    f"/lineage/{SCRIPT}": "alert(1)",
}
_FOREIGN = """() => {
  const all = [...document.querySelectorAll('*')];
  const isForeign = each =>
    ['script', 'img', 'iframe', 'object', 'embed', 'base', 'audio', 'video', 'foreignObject'].includes(each.localName)
    || [...each.attributes].some(attribute => attribute.name.startsWith('on') || attribute.name === 'style')
    || [each.getAttribute('href'), each.getAttribute('action'), each.getAttribute('src')].some(
      target => target !== null && /^[^#/?]*:/.test(target) && !target.startsWith(location.origin));
  return all.filter(isForeign).map(each => each.outerHTML.slice(0, 200));
}"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_shop(tmp_path_factory.mktemp("shop"), hostile=True) as service:
        yield service


@pytest.fixture(scope="module")
def browsing(browser: Browser) -> BrowserContext:
    return context(browser)


@pytest.mark.parametrize("address", PAGES)
def test_they_are_shown_as_they_are(address: str, shop: Service, browsing: BrowserContext) -> None:
    with visited(browsing, f"{shop.url}{address}") as visit:
        for folded in visit.page.locator("details").all():
            folded.evaluate("each => each.open = true")
        shown = visit.page.locator("body").inner_text()
        assert PAGES[address] in " ".join(shown.split())
        assert visit.page.evaluate(_FOREIGN) == []
        assert visit.page.evaluate("window.hacked") is None
        assert visit.complaints == []


def test_a_browser_would_tell_of_a_script(browser: Browser) -> None:
    """The checks above see a page that does not escape."""
    careless = HTMLResponse(f"<h1>{SCRIPT}</h1><a href='javascript:alert(1)'>x</a>")

    with WebServer(careless) as server, visited(context(browser), server.url) as visit:
        assert visit.page.evaluate("window.hacked") == 1
        assert "dialog: 1" in visit.complaints
        assert len(visit.page.evaluate(_FOREIGN)) == 2
