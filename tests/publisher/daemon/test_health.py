"""When the daemon counts as ready: by the results of its threads, with clocks that tests set."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from codegen.package import Wheel
from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from publisher.daemon.health import Health, SnapshotAge
from publisher.daemon.observed import ObservedCatalog, ObservedIndex, ObservedState
from publisher.daemon.threads import Daemon
from publisher.daemon.watchdog import Watchdog
from publisher.index.protocol import IndexFile, IndexRefused, IndexUnavailable
from publisher.outages import Outages
from publisher.progress import Progress
from publisher.state.protocol import StateUnavailable
from publisher.state.sqlite import SqliteState
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
    """Answers uploads with ``error``, and lists nothing."""

    def __init__(self, error: Exception | None) -> None:
        self.error = error

    def files(self, distribution: str) -> Sequence[IndexFile]:
        return ()

    def upload(self, wheel: Wheel) -> None:
        if self.error is not None:
            raise self.error


class Uploads:
    """An observed index, and what is known of it after each upload."""

    def __init__(self) -> None:
        self.index = FailingIndex(None)
        self.outages = Outages()
        self.observed = ObservedIndex(self.index, self.outages)  # type: ignore[arg-type]  # uploads only

    def after(self, error: Exception | None, wheel: Wheel | None = None) -> Mapping[str, str]:
        self.index.error = error
        with nullcontext() if error is None else pytest.raises(type(error)):
            self.observed.upload(wheel or sample_wheel())
        return self.outages.failing()


UNAVAILABLE = IndexUnavailable("pypi", "time-out")


class TestObservedIndex:
    def test_a_service_fails_from_its_silence_to_its_next_answer(self) -> None:
        uploads = Uploads()

        assert uploads.after(UNAVAILABLE) == {"index uploads": "package index pypi: time-out"}
        assert not uploads.after(None)

    def test_a_refusal_of_one_file_is_an_answer(self) -> None:
        uploads = Uploads()
        uploads.after(UNAVAILABLE)

        assert not uploads.after(IndexRefused("pypi", "no such classifier", 400))

    def test_pages_that_can_be_read_do_not_end_the_failure_of_uploads(self) -> None:
        uploads = Uploads()

        uploads.after(UNAVAILABLE)
        uploads.observed.files("acme-a")

        assert list(uploads.outages.failing()) == ["index uploads"]

    def test_credentials_that_are_not_accepted_refuse_all_uploads(self) -> None:
        uploads = Uploads()

        assert list(uploads.after(IndexRefused("pypi", "who?", 401))) == ["index uploads"]
        assert not uploads.after(None)

    def test_one_forbidden_project_may_be_somebody_elses_but_two_are_a_failure(self) -> None:
        uploads = Uploads()
        forbidden = IndexRefused("pypi", "not yours", 403)
        other = replace(sample_wheel(), distribution="acme-other")

        assert not uploads.after(forbidden)
        assert not uploads.after(forbidden)
        assert list(uploads.after(forbidden, other)) == ["index uploads"]
        assert not uploads.after(None)
        assert not uploads.after(forbidden)

    @pytest.mark.parametrize("status", [None, 403])
    def test_failures_of_two_projects_in_a_row_concern_all_and_of_one_do_not(
        self, status: int | None
    ) -> None:
        uploads = Uploads()
        other = replace(sample_wheel(), distribution="acme-other")
        kind = IndexUnavailable if status is None else IndexRefused
        alone, again, first, second = (kind("pypi", "no", status) for _ in range(4))

        uploads.after(alone)
        uploads.after(again)
        uploads.after(None)
        uploads.after(first)
        uploads.after(second, other)
        uploads.after(None)

        told = [error.concerns_all for error in (alone, again, first, second)]
        assert told == [False, False, True, True]

    @pytest.mark.parametrize("status", [405, 307])
    def test_an_address_that_takes_no_uploads_refuses_all(self, status: int) -> None:
        uploads = Uploads()

        assert list(uploads.after(IndexRefused("pypi", "no", status))) == ["index uploads"]

    @pytest.mark.parametrize(("reason", "status"), [("where?", 404), ("it is read-only", 400)])
    def test_what_two_packages_are_refused_for_is_a_failure(self, reason: str, status: int) -> None:
        uploads = Uploads()
        other = replace(sample_wheel(), distribution="acme-other")

        assert not uploads.after(IndexRefused("pypi", reason, status))
        assert list(uploads.after(IndexRefused("pypi", reason, status), other)) == ["index uploads"]

    def test_a_name_that_is_taken_is_an_answer_with_whatever_status(self) -> None:
        uploads = Uploads()
        taken = IndexRefused("pypi", "this file already exists", 403)
        other = replace(sample_wheel(), distribution="acme-other")

        assert not uploads.after(taken)
        assert not uploads.after(taken, other)


class FailingCatalog:
    """Reads nothing, or raises ``error``."""

    def __init__(self, error: Exception) -> None:
        self.error: Exception | None = error

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        if self.error is not None:
            raise self.error
        return {}


class TestObservedCatalog:
    @pytest.mark.parametrize("answer", [None, CatalogRefused("hive", "a read", "no")])
    def test_a_refusal_is_an_answer_and_silence_is_not(self, answer: Exception | None) -> None:
        outages = Outages()
        catalog = FailingCatalog(CatalogUnavailable("hive", "away"))
        observed = ObservedCatalog(catalog, outages)  # type: ignore[arg-type]  # it only reads

        with pytest.raises(CatalogUnavailable):
            observed.read([])
        assert list(outages.failing()) == ["catalog"]

        catalog.error = answer
        with nullcontext() if answer is None else pytest.raises(CatalogRefused):
            observed.read([])
        assert not outages.failing()


class TestObservedState:
    def test_a_state_that_can_be_read_and_not_written_fails(self, tmp_path: Path) -> None:
        outages = Outages()
        observed = ObservedState(SqliteState(tmp_path / "state.db"), outages)
        with closing(sqlite3.connect(tmp_path / "state.db")) as other:
            other.execute("ALTER TABLE singleton RENAME TO gone")

        with pytest.raises(StateUnavailable):
            observed.write(lambda tx: tx.journal.write_note("a", "b"))
        observed.read(lambda tx: tx.tallies.figures())

        assert list(outages.failing()) == ["state"]
        assert "singleton" in outages.failing()["state"]
        observed.close()


def test_a_state_that_cannot_be_read_is_a_reason_and_no_failure(world: Simulation) -> None:
    def fail() -> float:
        raise StateUnavailable("disk I/O error")

    clock = Hand()
    age = SnapshotAge(fail, 1.0, clock)
    clock.seconds = 10.0
    daemon = Daemon(world.engine, [], world.engine.compare_catalog)
    health = Health(daemon, Outages(), Progress(), age)

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
