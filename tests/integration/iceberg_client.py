"""PyIceberg's client of a REST catalog."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from pyiceberg.catalog import load_catalog
from pyiceberg.catalog.rest import RestCatalog

from deploy.iceberg_rest import IcebergRest


@contextmanager
def iceberg_client(server: IcebergRest) -> Iterator[RestCatalog]:
    """A client whose connections end with the block: nothing else closes them."""
    client = load_catalog("rest", type="rest", uri=server.uri)
    assert isinstance(client, RestCatalog)
    with closing(client):
        yield client
