from __future__ import annotations

from collections.abc import Iterator

import pytest

from deploy.local_stack import Metastore
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.metastore_client import MetastoreClient
from lakeschema.catalog.metastore_views import MetastoreViews
from tests.publisher.commands.projects.store_behaviour import ViewStoreBehaviour, view_of


class TestMetastoreViews(ViewStoreBehaviour):
    @pytest.fixture
    def store(self, metastore: Metastore) -> Iterator[MetastoreViews]:
        client = MetastoreClient([metastore.uri])
        yield MetastoreViews(client)
        client.close()

    def test_only_views_are_listed(self, store: MetastoreViews, database: str) -> None:
        store.create(view_of(database))

        assert store.views(database) == (RelationName.of(database, "made"),)
