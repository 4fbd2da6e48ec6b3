"""Lineage over HTTP: as JSON for operators and programs, and on the pages of packages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from lakeschema.catalog.identifiers import RelationName
from publisher.daemon.shown import ShownState
from publisher.index.static import StaticIndex
from publisher.lineage.questions import NotFound
from publisher.lineage.values import Direction, Traced
from publisher.web.access import UNPROTECTED, Access
from publisher.web.app import create_app
from publisher.web.packages import Site
from tests.publisher.commands.folder import Folder
from tests.publisher.web.asgi_client import AsgiClient
from tests.publisher.web.daemon_double import IdleDaemon

DDL = """\
CREATE TABLE shop.orders (id bigint, customer string, day date);
CREATE VIEW shop.`a/b` AS SELECT upper(customer) AS who FROM shop.orders WHERE day > '2020-01-01';
CREATE VIEW shop.odd AS SELECT concat('<script>', customer) AS a FROM shop.orders;
"""


@dataclass(frozen=True)
class Knowing(IdleDaemon):
    """A daemon that has a state."""

    state: ShownState | None = None

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


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = Folder(tmp_path_factory.mktemp("shop"))
    folder.write_ddl(DDL)
    assert folder.run("snapshot").status == 0
    return folder


@contextmanager
def served(folder: Folder, access: Access = UNPROTECTED) -> Iterator[AsgiClient]:
    with folder.state() as state:
        shown = ShownState(state, "acme-schema")
        app = create_app(
            StaticIndex(Path(folder.path / "index")),
            Knowing(state=shown),
            site=Site(shown.summarize, prefix="acme-schema"),
            registry=CollectorRegistry(),
            access=access,
        )
        yield AsgiClient(app)


@pytest.mark.thorough
def test_a_column_of_a_relation_is_answered_as_json(shop: Folder) -> None:
    with served(shop) as client:
        upstream = client.get("/lineage/shop.odd/A").json()
        downstream = client.get(
            "/lineage/shop.orders/day", params={"direction": "downstream", "depth": "1"}
        ).json()

    (link, *_) = upstream["links"]
    assert (upstream["relation"], upstream["column"]) == ("shop.odd", "a")
    assert link["source"] == {"relation": "shop.orders", "column": "customer"}
    assert link["expression"] == "concat('<script>', customer)"
    (link,) = downstream["links"]
    assert (link["target"], link["clause"]) == ({"relation": "shop.`a/b`", "column": None}, "where")


def test_the_command_answers_the_same(shop: Folder) -> None:
    with served(shop) as client:
        answer = client.get("/lineage/shop.odd").json()

    assert shop.run("lineage", "shop.odd").lines == [answer]


def test_a_slash_may_be_part_of_a_name(shop: Folder) -> None:
    with served(shop) as client:
        whole = client.get("/lineage/shop.%60a%2Fb%60").json()
        column = client.get("/lineage/shop.%60a%2Fb%60/who").json()

    assert (whole["relation"], whole["column"]) == ("shop.`a/b`", None)
    assert (column["relation"], column["column"]) == ("shop.`a/b`", "who")


@pytest.mark.parametrize(
    ("address", "status", "error"),
    [
        ("/lineage/shop.nope", 404, "relation shop.nope is not known here"),
        ("/lineage/nope", 404, "relation nope is not known here"),
        ("/lineage/shop.orders/custmer", 404, "shop.orders has no column custmer"),
        ("/lineage/a..b", 400, "is not a relation name"),
        ("/lineage/shop.orders?direction=up", 400, "direction is upstream or downstream"),
        ("/lineage/shop.orders?depth=0", 400, "depth is a number from 1 to 9999"),
        ("/lineage/shop.orders?depth=x", 400, "depth is a number from 1 to 9999"),
    ],
)
def test_a_wrong_question_is_told(shop: Folder, address: str, status: int, error: str) -> None:
    with served(shop) as client:
        answer = client.get(address)

    assert answer.status_code == status
    assert error in answer.json()["error"]


def test_what_may_be_meant_is_named(shop: Folder) -> None:
    with served(shop) as client:
        answer = client.get("/lineage/shop.orders/custmer").json()

    assert answer["similar"] == ["shop.orders.customer"]


def test_lineage_is_for_operators_where_they_have_a_token(shop: Folder) -> None:
    with served(shop, Access("a token")) as client:
        refused = client.get("/lineage/shop.odd")
        answered = client.get("/lineage/shop.odd", headers={"Authorization": "Bearer a token"})

    assert refused.status_code == 401
    assert answered.status_code == 200


def test_a_package_page_says_where_its_columns_come_from_and_what_reads_them(shop: Folder) -> None:
    with served(shop) as client:
        view = client.get("/packages/acme-schema-shop-odd").text
        table = client.get("/packages/acme-schema-shop-orders").text

    assert '<h2 id="lineage">Lineage</h2>' in view
    assert "<code>concat(&#39;&lt;script&gt;&#39;, customer)</code>" in view
    assert "<code>shop.orders.customer</code>" in view
    assert "<code>shop.odd.a</code>" in table
    assert "<code>rows of shop.`a/b` (where)</code>" in table
    assert "<script>" not in view + table
