"""An engine in a simulated world, and the judgement of what it published.

The judge derives everything again from the catalog's states and does not use the engine.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.interface import Interface
from lakeschema.translation.outcome import Derived, Failed, Status
from publisher.daemon.assembly import Deployment, parts_of
from publisher.daemon.engine import Engine
from publisher.events.protocol import Batch, RelationHint
from publisher.policy import NO_LIMIT, Policy
from publisher.publishing.upload import DROPPED
from publisher.publishing.versioning import parse_number
from publisher.runtime import Runtime
from publisher.selection import EVERYTHING, Selection
from publisher.state.records import VersionStatus
from publisher.state.sqlite import SqliteState
from tests.simulation.stage import Stage
from tests.simulation.toy import ToyDeriver, ToyPackaging, content_of
from tests.simulation.world import FakeCatalog, FakeClock, FakeIndex, StagedState

POLICY = Policy(
    debounce_seconds=0.0,
    max_wait_seconds=1.0,
    staleness_seconds=1.0,
    drop_grace_seconds=0.5,
    lease_seconds=5.0,
    batch_size=4,
    uploads_at_once=1,
    retry_seconds=0.05,
    max_retry_seconds=0.4,
    deletion_limit=NO_LIMIT,
)

LAG_SECONDS = 0.8


class Violation(AssertionError):
    """The engine broke one of its promises."""


@lru_cache(maxsize=1)
def _fresh_database() -> Path:
    path = Path(mkdtemp()) / "state.db"
    SqliteState(path, synchronous="OFF").close()
    return path


def assemble(deployment: Deployment) -> Engine:
    """The engine as it is; a mutant's own function replaces one part."""
    return Engine(parts_of(deployment))


@dataclass(frozen=True, slots=True)
class Event:
    relation: RelationName
    event_id: int


