"""Faults on processes that only sleep."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.ports import LOOPBACK
from deploy.server_process import ServerProcess
from tests.chaos.faults import HoldingClients, Kill, Pause, Restart
from tests.waiting import eventually

SLEEPS = [sys.executable, "-c", "import time; time.sleep(600)"]


class Sleeper:
    def __init__(self, folder: Path) -> None:
        self._log = folder / "sleeper.log"
        self.process = ServerProcess.start("sleeper", SLEEPS, self._log)

    def kill(self) -> None:
        self.process.kill()

    def stop(self) -> None:
        self.process.stop()

    def restart(self) -> None:
        self.stop()
        self.process = ServerProcess.start("sleeper", SLEEPS, self._log)


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[Sleeper]:
    sleeper = Sleeper(tmp_path)
    yield sleeper
    sleeper.kill()


def state_of(pid: int) -> str:
    """The state of the process: T if a signal has stopped it."""
    command = ["ps", "-o", "stat=", "-p", str(pid)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout[:1]


@pytest.mark.parametrize("fault", [Kill, Restart])
def test_a_server_ends_and_another_one_runs_afterwards(
    sleeper: Sleeper, fault: type[Kill | Restart]
) -> None:
    before = sleeper.process
    happening = fault(sleeper)

    happening.start()
    assert not before.is_alive()

    happening.stop()
    assert sleeper.process.is_alive()
    assert sleeper.process.pid != before.pid


def test_a_paused_server_stands_still_until_the_fault_is_over(sleeper: Sleeper) -> None:
    pause = Pause(sleeper)

    pause.start()
    assert eventually(lambda: state_of(sleeper.process.pid) == "T")

    pause.stop()
    assert eventually(lambda: state_of(sleeper.process.pid) != "T")


def test_the_end_of_a_pause_finds_no_process_if_it_was_killed_meanwhile(sleeper: Sleeper) -> None:
    pause = Pause(sleeper)
    pause.start()
    sleeper.kill()

    pause.stop()

    assert not sleeper.process.is_alive()


def test_holding_clients_begin_a_request_and_hang_up_at_the_end() -> None:
    with socket.create_server((LOOPBACK, 0)) as listener:
        clients = HoldingClients(listener.getsockname()[1], 3)
        assert clients.start() == "3 connections"

        accepted = [listener.accept()[0] for _ in range(3)]
        assert all(each.recv(5) == b"GET /" for each in accepted)

        clients.stop()
        for each in accepted:
            while each.recv(100):
                pass
            each.close()


def test_a_port_on_which_nobody_listens_takes_no_client() -> None:
    with socket.create_server((LOOPBACK, 0)) as listener:
        port = listener.getsockname()[1]

    assert HoldingClients(port, 3).start() == "0 connections"
