"""The ways of three people through the pages: each finds what they look for within three clicks of the start page."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from urllib.parse import urldefrag, urljoin

import pytest
from playwright.sync_api import Browser, Page

from publisher.daemon.service import Service
from tests.browser.lakes import PREFIX, running_shop
from tests.browser.visits import context, visited
from tests.publisher.web.html_outline import Outline
from tests.waiting import eventually

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_shop(tmp_path_factory.mktemp("shop"), hostile=True) as service:
        yield service


@pytest.fixture
def start(shop: Service, browser: Browser) -> Iterator[Page]:
    browsing = context(browser)
    with visited(browsing, f"{shop.url}/") as visit:
        yield visit.page
        assert visit.complaints == []
    browsing.close()


def follow(page: Page, text: str) -> None:
    """One click on the first link in the content that has exactly this text."""
    with page.expect_navigation():
        page.locator("main, header, nav").get_by_role("link", name=text, exact=True).first.click()


def search(page: Page, text: str) -> None:
    """Searches for a text with one click."""
    page.get_by_role("searchbox").fill(text)
    with page.expect_navigation():
        page.get_by_role("button", name="Search").click()


def shown(page: Page) -> str:
    return " ".join(page.locator("main").inner_text().split())


class TestAnOperator:
    def test_sees_at_once_whether_it_is_healthy_and_what_lags(self, start: Page) -> None:
        assert "Ready." in start.inner_text("header")
        for told in ("Relations with problems", "Lag", "Last whole snapshot", "Outages"):
            assert told in shown(start)

    def test_learns_what_failed_and_what_to_do(self, start: Page) -> None:
        follow(start, "shop.open_orders")

        assert "column state does not exist" in start.inner_text("header")
        assert "What to do: correct its definition" in start.inner_text("header")


class TestAnAnalyst:
    def test_learns_who_reads_a_column_and_how_to_ask_what_breaks(self, start: Page) -> None:
        search(start, "never a key")
        follow(start, "shop.customers")
        assert "crm@acme.example" in start.inner_text("header")
        follow(start, "email")

        assert "shop.best_customers" in shown(start)
        assert "schema-publisher impact shop.customers.email" in shown(start)

        follow(start, "What goes with it if it is dropped")
        assert "shop.best_customers" in shown(start)

    def test_learns_who_owns_the_readers(self, start: Page) -> None:
        follow(start, "Catalog")
        follow(start, "shop")

        assert "sales@acme.example" in shown(start)


class TestAConsumer:
    def test_learns_how_to_install_and_use_a_package(self, start: Page) -> None:
        follow(start, "Packages")
        follow(start, f"{PREFIX}-shop-orders")

        assert f'"{PREFIX}-shop-orders==2.0.*"' in shown(start)
        assert "from acme_schemas.shop.orders import" in shown(start)

    def test_learns_what_to_edit_after_a_major_version(self, start: Page) -> None:
        follow(start, "Packages")
        follow(start, f"{PREFIX}-shop-orders")
        follow(start, "What to edit since 1.1.0")

        assert "status was removed: delete reads of record.status" in shown(start)


def test_no_link_is_dead(shop: Service) -> None:
    """Every address that a page of this service names is answered."""
    assert shop.url is not None
    start = f"{shop.url}/"
    named_by = {start: "the start"}
    waiting = [start]
    dead = []
    while waiting:
        address = waiting.pop()
        try:
            as_a_browser = urllib.request.Request(address, headers={"Accept": "text/html"})
            with urllib.request.urlopen(as_a_browser) as answer:
                is_page = answer.headers.get_content_type() == "text/html"
                body = answer.read()
        except urllib.error.HTTPError as error:
            error.close()
            dead.append(f"{address} ({error.code}), named by {named_by[address]}")
            continue
        if not is_page or "/simple/" in address:
            continue
        for link in Outline(body.decode()).links:
            found, _ = urldefrag(urljoin(address, link))
            if found.startswith(start) and found not in named_by:
                named_by[found] = address
                waiting.append(found)
    assert not dead, "\n".join(dead)
    assert len(named_by) > 100


@pytest.mark.parametrize("width", [390, 1280])
def test_a_picture_opens_at_what_it_is_about_and_then_scrolls_freely(
    shop: Service, browser: Browser, width: int
) -> None:
    browsing = context(browser, width=width)
    with visited(browsing, f"{shop.url}/lineage/shop.customer_value/spent") as visit:
        frame, subject = (visit.page.locator(f"main {each}") for each in (".drawing", "g.focus"))
        outer, inner = frame.bounding_box(), subject.bounding_box()
        assert outer is not None
        assert inner is not None
        assert outer["x"] <= inner["x"] <= outer["x"] + outer["width"] - inner["width"]
        assert outer["y"] <= inner["y"] <= outer["y"] + outer["height"] - inner["height"]

        # Not by a function that the page polls: its policy forbids to evaluate texts.
        assert eventually(lambda: frame.evaluate("box => box.getAnimations().length") == 0)
        scrolled = frame.evaluate(
            "box => { box.scrollTo(0, 0); return [box.scrollLeft, box.scrollTop] }"
        )
        assert scrolled == [0, 0]
    browsing.close()
