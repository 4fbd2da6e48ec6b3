"""The clock for leases, delays and graces: it never jumps, and continues across processes and boots."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from lakeschema.catalog.identifiers import RelationName
from publisher.state.protocol import Transaction
from publisher.state.records import RelationRecord, WorkRequest
from publisher.state.sqlite import SqliteState
from publisher.steady_clock import LocalMachine, mark_time, open_clock

WALL = 1_800_000_000.0
YEAR = 365 * 86_400.0
T = RelationName.of("d", "t")


@dataclass
class FakeMachine:
    boot: str = "first"
    uptime: float = 500.0
    wall_time: float = WALL

    def boot_id(self) -> str:
        return self.boot

    def since_boot(self) -> float:
        return self.uptime

    def wall(self) -> float:
        return self.wall_time

    def pass_time(self, seconds: float) -> None:
        self.uptime += seconds
        self.wall_time += seconds

    def reboot(self, *, wall_time: float) -> None:
        self.boot, self.uptime, self.wall_time = f"after {self.boot}", 3.0, wall_time


def write(tx: Transaction, *, record: RelationRecord) -> None:
    tx.graph.write(record)


@pytest.fixture
def machine() -> FakeMachine:
    return FakeMachine()


@pytest.fixture
def state(tmp_path: Path) -> Iterator[SqliteState]:
    state = SqliteState(tmp_path / "state.db", synchronous="OFF")
    yield state
    state.close()


def test_it_begins_at_wall_time_as_earlier_releases_stored_it(
    state: SqliteState, machine: FakeMachine
) -> None:
    clock = open_clock(state, machine)

    assert clock.now() == WALL


@pytest.mark.parametrize("step", [YEAR, -YEAR])
def test_a_step_of_wall_time_does_not_step_it(
    state: SqliteState, machine: FakeMachine, step: float
) -> None:
    clock = open_clock(state, machine)
    machine.wall_time += step
    machine.pass_time(10.0)

    assert clock.now() == WALL + 10.0
    assert clock.wall() == WALL + step + 10.0


@pytest.mark.parametrize("step", [YEAR, -YEAR])
def test_processes_of_one_boot_agree_whenever_they_start(
    state: SqliteState, machine: FakeMachine, step: float
) -> None:
    first = open_clock(state, machine)
    machine.wall_time += step

    second = open_clock(state, machine)

    assert second.now() == first.now()


def test_after_a_boot_it_continues_at_wall_time(state: SqliteState, machine: FakeMachine) -> None:
    open_clock(state, machine)
    machine.reboot(wall_time=WALL + 3600.0)

    assert open_clock(state, machine).now() == WALL + 3600.0


def test_a_boot_with_wall_time_behind_does_not_set_it_back(
    state: SqliteState, machine: FakeMachine
) -> None:
    clock = open_clock(state, machine)
    machine.pass_time(3600.0)
    state.write(lambda tx: mark_time(tx, clock.now()))
    machine.reboot(wall_time=0.0)

    assert open_clock(state, machine).now() == WALL + 3600.0


def test_a_boot_with_wall_time_ahead_skips_no_grace(
    state: SqliteState, machine: FakeMachine
) -> None:
    clock = open_clock(state, machine)
    missing = RelationRecord(T, facts_hash="f", missing_since=clock.now())
    dropped = replace(missing, name=RelationName.of("d", "s"), facts_hash=None)
    for record in (missing, dropped):
        state.write(partial(write, record=record))
    machine.reboot(wall_time=WALL + YEAR)

    now = open_clock(state, machine).now()

    records = state.read(lambda tx: tx.graph.every_record())
    assert records[T].missing_since == now
    assert records[dropped.name].missing_since == WALL


def test_leases_of_a_year_end_soon_after_a_boot(state: SqliteState, machine: FakeMachine) -> None:
    clock = open_clock(state, machine)
    ahead = clock.now() + YEAR
    state.write(lambda tx: tx.work.request([WorkRequest(T, clock.now())]))
    state.write(lambda tx: tx.work.claim(clock.now(), YEAR, 1))
    state.write(lambda tx: tx.journal.lease("@snapshot/hive", ahead, YEAR))
    machine.reboot(wall_time=WALL)

    later = open_clock(state, machine).now() + 120.0

    assert state.write(lambda tx: tx.work.claim(later, 60.0, 1))
    assert state.write(lambda tx: tx.journal.lease("@snapshot/hive", later, 60.0))


def test_this_machine_has_a_clock(state: SqliteState) -> None:
    first = open_clock(state)
    second = open_clock(state)

    assert abs(first.now() - second.now()) < 60.0
    assert LocalMachine().boot_id() == LocalMachine().boot_id()
    first.sleep(0.0)
