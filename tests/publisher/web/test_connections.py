"""What one client can hold up, on real sockets. Nothing measures time: sockets end, or answer."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import threading

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from publisher.web.connections import AcceptErrors, Limits
from publisher.web.server import WebServer
from tests.waiting import PATIENCE_SECONDS

HEAD = b"GET / HTTP/1.1\r\nHost: h\r\n"
SOON = 0.05


async def hello(_: Request) -> Response:
    return PlainTextResponse("hello")


APP = Starlette(routes=[Route("/", hello)])


def connected(server: WebServer, sent: bytes = b"") -> socket.socket:
    client = socket.create_connection((server.host, server.port), timeout=PATIENCE_SECONDS)
    client.sendall(sent)
    return client


def rest(client: socket.socket) -> bytes:
    """All that still comes, until the server ends the connection."""
    received = b""
    try:
        while part := client.recv(65_536):
            received += part
    except ConnectionResetError:
        pass
    client.close()
    return received


def answer(server: WebServer) -> bytes:
    return rest(connected(server, HEAD + b"Connection: close\r\n\r\n"))


@pytest.mark.parametrize("sent", [b"", HEAD, b"GET / HT"])
def test_a_request_that_does_not_arrive_ends_its_connection(sent: bytes) -> None:
    with WebServer(APP, limits=Limits(head_seconds=SOON)) as server:
        assert rest(connected(server, sent)) == b""


def test_the_next_request_of_a_connection_must_arrive_too() -> None:
    with WebServer(APP, limits=Limits(head_seconds=SOON)) as server:
        client = connected(server, HEAD + b"\r\n")
        received = b""
        while not received.endswith(b"hello"):
            received += client.recv(65_536)

        client.sendall(b"GET")

        assert rest(client) == b""


def test_requests_sent_at_once_are_all_answered() -> None:
    with WebServer(APP) as server:
        many = (HEAD + b"\r\n") * 20 + HEAD + b"Connection: close\r\n\r\n"

        assert rest(connected(server, many)).count(b"hello") == 21


def test_a_response_that_is_never_ready_ends_its_connection() -> None:
    ends = threading.Event()

    async def wait(request: Request) -> Response:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        ends.set()
        return PlainTextResponse("late")

    app = Starlette(routes=[Route("/", wait)])
    with WebServer(app, limits=Limits(request_seconds=SOON)) as server:
        assert rest(connected(server, HEAD + b"\r\n")) == b""
        assert ends.wait(PATIENCE_SECONDS)


def test_waiting_connections_make_room_for_a_new_one() -> None:
    with WebServer(APP, limits=Limits(max_connections=8)) as server:
        held = [connected(server, HEAD) for _ in range(8)]

        assert b"hello" in answer(server)

        assert rest(held[0]) == b""
        for client in held[1:]:
            client.close()


def test_many_half_open_requests_do_not_stop_it_from_answering() -> None:
    with WebServer(APP, limits=Limits(max_connections=8)) as server:
        held = [connected(server, HEAD) for _ in range(100)]

        answers = [answer(server) for _ in range(5)]

        assert all(b"hello" in each for each in answers)
        for client in held:
            client.close()


def test_requests_under_way_are_not_ended_for_a_new_connection() -> None:
    under_way, released = threading.Semaphore(0), threading.Event()

    def wait(_: Request) -> Response:
        under_way.release()
        released.wait(PATIENCE_SECONDS)
        return PlainTextResponse("hello")

    app = Starlette(routes=[Route("/", wait)])
    with WebServer(app, limits=Limits(max_connections=2)) as server:
        clients = [connected(server, HEAD + b"Connection: close\r\n\r\n") for _ in range(2)]
        assert all(under_way.acquire(timeout=PATIENCE_SECONDS) for _ in clients)

        assert rest(connected(server)) == b""

        released.set()
        assert [b"hello" in rest(client) for client in clients] == [True, True]


def test_a_head_that_never_ends_is_refused() -> None:
    with WebServer(APP) as server:
        client = connected(server)
        received = b""
        try:
            client.sendall(HEAD + b"X: " + b"a" * 1_000_000)
            received = rest(client)
        except (ConnectionResetError, BrokenPipeError):
            client.close()

        assert b"hello" not in received
        assert b"hello" in answer(server)


class TestAcceptErrors:
    def test_a_shortage_is_one_warning_with_a_count(self, caplog: pytest.LogCaptureFixture) -> None:
        now = 0.0
        report = AcceptErrors(lambda: now)
        loop = asyncio.new_event_loop()
        context = {"exception": OSError(errno.EMFILE, "too many open files"), "message": "x"}

        for _ in range(1_000):
            report(loop, context)
        now = 60.0
        report(loop, context)

        loop.close()
        assert [vars(record)["times"] for record in caplog.records] == [1, 1_000]
        assert {record.levelno for record in caplog.records} == {logging.WARNING}
        assert not any(record.exc_info for record in caplog.records)

    def test_any_other_error_is_reported_as_ever(self, caplog: pytest.LogCaptureFixture) -> None:
        loop = asyncio.new_event_loop()

        AcceptErrors()(loop, {"exception": ValueError("x"), "message": "a handler failed"})

        loop.close()
        assert "a handler failed" in caplog.text
