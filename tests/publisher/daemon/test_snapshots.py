"""The findings of a snapshot, and the answers that it does not trust."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lakeschema.catalog.identifiers import RelationName
from publisher.policy import DeletionLimit
from publisher.settling.comparison import SnapshotBusy
from tests.publisher.daemon.simulated import T, V, fields, numbers, process_events
from tests.simulation.simulation import POLICY, Simulation
from tests.simulation.toy import table, view


def test_a_snapshot_finds_what_no_event_reported(world: Simulation) -> None:
    world.catalog.change(table(T, "a"))
    world.catalog.change(view(V, T))

    report = world.engine.snapshot()
    world.engine.drain(600.0)

    assert (report.listed, report.differing) == (2, 2)
    assert numbers(world, V) == ["1.0.0"]


def test_a_snapshot_of_an_unchanged_catalog_asks_for_nothing(world: Simulation) -> None:
    world.catalog.change(table(T, "a"))
    world.engine.snapshot()
    world.engine.drain(600.0)

    report = world.engine.snapshot()

    assert report.differing == 0
    assert world.engine.status().work == []


def test_mass_deletion_waits_until_a_person_confirms_it(world: Simulation, tmp_path: Path) -> None:
    (tmp_path / "braked").mkdir()
    policy = replace(POLICY, deletion_limit=DeletionLimit(at_least=2, share=0.2))
    braked = Simulation(tmp_path / "braked", lag_seconds=0.0, policy=policy)
    names = [RelationName.of("d", f"t{n}") for n in range(5)]
    for name in names:
        braked.catalog.change(table(name, "a"))
    braked.engine.snapshot()
    braked.engine.drain(600.0)
    for name in names:
        braked.catalog.drop(name)

    report = braked.engine.snapshot()
    braked.engine.drain(600.0)
    assert report.missing == 0
    assert braked.index.yanked == {}
    assert any("not listed" in note for note in braked.engine.status().notes.values())

    braked.engine.confirm_deletions()
    braked.engine.snapshot()
    braked.engine.drain(600.0)
    assert len(braked.index.yanked) == 5
    braked.close()


def test_one_snapshot_runs_at_a_time(world: Simulation) -> None:
    world._inner.write(lambda tx: tx.journal.lease("@snapshot/catalog", world.clock.now(), 60.0))

    with pytest.raises(SnapshotBusy):
        world.engine.snapshot()


def test_a_replaced_catalog_with_new_event_ids_is_trusted_after_a_gap(world: Simulation) -> None:
    for columns in ("a", "b", "c"):
        world.change(table(T, columns))
    process_events(world)
    kept = world.catalog.states[-1]
    world.catalog.states[:] = [{}, {**kept, T: table(T, "z")}]
    world.catalog.times[:] = world.catalog.times[:2]

    world.engine.snapshot()
    assert world.engine.drain(600.0)

    assert fields(world, T) == ["z"]
