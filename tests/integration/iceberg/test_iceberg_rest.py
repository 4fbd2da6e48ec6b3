"""The REST catalog of the rig, asked by pyiceberg and by plain HTTP."""

from __future__ import annotations

import http.client
import secrets
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType

from deploy.iceberg_rest import CATALOG_NAME, IcebergRest
from tests.integration.iceberg_client import iceberg_client

FIELDS = (
    NestedField(1, "Id", LongType(), required=True, doc="key"),
    NestedField(2, "s", StringType()),
)


@pytest.fixture
def client(iceberg_rest: IcebergRest) -> Iterator[RestCatalog]:
    with iceberg_client(iceberg_rest) as opened:
        yield opened


@pytest.fixture
def namespace(client: RestCatalog) -> tuple[str, ...]:
    """A namespace of three levels that no other test uses."""
    top = f"ns_{secrets.token_hex(4)}"
    levels = (top, "Eu", "orders")
    for depth in (1, 2, 3):
        client.create_namespace(levels[:depth])
    return levels


def get(server: IcebergRest, path: str, headers: Mapping[str, str]) -> tuple[int, str, bytes]:
    """Status, entity tag and body."""
    connection = http.client.HTTPConnection(server.host, server.port, timeout=60)
    try:
        connection.request("GET", path, headers=dict(headers))
        answer = connection.getresponse()
        return answer.status, answer.getheader("ETag") or "", answer.read()
    finally:
        connection.close()


def test_a_table_three_levels_deep_keeps_its_letter_case(
    iceberg_rest: IcebergRest, client: RestCatalog, namespace: tuple[str, ...]
) -> None:
    client.create_table((*namespace, "T"), Schema(*FIELDS))
    client.create_table((*namespace, "t"), Schema(FIELDS[1]))

    listed = client.list_tables(namespace)
    upper = client.load_table((*namespace, "T"))

    assert set(listed) == {(*namespace, "T"), (*namespace, "t")}
    assert upper.schema().fields == FIELDS
    assert Path(upper.metadata_location.removeprefix("file:")).is_relative_to(
        iceberg_rest.warehouse
    )


def test_an_unchanged_table_is_answered_by_its_entity_tag_alone(
    iceberg_rest: IcebergRest, client: RestCatalog, namespace: tuple[str, ...]
) -> None:
    table = client.create_table((*namespace, "t"), Schema(*FIELDS))
    path = f"/v1/namespaces/{'%2E'.join(namespace)}/tables/t"

    first, tag, body = get(iceberg_rest, path, {})
    unchanged, _, nothing = get(iceberg_rest, path, {"If-None-Match": tag})
    with table.update_schema() as update:
        update.add_column("more", StringType())
    changed, other_tag, more = get(iceberg_rest, path, {"If-None-Match": tag})

    assert (first, unchanged, changed) == (200, 304, 200)
    assert (bool(body), nothing) == (True, b"")
    assert b'"more"' in more
    assert tag != other_tag


def test_a_jdbc_catalog_over_the_same_file_has_the_same_tables(
    iceberg_rest: IcebergRest, client: RestCatalog, namespace: tuple[str, ...]
) -> None:
    client.create_table((*namespace, "T"), Schema(*FIELDS))

    with closing(
        SqlCatalog(
            CATALOG_NAME,
            uri=f"sqlite:///{iceberg_rest.catalog_file}",
            warehouse=iceberg_rest.warehouse.as_uri(),
        )
    ) as catalog:
        found = catalog.load_table((*namespace, "T")).schema().fields

    assert found == FIELDS


def test_tables_survive_a_restart_on_the_same_port(tmp_path: Path) -> None:
    with IcebergRest.start(tmp_path) as server:
        uri = server.uri
        with iceberg_client(server) as client:
            client.create_namespace("kept")
            client.create_table(("kept", "t"), Schema(*FIELDS))

        server.kill()
        server.restart()

        assert server.uri == uri
        with iceberg_client(server) as client:
            assert client.load_table(("kept", "t")).schema().fields == FIELDS
