from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from publisher.index.static import StaticIndex
from publisher.web.app import create_app
from publisher.web.server import WebServer
from tests.integration.consumer.installed import CURRENT, Shop, install, publish
from tests.integration.consumer.kinds import KINDS, VERSIONS, Kind
from tests.publisher.web.daemon_double import IdleDaemon


@pytest.fixture(scope="session", params=KINDS, ids=str)
def shop(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shop]:
    """Each kind of relation in turn, served by an index."""
    kind: Kind = request.param
    folder = tmp_path_factory.mktemp(kind.name)
    index = StaticIndex(publish(kind, folder))
    with WebServer(create_app(index, IdleDaemon())) as web:
        simple_url = f"{web.url}/simple/"
        sites = {version: folder / version for version in VERSIONS}
        shop = Shop(kind, simple_url, sites)
        for version, site in sites.items():
            install(f"{shop.distribution}=={version}", simple_url, site)
        yield shop


@pytest.fixture
def package(shop: Shop) -> Iterator[Any]:
    """The package that most consumers have: 1.1."""
    with shop.version(CURRENT) as module:
        yield module


@pytest.fixture
def order(shop: Shop, package: Any) -> Any:
    return shop.order(package)
