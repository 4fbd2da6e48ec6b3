"""A story is drawn from a number: DDL, deliveries, workers' steps, crashes, in one order."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from publisher.daemon.assembly import Deployment
from publisher.daemon.engine import Engine
from tests.simulation.simulation import POLICY, Simulation, assemble, quiet
from tests.simulation.toy import table, view

TABLES = tuple(RelationName.of("d", n) for n in ("t1", "t2"))
VIEWS = tuple(RelationName.of("d", n) for n in ("v1", "v2", "v3", "v4"))
WORKERS = ("one", "two")

STORIES = 150
QUICK_STORIES = 30


def random_relation(chance: random.Random) -> Relation:
    if chance.random() < 0.5:
        columns = chance.sample(("a", "b", "c"), chance.randint(1, 3))
        return table(chance.choice(TABLES), *sorted(columns))
    name = chance.choice(VIEWS)
    # Mostly earlier relations, so that most views work; sometimes a cycle.
    candidates = (
        (*TABLES, *VIEWS) if chance.random() < 0.15 else (*TABLES, *VIEWS[: VIEWS.index(name)])
    )
    upstreams = chance.sample(candidates, chance.randint(1, min(2, len(candidates))))
    shape = chance.choices(("wide", "narrow", "nonsense", "unsupported"), (8, 2, 0.3, 0.3))[0]
    return view(name, *upstreams, shape=shape)


def act(simulation: Simulation, chance: random.Random) -> None:
    """One thing happens."""
    names = (*TABLES, *VIEWS)
    actions: tuple[tuple[float, Callable[[], None]], ...] = (
        (4, lambda: simulation.change(random_relation(chance))),
        (0.5, lambda: simulation.drop(chance.choice(names))),
        (0.4, lambda: simulation.rename(chance.choice(VIEWS), chance.choice(VIEWS))),
        (0.2, lambda: simulation.rename(chance.choice(TABLES), chance.choice(TABLES))),
        (5, lambda: simulation.deliver(chance.randrange(9), with_id=chance.random() < 0.8)),
        (0.7, lambda: simulation.deliver(chance.randrange(9), keep=True)),
        (0.3, lambda: simulation.lose(chance.randrange(9))),
        (24, lambda: simulation.step(chance.choice(WORKERS), chance.choice((1, 1, 2, 4, 9)))),
        (1, lambda: simulation.clock.sleep(chance.choice((0.05, 0.3, 2.0)))),
        (0.3, lambda: simulation.clock.sleep(simulation.policy.lease_seconds)),
        (0.2, simulation.crash),
        (0.1, simulation.snapshot),
    )
    weights = [weight for weight, _ in actions]
    chance.choices([action for _, action in actions], weights)[0]()


def play(seed: int, assemble: Callable[[Deployment], Engine] = assemble, length: int = 120) -> None:
    """Runs the story of a seed and judges the result.

    Raises:
        Violation: a promise was broken.
    """
    chance = random.Random(seed)
    simulation = Simulation(
        Path(mkdtemp()),
        seed=seed,
        lag_seconds=chance.choice((0.0, 0.8)),
        trouble=chance.choice((0.0, 0.3)),
        policy=chance.choice((POLICY, quiet(POLICY))),
        assemble=assemble,
    )
    try:
        for _ in range(length):
            act(simulation, chance)
        simulation.judge()
    finally:
        simulation.close()
