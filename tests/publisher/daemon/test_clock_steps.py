"""Wall time jumps while the engine works: no timer is skipped or delayed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.publisher.daemon.simulated import T, explain, numbers, process_events
from tests.simulation.simulation import Simulation
from tests.simulation.toy import table

YEAR = 365 * 86_400.0


def test_wall_time_ahead_for_a_moment_delays_nothing(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    world.clock.step_wall(YEAR)
    world.change(table(T, "a", "b"))
    world.deliver(0)
    world.engine.claim()
    world._inner.write(lambda tx: tx.journal.lease("@snapshot/catalog", world.clock.now(), 60.0))
    world.crash()
    world.clock.step_wall(-YEAR)

    world.clock.sleep(60.0)
    world.engine.snapshot()
    process_events(world)

    assert numbers(world, T) == ["1.0.0", "1.1.0"]


@pytest.mark.parametrize("step", [YEAR, -YEAR])
def test_the_grace_of_a_deletion_is_neither_skipped_nor_prolonged(
    world: Simulation, step: float
) -> None:
    world.policy = replace(world.policy, drop_grace_seconds=300.0)
    world.engine = world.assemble(world.deployment())
    world.change(table(T, "a"))
    process_events(world)
    world.drop(T)
    world.deliver(0)
    world.engine.work()
    world.clock.step_wall(step)

    world.engine.work()
    before = dict(world.index.yanked)
    world.clock.sleep(300.0)
    world.engine.work()

    assert before == {}
    assert len(world.index.yanked) == 1


def test_people_read_wall_time(world: Simulation) -> None:
    world.clock.step_wall(YEAR)
    world.change(table(T, "a"))

    process_events(world)

    assert explain(world, T).versions[-1].created_at > YEAR
