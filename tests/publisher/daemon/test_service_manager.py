"""What a service manager hears over its socket, real sockets included."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from publisher.daemon.service_manager import ServiceManager


@dataclass
class Clock:
    seconds: float = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture(params=["path", "abstract"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """As ``NOTIFY_SOCKET`` names it."""
    return (
        str(tmp_path / "notify")
        if request.param == "path"
        else f"@schema-publisher-{secrets.token_hex(8)}"
    )


@pytest.fixture
def listening(address: str) -> Iterator[socket.socket]:
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as server:
        server.bind("\0" + address[1:] if address.startswith("@") else address)
        server.setblocking(False)
        yield server


def heard(server: socket.socket) -> list[str]:
    messages = []
    while True:
        try:
            messages.append(server.recv(4096).decode())
        except BlockingIOError:
            return messages


def test_the_manager_hears_of_the_start_and_the_end(address: str, listening: socket.socket) -> None:
    manager = ServiceManager({"NOTIFY_SOCKET": address})

    manager.say_ready("serves http://127.0.0.1:8765")
    manager.say_alive(lambda: True)
    manager.say_stopping()

    assert heard(listening) == [
        "READY=1\nSTATUS=serves http://127.0.0.1:8765",
        "STOPPING=1\nSTATUS=stopping",
    ]


def test_a_live_service_pings_twice_within_the_limit(
    address: str, listening: socket.socket
) -> None:
    now = Clock()
    manager = ServiceManager({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "10000000"}, now)

    for _ in range(20):
        manager.say_alive(lambda: True)
        now.seconds += 1

    assert heard(listening) == ["WATCHDOG=1"] * 3


def test_a_service_whose_threads_ended_sends_no_ping(
    address: str, listening: socket.socket
) -> None:
    now = Clock()
    manager = ServiceManager({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "10000000"}, now)
    now.seconds += 60

    manager.say_alive(lambda: False)

    assert heard(listening) == []


@pytest.mark.parametrize(
    "watchdog",
    [
        {"WATCHDOG_USEC": "0"},
        {"WATCHDOG_USEC": "soon"},
        {"WATCHDOG_USEC": "10", "WATCHDOG_PID": str(os.getpid() + 1)},
    ],
    ids=["off", "unreadable", "for another process"],
)
def test_a_watchdog_that_does_not_watch_this_process_gets_no_ping(
    watchdog: dict[str, str], address: str, listening: socket.socket
) -> None:
    now = Clock()
    manager = ServiceManager({"NOTIFY_SOCKET": address, **watchdog}, now)
    now.seconds += 60

    manager.say_alive(lambda: True)

    assert heard(listening) == []


@pytest.mark.parametrize("named", ["", "vsock:2:1234", "relative/path", "/absent/socket"])
def test_an_absent_or_foreign_socket_disturbs_nothing(named: str) -> None:
    now = Clock()
    manager = ServiceManager({"NOTIFY_SOCKET": named, "WATCHDOG_USEC": "1"}, now)
    asked: list[float] = []

    def is_live() -> bool:
        asked.append(now.seconds)
        return True

    manager.say_ready("serves")
    now.seconds += 1
    manager.say_alive(is_live)
    manager.say_stopping()

    assert asked == [now.seconds]


def test_child_processes_do_not_inherit_the_socket() -> None:
    environment = {"NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "1", "WATCHDOG_PID": "1", "HOME": "/"}

    ServiceManager(environment)

    assert environment == {"HOME": "/"}


def test_a_manager_that_does_not_read_does_not_block_the_service(
    address: str,
    listening: socket.socket,
) -> None:
    manager = ServiceManager({"NOTIFY_SOCKET": address})

    for _ in range(2_000):
        manager.say_ready("x" * 100)

    assert 0 < len(heard(listening)) < 2_000
