from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from deploy.ports import LOOPBACK
from tests.chaos.tcp_proxy import Passage, TcpProxy
from tests.waiting import PATIENCE_SECONDS


@contextmanager
def echo_server() -> Iterator[int]:
    """A server that returns all bytes that a connection sends."""
    listener = socket.create_server((LOOPBACK, 0))

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=echo, args=(client,), daemon=True).start()

    def echo(client: socket.socket) -> None:
        with client:
            while data := client.recv(100):
                client.sendall(data)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield int(listener.getsockname()[1])
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


@pytest.fixture
def proxy() -> Iterator[TcpProxy]:
    with echo_server() as port:
        proxy = TcpProxy(port)
        with proxy.running():
            yield proxy


@contextmanager
def connected(proxy: TcpProxy) -> Iterator[socket.socket]:
    with socket.create_connection((LOOPBACK, proxy.port), timeout=PATIENCE_SECONDS) as client:
        yield client


def answer_to(client: socket.socket, data: bytes) -> bytes:
    """The answer to the data; empty if the connection ended instead."""
    try:
        client.sendall(data)
        return client.recv(100)
    except ConnectionError:
        return b""


def test_bytes_pass_both_ways(proxy: TcpProxy) -> None:
    with connected(proxy) as client:
        assert answer_to(client, b"a") == b"a"
        assert answer_to(client, b"b") == b"b"


def test_a_cut_ends_open_connections_and_no_later_ones(proxy: TcpProxy) -> None:
    with connected(proxy) as client:
        assert answer_to(client, b"a") == b"a"
        proxy.cut()
        assert answer_to(client, b"b") == b""
    with connected(proxy) as client:
        assert answer_to(client, b"c") == b"c"


def test_a_refused_connection_ends_at_once(proxy: TcpProxy) -> None:
    proxy.let(Passage.REFUSED)

    with connected(proxy) as client:
        assert answer_to(client, b"a") == b""


def test_what_is_held_passes_once_the_passage_is_open_again(proxy: TcpProxy) -> None:
    with connected(proxy) as client:
        assert answer_to(client, b"a") == b"a"
        proxy.let(Passage.HELD)
        client.sendall(b"b")
        client.settimeout(0.2)
        with pytest.raises(TimeoutError):
            client.recv(100)

        proxy.let(Passage.OPEN)

        client.settimeout(PATIENCE_SECONDS)
        assert client.recv(100) == b"b"


@pytest.mark.thorough
def test_what_is_slow_arrives(proxy: TcpProxy) -> None:
    proxy.let(Passage.SLOW)

    with connected(proxy) as client:
        assert answer_to(client, b"a") == b"a"


def test_what_drips_comes_a_byte_at_a_time_and_at_once_when_that_is_over(proxy: TcpProxy) -> None:
    with connected(proxy) as client:
        proxy.let(Passage.DRIPPING)
        client.sendall(b"answer")
        first = client.recv(100)

        proxy.let(Passage.OPEN)

        rest = b""
        while len(rest) < 5:
            rest += client.recv(100)
        assert (first, rest) == (b"a", b"nswer")
