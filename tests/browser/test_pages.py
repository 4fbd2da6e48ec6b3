"""Each page in a real browser: in light and dark, on a phone and a desktop, with and without scripts, by keyboard."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import NamedTuple
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, BrowserContext
from prometheus_client import CollectorRegistry

from publisher.index.static import StaticIndex
from publisher.web.app import create_app
from publisher.web.listing import CatalogueFigures
from publisher.web.overview import Held, Overview
from publisher.web.server import WebServer
from publisher.web.status import RelationStatus, ServiceStatus
from tests.browser.lakes import HOSTILE_COLUMN, PREFIX, running_shop
from tests.browser.visits import (
    DESKTOP,
    PHONE,
    Scheme,
    context,
    overflow,
    violations,
    visited,
    walk_by_keyboard,
)
from tests.publisher.web.daemon_double import IdleDaemon

pytestmark = pytest.mark.slow

MAX_GZIPPED = 30_000
MAX_REQUESTS = 4
SHOP, TROUBLED, HOLDING, EMPTY = "shop", "troubled", "holding", "empty"
AGE = re.compile(r"\b\d+ (s|min)\b")
LONG = "a_rather_long_name_of_a_database.and_an_even_longer_name_of_a_table_that_nobody_would_type"


WORK = Overview(
    1_000_000.0,
    CatalogueFigures(),
    hours=(*[0] * 40, *range(8)),
    held=(
        Held(
            f"deletions in {LONG}",
            "180 of 200 relations are missing",
            f"schema-publisher confirm-deletions {LONG}",
        ),
        Held(f"new versions of {LONG}", "", ""),
    ),
)


class Shown(NamedTuple):
    site: str
    address: str
    status: int = 200


PAGES = {
    "start": Shown(SHOP, "/"),
    "start, not ready": Shown(TROUBLED, "/"),
    "start, changes held": Shown(HOLDING, "/"),
    "start, empty": Shown(EMPTY, "/"),
    "search": Shown(SHOP, "/?q=total"),
    "search, nothing": Shown(SHOP, "/?q=nothing+at+all"),
    "packages": Shown(SHOP, "/packages/"),
    "packages, empty": Shown(EMPTY, "/packages/"),
    "packages, found": Shown(SHOP, "/packages/?q=total"),
    "package of a table": Shown(SHOP, f"/packages/{PREFIX}-shop-orders"),
    "package of a view": Shown(SHOP, f"/packages/{PREFIX}-shop-customer-value"),
    "package, hostile": Shown(SHOP, f"/packages/{PREFIX}-odd-texts"),
    "package, dropped": Shown(SHOP, f"/packages/{PREFIX}-shop-returns"),
    "no package": Shown(SHOP, f"/packages/{PREFIX}-shop-order", 404),
    "relation, a table": Shown(SHOP, "/relations/shop.orders"),
    "relation, a view": Shown(SHOP, "/relations/shop.customer_value"),
    "relation, broken": Shown(SHOP, "/relations/shop.open_orders"),
    "relation, hostile": Shown(SHOP, "/relations/odd.shown"),
    "no relation": Shown(SHOP, "/relations/shop.order", 404),
    "lineage": Shown(SHOP, "/lineage/shop.customer_value?depth=all"),
    "lineage of a column": Shown(SHOP, "/lineage/shop.customer_value/spent?depth=all"),
    "lineage, hostile": Shown(SHOP, "/lineage/odd.shown/made?depth=all"),
    "impact": Shown(SHOP, "/impact/shop.orders"),
    "impact of a column": Shown(SHOP, "/impact/shop.customers/email"),
    "impact, nothing": Shown(SHOP, "/impact/shop.country_revenue/revenue"),
    "impact, hostile": Shown(SHOP, f"/impact/odd.texts/{quote(HOSTILE_COLUMN, safe='')}"),
    "no lineage": Shown(SHOP, "/lineage/shop.order", 404),
    "health": Shown(SHOP, "/health/ready"),
    "health, not ready": Shown(TROUBLED, "/health/ready", 503),
    "translate": Shown(SHOP, "/translate"),
    "catalog": Shown(SHOP, "/catalog"),
    "catalog, a namespace": Shown(SHOP, "/catalog?namespace=shop"),
    "catalog, broken": Shown(SHOP, "/catalog?status=BROKEN"),
    "catalog, hostile": Shown(SHOP, "/catalog?q=%3Cscript%3Ealert(1)%3C/script%3E"),
    "changes": Shown(SHOP, "/changes"),
    "difference": Shown(SHOP, f"/packages/{PREFIX}-shop-orders/diff/1.0.0...2.0.0"),
    "difference of a view": Shown(SHOP, f"/packages/{PREFIX}-shop-order-totals/diff/1.0.0...2.0.0"),
    "no difference": Shown(SHOP, f"/packages/{PREFIX}-shop-orders/diff/1.0.0...9.0.0", 404),
    "version": Shown(SHOP, f"/packages/{PREFIX}-shop-orders/1.0.0"),
    "version, hostile": Shown(SHOP, f"/packages/{PREFIX}-odd-texts/1.0.0"),
    "no version": Shown(SHOP, f"/packages/{PREFIX}-shop-orders/7.0.0", 404),
    "lineage search": Shown(SHOP, "/lineage"),
    "lineage search, found": Shown(SHOP, "/lineage?of=total"),
    "no page": Shown(SHOP, "/nothing/<script>", 404),
}
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
LOOKS = {
    f"{scheme}, {width} px": (scheme, width) for scheme in SCHEMES for width in (PHONE, DESKTOP)
}


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    """The address of each site."""
    status = ServiceStatus(
        ready=False,
        reason="catalog: https://metastore.acme.example:9083/ is silent since 2026-11-30 05:39 UTC",
        figures={"relations OK": 99_940, "relations BROKEN": 60, "outstanding work": 1_234},
        relations=tuple(
            RelationStatus(
                f"{LONG}_{n}", "BROKEN", f"column {LONG} does not exist " * 5, LONG, "1.0.0"
            )
            for n in range(60)
        ),
        more_relations=40,
    )
    with ExitStack() as running:
        shop = running.enter_context(running_shop(tmp_path_factory.mktemp("shop"), hostile=True))
        assert shop.url is not None
        index = StaticIndex(tmp_path_factory.mktemp("index"))
        addresses = {SHOP: shop.url}
        troubled = IdleDaemon(status, {"catalog": "is silent", f"receive {LONG}": LONG})
        idle = {TROUBLED: troubled, HOLDING: IdleDaemon(work=WORK), EMPTY: IdleDaemon()}
        for site, daemon in idle.items():
            app = create_app(index, daemon, registry=CollectorRegistry())
            addresses[site] = running.enter_context(WebServer(app)).url
        yield addresses


@pytest.fixture(scope="module")
def looks(browser: Browser) -> Mapping[str, BrowserContext]:
    return {
        name: context(browser, scheme=scheme, width=width)
        for name, (scheme, width) in LOOKS.items()
    }


@pytest.fixture(scope="module")
def without_scripts(browser: Browser) -> BrowserContext:
    return context(browser, scripts=False)


@pytest.mark.alike("look", keep=2)
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_everybody_can_read_it(
    name: str, look: str, sites: Mapping[str, str], looks: Mapping[str, BrowserContext]
) -> None:
    site, address, status = PAGES[name]

    with visited(looks[look], sites[site] + address) as visit:
        assert visit.status == status
        assert overflow(visit.page) <= 0
        assert visit.page.title().strip()
        assert visit.page.locator("h1").count() == 1
        assert violations(visit.page) == []
        assert visit.complaints == []
        assert len(visit.requests) <= MAX_REQUESTS
        assert all(url.startswith(sites[site]) for url in visit.requests)
    assert len(gzip.compress(visit.body)) <= MAX_GZIPPED


@pytest.mark.parametrize("name", PAGES)
def test_it_needs_no_script(
    name: str,
    sites: Mapping[str, str],
    looks: Mapping[str, BrowserContext],
    without_scripts: BrowserContext,
) -> None:
    site, address, _ = PAGES[name]

    with (
        visited(looks[f"light, {DESKTOP} px"], sites[site] + address) as with_scripts,
        visited(without_scripts, sites[site] + address) as visit,
    ):
        text, expected = (
            AGE.sub("AGE", each.page.inner_text("body")) for each in (visit, with_scripts)
        )
    assert text == expected
    assert len(text) > 50


@pytest.mark.alike("look", keep=1)
@pytest.mark.parametrize("look", [f"light, {PHONE} px", f"dark, {DESKTOP} px"])
@pytest.mark.parametrize("name", PAGES)
def test_a_keyboard_reaches_everything(
    name: str, look: str, sites: Mapping[str, str], looks: Mapping[str, BrowserContext]
) -> None:
    site, address, _ = PAGES[name]

    with visited(looks[look], sites[site] + address) as visit:
        focus = walk_by_keyboard(visit.page)

    assert focus.reached
    assert focus.unreachable == []
    assert focus.invisible == []


QUESTIONS = {
    "translated": ("SELECT id, total FROM shop.orders WHERE channel = 'web'", "Answer"),
    "refused": ("SELECT `</textarea><script>alert(1)</script>` FROM shop.orders", "No answer"),
}


@pytest.mark.alike("look", keep=2)
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_everybody_can_read_a_translation(
    question: str, look: str, sites: Mapping[str, str], looks: Mapping[str, BrowserContext]
) -> None:
    text, heading = QUESTIONS[question]

    with visited(looks[look], f"{sites[SHOP]}/translate") as visit:
        page = visit.page
        page.get_by_label("A query").fill(text)
        with page.expect_navigation():
            page.get_by_role("button", name="Translate").click()

        assert page.get_by_role("heading", name=heading, exact=True).count() == 1
        assert page.get_by_label("A query").input_value() == text
        assert overflow(page) <= 0
        assert violations(page) == []
        focus = walk_by_keyboard(page)
        # A browser tells of the refused answer's status, 400 or 422.
        assert [each for each in visit.complaints if "status of 4" not in each] == []
    assert (focus.unreachable, focus.invisible) == ([], [])
