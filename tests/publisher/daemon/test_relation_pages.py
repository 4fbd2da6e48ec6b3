"""The pages of relations of a running service over a folder of DDL, as an operator reads them."""

from __future__ import annotations

import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Relation
from publisher.daemon.definitions import Definitions, Unanswered
from publisher.daemon.service import Service
from publisher.daemon.shown import ShownState
from publisher.outages import CATALOG, Outages
from publisher.settings import load_settings
from publisher.state.protocol import Transaction
from publisher.state.records import Cause, Edge, RelationRecord, WorkRequest
from publisher.state.sqlite import SqliteState
from tests.publisher.daemon.test_service import configured
from tests.publisher.web.html_outline import Outline
from tests.waiting import eventually

DDL = """CREATE DATABASE shop; USE shop;
CREATE TABLE order_placed (order_id BIGINT COMMENT 'given by the till', price DOUBLE) COMMENT 'A purchase';
CREATE VIEW ids AS SELECT order_id FROM order_placed;
CREATE VIEW lost AS SELECT gone FROM order_placed;
CREATE VIEW below AS SELECT * FROM lost;
CREATE TABLE hidden (secret_plan STRING COMMENT 'nobody may know') ;
"""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    (tmp_path / "ddl").mkdir()
    (tmp_path / "ddl" / "all.sql").write_text(DDL)
    config = configured(tmp_path, '[[events]]\nkind = "ddl-folder"\n')
    text = config.read_text().replace(
        'prefix = "acme-schema"', 'prefix = "acme-schema"\nexclude = ["shop.hidden"]'
    )
    config.write_text(text)
    with Service(load_settings(config), config) as service:
        assert eventually(lambda: service.status().figures["versions"] == 2)
        assert eventually(lambda: service.status().figures["outstanding work"] == 0)
        yield service


def read(service: Service, address: str) -> Outline:
    with urllib.request.urlopen(f"{service.url}{address}") as response:
        return Outline(response.read().decode())


def find(service: Service, address: str, asked: str) -> Outline:
    return read(service, f"{address}?{urllib.parse.urlencode({'q': asked})}")


@pytest.mark.thorough
def test_a_published_view_shows_its_sql_fields_neighbours_and_versions(service: Service) -> None:
    page = read(service, "/relations/shop.ids")

    for shown in (
        "OK: its schema is known, and its package is current.",
        "SELECT order_id FROM order_placed",
        "As the catalog has it now.",
        "order_id",
        "Reads (1)",
        "1.0.0",
        "first version",
    ):
        assert shown in page.text
    assert {"/relations/shop.order_placed", "/packages/acme-schema-shop-ids"} <= {*page.links}
    assert "/relations/shop.ids" in read(service, "/packages/acme-schema-shop-ids").links


@pytest.mark.thorough
def test_a_broken_view_shows_its_reason_and_its_sql_and_what_to_do(service: Service) -> None:
    page = read(service, "/relations/shop.lost")

    assert "BROKEN: it cannot be derived" in page.text
    assert "gone" in page.text
    assert "What to do: correct its definition" in page.text
    assert "SELECT gone FROM order_placed" in page.text
    assert "/relations/shop.below" in page.links
    assert "repair shop.lost first" in read(service, "/relations/shop.below").text


@pytest.mark.thorough
def test_what_is_withheld_shows_why_and_its_fields(service: Service) -> None:
    page = read(service, "/relations/shop.hidden")

    assert "artifacts.include and artifacts.exclude leave it out" in page.text
    assert "secret_plan" in page.text


@pytest.mark.thorough
def test_the_start_page_leads_from_each_problem_to_its_relation(service: Service) -> None:
    start = read(service, "/")

    assert start.text.index("Relations with problems") < start.text.index("Relations (5)")
    assert start.links.index("/relations/shop.lost") < start.links.index("/relations/shop.ids")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("order_placed", "order_placed"),
        ("OrderPlaced", "order_placed"),
        ("shop.order", "order_placed"),
        ("orderId", "ids"),
        ("till", "ids"),
        ("purchase", "order_placed"),
        ("secret_plan", "hidden"),
        ("nobody", "hidden"),
    ],
)
def test_operators_find_each_relation_by_name_field_or_word(
    service: Service, asked: str, first: str
) -> None:
    assert find(service, "/", asked).links[0] == f"/relations/shop.{first}"


@pytest.mark.thorough
@pytest.mark.parametrize("asked", ["order_placed", "shop.order", "price", "purchase", "till"])
def test_everybody_finds_a_package_by_name_field_or_word(service: Service, asked: str) -> None:
    links = find(service, "/packages/", asked).links

    assert "/packages/acme-schema-shop-order-placed" in links


