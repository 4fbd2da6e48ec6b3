"""The sources and targets of columns, from a deployment's state."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.openlineage import metastore_namespace
from publisher.state.protocol import Transaction
from tests.lakeschema.analysis.openlineage_classes import through_their_classes, without_empty
from tests.publisher.commands.folder import Folder

DDL = """\
CREATE TABLE shop.orders (id bigint, customer string, total double, day date,
  home struct<city:string,zip:string>);
CREATE VIEW shop.revenue AS
  SELECT customer, count(*) AS orders, sum(total) AS total FROM shop.orders
  WHERE day > '2020-01-01' GROUP BY customer;
CREATE VIEW shop.best AS
  SELECT upper(customer) AS who, total, rank() OVER (ORDER BY total DESC) AS place
  FROM shop.revenue WHERE orders > 3;
CREATE VIEW shop.number AS SELECT count(*) AS n FROM shop.best;
CREATE VIEW shop.cities AS SELECT home.city AS city FROM shop.orders;
CREATE VIEW shop.homes AS SELECT home AS place FROM shop.orders;
CREATE VIEW shop.codes AS SELECT place.zip AS code, place.city AS town FROM shop.homes;
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = Folder(tmp_path_factory.mktemp("shop"))
    folder.write_ddl(DDL)
    assert folder.run("snapshot").status == 0
    return folder


def asked(folder: Folder, name: str, *options: str) -> dict[str, Any]:
    ended = folder.run("lineage", name, *options, "--json")
    assert ended.status == 0, ended
    (answer,) = ended.lines
    return answer


def place(stated: dict[str, Any]) -> str:
    parts = [stated["relation"], stated["column"] or "*", *stated.get("path", ())]
    return ".".join(parts).removeprefix("shop.")


def links(answer: dict[str, Any]) -> Sequence[str]:
    return [
        f"{link['distance']} {place(link['source'])} -> {place(link['target'])} "
        f"{link['clause'] or link['kind']}"
        for link in answer["links"]
    ]


@pytest.mark.thorough
def test_a_column_comes_from_tables_through_views_and_clauses(shop: Folder) -> None:
    answer = asked(shop, "shop.best.who")

    assert links(answer) == [
        "1 revenue.customer -> best.who direct",
        "1 revenue.orders -> best.* where",
        "1 revenue.* -> best.* reads",
        "2 orders.customer -> revenue.customer direct",
        "2 orders.day -> revenue.* where",
        "2 orders.customer -> revenue.* group by",
        "2 orders.* -> revenue.* reads",
    ]
    assert answer["links"][0]["expression"] == "upper(customer)"
    assert answer["links"][0]["transformation"] == "transformation"


def test_the_keys_of_a_window_and_fields_of_structs_are_kept(shop: Folder) -> None:
    place_of_best = asked(shop, "shop.best.place")
    city = asked(shop, "shop.cities.CITY")

    assert "1 revenue.total -> best.place order by" in links(place_of_best)
    assert links(city)[0] == "1 orders.home.city -> cities.city direct"


def test_a_column_reaches_columns_rows_and_packages(shop: Folder) -> None:
    total = asked(shop, "shop.orders.total", "--downstream")
    day = asked(shop, "shop.orders.day", "--downstream")

    assert links(total) == [
        "1 orders.total -> revenue.total direct",
        "2 revenue.total -> best.total direct",
        "2 revenue.total -> best.place order by",
    ]
    assert links(day) == [
        "1 orders.day -> revenue.* where",
        "2 revenue.* -> best.* reads",
        "3 best.* -> number.* reads",
    ]
    assert [each["package"] for each in total["relations"]] == [
        "acme-schema-shop-orders",
        "acme-schema-shop-revenue",
        "acme-schema-shop-best",
    ]
    assert {each["version"] for each in total["relations"]} == {"1.0.0"}


def test_a_field_reaches_what_reads_it_or_contains_it(shop: Folder) -> None:
    answer = asked(shop, "shop.orders.home.ZIP", "--downstream")

    assert answer["path"] == ["zip"]
    assert links(answer) == [
        "1 orders.home -> homes.place direct",
        "2 homes.place.zip -> codes.code direct",
    ]


def test_a_column_with_fields_reaches_all_that_read_one_of_them(shop: Folder) -> None:
    answer = asked(shop, "shop.orders.home", "--downstream")

    assert links(answer) == [
        "1 orders.home.city -> cities.city direct",
        "1 orders.home -> homes.place direct",
        "2 homes.place.zip -> codes.code direct",
        "2 homes.place.city -> codes.town direct",
    ]


