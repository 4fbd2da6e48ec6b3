"""Iceberg's tables in a metastore that the test runs, over real Thrift."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.iceberg import IcebergCatalog
from lakeschema.catalog.iceberg_databases import DatabasesSource
from lakeschema.catalog.iceberg_hive import HiveDatabases
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.own_schemas import UnreadSchema
from lakeschema.catalog.relations import SchemaPointer, TableFormat
from tests.lakeschema.catalog.thrift_metastore import Handler, serving, thrift_table

ORDERS = RelationName.of("sales", "orders")


@pytest.fixture
def handler() -> Handler:
    handler = Handler()
    handler.tables = {"default": {}, "sales": {}}
    put(handler, "orders", "file:/orders/1.metadata.json")
    handler.tables["sales"]["plain"] = thrift_table("plain", database="sales")
    return handler


@pytest.fixture
def source(handler: Handler) -> Iterator[DatabasesSource]:
    with serving(handler) as uri:
        source = DatabasesSource(HiveDatabases(uri, name="lake", attempts=1))
        yield source
        source.close()


def put(handler: Handler, name: str, location: str, type_: str = "ICEBERG") -> None:
    handler.tables["sales"][name] = thrift_table(
        name,
        database="sales",
        table_type="VIRTUAL_VIEW" if "view" in type_.lower() else "EXTERNAL_TABLE",
        properties={"table_type": type_, "metadata_location": location},
    )


def pointer(location: str) -> SchemaPointer:
    return SchemaPointer(TableFormat.ICEBERG, location)


@pytest.mark.parametrize("type_", ["ICEBERG", "iceberg", "ICEBERG-VIEW", "iceberg-view"])
def test_tables_and_views_of_iceberg_are_listed_beside_others(
    handler: Handler, source: DatabasesSource, type_: str
) -> None:
    put(handler, "more", "file:/more/1.metadata.json", type_)

    assert source.namespaces() == [("default",), ("sales",)]
    assert sorted(source.relations(("sales",))) == [RelationName.of("sales", "more"), ORDERS]
    assert source.relations(("default",)) == []
    assert source.relations(()) == ()
    assert source.relations(("a", "sales")) == ()
    assert source.relations(("none",)) == []


def test_pointers_are_loaded_of_tables_that_exist(source: DatabasesSource) -> None:
    asked = [
        ORDERS,
        RelationName.of("sales", "plain"),
        RelationName.of("sales", "none"),
        RelationName.of("none", "orders"),
        RelationName.of("a", "sales", "orders"),
    ]

    assert source.load(asked) == {ORDERS: pointer("file:/orders/1.metadata.json")}
    assert source.load([]) == {}


def test_many_tables_are_listed_in_batches(handler: Handler, source: DatabasesSource) -> None:
    for number in range(450):
        put(handler, f"t{number}", f"file:/{number}")

    found = source.look({})

    assert len(found.marks) == 451
    assert handler.requests.count("get_table_objects_by_name") == 3


def test_a_look_finds_moved_pointers_by_one_listing(
    handler: Handler, source: DatabasesSource
) -> None:
    put(handler, "dropped", "file:/dropped/1")
    put(handler, "same", "file:/same/1")
    marks = source.look({}).marks
    handler.requests.clear()
    put(handler, "orders", "file:/orders/2.metadata.json")
    put(handler, "new", "file:/new/1")
    del handler.tables["sales"]["dropped"]

    again = source.look(marks)

    assert [name.name for name in again.changed] == ["dropped", "new", "orders"]
    assert handler.requests == [
        "get_all_databases", "get_all_tables", "get_all_tables", "get_table_objects_by_name",
    ]  # fmt: skip
    assert source.look(again.marks).changed == []


def test_a_table_that_becomes_one_of_another_format_counts_as_dropped(
    handler: Handler, source: DatabasesSource
) -> None:
    marks = source.look({}).marks
    handler.tables["sales"]["orders"] = thrift_table("orders", database="sales")

    assert source.look(marks).changed == [ORDERS]
    assert source.load([ORDERS]) == {}


def test_a_table_that_the_metastore_cannot_return_hides_no_other(
    handler: Handler, source: DatabasesSource
) -> None:
    put(handler, "bad", "file:/bad/1")
    marks = source.look({}).marks
    handler.poisoned = {"bad"}
    bad = RelationName.of("sales", "bad")

    found = source.load([bad, ORDERS])

    assert found[ORDERS] == pointer("file:/orders/1.metadata.json")
    assert found[bad] == UnreadSchema("the catalog cannot return it: Internal error")
    assert sorted(source.relations(("sales",))) == [bad, ORDERS]
    assert source.look(marks).changed == [bad]


def test_a_table_without_a_pointer_says_so(handler: Handler, source: DatabasesSource) -> None:
    put(handler, "orders", "")

    found = IcebergCatalog(source).read([ORDERS])[ORDERS]

    assert "the catalog has no metadata_location for it" in str(found.unreadable)


def test_a_refused_database_loses_none_of_its_relations(
    handler: Handler, source: DatabasesSource
) -> None:
    marks = source.look({}).marks
    handler.failure = "user is not allowed to read sales"

    again = source.look(marks)

    assert again.changed == []
    assert again.marks == marks
    assert source.load([ORDERS]) == {
        ORDERS: UnreadSchema("the catalog refuses to return it: user is not allowed to read sales")
    }
    with pytest.raises(CatalogRefused, match="refused the tables of sales: user is not allowed"):
        IcebergCatalog(source).relations(Namespace(("sales",)))


def test_a_metastore_whose_database_is_down_is_unavailable(
    handler: Handler, source: DatabasesSource
) -> None:
    handler.failure = "JDOFatalDataStoreException: connection refused"

    with pytest.raises(CatalogUnavailable, match="catalog lake does not answer"):
        source.look({})
    with pytest.raises(CatalogUnavailable):
        source.load([ORDERS])


def test_a_lost_connection_is_unavailable() -> None:
    with serving(Handler()) as uri:
        pass
    source = DatabasesSource(HiveDatabases(uri, name="lake", attempts=1))

    with pytest.raises(CatalogUnavailable, match="thrift://127"):
        source.namespaces()
    source.close()
