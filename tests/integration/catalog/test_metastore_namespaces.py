"""Databases of a real metastore that the catalog's statements create, list and drop."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from deploy.local_stack import Metastore
from deploy.metastore_ddl import MetastoreDdl
from lakeschema.catalog.catalog_identifiers import CatalogIdentifier
from lakeschema.catalog.errors import (
    CatalogRefused,
    NamespaceExists,
    NamespaceMissing,
    NamespaceNotEmpty,
)
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog


@pytest.fixture
def catalog(metastore: Metastore) -> Iterator[HiveMetastoreCatalog]:
    catalog = HiveMetastoreCatalog(metastore.uri)
    yield catalog
    catalog.close()


def test_a_namespace_is_created_listed_and_dropped(catalog: HiveMetastoreCatalog) -> None:
    namespace = (f"made_{secrets.token_hex(4)}",)

    catalog.create_namespace(namespace, {"team": "red"})

    assert namespace in catalog.list_namespaces((), "made_")
    properties = catalog.load_namespace(namespace)
    assert properties["team"] == "red"
    with pytest.raises(NamespaceExists):
        catalog.create_namespace(namespace, {})
    catalog.drop_namespace(namespace)
    with pytest.raises(NamespaceMissing):
        catalog.load_namespace(namespace)
    with pytest.raises(NamespaceMissing):
        catalog.drop_namespace(namespace)
    # The folder stays: the catalog deletes no files.
    assert Path(urlsplit(properties["location"]).path).is_dir()


def test_a_namespace_with_tables_is_kept_and_its_views_are_listed(
    metastore: Metastore, database: str, catalog: HiveMetastoreCatalog
) -> None:
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_table(database, "members", [("id", "bigint")])
        ddl.create_view(database, "names", [("id", "bigint")], f"SELECT id FROM {database}.members")

    assert catalog.list_views((database,)) == [CatalogIdentifier((database,), "names")]
    assert catalog.list_functions((database,)) == []
    with pytest.raises(NamespaceNotEmpty):
        catalog.drop_namespace((database,))


def test_a_name_that_the_metastore_does_not_allow_is_refused(catalog: HiveMetastoreCatalog) -> None:
    with pytest.raises(CatalogRefused, match="to create database a-b c"):
        catalog.create_namespace(("a-b c",), {})
