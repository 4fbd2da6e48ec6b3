"""Our client of REST and SQL catalogs against Iceberg's own server, which pyiceberg writes to."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
import requests
from pyiceberg.catalog import Catalog as Writer
from pyiceberg.schema import Schema
from pyiceberg.types import IntegerType, LongType, NestedField, StructType

from deploy.iceberg_rest import CATALOG_NAME, IcebergRest
from lakeschema.catalog.iceberg import IcebergCatalog
from lakeschema.catalog.iceberg_http import RestServer
from lakeschema.catalog.iceberg_rest import RestSource
from lakeschema.catalog.iceberg_sql import SqlSource
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.table_files.limited import LimitedOwnSchemas
from tests.integration.iceberg_client import iceberg_client

DEEP = (f"p_{secrets.token_hex(4)}", "Q", "r r")
"""A namespace that no other test uses."""
SCHEMA = Schema(
    NestedField(1, "Id", LongType(), required=True, doc="key"),
    NestedField(2, "s", StructType(NestedField(3, "x", IntegerType()))),
    identifier_field_ids=[1],
)
VIEW: dict[str, Any] = {
    "name": "v",
    "schema": {
        "type": "struct",
        "schema-id": 0,
        "fields": [{"id": 1, "name": "key", "required": True, "type": "long"}],
    },
    "view-version": {
        "version-id": 1,
        "timestamp-ms": 1,
        "schema-id": 0,
        "summary": {"engine-name": "trino"},
        "representations": [
            {"type": "sql", "sql": "SELECT Id FROM T", "dialect": "spark"},
            {"type": "sql", "sql": 'SELECT "Id" AS "key" FROM "T"', "dialect": "trino"},
        ],
        "default-namespace": list(DEEP),
    },
    "properties": {},
}
NAMES = [RelationName(DEEP, name) for name in ("T", "e😀.x y", "t", "v")]


@pytest.fixture(scope="module")
def rest(iceberg_rest: IcebergRest) -> Iterator[RestSource]:
    source = RestSource(RestServer(iceberg_rest.uri, "lake"))
    yield source
    source.close()


@pytest.fixture(scope="module")
def writer(iceberg_rest: IcebergRest, rest: RestSource) -> Iterator[Writer]:
    with iceberg_client(iceberg_rest) as writer:
        _fill(iceberg_rest, rest, writer)
        yield writer


def _fill(iceberg_rest: IcebergRest, rest: RestSource, writer: Writer) -> None:
    for depth in range(1, len(DEEP) + 1):
        writer.create_namespace(DEEP[:depth])
    for name in ("T", "t", "e😀.x y"):
        writer.create_table((*DEEP, name), SCHEMA)
    path = f"namespaces/{rest.client.namespace_segment(DEEP)}/views"
    requests.post(f"{iceberg_rest.uri}/v1/{path}", json=VIEW, timeout=30).raise_for_status()


def facts(catalog: IcebergCatalog) -> dict[RelationName, Relation]:
    return dict(catalog.read(catalog.relations(Namespace(DEEP))))


@pytest.mark.usefixtures("writer")
def test_rest_and_sql_catalogs_give_equal_facts(
    iceberg_rest: IcebergRest, rest: RestSource
) -> None:
    sql = SqlSource(f"sqlite:///{iceberg_rest.catalog_file}", CATALOG_NAME, name="lake")
    with LimitedOwnSchemas() as schemas:
        by_sql = facts(IcebergCatalog(sql, schemas))
    sql.close()

    by_rest = facts(IcebergCatalog(rest))

    assert sorted(by_rest) == NAMES
    assert by_sql == by_rest
    assert [each.unreadable for each in by_rest.values()] == [None] * 4
    assert Namespace(DEEP) in IcebergCatalog(rest).namespaces()


@pytest.mark.usefixtures("writer")
def test_a_view_without_a_known_engine_has_the_text_for_spark(rest: RestSource) -> None:
    """The server keeps no summary of a request, so nothing names the engine."""
    found = IcebergCatalog(rest).read([NAMES[3]])[NAMES[3]]

    assert found.view is not None
    assert found.view.text == "SELECT Id FROM T"
    assert found.view.current_namespace == DEEP
    assert [column.name for column in found.columns] == ["key"]


def test_only_a_change_of_the_schema_is_a_change(writer: Writer, rest: RestSource) -> None:
    first = rest.look({})
    table = writer.load_table((*DEEP, "T"))
    table.append(pa.Table.from_pylist([{"Id": 1, "s": {"x": 2}}], schema=table.schema().as_arrow()))
    after_data = rest.look(first.marks)
    with table.update_schema() as update:
        update.rename_column("s.x", "y")

    after_rename = rest.look(after_data.marks)

    assert after_data.changed == []
    assert after_data.marks != first.marks
    assert after_rename.changed == [RelationName(DEEP, "T")]
    found = IcebergCatalog(rest).read(after_rename.changed)
    assert found[RelationName(DEEP, "T")].properties["iceberg.former-names"] == '{"s.y":["x"]}'
