"""The processes that work on a state: a killed process is no longer one of them."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from publisher.state.opening import open_state, somebody_works_on, take_part
from publisher.state.places import Database, Place
from tests.waiting import PATIENCE_SECONDS, eventually

_HOLDER = """
import sys, time
from pathlib import Path
from publisher.state.opening import take_part
from publisher.state.places import Database
place = sys.argv[1]
held = take_part(Database(place) if "://" in place else Path(place))
held.share()
print(held.is_alone, flush=True)
time.sleep(600)
"""


@pytest.fixture
def place(place: Place) -> Place:
    """The place of a state."""
    open_state(place).close()
    return place


def test_the_first_is_alone_and_the_second_is_not(place: Place) -> None:
    assert not somebody_works_on(place)
    with take_part(place) as first:
        assert first.is_alone
        first.share()
        assert somebody_works_on(place)
        with take_part(place) as second:
            assert not second.is_alone
            second.share()
        assert somebody_works_on(place)
    assert not somebody_works_on(place)
    with take_part(place) as next_one:
        assert next_one.is_alone


def test_the_second_waits_until_the_first_has_put_the_state_in_order(place: Place) -> None:
    with take_part(place) as first, take_part(place) as second:
        thread = threading.Thread(target=second.share)
        thread.start()
        thread.join(0.1)
        assert thread.is_alive()
        first.share()
        thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive()


def test_a_process_that_is_killed_ends_its_part_at_once(place: Place) -> None:
    command = [
        sys.executable,
        "-c",
        _HOLDER,
        place.url if isinstance(place, Database) else str(place),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        assert somebody_works_on(place)
        process.kill()
    assert not somebody_works_on(place)


def test_those_who_look_keep_nobody_from_being_alone(place: Place) -> None:
    with take_part(place) as made:
        made.share()
    looking = threading.Event()

    def look() -> None:
        while not looking.is_set():
            somebody_works_on(place)

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        assert eventually(lambda: _is_alone(place))
    finally:
        looking.set()
        for thread in threads:
            thread.join(PATIENCE_SECONDS)


def _is_alone(place: Place) -> bool:
    with take_part(place) as tried:
        return tried.is_alone