@dataclass
class Simulation:
    """``seed`` decides what the world does by itself: replicas' lag and the index's failures."""

    folder: Path
    seed: int = 0
    lag_seconds: float = LAG_SECONDS
    trouble: float = 0.0
    policy: Policy = POLICY
    assemble: Callable[[Deployment], Engine] = assemble
    undelivered: list[Event] = field(default_factory=list)
    lost: bool = False
    naming_rule: str = ""
    build_options_key: str = ""
    refused: frozenset[RelationName] = frozenset()
    runtime: str = ""
    selection: Selection = EVERYTHING

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.clock = FakeClock()
        self.stage = Stage()
        self.stage.on_point = lambda: self.clock.sleep(0.002)
        self.catalog = FakeCatalog(self.clock, self.stage, self.chance, self.lag_seconds)
        self.index = FakeIndex(
            self.stage,
            self.chance,
            overwrites=self.chance.random() < 0.3,
            tolerant=self.chance.random() < 0.5,
            shows_sha=self.chance.random() < 0.7,
            trouble=self.trouble,
        )
        self._path = self.folder / "state.db"
        shutil.copy(_fresh_database(), self._path)
        self.engine = self._boot()

    def _boot(self) -> Engine:
        self._inner = SqliteState(self._path, synchronous="OFF")
        self.state = StagedState(self._inner, self.stage)
        return self.assemble(self.deployment())

    def deployment(self) -> Deployment:
        return Deployment(
            runtime=Runtime(self.state, self.clock, self.policy),
            catalog=self.catalog,
            index=self.index,
            deriver=ToyDeriver(),
            packaging=ToyPackaging(
                self.naming_rule, self.build_options_key, self.refused, self.runtime
            ),
            selection=self.selection,
        )

    # What happens

    def change(self, relation: Relation) -> None:
        event_id = self.catalog.change(relation)
        self.undelivered.append(Event(relation.name, event_id))

    def drop(self, name: RelationName) -> None:
        if name in self.catalog.states[-1]:
            self.undelivered.append(Event(name, self.catalog.drop(name)))

    def rename(self, old: RelationName, new: RelationName) -> None:
        here = self.catalog.states[-1]
        if old in here and new not in here:
            event_id = self.catalog.rename(old, new)
            self.undelivered += [Event(old, event_id), Event(new, event_id)]

    def deliver(self, position: int, *, keep: bool = False, with_id: bool = True) -> None:
        if not self.undelivered:
            return
        place = position % len(self.undelivered)
        event = self.undelivered[place] if keep else self.undelivered.pop(place)
        self.deliver_event(event, with_id=with_id)

    def deliver_event(self, event: Event, *, with_id: bool = True) -> None:
        hint = RelationHint(event.relation, event.event_id if with_id else None)
        self.engine.receive("source", Batch([hint], [], str(event.event_id), seen=1))

    def lose(self, position: int) -> None:
        if self.undelivered:
            self.undelivered.pop(position % len(self.undelivered))
            self.lost = True

    def step(self, worker: str, points: int = 1) -> None:
        if not self.stage.is_busy(worker):
            self.stage.start(worker, self.engine.work)
        for _ in range(points):
            if not self.stage.is_busy(worker):
                break
            self.stage.step(worker)

    def snapshot(self) -> None:
        self.engine.snapshot()

    def crash(self) -> None:
        self.stage.crash()
        self.catalog.disconnect()
        self._inner.close()
        self.engine = self._boot()

    def settle(self) -> None:
        """Delivers every event that was not lost, and lets the engine finish all work."""
        for worker in ("one", "two", "three"):
            self.stage.finish(worker)
        self.index.down = False
        self.index.trouble = 0.0
        while self.undelivered:
            self.deliver(0)
        self._drain()
        if self.lost or self._has_quarantined():
            self.clock.sleep(self.lag_seconds * 2)
            self.snapshot()
            self._drain()

    def _has_quarantined(self) -> bool:
        """A crash of the process counts against its relations until a snapshot retries them."""
        records = self._inner.read(lambda tx: tx.graph.every_record())
        return any(record.status is Status.QUARANTINED for record in records.values())

    def _drain(self) -> None:
        if not self.engine.drain(timeout_seconds=600.0):
            outstanding = self.engine.status().work
            raise Violation(f"work does not end: {outstanding}")

    def close(self) -> None:
        self.stage.crash()
        self._inner.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # What is judged

    def judge(self) -> None:
        self.settle()
        self.judge_history()
        self._judge_end()
        before = len(self.index.history)
        self.clock.sleep(self.lag_seconds * 2)
        self.snapshot()
        self._drain()
        if len(self.index.history) != before:
            raise Violation("a snapshot of an unchanged catalog published something")

    def judge_history(self) -> None:
        """For each distribution: numbers rise, contents change, and each was correct once, in order."""
        by_distribution: dict[str, list[tuple[str, str]]] = {}
        seen: set[str] = set()
        for wheel in self.index.history:
            if wheel.filename in seen:
                raise Violation(f"{wheel.filename} changed its bytes")
            seen.add(wheel.filename)
            entry = (wheel.version, content_of(wheel.data))
            by_distribution.setdefault(wheel.distribution, []).append(entry)
        truths = [full_derivation(state) for state in self.catalog.states]
        for distribution, published in by_distribution.items():
            self._judge_sequence(distribution, published, truths)

    def _judge_sequence(
        self,
        distribution: str,
        published: Sequence[tuple[str, str]],
        truths: Sequence[Mapping[RelationName, Truth]],
    ) -> None:
        numbers = [parse_number(number) for number, _ in published]
        if numbers != sorted(set(numbers)):
            raise Violation(f"{distribution}: numbers do not rise: {numbers}")
        contents = [content for _, content in published]
        if any(a == b for a, b in pairwise(contents)):
            raise Violation(f"{distribution}: published twice in a row")
        name = next(
            n for truth in truths for n in truth if ToyPackaging().distribution(n) == distribution
        )
        history = [truth[name].content if name in truth else None for truth in truths]
        position = 0
        for number, content in published:
            while position < len(history) and history[position] != content:
                position += 1
            if position == len(history):
                raise Violation(f"{distribution} {number} was never correct, or is out of order")

    def _judge_end(self) -> None:
        truth = full_derivation(self.catalog.states[-1])
        with_state = self._inner.read(
            lambda tx: (tx.graph.every_record(), tx.versions.every_version())
        )
        records, versions = with_state
        latest: dict[str, str] = {}
        for wheel in self.index.history:
            latest[wheel.distribution] = content_of(wheel.data)
        if any(v.status is VersionStatus.RESERVED for v in versions):
            raise Violation("a reservation is left open")
        for name, expected in truth.items():
            record = records.get(name)
            if record is None:
                raise Violation(f"{name} is unknown")
            if record.stale or record.status is not expected.status:
                raise Violation(f"{name} is {record}, expected {expected.status}")
            distribution = ToyPackaging().distribution(name)
            if expected.content is not None and latest.get(distribution) != expected.content:
                raise Violation(f"{name}: the latest version is not correct")
            self._judge_yanked(distribution, dropped=False, ok=expected.content is not None)
        for name, record in records.items():
            if name not in truth:
                if record.status is not Status.MISSING or record.stale:
                    raise Violation(f"{name} was dropped, but {record}")
                self._judge_yanked(ToyPackaging().distribution(name), dropped=True, ok=False)

    def _judge_yanked(self, distribution: str, *, dropped: bool, ok: bool) -> None:
        reasons = {
            self.index.yanked.get(name)
            for name, wheel in self.index.owner.items()
            if wheel.distribution == distribution
        }
        if dropped and reasons - {DROPPED}:
            raise Violation(f"{distribution} is dropped and not yanked")
        if ok and reasons - {None}:
            raise Violation(f"{distribution} exists and is yanked")


