"""The report of ``status`` about the service, and the actions of a process after a killed one."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import closing
from typing import Any

import pytest

from lakeschema.catalog.identifiers import RelationName
from publisher.daemon.assembly import build_state, take_part
from publisher.daemon.noted import Noted
from publisher.daemon.self_report import REPEAT_SECONDS, SelfReport
from publisher.settings import load_settings
from publisher.state.protocol import Transaction
from publisher.state.records import WorkRequest
from publisher.steady_clock import open_clock
from tests.publisher.commands.folder import Folder
from tests.waiting import eventually

ORDERS = RelationName.of("shop", "orders")


def status(folder: Folder) -> Mapping[str, Any]:
    (line,) = folder.run("status").lines
    return line


def test_no_service_runs_on_what_a_command_published(published: Folder) -> None:
    assert "none runs" in published.people("status")
    assert (status(published)["worked_on"], status(published)["services"]) == (False, [])


@pytest.mark.slow
def test_a_service_is_told_while_it_runs_and_after_it_was_killed(folder: Folder) -> None:
    folder.write_settings(rest="[http]\nport = 0\n")
    command = [sys.executable, "-m", "publisher", "run", "--config", str(folder.config)]
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=nowhere, stderr=nowhere) as service:
        try:
            assert eventually(lambda: folder.run("status").status == 0)
            assert eventually(lambda: ", ready" in folder.people("status"))
        finally:
            service.kill()
    assert "not running: one was killed after" in folder.people("status")

    with subprocess.Popen(command, stdout=nowhere, stderr=nowhere) as service:
        try:
            assert eventually(lambda: ", ready" in folder.people("status"))
        finally:
            service.terminate()
    assert "none runs" in folder.people("status")
    assert status(folder)["services"] == []


def test_the_troubles_of_a_service_are_told_beside_it(published: Folder) -> None:
    settings = load_settings(published.config)
    troubles = {"catalog": "it does not answer; start it"}
    with closing(build_state(settings)) as state, take_part(settings, state):
        report = SelfReport(state, lambda: troubles)
        report.look()
        seen = published.people("status")
        assert "not ready" in seen
        assert "it does not answer; start it" in seen
        assert status(published)["services"][0]["troubles"] == troubles
        troubles = {}
        report.look()
        assert ", ready" in published.people("status")
        report.stop()
        assert "not running; a command works on the state" in published.people("status")


def test_a_service_that_cannot_write_its_state_is_silent(published: Folder) -> None:
    settings = load_settings(published.config)
    long_ago = time.time() - 3 * REPEAT_SECONDS
    with closing(build_state(settings)) as state, take_part(settings, state):
        SelfReport(state, dict, lambda: long_ago).look()
        assert "has not reported since" in published.people("status")


def test_it_is_said_again_when_it_changes_or_is_old(published: Folder) -> None:
    settings = load_settings(published.config)
    at = {"now": 1000.0}
    troubles: dict[str, str] = {}
    said: list[float] = []
    with closing(build_state(settings)) as state:
        report = SelfReport(state, lambda: troubles, lambda: at["now"])

        def look(now: float) -> None:
            at["now"] = now
            report.look()
            (service,) = Noted.read(state.read(lambda tx: tx.journal.notes("@"))).services
            said.append(service.said_at)

        look(1000.0)
        look(1001.0)
        troubles["catalog"] = "away"
        look(1002.0)
        look(1003.0)
        look(1003.0 + REPEAT_SECONDS)
        # The clock was set back.
        look(900.0)
    assert said == [1000.0, 1000.0, 1002.0, 1002.0, 1003.0 + REPEAT_SECONDS, 900.0]


def test_what_a_killed_process_had_claimed_is_free_at_once(published: Folder) -> None:
    settings = load_settings(published.config)
    with closing(build_state(settings)) as state:
        clock = open_clock(state)

        def claim(tx: Transaction) -> int:
            return len(tx.work.claim(clock.now(), 3600.0, 10))

        state.write(lambda tx: tx.work.request([WorkRequest(ORDERS, clock.now())]))
        with take_part(settings, state) as killed:
            assert killed.is_alone
            assert state.write(claim) == 1
            with closing(build_state(settings)) as other, take_part(settings, other):
                # The first may be at work on it.
                assert other.write(claim) == 0
        with closing(build_state(settings)) as other, take_part(settings, other) as alone:
            assert alone.is_alone
            assert other.write(claim) == 1
