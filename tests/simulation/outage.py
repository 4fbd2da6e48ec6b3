"""While one catalog is down, everything that does not read it must be published."""

from __future__ import annotations

from lakeschema.catalog.identifiers import RelationName
from tests.simulation.judge import Violation, judge_relations
from tests.simulation.simulation import Simulation
from tests.simulation.truth import readers_of


def check_others(simulation: Simulation, down: str) -> None:
    """Ends all faults but this one, delivers all events, and judges what does not read the catalog.

    It judges nothing if a snapshot is needed first, which also has to read this catalog.
    """
    for actor in simulation.stage.busy():
        simulation.stage.finish(actor)
    with simulation.healed(but=down):
        while simulation.undelivered:
            simulation.deliver(0)
        simulation.receive_all(at_most=_BATCHES)
        if simulation.needs_snapshot():
            return
        state = simulation.lake.states[-1]
        readers = readers_of(down, state)
        policy = simulation.policy
        deadline = simulation.clock.now() + 600.0 + policy.max_backoff_seconds
        while _has_other_work(simulation, down, readers):
            if simulation.clock.now() > deadline:
                raise Violation(f"the catalog {down!r} is down and holds back others")
            if not simulation.engine.work():
                simulation.clock.sleep(0.1)
        judge_relations(state, simulation.index, simulation.outcome(), state.keys() - readers)


_BATCHES = 500
"""A source whose catalog is down may give the same batch again and again."""


def _has_other_work(simulation: Simulation, catalog: str, readers: frozenset[RelationName]) -> bool:
    work = [each.relation for each in simulation.engine.status().work]
    return any(name.catalog != catalog and name not in readers for name in work)