def test_a_field_of_what_is_not_known_is_refused(shop: Folder) -> None:
    ended = shop.run("lineage", "shop.orders.hom.zip")

    assert ended.status == 1
    assert "shop.orders has no column hom" in ended.err


def test_a_whole_relation_is_asked_for_with_all_of_its_columns(shop: Folder) -> None:
    upstream = asked(shop, "shop.revenue")
    downstream = asked(shop, "shop.best", "--downstream")

    assert upstream["column"] is None
    assert {place(link["target"]) for link in upstream["links"]} == {
        "revenue.customer",
        "revenue.total",
        "revenue.*",
    }
    assert links(downstream) == ["1 best.* -> number.* reads"]


def test_the_depth_ends_the_way_and_says_so(shop: Folder) -> None:
    cut = asked(shop, "shop.best.who", "--depth", "1")
    whole = asked(shop, "shop.best.who", "--depth", "2")

    assert {link["distance"] for link in cut["links"]} == {1}
    assert cut["cut"]
    assert not whole["cut"]


def test_people_read_a_tree(shop: Folder) -> None:
    shown = shop.people("lineage", "shop.best.who")

    assert shown.splitlines() == [
        "shop.best.who = upper(customer)",
        "├── shop.revenue.customer  (direct)",
        "│   ├── shop.orders.customer  (direct)",
        "│   └── rows of shop.revenue",
        "│       ├── shop.orders.day  (where)",
        "│       └── shop.orders.customer  (group by)",
        "└── rows of shop.best",
        "    └── shop.revenue.orders = count(1)  (where)",
    ]


def test_people_read_who_is_hit(shop: Folder) -> None:
    shown = shop.people("lineage", "shop.orders.customer", "--downstream")

    assert shown.splitlines()[:5] == [
        "shop.orders.customer",
        "├── shop.revenue.customer  (direct)",
        "│   └── shop.best.who  (direct) = upper(customer)",
        "└── rows of shop.revenue  (group by)",
        "    └── shop.number  (reads it)",
    ]
    assert "acme-schema-shop-best" in shown


def test_what_has_no_sources_and_no_readers_says_so(shop: Folder) -> None:
    assert "shop.orders.id comes from nothing else" in shop.people("lineage", "shop.orders.id")
    unread = shop.people("lineage", "shop.orders.id", "--downstream")
    assert "shop.orders.id is read by nothing" in unread


@pytest.mark.parametrize(
    ("name", "error", "hint"),
    [
        ("shop.ordrs", "relation shop.ordrs is not known here", "did you mean shop.orders?"),
        ("shop.ordrs.day", "relation shop.ordrs.day is not", "did you mean shop.orders.day?"),
        ("shop.orders.custmer", "has no column custmer", "did you mean shop.orders.customer?"),
        ("elsewhere.things", "relation elsewhere.things is not known here", ""),
    ],
)
def test_a_name_that_is_not_known_is_told_with_what_may_be_meant(
    shop: Folder, name: str, error: str, hint: str
) -> None:
    ended = shop.run("lineage", name)

    assert ended.status == 1
    assert error in ended.err
    assert hint in ended.err
    assert bool(hint) == ("did you mean" in ended.err)
    assert ended.out == ""


@pytest.mark.thorough
def test_a_view_that_cannot_be_derived_is_named_and_not_guessed(folder: Folder) -> None:
    folder.run("snapshot")

    answer = asked(folder, "shop.orders.note", "--downstream")
    shown = folder.people("lineage", "shop.orders.note", "--downstream")

    assert links(answer) == ["1 orders.note -> wrong.* reads"]
    assert answer["untraced"] == ["shop.wrong"]
    kinds = {each["relation"]: each["kind"] for each in answer["relations"]}
    assert kinds["shop.wrong"] == "view"
    assert "shop.wrong: its columns are unknown" in shown


@pytest.mark.thorough
def test_a_view_of_an_earlier_release_says_what_is_not_known_of_it(folder: Folder) -> None:
    folder.write_ddl(DDL)
    folder.run("snapshot")
    name = RelationName.of("shop", "revenue")

    def forget_influences(tx: Transaction) -> None:
        stored = json.loads(tx.graph.derivations([name])[name])
        del stored["influences"]
        tx.graph.write_derivation(name, json.dumps(stored))

    with folder.state() as state:
        state.write(forget_influences)
    shown = folder.people("lineage", "shop.revenue.customer")

    assert shown.splitlines() == [
        "shop.revenue.customer",
        "└── shop.orders.customer  (direct)",
        "shop.revenue: the lineage of its rows is unknown until the next snapshot",
    ]


