"""Publishers that break the protocol, each in one way that the exploration must find."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from sqlalchemy import delete

from publisher.daemon.assembly import Deployment, parts_of
from publisher.daemon.engine import Engine
from publisher.publishing.drafting import Drafter
from publisher.publishing.jobs import Draft
from publisher.publishing.preparation import Preparation
from publisher.publishing.publisher import Publisher
from publisher.publishing.recheck import Recheck
from publisher.settling.cones import Cone
from publisher.state.protocol import State, Transaction
from publisher.state.records import Claim, RelationRecord, VersionRecord
from publisher.state.sql.tables import VERSION
from publisher.state.sql.transaction import SqlTransaction
from publisher.state.sql.versions import SqlVersionLedger
from publisher.state.sql.work import SqlWorkQueue

T = TypeVar("T")


class _UploadsFirst(Publisher):
    def _reserve_all(self, drafts: Sequence[Draft]) -> Sequence[Draft]:
        for draft in drafts:
            self._reconciler.deliver(draft.version, draft.wheel)
        return super()._reserve_all(drafts)


class _IgnoresReadings(Publisher):
    """Does not notice a second reading of the relation, which also shows a lost claim."""

    def _reserve(self, tx: Transaction, draft: Draft, cone: Cone, record: RelationRecord) -> bool:
        as_read = replace(record, read_at=draft.job.read_at)
        return super()._reserve(tx, draft, cone, as_read)


def upload_before_reserve(deployment: Deployment) -> Engine:
    """Uploads a number to the index before the state knows its owner."""
    return _engine_with(deployment, _UploadsFirst)


def _engine_with(deployment: Deployment, publisher: type[Publisher]) -> Engine:
    parts, packaging = parts_of(deployment), deployment.packaging
    built = publisher(
        parts.runtime,
        deployment.index,
        packaging,
        Preparation(
            parts.runtime,
            Drafter(packaging, deployment.versioning),
            Recheck(parts.runtime, parts.reader),
        ),
    )
    return Engine(replace(parts, publisher=built))


class _TakingLedger(SqlVersionLedger):
    """Takes the number, even if it is reserved."""

    def reserve(
        self, version: VersionRecord, wheel: bytes, after: int | None, provenance: str = ""
    ) -> bool:
        taken = VERSION.c.number == version.number
        self._connection.execute(
            delete(VERSION).where(VERSION.c.distribution == version.distribution, taken)
        )
        newest = self._newest(version.distribution)
        return super().reserve(version, wheel, newest, provenance)

    def _newest(self, distribution: str) -> int | None:
        history = self.history([distribution])[distribution]
        return max((v.sequence for v in history), default=None)


class _UnfencedQueue(SqlWorkQueue):
    def holds(self, claim: Claim) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class _TamperedState:
    inner: State
    tamper: Callable[[SqlTransaction], None]

    def write(self, action: Callable[[Transaction], T]) -> T:
        return self.inner.write(lambda tx: action(self._tampered(tx)))

    def read(self, action: Callable[[Transaction], T]) -> T:
        return self.inner.read(action)

    def close(self) -> None:
        self.inner.close()

    def _tampered(self, tx: Transaction) -> Transaction:
        assert isinstance(tx, SqlTransaction)
        self.tamper(tx)
        return tx


def _take_numbers(tx: SqlTransaction) -> None:
    assert isinstance(tx.versions, SqlVersionLedger)
    tx.versions = _TakingLedger(tx.versions._connection)


def _ignore_fences(tx: SqlTransaction) -> None:
    assert isinstance(tx.work, SqlWorkQueue)
    tx.work = _UnfencedQueue(tx.work._connection)


def without_compare_and_set(deployment: Deployment) -> Engine:
    """Reserves without looking at other reservations or a lost claim."""

    def tamper(tx: SqlTransaction) -> None:
        _take_numbers(tx)
        _ignore_fences(tx)

    return _engine_on(deployment, tamper)


def without_fence(deployment: Deployment) -> Engine:
    """Reserves and ends work even if the claim was lost."""
    return _engine_on(deployment, _ignore_fences)


def _engine_on(deployment: Deployment, tamper: Callable[[SqlTransaction], None]) -> Engine:
    state = _TamperedState(deployment.runtime.state, tamper)
    runtime = replace(deployment.runtime, state=state)
    return _engine_with(replace(deployment, runtime=runtime), _IgnoresReadings)
