"""How much one client can block, on real sockets. Nothing measures time: sockets end, or answer."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from uvicorn.server import ServerState

from publisher.web.connections import AcceptErrors, BoundedConfig, BoundedHttp, Limits
from publisher.web.server import WebServer
from tests.publisher.web.floods import BODY, FLOODS, HEAD, flooding
from tests.waiting import PATIENCE_SECONDS

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

    async def wait(_: Request) -> Response:
        try:
            await asyncio.Event().wait()
        finally:
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


def test_requests_under_way_are_not_ended_for_new_connections() -> None:
    under_way, released = threading.Semaphore(0), threading.Event()

    def wait(_: Request) -> Response:
        under_way.release()
        released.wait(PATIENCE_SECONDS)
        return PlainTextResponse("hello")

    app = Starlette(routes=[Route("/", hello), Route("/slow", wait)])
    with WebServer(app, limits=Limits(max_connections=8)) as server:
        slow = HEAD.replace(b"/", b"/slow", 1) + b"Connection: close\r\n\r\n"
        clients = [connected(server, slow) for _ in range(4)]
        assert all(under_way.acquire(timeout=PATIENCE_SECONDS) for _ in clients)
        held = [connected(server, HEAD) for _ in range(20)]

        assert b"hello" in answer(server)

        released.set()
        assert [b"hello" in rest(client) for client in clients] == [True] * 4
        for client in held:
            client.close()


def test_requests_under_way_leave_room_for_others() -> None:
    under_way, released = threading.Semaphore(0), asyncio.Event()

    async def wait(_: Request) -> Response:
        under_way.release()
        await released.wait()
        return PlainTextResponse("late")

    app = Starlette(routes=[Route("/", hello), Route("/slow", wait)])
    with WebServer(app, limits=Limits(max_connections=8)) as server:
        slow = HEAD.replace(b"/", b"/slow", 1) + b"\r\n"
        clients = [connected(server, slow) for _ in range(20)]
        assert all(under_way.acquire(timeout=PATIENCE_SECONDS) for _ in clients)

        assert b"hello" in answer(server)

        for client in clients:
            client.close()


def test_a_request_whose_client_left_is_given_up() -> None:
    under_way, given_up = threading.Semaphore(0), threading.Semaphore(0)

    async def wait(_: Request) -> Response:
        under_way.release()
        try:
            await asyncio.Event().wait()
        finally:
            given_up.release()
        return PlainTextResponse("late")

    with WebServer(Starlette(routes=[Route("/", wait)])) as server:
        client = connected(server, HEAD + b"\r\n")
        assert under_way.acquire(timeout=PATIENCE_SECONDS)
        client.close()

        assert given_up.acquire(timeout=PATIENCE_SECONDS)


@pytest.mark.parametrize("sent", FLOODS.values(), ids=FLOODS)
def test_clients_that_do_not_read_or_send_on_shut_nobody_out(sent: bytes) -> None:
    def page(_: Request) -> Response:
        return PlainTextResponse("hello" + " " * 10_000)

    def large(_: Request) -> Response:
        return PlainTextResponse(" " * 4_000_000)

    async def read(request: Request) -> Response:
        await request.body()
        return PlainTextResponse("read")

    routes = [Route("/", page), Route("/", read, methods=["POST"]), Route("/large", large)]
    with WebServer(Starlette(routes=routes), limits=Limits(max_connections=16)) as server:
        held = [flooding(server.host, server.port, sent) for _ in range(50)]

        answers = [answer(server) for _ in range(10)]

        assert all(b"hello" in each for each in answers)
        for client in held:
            client.close()


def test_very_many_connections_one_after_another_shut_nobody_out() -> None:
    with WebServer(APP, limits=Limits(max_connections=16)) as server:
        for _ in range(2_000):
            connected(server, HEAD).close()

        assert b"hello" in answer(server)


class Clock(asyncio.SelectorEventLoop):
    """A loop whose time is moved by hand."""

    now = 0.0

    def time(self) -> float:
        return self.now

    def pass_(self, seconds: float) -> None:
        self.now += seconds
        self.settle()

    def settle(self) -> None:
        """What is due happens, and what follows from it."""
        for _ in range(20):
            self.call_soon(self.stop)
            self.run_forever()


@dataclass(frozen=True)
class Ends:
    """What a socket says of itself, of which the kernel knows nothing."""

    address: str

    def getsockname(self) -> tuple[str, int]:
        return "10.0.0.0", 1

    def getpeername(self) -> tuple[str, int]:
        return self.address, 1

    def fileno(self) -> int:
        return -1


class Wire(asyncio.Transport):
    """To a client that reads only as much as it is told to."""

    def __init__(self, clock: Clock, address: str) -> None:
        super().__init__({"socket": Ends(address)})
        self.clock = clock
        self.reads = False
        self.unread = 0
        self.is_open = True
        self.protocol: BoundedHttp | None = None

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.unread += 0 if self.reads else len(data)
        if self.protocol is not None and self.unread > 65_536:
            self.protocol.pause_writing()

    def get_write_buffer_size(self) -> int:
        return self.unread

    def is_closing(self) -> bool:
        return not self.is_open

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass

    def close(self) -> None:
        """A polite end waits until all is read."""

    def abort(self) -> None:
        if self.is_open:
            self.is_open = False
            assert self.protocol is not None
            self.clock.call_soon(self.protocol.connection_lost, None)


class TestPace:
    """10 seconds for a head, 30 for each look at a transfer, 500 bytes a second."""

    @pytest.fixture
    def clock(self) -> Iterator[Clock]:
        clock = Clock()
        asyncio.set_event_loop(clock)
        yield clock
        asyncio.set_event_loop(None)
        clock.close()

    @pytest.fixture
    def config(self) -> BoundedConfig:
        async def echo(request: Request) -> Response:
            return PlainTextResponse(await request.body())

        async def large(_: Request) -> Response:
            return PlainTextResponse(b" " * 1_000_000)

        async def slow(_: Request) -> Response:
            await asyncio.sleep(10)
            return PlainTextResponse("slow")

        async def never(_: Request) -> Response:
            await asyncio.Event().wait()
            raise AssertionError

        routes = [
            Route("/never", never),
            Route("/", echo, methods=["POST"]),
            Route("/large", large),
            Route("/slow", slow),
        ]
        config = BoundedConfig(Starlette(routes=routes), Limits(max_connections=8))
        config.load()
        return config

    def connect(
        self, config: BoundedConfig, clock: Clock, sent: bytes = b"", address: str = "10.0.0.1"
    ) -> tuple[BoundedHttp, Wire]:
        wire = Wire(clock, address)
        protocol = BoundedHttp(config, ServerState(), {}, clock)
        wire.protocol = protocol
        protocol.connection_made(wire)
        if sent:
            protocol.data_received(sent)
        clock.settle()
        return protocol, wire

    @pytest.mark.parametrize(("bytes_a_second", "is_kept"), [(1, False), (499, False), (500, True)])
    def test_a_body_must_arrive_at_a_pace(
        self, clock: Clock, config: BoundedConfig, bytes_a_second: int, is_kept: bool
    ) -> None:
        protocol, wire = self.connect(config, clock, BODY)

        for _ in range(1_000):
            if wire.is_open:
                protocol.data_received(b"x" * bytes_a_second)
                clock.pass_(1)

        assert wire.is_open == is_kept

    @pytest.mark.parametrize(("bytes_a_second", "is_kept"), [(0, False), (499, False), (500, True)])
    def test_a_response_must_be_read_at_a_pace(
        self, clock: Clock, config: BoundedConfig, bytes_a_second: int, is_kept: bool
    ) -> None:
        _, wire = self.connect(config, clock, HEAD.replace(b"/", b"/large", 1) + b"\r\n")

        for _ in range(1_000):
            wire.unread -= bytes_a_second if wire.is_open else 0
            clock.pass_(1)

        assert wire.is_open == is_kept

    def test_a_head_must_arrive_whole_at_whatever_pace(
        self, clock: Clock, config: BoundedConfig
    ) -> None:
        protocol, wire = self.connect(config, clock, HEAD + b"X: ")

        for _ in range(10):
            assert wire.is_open
            protocol.data_received(b"x" * 1_000)
            clock.pass_(1)

        assert not wire.is_open

    def test_pipelined_requests_have_their_time_together(
        self, clock: Clock, config: BoundedConfig
    ) -> None:
        slow = HEAD.replace(b"/", b"/slow", 1) + b"\r\n"
        protocol, wire = self.connect(config, clock, slow * 2)
        wire.reads = True

        # The first has a time of its own.
        for seconds in range(10, 140, 10):
            assert wire.is_open, seconds
            protocol.data_received(slow)
            clock.pass_(10)

        assert not wire.is_open

    def test_the_slowest_of_the_address_with_most_connections_makes_room(
        self, clock: Clock, config: BoundedConfig
    ) -> None:
        other = self.connect(config, clock, HEAD, "10.0.0.2")
        steady, *slow = (self.connect(config, clock, BODY) for _ in range(7))
        for _ in range(5):
            clock.pass_(1)
            steady[0].data_received(b"x" * 500)

        new = [self.connect(config, clock) for _ in range(2)]

        assert [wire.is_open for _, wire in slow] == [False, False, True, True, True, True]
        assert all(wire.is_open for _, wire in (other, steady, *new))

    def test_a_client_that_waits_for_the_service_is_not_slow(
        self, clock: Clock, config: BoundedConfig
    ) -> None:
        request = HEAD.replace(b"/", b"/slow", 1) + b"\r\n"
        served = [self.connect(config, clock, request) for _ in range(5)]
        half_open = [self.connect(config, clock, HEAD) for _ in range(3)]
        clock.pass_(2)

        self.connect(config, clock)

        assert all(wire.is_open for _, wire in served)
        assert [wire.is_open for _, wire in half_open] == [False, True, True]

    def test_an_answer_must_be_there_in_two_minutes(
        self, clock: Clock, config: BoundedConfig
    ) -> None:
        _, wire = self.connect(config, clock, HEAD.replace(b"/", b"/never", 1) + b"\r\n")

        clock.pass_(119)
        assert wire.is_open
        clock.pass_(1)

        assert not wire.is_open

    def test_a_new_connection_is_not_the_first_victim_of_those_that_keep_the_pace(
        self, clock: Clock, config: BoundedConfig
    ) -> None:
        steady = [self.connect(config, clock, BODY) for _ in range(8)]
        for protocol, _ in steady:
            protocol.data_received(b"x" * 5_000)
        clock.pass_(5)

        _, new = self.connect(config, clock)
        clock.pass_(0.5)
        self.connect(config, clock)

        assert new.is_open
        assert [wire.is_open for _, wire in steady] == [False] * 2 + [True] * 6


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
