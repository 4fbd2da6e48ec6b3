"""Refused relations wait for hours and starve nobody; work that waited for an outage continues at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from codegen.package import Wheel
from lakeschema.catalog.identifiers import RelationName
from publisher.daemon.assembly import parts_of
from publisher.daemon.engine import Engine
from publisher.events.protocol import Batch, RelationHint
from publisher.index.protocol import IndexRefused
from publisher.outages import UPLOADS
from publisher.policy import Policy
from publisher.progress import STALLED_AFTER_SECONDS, Progress
from tests.publisher.daemon.simulated import T, V, W, fields, numbers
from tests.simulation.simulation import Simulation
from tests.simulation.toy import table, view

HOUR = 3600.0
CALL_SECONDS = 0.1


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Simulation]:
    """With the delays that people get, apart from the debounce."""
    policy = replace(Policy(), debounce_seconds=0.0, uploads_at_once=1, batch_size=8)
    simulation = Simulation(tmp_path, lag_seconds=0.0, policy=policy)
    simulation.index.shows_sha = True
    simulation.index.overwrites = False
    simulation.stage.on_point = lambda: None
    yield simulation
    simulation.close()


def refuse_uploads(world: Simulation, word: str) -> list[str]:
    """Uploads of wheels whose name has the word are refused; the names of those, in order."""
    upload, refused = world.index.upload, []

    def refusing(wheel: Wheel) -> None:
        world.clock.sleep(CALL_SECONDS)
        if word in wheel.filename:
            refused.append(wheel.filename)
            raise IndexRefused("fake", "you may not create projects of this name", 403)
        upload(wheel)

    world.index.upload = refusing  # type: ignore[method-assign]  # a double
    return refused


def work_for(world: Simulation, seconds: float) -> None:
    end = world.clock.now() + seconds
    while world.clock.now() < end:
        if not world.engine.work():
            due = world._inner.read(lambda tx: tx.work.due_at())
            world.clock.sleep(min(end, due or end) - world.clock.now() + 0.001)


@pytest.mark.thorough
def test_many_refused_relations_starve_nobody(world: Simulation) -> None:
    refused = refuse_uploads(world, "bad")
    bad = [RelationName.of("d", f"bad{n}") for n in range(60)]
    good = [RelationName.of("d", f"good{n}") for n in range(5)]
    for name in bad:
        world.change(table(name, "a"))
    while world.undelivered:
        world.deliver(0)
    work_for(world, 10.0)
    for name in good:
        world.catalog.change(table(name, "a"))
    world.engine.snapshot()

    work_for(world, HOUR)

    assert [numbers(world, name) for name in good] == [["1.0.0"]] * 5
    # Three uploads a try, and a try each time that the delay is four times as long.
    assert len(refused) <= 60 * 3 * 12


def test_a_refused_relation_is_tried_after_hours_at_last(world: Simulation) -> None:
    refused = refuse_uploads(world, "d_t")
    world.change(table(T, "a"))
    while world.undelivered:
        world.deliver(0)

    work_for(world, 12 * HOUR)
    before = len(refused)
    work_for(world, 24 * HOUR)

    assert 3 * 5 <= len(refused) - before <= 3 * 7
    (work,) = world.engine.status().work
    assert "you may not create projects" in work.last_error


def test_a_refused_relation_is_tried_at_once_when_it_changes(world: Simulation) -> None:
    upload = world.index.upload
    refuse_uploads(world, "d_t")
    world.change(table(T, "a"))
    while world.undelivered:
        world.deliver(0)
    work_for(world, 12 * HOUR)
    world.change(table(T, "a", "b"))
    world.deliver(0)
    world.engine.work()
    (work,) = world.engine.status().work
    assert work.not_before - world.clock.now() < 1.0
    world.index.upload = upload  # type: ignore[method-assign]  # a double

    work_for(world, 1.0)

    assert numbers(world, T)[-1] == "1.1.0"


def test_a_person_may_have_a_refused_relation_tried_at_once(world: Simulation) -> None:
    upload = world.index.upload
    refuse_uploads(world, "d_t")
    world.change(table(T, "a"))
    while world.undelivered:
        world.deliver(0)
    work_for(world, 12 * HOUR)
    world.engine.resync([T])
    world.engine.work()
    (work,) = world.engine.status().work
    assert work.not_before - world.clock.now() < 1.0
    world.index.upload = upload  # type: ignore[method-assign]  # a double

    work_for(world, 1.0)

    assert numbers(world, T) == ["1.0.0"]


@pytest.mark.thorough
def test_after_an_outage_of_the_index_everything_is_published_within_seconds(
    world: Simulation,
) -> None:
    names = [RelationName.of("d", f"t{n}") for n in range(20)]
    world.index.down = True
    for name in names:
        world.change(table(name, "a"))
    while world.undelivered:
        world.deliver(0)
    work_for(world, HOUR / 60)
    world.index.down = False

    work_for(world, world.policy.max_retry_seconds + 1.0)

    assert [numbers(world, name) for name in names] == [["1.0.0"]] * 20


def test_a_reserved_version_that_the_index_refuses_is_not_tried_without_end(
    world: Simulation,
) -> None:
    """The relation itself needs no version any more, and so nothing of it is left to do."""
    refused = refuse_uploads(world, "d_v")
    for relation in (table(T, "a"), view(V, T)):
        world.change(relation)
    while world.undelivered:
        world.deliver(0)
    work_for(world, 1.0)
    world.change(view(V, T, shape="nonsense"))
    world.deliver(0)
    work_for(world, 12 * HOUR)
    before = len(refused)

    work_for(world, 12 * HOUR)

    assert len(refused) - before <= 3 * 4


def test_a_relation_that_changed_back_is_published_after_the_version_that_was_reserved(
    world: Simulation,
) -> None:
    world.change(table(T, "a"))
    world.deliver(0)
    world.engine.work()
    upload = world.index.upload
    refuse_uploads(world, "d_t")
    world.change(table(T, "a", "b"))
    world.deliver(0)
    world.engine.work()
    world.index.upload = upload  # type: ignore[method-assign]  # a double
    world.change(table(T, "a"))
    world.deliver(0)

    assert world.engine.drain(600.0)

    assert numbers(world, T) == ["1.0.0", "1.1.0", "2.0.0"]
    assert fields(world, T) == ["a"]


@pytest.mark.thorough
def test_work_of_lesser_urgency_is_not_starved_by_events_without_pause(world: Simulation) -> None:
    busy = [RelationName.of("d", f"busy{n}") for n in range(12)]
    for name in (*busy, W):
        world.catalog.change(table(name, "a"))
    world.engine.snapshot()
    for _ in range(90):
        world.engine.receive("s", Batch([RelationHint(name, 1) for name in busy], [], "1"))
        world.engine.work()
        world.clock.sleep(1.0)

    assert numbers(world, W) == ["1.0.0"]


@pytest.mark.thorough
def test_work_that_only_retries_is_told_until_something_is_done(world: Simulation) -> None:
    progress = Progress(world.clock.now)
    deployment = world.deployment()
    runtime = replace(deployment.runtime, progress=progress)
    world.engine = Engine(parts_of(replace(deployment, runtime=runtime)))
    world.index.down = True
    for name in (T, V):
        world.change(table(name, "a"))
    while world.undelivered:
        world.deliver(0)
    work_for(world, STALLED_AFTER_SECONDS + world.policy.max_retry_seconds)
    (trouble,) = progress.troubles().values()
    world.index.down = False

    work_for(world, world.policy.max_retry_seconds + 1.0)

    assert "2 relations" in trouble
    assert not progress.troubles()


@pytest.mark.thorough
def test_during_an_outage_that_refuses_everything_nothing_waits_for_hours(
    world: Simulation,
) -> None:
    upload = world.index.upload
    refused = refuse_uploads(world, "d_t")
    world.engine.runtime.outages.fail(UPLOADS, "who?")
    world.change(table(T, "a"))
    world.deliver(0)
    work_for(world, 12 * HOUR)
    world.index.upload = upload  # type: ignore[method-assign]  # a double

    work_for(world, world.policy.max_outage_retry_seconds + 1.0)

    assert refused
    assert numbers(world, T) == ["1.0.0"]
