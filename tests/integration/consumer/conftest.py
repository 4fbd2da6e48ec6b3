from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import pytest

from deploy.package_server import PyPiServer
from publisher.index.static import StaticIndex
from publisher.web.app import create_app
from publisher.web.server import WebServer
from tests.integration.consumer.installed import (
    CURRENT,
    Installed,
    Shop,
    imported_from,
    install,
    publish,
)
from tests.integration.consumer.kinds import KINDS, VERSIONS, Kind
from tests.integration.consumer.lake import DAYS, RELATIONS, SOME, ddl
from tests.integration.consumer.lake_installed import Lake, install_lake
from tests.publisher.web.daemon_double import IdleDaemon


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On pypiserver, some relations of all sorts are enough for the actions of each relation."""
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        params = (
            item.callspec.params
            if isinstance(item, pytest.Function) and hasattr(item, "callspec")
            else {}
        )
        elsewhere = params.get("lake") == "pypiserver"
        is_left_out = elsewhere and params.get("relation", SOME[0]) not in SOME
        (left_out if is_left_out else kept).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


@pytest.fixture(scope="session", params=KINDS, ids=str)
def shop(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shop]:
    """Each kind of relation in turn, served by an index."""
    kind: Kind = request.param
    folder = tmp_path_factory.mktemp(kind.name)
    days = [f"CREATE DATABASE shop;\n{kind.statements(version)}" for version in VERSIONS]
    index = f'kind = "static"\npath = "{folder}/index"'
    publish(days, folder, dialect=kind.dialect, include=str(kind.relation), index=index)
    with WebServer(create_app(StaticIndex(folder / "index"), IdleDaemon())) as web:
        simple_url = f"{web.url}/simple/"
        sites = {version: folder / version for version in VERSIONS}
        shop = Shop(kind, Installed(kind.relation, simple_url, sites))
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


@pytest.fixture(scope="session", params=["static", "pypiserver"])
def lake(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Lake]:
    """A newcomer's lake, published to the service's own index and to a pypiserver."""
    folder = tmp_path_factory.mktemp("lake")
    days = [ddl(day) for day in DAYS]
    if request.param == "static":
        index = f'kind = "static"\npath = "{folder}/index"'
        publish(days, folder, dialect="spark", include="*.*", index=index)
        with WebServer(create_app(StaticIndex(folder / "index"), IdleDaemon())) as web:
            yield install_lake(f"{web.url}/simple/", folder)
        return
    with PyPiServer.start(folder / "pypiserver") as server:
        credentials = f'username = "{server.username}"\npassword = "{server.password}"'
        addresses = f'repository_url = "{server.upload_url}"\nsimple_url = "{server.simple_url}"'
        index = f'kind = "twine"\n{addresses}\n{credentials}'
        publish(days, folder, dialect="spark", include="*.*", index=index)
        yield install_lake(server.simple_url, folder)


@pytest.fixture(params=RELATIONS, ids=str)
def relation(request: pytest.FixtureRequest, lake: Lake) -> Installed:
    """Each relation of the lake in turn."""
    return lake.installed(request.param)


@pytest.fixture
def module(relation: Installed) -> Iterator[Any]:
    """A relation's package, of the version that most consumers have: 1.1."""
    with imported_from(relation.site):
        yield importlib.import_module(relation.import_name)


@pytest.fixture
def example(module: Any) -> Any:
    return module.RECORD.example(3)
