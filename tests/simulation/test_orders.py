"""The four events of the blog's example, in every order, with DDL between deliveries."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from tests.simulation.simulation import Event, Simulation
from tests.simulation.toy import table, view

T = RelationName.of("d", "t")
V1 = RelationName.of("d", "v1")
V2 = RelationName.of("d", "v2")

DDL: dict[int, Relation] = {
    1: table(T, "a"),
    2: view(V1, T),
    3: view(V2, V1),
    4: table(T, "a", "b"),
}


def play(simulation: Simulation, order: tuple[int, ...], lost: int | None) -> None:
    """Runs the statements in order, each just before the delivery that needs it."""
    done = 0
    event_ids: dict[int, int] = {}
    for number in order:
        while done < number:
            done += 1
            event_ids[done] = simulation.catalog.change(DDL[done])
        if number == lost:
            simulation.lost = True
            continue
        simulation.deliver_event(Event(DDL[number].name, event_ids[number]))
        simulation.engine.drain(60.0)


@pytest.mark.parametrize(
    ("order", "lost"),
    [
        pytest.param(
            order,
            lost,
            # All orders, or all losses, are quick; all losses in all orders are not.
            marks=() if lost is None or order == (1, 2, 3, 4) else pytest.mark.slow,
        )
        for order in permutations((1, 2, 3, 4))
        for lost in (None, 1, 2, 3, 4)
    ],
    ids=str,
)
def test_the_last_view_has_the_tables_second_version(
    tmp_path: Path, order: tuple[int, ...], lost: int | None
) -> None:
    simulation = Simulation(tmp_path, seed=sum(order[:2]))

    play(simulation, order, lost)
    simulation.settle()

    latest = [w for w in simulation.index.history if w.distribution == "toy-d-v2"][-1]
    assert b'\\"b\\"' in latest.data
    simulation.judge()
    simulation.close()
