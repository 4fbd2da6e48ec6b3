"""The processes that work on a state: a killed process is no longer one of them."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from publisher.state.participation import Participation, somebody_works_on
from tests.waiting import PATIENCE_SECONDS, eventually

_HOLDER = """
import sys, time
from pathlib import Path
from publisher.state.participation import Participation
held = Participation(Path(sys.argv[1]))
held.share()
print(held.is_alone, flush=True)
time.sleep(600)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


def test_the_first_is_alone_and_the_second_is_not(path: Path) -> None:
    assert not somebody_works_on(path)
    with Participation(path) as first:
        assert first.is_alone
        first.share()
        assert somebody_works_on(path)
        with Participation(path) as second:
            assert not second.is_alone
            second.share()
        assert somebody_works_on(path)
    assert not somebody_works_on(path)
    with Participation(path) as next_one:
        assert next_one.is_alone


def test_the_second_waits_until_the_first_has_put_the_state_in_order(path: Path) -> None:
    with Participation(path) as first, Participation(path) as second:
        thread = threading.Thread(target=second.share)
        thread.start()
        thread.join(0.1)
        assert thread.is_alive()
        first.share()
        thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive()


def test_a_process_that_is_killed_ends_its_part_at_once(path: Path) -> None:
    command = [sys.executable, "-c", _HOLDER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        assert somebody_works_on(path)
        process.kill()
    assert not somebody_works_on(path)


def test_those_who_look_keep_nobody_from_being_alone(path: Path) -> None:
    with Participation(path) as made:
        made.share()
    looking = threading.Event()

    def look() -> None:
        while not looking.is_set():
            somebody_works_on(path)

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        assert eventually(lambda: _is_alone(path))
    finally:
        looking.set()
        for thread in threads:
            thread.join(PATIENCE_SECONDS)


def _is_alone(path: Path) -> bool:
    with Participation(path) as tried:
        return tried.is_alone
