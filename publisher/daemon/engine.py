"""The engine: one method for each step, such as receiving hints, working and comparing the catalog.

A hint only names a relation; the relation's state comes from the catalog. Every step can be
repeated, interrupted at any point and run by several workers at once.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf

from lakeschema.catalog.catalogs import parts_of
from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Catalog
from lakeschema.translation.model.outcome import Status
from publisher.daemon.canary import Contents
from publisher.daemon.concluding import Concluding
from publisher.daemon.inspection import (
    EngineStatus,
    engine_status,
)
from publisher.daemon.receiving import Receiving
from publisher.events.protocol import Batch
from publisher.index.protocol import PackageIndexError
from publisher.outages import CATALOG, INDEX, catalog_service
from publisher.policy import NO_LIMIT
from publisher.publishing.index_comparison import IndexComparison, IndexReport
from publisher.publishing.packaging_protocol import Packaging
from publisher.publishing.publisher import Publisher
from publisher.runtime import Runtime
from publisher.settling.changed_settings import SettingsNotes, derive_again
from publisher.settling.claims import Deferred, end_claim, end_claims, fail, is_work_due, isolate
from publisher.settling.comparison import (
    REFUSED,
    SNAPSHOT_BEGUN,
    SNAPSHOT_DUE,
    CatalogComparison,
    Comparer,
    SnapshotReport,
)
from publisher.settling.deletions import BRAKE, RELEASED
from publisher.settling.findings import (
    CatalogReader,
    Crashed,
    Finding,
    Investigator,
    Reading,
    outcome_of,
    read_claimed,
)
from publisher.settling.namespace_events import demand_namespace_events
from publisher.settling.settling import Settling
from publisher.settling.status_changes import StatusChange, log_status_changes, record_broken
from publisher.settling.uncovered import NO_ANSWER
from publisher.spans import DERIVE, READ
from publisher.state.protocol import Transaction
from publisher.state.records import Cause, Claim, Urgency, WorkRequest

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Parts:
    runtime: Runtime
    catalog: Catalog
    reader: CatalogReader
    investigator: Investigator
    settling: Settling
    settings: SettingsNotes
    publisher: Publisher
    comparison: CatalogComparison
    index_comparison: IndexComparison
    packaging: Packaging
    contents: Contents


class Engine:
    """The steps of the service. Safe for threads.

    The daemon's threads call ``work`` and sleep in ``wait_for_work``. Tests, one-off snapshots and
    benchmarks call ``drain``.
    """

    def __init__(self, parts: Parts) -> None:
        self.counters = parts.runtime.counters
        self.runtime = parts.runtime
        self._state = parts.runtime.state
        self._clock = parts.runtime.clock
        self._policy = parts.runtime.policy
        self.catalog = parts.catalog
        self._reader = parts.reader
        self._investigator = parts.investigator
        self._settling = parts.settling
        self._settings = parts.settings
        self._publisher = parts.publisher
        self._comparison = parts.comparison
        self._index_comparison = parts.index_comparison
        self._packaging = parts.packaging
        self._wakeup = threading.Condition()
        self._wakeups = 0
        self._receiving = Receiving(parts.runtime, parts.catalog)
        self._concluding = Concluding(
            parts.runtime,
            parts.settling,
            parts.publisher,
            parts.contents,
            self._wake_one,
        )

    def position(self, source: str) -> str | None:
        return self._state.read(lambda tx: tx.journal.position(source))

    def receive(self, source: str, batch: Batch) -> None:
        """Stores hints, dead letters and the position in one transaction; the caller acknowledges the batch.

        Raises:
            CatalogUnavailable: nothing was stored.
        """
        self._receiving.receive(source, batch)
        if batch.hints or batch.dead_letters:
            self._wake_one()

    def resync(self, names: Iterable[RelationName]) -> None:
        """Requests that relations are read and derived now; retries packages that the generator refused."""
        now = self._clock.now()
        requests = [WorkRequest(name, now) for name in names]
        names = [request.relation for request in requests]

        def write(tx: Transaction) -> None:
            tx.work.reset_failures(names)
            _retry_unfit(tx, names)
            tx.work.request(requests)

        self._state.write(write)
        self.wake()

    def republish(
        self, names: Iterable[RelationName] = (), *, whatever_generator: bool = False
    ) -> Sequence[RelationName]:
        """Requests new versions of unchanged packages; returns the relations concerned.

        With ``names``: the named relations that have a package, or that could not be packaged. Without
        names: every package of an earlier generator, to deliver fixes of generated code. With
        ``whatever_generator``: all packages.
        """
        wanted = frozenset(names)
        generator = self._packaging.build_keys.generator
        now = self._clock.now()

        def request(tx: Transaction) -> Sequence[RelationName]:
            newest = {version.relation: version for version in tx.versions.every_version()}
            records = tx.graph.records(wanted) if wanted else tx.graph.every_record()
            requested = [
                record
                for name, record in sorted(records.items())
                if record.status is Status.OK
                and record.published_hash is not None
                and name in newest
                and (name in wanted or whatever_generator or newest[name].runtime != generator)
            ]
            for record in requested:
                sequence = newest[record.name].sequence
                tx.graph.write(replace(record, republish_after=sequence))
            refused = _retry_unfit(tx, wanted)
            names = sorted({*refused, *(record.name for record in requested)})
            tx.work.request(WorkRequest(name, now, Urgency.SNAPSHOT) for name in names)
            return names

        requested = self._state.write(request)
        self.wake()
        return requested

    def work(self) -> int:
        """Processes a batch of due relations; returns the number of claims.

        A transient failure defers the work and is counted, but not raised.
        """
        claims = self.claim()
        if not claims:
            return 0
        exhausted = [c for c in claims if c.attempts > self._policy.max_attempts]
        isolate(exhausted, self._quarantine_all, lambda c, e: self._end_crashed(c, str(e)))
        allowed = [c for c in claims if c.attempts <= self._policy.max_attempts]
        if allowed:
            self._process(allowed)
        self._note_progress(claims)
        return len(claims)

    def _note_progress(self, claims: Sequence[Claim]) -> None:
        retried = self._state.read(lambda tx: tx.work.retried(claims))
        self.runtime.progress.note(len(claims), retried)
        for claim in claims:
            if claim.relation not in retried:
                self.runtime.latency.forget(claim.relation, claim.claimed_at)
                self.runtime.traces.end(claim.relation, "")

    def claim(self) -> Sequence[Claim]:
        now = self._clock.now()
        due = self._state.read(lambda tx: tx.work.due_at())
        if due is None or due > now:
            return ()
        policy = self._policy

        def write(tx: Transaction) -> tuple[Sequence[Claim], bool]:
            claims = tx.work.claim(now, policy.lease_seconds, policy.batch_size)
            if claims:
                self._settings.begin_work(tx)
            return demand_namespace_events(tx, claims, now, policy), is_work_due(tx, now)

        claims, is_more_due = self._state.write(write)
        if is_more_due:
            self._wake_one()
        return claims

    def _process(self, claims: Sequence[Claim]) -> None:
        records = self._state.read(lambda tx: tx.graph.records(c.relation for c in claims))
        try:
            with self.runtime.traces.stage(READ, [claim.relation for claim in claims]):
                read = read_claimed(self._reader, claims, records, self.runtime)
        except CatalogUnavailable as error:
            end_claims(self.runtime, claims, Deferred(str(error)))
            self.counters.add("put_off", len(claims))
            return
        for claim, failure in read.failed:
            fail(self.runtime, claim, failure)
        if read.stale:
            self.counters.add("stale_readings", len(read.stale))
            waits = Deferred("waits for the catalog to show a newer event")
            end_claims(self.runtime, read.stale, waits)
        if unanswered := len(read.failed) + len(read.stale):
            # Dashboards use this metric name.
            self.counters.add("put_off", unanswered)
        found: list[Finding | Crashed] = []
        isolate(
            read.fresh,
            lambda readings: found.extend(self._investigate(readings)),
            lambda reading, error: fail(self.runtime, reading.claim, error),
        )
        for crashed in found:
            if isinstance(crashed, Crashed):
                self._record_crash(crashed)
        isolate(
            [finding for finding in found if isinstance(finding, Finding)],
            self.conclude,
            lambda finding, error: fail(self.runtime, finding.reading.claim, error),
        )

    def _investigate(self, readings: Sequence[Reading]) -> Sequence[Finding | Crashed]:
        with self.runtime.traces.stage(DERIVE, [reading.name for reading in readings]) as stage:
            found = self._investigator.investigate(readings)
            if self.runtime.traces.are_on:
                for each in found:
                    stage.note(*outcome_of(each))
        return found

    def conclude(self, findings: Sequence[Finding]) -> None:
        """Settles findings in one transaction, and publishes or yanks the resulting differences."""
        self._concluding.conclude(findings)

    def _quarantine_all(self, claims: Sequence[Claim]) -> None:
        for claim in claims:
            self._quarantine(claim)

    def _quarantine(self, claim: Claim) -> None:
        now = self._clock.now()
        reservations = self._publisher.open_reservations([claim.relation])
        if not self._publisher.finish([*reservations.values()]):
            self._end_crashed(claim, _crashed(claim))
            return

        def quarantine(tx: Transaction) -> Sequence[StatusChange]:
            settlement = self._settling.quarantine(tx, claim, _crashed(claim), now)
            if settlement.ending is not None:
                end_claim(tx, claim, settlement.ending, self.runtime)
            record_broken(tx, settlement.changes, self.runtime.notices, now)
            return settlement.changes

        log_status_changes(self._state.write(quarantine))
        self.counters.add("quarantined")

    def _end_crashed(self, claim: Claim, reason: str) -> None:
        end_claims(self.runtime, [claim], Deferred(reason, Cause.CRASH))

    def _record_crash(self, crashed: Crashed) -> None:
        self._end_crashed(crashed.claim, crashed.reason)
        self.counters.add("derivations_died")
        log.error(
            "derivation died",
            extra={"relation": str(crashed.claim.relation), "why": crashed.reason},
        )

    # Waiting

    def wake(self) -> None:
        """Wakes all sleeping workers, because there may be work."""
        with self._wakeup:
            self._wakeups += 1
            self._wakeup.notify_all()

    def _wake_one(self) -> None:
        """Wakes one sleeping worker, which wakes the next if it leaves due work.

        If all workers woke at once, they would compete for the state's lock, mostly without getting work.
        """
        with self._wakeup:
            self._wakeups += 1
            self._wakeup.notify()

    def wait_for_work(self, at_most_seconds: float) -> None:
        """Sleeps until woken, until work is due, or until the time has passed."""
        with self._wakeup:
            seen = self._wakeups
        due = self._state.read(lambda tx: tx.work.due_at())
        seconds = at_most_seconds
        if due is not None:
            seconds = min(seconds, due - self._clock.now())
        if seconds <= 0:
            return
        with self._wakeup:
            self._wakeup.wait_for(lambda: self._wakeups != seen, timeout=seconds)

    def drain(self, timeout_seconds: float = 3600.0) -> bool:
        """Works until nothing is outstanding, and sleeps while all work is deferred. False on timeout."""
        deadline = self._clock.now() + timeout_seconds
        while True:
            if self.work():
                continue
            due = self._state.read(lambda tx: tx.work.due_at())
            if due is None:
                return True
            now = self._clock.now()
            if now >= deadline:
                return False
            self._clock.sleep(min(max(due - now, 0.001), deadline - now))

    def snapshot(self, comparer: Comparer | None = None) -> SnapshotReport:
        report = self.compare_catalog(comparer)
        self.compare_index()
        return report

    def compare_catalog(self, comparer: Comparer | None = None) -> SnapshotReport:
        """Compares the catalog with the state and enqueues the differences for ``drain`` or the workers."""
        report = self._comparison.run(comparer)
        horizon = self._clock.now() - self._policy.memo_seconds
        self._state.write(lambda tx: tx.memo.forget_before(horizon))
        self._state.write(lambda tx: tx.memo.keep_newest(self._policy.max_memo_entries))
        self.wake()
        return report

    def compare_index(self) -> bool:
        """Enqueues packages whose files on the index differ from the state.

        It may take half an hour, because it requests only a few pages a second from a server.

        Returns:
            False if a page or the catalog could not be read: a later comparison may find more.
        """
        limit = self._policy.deletion_limit
        adoption = limit if self._policy.discovers_packages else None
        try:
            report = self._index_comparison.run(
                limit, adoption, self._policy.index_bytes_per_snapshot
            )
            is_whole = not report.failed
        except (CatalogUnavailable, PackageIndexError) as error:
            is_logged = self.runtime.outages.fails(CATALOG, INDEX)
            level = logging.INFO if is_logged else logging.WARNING
            log.log(level, "index not compared", extra={"why": str(error)})
            is_whole = False
        self.wake()
        return is_whole

    def refill(self) -> IndexReport:
        """Requests new uploads of all versions that the index lacks, without a limit.

        Reads all wheels of a folder to repair damaged wheels. Tries again to package relations that were
        refused.
        """
        now = self._clock.now()

        def retry(tx: Transaction) -> None:
            unfit = _retry_unfit(tx, tx.graph.every_record())
            tx.work.request(WorkRequest(name, now, Urgency.SNAPSHOT) for name in unfit)

        self._state.write(retry)
        return self._end_comparison(self._index_comparison.run(NO_LIMIT, None, inf))

    def adopt(self) -> IndexReport:
        """Adopts every package under our prefix that the state does not know.

        Packages of relations that do not exist are yanked as dropped.

        Raises:
            CatalogUnavailable, PackageIndexError: nothing was adopted.
        """
        limit = self._policy.deletion_limit
        max_bytes = self._policy.index_bytes_per_snapshot
        return self._end_comparison(self._index_comparison.run(limit, NO_LIMIT, max_bytes))

    def _end_comparison(self, report: IndexReport) -> IndexReport:
        self.wake()
        return report

    def snapshot_is_due(self) -> bool:
        """Whether a snapshot was requested or begun, and no snapshot has succeeded since."""
        return bool(self._state.read(lambda tx: tx.journal.note(SNAPSHOT_DUE)))

    def snapshot_waits(self) -> bool:
        """Whether the due snapshot is for catalogs that did not answer, and none of them answers yet."""
        notes = self._state.read(lambda tx: tx.journal.notes("@"))
        if not notes.get(SNAPSHOT_DUE, "").startswith(NO_ANSWER):
            return False
        missed = [n for n in parts_of(self.catalog) if notes.get(f"{REFUSED}{Namespace((), n)}")]
        return all(self.runtime.outages.fails(catalog_service(name)) for name in missed)

    def snapshot_was_interrupted(self) -> bool:
        """Whether a snapshot was begun and has not succeeded."""
        return self._state.read(lambda tx: tx.journal.note(SNAPSHOT_DUE)) == SNAPSHOT_BEGUN

    def snapshot_is_running(self) -> bool:
        """Whether a process runs a snapshot. A killed snapshot counts until its lease ends."""
        return self._comparison.is_running()

    def seconds_since_snapshot(self) -> float | None:
        """Seconds since the last complete snapshot of any process ended; None without one."""
        return self._comparison.seconds_since_last()

    def last_snapshot_seconds(self) -> float | None:
        """The duration of the last complete snapshot of any process; None if unknown."""
        return self._comparison.last_seconds()

    def confirm_deletions(self, namespace: Namespace | None = None) -> None:
        """Allows the next snapshot to apply the held deletions of a namespace; None means all.

        Deletions that are not applied within ``release_seconds`` after that snapshot are held again.
        """
        brake = BRAKE if namespace is None else f"{BRAKE}{namespace}"
        self._state.write(lambda tx: tx.journal.write_note(brake, RELEASED))

    def confirm_changes(self) -> str:
        """Allows the next snapshot to apply the held changes; returns the reason for the hold, or ""."""
        return self._comparison.mass_change.release()

    def status(self) -> EngineStatus:
        return self._state.read(lambda tx: engine_status(tx, self.counters.values()))


def _retry_unfit(tx: Transaction, names: Iterable[RelationName]) -> Sequence[RelationName]:
    """Allows another attempt for the named relations that the generator refused; returns them."""
    unfit = [record for record in tx.graph.records(names).values() if record.is_unfit]
    derive_again(tx, unfit)
    return [record.name for record in unfit]


def _crashed(claim: Claim) -> str:
    return (
        f"its derivation crashed {claim.attempts - 1} times; the next snapshot, or a change "
        "of the relation, retries it"
    )
