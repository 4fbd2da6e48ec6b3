"""The engine's simulated world: a catalog with replicas, an index that fails, a clock, a state.

At every call to it, another actor may run instead, or a crash may happen.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar

from codegen.package import Wheel
from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Relation
from publisher.index.protocol import Damage, IndexFile, IndexRefused, IndexUnavailable
from publisher.state.protocol import State, Transaction
from tests.simulation.stage import Stage

T = TypeVar("T")


class FakeClock:
    """Time passes when an actor sleeps, and a little at every point. Only wall time may jump."""

    def __init__(self) -> None:
        self._now = 1_000_000.0
        self._wall_is_ahead_by = 0.0

    def now(self) -> float:
        return self._now

    def wall(self) -> float:
        return self._now + self._wall_is_ahead_by

    def step_wall(self, seconds: float) -> None:
        self._wall_is_ahead_by += seconds

    def sleep(self, seconds: float) -> None:
        self._now += max(0.0, seconds)


@dataclass(slots=True)
class _Session:
    """A connection to one replica, whose position never goes back; other replicas may lag."""

    position: int
    has_read: bool = False


@dataclass
class FakeCatalog:
    """All states of a catalog. A replica lags by at most ``lag_seconds``.

    Attributes:
        atomic: whether a batch is read at one moment, not row by row.
        refused: namespaces that it refuses to list.
        down: whether it does not answer at all.
        on_change: called after each change.
        event_ids: the id of the event that led to each state.
    """

    clock: FakeClock
    stage: Stage
    chance: random.Random
    lag_seconds: float = 0.0
    has_event_ids: bool = True
    atomic: bool = True
    refused: set[Namespace] = field(default_factory=set)
    states: list[Mapping[RelationName, Relation]] = field(default_factory=lambda: [{}])
    times: list[float] = field(default_factory=lambda: [0.0])
    event_ids: list[int] = field(default_factory=lambda: [0])
    reads: int = 0
    down: bool = False
    on_change: Callable[[], None] = lambda: None
    _sessions: dict[str, _Session] = field(default_factory=dict)

    @property
    def head(self) -> int:
        return len(self.states) - 1

    def change(self, relation: Relation) -> int:
        return self._append({**self.states[-1], relation.name: relation})

    def drop(self, name: RelationName) -> int:
        return self._append({n: r for n, r in self.states[-1].items() if n != name})

    def rename(self, old: RelationName, new: RelationName) -> int:
        rest = {n: r for n, r in self.states[-1].items() if n != old}
        return self._append({**rest, new: replace(self.states[-1][old], name=new)})

    def _append(self, state: Mapping[RelationName, Relation]) -> int:
        self.clock.sleep(0.01)
        self.states.append(state)
        self.times.append(self.clock.now())
        self.event_ids.append(self.event_ids[-1] + 1)
        self.on_change()
        return self.event_ids[-1]

    def restart_event_ids(self) -> None:
        """The next event has the id 1, as after a restore of the metastore into a new database."""
        self.clock.sleep(0.01)
        self.states.append(self.states[-1])
        # No replica still shows the old numbers.
        self.times.append(0.0)
        self.event_ids.append(0)

    def _oldest_answer(self) -> int:
        horizon = self.clock.now() - self.lag_seconds
        return next(i for i in range(self.head, -1, -1) if self.times[i] <= horizon)

    def _replica(self, at_least: int) -> int:
        return self.chance.randint(max(at_least, self._oldest_answer()), self.head)

    def current_event_id(self) -> int | None:
        self.stage.point("event id")
        self._answer()
        if not self.has_event_ids:
            return None
        actor = self.stage.actor()
        session = self._sessions.get(actor)
        if session is None or not session.has_read:
            session = _Session(self._replica(0))
            self._sessions[actor] = session
        else:
            session.position = self._replica(session.position)
            del self._sessions[actor]
        return self.event_ids[session.position]

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        self.stage.point("catalog read")
        self.reads += 1
        self._answer()
        for name in names:
            self._refuse(name.place)
        session = self._sessions.get(self.stage.actor())
        position = self._replica(session.position if session else 0)
        found: dict[RelationName, Relation] = {}
        for name in names:
            if not self.atomic:
                self.stage.point("catalog row")
                position = self._replica(position)
            if name in self.states[position]:
                found[name] = self.states[position][name]
        if session is not None:
            session.position, session.has_read = position, True
        return found

    def disconnect(self, actors: Iterable[str]) -> None:
        """Closes the actors' connections, like the end of their process."""
        for actor in actors:
            self._sessions.pop(actor, None)

    def namespaces(self) -> Sequence[Namespace]:
        self.stage.point("namespaces")
        self._answer()
        return sorted({name.place for name in self.states[self._replica(0)]})

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
        self.stage.point("relations")
        self._answer()
        self._refuse(namespace)
        return [n for n in self.states[self._replica(0)] if n.place == namespace]

    def _answer(self) -> None:
        if self.down:
            raise CatalogUnavailable("fake", "connection refused")

    def _refuse(self, namespace: Namespace) -> None:
        if namespace in self.refused:
            raise CatalogRefused("fake", f"listing {namespace}", "permission denied")


@dataclass(frozen=True, slots=True)
class IndexCopy:
    """A backup of an index; without values, an empty backup."""

    visible: Mapping[str, bytes] = field(default_factory=dict)
    owner: Mapping[str, Wheel] = field(default_factory=dict)
    yanked: Mapping[str, str] = field(default_factory=dict)


