"""Relations found by parts of names, by fields, and by words of documentation."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.state.opening import StoredState
from publisher.state.protocol import Transaction
from publisher.state.records import Found, Match, Output, RelationRecord
from publisher.state.search_words import searched_texts
from publisher.state.sqlite import SqliteState

NEEDLE = 'Wie Größe gemessen wird, in paying_customers AND NOT "quoted" * words'


def derivation(*fields: tuple[str, str], doc: str = "") -> str:
    columns = [[name, ["string"], doc, True] for name, doc in fields]
    inner: dict[str, object] = {
        "type": "record",
        "name": "Inner",
        "fields": [{"name": "netWeight", "type": "int"}],
    }
    stated: list[dict[str, object]] = [
        {"name": name, "type": "string", "doc": doc} for name, doc in fields
    ]
    stated.append({"name": "box", "type": ["null", {"type": "array", "items": inner}]})
    schema = {"type": "record", "name": "R", "doc": doc, "fields": stated}
    return json.dumps({"interface": {"columns": columns, "schema": json.dumps(schema)}})


def enter(
    state: StoredState, name: str, text: str | None = None, published: str | None = "c"
) -> None:
    record = RelationRecord(
        RelationName.parse(name),
        status=Status.OK,
        stale=False,
        output=Output("i", "c" if text else None),
        published_hash=published,
    )
    state.write(lambda tx: tx.graph.write(record))
    if text is not None:
        state.write(lambda tx: tx.graph.write_derivation(record.name, text))


def find(state: StoredState, asked: str, limit: int = 100) -> Found:
    return state.read(lambda tx: tx.search.find(asked, limit))


def found(state: StoredState, asked: str) -> list[tuple[str, Match]]:
    return [(str(hit.relation), hit.match) for hit in find(state, asked).hits]


def own(state: SqliteState, name: str, owner: str) -> None:
    record = RelationRecord(RelationName.parse(name), owner=owner)
    state.write(lambda tx: tx.graph.write(record))


@pytest.fixture
def shop(state: StoredState) -> StoredState:
    enter(state, "shop.order_placed", derivation(("customer_id", NEEDLE), ("total", "")))
    enter(state, "shop.orders", derivation(("order_placed_at", ""), doc="Since the first day."))
    enter(state, "old.reorder_placed_twice")
    enter(state, "`a-b`.`x.y``z`", derivation(("größe", "placed by a person")))
    return state


@pytest.mark.parametrize(
    "asked",
    [
        "order_placed",
        "orderplaced",
        "OrderPlaced",
        "order-placed",
        "order placed",
        " ORDER.PLACED ",
    ],
)
def test_a_name_is_found_in_any_case_and_with_any_separator(shop: StoredState, asked: str) -> None:
    assert found(shop, asked) == [
        ("shop.order_placed", Match.NAME),
        ("old.reorder_placed_twice", Match.PART),
        ("shop.orders", Match.FIELD),
    ]


@pytest.mark.parametrize("asked", ["shop.order", "shoporder", "Shop Order", "`shop`.`order"])
def test_the_beginning_of_a_name_with_its_namespace_is_enough(
    shop: StoredState, asked: str
) -> None:
    expected = [("shop.order_placed", Match.BEGINNING), ("shop.orders", Match.BEGINNING)]
    assert found(shop, asked) == expected


@pytest.mark.parametrize("asked", ["shop.order_placed", "`shop`.`order_placed`"])
def test_the_whole_name_comes_first(shop: StoredState, asked: str) -> None:
    assert found(shop, asked)[0] == ("shop.order_placed", Match.NAME)


@pytest.mark.parametrize("asked", ["a-b.x.y`z", "xyz", "AB"])
def test_a_name_that_must_be_quoted_is_found(shop: StoredState, asked: str) -> None:
    assert found(shop, asked)[0][0] == "`a-b`.`x.y``z`"


@pytest.mark.parametrize("asked", ["customer_id", "customerId", "CUSTOMERID", "customer", "id"])
def test_a_field_is_found_by_its_name_or_a_word_of_it(shop: StoredState, asked: str) -> None:
    (hit,) = [hit for hit in find(shop, asked).hits if hit.match is Match.FIELD]

    assert (str(hit.relation), hit.fields) == ("shop.order_placed", ("customer_id",))


@pytest.mark.parametrize("asked", ["netWeight", "net_weight", "netweight", "weight"])
def test_a_nested_field_is_found(state: StoredState, asked: str) -> None:
    enter(state, "shop.orders", derivation(("total", "")))

    (hit,) = find(state, asked).hits
    assert (hit.match, hit.fields) == (Match.FIELD, ("netWeight",))


def test_words_of_two_fields_are_no_field(shop: StoredState) -> None:
    assert found(shop, "id total") == []


@pytest.mark.parametrize(
    "asked",
    ["größe gemessen", "GRÖSSE gemessen".replace("SS", "ß"), "paying customers", "quoted", "quot"],
)
def test_words_of_documentation_are_found_with_what_stands_around(
    shop: StoredState, asked: str
) -> None:
    (hit,) = [hit for hit in find(shop, asked).hits if hit.match is Match.DOCUMENTATION]

    assert str(hit.relation) == "shop.order_placed"
    assert "gemessen" in hit.excerpt


@pytest.mark.parametrize(
    "asked",
    [
        "",
        '"',
        "*",
        "AND",
        "NOT x",
        "NEAR(a b)",
        "fields:x",
        "-",
        "^",
        "'; DROP TABLE work",
        "(",
        "\0",
    ],
)
def test_no_question_is_an_error_or_an_operator(shop: StoredState, asked: str) -> None:
    find(shop, asked)

    assert find(shop, "order_placed").total == 3


def test_an_empty_question_finds_each_relation_by_name(shop: StoredState) -> None:
    everything = find(shop, "", limit=2)

    assert everything.total == 4
    assert [str(hit.relation) for hit in everything.hits] == [
        "`a-b`.`x.y``z`",
        "old.reorder_placed_twice",
    ]


def test_another_derivation_takes_the_place_of_the_last(shop: StoredState) -> None:
    enter(shop, "shop.order_placed", derivation(("buyer", "")))

    assert find(shop, "customer_id").total == 0
    assert find(shop, "gemessen").total == 0
    assert find(shop, "buyer").total == 1


def test_what_cannot_be_derived_any_more_is_found_by_the_fields_that_it_had(
    shop: StoredState,
) -> None:
    name = RelationName.of("shop", "order_placed")

    shop.write(lambda tx: tx.graph.write_derivation(name, None))

    assert find(shop, "customer_id").total == 1


def test_what_is_forgotten_is_not_found(shop: StoredState) -> None:
    shop.write(lambda tx: tx.graph.forget(RelationName.of("shop", "order_placed")))

    assert find(shop, "customer_id").total == 0
    assert find(shop, "orderplaced").total == 2


def test_an_action_that_fails_enters_nothing(shop: StoredState) -> None:
    def write_and_fail(tx: Transaction) -> None:
        tx.graph.write_derivation(RelationName.of("shop", "orders"), derivation(("secret", "")))
        raise RuntimeError

    with pytest.raises(RuntimeError):
        shop.write(write_and_fail)

    assert find(shop, "secret").total == 0


class TestInPackages:
    def found(self, state: StoredState, asked: str) -> list[str]:
        return [
            str(h.relation)
            for h in state.read(lambda tx: tx.search.find_in_packages(asked, 9)).hits
        ]

    def test_fields_and_documentation_of_published_content_are_found(
        self, shop: StoredState
    ) -> None:
        assert self.found(shop, "customer_id") == ["shop.order_placed"]
        assert self.found(shop, "gemessen") == ["shop.order_placed"]

    def test_names_are_not_looked_through(self, shop: StoredState) -> None:
        assert self.found(shop, "reorder") == []
        assert self.found(shop, "") == []

    def test_what_was_never_published_is_not_found(self, state: StoredState) -> None:
        enter(state, "shop.secret", derivation(("plan", "")), published=None)

        assert self.found(state, "plan") == []

    def test_what_was_derived_since_the_newest_version_is_not_found(
        self, state: StoredState
    ) -> None:
        enter(state, "shop.orders", derivation(("plan", "")), published="an older content")

        assert self.found(state, "plan") == []

    def test_what_broke_since_is_found_by_the_fields_of_its_package(
        self, shop: StoredState
    ) -> None:
        name = RelationName.of("shop", "order_placed")
        broken = RelationRecord(name, status=Status.BROKEN, published_hash="c")

        shop.write(lambda tx: tx.graph.write(broken))
        shop.write(lambda tx: tx.graph.write_derivation(name, None))

        assert self.found(shop, "customer_id") == ["shop.order_placed"]


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"interface": 1}', "[" * 9_999])
def test_a_text_that_is_no_derivation_is_stored_and_has_no_words(
    state: StoredState, text: str
) -> None:
    enter(state, "shop.orders", text)

    assert searched_texts(text).fields == ""
    assert find(state, "orders").total == 1


def test_a_lone_surrogate_is_replaced(state: StoredState) -> None:
    enter(state, "shop.orders", derivation(("x", "before \ud800 after")))

    assert find(state, "after").total == 1


def test_a_state_of_an_earlier_release_is_entered(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    state = SqliteState(path)
    enter(state, "shop.orders", derivation(("customer_id", "")))
    state.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "DROP TABLE search; DROP TABLE searched; DROP INDEX work_claimable; DROP TABLE filling;"
            " DROP TABLE notice; DROP TABLE message;"
            " DROP INDEX relation_namespace; DROP INDEX relation_catalog; DROP INDEX relation_kind;"
            " DROP INDEX schema_shown_status; DROP INDEX version_published; DROP INDEX version_created;"
            " ALTER TABLE relation DROP COLUMN catalog; ALTER TABLE relation DROP COLUMN kind;"
            " ALTER TABLE relation DROP COLUMN owner;"
            " DROP INDEX relation_name_beginning; DROP INDEX relation_name_end; DROP INDEX edge_upstream;"
            " CREATE INDEX ix_edge_upstream ON edge (upstream);"
            " CREATE INDEX ix_relation_namespace ON relation (namespace);"
            " UPDATE alembic_version SET version_num = '0009'"
        )

    state = SqliteState(path)

    assert find(state, "customer_id").total == 1
    assert state.read(lambda tx: tx.search.find_in_packages("customer_id", 9)).total == 1
    state.close()


@pytest.fixture
def of_two_catalogs(tmp_path: Path) -> Iterator[StoredState]:
    with closing(SqliteState(tmp_path / "catalogs.db")) as state:
        for key in ["sales.orders", "b:sales.orders", "b:sales.`Orders`", "b:orders", "bsales.x"]:
            record = RelationRecord(RelationName.from_key(key), status=Status.OK, stale=False)
            state.write(lambda tx, record=record: tx.graph.write(record))  # type: ignore[misc]
        yield state


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("b:sales.orders", [("b:sales.`Orders`", Match.NAME), ("b:sales.orders", Match.NAME)]),
        ("b.sales.orders", [("b:sales.`Orders`", Match.NAME), ("b:sales.orders", Match.NAME)]),
        (
            "sales.orders",
            [
                ("sales.orders", Match.NAME),
                ("b:sales.`Orders`", Match.PART),
                ("b:sales.orders", Match.PART),
            ],
        ),
        (
            "orders",
            [
                ("b:orders", Match.NAME),
                ("b:sales.`Orders`", Match.NAME),
                ("b:sales.orders", Match.NAME),
                ("sales.orders", Match.NAME),
            ],
        ),
    ],
)
def test_relations_of_other_catalogs_are_found_with_the_catalog_or_without(
    of_two_catalogs: StoredState, asked: str, expected: list[tuple[str, Match]]
) -> None:
    assert found(of_two_catalogs, asked) == expected


def test_owners_are_found_after_all_other_matches(shop: SqliteState) -> None:
    own(shop, "shop.customers", "CRM@acme.example")
    own(shop, "shop.crm_log", "ops")

    assert found(shop, "crm") == [
        ("shop.crm_log", Match.BEGINNING),
        ("shop.customers", Match.OWNER),
    ]
    assert found(shop, "crm@Acme") == [("shop.customers", Match.OWNER)]
    assert found(shop, "cr") == [("shop.crm_log", Match.BEGINNING)]
    assert found(shop, "crm_acme") == []
