"""A snapshot that is killed, interrupted, or requested again while it runs is not lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from lakeschema.catalog.listing import Listing
from lakeschema.translation.model.outcome import Status
from publisher.commands.termination import TERMINATED, exit_on_sigterm
from publisher.daemon.snapshot_turns import SnapshotTurns
from publisher.daemon.threads import Daemon
from publisher.events.protocol import Batch, DeadLetter
from publisher.settling.comparison import Comparison, KnownCatalog, LeasedWrite, SnapshotBusy
from tests.publisher.daemon.simulated import T, numbers, process_events, record
from tests.simulation.simulation import Simulation
from tests.simulation.toy import table

UNREADABLE = Batch([], [DeadLetter(b"{", "no json", None)], "1")
INTERVAL = 3600.0


def turns(world: Simulation, *, on_start: bool = False) -> SnapshotTurns:
    return SnapshotTurns(
        world.engine,
        world.engine.compare_catalog,
        interval_seconds=INTERVAL,
        on_start=on_start,
        stopping=threading.Event(),
    )


def while_comparing(act: Callable[[], object]) -> Callable[[KnownCatalog, LeasedWrite], Comparison]:
    """A comparer that finds nothing; meanwhile something happens."""

    def compare(_known: KnownCatalog, _write: LeasedWrite) -> Comparison:
        act()
        return Comparison(Listing((), {}), (), {})

    return compare


def kill_a_snapshot(world: Simulation) -> None:
    """As kill -9: nothing is released."""
    world.stage.start("snapshot", world.engine.snapshot)
    for _ in range(8):
        world.stage.step("snapshot")
    world.crash()


def test_a_killed_snapshot_is_replaced_within_a_minute(world: Simulation) -> None:
    world.catalog.change(table(T, "a"))
    kill_a_snapshot(world)
    daemon = turns(world)
    assert not daemon.is_due()

    world.clock.sleep(60.0)

    assert daemon.is_due()
    daemon.run()
    process_events(world)
    assert numbers(world, T) == ["1.0.0"]
    assert not daemon.is_due()


def test_a_killed_snapshot_does_not_forget_what_asked_for_it(world: Simulation) -> None:
    world.engine.receive("s", UNREADABLE)
    kill_a_snapshot(world)

    assert world.engine.snapshot_is_due()


def test_a_request_during_a_snapshot_needs_another(world: Simulation) -> None:
    world.engine.receive("s", UNREADABLE)
    asks = while_comparing(lambda: world.engine.receive("s", UNREADABLE))

    world.engine.snapshot(comparer=asks)
    asked_for = world.engine.snapshot_is_due()
    world.engine.snapshot()

    assert asked_for
    assert not world.engine.snapshot_is_due()


def test_a_failed_snapshot_stays_due(world: Simulation) -> None:
    def fail() -> None:
        raise LookupError("no such thing")

    with pytest.raises(LookupError):
        world.engine.snapshot(comparer=while_comparing(fail))

    assert world.engine.snapshot_is_due()
    assert not world.engine.snapshot_is_running()


def test_sigterm_ends_a_snapshot_and_releases_it(world: Simulation) -> None:
    terminated = while_comparing(lambda: signal.raise_signal(signal.SIGTERM))

    with pytest.raises(SystemExit) as ended, exit_on_sigterm():
        world.engine.snapshot(comparer=terminated)

    assert ended.value.code == TERMINATED
    assert not world.engine.snapshot_is_running()
    assert world.engine.snapshot_is_due()


def test_a_snapshot_that_was_replaced_writes_nothing(world: Simulation) -> None:
    world.catalog.change(table(T, "a"))

    def replaced() -> None:
        world.clock.sleep(world.policy.snapshot_lease_seconds)
        world.engine.snapshot()
        process_events(world)
        world.clock.sleep(1000.0)

    report_before = record_note(world)
    with pytest.raises(SnapshotBusy):
        world.engine.snapshot(comparer=while_comparing(replaced))

    assert record_note(world) != report_before
    assert record(world, T).missing_since is None
    assert world.engine.status().work == []


def record_note(world: Simulation) -> str:
    return world._inner.read(lambda tx: tx.journal.note("@snapshot/catalog"))


def test_a_long_snapshot_keeps_its_lease_by_what_it_writes(world: Simulation) -> None:
    def slow(_known: KnownCatalog, write: LeasedWrite) -> Comparison:
        for _ in range(100):
            world.clock.sleep(world.policy.snapshot_lease_seconds - 1)
            write(lambda tx: None)
            assert world.engine.snapshot_is_running()
        return Comparison(Listing((), {}), (), {})

    world.engine.snapshot(comparer=slow)

    assert not world.engine.snapshot_is_running()


# When one is due


def test_an_old_snapshot_is_due_at_once_after_a_start(world: Simulation) -> None:
    world.engine.snapshot()
    world.clock.sleep(INTERVAL)

    assert turns(world).is_due()


def test_the_interval_continues_over_a_restart(world: Simulation) -> None:
    world.engine.snapshot()
    world.clock.sleep(INTERVAL / 2)
    daemon = turns(world)
    assert not daemon.is_due()

    world.clock.sleep(INTERVAL / 2)

    assert daemon.is_due()


def test_a_new_deployment_waits_an_interval_unless_it_compares_on_start(world: Simulation) -> None:
    waiting, eager = turns(world), turns(world, on_start=True)
    assert (waiting.is_due(), eager.is_due()) == (False, True)

    world.clock.sleep(INTERVAL)

    assert waiting.is_due()


def test_a_snapshot_of_another_process_counts_as_the_one_on_start(world: Simulation) -> None:
    world.engine.snapshot()
    daemon = turns(world, on_start=True)
    assert daemon.is_due()

    world.clock.sleep(1.0)
    world.engine.snapshot()

    assert not daemon.is_due()


def test_two_sources_with_a_gap_share_a_snapshot_that_began_after_both(world: Simulation) -> None:
    began, go_on = threading.Event(), threading.Event()
    first = turns(world)
    original = world.engine.compare_catalog
    calls = 0

    def snapshot() -> object:
        nonlocal calls
        calls += 1
        if calls == 1:
            began.set()
            assert go_on.wait(30.0)
        return original()

    world.engine.compare_catalog = snapshot  # type: ignore[method-assign,assignment]  # a double
    threads = [threading.Thread(target=first.run_after_gap) for _ in range(4)]
    threads[0].start()
    assert began.wait(30.0)
    for thread in threads[1:]:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join(30.0)

    # The first began before the others asked; one more serves all three.
    assert calls == 2


def test_a_source_with_a_gap_does_not_wait_until_the_index_is_compared(world: Simulation) -> None:
    """Which takes half an hour for 100,000 packages on a server; the next snapshot does it."""
    world.change(table(T, "a"))
    process_events(world)
    world.index.lose(next(iter(world.index.visible)))

    turns(world).run_after_gap()
    process_events(world)
    assert world.index.visible == {}

    Daemon(world.engine, [], world.engine.compare_catalog)._run_snapshot()
    process_events(world)
    assert len(world.index.visible) == 1


# Quarantined relations


def test_a_comparer_that_finds_no_difference_leaves_quarantined_relations_to_try(
    world: Simulation,
) -> None:
    world.change(table(T, "a"))
    process_events(world)
    quarantined = replace(
        record(world, T), status=Status.QUARANTINED, stale=False, inputs=None, output=None
    )
    world._inner.write(lambda tx: tx.graph.write(quarantined))

    def as_spark_does(_known: KnownCatalog, _write: LeasedWrite) -> Comparison:
        return Comparison(Listing((T,), {}), (), {"": world.catalog.head})

    report = world.engine.snapshot(comparer=as_spark_does)
    process_events(world)

    assert report.differing == 1
    assert record(world, T).status is Status.OK


def test_a_quarantined_relation_that_was_never_read_is_found_missing(world: Simulation) -> None:
    world.change(table(T, "a"))
    world.deliver(0)
    for _ in range(world.policy.max_attempts):
        world.stage.start("one", world.engine.work)
        world.stage.step("one", 4)
        world.crash()
        world.clock.sleep(world.policy.lease_seconds)
    world.engine.work()
    assert record(world, T).status is Status.QUARANTINED
    world.catalog.drop(T)

    world.engine.snapshot()
    process_events(world)

    assert T not in world._inner.read(lambda tx: tx.graph.every_record())
