"""Writers wait in the order of their arrival, across processes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from publisher.state.sqlite import SqliteState
from publisher.state.turnstile import Turnstile
from tests.waiting import PATIENCE_SECONDS, eventually


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def process(path: Path, opened: ExitStack, deadline: float = PATIENCE_SECONDS) -> Turnstile:
    """Open files lock each other out as processes do."""
    turnstile = Turnstile(path, deadline, 0o600)
    opened.callback(turnstile.close)
    return turnstile


def test_one_that_writes_without_pause_lets_another_have_its_turn(
    path: Path, opened: ExitStack
) -> None:
    busy, other = process(path, opened), process(path, opened)
    done = threading.Event()
    turns = 0

    def take_turns() -> None:
        nonlocal turns
        while not done.is_set():
            with busy.turn():
                turns += 1
                time.sleep(0.001)

    thread = threading.Thread(target=take_turns)
    thread.start()
    assert eventually(lambda: turns > 10)
    for _ in range(5):
        begun = turns
        with other.turn():
            # The one in progress, and one that may have been first in the queue.
            assert turns - begun <= 2
    done.set()
    thread.join(PATIENCE_SECONDS)


def test_a_turn_that_does_not_come_is_taken_without(path: Path, opened: ExitStack) -> None:
    stuck, other = process(path, opened), process(path, opened, deadline=0.01)

    with stuck.turn(), other.turn():
        pass
    with other.turn():
        pass


def test_an_error_gives_the_turn_back(path: Path, opened: ExitStack) -> None:
    failing, other = process(path, opened), process(path, opened)

    with pytest.raises(LookupError), failing.turn():
        raise LookupError

    with other.turn():
        pass


def test_only_the_owner_may_open_its_files(path: Path) -> None:
    SqliteState(path).close()

    assert {file.stat().st_mode & 0o077 for file in path.parent.iterdir()} == {0}


def test_processes_that_start_together_all_open_a_new_state(path: Path) -> None:
    failures: list[Exception] = []

    def start() -> None:
        try:
            SqliteState(path).close()
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)

    assert failures == []
