"""Two workers publish one table that changes back and forth: the smallest world with all faults.

The engine is the real one. The exploration chooses the next step: the turn of a worker, a change of
the table, a crash of a worker, a lost request or answer of the index, the expiry of leases. A worker
knows only the answers that it got since it began. So two states with the same world and the same
answers for each worker are equal. Fences and generations are only compared with each other: their
order counts, not their values.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import TypeVar

from codegen.package import Wheel
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Relation
from publisher.daemon.assembly import Deployment
from publisher.daemon.engine import Engine
from publisher.events.protocol import Batch, RelationHint
from publisher.index.protocol import Damage, IndexFile, IndexUnavailable
from publisher.policy import NO_LIMIT, Policy
from publisher.runtime import Runtime
from publisher.selection import EVERYTHING
from publisher.state.protocol import State, Transaction
from tests.simulation.judge import Excuses, Outcome, judge_end, judge_history
from tests.simulation.memory import Database, MemoryState
from tests.simulation.simulation import assemble
from tests.simulation.stage import Stage
from tests.simulation.toy import ToyDeriver, ToyPackaging, table
from tests.simulation.world import FakeCatalog, FakeClock, FakeIndex

T = TypeVar("T")

WORKERS = ("one", "two")
TABLE = RelationName.of("d", "t")

LEASE_SECONDS = 5.0

_WRITES_UNTIL_SETTLED = 2
"""The claim and the settlement."""

_POLICY = Policy(
    debounce_seconds=0.0,
    max_wait_seconds=0.0,
    staleness_seconds=0.0,
    lease_seconds=LEASE_SECONDS,
    batch_size=1,
    uploads_at_once=1,
    retry_seconds=0.0,
    max_retry_seconds=0.0,
    deletion_limit=NO_LIMIT,
)

_TABLES = {
    "work": "key, 'generation=' || generation, 'fence=' || fence, min_event_id, not_before,"
    " first_asked, attempts, lease_until, reread_at, urgency, failures",
    "relation": "*",
    "schema": "*",
    "version": "*",
}
"""The state, without the counter, the numbers of deferrals, and the reasons."""

_TICK = re.compile(r"(?<=fence=)\d+|(?<=generation=)\d+")
_RETRIES = re.compile(r"retries=\d+")

_EFFECTS = frozenset({"write", "index upload", "index answer"})
"""A crash matters only before these points; a crash at another point equals one at the next of these."""


@dataclass(frozen=True, slots=True)
class Scope:
    """How often each step may happen.

    Attributes:
        tables: the successive states of the table, with a letter for each column.
        published: how many of these are published undisturbed at the beginning.
        losses: how many requests to the index, or answers, may be lost.
        from_claim: whether workers also stop between claim and settlement, and not only during
            the publication that follows.
    """

    tables: tuple[str, ...] = ("a", "ab", "a")
    published: int = 0
    crashes: int = 1
    losses: int = 1
    expiries: int = 1
    from_claim: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """``what``: step, crash, lose request, lose answer, change, expire."""

    what: str
    worker: str = ""


class _Clock(FakeClock):
    """Sleep takes no time, so that states do not differ only by time."""

    def sleep(self, seconds: float) -> None: ...

    def expire(self) -> None:
        super().sleep(LEASE_SECONDS + 1.0)


class _Stage(Stage):
    """Nobody stops after a write: a stop at the next point has the same effect."""

    def __init__(self, *, from_claim: bool) -> None:
        super().__init__()
        self._from_claim = from_claim
        self._writes: Counter[str] = Counter()

    def start(self, name: str, play: Callable[[], object]) -> None:
        self._writes[name] = 0
        super().start(name, play)

    def point(self, label: str) -> None:
        if label == "written":
            self._writes[self.actor()] += 1
        elif self._from_claim or self._writes[self.actor()] >= _WRITES_UNTIL_SETTLED:
            super().point(label)


@dataclass
class _Knowledge:
    """The answers that each worker got since its turn began."""

    stage: Stage
    answers: dict[str, str] = field(default_factory=dict)

    def note(self, answer: object) -> None:
        actor = self.stage.actor()
        self.answers[actor] = f"{self.answers.get(actor, '')}{_RETRIES.sub('', repr(answer))}\n"

    def ask(self, call: Callable[[], T]) -> T:
        try:
            answer = call()
        except Exception as error:
            self.note(error)
            raise
        self.note(answer)
        return answer


@dataclass(frozen=True, slots=True)
class _State:
    inner: State
    stage: Stage
    knowledge: _Knowledge

    def write(self, action: Callable[[Transaction], T]) -> T:
        self.stage.point("write")
        answer = self.knowledge.ask(lambda: self.inner.write(action))
        self.stage.point("written")
        return answer

    def read(self, action: Callable[[Transaction], T]) -> T:
        self.stage.point("read")
        return self.knowledge.ask(lambda: self.inner.read(action))

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Catalog:
    inner: FakeCatalog
    knowledge: _Knowledge

    def namespaces(self) -> Sequence[Namespace]:
        return self.knowledge.ask(self.inner.namespaces)

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
        return self.knowledge.ask(lambda: self.inner.relations(namespace))

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        return self.knowledge.ask(lambda: self.inner.read(names))

    def current_event_id(self) -> int | None:
        return self.knowledge.ask(self.inner.current_event_id)


@dataclass
class _Index:
    """``fails_next``: the failure of a worker's next request."""

    inner: FakeIndex
    knowledge: _Knowledge
    fails_next: str = ""

    def projects(self) -> Sequence[str]:
        return self.knowledge.ask(self.inner.projects)

    def files(self, distribution: str) -> Sequence[IndexFile]:
        return self.knowledge.ask(lambda: self.inner.files(distribution))

    def fetch(self, file: IndexFile) -> bytes:
        return self.knowledge.ask(lambda: self.inner.fetch(file))

    def provenance(self, file: IndexFile) -> bytes | None:
        return self.knowledge.ask(lambda: self.inner.provenance(file))

    def yank(self, file: IndexFile, reason: str | None) -> bool:
        return self.knowledge.ask(lambda: self.inner.yank(file, reason))

    def damages(
        self, distribution: str, published: Mapping[str, str], may_read: Callable[[int], bool]
    ) -> Sequence[Damage]:
        return ()

    def mend(
        self, distribution: str, published: Mapping[str, str], wheels: Sequence[Wheel]
    ) -> None:
        raise AssertionError(distribution)

    def upload(self, wheel: Wheel) -> None:
        self.knowledge.ask(lambda: self._upload(wheel))

    def _upload(self, wheel: Wheel) -> None:
        self.inner.stage.point("index upload")
        failure, self.fails_next = self.fails_next, ""
        if failure != "lose request":
            self.inner._take(wheel)
        if failure:
            raise IndexUnavailable("fake", "timed out")


