"""When the daemon counts as ready: from what its threads did and met, by clocks that tests set."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from sqlalchemy.exc import OperationalError

from codegen.package import Wheel
from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.identifiers import RelationName
from publisher.daemon.health import Health, SnapshotAge
from publisher.daemon.observed import Encounters, ObservedCatalog, ObservedIndex
from publisher.daemon.threads import Daemon
from publisher.daemon.watchdog import Watchdog
from publisher.index.protocol import IndexRefused, IndexUnavailable
from tests.publisher.index.wheels import sample_wheel
from tests.simulation.simulation import Simulation


@dataclass
class Hand:
    """A clock that is set by hand."""

    seconds: float = 0.0

    def __call__(self) -> float:
        return self.seconds


class TestWatchdog:
    def test_a_part_that_reports_progress_is_not_overdue(self) -> None:
        clock = Hand()
        watchdog = Watchdog(600.0, clock)

        for clock.seconds in (0.0, 600.0, 1200.0):
            watchdog.report_progress("work 0")
            assert not watchdog.overdue()

    def test_a_part_in_one_turn_for_too_long_is_named(self) -> None:
        clock = Hand()
        watchdog = Watchdog(600.0, clock)
        watchdog.report_progress("work 0")
        clock.seconds = 300.0
        watchdog.report_progress("work 1")

        clock.seconds = 601.0

        assert watchdog.overdue() == {"work 0": "no progress for 601 s"}

    def test_what_may_take_hours_is_not_watched_meanwhile(self) -> None:
        clock = Hand()
        watchdog = Watchdog(600.0, clock)
        watchdog.report_progress("receive hive")

        with watchdog.suspended("receive hive"):
            clock.seconds = 9_000.0
            assert not watchdog.overdue()

        assert not watchdog.overdue()
        clock.seconds += 601.0
        assert list(watchdog.overdue()) == ["receive hive"]


class FailingIndex:
    def __init__(self, error: Exception | None) -> None:
        self.error = error

    def upload(self, wheel: Wheel) -> None:
        if self.error is not None:
            raise self.error


class TestEncounters:
    def test_a_service_fails_from_its_silence_to_its_next_answer(self) -> None:
        encounters = Encounters()
        index = FailingIndex(IndexUnavailable("pypi", "time-out"))
        observed = ObservedIndex(index, encounters)  # type: ignore[arg-type]  # it only uploads

        with pytest.raises(IndexUnavailable):
            observed.upload(sample_wheel())
        assert encounters.failing() == {"index": "package index pypi: time-out"}

        index.error = None
        observed.upload(sample_wheel())
        assert not encounters.failing()

    def test_a_refusal_is_an_answer(self) -> None:
        encounters = Encounters()
        index = FailingIndex(IndexUnavailable("pypi", "time-out"))
        observed = ObservedIndex(index, encounters)  # type: ignore[arg-type]  # it only uploads
        with pytest.raises(IndexUnavailable):
            observed.upload(sample_wheel())

        index.error = IndexRefused("pypi", "no such project", 404)
        with pytest.raises(IndexRefused):
            observed.upload(sample_wheel())

        assert not encounters.failing()

    def test_the_catalog_and_the_index_fail_apart(self, world: Simulation) -> None:
        encounters = Encounters()
        observed = ObservedCatalog(world.catalog, encounters)
        observed.read([RelationName.of("d", "t")])

        for error in (CatalogUnavailable("hive", "away"), CatalogRefused("hive", "a read", "no")):

            def fail(error: Exception = error) -> None:
                raise error

            with pytest.raises(type(error)):
                encounters.call("catalog", fail)
            expected = ["catalog"] if isinstance(error, CatalogUnavailable) else []
            assert list(encounters.failing()) == expected


def test_a_state_that_cannot_be_read_is_a_reason_and_no_failure(world: Simulation) -> None:
    def fail() -> float:
        raise OperationalError("SELECT 1", {}, OSError("disk I/O error"))

    clock = Hand()
    age = SnapshotAge(fail, 1.0, clock)
    clock.seconds = 10.0
    health = Health(Daemon(world.engine, [], world.engine.compare_catalog), Encounters(), age)

    assert "disk I/O error" in health.troubles()["state"]


@pytest.mark.parametrize(
    ("uptime", "age", "trouble"),
    [
        (7_200.0, None, {}),
        (7_200.0, 1e6, {}),
        (7_201.0, None, {"snapshot": "none has ended yet"}),
        (1e6, 7_200.0, {}),
        (1e6, 7_201.0, {"snapshot": "the last whole one ended 7201 s ago"}),
    ],
)
def test_a_snapshot_is_old_after_two_intervals_but_not_just_after_the_start(
    uptime: float, age: float | None, trouble: dict[str, str]
) -> None:
    clock = Hand()
    snapshot_age = SnapshotAge(lambda: age, 3600.0, clock)

    clock.seconds = uptime

    assert snapshot_age.troubles() == trouble
