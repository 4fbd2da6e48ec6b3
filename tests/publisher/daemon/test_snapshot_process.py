"""The child that compares on Spark, and the comparison in this process if it fails."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest

from publisher.daemon.snapshot_process import SnapshotProcess
from tests.publisher.daemon.simulated import T, numbers
from tests.simulation.simulation import Simulation
from tests.simulation.toy import table
from tests.waiting import PATIENCE_SECONDS, eventually


@pytest.fixture
def snapshots(world: Simulation) -> Iterator[SnapshotProcess]:
    process = SnapshotProcess(world.engine, None)
    yield process
    process.stop()


def run_instead(process: SnapshotProcess, code: str) -> None:
    process._command = [sys.executable, "-c", code]


def test_a_child_that_succeeds_has_compared(world: Simulation, snapshots: SnapshotProcess) -> None:
    world.catalog.change(table(T, "a"))
    run_instead(snapshots, "")

    snapshots.run()
    world.engine.drain(600.0)

    assert world.catalog.reads == 0


def test_after_a_failed_child_the_snapshot_runs_here(
    world: Simulation, snapshots: SnapshotProcess
) -> None:
    world.catalog.change(table(T, "a"))
    run_instead(snapshots, "raise SystemExit(3)")

    snapshots.run()
    world.engine.drain(600.0)

    assert numbers(world, T) == ["1.0.0"]


def test_stopping_ends_the_child_and_no_snapshot_runs_here(
    world: Simulation, snapshots: SnapshotProcess
) -> None:
    world.catalog.change(table(T, "a"))
    run_instead(snapshots, "import time; time.sleep(3600)")
    running = threading.Thread(target=snapshots.run)
    running.start()
    assert eventually(lambda: snapshots._child is not None)

    snapshots.stop()

    running.join(PATIENCE_SECONDS)
    assert not running.is_alive()
    assert world.catalog.reads == 0


def test_after_a_stop_no_child_is_started(world: Simulation, snapshots: SnapshotProcess) -> None:
    snapshots.stop()

    snapshots.run()

    assert snapshots._child is None
    assert world.catalog.reads == 0
