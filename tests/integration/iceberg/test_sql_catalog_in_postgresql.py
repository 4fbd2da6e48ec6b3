"""A SQL catalog in PostgreSQL, which pyiceberg writes and migrates from schema V0 to V1."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType

from deploy.postgresql import Postgresql
from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.iceberg import IcebergCatalog
from lakeschema.catalog.iceberg_sql import SqlSource
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.table_files.limited import LimitedOwnSchemas
from tests.postgresql import empty_database

pytestmark = pytest.mark.integration

NAMES = [RelationName(levels, "T") for levels in (("P",), ("p",), ("p", "q"))]
SCHEMA = Schema(NestedField(1, "Id", LongType(), required=True, doc="key"))
_V0 = (
    "CREATE TABLE iceberg_tables (catalog_name VARCHAR(255) NOT NULL,"
    " table_namespace VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL,"
    " metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000),"
    " PRIMARY KEY (catalog_name, table_namespace, table_name));"
    "CREATE TABLE iceberg_namespace_properties (catalog_name VARCHAR(255) NOT NULL,"
    " namespace VARCHAR(255) NOT NULL, property_key VARCHAR(255), property_value VARCHAR(1000),"
    " PRIMARY KEY (catalog_name, namespace, property_key))"
)
"""As Iceberg's Java library creates it without ``jdbc.schema-version``."""


@pytest.fixture
def url(postgresql: Postgresql) -> str:
    url = empty_database(postgresql)
    with psycopg.connect(url) as connection:
        connection.execute(_V0)
    return url


@pytest.fixture
def source(url: str) -> Iterator[SqlSource]:
    with closing(SqlSource(url, "lake", name="lake", timeout_seconds=2)) as source:
        yield source


def writer_of(url: str, folder: Path, **properties: str) -> SqlCatalog:
    uri = url.replace("postgresql:", "postgresql+psycopg:")
    return SqlCatalog("lake", uri=uri, warehouse=folder.as_uri(), **properties)


def test_tables_of_both_schemas_are_read(url: str, source: SqlSource, tmp_path: Path) -> None:
    with closing(writer_of(url, tmp_path)) as writer, LimitedOwnSchemas() as schemas:
        for name in NAMES:
            writer.create_namespace(name.namespace)
            writer.create_table(name.parts, SCHEMA)
        first = source.look({})

        with closing(writer_of(url, tmp_path, schema_version="v1")) as later:
            with later.load_table(NAMES[2].parts).update_schema() as update:
                update.add_column("more", StringType())
            later.rename_table(NAMES[1].parts, ("p", "q", "moved"))
        look = source.look(first.marks)

        moved = RelationName(("p", "q"), "moved")
        catalog = IcebergCatalog(source, schemas)
        found = catalog.read([*NAMES, moved])
        assert list(first.marks) == NAMES
        assert look.changed == [NAMES[1], NAMES[2], moved]
        assert set(catalog.namespaces()) == {Namespace(n.namespace) for n in NAMES}
        assert {n: [c.name for c in found[n].columns] for n in found} == {
            NAMES[0]: ["Id"],
            NAMES[2]: ["Id", "more"],
            moved: ["Id"],
        }


def test_a_locked_table_is_waited_for_within_the_limit(url: str, source: SqlSource) -> None:
    source.pointers()
    with psycopg.connect(url) as locking:
        locking.execute("LOCK TABLE iceberg_tables IN ACCESS EXCLUSIVE MODE")
        began = time.monotonic()

        with pytest.raises(CatalogUnavailable, match="statement timeout"):
            source.pointers()

        assert time.monotonic() - began < 20
    assert source.pointers() == {}


def test_a_server_that_never_answers_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://u:p@127.0.0.1:{silent.getsockname()[1]}/x"
        began = time.monotonic()

        with (
            closing(SqlSource(url, "lake", name="lake", timeout_seconds=2)) as source,
            pytest.raises(CatalogUnavailable),
        ):
            source.pointers()

        assert time.monotonic() - began < 20


def test_a_broken_connection_is_replaced(url: str, source: SqlSource) -> None:
    source.pointers()
    with psycopg.connect(url, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )

    with pytest.raises(CatalogUnavailable):
        source.pointers()
    assert source.pointers() == {}