class SmallScope:
    """An ``exploration.System`` with the engine or a mutant."""

    def __init__(
        self, scope: Scope = Scope(), assemble: Callable[[Deployment], Engine] = assemble
    ) -> None:
        self._left = scope
        self._stage = _Stage(from_claim=scope.from_claim)
        self._clock = _Clock()
        self._database = Database()
        self._knowledge = _Knowledge(self._stage)
        self._world = FakeCatalog(self._clock, self._stage, random.Random(0))
        self._shop = FakeIndex(self._stage, random.Random(0))
        self._index = _Index(self._shop, self._knowledge)
        self._engines = {worker: assemble(self._deployment()) for worker in WORKERS}
        self._change()
        for remaining in range(scope.published, 0, -1):
            self._finish_work()
            if remaining > 1:
                self._change()

    def _deployment(self) -> Deployment:
        state = _State(MemoryState(self._database), self._stage, self._knowledge)
        return Deployment(
            runtime=Runtime(state, self._clock, _POLICY),
            catalog=_Catalog(self._world, self._knowledge),
            index=self._index,
            deriver=ToyDeriver(),
            packaging=ToyPackaging(),
        )

    # Possible steps

    def choices(self) -> Sequence[Choice]:
        return [choice for worker in WORKERS for choice in self._choices_of(worker)] + [
            Choice(what)
            for what, possible in (
                ("change", bool(self._left.tables)),
                ("expire", bool(self._left.expiries and self._stage.busy())),
            )
            if possible
        ]

    def _choices_of(self, worker: str) -> Sequence[Choice]:
        if not self._stage.is_busy(worker):
            return [Choice("step", worker)] if self._is_due() else []
        at = self._stage.at(worker)
        what = ["step"]
        if at in _EFFECTS and self._left.crashes:
            what.append("crash")
        if at == "index upload" and self._left.losses:
            what += ["lose request", "lose answer"]
        return [Choice(each, worker) for each in what]

    def _is_due(self) -> bool:
        due = MemoryState(self._database).read(lambda tx: tx.work.due_at())
        return due is not None and due <= self._clock.now()

    def take(self, choices: Sequence[Choice]) -> None:
        for choice, same in groupby(choices):
            times = len(list(same))
            if choice.what == "step":
                self._step(choice.worker, times)
            else:
                for _ in range(times):
                    self._take(choice)

    def _take(self, choice: Choice) -> None:
        left = self._left
        match choice:
            case Choice("change"):
                self._change()
            case Choice("expire"):
                self._left = replace(left, expiries=left.expiries - 1)
                self._clock.expire()
            case Choice("crash", worker):
                self._left = replace(left, crashes=left.crashes - 1)
                self._stage.kill([worker])
                self._world.disconnect([worker])
            case Choice("lose request" | "lose answer", worker):
                self._left = replace(left, losses=left.losses - 1)
                self._fail(worker, choice.what)
            case _:
                raise AssertionError(choice)

    def _change(self) -> None:
        columns, *rest = self._left.tables
        self._left = replace(self._left, tables=tuple(rest))
        event_id = self._world.change(table(TABLE, *columns))
        hint = RelationHint(TABLE, event_id)
        self._engines["one"].receive("source", Batch([hint], [], str(event_id)))

    def _fail(self, worker: str, failure: str) -> None:
        self._index.fails_next = failure
        self._step(worker)

    def _step(self, worker: str, points: int = 1) -> None:
        while points:
            if not self._stage.is_busy(worker):
                self._knowledge.answers.pop(worker, None)
                self._stage.start(worker, self._engines[worker].work)
            points = self._stage.step(worker, points)

    # Its key

    def key(self) -> Hashable:
        """The workers are alike, so exchanging them does not change the key."""
        rows = self._rows()
        busy = self._stage.busy()
        known = {worker: self._knowledge.answers.get(worker, "") for worker in busy}
        ticks = {int(tick) for text in (rows, *known.values()) for tick in _TICK.findall(text)}
        rank = {str(tick): str(place) for place, tick in enumerate(sorted(ticks))}
        ranked = partial(_TICK.sub, lambda match: rank[match[0]])
        workers = sorted((self._stage.at(worker), ranked(known[worker])) for worker in busy)
        uploads = [(wheel.filename, wheel.data) for wheel in self._shop.history]
        state = repr((self._left, workers, uploads, self._world.head, ranked(rows)))
        return hashlib.blake2b(state.encode(), digest_size=16).digest()

    def _rows(self) -> str:
        connection = self._database.connection
        return repr(
            [[*connection.execute(f"SELECT {what} FROM {t}")] for t, what in _TABLES.items()]
        )

    # The end

    def judge(self) -> None:
        judge_history(self._world.states, self._shop, Excuses())

    def judge_end(self) -> None:
        for worker in self._stage.busy():
            self._stage.finish(worker)
        while True:
            self._finish_work()
            if not MemoryState(self._database).read(lambda tx: tx.work.outstanding()):
                break
            self._clock.expire()
        self.judge()
        records, versions = MemoryState(self._database).read(
            lambda tx: (tx.graph.every_record(), tx.versions.every_version())
        )
        judge_end(self._world.states[-1], self._shop, Outcome(records, versions, EVERYTHING))

    def _finish_work(self) -> None:
        while self._engines["one"].work():
            pass

    def close(self) -> None:
        self._stage.crash()
        self._database.close()
