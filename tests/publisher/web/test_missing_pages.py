"""Addresses without a page: help for people, JSON or plain text for programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest
from prometheus_client import CollectorRegistry

from lakeschema.catalog.identifiers import RelationName
from publisher.index.static import StaticIndex
from publisher.state.protocol import StateUnavailable
from publisher.web.access import UNPROTECTED, Access
from publisher.web.app import create_app, create_public_app
from publisher.web.details import RelationDetails
from tests.publisher.index.wheels import sample_wheel
from tests.publisher.web.asgi_client import AsgiClient
from tests.publisher.web.daemon_double import IdleDaemon
from tests.publisher.web.html_outline import Outline
from tests.publisher.web.packages import HOSTILE
from tests.publisher.web.test_relation_page import ORDERS

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
PIP = {
    "Accept": "application/vnd.pypi.simple.v1+json, "
    "application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01"
}
KNOWN = {RelationName.of("shop", "orders"): ORDERS}


@pytest.fixture
def index(tmp_path: Path) -> StaticIndex:
    index = StaticIndex(tmp_path)
    index.upload(sample_wheel())
    return index


def client_of(
    index: StaticIndex | None, access: Access = UNPROTECTED, daemon: IdleDaemon | None = None
) -> AsgiClient:
    known = daemon or IdleDaemon(known=KNOWN)
    return AsgiClient(create_app(index, known, registry=CollectorRegistry(), access=access))


@pytest.mark.parametrize("address", ["/shop.orders", "/catalog/shop.orders", "/tables/shop.ordrs"])
def test_a_browser_is_told_what_the_address_may_mean(index: StaticIndex, address: str) -> None:
    answer = client_of(index).get(address, headers=BROWSER)

    page = Outline(answer.text)
    assert answer.status_code == 404
    assert page.faults == []
    assert address in page.text
    assert {"/relations/shop.orders", "/catalog", "/"} <= {*page.links}


def test_similar_packages_are_named(index: StaticIndex) -> None:
    page = client_of(index).get("/package/acme-schema-shop-order", headers=BROWSER)

    assert "/packages/acme-schema-shop-orders" in Outline(page.text).links


def test_others_than_operators_are_told_no_relation(index: StaticIndex) -> None:
    public = AsgiClient(create_public_app(index, IdleDaemon(known=KNOWN)))
    protected = client_of(index, Access("a token of the operators"))

    for client in (public, protected):
        links = Outline(client.get("/shop.orders", headers=BROWSER).text).links
        assert not [link for link in links if "shop.orders" in link and "packages" not in link]
        assert "/catalog" not in links


@pytest.mark.parametrize("path", ["/simple/nothing/", "/simple/a/b.whl", "/metrics/x", "/events/x"])
@pytest.mark.parametrize("headers", [BROWSER, PIP, {}], ids=["browser", "pip", "none"])
def test_installers_and_programs_get_no_page(
    index: StaticIndex, path: str, headers: dict[str, str]
) -> None:
    answer = client_of(index).get(path, headers=headers)

    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/plain")


def test_programs_get_json_or_plain_text(index: StaticIndex) -> None:
    client = client_of(index)

    stated = client.get("/nowhere", headers={"Accept": "application/json"})
    plain = client.get("/nowhere", headers={"Accept": "*/*"})

    assert (stated.status_code, stated.json()) == (404, {"error": "Not Found"})
    assert (plain.status_code, plain.text) == (404, "Not Found")


@pytest.mark.parametrize("name", [HOSTILE, "\u202egnp.exe", "x" * 3_000, "`", "a..b", "\ud800"])
def test_hostile_addresses_are_escaped(index: StaticIndex, name: str) -> None:
    address = f"/{quote(name, errors='surrogatepass', safe='')}"

    answer = client_of(index).get(address, headers=BROWSER)

    assert answer.status_code == 404
    assert "<script" not in answer.text
    assert Outline(answer.text).faults == []
    assert len(answer.content) < 60_000


@dataclass(frozen=True)
class Unreadable(IdleDaemon):
    def relation(self, name: RelationName) -> RelationDetails | None:
        raise StateUnavailable("locked")


def test_a_page_is_missing_even_while_the_state_cannot_be_read() -> None:
    answer = client_of(None, daemon=Unreadable()).get("/shop.orders", headers=BROWSER)

    assert answer.status_code == 404
    assert "No such page" in answer.text
