"""Publishes a settled derivation as a version that pip can install: once, and never partially.

The publisher reads the index; meanwhile it reads the facts a second time and builds the wheel. It
stores a reserved number and the wheel's bytes in one transaction, uploads, reads back and confirms.
After a crash there is either no reservation, or a reservation whose bytes can be uploaded again.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.index.protocol import PackageIndex
from publisher.publishing.history import newest_published
from publisher.publishing.index_work import IndexWork
from publisher.publishing.jobs import Draft, Job, Reconciled
from publisher.publishing.packaging_protocol import Packaging
from publisher.publishing.preparation import Preparation
from publisher.publishing.reconciling import Delivered, Reconciler, record_deliveries
from publisher.publishing.upload import Delivery
from publisher.publishing.version_rate import VersionRate
from publisher.runtime import Runtime, both_at_once
from publisher.settling.claims import Deferred, Done, Ending, Postponed, Reread, end_claim
from publisher.settling.cones import Cone
from publisher.settling.cones import cones as cones_of
from publisher.state.protocol import Transaction
from publisher.state.records import Claim, RelationRecord, VersionRecord, WorkRequest

log = logging.getLogger(__name__)

STILL_OFFERED = "its versions are still offered, because the index cannot yank"


@dataclass(frozen=True, slots=True)
class _Known:
    """A package's history and record in the state."""

    history: Sequence[VersionRecord]
    record: RelationRecord | None

    @property
    def expected(self) -> Reconciled:
        """The reconciled ledger, on the assumption that the index has only the ledger's files."""
        return Reconciled(self.history, frozenset(version.number for version in self.history))

    @property
    def is_due(self) -> bool:
        return self.record is not None and self.record.index_check_due


