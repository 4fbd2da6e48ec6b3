"""The page of a relation, only for operators: trouble, remedy, SQL, neighbours, versions."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from markupsafe import escape
from prometheus_client import CollectorRegistry

from lakeschema.catalog.identifiers import RelationName
from publisher.index.static import StaticIndex
from publisher.state.protocol import StateUnavailable
from publisher.web.access import UNPROTECTED, Access
from publisher.web.addresses import Link
from publisher.web.app import create_app, create_operations_app, create_public_app
from publisher.web.details import (
    Definition,
    FieldList,
    OutstandingWork,
    RelatedRelation,
    RelatedRelations,
    RelationDetails,
    VersionLine,
)
from publisher.web.fields import FieldRow
from publisher.web.packages import Site
from publisher.web.relation_page import relation_page
from publisher.web.status import (
    FoundPackage,
    FoundRelation,
    FoundRelations,
    Neighbour,
    RelationSummary,
)
from tests.publisher.index.wheels import sample_wheel
from tests.publisher.web.asgi_client import AsgiClient
from tests.publisher.web.daemon_double import IdleDaemon
from tests.publisher.web.html_outline import Outline
from tests.publisher.web.packages import HOSTILE, field, record_schema, wheels
from tests.publisher.web.test_translations import Answering

TOKEN = "a token of the operators"
PROJECT = "acme-schema-shop-orders"
ORDER_ID = FieldRow("order_id", 0, "long", required=True, column="order_id")
ORDERS = RelationDetails(
    relation="shop.orders",
    status="BROKEN",
    meaning="it cannot be derived",
    reason="column gone does not exist",
    remedy="repair shop.raw first",
    distribution=PROJECT,
    definition=Definition("view", "SELECT gone FROM shop.raw", "As the catalog has it now."),
    fields=FieldList((ORDER_ID,), 3, (), "Of version 1.0.0"),
    reads=RelatedRelations((RelatedRelation("shop.raw", "MISSING"),), 1),
    read_by=RelatedRelations((RelatedRelation("shop.`a/b ?#`", "OK"),), 10_000),
    versions=(VersionLine("1.0.0", "PUBLISHED", "first", ("first version",), 1_000_000.0),),
    more_versions=0,
    work=OutstandingWork(0.0, 60.0, is_in_progress=False, failures=2, retries=3, last_error="403"),
)


def hostile(name: str) -> RelationDetails:
    related = RelatedRelations((RelatedRelation(name, HOSTILE),), 1)
    return RelationDetails(
        relation=name,
        status=HOSTILE,
        meaning=HOSTILE,
        reason=HOSTILE,
        remedy=HOSTILE,
        distribution=HOSTILE,
        definition=Definition(HOSTILE, HOSTILE, HOSTILE),
        fields=FieldList(
            (FieldRow(HOSTILE, 0, HOSTILE, required=True, documentation=HOSTILE),),
            0,
            (HOSTILE,),
            HOSTILE,
        ),
        reads=related,
        read_by=related,
        versions=(VersionLine(HOSTILE, HOSTILE, HOSTILE, (HOSTILE,), 1e30),),
        more_versions=0,
        work=OutstandingWork(
            1e30, -1e30, is_in_progress=False, failures=0, retries=0, last_error=HOSTILE
        ),
    )


def client_of(
    *details: RelationDetails, index: StaticIndex | None = None, access: Access = UNPROTECTED
) -> AsgiClient:
    daemon = IdleDaemon(known={RelationName.parse(d.relation): d for d in details})
    return AsgiClient(create_app(index, daemon, registry=CollectorRegistry(), access=access))


@pytest.fixture
def index(tmp_path: Path) -> StaticIndex:
    index = StaticIndex(tmp_path)
    index.upload(sample_wheel())
    return index


def test_it_shows_the_trouble_and_the_remedy_and_all_that_is_known(index: StaticIndex) -> None:
    answer = client_of(ORDERS, index=index).get("/relations/shop.orders")

    outline = Outline(answer.text)
    assert answer.status_code == 200
    assert outline.faults == []
    assert len(set(outline.ids)) == len(outline.ids)
    for shown in (
        "BROKEN: it cannot be derived.",
        "column gone does not exist",
        "What to do: repair shop.raw first.",
        "SELECT gone FROM shop.raw",
        "Next try1970-01-01 00:01:00 UTC",
        "Last error: 403",
        "order_id",
        "… and 3 more.",
        "Read by (10000)",
        "… and 9999 more",
        "first version",
        "1970-01-12 13:46:40 UTC",
    ):
        assert shown in outline.text
    assert outline.links == [
        "/catalog",
        f"/packages/{PROJECT}",
        "/impact/shop.orders",
        "/relations/shop.raw",
        "/relations/shop.%60a%2Fb%20%3F%23%60",
    ]


def test_a_column_with_a_known_lineage_leads_to_its_sources_and_readers() -> None:
    known = Outline(relation_page(ORDERS, Link(""), ("order_id",)).decode()).links
    unknown = Outline(relation_page(ORDERS, Link(""), ("other",)).decode()).links

    readers = "/lineage/shop.orders/order_id?direction=downstream&depth=all"
    assert readers in known
    assert readers not in unknown
    assert "/impact/shop.orders/order_id" in known
    assert "/impact/shop.orders/order_id" not in unknown


def test_a_column_whose_name_is_none_in_avro_leads_to_its_readers() -> None:
    row = FieldRow("größe_x", 0, "long", required=True, column="größe/x")
    details = replace(ORDERS, fields=FieldList((row,), 0, (), "Of version 1.0.0"))

    outline = Outline(relation_page(details, Link(""), ("größe/x",)).decode())

    address = "shop.orders/gr%C3%B6%C3%9Fe%2Fx"
    assert f"/lineage/{address}?direction=downstream&depth=all" in outline.links
    assert f"/impact/{address}" in outline.links
    assert "column größe/x" in outline.text


@pytest.mark.parametrize("name", ["shop.orders", 'shop.`a&b="c"`'])
def test_a_view_leads_to_its_translation(name: str) -> None:
    view = replace(ORDERS, relation=str(RelationName.parse(name)))
    daemon = IdleDaemon(known={RelationName.parse(name): view})
    registry = CollectorRegistry()
    app = AsgiClient(create_app(None, daemon, registry=registry, translator=Answering()))

    page = Outline(app.get(f"/relations/{quote(view.relation, safe='')}").text)

    [address] = [link for link in page.links if link.startswith("/translate?")]
    assert escape(view.relation) in app.get(address).text
    assert parse_qs(urlsplit(address).query) == {"relation": [view.relation]}


def test_only_views_of_a_service_that_translates_lead_to_a_translation() -> None:
    table = replace(ORDERS, definition=replace(ORDERS.definition, kind="table"))
    registry = CollectorRegistry()
    daemon = IdleDaemon(known={RelationName.parse(table.relation): table})
    translating = AsgiClient(create_app(None, daemon, registry=registry, translator=Answering()))

    assert "/translate?" not in translating.get("/relations/shop.orders").text
    assert "/translate?" not in client_of(ORDERS).get("/relations/shop.orders").text


def test_a_relation_that_was_never_read_leads_to_no_impact() -> None:
    unread = replace(ORDERS, status="UNKNOWN")

    links = Outline(client_of(unread).get("/relations/shop.orders").text).links

    assert "/impact/shop.orders" not in links


def test_its_headings_go_down_one_step_at_a_time() -> None:
    headings = Outline(client_of(ORDERS).get("/relations/shop.orders").text).headings

    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(below - above <= 1 for above, below in pairwise(headings))


def test_a_relation_without_anything_has_a_page() -> None:
    none = RelatedRelations((), 0)
    bare = replace(
        ORDERS,
        reason="",
        remedy="",
        distribution="",
        definition=Definition("table", "", "A table."),
        fields=None,
        reads=none,
        read_by=none,
        versions=(),
        work=None,
    )

    outline = Outline(client_of(bare).get("/relations/shop.orders").text)

    assert outline.faults == []
    assert "No schema of it is known." in outline.text
    assert outline.links == ["/catalog", "/impact/shop.orders"]


@pytest.mark.parametrize(
    "name",
    [
        "shop.`a/b`",
        "shop.`..`",
        "`..`.`..`",
        "shop.`%2e%2f`",
        "shop.`a``b`",
        "shop.`größe ☃`",
        f"shop.`{HOSTILE.replace('`', '``').lower()}`",
        "shop.`a\nb`",
        "shop.`x?q=1#y`",
    ],
)
def test_a_hostile_name_has_a_page_whose_links_lead_back_to_it(name: str) -> None:
    details = hostile(str(RelationName.parse(name)))
    client = client_of(details)
    found = FoundRelations((FoundRelation(details.relation, "OK"),), 1)
    start = AsgiClient(create_app(None, IdleDaemon(found=found), registry=CollectorRegistry()))

    _, address = Outline(start.get("/").text).links
    answer = client.get(address)

    outline = Outline(answer.text)
    assert answer.status_code == 200
    assert "<script" not in answer.text
    assert "<b>" not in answer.text
    assert outline.faults == []
    impact = address.replace("/relations/", "/impact/")
    assert outline.links == ["/catalog", impact, address, address]
    assert client.get(impact).status_code == 200
    assert {*client.get(address).headers["content-security-policy"].split("; ")} >= {
        "default-src 'none'",
        "frame-ancestors 'none'",
    }


def test_a_command_for_a_terminal_quotes_the_name() -> None:
    page = client_of(hostile("shop.`x; rm -rf ~`")).get("/relations/shop.%60x; rm -rf ~%60").text

    assert "schema-publisher explain 'shop.`x; rm -rf ~`'" in Outline(page).text


@pytest.mark.parametrize("stated", ["SHOP.Orders", "`shop`.orders", "shop.%60orders%60"])
def test_another_spelling_leads_to_the_one_address(stated: str) -> None:
    answer = client_of(ORDERS).get(f"/relations/{stated}")

    assert answer.status_code == 301
    assert answer.headers["location"] == "/relations/shop.orders"


@pytest.mark.parametrize(
    "stated",
    ["shop.nothing", "shop.", "%60", "a b", "%3Cscript%3E", "x" * 2_000, "shop.orders/"],
)
def test_an_unknown_relation_is_not_found(stated: str) -> None:
    answer = client_of(ORDERS).get(f"/relations/{stated}")

    assert answer.status_code == 404
    assert "<script" not in answer.text
    assert len(answer.text) < 20_000


def test_an_unknown_relation_is_told_with_names_like_it() -> None:
    answer = client_of(ORDERS).get("/relations/shop.ordres")

    assert answer.status_code == 404
    assert "/relations/shop.orders" in Outline(answer.text).links


class TestWhoMayRead:
    def test_only_operators_where_there_is_a_token(self, index: StaticIndex) -> None:
        client = client_of(ORDERS, index=index, access=Access(TOKEN))

        for address in ("/relations/shop.orders", "/relations/shop.nothing"):
            refused = client.get(address)
            assert refused.status_code == 401
            assert "gone" not in refused.text
        shown = client.get("/relations/shop.orders", headers={"Authorization": f"Bearer {TOKEN}"})
        assert shown.status_code == 200

    def test_nobody_on_the_public_port(self, index: StaticIndex) -> None:
        daemon = IdleDaemon(known={RelationName.of("shop", "orders"): ORDERS})
        public = AsgiClient(create_public_app(index, daemon))
        operations = create_operations_app(
            daemon, registry=CollectorRegistry(), access=Access(None, has_own_port=True)
        )

        assert public.get("/relations/shop.orders").status_code == 404
        shown = AsgiClient(operations).get("/relations/shop.orders")
        assert shown.status_code == 200
        assert "/packages/" not in "".join(Outline(shown.text).links)

    def test_a_package_page_leads_to_its_relation_for_who_may_read_that(
        self, tmp_path: Path
    ) -> None:
        index = StaticIndex(tmp_path)
        index.upload(wheels("shop.orders", [record_schema(field("id"))])[0])
        neighbours = (Neighbour("shop.raw", "acme-schema-shop-raw"),)
        site = Site(lambda _: RelationSummary("OK", "", neighbours, ()))
        app = create_app(
            index, IdleDaemon(), site=site, registry=CollectorRegistry(), access=Access(TOKEN)
        )
        client, address = AsgiClient(app), f"/packages/{PROJECT}"

        for headers, expected in (({}, False), ({"Authorization": f"Bearer {TOKEN}"}, True)):
            links = {*Outline(client.get(address, headers=headers).text).links}
            assert ({"/relations/shop.orders", "/relations/shop.raw"} <= links) is expected
            assert any(link.startswith("/relations/") for link in links) is expected
        public = AsgiClient(create_public_app(index, IdleDaemon(), site=site)).get(address)
        assert "/relations/" not in public.text


def test_versions_of_a_dropped_relation_are_yanked() -> None:
    dropped = replace(ORDERS, are_yanked=True)

    page = relation_page(dropped, Link(PROJECT)).decode()

    assert ">PUBLISHED, yanked</td>" in page


class Unreadable(IdleDaemon):
    def relation(self, name: RelationName) -> RelationDetails | None:
        raise StateUnavailable(f"/secret/path of {name}")

    def search(self, asked: str, limit: int) -> FoundRelations:
        raise StateUnavailable(f"/secret/path {asked} {limit}")


def test_while_the_state_cannot_be_read_the_start_page_answers_and_a_relation_is_unavailable() -> (
    None
):
    client = AsgiClient(create_app(None, Unreadable(), registry=CollectorRegistry()))

    assert client.get("/", params={"q": "x"}).status_code == 200
    refused = client.get("/relations/shop.orders")
    assert refused.status_code == 503
    assert "secret" not in refused.text


class TestSearch:
    def test_the_start_page_finds_relations_without_a_script(self) -> None:
        found = FoundRelations(
            (FoundRelation("shop.orders", "BROKEN", PROJECT, "field order_id"),), 7
        )
        app = create_app(None, IdleDaemon(found=found), registry=CollectorRegistry())

        outline = Outline(AsgiClient(app).get("/", params={"q": "order_id"}).text)

        assert ("form", "method", "get") in outline.attributes
        assert ("input", "value", "order_id") in outline.attributes
        assert "Relations found (7)" in outline.text
        assert "field order_id" in outline.text
        assert "… and 6 more." in outline.text
        assert "/relations/shop.orders" in outline.links

    @pytest.mark.parametrize("asked", ["shop.orders", "SHOP_ORDERS", "shopord", "Schema-Shop"])
    def test_packages_are_found_by_parts_of_names(self, index: StaticIndex, asked: str) -> None:
        index.upload(sample_wheel("acme-schema-other"))
        client = AsgiClient(create_public_app(index, IdleDaemon()))

        for address in ("/", "/packages/"):
            text = Outline(client.get(address, params={"q": asked}).text).text
            assert "Packages (1 of 2)" in text

    def test_packages_are_found_by_what_they_say_if_the_index_has_them(
        self, index: StaticIndex
    ) -> None:
        said = [
            FoundPackage(PROJECT, "field order_id"),
            FoundPackage("acme-schema-withdrawn", "field order_id"),
        ]
        site = Site(search=lambda asked: said if asked == "order id" else [])
        client = AsgiClient(create_public_app(index, IdleDaemon(), site=site))

        text = Outline(client.get("/packages/", params={"q": "order id"}).text).text

        assert "Packages (1 of 1)" in text
        assert "field order_id" in text
        assert "withdrawn" not in text

    def test_the_whole_name_comes_first_then_its_beginning(self, tmp_path: Path) -> None:
        index = StaticIndex(tmp_path)
        for name in ("a-shop-ids-old", "a-shop-ids", "a-my-shop-ids-x"):
            index.upload(sample_wheel(name))
        client = AsgiClient(create_public_app(index, IdleDaemon(), site=Site(prefix="a")))

        links = Outline(client.get("/packages/", params={"q": "shop.ids"}).text).links

        assert links[:3] == [
            "/packages/a-shop-ids",
            "/packages/a-shop-ids-old",
            "/packages/a-my-shop-ids-x",
        ]

    def test_packages_are_found_by_name_while_the_state_cannot_be_read(
        self, index: StaticIndex
    ) -> None:
        def fail(asked: str) -> list[FoundPackage]:
            raise StateUnavailable(asked)

        client = AsgiClient(create_public_app(index, IdleDaemon(), site=Site(search=fail)))

        assert "(1 of 1)" in client.get("/packages/", params={"q": "orders"}).text
