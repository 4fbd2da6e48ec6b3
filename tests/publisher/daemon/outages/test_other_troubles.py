"""Troubles that are no outage of a service: a killed child, a clock set back, a failed start."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from publisher.commands.failures import OUTSIDE_FAILED, failure_of
from publisher.daemon.service import Service
from publisher.settings import load_settings
from publisher.state import sqlite
from publisher.steady_clock import LocalMachine
from tests.publisher.daemon.outages.running import Running, running, warnings
from tests.publisher.daemon.outages.worlds import World, folder_world
from tests.waiting import eventually

pytestmark = pytest.mark.slow

DAY = 86_400.0


def _nothing(_: Path) -> Callable[[], None]:
    return lambda: None


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with folder_world(tmp_path, _nothing) as world:
        yield world


def change_and_publish(world: World, daemon: Running) -> None:
    world.change()
    assert eventually(lambda: world.versions() == world.changed)
    assert eventually(lambda: daemon.metric("work") == 0.0)
    assert daemon.metric("published_total") == 4.0
    assert daemon.is_ready()


def derivers() -> list[int]:
    """The children of this process that derive and package."""
    children = [
        int(child)
        for thread in Path("/proc/self/task").iterdir()
        for child in (thread / "children").read_text().split()
    ]
    return [c for c in children if b"isolation" in Path(f"/proc/{c}/cmdline").read_bytes()]


def test_a_killed_child_is_a_line_and_costs_no_version(world: World) -> None:
    with running(world) as daemon:
        before = len(daemon.log.lines())
        for child in derivers():
            os.kill(child, signal.SIGKILL)

        change_and_publish(world, daemon)

        lines = warnings(daemon.log.lines()[before:])
        assert daemon.metric("derivations_died_total") == 0.0
    assert {line["event"] for line in lines} == {"child process died; another one is asked"}
    assert not [line for line in lines if "trace" in line]


@contextmanager
def clock_set_back(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Wall time: no program can step the clock by which leases and delays are kept."""
    with monkeypatch.context() as patch:
        patch.setattr(LocalMachine, "wall", lambda _: time.time() - DAY)
        yield


def leases(world: World) -> list[float]:
    with closing(sqlite3.connect(world.config.parent / "state.db")) as state:
        return [row[0] for row in state.execute("SELECT lease_until FROM singleton")]


def test_a_clock_set_back_changes_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(world) as daemon:
        before = len(daemon.log.lines())
        ended_at = daemon.metric("last_snapshot_timestamp_seconds") or 0.0
        with clock_set_back(monkeypatch):
            change_and_publish(world, daemon)
            shown = daemon.metric("last_snapshot_timestamp_seconds") or 0.0
        lines = daemon.log.lines()[before:]

    assert not warnings(lines)
    # By the clock that dashboards compare it with.
    assert abs(ended_at - shown - DAY) < DAY / 2


def test_a_clock_set_back_between_two_runs_delays_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(world):
        pass
    held_until = max(leases(world))

    with clock_set_back(monkeypatch), running(world) as daemon:
        before = len(daemon.log.lines())
        world.change()
        assert eventually(lambda: world.versions() == world.changed)
        assert not warnings(daemon.log.lines()[before:])

    assert max(leases(world)) >= held_until


@dataclass(frozen=True)
class Start:
    """A start that fails: ``break_it`` is given the folder of the deployment, and returns how to mend that."""

    trouble: str
    break_it: Callable[[Path], Callable[[], None]]
    message: str
    hint: str

    def __str__(self) -> str:
        return self.trouble


def _take_port(folder: Path) -> Callable[[], None]:
    other = socket.create_server(("127.0.0.1", 0))
    config = folder / "schema-publisher.toml"
    config.write_text(config.read_text().replace("port = 0", f"port = {other.getsockname()[1]}"))
    return other.close


def _hold_state(folder: Path) -> Callable[[], None]:
    other = sqlite3.connect(folder / "state.db", isolation_level=None)
    other.execute("PRAGMA journal_mode = WAL")
    other.execute("BEGIN IMMEDIATE")
    return other.close


def _damage_state(folder: Path) -> Callable[[], None]:
    (folder / "state.db").write_bytes(b"no database" * 1000)
    return (folder / "state.db").unlink


def _put_folder(folder: Path) -> Callable[[], None]:
    (folder / "state.db").mkdir()
    return (folder / "state.db").rmdir


STARTS = (
    Start("the web port is taken", _take_port, "cannot listen on 127.0.0.1", "port"),
    Start("the state is locked", _hold_state, "database is locked", "state"),
    Start("the state is no database", _damage_state, "not a database", "state"),
    Start("the state is a folder", _put_folder, "unable to open", "state"),
)


@pytest.mark.parametrize("start", STARTS, ids=str)
def test_a_start_that_fails_is_one_message_and_the_next_one_succeeds(
    start: Start, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = world.config.parent
    monkeypatch.setattr(sqlite, "_BUSY_SECONDS", 0.1)
    mend = start.break_it(folder)

    with pytest.raises(Exception) as raised:  # noqa: PT011  whatever it is, ``failure_of`` tells it
        Service(load_settings(world.config), world.config)
    failure = failure_of(raised.value)

    assert failure.exit_status == OUTSIDE_FAILED
    assert start.message in failure.message
    assert start.hint in failure.hint
    assert "\n" not in failure.message
    mend()
    with running(world) as daemon:
        assert daemon.is_ready()
