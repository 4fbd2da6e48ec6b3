"""Engines in a simulated world: a method for each possible event, and the judgement."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from math import inf
from pathlib import Path
from tempfile import mkdtemp

from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.model.outcome import Status
from publisher.daemon.assembly import Deployment, parts_of
from publisher.daemon.engine import Engine
from publisher.daemon.threads import Daemon, Schedule
from publisher.events.catalog_events import of_catalog
from publisher.events.protocol import Batch, DeadLetter, RelationHint, SourceUnavailable
from publisher.policy import NO_LIMIT, Policy
from publisher.runtime import Runtime
from publisher.selection import EVERYTHING, Selection
from publisher.settling.comparison import SnapshotBusy
from publisher.state.protocol import State
from publisher.state.sqlite import SqliteState
from tests.simulation.event_log import Entry, EventLog, LogSource
from tests.simulation.judge import (
    Excuses,
    Outcome,
    Violation,
    judge_end,
    judge_history,
)
from tests.simulation.lake import build_lake, unnamed
from tests.simulation.memory import Database, MemoryState
from tests.simulation.stage import Stage
from tests.simulation.toy import ToyDeriver, ToyPackaging
from tests.simulation.unexpected import UNEXPECTED
from tests.simulation.world import FakeClock, FakeIndex, StagedState

POLICY = Policy(
    debounce_seconds=0.0,
    max_wait_seconds=1.0,
    staleness_seconds=1.0,
    max_lag_seconds=1.0,
    drop_grace_seconds=0.5,
    lease_seconds=5.0,
    batch_size=4,
    uploads_at_once=1,
    retry_seconds=0.05,
    max_retry_seconds=0.4,
    max_versions_per_hour=1_000_000,
    deletion_limit=NO_LIMIT,
)

LAG_SECONDS = 0.8

IN_PUBLICATION = frozenset({"index page", "index download", "index upload", "index answer"})
"""Points during a publication."""


@lru_cache(maxsize=1)
def _fresh_database() -> Path:
    path = Path(mkdtemp()) / "state.db"
    SqliteState(path, synchronous="OFF").close()
    return path


def assemble(deployment: Deployment) -> Engine:
    """The complete engine; a mutant's function replaces one part."""
    return Engine(parts_of(deployment))


@dataclass(frozen=True, slots=True)
class Event:
    relation: RelationName
    event_id: int