def test_no_state_is_made_by_asking(folder: Folder) -> None:
    ended = folder.run("lineage", "shop.orders")

    assert ended.status == 1
    assert "there is no state" in ended.err
    assert not Path(folder.path / "state.db").exists()


@pytest.mark.thorough
def test_names_and_expressions_never_reach_a_terminal_as_they_are(folder: Folder) -> None:
    folder.write_ddl("CREATE VIEW shop.odd AS SELECT concat('\x1b[2J[bold]', 'x') AS a;")
    folder.run("snapshot")

    shown = folder.people("lineage", "shop.odd.a")

    assert "\x1b" not in shown
    assert r"concat('\x1b[2J[bold]', 'x')" in shown


def test_an_explanation_has_it_in_short(shop: Folder) -> None:
    (explained,) = shop.run("explain", "shop.best", "--json").lines
    shown = shop.people("explain", "shop.best")

    columns = {each["column"]: each for each in explained["lineage"]["columns"]}
    assert columns["who"]["direct"] == ["shop.revenue.customer"]
    assert columns["who"]["expression"] == "upper(customer)"
    assert columns["place"]["indirect"] == ["shop.revenue.total (order by)"]
    assert explained["lineage"]["rows"] == ["shop.revenue.orders (where)"]
    assert "upper(customer)" in shown
    assert "shop.revenue.orders (where)" in shown
    assert "made of" not in shop.people("explain", "shop.orders")


def events(folder: Folder, name: str, *options: str) -> Sequence[dict[str, Any]]:
    ended = folder.run("lineage", name, "--format", "openlineage", *options)
    assert ended.status == 0, ended
    return ended.lines


def test_views_are_jobs_of_openlineage_with_schemas_and_column_lineage(shop: Folder) -> None:
    found = events(shop, "shop.best", "--namespace", "hive://metastore:9083")

    assert [event["job"]["name"] for event in found] == ["shop.best", "shop.revenue"]
    assert all(through_their_classes(event) == without_empty(event) for event in found)
    (best, revenue) = (event["outputs"][0] for event in found)
    assert (best["namespace"], best["name"]) == ("hive://metastore:9083", "shop.best")
    assert best["facets"]["schema"]["fields"][0] == {"name": "who", "type": "string"}
    fields = best["facets"]["columnLineage"]["fields"]
    (who,) = fields["who"]["inputFields"]
    assert (who["name"], who["field"]) == ("shop.revenue", "customer")
    assert who["transformations"] == [
        {"type": "DIRECT", "subtype": "TRANSFORMATION", "description": "upper(customer)"}
    ]
    (ordered,) = fields["place"]["inputFields"]
    assert ordered["transformations"] == [{"type": "INDIRECT", "subtype": "WINDOW"}]
    made = revenue["facets"]["columnLineage"]
    assert made["fields"]["total"]["inputFields"][0]["transformations"][0]["subtype"] == (
        "AGGREGATION"
    )
    rows = {each["field"]: each["transformations"] for each in made["dataset"]}
    assert rows == {
        "day": [{"type": "INDIRECT", "subtype": "FILTER"}],
        "customer": [{"type": "INDIRECT", "subtype": "GROUP_BY"}],
    }


def test_a_table_is_a_dataset_with_its_schema(shop: Folder) -> None:
    (event,) = events(shop, "shop.orders")

    assert through_their_classes(event) == without_empty(event)
    assert event["dataset"]["namespace"] == "ddl://acme-schema"
    types = {
        field["name"]: field["type"] for field in event["dataset"]["facets"]["schema"]["fields"]
    }
    assert types["home"] == "struct<city:string,zip:string>"


@pytest.mark.parametrize(
    ("uri", "namespace"),
    [
        ("thrift://metastore:9083", "hive://metastore:9083"),
        ("thrift://a.example:9084,thrift://b.example:9083", "hive://a.example:9084"),
        ("thrift://[::1]:9083", "hive://[::1]:9083"),
    ],
)
def test_a_metastores_namespace_is_its_first_servers_address(uri: str, namespace: str) -> None:
    assert metastore_namespace(uri) == namespace
