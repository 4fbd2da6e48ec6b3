"""Pictures of lineage over HTTP: for people who ask for HTML, and on the pages of packages and relations."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from prometheus_client import CollectorRegistry

from lakeschema.catalog.identifiers import RelationName
from publisher.daemon.adapters import open_catalog
from publisher.daemon.definitions import Definitions
from publisher.daemon.relation_details import DetailsReader
from publisher.daemon.shown import ShownState
from publisher.index.static import StaticIndex
from publisher.lineage.neighbourhood import Neighbourhood
from publisher.lineage.questions import FoundPlaces, NotFound
from publisher.lineage.values import Direction, Traced
from publisher.outages import Outages
from publisher.selection import EVERYTHING
from publisher.settings import load_settings
from publisher.web.access import UNPROTECTED, Access
from publisher.web.app import create_app
from publisher.web.details import RelationDetails
from publisher.web.negotiation import prefers_html
from publisher.web.packages import Site
from tests.publisher.commands.folder import Folder
from tests.publisher.web.asgi_client import AsgiClient
from tests.publisher.web.daemon_double import IdleDaemon
from tests.publisher.web.html_outline import Outline

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
LONG = "x" * 120
DDL = f"""\
CREATE TABLE shop.orders (id bigint, customer string, day date, `a/b` int)
  TBLPROPERTIES ('owner' = 'sales<b>@acme.example');
