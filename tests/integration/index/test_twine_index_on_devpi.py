"""The index behaviour suite on a real devpi, and behaviour that only devpi has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from publisher.index.protocol import IndexRefused
from publisher.index.twine_index import TwineIndex
from tests.integration.end_to_end.consumers import Command, Offered
from tests.integration.end_to_end.published import configured, distribution, publish_all
from tests.integration.index.devpi_server import DevpiServer
from tests.publisher.index.behaviour import PackageIndexBehaviour
from tests.publisher.index.wheels import sample_wheel


def index_at(server: DevpiServer, password: str | None = None) -> TwineIndex:
    return TwineIndex(
        server.upload_url, server.simple_url, server.username, password or server.password
    )


@pytest.fixture
def index(devpi: DevpiServer) -> Iterator[TwineIndex]:
    twine = index_at(devpi)
    yield twine
    twine.close()


class TestTwineIndexOnDevpi(PackageIndexBehaviour):
    pass


def test_the_page_has_a_hash_of_each_file(index: TwineIndex) -> None:
    wheel = sample_wheel("acme-schema-hashed")
    index.upload(wheel)

    [file] = index.files("acme-schema-hashed")

    assert file.sha256 == wheel.sha256


def test_other_bytes_are_a_conflict(index: TwineIndex) -> None:
    index.upload(sample_wheel("acme-schema-frozen", body="ONE = 1\n"))

    with pytest.raises(IndexRefused, match="already exists in non-volatile index") as refused:
        index.upload(sample_wheel("acme-schema-frozen", body="ONE = 2\n"))

    assert refused.value.status == 409


def test_a_wrong_password_is_refused_and_not_repeated(devpi: DevpiServer) -> None:
    index = index_at(devpi, "not-the-password-8471")

    with pytest.raises(IndexRefused) as refused:
        index.upload(sample_wheel("acme-schema-locked-out"))

    index.close()
    assert "check the username and password" in refused.value.hint
    assert refused.value.status == 401
    assert "8471" not in str(refused.value)


@pytest.mark.parametrize("tool", ["pip", "uv pip"])
def test_what_the_service_uploads_is_installed(
    devpi: DevpiServer, tool: str, tmp_path: Path
) -> None:
    database = "shop" + tool.replace(" ", "")
    settings = configured(
        tmp_path / "service",
        f'kind = "twine"\nrepository_url = "{devpi.upload_url}"\n'
        f'simple_url = "{devpi.simple_url}"\nusername = "{devpi.username}"\n'
        f'password = "{devpi.password}"',
    )
    publish_all(settings, database)
    someone = Command(tool, tmp_path / "c", Offered(distribution(database), devpi.simple_url))

    someone.installs(">=1,<2")
    ranged = someone.version
    someone.installs("==1.0.0")

    assert (ranged, someone.version) == ("1.1.0", "1.0.0")
