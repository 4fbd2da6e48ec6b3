"""A relation that changes without pause has a limited number of versions per hour, then its newest content."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from publisher.publishing.version_rate import seconds_to_wait
from publisher.state.records import VersionRecord, VersionStatus
from tests.publisher.daemon.simulated import S, T, fields, numbers
from tests.simulation.simulation import POLICY, Simulation
from tests.simulation.toy import table

HOUR = 3600.0


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[Simulation]:
    simulation = Simulation(
        tmp_path, lag_seconds=0.0, policy=replace(POLICY, max_versions_per_hour=3)
    )
    yield simulation
    simulation.close()


def change(world: Simulation, *columns: str) -> None:
    world.change(table(T, *columns))
    while world.undelivered:
        world.deliver(0)
    while world.engine.work():
        pass


def test_further_versions_wait_and_the_newest_content_wins(slow: Simulation) -> None:
    for number in range(10):
        change(slow, *"abcdefghijk"[: number + 1])
    waiting = slow.engine.status().work

    slow.clock.sleep(HOUR)
    assert slow.engine.drain(600.0)

    assert ["3 versions within an hour" in work.last_error for work in waiting] == [True]
    assert numbers(slow, T) == ["1.0.0", "1.1.0", "1.2.0", "1.3.0"]
    assert fields(slow, T) == list("abcdefghij")


def test_content_that_is_published_already_needs_no_other_version(slow: Simulation) -> None:
    for columns in ("a", "ab", "abc", "abcd", "abc"):
        change(slow, *columns)

    slow.clock.sleep(HOUR)
    assert slow.engine.drain(600.0)

    assert numbers(slow, T) == ["1.0.0", "1.1.0", "1.2.0"]


def test_other_relations_do_not_wait(slow: Simulation) -> None:
    for number in range(5):
        change(slow, *"abcde"[: number + 1])
    slow.change(table(S, "a"))
    change(slow, "z")

    assert numbers(slow, S) == ["1.0.0"]


def version(created_at: float) -> VersionRecord:
    return VersionRecord(
        "d", "1.0.0", T, VersionStatus.PUBLISHED, None, None, None, "f", "minor", (), created_at
    )


@pytest.mark.parametrize(
    ("history", "seconds"),
    [
        ([], 0.0),
        ([version(100.0), version(200.0)], 0.0),
        ([version(100.0), version(200.0), version(300.0)], 100.0 + HOUR - 1000.0),
        ([version(50.0), version(100.0), version(200.0), version(300.0)], 100.0 + HOUR - 1000.0),
        ([version(-HOUR), version(200.0), version(300.0)], 0.0),
        ([version(9e9)] * 5, 0.0),
        ([version(100.0)] * 5, 0.0),
    ],
    ids=["none", "few", "as many", "more", "old ones", "of the future", "adopted together"],
)
def test_how_long_the_next_version_waits(history: list[VersionRecord], seconds: float) -> None:
    assert seconds_to_wait(history, 1000.0, 3) == seconds
