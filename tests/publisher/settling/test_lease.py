"""A singleton that one process holds: renewed while it works, lost if it does not."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from publisher.runtime import Runtime
from publisher.settling.lease import Lease, LeaseLost, LeaseTaken, hold
from publisher.state.sqlite import SqliteState
from tests.simulation.simulation import POLICY
from tests.simulation.world import FakeClock

NAME = "@snapshot/catalog"
SECONDS = 60.0


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def state(tmp_path: Path) -> Iterator[SqliteState]:
    state = SqliteState(tmp_path / "state.db", synchronous="OFF")
    yield state
    state.close()


@pytest.fixture
def runtime(state: SqliteState, clock: FakeClock) -> Runtime:
    return Runtime(state, clock, POLICY)


class Beats(threading.Event):
    """Waits for no time at all, so many times; then the lease is released."""

    def __init__(self, times: int, clock: FakeClock) -> None:
        super().__init__()
        self.waits: list[float | None] = []
        self._times = times
        self._clock = clock

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(timeout)
        self._clock.sleep(timeout or 0.0)
        return len(self.waits) > self._times


def leased(runtime: Runtime) -> Lease:
    now = runtime.clock.now()
    fence = runtime.state.write(lambda tx: tx.journal.lease(NAME, now, SECONDS))
    assert fence is not None
    return Lease(runtime, NAME, SECONDS, fence)


def test_a_held_lease_is_renewed_at_each_third(runtime: Runtime, clock: FakeClock) -> None:
    lease = leased(runtime)
    beats = Beats(30, clock)

    lease.beat(beats)

    assert set(beats.waits) == {SECONDS / 3}
    with pytest.raises(LeaseTaken), hold(runtime, NAME, SECONDS):
        pass


def test_a_lease_without_beats_ends(runtime: Runtime, clock: FakeClock) -> None:
    leased(runtime)
    clock.sleep(SECONDS)

    with hold(runtime, NAME, SECONDS) as lease:
        lease.renew()


def test_who_lost_the_lease_writes_nothing(runtime: Runtime, clock: FakeClock) -> None:
    lease = leased(runtime)
    clock.sleep(SECONDS)
    leased(runtime)

    with pytest.raises(LeaseLost):
        lease.write(lambda tx: tx.journal.write_note("@x", "written"))

    assert runtime.state.read(lambda tx: tx.journal.note("@x")) == ""


def test_a_lost_lease_stops_beating(runtime: Runtime, clock: FakeClock) -> None:
    lease = leased(runtime)
    clock.sleep(SECONDS)
    leased(runtime)
    beats = Beats(30, clock)

    lease.beat(beats)

    assert len(beats.waits) == 1


def test_a_write_renews(runtime: Runtime, clock: FakeClock) -> None:
    lease = leased(runtime)
    for _ in range(5):
        clock.sleep(SECONDS - 1)
        lease.write(lambda tx: tx.journal.write_note("@x", "y"))

    with pytest.raises(LeaseTaken), hold(runtime, NAME, SECONDS):
        pass


def test_a_released_lease_cannot_be_renewed(runtime: Runtime) -> None:
    with hold(runtime, NAME, SECONDS) as lease:
        pass

    with pytest.raises(LeaseLost):
        lease.renew()


def test_whatever_ends_the_holder_releases_it(runtime: Runtime) -> None:
    with pytest.raises(SystemExit), hold(runtime, NAME, SECONDS):
        raise SystemExit(143)

    with hold(runtime, NAME, SECONDS):
        pass
