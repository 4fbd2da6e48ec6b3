"""The server that a daemon runs in a thread, on real sockets."""

from __future__ import annotations

import socket
import threading
import urllib.request

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from publisher.web.server import AddressTaken, WebServer


async def hello(_: Request) -> Response:
    return PlainTextResponse("hello")


APP = Starlette(routes=[Route("/", hello)])


def body_of(url: str) -> bytes:
    with urllib.request.urlopen(url) as response:
        body: bytes = response.read()
    return body


def test_it_answers_on_a_free_port_until_it_is_closed() -> None:
    with WebServer(APP) as server:
        assert body_of(server.url) == b"hello"
        address = (server.host, server.port)

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address)


def test_closing_ends_its_thread() -> None:
    WebServer(APP).close()

    assert "web" not in {thread.name for thread in threading.enumerate()}


def test_an_address_that_is_taken_is_named() -> None:
    with WebServer(APP) as server:
        with pytest.raises(AddressTaken) as refused:
            WebServer(APP, port=server.port)

        assert str(refused.value).startswith(f"cannot listen on 127.0.0.1:{server.port}: ")


@pytest.mark.parametrize(("host", "port"), [("127.0.0.1", 70_000), ("no.such.host.invalid", 0)])
def test_an_address_that_cannot_be_is_named(host: str, port: int) -> None:
    with pytest.raises(AddressTaken, match=f"cannot listen on {host}:{port}"):
        WebServer(APP, host, port)


def test_an_ipv6_host_stands_in_brackets_in_the_url() -> None:
    if not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    try:
        server = WebServer(APP, "::1")
    except AddressTaken:
        pytest.skip("this machine has no IPv6 loopback")
    with server:
        assert server.url == f"http://[::1]:{server.port}"
        assert body_of(server.url) == b"hello"
