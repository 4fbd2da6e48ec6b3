"""A pass ends when its work is done, or when the remaining work only fails."""

from __future__ import annotations

from dataclasses import replace

from publisher.daemon.draining import PATIENCE_SECONDS, Draining
from tests.publisher.daemon.simulated import S, T, numbers
from tests.simulation.simulation import Simulation
from tests.simulation.toy import table


def test_a_pass_with_a_dead_index_ends_and_says_what_is_left(world: Simulation) -> None:
    world.index.down = True
    world.catalog.change(table(T, "a"))
    world.engine.snapshot()
    begun = world.clock.now()

    left = Draining(world.engine).run()

    assert [(w.relation, "connection refused" in w.last_error) for w in left] == [(T, True)]
    assert world.clock.now() - begun < 3 * PATIENCE_SECONDS
    assert world.engine.counters.values()["index_failures"] < 20


def test_an_index_that_comes_back_within_patience_gets_everything(world: Simulation) -> None:
    world.index.down = True
    world.catalog.change(table(T, "a"))
    world.engine.snapshot()
    ends = world.clock.now() + PATIENCE_SECONDS / 2

    def restart() -> None:
        world.clock.sleep(0.002)
        world.index.down = world.clock.now() < ends

    world.stage.on_point = restart

    assert Draining(world.engine).run() == []
    assert numbers(world, T) == ["1.0.0"]


def test_a_deletion_is_awaited_over_its_grace(world: Simulation) -> None:
    world.catalog.change(table(T, "a"))
    world.engine.snapshot()
    Draining(world.engine).run()
    world.catalog.drop(T)
    world.engine.snapshot()

    assert Draining(world.engine).run() == []
    assert len(world.index.yanked) == 1


def test_a_stop_leaves_the_rest(world: Simulation) -> None:
    for name in (T, S):
        world.catalog.change(table(name, "a"))
    world.policy = replace(world.policy, batch_size=1)
    world.engine = world.assemble(world.deployment())
    world.engine.snapshot()

    left = Draining(world.engine).run(lambda: True)

    assert len(left) == 1
