"""The engine's steps, one call each: receive hints, process what is due, compare everything.

Level-triggered: a hint only names what to read, and the catalog says what is there. Every step may
be repeated, interrupted at any point and run by several workers at once.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from codegen.errors import CodegenError
from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog
from lakeschema.translation.outcome import Derived, Status
from publisher.daemon.inspection import (
    EngineStatus,
    engine_status,
)
from publisher.events.protocol import Batch, NamespaceHint, RelationHint
from publisher.publishing.jobs import Job
from publisher.publishing.packaging_protocol import Packaging
from publisher.publishing.publisher import Publisher
from publisher.runtime import Runtime
from publisher.selection import Selection
from publisher.settling.claims import Deferred, defer, end_claim
from publisher.settling.comparison import (
    BRAKE,
    RELEASED,
    CatalogComparison,
    Comparer,
    SnapshotReport,
)
from publisher.settling.contents import Content, Packageable, Unfit, Withheld
from publisher.settling.deriving import derivation_from_text
from publisher.settling.findings import (
    CatalogReader,
    Crashed,
    Finding,
    Investigator,
    Settled,
    read_claimed,
)
from publisher.settling.settling import Settlement, Settling, Verdict
from publisher.state.protocol import Transaction
from publisher.state.records import Claim, RelationRecord, Urgency, WorkRequest

log = logging.getLogger(__name__)

SNAPSHOT_DUE = "@snapshot-due"


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of an engine, built by ``publisher.daemon.assembly.parts_of``."""

    runtime: Runtime
    catalog: Catalog
    reader: CatalogReader
    investigator: Investigator
    settling: Settling
    publisher: Publisher
    comparison: CatalogComparison
    packaging: Packaging
    selection: Selection


