"""The catalogs of a world: the default one, and others whose relations may have the same names.

Each has separate replicas, event ids and faults. Like every adapter, a ``FakeCatalog`` does not
know its name in the deployment.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from lakeschema.catalog.catalogs import Catalogs
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Catalog, Relation
from tests.simulation.judge import State
from tests.simulation.stage import Stage
from tests.simulation.world import FakeCatalog, FakeClock

_FIRST_ID = 5_000
"""Far from the default catalog's ids, so that a mixture shows."""


class Lake:
    """``parts``: by name; "" is the default catalog."""

    def __init__(self, default: FakeCatalog, others: Mapping[str, FakeCatalog]) -> None:
        self.parts = {"": default, **others}
        self._states: list[State] = [self._state()]
        for part in self.parts.values():
            part.on_change = lambda: self._states.append(self._state())

    @property
    def states(self) -> Sequence[State]:
        """The states of all catalogs together, in the order of the changes."""
        return self._states if len(self.parts) > 1 else self.parts[""].states

    def as_one(self) -> Catalog:
        default, *others = self.parts.items()
        return Catalogs.of(default[1], dict(others)) if others else default[1]

    def of(self, name: RelationName | Namespace) -> FakeCatalog:
        return self.parts[name.catalog]

    def exists(self, name: RelationName) -> bool:
        return unnamed(name) in self.of(name).states[-1]

    def change(self, relation: Relation) -> int:
        return self.of(relation.name).change(replace(relation, name=unnamed(relation.name)))

    def drop(self, name: RelationName) -> int:
        return self.of(name).drop(unnamed(name))

    def rename(self, old: RelationName, new: RelationName) -> int:
        """Renames within one catalog."""
        return self.of(old).rename(unnamed(old), unnamed(new))

    def disconnect(self, actors: Sequence[str]) -> None:
        for part in self.parts.values():
            part.disconnect(actors)

    @contextmanager
    def healed(self, but: str | None = None) -> Iterator[None]:
        """All catalogs, except the one with the name ``but``, work without faults."""
        parts = [part for name, part in self.parts.items() if name != but]
        before = [(part.refused, part.down) for part in parts]
        for part in parts:
            part.refused, part.down = set(), False
        yield
        for part, (refused, down) in zip(parts, before, strict=True):
            part.refused, part.down = refused, down

    def _state(self) -> State:
        return {
            replace(each, catalog=catalog): replace(
                relation, name=replace(relation.name, catalog=catalog)
            )
            for catalog, part in self.parts.items()
            for each, relation in part.states[-1].items()
        }


def unnamed(name: RelationName) -> RelationName:
    """The name as its own catalog knows it."""
    return replace(name, catalog="")


def build_lake(
    names: Iterable[str], clock: FakeClock, stage: Stage, chance: random.Random, lag_seconds: float
) -> Lake:
    """``names``: the names of all catalogs but the default one."""
    default = FakeCatalog(clock, stage, chance, lag_seconds)
    others = {
        name: FakeCatalog(
            clock,
            stage,
            random.Random(f"{name} {chance.random()}"),
            lag_seconds,
            event_ids=[_FIRST_ID],
        )
        for name in names
    }
    return Lake(default, others)
