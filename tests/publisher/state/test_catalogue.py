"""Lists of relations: what is chosen, in which order, and from which key on."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.translation.model.outcome import Status
from publisher.state.opening import StoredState
from publisher.state.protocol import Transaction
from publisher.state.records import (
    Chosen,
    Edge,
    ListedRelation,
    RelationRecord,
    VersionRecord,
    VersionStatus,
)
from publisher.state.sqlite import SqliteState

KEYS = [
    "orders",
    "sales.`50%_off`",
    "sales.orders",
    "sales.orders_old",
    "sales.eu.orders",
    "sales_2.orders",
    "b:sales.orders",
    "b:orders",
    "b2:sales.orders",
    "`a:b`.orders",
    "`größe`.`<script>`",
]
KINDS = ("table", "view", "")
STATUSES = (Status.OK, Status.BROKEN, Status.MISSING)


def record_of(number: int, key: str) -> RelationRecord:
    status = STATUSES[number % 3]
    return RelationRecord(
        RelationName.from_key(key),
        status=status,
        stale=number % 4 == 0,
        reason="" if status is Status.OK else "why",
        kind=KINDS[number % 2 if number else 2],
        owner="" if number % 5 == 4 else "team <b>",
    )


RECORDS = [record_of(number, key) for number, key in enumerate(KEYS)]


@pytest.fixture
def filled(state: StoredState) -> StoredState:
    def write(tx: Transaction) -> None:
        for record in RECORDS:
            tx.graph.write(record)

    state.write(write)
    return state


def is_chosen(record: RelationRecord, chosen: Chosen) -> bool:
    status = "STALE" if record.stale else record.status.value
    return (
        chosen.catalog in {None, record.name.catalog}
        and chosen.namespace in {None, record.name.place}
        and chosen.kind in {None, record.kind}
        and chosen.status in {None, status}
        and chosen.owner in {None, record.owner}
        and (chosen.text is None or chosen.text.lower() in str(record.name))
    )


EVERY_CHOICE = [
    Chosen(*each)
    for each in product(
        (None, "", "b"),
        (None, Namespace(("sales",)), Namespace((), "b"), Namespace(()), Namespace(("nowhere",))),
        (None, "view"),
        (None, "OK", "STALE"),
        (None, "ORDERS", "%", "_"),
        (None, "team <b>"),
    )
]


def names(found: Sequence[ListedRelation]) -> list[str]:
    return [str(each.name) for each in found]


def test_each_combination_of_filters_lists_what_it_names_in_order(filled: StoredState) -> None:
    for chosen in EVERY_CHOICE:
        expected = sorted(str(record.name) for record in RECORDS if is_chosen(record, chosen))

        found = filled.read(lambda tx, chosen=chosen: tx.catalogue.after("", chosen, 100))  # type: ignore[misc]

        assert names(found) == expected, chosen


@pytest.mark.parametrize("chosen", [Chosen(), Chosen(status="STALE"), Chosen(text="o")], ids=str)
def test_pages_by_key_meet_each_relation_once_in_both_directions(
    filled: StoredState, chosen: Chosen
) -> None:
    def after(key: str) -> list[str]:
        return names(filled.read(lambda tx: tx.catalogue.after(key, chosen, 2)))

    def before(key: str) -> list[str]:
        return names(filled.read(lambda tx: tx.catalogue.before(key, chosen, 2)))

    every = names(filled.read(lambda tx: tx.catalogue.after("", chosen, 100)))
    forth: list[str] = []
    while page := after(forth[-1] if forth else ""):
        forth += page
    back: list[str] = []
    while page := before(back[0] if back else "\x7f"):
        back = page + back

    assert forth == back == every


def test_a_row_says_what_lists_show(filled: StoredState) -> None:
    (found,) = filled.read(lambda tx: tx.catalogue.after("", Chosen(text="50%"), 9))

    assert found == ListedRelation(
        RelationName.of("sales", "50%_off"), "view", "team <b>", "BROKEN", "why", False, False
    )


def test_namespaces_of_the_default_catalog_come_first_with_their_figures(
    filled: StoredState,
) -> None:
    found = filled.read(lambda tx: tx.catalogue.namespaces())

    keys = [str(each.namespace) for each in found]
    assert keys == [
        "",
        "`a:b`",
        "`größe`",
        "sales",
        "sales.eu",
        "sales_2",
        "b:",
        "b:sales",
        "b2:sales",
    ]
    sales = found[3]
    of_sales = [r for r in RECORDS if r.name.place == sales.namespace]
    assert (sales.relations, sales.tables, sales.views, sales.unread) == (3, 1, 2, 0)
    assert sales.troubled == sum(bool(record.reason) for record in of_sales)


def version(number: str, distribution: str = "acme-a", at: float = 0.0) -> VersionRecord:
    status = VersionStatus.CONFLICT if number == "9" else VersionStatus.PUBLISHED
    name = RelationName.of("db", "a")
    return VersionRecord(
        distribution, number, name, status, None, None, "5a", "f", created_at=at, change="minor"
    )


def test_lists_of_versions_have_only_published_ones(state: StoredState) -> None:
    versions = [version("1"), version("2", at=3_600.0), version("9", at=3_700.0)]
    state.write(lambda tx: tx.versions.adopt([*versions, version("1", "acme-b", 10_000.0)]))

    newest = state.read(lambda tx: tx.versions.newest(["acme-a", "acme-none"]))
    latest = state.read(lambda tx: tx.versions.latest(2))
    hours = state.read(lambda tx: tx.versions.published_by_hour(3_600.0, 10_001.0))

    assert {name: each.number for name, each in newest.items()} == {"acme-a": "2"}
    assert newest["acme-a"].wheel_sha256 == "5a"
    assert [(each.distribution, each.number) for each in latest] == [
        ("acme-b", "1"),
        ("acme-a", "2"),
    ]
    assert hours == {0: 1, 1: 1}


def test_readers_are_counted_next_to_a_relation_and_at_any_distance(state: StoredState) -> None:
    a, b, c, d = (RelationName.of("db", name) for name in "abcd")

    def write(tx: Transaction) -> None:
        for reader, upstream in ((b, a), (c, b), (d, c), (b, d)):
            edges = [*tx.graph.edges_of([reader])[reader], Edge(reader, upstream)]
            tx.graph.replace_edges(reader, edges)

    state.write(write)

    assert state.read(lambda tx: tx.graph.count_readers([a, b, d])) == {a: 1, b: 1, d: 1}
    assert state.read(lambda tx: tx.graph.count_cone(a, 100)) == 3
    assert state.read(lambda tx: tx.graph.count_cone(a, 2)) == 2
    assert state.read(lambda tx: tx.graph.count_cone(RelationName.of("db", "x"), 9)) == 0


def test_a_state_of_an_earlier_release_lists_its_relations(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with closing(sqlite3.connect(path)) as connection:
        old = Path(__file__).parent / "state_0002.sql"
        connection.executescript(old.read_text("utf-8"))

    with closing(SqliteState(path)) as state:
        found = state.read(lambda tx: tx.catalogue.after("", Chosen(), 100))

    kinds = {str(each.name): each.kind for each in found}
    assert (kinds["shop.v_orders"], kinds["shop.c1"]) == ("view", "view")


def test_names_that_a_misspelt_one_may_mean_are_few(filled: StoredState) -> None:
    def resembling(key: str, limit: int = 100) -> set[str]:
        name = RelationName.from_key(key)
        return {str(each) for each in filled.read(lambda tx: tx.catalogue.resembling(name, limit))}

    assert "sales.orders" in resembling("sales.ordres")
    assert "sales.orders" in resembling("slaes.orders")
    assert "b:sales.orders" in resembling("b:sales.xyz")
    assert (
        resembling("nowhere.%")
        == resembling("nowhere.`50%`")
        == {"sales.`50%_off`"} - {"sales.`50%_off`"}
    )
    assert len(resembling("sales.orders", 1)) <= 2