@dataclass(frozen=True, slots=True)
class Truth:
    status: Status
    content: str | None = None


def full_derivation(state: Mapping[RelationName, Relation]) -> Mapping[RelationName, Truth]:
    """What deriving everything from one state of the catalog yields."""
    deriver = ToyDeriver()
    named: dict[RelationName, tuple[RelationName, ...]] = {}
    for name, relation in state.items():
        upstreams = deriver.upstreams(relation)
        named[name] = () if isinstance(upstreams, Failed) else upstreams
    truths: dict[RelationName, Truth] = {}
    interfaces: dict[RelationName, Interface] = {}
    in_cycle = {name for name in state if name in _reachable(name, named)}
    pending = set(state) - in_cycle
    for name in in_cycle:
        truths[name] = Truth(Status.CYCLE)
    while pending:
        name = next(n for n in sorted(pending) if not pending.intersection(named[n]))
        pending.remove(name)
        truths[name] = _truth(state[name], named[name], interfaces, deriver)
    return truths


def _reachable(
    name: RelationName, named: Mapping[RelationName, Sequence[RelationName]]
) -> set[RelationName]:
    seen: set[RelationName] = set()
    frontier = list(named.get(name, ()))
    while frontier:
        upstream = frontier.pop()
        if upstream not in seen:
            seen.add(upstream)
            frontier += named.get(upstream, ())
    return seen


def _truth(
    relation: Relation,
    upstreams: Sequence[RelationName],
    interfaces: dict[RelationName, Interface],
    deriver: ToyDeriver,
) -> Truth:
    broken = deriver.upstreams(relation)
    if isinstance(broken, Failed):
        return Truth(broken.status)
    if any(upstream not in interfaces for upstream in upstreams):
        return Truth(Status.BROKEN)
    outcome = deriver.derive(relation, {u: interfaces[u] for u in upstreams})
    match outcome:
        case Failed(status):
            return Truth(status)
        case Derived(derivation):
            interfaces[relation.name] = derivation.interface
            wheel = ToyPackaging().build(ToyPackaging().request(relation, derivation))
            return Truth(Status.OK, content_of(wheel.data))


def quiet(policy: Policy) -> Policy:
    return replace(policy, debounce_seconds=0.2)