@pytest.mark.thorough
@pytest.mark.parametrize("asked", ["secret_plan", "nobody", "hidden", "lost"])
def test_nobody_finds_among_packages_what_is_not_published(service: Service, asked: str) -> None:
    assert "Packages (0 of 2)" in find(service, "/packages/", asked).text


@pytest.mark.thorough
def test_a_relation_that_nobody_knows_has_no_page(service: Service) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        read(service, "/relations/shop.nothing")

    assert refused.value.code == 404
    refused.value.close()


class OneRelation:
    """A catalog that answers when it is told to."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()

    def namespaces(self) -> Sequence[Namespace]:
        return ()

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
        return ()

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        self.may_answer.wait()
        if names[0].name == "away":
            raise CatalogUnavailable("the metastore", "no answer")
        return {names[0]: Relation(names[0], ())}

    def current_event_id(self) -> int | None:
        return None


class TestDefinitions:
    def test_a_catalog_that_hangs_holds_no_page(self) -> None:
        catalog = OneRelation()
        definitions = Definitions(catalog, Outages(), seconds=0.01)
        names = [RelationName.of("shop", f"t{n}") for n in range(3)]

        answers = [definitions.read(name) for name in names]
        catalog.may_answer.set()

        assert [type(answer) for answer in answers] == [Unanswered] * 3
        assert "within 0.01 s" in str(answers[0])
        assert "others ask the catalog now" in str(answers[2])
        later = Definitions(catalog, Outages())
        assert later.read(names[0]) == Relation(names[0], ())

    def test_what_fails_is_told(self) -> None:
        catalog = OneRelation()
        catalog.may_answer.set()

        answer = Definitions(catalog, Outages()).read(RelationName.of("shop", "away"))

        assert isinstance(answer, Unanswered)
        assert "no answer" in answer.reason

    def test_a_catalog_that_is_known_to_fail_is_not_asked(self) -> None:
        outages = Outages()
        outages.fail(CATALOG, "no answer")

        answer = Definitions(OneRelation(), outages).read(RelationName.of("shop", "orders"))

        assert answer == Unanswered("the catalog does not work now")


@pytest.fixture
def state(tmp_path: Path) -> Iterator[SqliteState]:
    opened = SqliteState(tmp_path / "large.db", "OFF")
    yield opened
    opened.close()


@pytest.mark.thorough
def test_of_ten_thousand_dependents_the_first_are_read_and_all_are_counted(
    state: SqliteState,
) -> None:
    table = RelationName.of("shop", "orders")
    views = [RelationName.of("shop", f"v{n:05}") for n in range(10_000)]

    def write(tx: Transaction) -> None:
        for view in views:
            tx.graph.replace_edges(view, [Edge(view, table)])

    state.write(write)

    some, total = state.read(lambda tx: tx.graph.some_dependents(table, 3))

    assert (list(some), total) == (views[:3], 10_000)


def test_work_that_fails_is_listed_before_what_cannot_be_derived(state: SqliteState) -> None:
    failing, broken = RelationName.of("shop", "a"), RelationName.of("shop", "b")
    state.write(lambda tx: tx.graph.write(RelationRecord(broken, stale=False, reason="why")))
    state.write(lambda tx: tx.work.request([WorkRequest(failing, 0.0)]))
    (claim,) = state.write(lambda tx: tx.work.claim(1.0, 5.0, 1))
    state.write(lambda tx: tx.work.defer(claim, 9.0, "403 Forbidden", Cause.OWN))

    _, troubled = ShownState(state, "acme").figures()

    assert [(each.relation, each.reason) for each in troubled.relations] == [
        ("shop.a", "403 Forbidden"),
        ("shop.b", "why"),
    ]


def test_what_is_broken_itself_is_listed_before_what_reads_it(state: SqliteState) -> None:
    cause, reader = RelationName.of("shop", "z"), RelationName.of("shop", "a")
    broken = [
        RelationRecord(each, stale=False, reason="why", owner="x") for each in (cause, reader)
    ]

    def write(tx: Transaction) -> None:
        for record in broken:
            tx.graph.write(record)
        tx.graph.replace_edges(reader, [Edge(reader, cause)])

    state.write(write)

    _, troubled = ShownState(state, "acme").figures()

    assert [(each.relation, each.owner) for each in troubled.relations] == [
        ("shop.z", "x"),
        ("shop.a", "x"),
    ]
