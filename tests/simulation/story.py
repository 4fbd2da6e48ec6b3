"""Draws a story from a number: a world and the sequence of its events."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Relation
from publisher.daemon.assembly import Deployment
from publisher.daemon.engine import Engine
from publisher.events.protocol import Batch, NamespaceHint, RelationHint
from publisher.selection import EVERYTHING, Selection
from publisher.settling.comparison import SnapshotBusy
from tests.simulation.event_log import Entry
from tests.simulation.features import LANDED, F, Feature, draw_features, may_go_back
from tests.simulation.outage import check_others
from tests.simulation.simulation import (
    IN_PUBLICATION,
    LAG_SECONDS,
    POLICY,
    Event,
    Simulation,
    assemble,
    dead_letter,
    dead_letter_of_unknown_namespace,
    quiet,
)
from tests.simulation.toy import table, view
from tests.simulation.world import IndexCopy

TABLES = tuple(RelationName.of("d", n) for n in ("t1", "t2"))
VIEWS = tuple(RelationName.of("d", n) for n in ("v1", "v2", "v3", "v4"))
SECOND = "b"
WORKERS = ("one", "two")

STORIES = 300
QUICK_STORIES = 30
LENGTH = 120

_FORGED = 1_000_000

_SHOWS_LESS = frozenset({F.LAG, F.REFUSED_NAMESPACES})
"""With these, the catalog may not list a relation that an event created: a later snapshot finds it."""

_Action = tuple[float, Callable[[], object]]


@dataclass(frozen=True, slots=True)
class Report:
    """The events of a history."""

    features: frozenset[Feature]
    events: int
    relations: int
    faults: int
    versions: int


@dataclass
class Story:
    """``made`` counts the DDL statements of each relation."""

    simulation: Simulation
    chance: random.Random
    features: frozenset[Feature]
    made: Counter[RelationName] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._tables, self._views = _names(self.features)
        self._names = (*self._tables, *self._views)
        self._state_copy: bytes | None = None
        self._index_copy = IndexCopy()
        actions = [*self._ddl(), *self._events(), *self._turns(), *self._losses()]
        self._weights = [weight for weight, _ in actions]
        self._actions = [action for _, action in actions]

    def act(self) -> None:
        """Makes one event happen."""
        self.chance.choices(self._actions, self._weights)[0]()

    # Each method yields the possible acts of its part of the world, and their frequencies.

    def _ddl(self) -> Iterator[_Action]:
        yield 4, self._change
        yield 0.5, lambda: self._drop(self.chance.choice(self._names))
        yield 0.4, partial(self._rename, self._views)
        yield 0.2, partial(self._rename, self._tables)
        if F.NAMESPACE_HINTS in self.features:
            yield 0.5, self._hint_at_namespace
            yield 0.1, self._drop_namespace

    def _events(self) -> Iterator[_Action]:
        simulation, chance = self.simulation, self.chance
        send = self._send if F.LOG in self.features else self._deliver
        yield 5, partial(send, keep=False)
        yield 0.7, partial(send, keep=True)
        yield 0.3, lambda: simulation.lose(chance.randrange(9))
        if F.GAPS in self.features:
            yield 0.3, lambda: self._forget_events(self._any_catalog())
        if F.RESTARTED_IDS in self.features:
            yield 0.1, partial(self._restart_ids, seen=True)
        if F.RESTARTED_IDS_UNSEEN in self.features:
            yield 0.1, partial(self._restart_ids, seen=False)
        if F.REFUSED_NAMESPACES in self.features:
            yield 0.4, self._refuse_namespace
        if F.SILENT_CATALOGS in self.features:
            yield 1.0, self._silence_catalog
            yield 0.3, self._check_others

    def _turns(self) -> Iterator[_Action]:
        simulation, chance = self.simulation, self.chance
        points = partial(chance.choice, (1, 1, 2, 4, 9))
        yield 24, lambda: simulation.step(chance.choice(WORKERS), points())
        yield 1, lambda: simulation.clock.sleep(chance.choice((0.05, 0.3, 2.0)))
        yield 0.3, lambda: simulation.clock.sleep(simulation.policy.lease_seconds)
        yield 0.2, simulation.crash
        yield 0.6, self._crash_in_publication
        yield 0.1, simulation.check
        if F.TWO_PROCESSES in self.features:
            yield 0.3, lambda: simulation.kill(chance.choice(WORKERS))
        if F.LOG in self.features:
            yield 8, lambda: simulation.step_receiver(chance.choice(WORKERS), points())
        if F.SNAPSHOTS in self.features:
            yield 2, lambda: simulation.step_snapshot(chance.choice(WORKERS), points())
        else:
            yield 0.1, self._snapshot
        if F.SELECTION in self.features:
            yield 0.3, self._select
        if F.WALL_STEPS in self.features:
            yield 0.3, lambda: simulation.clock.step_wall(chance.choice((-3600.0, 3600.0)))

    def _losses(self) -> Iterator[_Action]:
        simulation = self.simulation
        if F.LATE in self.features:
            yield 1, simulation.land
        if F.LOST_FILES in self.features:
            yield 0.3, self._lose_file
        if F.RESTORED_INDEX in self.features:
            yield 0.2, self._copy_index
            yield 0.1, lambda: self._restore_index(self._index_copy)
        if F.EMPTIED_INDEX in self.features:
            yield 0.1, lambda: self._restore_index(IndexCopy())
        if F.RESTORED_STATE in self.features:
            yield 0.3, self._copy_state
            yield 0.15, self._restore_state
        if F.LOST_STATE in self.features:
            yield 0.15, lambda: simulation.restore_state(None)

    # Acts of more than one call

    def _change(self) -> None:
        relation = _random_relation(self.chance, self._tables, self._views)
        self.made[relation.name] += 1
        self.simulation.change(relation)

    def _drop(self, name: RelationName) -> None:
        if self.simulation.lake.exists(name):
            self.made[name] += 1
            self.simulation.drop(name)

    def _rename(self, names: Sequence[RelationName]) -> None:
        old, new = self.chance.choice(names), self.chance.choice(names)
        self.simulation.rename(old, replace(new, catalog=old.catalog))

    def _hint_at_namespace(self) -> None:
        namespace = self.chance.choice(self._names).place
        event_id = self._newest_id(namespace) if self._has_ids() else None
        self._tell(NamespaceHint(namespace, event_id))

    def _drop_namespace(self) -> None:
        """One event for the whole namespace, as for DROP DATABASE … CASCADE."""
        namespace = self.chance.choice(self._names).place
        for name in [n for n in self.simulation.lake.states[-1] if n.place == namespace]:
            self.simulation.lake.drop(name)
        self._tell(NamespaceHint(namespace, self._newest_id(namespace)))

    def _newest_id(self, namespace: Namespace) -> int:
        return self.simulation.lake.of(namespace).event_ids[-1]

    def _tell(self, hint: NamespaceHint) -> None:
        if F.LOG in self.features:
            own = replace(hint, namespace=replace(hint.namespace, catalog=""))
            self.simulation.logs[hint.namespace.catalog].entries.append(own)
        else:
            self.simulation.engine.receive("source", Batch([hint], [], "0", seen=1))

    def _deliver(self, *, keep: bool) -> None:
        with_id = self._has_ids() and self.chance.random() < 0.8
        self.simulation.deliver(self.chance.randrange(9), keep=keep, with_id=with_id)

    def _send(self, *, keep: bool) -> None:
        self.simulation.send(self.chance.randrange(9), self._entry, keep=keep)

    def _entry(self, event: Event) -> Entry:
        drawn = self.chance.random()
        if F.DEAD_LETTERS in self.features and drawn < 0.2:
            # The catalog may not list the namespace's current content.
            self.simulation.lost |= not _SHOWS_LESS.isdisjoint(self.features)
            known = self.chance.random() < 0.7
            return dead_letter(event) if known else dead_letter_of_unknown_namespace(event)
        if not self._has_ids() or drawn > 0.8:
            return RelationHint(event.relation)
        if F.FORGED_IDS in self.features and drawn > 0.75:
            return RelationHint(event.relation, event.event_id + _FORGED)
        return RelationHint(event.relation, event.event_id)

    def _has_ids(self) -> bool:
        return F.IDS_UNKNOWN_TO_CATALOG in self.features or self.simulation.catalog.has_event_ids

    def _restart_ids(self, *, seen: bool) -> None:
        catalog = self._any_catalog()
        self.simulation.lake.parts[catalog].restart_event_ids()
        if seen:
            self.simulation.forget_undelivered(catalog)
            self._forget_events(catalog)

    def _any_catalog(self) -> str:
        return self.chance.choice([*self.simulation.lake.parts])

    def _forget_events(self, catalog: str) -> None:
        self.simulation.logs[catalog].forget()
        # The next snapshot may not see everything.
        self.simulation.lost |= not _SHOWS_LESS.isdisjoint(self.features)

    def _refuse_namespace(self) -> None:
        lake = self.simulation.lake
        if any(part.refused for part in lake.parts.values()):
            for part in lake.parts.values():
                part.refused.clear()
        else:
            place = self.chance.choice(self._names).place
            lake.of(place).refused.add(replace(place, catalog=""))

    def _silence_catalog(self) -> None:
        down = self._down()
        # Never both: a snapshot without any answer waits, and no time passes meanwhile.
        name = self._any_catalog() if down is None else down
        self.simulation.lake.parts[name].down = down is None

    def _down(self) -> str | None:
        parts = self.simulation.lake.parts
        return next((name for name, part in parts.items() if part.down), None)

    def _check_others(self) -> None:
        down = self._down()
        if down is not None:
            check_others(self.simulation, down)

    def _crash_in_publication(self) -> None:
        stage = self.simulation.stage
        if any(stage.at(actor) in IN_PUBLICATION for actor in stage.busy()):
            self.simulation.crash()

    def _snapshot(self) -> None:
        # A killed snapshot still holds its lease.
        with suppress(SnapshotBusy, CatalogUnavailable):
            self.simulation.snapshot()

    def _select(self) -> None:
        """Changes the settings and restarts all processes; the next snapshot applies the change."""
        self.simulation.selection = self.chance.choice(
            (EVERYTHING, Selection(exclude=("d.v*",)), Selection(include=("*.t*", "d.v1")))
        )
        self.simulation.crash()
        self.simulation.lost = True

    def _lose_file(self) -> None:
        index = self.simulation.index
        if index.visible:
            index.lose(self.chance.choice(sorted(index.visible)))
            self._lost_files()

    def _copy_index(self) -> None:
        self._index_copy = self.simulation.index.copy()

    def _restore_index(self, copy: IndexCopy) -> None:
        self.simulation.index.restore(copy)
        self._lost_files()

    def _lost_files(self) -> None:
        self.simulation.lost = self.simulation.index_lost = True

    def _copy_state(self) -> None:
        self._state_copy = self.simulation.copy_state()

    def _restore_state(self) -> None:
        if self._state_copy is not None:
            self.simulation.restore_state(self._state_copy)


def _names(features: Collection[Feature]) -> tuple[Sequence[RelationName], Sequence[RelationName]]:
    other = {"t2", "v2", "v3"} if F.NAMESPACES in features else set()
    tables, views = (
        [RelationName.of("e", n.name) if n.name in other else n for n in names]
        for names in (TABLES, VIEWS)
    )
    return (_twins(tables), _twins(views)) if F.CATALOGS in features else (tables, views)


def _twins(names: Sequence[RelationName]) -> Sequence[RelationName]:
    """Each name in both catalogs."""
    return [each for name in names for each in (name, replace(name, catalog=SECOND))]


def _random_relation(
    chance: random.Random, tables: Sequence[RelationName], views: Sequence[RelationName]
) -> Relation:
    if chance.random() < 0.5:
        columns = chance.sample(("a", "b", "c"), chance.randint(1, 3))
        return table(chance.choice(tables), *sorted(columns))
    name = chance.choice(views)
    # Mostly earlier relations, so that most views work; sometimes a cycle.
    earlier = (*tables, *views[: views.index(name)])
    candidates = (*tables, *views) if chance.random() < 0.15 else earlier
    upstreams = chance.sample(candidates, chance.randint(1, min(2, len(candidates))))
    shape = chance.choices(("wide", "narrow", "nonsense", "unsupported"), (8, 2, 0.3, 0.3))[0]
    return view(name, *upstreams, shape=shape)


def play(
    seed: int,
    assemble: Callable[[Deployment], Engine] = assemble,
    length: int = LENGTH,
    enabled: Collection[Feature] = LANDED,
) -> Report:
    """Runs the story of a seed and judges the result.

    Raises:
        Violation: a promise was broken.
    """
    simulation, story = begin(seed, assemble, enabled)
    try:
        for _ in range(length):
            story.act()
        simulation.judge()
    finally:
        simulation.close()
    return Report(
        story.features,
        events=sum(story.made.values()),
        relations=len(story.made),
        faults=simulation.faults + simulation.index.faults,
        versions=len(simulation.index.history),
    )


def begin(
    seed: int,
    assemble: Callable[[Deployment], Engine] = assemble,
    enabled: Collection[Feature] = LANDED,
    folder: Path | None = None,
) -> tuple[Simulation, Story]:
    """The world of a seed, and its story."""
    chance = random.Random(seed)
    features = draw_features(chance, enabled)
    simulation = _simulation(seed, features, assemble, folder)
    return simulation, Story(simulation, chance, features)


def _simulation(
    seed: int,
    features: frozenset[Feature],
    assemble: Callable[[Deployment], Engine],
    folder: Path | None,
) -> Simulation:
    policy = replace(POLICY, snapshot_lease_seconds=5.0)
    simulation = Simulation(
        folder,
        seed=seed,
        lag_seconds=LAG_SECONDS if F.LAG in features else 0.0,
        trouble=0.3 if F.TROUBLE in features else 0.0,
        policy=quiet(policy) if F.DEBOUNCE in features else policy,
        assemble=assemble,
        others=(SECOND,) if F.CATALOGS in features else (),
        processes=2 if F.TWO_PROCESSES in features else 1,
        reads_go_back=may_go_back(features),
    )
    simulation.catalog.has_event_ids = not {F.NO_IDS, F.IDS_UNKNOWN_TO_CATALOG} & features
    for part in simulation.lake.parts.values():
        part.atomic = F.TORN_READS not in features
    simulation.index.unstored = 0.2 if F.UNSTORED in features else 0.0
    simulation.index.late = 0.2 if F.LATE in features else 0.0
    return simulation
