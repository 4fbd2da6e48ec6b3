"""From a settled derivation to a version that pip can install: once, and never partially.

Read the index, read the facts a second time, build, reserve a number together with its bytes in
one transaction, upload, read back, confirm. Wherever a crash occurs, the next attempt finds either
no reservation or one whose bytes it can deliver again.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from codegen.errors import CodegenError
from codegen.package import Wheel
from lakeschema.avro.fingerprint import sha256
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.outcome import Status
from publisher.index.protocol import IndexUnavailable, PackageIndex, PackageIndexError
from publisher.publishing.adoption import read_unrecorded_versions, unrecorded_files
from publisher.publishing.drafting import Drafter
from publisher.publishing.history import newest_published
from publisher.publishing.jobs import Confirmed, Draft, Job
from publisher.publishing.packaging_protocol import Packaging
from publisher.publishing.recheck import Recheck
from publisher.publishing.upload import Delivery, WheelUploader
from publisher.runtime import Runtime
from publisher.settling.claims import Deferred, Done, defer, end_claim, retry_later
from publisher.settling.cones import Cone
from publisher.settling.cones import cones as cones_of
from publisher.settling.deriving import derivation_from_text
from publisher.state.protocol import Transaction
from publisher.state.records import (
    Claim,
    RelationRecord,
    VersionRecord,
    VersionStatus,
    WorkRequest,
)

log = logging.getLogger(__name__)

R = TypeVar("R")

STILL_OFFERED = "its versions are still offered, because the index cannot yank"


@dataclass(slots=True)
class _Lease:
    """When the leases of a batch were last renewed."""

    renewed_at: float


class Publisher:
    """One for all workers."""

    def __init__(
        self,
        runtime: Runtime,
        index: PackageIndex,
        packaging: Packaging,
        drafter: Drafter,
        recheck: Recheck,
    ) -> None:
        self._runtime = runtime
        self._state = runtime.state
        self._index = index
        self._packaging = packaging
        self._drafter = drafter
        self._recheck = recheck
        self._uploader = WheelUploader(index, runtime.clock)

    def publish(self, jobs: Sequence[Job]) -> None:
        """Publishes what the index lacks of the jobs, and ends or defers their claims."""
        distributions = {job.name: self._packaging.distribution(job.name) for job in jobs}
        histories, records = self._state.read(
            lambda tx: (
                tx.versions.history(distributions.values()),
                tx.graph.records(distributions),
            )
        )
        reconciled = self._for_each(
            jobs,
            lambda job: self._reconcile_history(
                job, histories[distributions[job.name]], records.get(job.name)
            ),
        )
        confirmed = self._recheck.confirm([(j, h) for j, h in reconciled if h is not None])
        self._deliver_all(self._reserve_all(self._draft_all(confirmed)))

    def open_reservations(
        self, names: Iterable[RelationName]
    ) -> Mapping[RelationName, VersionRecord]:
        """Versions reserved and not confirmed, because of a crash or an unresponsive index."""
        distributions = [self._packaging.distribution(name) for name in names]
        found = self._state.read(lambda tx: tx.versions.open_reservations(distributions))
        return {version.relation: version for version in found}

    def finish(self, version: VersionRecord) -> bool:
        """Delivers a reserved version even if its relation changed since: it may be visible.

        False if the index failed; the next work on the relation retries it.
        """
        try:
            self._finish(version)
        except PackageIndexError as error:
            log.warning("package index failed", extra={"why": str(error)})
            return False
        return True

    def drop(self, claims: Sequence[Claim]) -> None:
        """Yanks the versions of relations that the catalog no longer has."""
        names = {claim.relation: self._packaging.distribution(claim.relation) for claim in claims}
        histories = self._state.read(lambda tx: tx.versions.history(names.values()))
        for claim in claims:
            distribution = names[claim.relation]
            try:
                for version in histories[distribution]:
                    if version.status is VersionStatus.RESERVED:
                        self._finish(version)
                yanked = not histories[distribution] or self._uploader.yank(distribution)
            except PackageIndexError as error:
                self._defer_for_index([claim], error)
                continue
            if not yanked:
                self._runtime.counters.add("yanks_declined")
                log.warning("index cannot yank", extra={"distribution": distribution})
            published = bool(histories[distribution])
            self._state.write(
                partial(self._record_drop, claim=claim, published=published, yanked=yanked)
            )

    def _record_drop(self, tx: Transaction, *, claim: Claim, published: bool, yanked: bool) -> None:
        name = claim.relation
        record = tx.graph.records([name]).get(name)
        if not tx.work.holds(claim):
            if published and record is not None and record.status is not Status.MISSING:
                # It was created again and yanked by us meanwhile: the next reading repairs that.
                tx.graph.write(replace(record, yanked=True))
                tx.work.request([WorkRequest(name, self._runtime.clock.now())])
            return
        if published and record is not None and record.status is Status.MISSING:
            reason = record.reason if yanked else f"{record.reason}; {STILL_OFFERED}"
            tx.graph.write(replace(record, yanked=True, reason=reason))
        elif not published and not tx.graph.dependents([name]):
            tx.graph.forget(name)
        end_claim(tx, claim, Done())

    # Several jobs

    def _for_each(self, jobs: Sequence[Job], act: Callable[[Job], R]) -> Sequence[tuple[Job, R]]:
        """The results of ``act`` for the jobs that succeed at the index; the others are deferred.

        Jobs run concurrently, and leases are renewed meanwhile, so that a slow index does not
        cost the worker its claims. Once the index is unavailable for one job, the remaining jobs
        are deferred without a request: each would wait for a timeout.
        """
        unavailable: list[IndexUnavailable] = []
        lease = _Lease(self._runtime.clock.now())

        def attempt(job: Job) -> R | PackageIndexError:
            self._renew(lease, jobs)
            if unavailable:
                return unavailable[0]
            try:
                return act(job)
            except IndexUnavailable as error:
                unavailable.append(error)
                return error
            except PackageIndexError as error:
                return error

        results = self._run_concurrently(attempt, jobs)
        done: list[tuple[Job, R]] = []
        for job, result in zip(jobs, results, strict=True):
            if isinstance(result, PackageIndexError):
                self._defer_for_index([job.claim], result)
            else:
                done.append((job, result))
        return done

    def _run_concurrently(self, act: Callable[[Job], R], jobs: Sequence[Job]) -> Sequence[R]:
        width = min(self._runtime.policy.uploads_at_once, len(jobs))
        if width <= 1:
            return [act(job) for job in jobs]
        with ThreadPoolExecutor(width, thread_name_prefix="index") as pool:
            return list(pool.map(act, jobs))

    def _renew(self, lease: _Lease, jobs: Sequence[Job]) -> None:
        now, seconds = self._runtime.clock.now(), self._runtime.policy.lease_seconds
        if now - lease.renewed_at > seconds / 4:
            self._state.write(lambda tx: tx.work.renew((job.claim for job in jobs), now + seconds))
            lease.renewed_at = now

    def _defer_for_index(self, claims: Sequence[Claim], error: PackageIndexError) -> None:
        self._runtime.counters.add("index_failures")
        log.warning("package index failed", extra={"why": str(error)})
        defer(self._runtime, claims, str(error))

    # Reconciling with the index

    def _reconcile_history(
        self, job: Job, history: Sequence[VersionRecord], record: RelationRecord | None
    ) -> Sequence[VersionRecord] | None:
        """The distribution's history, reconciled with the index; None if nothing is left to do."""
        distribution = self._packaging.distribution(job.name)
        reserved = next((v for v in history if v.status is VersionStatus.RESERVED), None)
        if reserved is not None:
            self._finish(reserved)
        files = self._uploader.files(distribution)
        unrecorded = unrecorded_files(files, history)
        if unrecorded:
            adopted = read_unrecorded_versions(
                self._index, self._packaging, job.name, unrecorded, self._runtime.clock.now()
            )
            self._state.write(lambda tx: tx.versions.adopt(adopted))
            self._runtime.counters.add("adopted", len(adopted))
            log.info("versions adopted from the index", extra={"distribution": distribution})
        if unrecorded or reserved is not None:
            history = self._state.read(lambda tx: tx.versions.history([distribution]))[distribution]
        self._uploader.unyank(files)
        newest = newest_published(history)
        if newest is not None and _is_up_to_date(newest, job, record):
            self._state.write(lambda tx: self._record_published(tx, job.claim, newest))
            return None
        if record is not None and record.yanked:
            self._state.write(lambda tx: self._clear_yanked(tx, job.claim))
        return history

    def _finish(self, version: VersionRecord) -> None:
        wheel = self._state.read(
            lambda tx: tx.versions.reserved_wheel(version.distribution, version.number)
        )
        if wheel is None:
            return  # another worker has just finished it
        built = Wheel(
            version.distribution,
            version.number,
            version.filename,
            wheel,
            hashlib.sha256(wheel).hexdigest(),
        )
        delivery = self._uploader.deliver(built)
        self._state.write(lambda tx: self._record_deliveries(tx, [(version, delivery)]))
        self._log_delivery(version, delivery)

    def _record_published(self, tx: Transaction, claim: Claim, newest: VersionRecord) -> None:
        if tx.work.holds(claim):
            tx.graph.write_published(claim.relation, newest.content_hash, newest.sequence)
            self._clear_yanked(tx, claim)
            end_claim(tx, claim, Done())

    def _clear_yanked(self, tx: Transaction, claim: Claim) -> None:
        record = tx.graph.records([claim.relation]).get(claim.relation)
        if record is not None and record.yanked and tx.work.holds(claim):
            tx.graph.write(replace(record, yanked=False))

    # Building and reserving

    def _draft_all(self, confirmed: Sequence[Confirmed]) -> Sequence[Draft]:
        upstreams = {u for each in confirmed for u in each.job.derivation.upstreams}
        fingerprints = self._state.read(lambda tx: _fingerprints(tx, upstreams))
        now = self._runtime.clock.now()
        drafts = []
        for each in confirmed:
            try:
                drafts.append(self._drafter.draft(each, fingerprints, now))
            except CodegenError as error:
                self._state.write(
                    partial(self._record_unfit, job=each.job, reason=f"cannot be packaged: {error}")
                )
        return drafts

    def _record_unfit(self, tx: Transaction, *, job: Job, reason: str) -> None:
        if tx.work.holds(job.claim):
            record = tx.graph.records([job.name])[job.name]
            tx.graph.write(replace(record, content_hash=None, reason=reason))
            end_claim(tx, job.claim, Done())

    def _reserve_all(self, drafts: Sequence[Draft]) -> Sequence[Draft]:
        if not drafts:
            return ()
        now, policy = self._runtime.clock.now(), self._runtime.policy

        def reserve(tx: Transaction) -> Sequence[Draft]:
            names = [draft.job.name for draft in drafts]
            cones, records = cones_of(tx, names), tx.graph.records(names)
            kept = [
                draft
                for draft in drafts
                if tx.work.holds(draft.job.claim)
                and self._reserve(tx, draft, cones[draft.job.name], records[draft.job.name], now)
            ]
            claims = [draft.job.claim for draft in kept]
            tx.work.renew(claims, now + policy.lease_seconds)
            tx.work.reset_attempts(claims)
            return kept

        return self._state.write(reserve)

    def _reserve(
        self, tx: Transaction, draft: Draft, cone: Cone, record: RelationRecord, now: float
    ) -> bool:
        job = draft.job
        unchanged = (
            record.status is Status.OK
            and record.content_hash == job.content_hash
            and cone == draft.cone
        )
        if unchanged and tx.versions.reserve(draft.version, draft.wheel.data, draft.after):
            return True
        reason = "the relation or an upstream changed before publication"
        end_claim(tx, job.claim, retry_later(job.claim, reason, now, self._runtime.policy))
        return False

    # Delivering

    def _deliver_all(self, drafts: Sequence[Draft]) -> None:
        by_name = {draft.job.name: draft for draft in drafts}
        delivered = self._for_each(
            [draft.job for draft in drafts],
            lambda job: self._uploader.deliver_new(by_name[job.name].wheel),
        )
        done = [(by_name[job.name], delivery) for job, delivery in delivered]
        if not done:
            return

        def confirm(tx: Transaction) -> None:
            now = self._runtime.clock.now()
            self._record_deliveries(tx, [(draft.version, delivery) for draft, delivery in done])
            for draft, delivery in done:
                if tx.work.holds(draft.job.claim):
                    taken = Deferred(now, "its version number was taken")
                    ending = Done() if delivery is Delivery.PUBLISHED else taken
                    end_claim(tx, draft.job.claim, ending)

        self._state.write(confirm)
        for draft, delivery in done:
            self._log_delivery(draft.version, delivery)

    def _record_deliveries(
        self, tx: Transaction, deliveries: Sequence[tuple[VersionRecord, Delivery]]
    ) -> None:
        for version, delivery in deliveries:
            match delivery:
                case Delivery.PUBLISHED:
                    tx.versions.confirm(version.distribution, version.number)
                case Delivery.CONFLICT:
                    tx.versions.mark_unusable(version.distribution, version.number)
        histories = tx.versions.history(version.distribution for version, _ in deliveries)
        for version, _ in deliveries:
            newest = newest_published(histories[version.distribution])
            if newest is not None:
                tx.graph.write_published(version.relation, newest.content_hash, newest.sequence)

    def _log_delivery(self, version: VersionRecord, delivery: Delivery) -> None:
        fields = {
            "relation": str(version.relation),
            "distribution": version.distribution,
            "number": version.number,
        }
        match delivery:
            case Delivery.PUBLISHED:
                self._runtime.counters.add("published")
                log.info("version published", extra={**fields, "change": version.change})
            case Delivery.CONFLICT:
                self._runtime.counters.add("conflicts")
                log.error("version number is taken by other bytes: unusable", extra=fields)


def _is_up_to_date(newest: VersionRecord, job: Job, record: RelationRecord | None) -> bool:
    """Whether the newest version has the job's content, and is newer than a republish request."""
    after = record.republish_after if record is not None else None
    return newest.content_hash == job.content_hash and (after is None or newest.sequence > after)


def _fingerprints(tx: Transaction, names: set[RelationName]) -> Mapping[RelationName, str]:
    """Fingerprints of the relations' schemas, where they have one."""
    known = {name: record.fingerprint for name, record in tx.graph.records(names).items()}
    # A state that an earlier release wrote does not have them all.
    texts = tx.graph.derivations(name for name, value in known.items() if value is None)
    found = {n: sha256(derivation_from_text(text).interface.schema) for n, text in texts.items()}
    return found | {name: value for name, value in known.items() if value is not None}
