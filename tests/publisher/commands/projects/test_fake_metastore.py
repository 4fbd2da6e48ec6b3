from __future__ import annotations

import pytest

from publisher.commands.projects.applying import ViewStore
from tests.publisher.commands.projects.fake_metastore import FakeMetastore
from tests.publisher.commands.projects.store_behaviour import ViewStoreBehaviour


class TestFakeMetastore(ViewStoreBehaviour):
    @pytest.fixture
    def store(self) -> ViewStore:
        return FakeMetastore()

    @pytest.fixture
    def database(self) -> str:
        return "shop"
