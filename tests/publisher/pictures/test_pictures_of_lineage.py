"""The graphs of a deployment's lineage, and the command that prints their pictures."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

import pytest

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.lineage.neighbourhood import (
    NearRelation,
    Neighbourhood,
    Reading,
    RelationKind,
    neighbourhood,
)
from publisher.lineage.tracing import trace
from publisher.lineage.values import Direction, Place, Traced
from publisher.pictures.budget import within_budget
from publisher.pictures.graph import EdgeKind, Graph, NodeKind, Tone
from publisher.pictures.of_columns import column_graph
from publisher.pictures.of_relations import relation_graph
from publisher.state.protocol import Transaction
from publisher.state.records import Edge as StateEdge
from publisher.state.records import FilledColumn, FillingRecord, RelationRecord
from tests.publisher.commands.folder import Folder

DDL = """\
CREATE TABLE shop.orders (id bigint, customer bigint, total double, day date,
  home struct<city:string,zip:string>);
CREATE TABLE shop.customers (id bigint, name string);
CREATE TABLE shop.copies (id bigint);
CREATE VIEW shop.paid AS SELECT customer, total FROM shop.orders WHERE day > '2020-01-01';
CREATE VIEW shop.revenue AS SELECT c.name AS who, sum(p.total) AS total
  FROM shop.paid p JOIN shop.customers c ON p.customer = c.id GROUP BY c.name;
