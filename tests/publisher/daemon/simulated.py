"""Actions on the simulated world of these tests, and questions to it."""

from __future__ import annotations

import json

from lakeschema.catalog.identifiers import RelationName
from publisher.daemon.inspection import Explanation, explanation
from publisher.selection import Selection
from publisher.state.records import RelationRecord
from tests.simulation.simulation import Simulation, assemble
from tests.simulation.toy import ToyPackaging, content_of

T = RelationName.of("d", "t")
S = RelationName.of("d", "s")
V = RelationName.of("d", "v")
W = RelationName.of("d", "w")
X = RelationName.of("d", "x")


def process_events(world: Simulation) -> None:
    while world.undelivered:
        world.deliver(0)
    assert world.engine.drain(600.0)


def record(world: Simulation, name: RelationName) -> RelationRecord:
    return world._inner.read(lambda tx: tx.graph.records([name]))[name]


def explain(world: Simulation, name: RelationName) -> Explanation:
    distribution = ToyPackaging().distribution(name)
    return world._inner.read(lambda tx: explanation(tx, name, distribution))


def numbers(world: Simulation, name: RelationName) -> list[str]:
    distribution = ToyPackaging().distribution(name)
    return [w.version for w in world.index.history if w.distribution == distribution]


def fields(world: Simulation, name: RelationName) -> list[str]:
    distribution = ToyPackaging().distribution(name)
    newest = [w for w in world.index.history if w.distribution == distribution][-1]
    schema = json.loads(json.loads(content_of(newest.data))[0])
    return [field["name"] for field in schema["fields"]]


def rename(world: Simulation, naming_rule: str) -> None:
    """The engine continues with a generator that has this naming rule."""
    world.naming_rule = naming_rule
    world.engine = assemble(world.deployment())


def choose(world: Simulation, build_options_key: str) -> None:
    """The engine continues with other settings of its generator."""
    world.build_options_key = build_options_key
    world.engine = assemble(world.deployment())


def select(world: Simulation, selection: Selection) -> None:
    """The engine continues with these settings."""
    world.selection = selection
    world.engine = assemble(world.deployment())


def refuse(world: Simulation, *names: RelationName, generator: str = "", checks: str = "") -> None:
    """The engine continues with a generator, or checks, that refuse to package these relations."""
    world.refused = frozenset(names)
    world.naming_rule = generator
    world.checks = checks
    world.engine = assemble(world.deployment())
