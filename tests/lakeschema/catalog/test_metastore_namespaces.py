"""Databases of a metastore as namespaces that statements list, create and drop."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hive_metastore.ttypes import Function

from lakeschema.catalog.abilities import ListsFunctions, ListsViews, SupportsNamespaces
from lakeschema.catalog.catalog_identifiers import CatalogIdentifier
from lakeschema.catalog.errors import (
    CatalogRefused,
    NamespaceExists,
    NamespaceMissing,
    NamespaceNotEmpty,
)
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from tests.lakeschema.catalog.thrift_metastore import Handler, serving, thrift_table


@pytest.fixture
def handler() -> Handler:
    handler = Handler()
    handler.tables["shop"] = {
        "orders": thrift_table("orders"),
        "totals": thrift_table("totals", table_type="VIRTUAL_VIEW"),
    }
    handler.functions["shop"] = {"area": Function(functionName="area")}
    return handler


@pytest.fixture
def catalog(handler: Handler) -> Iterator[HiveMetastoreCatalog]:
    with serving(handler) as uri:
        catalog = HiveMetastoreCatalog(uri)
        yield catalog
        catalog.close()


def test_it_has_the_abilities_of_a_catalog_with_namespaces(catalog: HiveMetastoreCatalog) -> None:
    assert isinstance(catalog, SupportsNamespaces)
    assert isinstance(catalog, ListsViews)
    assert isinstance(catalog, ListsFunctions)


def test_databases_are_namespaces_of_one_level(
    handler: Handler, catalog: HiveMetastoreCatalog
) -> None:
    assert list(catalog.list_namespaces(())) == [("default",), ("shop",)]
    assert list(catalog.list_namespaces((), "sh")) == [("shop",)]
    assert handler.requests == ["get_all_databases", "get_all_databases"]
    assert list(catalog.list_namespaces(("shop",))) == []


def test_a_namespace_is_created_used_and_dropped_by_a_request_each(
    handler: Handler, catalog: HiveMetastoreCatalog
) -> None:
    catalog.create_namespace(("crm",), {"team": "red"})
    assert catalog.load_namespace(("crm",)) == {"location": "file:/crm"}
    catalog.drop_namespace(("crm",))

    assert handler.requests == ["create_database", "get_database", "drop_database"]
    with pytest.raises(NamespaceMissing, match="catalog hive refused namespace crm: there is no"):
        catalog.load_namespace(("crm",))
    with pytest.raises(NamespaceMissing):
        catalog.drop_namespace(("crm",))


def test_an_existing_namespace_is_not_created_again(catalog: HiveMetastoreCatalog) -> None:
    with pytest.raises(NamespaceExists, match="namespace shop: it exists already"):
        catalog.create_namespace(("shop",), {})


def test_a_namespace_with_tables_is_kept(handler: Handler, catalog: HiveMetastoreCatalog) -> None:
    with pytest.raises(NamespaceNotEmpty, match="refused to drop namespace shop: it is not empty"):
        catalog.drop_namespace(("shop",))

    assert "shop" in handler.tables


def test_another_refusal_has_the_servers_reason(
    handler: Handler, catalog: HiveMetastoreCatalog
) -> None:
    handler.failure = "permission denied"
    handler.tables["locked"] = {}

    with pytest.raises(CatalogRefused, match="to create database crm: permission denied"):
        catalog.create_namespace(("crm",), {})
    with pytest.raises(CatalogRefused, match="to drop database locked: permission denied"):
        catalog.drop_namespace(("locked",))
    with pytest.raises(CatalogRefused, match="database default: Can not drop default database"):
        catalog.drop_namespace(("default",))


def test_views_and_functions_are_listed_by_a_request_each(
    handler: Handler, catalog: HiveMetastoreCatalog
) -> None:
    assert catalog.list_views(("shop",)) == [CatalogIdentifier(("shop",), "totals")]
    assert catalog.list_functions(("shop",)) == [CatalogIdentifier(("shop",), "area")]
    assert handler.requests == ["get_tables_by_type", "get_functions"]


@pytest.mark.parametrize("namespace", [(), ("a", "b")])
def test_a_namespace_of_other_levels_is_refused_without_a_request(
    handler: Handler, catalog: HiveMetastoreCatalog, namespace: tuple[str, ...]
) -> None:
    for ask in (catalog.load_namespace, catalog.drop_namespace, catalog.list_views):
        with pytest.raises(CatalogRefused, match="a metastore's namespaces have one level"):
            ask(namespace)
    assert handler.requests == []