class Engine:
    """Safe for use by several threads.

    ``drain`` is for tests, one-off snapshots and benchmarks; the daemon has threads that call
    ``work`` and sleep in ``wait_for_work``.
    """

    def __init__(self, parts: Parts) -> None:
        self.counters = parts.runtime.counters
        self.runtime = parts.runtime
        self._state = parts.runtime.state
        self._clock = parts.runtime.clock
        self._policy = parts.runtime.policy
        self._catalog = parts.catalog
        self._reader = parts.reader
        self._investigator = parts.investigator
        self._settling = parts.settling
        self._publisher = parts.publisher
        self._comparison = parts.comparison
        self._packaging = parts.packaging
        self._selection = parts.selection
        self._wakeup = threading.Condition()
        self._wakeups = 0

    # Receiving

    def position(self, source: str) -> str | None:
        return self._state.read(lambda tx: tx.journal.position(source))

    def receive(self, source: str, batch: Batch) -> None:
        """Stores hints, dead letters and the position in one transaction; the caller acknowledges it.

        If an event of a namespace could not be decoded, all its relations are requested.

        Raises:
            CatalogUnavailable: nothing was stored.
        """
        namespaces = {letter.namespace for letter in batch.dead_letters if letter.namespace}
        listed = [name for n in sorted(namespaces) for name in self._catalog.relations(n)]
        if any(letter.namespace is None for letter in batch.dead_letters):
            self._state.write(lambda tx: tx.journal.write_note(SNAPSHOT_DUE, "undecodable event"))
        now = self._clock.now()

        def store(tx: Transaction) -> None:
            tx.work.request_when_quiet(
                self._requests(tx, batch, listed, now),
                max(0.0, self._policy.max_wait_seconds - self._policy.debounce_seconds),
            )
            tx.journal.add_dead_letters(source, batch.dead_letters, now)
            tx.journal.save_position(source, batch.position)

        self._state.write(store)
        self.counters.add("events_seen", batch.seen)
        self.counters.add("hints", len(batch.hints))
        self.counters.add("dead_letters", len(batch.dead_letters))
        if batch.hints or batch.dead_letters:
            self.wake()

    def _requests(
        self, tx: Transaction, batch: Batch, listed: Sequence[RelationName], now: float
    ) -> Iterable[WorkRequest]:
        event_ids: dict[RelationName, int | None] = {}

        def add(name: RelationName, event_id: int | None) -> None:
            known = event_ids.get(name)
            event_ids[name] = event_id if known is None else max(known, event_id or known)

        for hint in batch.hints:
            match hint:
                case RelationHint(relation, event_id):
                    add(relation, event_id)
                case NamespaceHint(namespace, event_id):
                    for name in tx.graph.in_namespace(namespace):
                        add(name, event_id)
        for letter in batch.dead_letters:
            for name in tx.graph.in_namespace(letter.namespace) if letter.namespace else ():
                add(name, None)
        for name in listed:
            add(name, None)
        due = now + self._policy.debounce_seconds
        for name, event_id in event_ids.items():
            reread_at = (
                due + self._policy.staleness_seconds
                if event_id is None and self._policy.staleness_seconds > 0
                else None
            )
            yield WorkRequest(name, due, Urgency.EVENT, event_id, reread_at)

    def resync(self, names: Iterable[RelationName]) -> None:
        """Requests that relations be read and derived now."""
        now = self._clock.now()
        requests = [WorkRequest(name, now) for name in names]
        self._state.write(lambda tx: tx.work.request(requests))
        self.wake()

    def republish(self, names: Iterable[RelationName] = ()) -> Sequence[RelationName]:
        """Requests new versions of packages although their content is the same; returns which.

        Of ``names``, those that have a package. Without names, every package that an earlier
        generator built, so that a fix of the code that packages contain reaches them.
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
                and (name in wanted or newest[name].runtime != generator)
            ]
            for record in requested:
                sequence = newest[record.name].sequence
                tx.graph.write(replace(record, republish_after=sequence))
            tx.work.request(WorkRequest(record.name, now, Urgency.SNAPSHOT) for record in requested)
            return [record.name for record in requested]

        requested = self._state.write(request)
        self.wake()
        return requested

    # Working

    def work(self) -> int:
        """Processes a batch of due relations; returns how many it claimed.

        Transient failures defer the work and are counted; they are not raised.
        """
        claims = self.claim()
        if not claims:
            return 0
        exhausted = [c for c in claims if c.attempts > self._policy.max_attempts]
        for claim in exhausted:
            self._quarantine(claim)
        allowed = [c for c in claims if c.attempts <= self._policy.max_attempts]
        if allowed:
            self._process(allowed)
        self.wake()
        return len(claims)

    def claim(self) -> Sequence[Claim]:
        now = self._clock.now()
        due = self._state.read(lambda tx: tx.work.due_at())
        if due is None or due > now:
            return ()
        policy = self._policy
        return self._state.write(
            lambda tx: tx.work.claim(now, policy.lease_seconds, policy.batch_size)
        )

    def _process(self, claims: Sequence[Claim]) -> None:
        records = self._state.read(lambda tx: tx.graph.records(c.relation for c in claims))
        try:
            fresh, stale = read_claimed(self._reader, claims, records)
        except (CatalogUnavailable, CatalogRefused) as error:
            log.warning("catalog not read", extra={"why": str(error)})
            self._defer(claims, str(error))
            return
        if stale:
            self.counters.add("stale_readings", len(stale))
            self._defer(stale, "the catalog's answer is older than the event")
        findings = self._investigator.investigate(fresh)
        for finding in findings:
            if isinstance(finding, Crashed):
                self._record_crash(finding)
        self.conclude([finding for finding in findings if isinstance(finding, Finding)])

    def conclude(self, findings: Sequence[Finding]) -> None:
        """Settles findings in one transaction, and publishes or yanks what then differs."""
        if not findings:
            return
        contents = {f.reading.name: self._content(f) for f in findings}
        reservations = self._publisher.open_reservations(f.reading.name for f in findings)
        now = self._clock.now()

        def settle(tx: Transaction) -> Mapping[RelationName, Settlement]:
            done = {
                f.reading.name: self._settle(tx, f, contents[f.reading.name], now) for f in findings
            }
            # A reservation needs outstanding work until it is delivered, even if the relation
            # needs no version now.
            later = now + self._policy.max_retry_seconds
            tx.work.request(
                WorkRequest(name, later)
                for name in reservations
                if done[name].verdict is Verdict.ENDED
            )
            return done

        settlements = self._state.write(settle)
        # Dependents need not wait until these are published.
        self.wake()
        for name, version in reservations.items():
            if settlements[name].verdict is Verdict.ENDED:
                self._publisher.finish(version)
        jobs: list[Job] = []
        dropped: list[Claim] = []
        for finding in findings:
            settlement = settlements[finding.reading.name]
            match settlement.verdict:
                case Verdict.SETTLED:
                    job = self._job(finding, settlement.record)
                    if job is not None:
                        jobs.append(job)
                case Verdict.DROPPED:
                    dropped.append(finding.reading.claim)
                case _:
                    pass
        if jobs:
            self._publisher.publish(jobs)
        if dropped:
            self._publisher.drop(dropped)

    def _settle(
        self, tx: Transaction, finding: Finding, content: Content, now: float
    ) -> Settlement:
        settlement = self._settling.settle(tx, finding, content, now)
        if settlement.ending is not None:
            end_claim(tx, finding.reading.claim, settlement.ending)
        return settlement

    def _content(self, finding: Finding) -> Content:
        match finding:
            case Finding(conclusion=Settled(outcome=Derived(derivation))):
                relation = finding.reading.relation
                if relation is None or not self._selection.publishes(relation):
                    return Withheld()
                request = self._packaging.request(relation, derivation)
                try:
                    return Packageable(self._packaging.content_hash(request))
                except CodegenError as error:
                    return Unfit(f"cannot be packaged: {error}")
            case _:
                return Withheld()

    def _job(self, finding: Finding, record: RelationRecord | None) -> Job | None:
        relation = finding.reading.relation
        if relation is None or record is None or record.content_hash is None:
            return None
        match finding.conclusion:
            case Settled(outcome=Derived(derivation)):
                pass
            case _:
                texts = self._state.read(lambda tx: tx.graph.derivations([record.name]))
                derivation = derivation_from_text(texts[record.name])
        return Job(
            claim=finding.reading.claim,
            relation=relation,
            derivation=derivation,
            content_hash=record.content_hash,
            event_id=finding.reading.at_least,
        )

    def _quarantine(self, claim: Claim) -> None:
        reason = (
            f"its derivation crashed {claim.attempts - 1} times; the next snapshot, or a change "
            "of the relation, retries it"
        )
        now = self._clock.now()
        reservations = self._publisher.open_reservations([claim.relation])
        if not all(self._publisher.finish(version) for version in reservations.values()):
            later = Deferred(now + self._policy.max_retry_seconds, reason, counts_as_attempt=True)
            self._state.write(lambda tx: end_claim(tx, claim, later))
            return

        def quarantine(tx: Transaction) -> None:
            settlement = self._settling.quarantine(tx, claim, reason, now)
            if settlement.ending is not None:
                end_claim(tx, claim, settlement.ending)

        self._state.write(quarantine)
        self.counters.add("quarantined")
        log.error("relation quarantined", extra={"relation": str(claim.relation)})

    def _record_crash(self, crashed: Crashed) -> None:
        until = self._clock.now() + self._policy.retry_delay(crashed.claim.attempts)
        later = Deferred(until, crashed.reason, counts_as_attempt=True)
        self._state.write(lambda tx: end_claim(tx, crashed.claim, later))
        self.counters.add("derivations_died")
        log.error(
            "derivation died",
            extra={"relation": str(crashed.claim.relation), "why": crashed.reason},
        )

    def _defer(self, claims: Sequence[Claim], reason: str) -> None:
        defer(self.runtime, claims, reason)
        # Dashboards use this metric name.
        self.counters.add("put_off", len(claims))

    # Waiting

    def wake(self) -> None:
        """Wakes sleeping workers, because there may be work."""
        with self._wakeup:
            self._wakeups += 1
            self._wakeup.notify_all()

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
        """Works until nothing is outstanding, sleeping while all work is deferred. False on timeout."""
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

    # Comparing

    def snapshot(
        self, *, catalog_was_replaced: bool = False, comparer: Comparer | None = None
    ) -> SnapshotReport:
        """Compares everything and enqueues what differs; ``drain`` or the workers process it."""
        report = self._comparison.run(catalog_was_replaced=catalog_was_replaced, comparer=comparer)
        horizon = self._clock.now() - self._policy.memo_seconds
        self._state.write(lambda tx: tx.memo.forget_before(horizon))
        self.wake()
        return report

    def snapshot_is_due(self) -> bool:
        """Whether an event could not be decoded, so that only a snapshot can find what changed."""
        return bool(self._state.read(lambda tx: tx.journal.note(SNAPSHOT_DUE)))

    def clear_snapshot_due(self) -> None:
        self._state.write(lambda tx: tx.journal.write_note(SNAPSHOT_DUE, ""))

    def confirm_deletions(self, namespace: tuple[str, ...] = ()) -> None:
        """Lets the next snapshot carry out the held deletions of a namespace, or with () of all."""
        brake = f"{BRAKE}{'.'.join(namespace)}"
        self._state.write(lambda tx: tx.journal.write_note(brake, RELEASED))

    def status(self) -> EngineStatus:
        return self._state.read(lambda tx: engine_status(tx, self.counters.values()))
