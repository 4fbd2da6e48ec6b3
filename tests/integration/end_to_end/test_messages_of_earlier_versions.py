"""A message that 1.0 wrote, read by each later version as installed from the index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from publisher.commands.deployment import opened_deployment
from publisher.daemon.draining import Draining
from publisher.index.static import StaticIndex
from publisher.settings import Settings
from publisher.web.app import create_app
from publisher.web.server import WebServer
from tests.integration.end_to_end.consumers import Command, Offered
from tests.integration.end_to_end.published import configured, distribution, publish
from tests.publisher.web.daemon_double import IdleDaemon

SHOP = distribution("shop")
COLUMNS = {
    "1.0.0": "id BIGINT, name STRING, gone STRING",
    "1.1.0": "id BIGINT, name STRING, gone STRING, unit STRING",
    "2.0.0": "id BIGINT, name STRING, unit STRING",
}
WRITE = "from acme_schemas.shop.company import Company as C; print(C(id=7, name='Ada', gone='x').to_single_object().hex())"
READ = (
    "import sys; from acme_schemas.shop.company import Company as C; "
    "found = C.from_single_object(bytes.fromhex(sys.argv[1])); print(found.id, found.name, found.unit)"
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Of a service that has published 1.0.0, 1.1.0 and 2.0.0."""
    found = configured(tmp_path, f'kind = "static"\npath = "{tmp_path}/index"')
    for columns in COLUMNS.values():
        publish(found, "shop", columns)
    return found


@pytest.fixture
def offered(settings: Settings, tmp_path: Path) -> Iterator[Offered]:
    with WebServer(create_app(StaticIndex(tmp_path / "index"), IdleDaemon())) as web:
        yield Offered(SHOP, f"{web.url}/simple/")


def read_by(version: str, offered: Offered, folder: Path) -> str:
    """What that version makes of a message of 1.0.0."""
    someone = Command("uv pip", folder, offered)
    someone.installs("==1.0.0")
    message = someone.environment.ran(WRITE).strip()
    someone.installs(f"=={version}")
    return someone.environment.ran(READ, message).strip()


@pytest.mark.parametrize("version", ["1.1.0", "2.0.0"])
def test_each_later_version_reads_it(version: str, offered: Offered, tmp_path: Path) -> None:
    assert read_by(version, offered, tmp_path / "someone") == "7 Ada None"


def test_versions_after_the_state_was_lost_read_it(
    settings: Settings, offered: Offered, tmp_path: Path
) -> None:
    assert settings.state.file is not None
    settings.state.file.unlink()

    # The second comes after versions of which the new state knows the newest alone.
    publish(settings, "shop", f"{COLUMNS['2.0.0']}, street STRING")
    publish(settings, "shop", f"{COLUMNS['2.0.0']}, street STRING, city STRING")

    for version in ("2.1.0", "2.2.0"):
        assert read_by(version, offered, tmp_path / version) == "7 Ada None"


def test_a_lost_wheel_is_built_again_with_the_schemas_that_it_had(
    settings: Settings, tmp_path: Path
) -> None:
    (newest,) = (tmp_path / "index" / "simple" / SHOP).glob("*-2.0.0-*.whl")
    data = newest.read_bytes()
    newest.unlink()

    with opened_deployment(settings) as deployment:
        deployment.engine.refill()
        Draining(deployment.engine).run(lambda: False)

    assert newest.read_bytes() == data
