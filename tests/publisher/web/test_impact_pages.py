"""What goes with a column or a relation if it is dropped, over HTTP: a picture, a list, and a command."""

from __future__ import annotations

import pytest

from publisher.web.access import Access
from tests.publisher.commands.folder import Folder
from tests.publisher.web.html_outline import Outline
from tests.publisher.web.test_lineage_pages import page, served, shown_texts

DDL = """\
CREATE TABLE shop.orders (id bigint, customer string, day date) TBLPROPERTIES ('owner' = 'sales@acme.example');
CREATE VIEW shop.paid AS SELECT id, customer FROM shop.orders WHERE day > '2020-01-01';
CREATE VIEW shop.`<b>who` AS SELECT customer AS `<i>` FROM shop.paid;
CREATE VIEW shop.ids AS SELECT id FROM shop.orders;
CREATE TABLE shop.bills (id bigint);
CREATE VIEW shop.unpaid AS SELECT id FROM shop.bills WHERE paid IS NULL;
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = Folder(tmp_path_factory.mktemp("shop"))
    folder.write_ddl(DDL)
    assert folder.run("snapshot").status == 0
    return folder


def test_a_column_names_its_readers_the_nearest_first(shop: Folder) -> None:
    answer = page(shop, "/impact/shop.orders/customer")

    outline = Outline(answer.text)
    assert answer.status_code == 200
    assert outline.faults == []
    assert "If shop.orders.customer is dropped" in outline.text
    assert "It reaches 2 views, 0 tables, 3 packages." in outline.text
    assert "Ownersales@acme.example" in outline.text
    rows = [
        "0shop.orders table OK customer",
        "1shop.paid view OK customer",
        "2shop.`<b>who` view OK <i>",
    ]
    places = [outline.text.index(row) for row in rows]
    assert places == sorted(places)
    assert "/packages/acme-schema-shop-paid" in outline.links
    assert "/impact/shop.orders" in outline.links
    assert {"shop.orders", "shop.paid", "shop.`<b>who`"} <= shown_texts(answer.text)
    assert "shop.ids" not in outline.text
    assert "schema-publisher impact shop.orders.customer" in outline.text


def test_a_relation_takes_all_its_readers(shop: Folder) -> None:
    text = page(shop, "/impact/shop.orders").text

    assert {"shop.paid", "shop.ids"} <= shown_texts(text)
    assert "It reaches 3 views, 0 tables, 4 packages." in Outline(text).text


def test_views_that_are_broken_already_are_told(shop: Folder) -> None:
    text = Outline(page(shop, "/impact/shop.bills/id").text).text

    assert "It reaches 1 view, 0 tables, 1 package. Of these 1 is BROKEN already." in text
    assert "1shop.unpaid view BROKEN all" in text


def test_a_hub_is_followed_up_to_a_limit(shop: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("publisher.web.lineage._MOST_REACHED", 1)

    text = Outline(page(shop, "/impact/shop.orders").text).text

    assert "It reaches 1 view, 0 tables, 2 packages, and more" in text
    assert "shop.paid" not in text


def test_what_nobody_reads_has_no_picture(shop: Folder) -> None:
    text = page(shop, "/impact/shop.ids/id").text

    assert "No known view or statement reads it." in Outline(text).text
    assert "<svg" not in text


@pytest.mark.parametrize(
    ("address", "status", "link"),
    [
        ("/impact/shop.pade", 404, "/lineage/shop.paid"),
        ("/impact/shop.orders/custmer", 404, "/lineage/shop.orders/customer"),
        ("/impact/a..b", 400, "/catalog"),
    ],
)
def test_a_wrong_question_gets_a_page_that_helps(
    shop: Folder, address: str, status: int, link: str
) -> None:
    answer = page(shop, address)

    assert answer.status_code == status
    assert link in Outline(answer.text).links


def test_the_page_is_for_operators_where_they_have_a_token(shop: Folder) -> None:
    with served(shop, Access("a token")) as client:
        assert client.get("/impact/shop.orders").status_code == 401


def test_the_page_of_a_relation_leads_to_it(shop: Folder) -> None:
    links = Outline(page(shop, "/relations/shop.orders").text).links

    assert {"/impact/shop.orders", "/impact/shop.orders/customer"} <= {*links}
