"""The hosts for which a service on a loopback address answers."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from publisher.web.hosts import OwnHosts
from tests.publisher.web.asgi_client import AsgiClient


async def hello(_: Request) -> Response:
    return PlainTextResponse("hello")


APP = Starlette(routes=[Route("/", hello), Route("/health/live", hello)])


def status(host: str, public_url: str | None = None, address: str = "/") -> int:
    client = AsgiClient(OwnHosts(APP, public_url))
    return client.get(address, headers={"Host": host}).status_code


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:8765",
        "a.localhost",
        "localhost.",
        "127.0.0.1",
        "127.0.0.1:8765",
        "[::1]:8765",
        "[::1]",
        "10.1.2.3",
        "publisher",
        "publisher:8765",
    ],
)
def test_names_that_no_other_site_can_have_are_answered(host: str) -> None:
    assert status(host) == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8765",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "evillocalhost.example",
        "user@evil.example",
        "127.0.0.1@evil.example",
        "evil.example.",
        "[::1",
        "[evil.example]",
        "evil.example#localhost",
        "evil.example/localhost",
    ],
)
def test_any_other_name_is_refused_with_the_setting_that_allows_it(host: str) -> None:
    found = AsgiClient(OwnHosts(APP, "https://packages.example/")).get("/", headers={"Host": host})

    assert found.status_code == 421
    assert "http.public_url" in found.text
    assert "evil" not in found.text


@pytest.mark.parametrize("host", ["packages.example", "Packages.Example:8765", "packages.example."])
def test_the_host_of_the_public_url_is_answered(host: str) -> None:
    assert status(host, "https://packages.example:443/path") == 200
    assert status(host) == 421


def test_whether_the_service_lives_is_said_to_everybody() -> None:
    assert status("evil.example", address="/health/live") == 200


def test_the_first_refusal_is_one_warning_with_the_remedy(caplog: pytest.LogCaptureFixture) -> None:
    client = AsgiClient(OwnHosts(APP, None))
    for host in ("packages.example", "evil.example", "127.0.0.1"):
        client.get("/", headers={"Host": host})

    (warning,) = caplog.records
    assert warning.__dict__["host"] == "packages.example"
    assert "http.public_url" in warning.__dict__["remedy"]
