"""Pages and answers about tables of equal names in two catalogs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.publisher.commands.folder import Folder
from tests.publisher.commands.two_catalogs import two_catalogs
from tests.publisher.web.asgi_client import AsgiClient
from tests.publisher.web.test_lineage import served


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = two_catalogs(tmp_path_factory.mktemp("lake"))
    assert folder.run("snapshot").status == 0
    return folder


@pytest.fixture
def client(lake: Folder) -> Iterator[AsgiClient]:
    with served(lake) as client:
        yield client


@pytest.mark.parametrize("address", ["b:sales.far", "b%3Asales.far"])
def test_lineage_is_answered_for_a_key_with_a_catalog(client: AsgiClient, address: str) -> None:
    answer = client.get(f"/lineage/{address}/note").json()

    assert (answer["relation"], answer["column"]) == ("b:sales.far", "note")
    (link, *_) = answer["links"]
    assert link["source"] == {"relation": "sales.orders", "column": "note"}


def test_the_tables_of_equal_names_have_other_dependents(client: AsgiClient) -> None:
    def reached(address: str) -> set[str]:
        found = client.get(f"/lineage/{address}?direction=downstream").json()
        return {link["target"]["relation"] for link in found["links"]}

    assert reached("sales.orders") == {"b:sales.far", "sales.both_ids"}
    assert reached("b:sales.orders") == {"b:sales.totals", "b:sales.wrong", "sales.both_ids"}


def test_an_unknown_catalog_or_name_is_told_with_similar_ones(client: AsgiClient) -> None:
    answer = client.get("/lineage/b:sales.ordrs")

    assert answer.status_code == 404
    assert answer.json()["error"] == "relation b:sales.ordrs is not known here"
    assert "b:sales.orders" in answer.json()["similar"]


def test_each_table_has_a_package_page_that_names_its_catalog(client: AsgiClient) -> None:
    of_b = client.get("/packages/acme-schema-0-b-sales-orders").text
    of_main = client.get("/packages/acme-schema-sales-orders").text

    assert "b:sales.orders" in of_b
    assert "b:sales.totals" in of_b
    assert "b:sales.orders" not in of_main
    assert "b:sales.far" in of_main
