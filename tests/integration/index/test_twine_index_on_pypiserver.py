"""The index behaviour suite on a real pypiserver, which has only HTML pages and answers 400 or 409."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deploy.local_stack import PyPiServer
from publisher.index.protocol import IndexRefused
from publisher.index.twine_index import TwineIndex
from tests.publisher.index.behaviour import PackageIndexBehaviour
from tests.publisher.index.wheels import sample_wheel


@pytest.fixture
def index(package_server: PyPiServer) -> Iterator[TwineIndex]:
    twine = TwineIndex(
        package_server.upload_url,
        package_server.simple_url,
        package_server.username,
        package_server.password,
    )
    yield twine
    twine.close()


class TestTwineIndexOnPypiserver(PackageIndexBehaviour):
    pass


def test_a_wrong_password_is_refused_and_not_repeated(package_server: PyPiServer) -> None:
    index = TwineIndex(
        package_server.upload_url,
        package_server.simple_url,
        package_server.username,
        "not-the-password-8471",
    )

    with pytest.raises(IndexRefused) as refused:
        index.upload(sample_wheel("acme-schema-locked-out"))

    index.close()
    assert refused.value.status in {401, 403}
    assert "8471" not in str(refused.value)


def test_an_upload_prints_nothing(index: TwineIndex, capfd: pytest.CaptureFixture[str]) -> None:
    capfd.readouterr()

    index.upload(sample_wheel("acme-schema-quiet"))

    assert capfd.readouterr().out == ""