@dataclass
class FakeIndex:
    """An index that answers like real ones.

    Attributes:
        overwrites: new bytes under a known name replace the old ones, as in Artifactory.
        tolerant: equal bytes are accepted again, as in devpi.
        shows_sha: whether the page has hashes.
        trouble: share of uploads that fail, before or after the file is stored.
        unstored: share of uploads that are answered with success but not stored.
        late: share of uploads that time out and are stored later, by ``land``.
        faults: number of faulty uploads.
        orphans: how many of the oldest uploads in flight come from a state that was lost meanwhile.
        history: every upload that changed what is visible, in order.
    """

    stage: Stage
    chance: random.Random
    overwrites: bool = False
    tolerant: bool = False
    shows_sha: bool = True
    trouble: float = 0.0
    unstored: float = 0.0
    late: float = 0.0
    faults: int = 0
    down: bool = False
    yanks: bool = True
    visible: dict[str, bytes] = field(default_factory=dict)
    owner: dict[str, Wheel] = field(default_factory=dict)
    yanked: dict[str, str] = field(default_factory=dict)
    history: list[Wheel] = field(default_factory=list)
    in_flight: list[Wheel] = field(default_factory=list)
    orphans: int = 0

    def projects(self) -> Sequence[str]:
        self.stage.point("index root")
        self._answer()
        return sorted({wheel.distribution for wheel in self.owner.values()})

    def files(self, distribution: str) -> Sequence[IndexFile]:
        self.stage.point("index page")
        self._answer()
        return [
            IndexFile(
                filename=name,
                version=wheel.version,
                url=name,
                sha256=hashlib.sha256(self.visible[name]).hexdigest() if self.shows_sha else None,
                yanked=self.yanked.get(name),
            )
            for name, wheel in self.owner.items()
            if wheel.distribution == distribution
        ]

    def fetch(self, file: IndexFile) -> bytes:
        self.stage.point("index download")
        self._answer()
        if file.filename not in self.visible:
            raise IndexRefused("fake", "no such file", 404)
        return self.visible[file.filename]

    def upload(self, wheel: Wheel) -> None:
        self.stage.point("index upload")
        self._answer()
        drawn = self.chance.random()
        self.faults += drawn < self.trouble or drawn >= 1.0 - self.unstored - self.late
        if drawn < self.trouble / 3:
            raise IndexUnavailable("fake", "busy", 503)
        if drawn < 2 * self.trouble / 3:
            raise IndexRefused("fake", "not today", 403)
        if drawn >= 1.0 - self.unstored:
            return
        if drawn >= 1.0 - self.unstored - self.late:
            self.in_flight.append(wheel)
            raise IndexUnavailable("fake", "timed out")
        self._take(wheel)
        self.stage.point("index answer")
        if drawn < self.trouble:
            raise IndexUnavailable("fake", "timed out")

    def land(self) -> bool:
        """Stores the oldest upload that timed out, unless its number is taken.

        True if this cost a file: no existing state knows the upload, and it replaced another upload's
        file.
        """
        if not self.in_flight:
            return False
        wheel, is_orphan = self.in_flight.pop(0), self.orphans > 0
        self.orphans = max(0, self.orphans - 1)
        before = self.visible.get(wheel.filename, wheel.data)
        with suppress(IndexRefused):
            self._take(wheel)
        return is_orphan and self.visible.get(wheel.filename, before) != before

    def lose(self, filename: str) -> None:
        """Loses the file, like a damaged disk."""
        del self.visible[filename]
        del self.owner[filename]
        self.yanked.pop(filename, None)

    def copy(self) -> IndexCopy:
        return IndexCopy(dict(self.visible), dict(self.owner), dict(self.yanked))

    def restore(self, copy: IndexCopy) -> None:
        self.visible, self.owner = dict(copy.visible), dict(copy.owner)
        self.yanked = dict(copy.yanked)

    def _take(self, wheel: Wheel) -> None:
        known = self.visible.get(wheel.filename)
        if known is not None and not self.overwrites:
            if known == wheel.data and self.tolerant:
                return
            raise IndexRefused("fake", "exists", 409 if self.tolerant else 400)
        if known != wheel.data:
            self.history.append(wheel)
        self.visible[wheel.filename] = wheel.data
        self.owner[wheel.filename] = wheel

    def provenance(self, file: IndexFile) -> bytes | None:
        return None

    def damages(
        self, distribution: str, published: Mapping[str, str], may_read: Callable[[int], bool]
    ) -> Sequence[Damage]:
        return ()

    def mend(
        self, distribution: str, published: Mapping[str, str], wheels: Sequence[Wheel]
    ) -> None:
        raise AssertionError(distribution)

    def yank(self, file: IndexFile, reason: str | None) -> bool:
        self.stage.point("yank")
        self._answer()
        if not self.yanks:
            return False
        if reason is None:
            self.yanked.pop(file.filename, None)
        else:
            self.yanked[file.filename] = reason
        return True

    def _answer(self) -> None:
        if self.down:
            raise IndexUnavailable("fake", "connection refused")


class StagedState:
    """A state store with a point before each transaction, and after each writing transaction."""

    def __init__(self, inner: State, stage: Stage) -> None:
        self._inner = inner
        self._stage = stage

    def write(self, action: Callable[[Transaction], T]) -> T:
        self._stage.point("write")
        result = self._inner.write(action)
        self._stage.point("written")
        return result

    def read(self, action: Callable[[Transaction], T]) -> T:
        self._stage.point("read")
        return self._inner.read(action)

    def close(self) -> None:
        self._inner.close()