@dataclass
class Simulation:
    """One or two processes in a world that ``seed`` determines: replicas' lag and index failures.

    Attributes:
        folder: the folder of the state's file; None for a state in memory, which is faster.
        others: the names of all catalogs but the default one.
        processes: each has its own state and engine, and names its actors: "one" works, "receive
            one" polls the log, "snapshot one" compares.
        lost: whether only a snapshot can find some change.
        index_lost, reads_go_back: as in ``judge.Excuses``.
    """

    folder: Path | None
    seed: int = 0
    lag_seconds: float = LAG_SECONDS
    trouble: float = 0.0
    policy: Policy = POLICY
    assemble: Callable[[Deployment], Engine] = assemble
    undelivered: list[Event] = field(default_factory=list)
    lost: bool = False
    index_lost: bool = False
    reads_go_back: bool = False
    naming_rule: str = ""
    build_options_key: str = ""
    refused: frozenset[RelationName] = frozenset()
    runtime: str = ""
    checks: str = ""
    selection: Selection = EVERYTHING
    others: tuple[str, ...] = ()
    processes: int = 1
    faults: int = 0

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.clock = FakeClock()
        self.stage = Stage()
        self.stage.on_point = lambda: self.clock.sleep(0.002)
        self.lake = build_lake(self.others, self.clock, self.stage, self.chance, self.lag_seconds)
        self.catalog = self.lake.parts[""]
        self.index = FakeIndex(
            self.stage,
            self.chance,
            overwrites=self.chance.random() < 0.3,
            tolerant=self.chance.random() < 0.5,
            shows_sha=self.chance.random() < 0.7,
            trouble=self.trouble,
        )
        self.logs = {name: EventLog() for name in self.lake.parts}
        self.log = self.logs[""]
        UNEXPECTED.errors.clear()
        self._database = Database() if self.folder is None else None
        if self.folder is not None:
            shutil.copy(_fresh_database(), self.folder / "state.db")
        self._boot()

    def _boot(self) -> None:
        self._inner = self._open()
        self.state = StagedState(self._inner, self.stage)
        self.engine = self.assemble(self.deployment())
        self._second = self._boot_second() if self.processes == 2 else None

    def _boot_second(self) -> Engine:
        self._second_inner = self._open()
        second = StagedState(self._second_inner, self.stage)
        deployment = self.deployment()
        runtime = replace(deployment.runtime, state=second)
        return self.assemble(replace(deployment, runtime=runtime))

    def _open(self) -> State:
        if self._database is not None:
            return MemoryState(self._database)
        assert self.folder is not None
        return SqliteState(self.folder / "state.db", synchronous="OFF")

    def deployment(self) -> Deployment:
        return Deployment(
            runtime=Runtime(self.state, self.clock, self.policy),
            catalog=self.lake.as_one(),
            index=self.index,
            deriver=ToyDeriver(),
            packaging=ToyPackaging(
                self.naming_rule,
                self.build_options_key,
                self.refused,
                self.runtime,
                self.checks,
            ),
            selection=self.selection,
        )

    # DDL

    def change(self, relation: Relation) -> None:
        self._tell(relation.name, self.lake.change(relation))

    def drop(self, name: RelationName) -> None:
        if self.lake.exists(name):
            self._tell(name, self.lake.drop(name))

    def rename(self, old: RelationName, new: RelationName) -> None:
        if self.lake.exists(old) and not self.lake.exists(new):
            event_id = self.lake.rename(old, new)
            self._tell(old, event_id)
            self._tell(new, event_id)

    def _tell(self, name: RelationName, event_id: int) -> None:
        self.undelivered.append(Event(name, event_id))

    # Events

    def deliver(self, position: int, *, keep: bool = False, with_id: bool = True) -> None:
        event = self._take_event(position, keep=keep)
        if event is not None:
            self.deliver_event(event, with_id=with_id)

    def deliver_event(self, event: Event, *, with_id: bool = True) -> None:
        hint = RelationHint(event.relation, event.event_id if with_id else None)
        self.engine.receive("source", Batch([hint], [], str(event.event_id), seen=1))

    def send(
        self, position: int, as_entry: Callable[[Event], Entry], *, keep: bool = False
    ) -> None:
        """An event reaches its catalog's log, which processes poll, in any form."""
        event = self._take_event(position, keep=keep)
        if event is not None:
            own = replace(event, relation=unnamed(event.relation))
            self.logs[event.relation.catalog].entries.append(as_entry(own))

    def _take_event(self, position: int, *, keep: bool) -> Event | None:
        if not self.undelivered:
            return None
        place = position % len(self.undelivered)
        return self.undelivered[place] if keep else self.undelivered.pop(place)

    def forget_undelivered(self, catalog: str) -> None:
        self.undelivered = [e for e in self.undelivered if e.relation.catalog != catalog]

    def lose(self, position: int) -> None:
        if self._take_event(position, keep=False) is not None:
            self.lost = True

    # Turns

    def engine_of(self, process: str) -> Engine:
        return self._second if process == "two" and self._second is not None else self.engine

    def step(self, worker: str, points: int = 1) -> None:
        self._advance(worker, lambda: self.engine_of(worker).work(), points)

    def step_receiver(self, process: str, points: int = 1) -> None:
        self._advance(f"receive {process}", partial(self._receive, process), points)

    def step_snapshot(self, process: str, points: int = 1) -> None:
        self._advance(f"snapshot {process}", partial(self._compare, process), points)

    def _advance(self, actor: str, play: Callable[[], object], points: int) -> None:
        if not self.stage.is_busy(actor):
            self.stage.start(actor, play)
        self.stage.step(actor, points)

    def _receive(self, process: str) -> bool:
        """Polls each log as a daemon's thread does; False if there was nothing new."""
        engine, is_new = self.engine_of(process), False
        for catalog, log in self.logs.items():
            source = of_catalog(LogSource(log), catalog)
            batch = source.poll(engine.position(source.name), 0.0)
            if batch is not None:
                is_new = True
                with suppress(SourceUnavailable, CatalogUnavailable, SnapshotBusy):
                    self._daemon(process)._store_batch(source, batch)
        return is_new

    def _compare(self, process: str) -> None:
        with suppress(SnapshotBusy, CatalogUnavailable):
            self._daemon(process)._run_snapshot()

    def _daemon(self, process: str) -> Daemon:
        engine = self.engine_of(process)
        return Daemon(engine, [], engine.compare_catalog, Schedule())

    def snapshot(self) -> None:
        self.engine.snapshot()

    # Faults

    def crash(self) -> None:
        """Kills every process and starts them again."""
        self._kill(self.stage.busy())
        self._reopen()

    def kill(self, process: str) -> None:
        """Kills one of two processes and starts it again, while the other continues."""
        self._kill([actor for actor in self.stage.busy() if actor.split(" ")[-1] == process])
        if process == "two" and self.processes == 2:
            self._second_inner.close()
            self._second = self._boot_second()
        else:
            self._inner.close()
            self._inner = self._open()
            self.state = StagedState(self._inner, self.stage)
            self.engine = self.assemble(self.deployment())

    def _kill(self, actors: Sequence[str]) -> None:
        self.faults += any(self.stage.at(actor) in IN_PUBLICATION for actor in actors)
        self.stage.kill(actors)
        self.lake.disconnect(actors)

    def _reopen(self) -> None:
        self._inner.close()
        if self._second is not None:
            self._second_inner.close()
        self._boot()

    def copy_state(self) -> bytes:
        assert self._database is not None
        return self._database.copy()

    def restore_state(self, copy: bytes | None) -> None:
        """Restarts all processes on an earlier state, or on an empty one if ``copy`` is None."""
        assert self._database is not None
        self._kill(self.stage.busy())
        self._database.restore(copy)
        self.index.orphans = len(self.index.in_flight)
        self._reopen()
        self.lost = True

    def land(self) -> None:
        """Stores the oldest upload that timed out."""
        if self.index.land():
            self.lost = self.index_lost = True

    # The end

    def settle(self) -> None:
        """Delivers all events that were not lost, and lets the engines finish all work."""
        for actor in self.stage.busy():
            self.stage.finish(actor)
        with self.healed():
            while self.undelivered:
                self.deliver(0)
            self.receive_all()
            self._drain()
            if self.needs_snapshot():
                self.take_whole_snapshot()

    def receive_all(self, at_most: float = inf) -> None:
        """Polls the logs until nothing is new, or this often."""
        polls = 0
        while polls < at_most and self._receive("one"):
            polls += 1

    def needs_snapshot(self) -> bool:
        """Whether events alone do not lead to the catalogs' present state."""
        return self.lost or self.engine.snapshot_is_due() or self._has_quarantined()

    @contextmanager
    def healed(self, but: str | None = None) -> Iterator[None]:
        """The index and the catalogs work without faults, except the catalog ``but``."""
        index = self.index
        before = index.down, index.trouble, index.unstored, index.late
        index.down, index.trouble, index.unstored, index.late = False, 0.0, 0.0, 0.0
        while index.in_flight:
            self.land()
        with self.lake.healed(but):
            yield
        index.down, index.trouble, index.unstored, index.late = before

    def take_whole_snapshot(self) -> None:
        self.clock.sleep(self.lag_seconds * 2 + self.policy.snapshot_lease_seconds)
        self.snapshot()
        self._drain()

    def _has_quarantined(self) -> bool:
        """Whether crashes put relations in quarantine, until a snapshot retries them."""
        records = self._inner.read(lambda tx: tx.graph.every_record())
        return any(record.status is Status.QUARANTINED for record in records.values())

    def _drain(self) -> None:
        # Work that failed often for its own cause, such as a refused namespace, waits for hours.
        if not any(map(self.engine.drain, (600.0, self.policy.max_backoff_seconds))):
            outstanding = self.engine.status().work
            raise Violation(f"work does not end: {outstanding}")

    def close(self) -> None:
        self.stage.crash()
        self._inner.close()
        if self._second is not None:
            self._second_inner.close()
        if self._database is not None:
            self._database.close()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    # Judgement

    def judge(self) -> None:
        """Judges the end, after all faults have stopped."""
        with self.healed():
            self.settle()
            if UNEXPECTED.errors:
                raise Violation(f"an exception cost a relation its turn: {UNEXPECTED.errors[0]!r}")
            self.judge_history()
            self._judge_end()
            before = len(self.index.history)
            self.take_whole_snapshot()
            if len(self.index.history) != before:
                raise Violation("a snapshot of an unchanged catalog published something")

    def check(self) -> None:
        """Lets all work settle during a history: the current states must then be published."""
        self.settle()
        self._judge_end()

    def judge_history(self) -> None:
        judge_history(self.lake.states, self.index, Excuses(self.index_lost, self.reads_go_back))

    def _judge_end(self) -> None:
        judge_end(self.lake.states[-1], self.index, self.outcome())

    def outcome(self) -> Outcome:
        records, versions = self._inner.read(
            lambda tx: (tx.graph.every_record(), tx.versions.every_version())
        )
        return Outcome(records, versions, self.selection)


def dead_letter(event: Event) -> DeadLetter:
    return DeadLetter(b"?", "cannot be decoded", event.relation.place)


def dead_letter_of_unknown_namespace(_event: Event) -> DeadLetter:
    return DeadLetter(b"?", "cannot be decoded")


def quiet(policy: Policy) -> Policy:
    return replace(policy, debounce_seconds=0.2)