CREATE VIEW shop.paid AS SELECT id, upper(customer) AS who FROM shop.orders WHERE day > '2020-01-01';
CREATE VIEW shop.`<script>alert(1)</script>` AS SELECT concat('<img src=x>', who) AS `"><b>` FROM shop.paid;
CREATE VIEW shop.{LONG} AS SELECT `a/b` FROM shop.orders;
CREATE VIEW shop.wrong AS SELECT nothing FROM shop.orders;
"""


@dataclass(frozen=True)
class Knowing(IdleDaemon):
    """A daemon that has a state."""

    state: ShownState | None = None
    details: DetailsReader | None = None

    def relation(self, name: RelationName) -> RelationDetails | None:
        assert self.details is not None
        return self.details.read(name, "", 0.0)

    def lineage(
        self,
        relation: RelationName,
        column: str | None,
        direction: Direction,
        depth: int | None,
        most: int | None = None,
    ) -> Traced | NotFound:
        assert self.state is not None
        return self.state.lineage(relation, column, direction, depth, most)

    def places(self, text: str, limit: int) -> FoundPlaces:
        assert self.state is not None
        return self.state.places(text, self.named, limit)

    def neighbourhood(
        self, relation: RelationName, upstream: int | None, downstream: int | None
    ) -> Neighbourhood | NotFound:
        assert self.state is not None
        return self.state.neighbourhood(relation, upstream, downstream)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = Folder(tmp_path_factory.mktemp("shop"))
    folder.write_ddl(DDL)
    assert folder.run("snapshot").status == 0
    return folder


@contextmanager
def served(folder: Folder, access: Access = UNPROTECTED) -> Iterator[AsgiClient]:
    with folder.state() as state, open_catalog(load_settings(folder.config)) as catalog:
        shown = ShownState(state, "acme-schema")
        details = DetailsReader(
            state,
            Definitions(catalog, Outages()),
            EVERYTHING,
            "acme-schema",
            hears_statements=False,
        )
        app = create_app(
            StaticIndex(Path(folder.path / "index")),
            Knowing(state=shown, details=details),
            site=Site(shown.summarize, prefix="acme-schema"),
            registry=CollectorRegistry(),
            access=access,
        )
        yield AsgiClient(app)


def page(folder: Folder, address: str, headers: Mapping[str, str] = BROWSER) -> httpx.Response:
    with served(folder) as client:
        return client.get(address, headers=headers)


def picture(text: str) -> ET.Element:
    """The only picture of a page, read as XML."""
    assert text.count("<svg") == 1
    return ET.fromstring(text[text.index("<svg") : text.index("</svg>") + len("</svg>")])


def shown_texts(text: str) -> set[str]:
    return {each.text or "" for each in picture(text).iter("{http://www.w3.org/2000/svg}text")}


@pytest.mark.parametrize(
    ("accept", "is_html"),
    [
        (None, False),
        ("*/*", False),
        ("application/json", False),
        ("text/*", False),
        ("text/html", True),
        (BROWSER["Accept"], True),
        ("text/html;q=0.5, application/json", False),
        ("application/json;q=0.5, text/html", True),
        ("text/html;q=0", False),
    ],
)
def test_only_those_who_name_html_get_a_page(accept: str | None, is_html: bool) -> None:
    assert prefers_html(accept) is is_html


def test_a_program_still_gets_json(shop: Folder) -> None:
    plain = page(shop, "/lineage/shop.paid", {"Accept": "*/*"})
    asked = page(shop, "/lineage/shop.paid?format=json")

    assert plain.json() == asked.json()
    assert plain.headers["Vary"] == "Accept"


def test_a_relation_has_a_picture_with_links_to_its_neighbours(shop: Folder) -> None:
    text = page(shop, "/lineage/shop.paid").text

    outline = Outline(text)
    assert outline.faults == []
    assert "/lineage/shop.orders" in outline.links
    assert {"shop.orders", "shop.paid"} <= shown_texts(text)
    assert "shop.wrong" not in shown_texts(text)
    assert "Lineage of shop.paid" in outline.text


def test_the_picture_is_also_a_list(shop: Folder) -> None:
    outline = Outline(page(shop, "/lineage/shop.paid").text)

    assert "The picture as a list (3)" in outline.text
    assert "from shop.orders (table): reads" in outline.text
    assert "A solid line: reads." in outline.text


def test_a_relation_leads_to_the_paths_of_its_columns(shop: Folder) -> None:
    links = Outline(page(shop, "/lineage/shop.orders").text).links

    assert "/lineage/shop.orders/customer" in links
    assert "/lineage/shop.orders/a%2Fb" in links


def test_a_column_has_a_picture_with_expression_and_clause(shop: Folder) -> None:
    text = page(shop, "/lineage/shop.paid/who").text

    assert {"who", "customer", "upper(customer)", "where", "rows"} <= shown_texts(text)
    assert "/lineage/shop.orders/customer" in Outline(text).links


def test_a_column_may_have_a_slash_in_its_name(shop: Folder) -> None:
    text = page(shop, "/lineage/shop.orders/a%2Fb").text

    assert {"a/b", "shop.orders"} <= shown_texts(text)


def test_choices_lead_to_other_pictures(shop: Folder) -> None:
    text = page(shop, "/lineage/shop.paid/who").text
    values = page(shop, "/lineage/shop.paid/who?direction=upstream&depth=all&show=values").text

    assert "/lineage/shop.paid/who?direction=both&depth=2&show=values" in Outline(text).links
    assert '<strong aria-current="true">both</strong>' in text
    assert "where" not in shown_texts(values)
    assert "upper(customer)" in shown_texts(values)
    assert '<strong aria-current="true">values only</strong>' in values


def test_the_owner_is_told_to_those_who_may_see_relations(shop: Folder) -> None:
    pages = [page(shop, f"/lineage/{of}") for of in ("shop.orders", "shop.paid/who")]
    with served(shop, Access("a token")) as client:
        public = client.get("/packages/acme-schema-shop-paid").text

    for answer in pages:
        assert "owner: sales<b>@acme.example" in Outline(answer.text).text
        assert "owner: sales&lt;b&gt;@acme.example</title>" in answer.text
    assert "Owner: sales<b>@acme.example" in Outline(pages[0].text).text
    assert "Owner:" not in Outline(pages[1].text).text
    assert "sales" not in public


def test_depth_and_direction_cut_the_picture(shop: Folder) -> None:
    text = page(shop, "/lineage/shop.orders?direction=downstream&depth=1").text

    assert "shop.paid" in shown_texts(text)
    assert not any("script" in each for each in shown_texts(text))
    assert "There is more beyond this depth." in text


def test_hostile_names_are_shown_harmlessly(shop: Folder) -> None:
    relation = page(shop, "/lineage/shop.paid").text
    column = page(shop, "/lineage/shop.paid/who?direction=downstream").text

    for text in (relation, column):
        assert "<script" not in text
        assert "<img" not in text
        assert Outline(text).faults == []
    assert any("<script>alert" in each for each in shown_texts(relation))
    assert '"><b>' in shown_texts(column)


def test_a_hostile_name_has_a_page_of_its_own(shop: Folder) -> None:
    address = "/lineage/shop.%60%3Cscript%3Ealert(1)%3C%2Fscript%3E%60"

    relation = page(shop, address)
    column = page(shop, f"{address}/%22%3E%3Cb%3E")

    assert (relation.status_code, column.status_code) == (200, 200)
    assert any(each.startswith("concat('<img") for each in shown_texts(column.text))


def test_no_inline_style_or_script_needs_an_exception(shop: Folder) -> None:
    answer = page(shop, "/lineage/shop.paid/who")

    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert "style=" not in answer.text
    assert answer.text.count("<style>") == 1
    assert "<script" not in answer.text


@pytest.mark.parametrize(
    ("address", "status", "reason", "link"),
    [
        ("/lineage/shop.pade", 404, "relation shop.pade is not known here", "/lineage/shop.paid"),
        (
            "/lineage/shop.orders/custmer",
            404,
            "shop.orders has no column custmer",
            "/lineage/shop.orders/customer",
        ),
        ("/lineage/a..b", 400, "is not a relation name", "/catalog"),
        (
            "/lineage/shop.paid?direction=up",
            400,
            "direction is upstream, downstream or both",
            "/catalog",
        ),
        ("/lineage/shop.paid?depth=0", 400, "depth is a number from 1 to 9999, or all", "/catalog"),
        ("/lineage/shop.paid?show=x", 400, "show is everything or values", "/catalog"),
    ],
)
def test_a_wrong_question_gets_a_page_that_helps(
    shop: Folder, address: str, status: int, reason: str, link: str
) -> None:
    answer = page(shop, address)

    assert answer.status_code == status
    outline = Outline(answer.text)
    assert reason in outline.text
    assert link in outline.links


@pytest.mark.parametrize("accept", ["text/html", "*/*"])
def test_a_column_may_follow_a_dot(shop: Folder, accept: str) -> None:
    answer = page(shop, "/lineage/shop.orders.CUSTOMER?depth=1", {"Accept": accept})

    assert answer.status_code == 303
    assert answer.headers["location"] == "/lineage/shop.orders/customer?depth=1"
    assert page(shop, "/lineage/shop.orders.custmer").status_code == 404


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("shop.paid", "/lineage/shop.paid"),
        ("shop.paid.who", "/lineage/shop.paid/who"),
        ("shop.paid/who", "/lineage/shop.paid/who"),
        ("PAID", "/lineage/shop.paid"),
        ("who", "/lineage/shop.paid/who"),
        ("paid.who", "/lineage/shop.paid/who"),
        ("PAID.`Who`", "/lineage/shop.paid/who"),
    ],
)
def test_the_search_leads_to_the_only_place_that_is_meant(
    shop: Folder, text: str, address: str
) -> None:
    answer = page(shop, f"/lineage?of={text}")

    assert (answer.status_code, answer.headers["location"]) == (303, address)


def test_the_search_lists_relations_and_columns(shop: Folder) -> None:
    answer = page(shop, "/lineage?of=id")

    outline = Outline(answer.text)
    assert outline.faults == []
    assert {"/lineage/shop.orders/id", "/lineage/shop.paid", "/lineage/shop.paid/id"} <= set(
        outline.links
    )
    assert 'value="id"' in answer.text


@pytest.mark.parametrize("text", ["paid.nothing", "nothing<b>", '"><script>', "a b c", "\0zq"])
def test_a_search_without_a_result_says_so(shop: Folder, text: str) -> None:
    answer = page(shop, f"/lineage?of={quote(text)}")

    assert answer.status_code == 404
    assert "No relation and no column has this in its name." in answer.text
    assert "<script" not in answer.text


def test_the_picture_opens_at_what_it_is_about(shop: Folder) -> None:
    text = page(shop, "/lineage/shop.paid/who").text

    (focus,) = (
        each
        for each in picture(text).iter("{http://www.w3.org/2000/svg}g")
        if "focus" in each.get("class", "")
    )
    rect = focus.find("{http://www.w3.org/2000/svg}rect")
    assert rect is not None
    sizes = [re.findall(r"[0-9]+", each) for each in re.findall(r"<canvas [^>]*>", text)]
    assert sizes == [[rect.get("x"), rect.get("y")], [rect.get("width"), rect.get("height")]]


def test_the_legend_tells_each_kind_of_line_and_box_that_is_there(shop: Folder) -> None:
    relation = Outline(page(shop, "/lineage/shop.paid").text).text
    column = Outline(page(shop, "/lineage/shop.paid/who").text).text

    assert "A solid line: reads. A box with round corners: a view." in relation
    assert "A solid line: values. A dashed line: influences rows or values." in column
    assert "A box with rows: which rows a relation has." in column
    assert "reads" not in column.partition("The picture as a list")[0]


def test_views_that_could_not_be_derived_are_told(shop: Folder) -> None:
    text = Outline(page(shop, "/lineage/shop.orders/id").text).text

    assert "These views could not be derived" in text
    assert "An earlier release" not in text


def test_the_page_is_for_operators_where_they_have_a_token(shop: Folder) -> None:
    with served(shop, Access("a token")) as client:
        refused = client.get("/lineage/shop.paid", headers=BROWSER)

    assert refused.status_code == 401


def test_the_page_of_a_relation_has_a_picture(shop: Folder) -> None:
    text = page(shop, "/relations/shop.orders").text

    outline = Outline(text)
    assert outline.faults == []
    assert {"shop.orders", "shop.paid", "view, BROKEN"} <= shown_texts(text)
    assert "/relations/shop.wrong" in outline.links
    assert "/lineage/shop.orders" in outline.links


def test_the_page_of_a_package_has_a_picture_with_packages(shop: Folder) -> None:
    text = page(shop, "/packages/acme-schema-shop-orders").text

    outline = Outline(text)
    assert outline.faults == []
    assert "/packages/acme-schema-shop-paid" in outline.links
    assert "/lineage/shop.orders" in outline.links
    assert f"<title>shop.{LONG} (view)</title>" in text


def test_the_state_of_others_is_for_operators(shop: Folder) -> None:
    with served(shop, Access("a token")) as client:
        public = client.get("/packages/acme-schema-shop-orders").text
        token = {"Authorization": "Bearer a token"}
        operators = client.get("/packages/acme-schema-shop-orders", headers=token).text

    assert "view, BROKEN" not in shown_texts(public)
    assert "view, BROKEN" in shown_texts(operators)
    assert "/lineage/" not in "".join(Outline(public).links)


def test_a_field_of_a_package_leads_operators_to_the_readers_of_its_column(shop: Folder) -> None:
    with served(shop, Access("a token")) as client:
        public = client.get("/packages/acme-schema-shop-orders").text
        token = {"Authorization": "Bearer a token"}
        operators = client.get("/packages/acme-schema-shop-orders", headers=token).text

    links = Outline(operators).links
    assert "/lineage/shop.orders/customer?direction=downstream&depth=all" in links
    assert "/lineage/shop.orders/a%2Fb?direction=downstream&depth=all" in links
    assert "/lineage/" not in "".join(Outline(public).links)


def test_a_long_address_is_read_in_linear_time(shop: Folder) -> None:
    for hostile in ("`" * 1_200, "a`" * 900, "a" + "/" * 3_000, "`a`/" * 400):
        answer = page(shop, f"/lineage/{hostile}")

        assert answer.status_code in {400, 404}
