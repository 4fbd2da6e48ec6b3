"""Faults that a real metastore cannot easily be made to show: failures, lag and nonsense."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

import pytest
from hive_metastore.ttypes import (
    FieldSchema,
    Function,
    ResourceType,
    ResourceUri,
    SQLNotNullConstraint,
)

from lakeschema.catalog.column_types import UnknownType
from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Catalog
from tests.lakeschema.catalog.behaviour import ContainmentBehaviour
from tests.lakeschema.catalog.thrift_metastore import Handler, serving, thrift_table


@pytest.fixture
def handler() -> Handler:
    return Handler()


@pytest.fixture
def uri(handler: Handler) -> Iterator[str]:
    with serving(handler) as uri:
        yield uri


@pytest.fixture
def catalog(uri: str) -> Iterator[HiveMetastoreCatalog]:
    catalog = HiveMetastoreCatalog(uri, batch_size=3)
    yield catalog
    catalog.close()


def name(table: str) -> RelationName:
    return RelationName(("default",), table)


def test_a_long_list_is_read_in_batches(handler: Handler, catalog: HiveMetastoreCatalog) -> None:
    handler.tables["default"] = {f"t{i}": thrift_table(f"t{i}") for i in range(8)}

    found = catalog.read([name(f"t{i}") for i in range(8)])

    assert len(found) == 8
    assert handler.requests.count("get_table_objects_by_name") == 3


def _not_null(column: str, *, enforced: bool = True) -> SQLNotNullConstraint:
    return SQLNotNullConstraint(column_name=column, enable_cstr=enforced)


def test_one_table_is_asked_for_by_itself(handler: Handler, catalog: HiveMetastoreCatalog) -> None:
    handler.tables["default"]["t"] = thrift_table("t")

    found = catalog.read([name("t")])

    assert list(found) == [name("t")]
    assert handler.requests == ["get_table", "get_not_null_constraints"]


def test_one_table_that_does_not_exist_is_missing(
    handler: Handler, catalog: HiveMetastoreCatalog
) -> None:
    assert catalog.read([name("t")]) == {}
    assert catalog.read([RelationName(("nowhere",), "t")]) == {}
    assert handler.requests == ["get_table", "get_table"]


def test_a_constraint_that_hive_enforces_makes_a_column_required(
    handler: Handler, catalog: HiveMetastoreCatalog
) -> None:
    columns = [FieldSchema(column, "int", None) for column in "abcd"]
    handler.tables["default"] = {"t": thrift_table("t", columns)}
    handler.not_null = {"t": [_not_null("a"), _not_null("B"), _not_null("c", enforced=False)]}

    found = catalog.read([name("t")])[name("t")]

    assert [column.name for column in found.columns if not column.nullable] == ["a", "b"]


@pytest.mark.parametrize(
    ("table_type", "properties", "asked"),
    [
        ("MANAGED_TABLE", {}, True),
        ("EXTERNAL_TABLE", {"TRANSLATED_TO_EXTERNAL": "TRUE"}, True),
        ("EXTERNAL_TABLE", {}, False),
        ("MANAGED_TABLE", {"spark.sql.sources.provider": "parquet"}, False),
        ("VIRTUAL_VIEW", {}, False),
    ],
)
def test_only_tables_of_which_hive_takes_constraints_are_asked_about(
    handler: Handler,
    catalog: HiveMetastoreCatalog,
    table_type: str,
    properties: dict[str, str],
    *,
    asked: bool,
) -> None:
    table = thrift_table("t")
    table.tableType, table.parameters = table_type, properties
    handler.tables["default"] = {"t": table}

    catalog.read([name("t")])

    assert ("get_not_null_constraints" in handler.requests) is asked


def test_a_metastore_without_constraints_is_asked_once_for_each_batch(
    handler: Handler, catalog: HiveMetastoreCatalog
) -> None:
    handler.tables["default"] = {f"t{i}": thrift_table(f"t{i}") for i in range(50)}
    handler.not_null = None

    found = catalog.read([name(f"t{i}") for i in range(50)])

    assert len(found) == 50
    assert not any(relation.unreadable for relation in found.values())
    batches = handler.requests.count("get_table_objects_by_name")
    assert handler.requests.count("get_not_null_constraints") == batches < 50


def test_a_server_without_the_short_form_gives_a_single_table(
    handler: Handler, catalog: HiveMetastoreCatalog
) -> None:
    handler.tables["default"]["t"] = thrift_table("t")
    handler.gives_single_by_name = False

    found = catalog.read([name("t")])

    assert list(found) == [name("t")]
    assert handler.requests[:2] == ["get_table", "get_table_req"]


def test_a_server_that_refuses_single_tables_gives_them_in_a_list(
    handler: Handler, catalog: HiveMetastoreCatalog
) -> None:
    handler.tables["default"]["t"] = thrift_table("t")
    handler.gives_single = False

    found = catalog.read([name("t")])

    assert list(found) == [name("t")]
    assert handler.requests[:2] == ["get_table", "get_table_objects_by_name"]


def test_hostile_content_breaks_neither_its_table_nor_its_batch(
    handler: Handler, catalog: HiveMetastoreCatalog
) -> None:
    bad_bytes = b"\xff\xfe caf\xc3".decode("utf-8", "surrogateescape")
    handler.tables["default"] = {
        "plain": thrift_table("plain", [FieldSchema("a", "int", None)]),
        "bytes": thrift_table("bytes", [FieldSchema("a", "int", bad_bytes)]),
        "large": thrift_table("large", [FieldSchema("a", "struct<" + "x" * 1_000_000, None)]),
        "deep": thrift_table("deep", [FieldSchema("a", "array<" * 200_000, None)]),
        "a.b": thrift_table("a.b", [FieldSchema("", "", "")]),
        "x" * 300: thrift_table("x" * 300, [FieldSchema(None, None, None)]),
    }
    names = [name(table) for table in handler.tables["default"]]

    found = catalog.read(names)

    assert set(found) == set(names)
    assert found[name("bytes")].columns[0].comment == "�� caf�"
    assert isinstance(found[name("large")].columns[0].type, UnknownType)
    assert isinstance(found[name("deep")].columns[0].type, UnknownType)
    assert str(name("a.b")) == "default.`a.b`"


def test_a_table_without_any_content_is_a_relation(
    handler: Handler, catalog: HiveMetastoreCatalog
) -> None:
    empty = thrift_table("t")
    empty.sd = empty.parameters = empty.partitionKeys = empty.tableType = None
    handler.tables["default"]["t"] = empty

    assert catalog.read([name("t")])[name("t")].columns == ()


def test_a_dropped_connection_is_made_again(
    handler: Handler, catalog: HiveMetastoreCatalog
) -> None:
    handler.drops = 2

    assert list(catalog.namespaces()) == [Namespace(("default",))]


def test_a_server_that_stays_away_is_unavailable_and_named() -> None:
    catalog = HiveMetastoreCatalog("thrift://127.0.0.1:1", timeout_seconds=1, attempts=2)

    with pytest.raises(CatalogUnavailable, match=r"thrift://127\.0\.0\.1:1"):
        catalog.namespaces()


def test_the_next_address_answers_when_the_first_is_away(handler: Handler, uri: str) -> None:
    catalog = HiveMetastoreCatalog(f"thrift://127.0.0.1:1,{uri}")

    assert list(catalog.namespaces()) == [Namespace(("default",))]
    catalog.close()


def test_a_replica_that_lags_behind_the_known_event_is_not_read(handler: Handler, uri: str) -> None:
    handler.event_id = 9
    handler.tables["default"]["t"] = thrift_table("t")
    lagging = Handler()
    lagging.event_id = 8
    with serving(lagging) as behind:
        catalog = HiveMetastoreCatalog([uri, behind], attempts=2)
        assert catalog.current_event_id() == 9
        handler.drops = 10

        with pytest.raises(CatalogUnavailable, match="is at event 8, before 9"):
            catalog.read([name("t")])

    catalog.close()


class TestContainment(ContainmentBehaviour):
    @pytest.fixture
    def catalog(self, handler: Handler, uri: str) -> Iterator[Catalog]:
        id_ = [FieldSchema("id", "int", None)]
        handler.tables["default"] = {t: thrift_table(t, id_) for t in ("sound", "unsound")}
        handler.poisoned = {"unsound", "nobody"}
        catalog = HiveMetastoreCatalog(uri)
        yield catalog
        catalog.close()

    @pytest.fixture
    def namespace(self) -> str:
        return "default"


def test_tables_that_the_server_cannot_give_are_found_by_halves(handler: Handler, uri: str) -> None:
    handler.tables["default"] = {f"t{i}": thrift_table(f"t{i}") for i in range(64)}
    handler.poisoned = {"t7", "t40"}
    catalog = HiveMetastoreCatalog(uri)

    found = catalog.read([name(f"t{i}") for i in range(64)])

    catalog.close()
    assert len(found) == 64
    assert [n for n, relation in found.items() if relation.unreadable] == [name("t7"), name("t40")]
    assert found[name("t7")].unreadable == "Internal error"
    assert handler.requests.count("get_table_objects_by_name") < 30


def test_a_server_that_cannot_even_list_refuses_and_blames_no_table(
    handler: Handler, catalog: HiveMetastoreCatalog
) -> None:
    handler.tables["default"] = {"t": thrift_table("t")}
    handler.poisoned = {"t"}
    handler.lists = False

    with pytest.raises(CatalogRefused, match="the tables of default"):
        catalog.read([name("t")])


def test_a_refusal_leaves_the_connection_in_use(
    handler: Handler, catalog: HiveMetastoreCatalog
) -> None:
    handler.lists = False
    with pytest.raises(CatalogRefused):
        catalog.relations(Namespace(("default",)))

    assert list(catalog.namespaces()) == [Namespace(("default",))]


def test_threads_do_not_share_a_connection(handler: Handler, catalog: HiveMetastoreCatalog) -> None:
    handler.tables["default"] = {f"t{i}": thrift_table(f"t{i}") for i in range(20)}
    found: list[int] = []

    def read() -> None:
        found.extend(len(catalog.read([name(f"t{i}") for i in range(20)])) for _ in range(20))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [20] * 80


@pytest.mark.parametrize("uri", ["http://x:1", "127.0.0.1:9083", "thrift://", "thrift://x:y"])
def test_an_invalid_address_is_refused_at_once(uri: str) -> None:
    with pytest.raises(ValueError, match=r"thrift|[Pp]ort"):
        HiveMetastoreCatalog(uri)


def spark_view(name: str, text: str) -> object:
    view = thrift_table(name, properties={"view.catalogAndNamespace.numParts": "0"})
    view.tableType, view.viewOriginalText, view.viewExpandedText = "VIRTUAL_VIEW", text, text
    return view


def test_functions_are_asked_for_once_and_only_for_views_that_call_some(
    handler: Handler, catalog: HiveMetastoreCatalog
) -> None:
    stored = json.dumps({"sqlFunction.expression": "1", "sqlFunction.inputParam": ""})
    resource = ResourceUri(ResourceType.FILE, f"000{stored}")
    function = Function("f", "default", "sqlFunction.", resourceUris=[resource])
    handler.functions["default"] = {"f": function}
    handler.tables["default"] = {
        "t": thrift_table("t"),
        "no_calls": spark_view("no_calls", "SELECT a FROM t"),
        "v": spark_view("v", "SELECT f() AS a, upper(`x`.g(b)) AS b FROM t"),
        "w": spark_view("w", "SELECT default.f() AS a"),
    }

    quiet = catalog.read([name("t"), name("no_calls")])
    asked_first = handler.requests.count("get_functions")
    found = catalog.read([name("v"), name("w")])

    assert asked_first == 0
    assert quiet[name("no_calls")].view is not None
    for view in (found[name("v")].view, found[name("w")].view):
        assert view is not None
        assert [function.body for function in view.functions] == ["1"]
    assert handler.requests.count("get_functions") == 2
    assert handler.requests.count("get_function") == 1
