"""The bar on every page: which deployment this is, and the pages that exist for this reader."""

from __future__ import annotations

from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from publisher.index.static import StaticIndex
from publisher.web.access import UNPROTECTED, Access
from publisher.web.app import create_app, create_operations_app, create_public_app
from publisher.web.navigation import Deployed
from publisher.web.packages import Site
from tests.publisher.index.wheels import sample_wheel
from tests.publisher.web.asgi_client import AsgiClient
from tests.publisher.web.daemon_double import IdleDaemon
from tests.publisher.web.html_outline import Outline
from tests.publisher.web.packages import HOSTILE

TOKEN = "a token of the operators"
OWNER = {"Authorization": f"Bearer {TOKEN}"}
SITE = Site(deployed=Deployed(HOSTILE, "red", "1.2.3"))
PACKAGE = "/packages/acme-schema-shop-orders"


@pytest.fixture
def index(tmp_path: Path) -> StaticIndex:
    index = StaticIndex(tmp_path)
    index.upload(sample_wheel())
    return index


def app_of(index: StaticIndex | None, access: Access = UNPROTECTED) -> AsgiClient:
    registry = CollectorRegistry()
    return AsgiClient(create_app(index, IdleDaemon(), site=SITE, registry=registry, access=access))


@pytest.mark.parametrize(
    "address", ["/", "/catalog", "/packages/", PACKAGE, "/lineage", "/nowhere"]
)
def test_every_page_names_the_deployment_its_colour_and_the_release(
    index: StaticIndex, address: str
) -> None:
    page = app_of(index).get(address, headers={"Accept": "text/html"})

    outline = Outline(page.text)
    assert outline.faults == []
    assert HOSTILE in outline.text
    assert "<script" not in page.text
    assert ("nav", "class", "site red") in outline.attributes
    assert "schema-publisher 1.2.3" in outline.text
    assert outline.navigation[:2] == ["#main", "/"]


@pytest.mark.parametrize(
    ("address", "current"),
    [("/catalog", "Catalog"), (PACKAGE, "Packages"), ("/lineage", "Lineage")],
)
def test_the_bar_marks_where_the_reader_is(index: StaticIndex, address: str, current: str) -> None:
    page = app_of(index).get(address).text

    assert page.count('aria-current="true"') == 1
    assert f'aria-current="true">{current}</a>' in page


def test_the_bar_leads_only_to_pages_that_exist(index: StaticIndex) -> None:
    public = AsgiClient(create_public_app(index, IdleDaemon(), site=SITE))
    own_port = AsgiClient(
        create_operations_app(
            IdleDaemon(), registry=CollectorRegistry(), access=Access(has_own_port=True)
        )
    )

    for client, start in (
        (app_of(index), "/"),
        (app_of(None), "/"),
        (public, "/"),
        (own_port, "/"),
    ):
        addresses = Outline(client.get(start).text).navigation[1:]
        assert {client.get(address).status_code for address in addresses} == {200}
    assert "/catalog" not in Outline(public.get("/").text).navigation
    assert "/packages/" not in Outline(own_port.get("/").text).navigation


@pytest.mark.parametrize("address", ["/health/ready", "/nowhere"])
def test_changes_are_offered_only_to_those_who_may_read_them(address: str) -> None:
    """Without the pages of packages, the list is for operators."""
    client = app_of(None, Access(TOKEN))

    def offered(headers: dict[str, str]) -> bool:
        page = client.get(address, headers={"Accept": "text/html", **headers})
        return "/changes" in Outline(page.text).navigation

    assert client.get("/changes").status_code == 401
    assert not offered({})
    assert offered(OWNER)


def test_a_page_that_is_kept_for_one_reader_shows_another_only_what_they_may_see(
    index: StaticIndex,
) -> None:
    client = app_of(index, Access(TOKEN))

    pages = [client.get(PACKAGE, headers=headers).text for headers in (OWNER, {}, OWNER, {})]

    shows = ["/catalog" in Outline(page).navigation for page in pages]
    assert shows == [True, False, True, False]


def test_the_search_for_lineage_leads_to_the_named_place(index: StaticIndex) -> None:
    client = app_of(index)

    answer = client.get("/lineage", params={"of": "shop.`a b`/größe"})

    assert answer.status_code == 303
    assert answer.headers["location"] == "/lineage/shop.%60a%20b%60/gr%C3%B6%C3%9Fe"
    assert client.get("/lineage", params={"of": ".."}).status_code == 200
