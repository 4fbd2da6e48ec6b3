"""The time from an event to its version, and the lead of a source, with clocks that a test sets."""

from __future__ import annotations

from lakeschema.catalog.identifiers import RelationName
from publisher.latency import BUCKET_SECONDS, EVENT, RECEIPT, EventLatency, Instant, SourceLag

T = RelationName.of("d", "t")
WALL = 1_000_000.0


def at(seconds: float, step: float = 0.0) -> Instant:
    """``step``: by how much wall time was set since."""
    return Instant(seconds, WALL + seconds + step)


def counted(latency: EventLatency, since: str = RECEIPT) -> dict[float, int]:
    """How many were measured, by the bound of their bucket."""
    found = latency.measured()[since]
    return {bound: n for bound, n in zip(BUCKET_SECONDS, found.counts, strict=False) if n}


def test_a_version_is_measured_from_the_oldest_event_that_it_answers() -> None:
    latency = EventLatency()
    for seconds in (0.0, 4.0):
        latency.receive([T], {}, at(seconds))

    latency.publish(T, WALL + 4.5, at(4.7))
    latency.publish(T, WALL + 4.5, at(9.0))

    assert counted(latency) == {5: 1}
    assert latency.measured()[RECEIPT].total_seconds == 4.7


def test_an_event_after_the_reservation_waits_for_the_next_version() -> None:
    latency = EventLatency()
    latency.receive([T], {}, at(0.0))
    latency.receive([T], {}, at(2.0))

    latency.publish(T, WALL + 1.0, at(2.4))
    latency.publish(T, WALL + 2.1, at(2.2))

    assert counted(latency) == {2.5: 1, 0.25: 1}


def test_an_event_that_needs_no_version_is_forgotten() -> None:
    latency = EventLatency()
    latency.receive([T], {}, at(0.0))
    latency.receive([T], {}, at(5.0))

    latency.forget(T, 1.0)
    latency.publish(T, WALL + 6.0, at(6.0))

    assert counted(latency) == {1: 1}


def test_an_event_is_measured_from_its_own_time_too_where_that_is_known() -> None:
    latency = EventLatency()
    latency.receive([T], {T: WALL - 100.0}, at(0.0))

    latency.publish(T, WALL + 1.0, at(1.0))

    assert (counted(latency), counted(latency, EVENT)) == ({1: 1}, {120: 1})


def test_a_clock_ahead_of_ours_makes_no_negative_time() -> None:
    latency = EventLatency()
    latency.receive([T], {T: WALL + 3600.0}, at(0.0))

    latency.publish(T, WALL + 1.0, at(1.0))

    assert latency.measured()[EVENT].total_seconds == 1.0


def test_wall_time_that_is_set_back_does_not_change_what_is_measured() -> None:
    latency = EventLatency()
    latency.receive([T], {}, at(0.0))

    latency.publish(T, WALL + 1.0, at(2.0, step=-3600.0))

    assert latency.measured()[RECEIPT].total_seconds == 2.0


def test_a_source_lags_by_its_newest_event_and_by_its_silence() -> None:
    lag = SourceLag()
    lag.note("log", 10.0, 40.0, 7)
    lag.note("folder", 10.0, 0.0, None)

    assert lag.seconds(15.0) == {"log": 45.0, "folder": 5.0}
    assert lag.behind() == {"log": 7}