CREATE VIEW shop.best AS SELECT upper(who) AS who FROM shop.revenue WHERE total > 1000;
CREATE VIEW shop.cities AS SELECT home.city AS city FROM shop.orders;
CREATE VIEW shop.one AS SELECT 1 AS one;
CREATE VIEW shop.wrong AS SELECT nothing FROM shop.customers;
"""


def name(text: str) -> RelationName:
    return RelationName.parse(text)


ORDERS, REVENUE, COPIES = name("shop.orders"), name("shop.revenue"), name("shop.copies")
FILLING = FillingRecord(
    COPIES,
    ORDERS,
    "a mark",
    "INSERT INTO shop.copies SELECT id FROM shop.orders",
    "etl",
    (FilledColumn("id", "id", ""),),
    1_000.0,
    2_000.0,
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = Folder(tmp_path_factory.mktemp("shop"))
    folder.write_ddl(DDL)
    assert folder.run("snapshot").status == 0
    with folder.state() as state:
        state.write(lambda tx: tx.fillings.add([FILLING]))
    return folder


def around(
    folder: Folder, of: RelationName, upstream: int | None = None, downstream: int | None = None
) -> Neighbourhood:
    with folder.state() as state:
        return state.read(
            lambda tx: neighbourhood(tx, of, upstream=upstream, downstream=downstream)
        )


def near(found: Neighbourhood) -> Mapping[str, str]:
    return {str(each.name): each.kind.value for each in found.relations}


def path(folder: Folder, place: Place, *directions: Direction, only_values: bool = False) -> Graph:
    def read(tx: Transaction) -> list[Traced]:
        return [trace(tx, place, direction, str) for direction in directions]

    with folder.state() as state:
        answers = state.read(read)
    return column_graph(place, answers, lambda at: f"/{at}", only_values=only_values)


def arrows(graph: Graph) -> set[str]:
    texts = {node.key: f"{node.note}.{node.label}".removeprefix("shop.") for node in graph.nodes}
    return {
        f"{texts[e.source]} -> {texts[e.target]} {e.kind.value} {e.label}".rstrip()
        for e in graph.edges
    }


def test_a_neighbourhood_has_tables_views_and_filled_tables(shop: Folder) -> None:
    found = around(shop, ORDERS)

    assert near(found) == {
        "shop.orders": "table",
        "shop.paid": "view",
        "shop.cities": "view",
        "shop.copies": "filled table",
        "shop.revenue": "view",
        "shop.best": "view",
    }
    assert Reading(ORDERS, COPIES, is_filling=True) in found.readings
    assert Reading(ORDERS, name("shop.paid")) in found.readings
    assert not found.is_cut


def test_its_depth_counts_in_each_direction(shop: Folder) -> None:
    assert set(near(around(shop, REVENUE, 1, 0))) == {
        "shop.revenue",
        "shop.paid",
        "shop.customers",
    }
    assert around(shop, REVENUE, 1, 0).is_cut
    assert set(near(around(shop, REVENUE, 0, 1))) == {"shop.revenue", "shop.best"}
    assert "shop.orders" in near(around(shop, REVENUE, 2, 0))
    assert set(near(around(shop, COPIES, 1, 1))) == {"shop.copies", "shop.orders"}


def test_a_view_of_constants_is_a_view(shop: Folder) -> None:
    assert near(around(shop, name("shop.one"))) == {"shop.one": "view"}


def test_a_graph_of_relations_shows_kinds_states_and_names_of_catalogs() -> None:
    orders = RelationName(("sales",), "orders", "prod")
    paid = RelationName(("shop",), "paid")
    found = Neighbourhood(
        paid,
        (
            NearRelation(paid, RelationKind.VIEW, "BROKEN"),
            NearRelation(orders, RelationKind.FILLED, "OK", unread_readers=3),
        ),
        (Reading(orders, paid),),
    )

    graph = relation_graph(found, lambda each: f"/of/{each.name}")
    public = relation_graph(found, lambda _: "", shows_status=False)

    view, table = graph.nodes
    assert (view.label, view.note, view.tone, view.is_focus) == (
        "shop.paid",
        "view, BROKEN",
        Tone.BAD,
        True,
    )
    assert (table.label, table.kind, table.link) == (
        "prod:sales.orders",
        NodeKind.FILLED,
        "/of/prod:sales.orders",
    )
    assert table.unread_targets == 3
    assert [(e.source, e.target) for e in graph.edges] == [("prod:sales.orders", "shop.paid")]
    assert [node.note for node in public.nodes] == ["view", "filled table"]
    assert {node.tone for node in public.nodes} == {Tone.PLAIN}


def test_a_columns_path_has_expressions_and_clauses_on_its_edges(shop: Folder) -> None:
    graph = path(shop, Place(REVENUE, "total"), Direction.UPSTREAM)

    assert arrows(graph) == {
        "paid.total -> revenue.total values sum(total)",
        "orders.total -> paid.total values",
        "paid.customer -> revenue.rows influences join",
        "customers.id -> revenue.rows influences join",
        "customers.name -> revenue.rows influences group by",
        "orders.customer -> paid.customer values",
        "orders.day -> paid.rows influences where",
        "paid.rows -> revenue.rows read for rows",
        "paid.rows -> paid.total influences",
        "paid.rows -> paid.customer influences",
        "revenue.rows -> revenue.total influences",
    }
    (asked,) = [node for node in graph.nodes if node.is_focus]
    assert (asked.label, asked.note, asked.kind) == ("total", "shop.revenue", NodeKind.COLUMN)


def test_values_alone_leave_influences_out(shop: Folder) -> None:
    graph = path(shop, Place(REVENUE, "total"), Direction.UPSTREAM, only_values=True)

    assert arrows(graph) == {
        "paid.total -> revenue.total values sum(total)",
        "orders.total -> paid.total values",
    }


def test_both_directions_make_one_picture(shop: Folder) -> None:
    graph = path(shop, Place(REVENUE, "who"), *Direction, only_values=True)

    assert arrows(graph) == {
        "customers.name -> revenue.who values",
        "revenue.who -> best.who values upper(who)",
    }


def test_a_reader_without_known_columns_is_shown(shop: Folder) -> None:
    graph = path(shop, Place(name("shop.customers"), "name"), Direction.DOWNSTREAM)

    assert "customers.name -> wrong, BROKEN.rows read for rows" in arrows(graph)


def test_a_field_labels_its_edge(shop: Folder) -> None:
    graph = path(shop, Place(name("shop.cities"), "city"), Direction.UPSTREAM)

    assert any("orders.home -> cities.city values .city" in each for each in arrows(graph))


def test_a_statement_fills_a_column(shop: Folder) -> None:
    graph = path(shop, Place(COPIES, "id"), Direction.UPSTREAM)

    (edge, *_) = [e for e in graph.edges if e.kind is EdgeKind.FILLS]
    targets = {node.key: node.note for node in graph.nodes}
    assert targets[edge.target] == "shop.copies"


def test_a_column_without_lineage_is_a_picture_of_itself(shop: Folder) -> None:
    graph = path(shop, Place(ORDERS, "id"), Direction.UPSTREAM)

    assert [node.label for node in graph.nodes] == ["id"]


def test_names_with_line_ends_stay_apart() -> None:
    at = name("shop.t")
    places = [Place(at, "a\nb"), Place(at, "a", ("b",)), Place(at, "a"), Place(at)]
    answers = [Traced(place, Direction.UPSTREAM, (), {}, (), {}, ()) for place in places]

    keys = {column_graph(each.asked, [each], str).nodes[0].key for each in answers}

    assert len(keys) == 4


def test_the_command_prints_a_relation_or_a_column_as_svg(shop: Folder) -> None:
    relation = shop.run("lineage", "shop.revenue", "--format", "svg")
    column = shop.run("lineage", "shop.revenue.total", "--format", "svg")

    assert (relation.status, column.status) == (0, 0)
    shown = "".join(ET.fromstring(relation.out).itertext())
    assert "shop.orders" in shown
    assert "shop.best" not in shown
    assert "sum(total)" in "".join(ET.fromstring(column.out).itertext())
    # Without an address of the service there is nothing to link to.
    assert "<a " not in relation.out


def test_the_command_prints_dot_and_mermaid(shop: Folder) -> None:
    dot = shop.run("lineage", "shop.revenue", "--downstream", "--format", "dot").out
    mermaid = shop.run("lineage", "shop.best.who", "--depth", "1", "--format", "mermaid").out

    assert dot.startswith("digraph lineage {\n")
    assert 'label="shop.best\\nview"' in dot
    assert mermaid.startswith("flowchart TB\n")
    assert '|"upper(who)"|' in mermaid


def test_boxes_link_to_the_service_if_its_address_is_known(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write_settings(rest='[http]\nenabled = true\npublic_url = "https://schemas.example/"')
    assert folder.run("snapshot").status == 0

    out = folder.run("lineage", "shop.ids", "--format", "svg").out

    assert 'href="https://schemas.example/lineage/shop.orders"' in out


def test_an_unknown_name_is_refused_in_every_format(shop: Folder) -> None:
    ended = shop.run("lineage", "shop.revenu", "--format", "svg")

    assert ended.status == 1
    assert "relation shop.revenu is not known here" in ended.err


def test_a_plan_is_drawn_with_what_it_hits(shop: Folder) -> None:
    change = "ALTER TABLE shop.orders REPLACE COLUMNS (id bigint, customer bigint, day date)"

    svg = shop.run("plan", change, "--format", "svg")
    mermaid = shop.run("plan", change, "--format", "mermaid")

    assert svg.status == 1
    shown = "".join(ET.fromstring(svg.out).itertext())
    for text in ("shop.orders", "2.0.0 (major)", "shop.paid", "breaks: ", "shop.best", "fills"):
        assert text in shown
    assert "shop.customers" not in shown
    assert mermaid.out.startswith("flowchart TB\n")
    assert "class n" in mermaid.out


def test_a_hub_is_read_in_part_and_counted_whole(tmp_path: Path) -> None:
    readers = [name(f"shop.v{number:04}") for number in range(1_000)]

    def write(tx: Transaction) -> None:
        for each in (ORDERS, *readers):
            tx.graph.write(RelationRecord(each, status=Status.OK))
        for each in readers:
            tx.graph.replace_edges(each, [StateEdge(each, ORDERS)])

    folder = Folder(tmp_path)
    with folder.state() as state:
        state.write(write)
    found = around(folder, ORDERS, 1, 1)

    hub = found.relations[0]
    assert hub.name == ORDERS
    assert len(found.relations) - 1 + hub.unread_readers == 1_000
    assert len(found.relations) < 500
    drawn = within_budget(relation_graph(found, lambda _: ""))
    assert [node.label for node in drawn.nodes if node.kind is NodeKind.MORE] == ["+ 988 more"]