class Publisher:
    """Publishes the packages of all workers."""

    def __init__(
        self,
        runtime: Runtime,
        index: PackageIndex,
        packaging: Packaging,
        preparation: Preparation,
    ) -> None:
        self._runtime = runtime
        self._state = runtime.state
        self._packaging = packaging
        self._preparation = preparation
        self._reconciler = Reconciler(runtime, index, packaging)
        self._rate = VersionRate(runtime)
        self._work = IndexWork(runtime)

    def publish(self, jobs: Sequence[Job]) -> None:
        """Publishes the jobs that the index lacks, and ends or defers their claims.

        Jobs that need a version by the ledger are prepared while the index is read, because the
        index mostly agrees with the ledger.
        """
        known = self._known([job.name for job in jobs])
        expected = {
            job.name: known[job.name].expected
            for job in jobs
            if self._is_likely(job, known[job.name])
        }
        reconciled, prepared = both_at_once(
            self._runtime.policy.questions_at_once,
            partial(self._reconcile_all, jobs, known),
            partial(
                self._preparation.prepare,
                [(job, expected[job.name]) for job in jobs if job.name in expected],
            ),
        )
        as_expected = {
            job.name
            for job, found in reconciled
            if job.name in expected and _agrees(found, expected[job.name])
        }
        others = [(job, found) for job, found in reconciled if job.name not in as_expected]
        drafts = [draft for draft in prepared if draft.job.name in as_expected]
        drafts += self._preparation.prepare(self._rate.admit(others))
        self._deliver_all(self._reserve_all(drafts))

    def compare(self, claims: Sequence[Claim]) -> None:
        """Repairs packages that get no new version at the index, and yanks packages of dropped relations."""
        known = self._known([claim.relation for claim in claims])
        self._work.for_each(claims, lambda claim: self._compare(claim, known[claim.relation]))

    def open_reservations(
        self, names: Iterable[RelationName]
    ) -> Mapping[RelationName, VersionRecord]:
        """Versions that are reserved and unconfirmed, after a crash or because the index does not respond."""
        distributions = [self._packaging.distribution(name) for name in names]
        found = self._state.read(lambda tx: tx.versions.open_reservations(distributions))
        return {version.relation: version for version in found}

    def finish(self, versions: Sequence[VersionRecord]) -> bool:
        """Uploads reserved versions, even if their relations have changed since: users may see them already.

        False if the index failed for one version; the next work on its relation retries it.
        """
        results = self._work.attempt_each(versions, self._reconciler.finish)
        return all(result is None for result in results)

    def finish_and_end(
        self,
        endings: Mapping[Claim, Ending],
        reservations: Mapping[RelationName, VersionRecord],
    ) -> None:
        """Uploads the reserved versions of claims without other work, and then ends the claims."""

        def finish(claim: Claim) -> Claim:
            self._reconciler.finish(reservations[claim.relation])
            return claim

        done = self._work.for_each([*endings], finish)

        def end(tx: Transaction) -> None:
            # The reserved version may be older than the relation's current content.
            records = tx.graph.records(claim.relation for claim in done)
            again = Postponed("an older version was delivered first")
            for claim in done:
                record = records.get(claim.relation)
                is_overtaken = record is not None and record.needs_publication
                end_claim(tx, claim, again if is_overtaken else endings[claim], self._runtime)

        if done:
            self._state.write(end)

    def _known(self, names: Iterable[RelationName]) -> Mapping[RelationName, _Known]:
        distributions = {name: self._packaging.distribution(name) for name in names}
        histories, records = self._state.read(
            lambda tx: (
                tx.versions.history(distributions.values()),
                tx.graph.records(distributions),
            )
        )
        return {
            name: _Known(histories[distribution], records.get(name))
            for name, distribution in distributions.items()
        }

    def _is_likely(self, job: Job, known: _Known) -> bool:
        """Whether the job probably gets a version now, judging by the ledger.

        False at a retry: while an index is away, the work would be wasted.
        """
        newest = newest_published(known.history)
        return (
            not _is_up_to_date(newest, job, known.record)
            and not known.is_due
            and not job.claim.retries
            and self._rate.allows(known.history)
        )

    def _reconcile_all(
        self, jobs: Sequence[Job], known: Mapping[RelationName, _Known]
    ) -> Sequence[tuple[Job, Reconciled]]:
        """The jobs that need a version, each with the reconciled ledger of its distribution."""
        by_name = {job.name: job for job in jobs}

        def reconcile(claim: Claim) -> tuple[Job, Reconciled | None]:
            job = by_name[claim.relation]
            return job, self._reconcile_job(job, known[job.name])

        reconciled = self._work.for_each([job.claim for job in jobs], reconcile)
        return [(job, found) for job, found in reconciled if found is not None]

    def _reconcile_job(self, job: Job, known: _Known) -> Reconciled | None:
        """Brings ledger and index into agreement; returns the ledger, or None if nothing is left to do."""
        found = self._reconciler.reconcile(
            job.name, known.history, is_dropped=False, refill=known.is_due
        )
        newest = newest_published(found.history)
        is_current = _is_up_to_date(newest, job, known.record)
        if is_current or found.has_acted or known.is_due:
            record = partial(
                self._record_reconciled, claim=job.claim, newest=newest if is_current else None
            )
            self._state.write(record)
        return None if is_current else found

    def _record_reconciled(
        self, tx: Transaction, *, claim: Claim, newest: VersionRecord | None
    ) -> None:
        """Records the reconciled ledger.

        ``newest`` is the newest version, if it needs no successor.
        """
        if not tx.work.holds(claim):
            self._compare_again(tx, claim)
            return
        record = tx.graph.records([claim.relation])[claim.relation]
        if record.index_check_due:
            tx.graph.write(replace(record, index_check_due=False))
        if newest is not None:
            tx.graph.write_published(claim.relation, newest.content_hash, newest.sequence)
            end_claim(tx, claim, Done(), self._runtime)

    def _compare(self, claim: Claim, known: _Known) -> None:
        is_dropped = known.record is not None and known.record.status is Status.MISSING
        if is_dropped and not known.history:
            # Such a relation is usually an upstream that never existed.
            found = Reconciled((), frozenset())
        else:
            found = self._reconciler.reconcile(
                claim.relation, known.history, is_dropped=is_dropped, refill=known.is_due
            )
        self._state.write(
            partial(self._record_compared, claim=claim, found=found, is_dropped=is_dropped)
        )

    def _record_compared(
        self, tx: Transaction, *, claim: Claim, found: Reconciled, is_dropped: bool
    ) -> None:
        name = claim.relation
        if not tx.work.holds(claim) or self._has_other_versions(tx, name, found):
            self._compare_again(tx, claim)
            end_claim(tx, claim, Done(), self._runtime)
            return
        record = tx.graph.records([name]).get(name)
        ending: Ending = Done()
        if record is None:
            pass
        elif is_dropped and not found.history and not tx.graph.dependents([name]):
            # If a late event requests the relation, a replica of the catalog may still show it. So
            # the state must remember until then that it is dropped.
            shown_everywhere_at = self._shown_everywhere_at(record)
            if shown_everywhere_at <= claim.claimed_at:
                tx.graph.forget(name)
            else:
                ending = Reread(shown_everywhere_at)
        else:
            is_yanked = is_dropped and found.is_yanked
            base = record.reason.removesuffix(f"; {STILL_OFFERED}")
            is_offered = is_dropped and bool(found.history) and not is_yanked
            reason = f"{base}; {STILL_OFFERED}" if is_offered else base
            if is_yanked:
                # The dropped relation is no longer available; nobody needs to act.
                reason = ""
            compared = replace(record, yanked=is_yanked, index_check_due=False, reason=reason)
            tx.graph.write(compared)
        end_claim(tx, claim, ending, self._runtime)

    def _has_other_versions(self, tx: Transaction, name: RelationName, found: Reconciled) -> bool:
        """Whether versions were adopted after the comparison."""
        distribution = self._packaging.distribution(name)
        return [*tx.versions.history([distribution])[distribution]] != [*found.history]

    def _shown_everywhere_at(self, record: RelationRecord) -> float:
        """The time when every replica of the catalog shows that the relation does not exist."""
        if record.read_event_id is None or record.missing_since is None:
            return 0.0
        return record.missing_since + self._runtime.policy.max_lag_seconds

    def _compare_again(self, tx: Transaction, claim: Claim) -> None:
        """Requests another comparison.

        The claim was lost, so changes at the index may contradict another worker's.
        """
        record = tx.graph.records([claim.relation]).get(claim.relation)
        if record is not None:
            tx.graph.write(replace(record, index_check_due=True))
            tx.work.request([WorkRequest(claim.relation, self._runtime.clock.now())])

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
                and self._reserve(tx, draft, cones[draft.job.name], records[draft.job.name])
            ]
            claims = [draft.job.claim for draft in kept]
            tx.work.renew(claims, now + policy.lease_seconds)
            tx.work.reset_attempts(claims)
            return kept

        return self._state.write(reserve)

    def _reserve(self, tx: Transaction, draft: Draft, cone: Cone, record: RelationRecord) -> bool:
        job = draft.job
        unchanged = (
            record.status is Status.OK
            and record.content_hash == job.content_hash
            # After an adoption, another reading is needed that reflects the adopted version's event.
            and record.read_at == job.read_at
            and cone == draft.cone
        )
        wheel = draft.wheel
        if unchanged and tx.versions.reserve(
            draft.version, wheel.data, draft.after, wheel.provenance
        ):
            return True
        changed = Deferred("the relation or an upstream changed before publication")
        end_claim(tx, job.claim, changed, self._runtime)
        return False

    def _deliver_all(self, drafts: Sequence[Draft]) -> None:
        by_name = {draft.job.name: draft for draft in drafts}

        def deliver(claim: Claim) -> tuple[Draft, Delivered]:
            draft = by_name[claim.relation]
            return draft, self._reconciler.deliver(draft.version, draft.wheel)

        done = self._work.for_each([draft.job.claim for draft in drafts], deliver)
        if not done:
            return

        def confirm(tx: Transaction) -> None:
            now = self._runtime.clock.now()
            deliveries = [delivered for _, delivered in done]
            record_deliveries(tx, deliveries, now, self._runtime.notices)
            for draft, delivered in done:
                if tx.work.holds(draft.job.claim):
                    taken = Postponed("its version number was taken")
                    ending = Done() if delivered.delivery is Delivery.PUBLISHED else taken
                    end_claim(tx, draft.job.claim, ending, self._runtime)

        self._state.write(confirm)
        for draft, delivered in done:
            self._reconciler.log_delivery(draft.version, delivered.delivery)


def _is_up_to_date(newest: VersionRecord | None, job: Job, record: RelationRecord | None) -> bool:
    """Whether the newest version has the job's content and is newer than a request to republish."""
    after = record.republish_after if record is not None else None
    return (
        newest is not None
        and newest.content_hash == job.content_hash
        and (after is None or newest.sequence > after)
    )


def _agrees(found: Reconciled, expected: Reconciled) -> bool:
    """Whether the next version is the same for both ledgers."""
    return [*found.history] == [*expected.history] and found.listed <= expected.listed
