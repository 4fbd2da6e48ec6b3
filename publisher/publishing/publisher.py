"""From a settled derivation to a version that pip can install: once, and never half.

Look at the index, read the facts a second time, build, reserve a number together with its bytes in
one transaction, upload, read back, confirm. Whatever step a crash falls between, the next attempt
finds either no reservation or one whose bytes it can deliver again.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from codegen.changelog import shortened
from codegen.errors import CodegenError
from codegen.package import Wheel
from lakeschema.avro.fingerprint import sha256
from lakeschema.avro.printing import to_text
from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation, facts_hash
from lakeschema.translation.interface import Derivation
from lakeschema.translation.outcome import Status
from publisher.index.protocol import (
    IndexUnavailable,
    PackageIndex,
    PackageIndexError,
)
from publisher.policy import Clock, Counters, Policy
from publisher.publishing.adoption import adopted_versions, unrecorded_files
from publisher.publishing.history import compared, newest_published, releases
from publisher.publishing.packaging_protocol import Packaging
from publisher.publishing.upload import Delivery, WheelUploader
from publisher.publishing.versioning import FIRST, VersioningMode, next_version
from publisher.settling.cones import Cone
from publisher.settling.cones import cones as cones_of
from publisher.settling.deriving import derivation_from_text
from publisher.settling.findings import CatalogReader
from publisher.settling.settling import end
from publisher.state.protocol import State, Transaction
from publisher.state.records import (
    Claim,
    RelationRecord,
    Urgency,
    VersionRecord,
    VersionStatus,
    WorkRequest,
)

log = logging.getLogger(__name__)

R = TypeVar("R")

STILL_OFFERED = "its versions are still offered, because the index cannot yank"


@dataclass(frozen=True, slots=True)
class Job:
    """A settled relation whose claim is held, and what its newest version should contain."""

    claim: Claim
    relation: Relation
    derivation: Derivation
    content_hash: str
    event_id: int | None

    @property
    def name(self) -> RelationName:
        return self.claim.relation


@dataclass(frozen=True, slots=True)
class _Prepared:
    job: Job
    cone: Cone
    version: VersionRecord
    wheel: Wheel
    after: int | None


@dataclass(slots=True)
class _Held:
    """Since when a batch's leases have not been prolonged."""

    since: float


class Publisher:
    """One for all workers; ``versioning`` is "semantic" or "sequential"."""

    def __init__(
        self,
        state: State,
        index: PackageIndex,
        packaging: Packaging,
        reader: CatalogReader,
        policy: Policy,
        clock: Clock,
        counters: Counters,
        *,
        versioning: VersioningMode = "semantic",
    ) -> None:
        self._state = state
        self._index = index
        self._packaging = packaging
        self._reader = reader
        self._policy = policy
        self._clock = clock
        self._counters = counters
        self._versioning: VersioningMode = versioning
        self._uploader = WheelUploader(index, clock)

    def content_hash(self, relation: Relation, derivation: Derivation) -> str:
        return self._packaging.content_hash(self._packaging.request(relation, derivation))

    def publish(self, jobs: Sequence[Job]) -> None:
        """Brings the index to what the jobs say, and ends their claims or puts them off."""
        distributions = {job.name: self._packaging.distribution(job.name) for job in jobs}
        histories, records = self._state.read(
            lambda tx: (
                tx.versions.history(distributions.values()),
                tx.graph.records(distributions),
            )
        )
        looked = self._of_each(
            jobs, lambda job: self._looked(job, histories[distributions[job.name]], records)
        )
        prepared = self._built(self._collected([(j, h) for j, h in looked if h is not None]))
        self._deliver_all(self._reserved(prepared))

    def _of_each(self, jobs: Sequence[Job], act: Callable[[Job], R]) -> Sequence[tuple[Job, R]]:
        """What ``act`` gives for each job that the index answers; the others are put off.

        Several at once, and with leases prolonged meanwhile: a slow index is no dead worker. Once
        it is silent for one it is not asked for the others, who would wait one after another.
        """
        silence: list[IndexUnavailable] = []
        held = _Held(self._clock.now())

        def attempt(job: Job) -> R | PackageIndexError:
            self._keep(held, jobs)
            if silence:
                return silence[0]
            try:
                return act(job)
            except IndexUnavailable as error:
                silence.append(error)
                return error
            except PackageIndexError as error:
                return error

        results = self._at_once(attempt, jobs)
        done: list[tuple[Job, R]] = []
        for job, result in zip(jobs, results, strict=True):
            if isinstance(result, PackageIndexError):
                self._defer_for_index([job.claim], result)
            else:
                done.append((job, result))
        return done

    def _at_once(self, act: Callable[[Job], R], jobs: Sequence[Job]) -> Sequence[R]:
        width = min(self._policy.uploads_at_once, len(jobs))
        if width <= 1:
            return [act(job) for job in jobs]
        with ThreadPoolExecutor(width, thread_name_prefix="index") as pool:
            return list(pool.map(act, jobs))

    def open_reservations(
        self, names: Iterable[RelationName]
    ) -> Mapping[RelationName, VersionRecord]:
        """Numbers that were reserved and not confirmed, as a crash or a silent index leaves them."""
        distributions = [self._packaging.distribution(name) for name in names]
        found = self._state.read(lambda tx: tx.versions.open_reservations(distributions))
        return {version.relation: version for version in found}

    def finish(self, version: VersionRecord) -> bool:
        """Delivers a reserved version whatever became of its relation since: it may be visible.

        False if the index did not let it; whoever asks for the relation again tries again.
        """
        try:
            self._finish(version)
        except PackageIndexError as error:
            log.warning("package index failed", extra={"why": str(error)})
            return False
        return True

    def drop(self, claims: Sequence[Claim]) -> None:
        """Yanks the versions of relations that the catalog has no more."""
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
                self._counters.add("yanks_declined")
                log.warning("index cannot yank", extra={"distribution": distribution})
            published = bool(histories[distribution])
            self._state.write(
                partial(self._dropped, claim=claim, published=published, yanked=yanked)
            )

    def _dropped(self, tx: Transaction, *, claim: Claim, published: bool, yanked: bool) -> None:
        name = claim.relation
        record = tx.graph.records([name]).get(name)
        if not tx.work.holds(claim):
            if published and record is not None and record.status is not Status.MISSING:
                # Made again while we were slow, and then yanked by us: the next look mends it.
                tx.graph.write(replace(record, yanked=True))
                tx.work.request([WorkRequest(name, self._clock.now())])
            return
        if published and record is not None and record.status is Status.MISSING:
            reason = record.reason if yanked else f"{record.reason}; {STILL_OFFERED}"
            tx.graph.write(replace(record, yanked=True, reason=reason))
        elif not published and not tx.graph.dependents([name]):
            tx.graph.forget(name)
        end(tx, claim)

    # Looking

    def _looked(
        self,
        job: Job,
        history: Sequence[VersionRecord],
        records: Mapping[RelationName, RelationRecord],
    ) -> Sequence[VersionRecord] | None:
        """The distribution's history, agreed with the index; None if nothing is left to do."""
        distribution = self._packaging.distribution(job.name)
        reserved = next((v for v in history if v.status is VersionStatus.RESERVED), None)
        if reserved is not None:
            self._finish(reserved)
        files = self._uploader.files(distribution)
        strange = unrecorded_files(files, history)
        if strange:
            adopted = adopted_versions(
                self._index, self._packaging, job.name, strange, self._clock.now()
            )
            self._state.write(lambda tx: tx.versions.adopt(adopted))
            self._counters.add("adopted", len(adopted))
            log.info("versions adopted from the index", extra={"distribution": distribution})
        if strange or reserved is not None:
            history = self._state.read(lambda tx: tx.versions.history([distribution]))[distribution]
        self._uploader.unyank(files)
        newest = newest_published(history)
        if newest is not None and newest.content_hash == job.content_hash:
            self._state.write(lambda tx: self._is_published(tx, job.claim, newest))
            return None
        if job.name in records and records[job.name].yanked:
            self._state.write(lambda tx: self._is_not_yanked(tx, job.claim))
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
        self._state.write(lambda tx: self._delivered(tx, [(version, delivery)]))
        self._tell(version, delivery)

    def _is_published(self, tx: Transaction, claim: Claim, newest: VersionRecord) -> None:
        if tx.work.holds(claim):
            tx.graph.write_published(claim.relation, newest.content_hash)
            self._is_not_yanked(tx, claim)
            end(tx, claim)

    def _is_not_yanked(self, tx: Transaction, claim: Claim) -> None:
        record = tx.graph.records([claim.relation]).get(claim.relation)
        if record is not None and record.yanked and tx.work.holds(claim):
            tx.graph.write(replace(record, yanked=False))

    # Reading a second time

    def _collected(
        self, jobs: Sequence[tuple[Job, Sequence[VersionRecord]]]
    ) -> Sequence[tuple[Job, Cone, Sequence[VersionRecord]]]:
        cones = self._state.read(lambda tx: cones_of(tx, [job.name for job, _ in jobs]))
        several = {
            n for job, _ in jobs if len(cones[job.name].facts) > 1 for n in cones[job.name].facts
        }
        current: Mapping[RelationName, Relation] = {}
        at_least: int | None = None
        if several:
            try:
                current, at_least, _ = self._reader.read(sorted(several))
            except CatalogUnavailable as error:
                self._defer([job.claim for job, _ in jobs], str(error))
                return ()
        hashes: dict[RelationName, str | None] = {
            name: facts_hash(current[name]) if name in current else None for name in several
        }
        kept = []
        for job, history in jobs:
            cone = cones[job.name]
            if not cone.settled:
                self._defer([job.claim], "something above it changed")
            elif (
                len(cone.facts) > 1
                and at_least is not None
                and at_least < (cone.read_event_id or -1)
            ):
                self._defer([job.claim], "the catalog's answer is older than the last one")
            elif self.differing(cone.facts, hashes):
                self._read_again(job.claim, self.differing(cone.facts, hashes), at_least)
            else:
                kept.append((job, cone, history))
        return kept

    def differing(
        self,
        derived_from: Mapping[RelationName, str | None],
        current: Mapping[RelationName, str | None],
    ) -> Sequence[RelationName]:
        """Relations whose facts are no longer those derived from.

        A relation without upstreams was read at one moment and needs no second look; with them,
        equal facts at two readings of all mean that they once held together.
        """
        if len(derived_from) == 1:
            return ()
        return [name for name, hash_ in derived_from.items() if current[name] != hash_]

    def _read_again(
        self, claim: Claim, names: Sequence[RelationName], event_id: int | None
    ) -> None:
        now = self._clock.now()
        self._counters.add("changed_before_publication")

        def ask(tx: Transaction) -> None:
            tx.work.defer(
                claim,
                now + self._policy.retry_delay(claim.retries),
                "something above it changed",
                counts_as_attempt=False,
            )
            tx.work.request(
                WorkRequest(name, now, Urgency.REFRESH, min_event_id=event_id) for name in names
            )

        self._state.write(ask)

    # Building and reserving

    def _built(
        self, jobs: Sequence[tuple[Job, Cone, Sequence[VersionRecord]]]
    ) -> Sequence[_Prepared]:
        upstreams = {u for job, _, _ in jobs for u in job.derivation.upstreams}
        texts = self._state.read(lambda tx: tx.graph.derivations(upstreams)) if upstreams else {}
        fingerprints = {
            name: sha256(derivation_from_text(text).interface.schema)
            for name, text in texts.items()
        }
        built = []
        for job, cone, history in jobs:
            try:
                built.append(self._build(job, cone, history, fingerprints))
            except CodegenError as error:
                self._state.write(
                    partial(self._unfit, job=job, reason=f"cannot be packaged: {error}")
                )
        return built

    def _build(
        self,
        job: Job,
        cone: Cone,
        history: Sequence[VersionRecord],
        fingerprints: Mapping[RelationName, str],
    ) -> _Prepared:
        schema = job.derivation.interface.schema
        published, unusable = compared(history)
        number, change = next_version(
            published,
            schema,
            mode=self._versioning,
            surface_of=partial(self._packaging.surface_hash, job.name),
            unusable=unusable,
        )
        kind = "first" if change.reasons == (FIRST,) else change.level.value
        request = self._packaging.request(job.relation, job.derivation)
        request = replace(
            request,
            version=number,
            provenance=replace(
                request.provenance,
                upstreams={str(u): fingerprints.get(u, "") for u in job.derivation.upstreams},
                change=kind,
                reasons=change.reasons,
                earlier=shortened(releases(history)),
                event_id=job.event_id,
            ),
        )
        wheel = self._packaging.build(request)
        version = VersionRecord(
            distribution=wheel.distribution,
            number=number,
            relation=job.name,
            status=VersionStatus.RESERVED,
            content_hash=job.content_hash,
            schema_text=to_text(schema),
            wheel_sha256=wheel.sha256,
            filename=wheel.filename,
            change=kind,
            reasons=change.reasons,
            created_at=self._clock.now(),
            surface_hash=wheel.surface_hash,
        )
        after = max((v.sequence for v in history), default=None)
        return _Prepared(job, cone, version, wheel, after)

    def _unfit(self, tx: Transaction, *, job: Job, reason: str) -> None:
        if tx.work.holds(job.claim):
            record = tx.graph.records([job.name])[job.name]
            tx.graph.write(replace(record, reason=reason))
            end(tx, job.claim)

    def _reserved(self, prepared: Sequence[_Prepared]) -> Sequence[_Prepared]:
        if not prepared:
            return ()
        now = self._clock.now()

        def reserve(tx: Transaction) -> Sequence[_Prepared]:
            names = [p.job.name for p in prepared]
            cones, records = cones_of(tx, names), tx.graph.records(names)
            kept = [
                p
                for p in prepared
                if tx.work.holds(p.job.claim)
                and self._reserve(tx, p, cones[p.job.name], records[p.job.name], now)
            ]
            claims = [p.job.claim for p in kept]
            tx.work.renew(claims, now + self._policy.lease_seconds)
            tx.work.reset_attempts(claims)
            return kept

        return self._state.write(reserve)

    def _reserve(
        self,
        tx: Transaction,
        prepared: _Prepared,
        cone: Cone,
        record: RelationRecord,
        now: float,
    ) -> bool:
        job = prepared.job
        still = (
            record.status is Status.OK
            and record.content_hash == job.content_hash
            and cone == prepared.cone
        )
        if still and tx.versions.reserve(prepared.version, prepared.wheel.data, prepared.after):
            return True
        tx.work.defer(
            job.claim,
            now + self._policy.retry_delay(job.claim.retries),
            "something changed before its publication",
            counts_as_attempt=False,
        )
        return False

    # Delivering

    def _deliver_all(self, prepared: Sequence[_Prepared]) -> None:
        by_name = {each.job.name: each for each in prepared}
        delivered = self._of_each(
            [each.job for each in prepared],
            lambda job: self._uploader.deliver_unseen(by_name[job.name].wheel),
        )
        done = [(by_name[job.name], delivery) for job, delivery in delivered]
        if not done:
            return

        def confirm(tx: Transaction) -> None:
            now = self._clock.now()
            self._delivered(tx, [(each.version, delivery) for each, delivery in done])
            for each, delivery in done:
                if not tx.work.holds(each.job.claim):
                    continue
                if delivery is Delivery.PUBLISHED:
                    end(tx, each.job.claim)
                else:
                    tx.work.defer(
                        each.job.claim, now, "its number was taken", counts_as_attempt=False
                    )

        self._state.write(confirm)
        for each, delivery in done:
            self._tell(each.version, delivery)

    def _delivered(
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
                tx.graph.write_published(version.relation, newest.content_hash)

    def _tell(self, version: VersionRecord, delivery: Delivery) -> None:
        fields = {
            "relation": str(version.relation),
            "distribution": version.distribution,
            "number": version.number,
        }
        match delivery:
            case Delivery.PUBLISHED:
                self._counters.add("published")
                log.info("version published", extra={**fields, "change": version.change})
            case Delivery.CONFLICT:
                self._counters.add("conflicts")
                log.error("version number taken by other bytes: unusable", extra=fields)

    def _keep(self, held: _Held, jobs: Sequence[Job]) -> None:
        """Prolongs the leases of a batch that takes long: a slow index is no dead worker."""
        now = self._clock.now()
        if now - held.since > self._policy.lease_seconds / 4:
            until = now + self._policy.lease_seconds
            self._state.write(lambda tx: tx.work.renew((job.claim for job in jobs), until))
            held.since = now

    # Putting off

    def _defer_for_index(self, claims: Sequence[Claim], error: PackageIndexError) -> None:
        self._counters.add("index_failures")
        log.warning("package index failed", extra={"why": str(error)})
        self._defer(claims, str(error))

    def _defer(self, claims: Sequence[Claim], reason: str) -> None:
        now = self._clock.now()

        def defer(tx: Transaction) -> None:
            for claim in claims:
                until = now + self._policy.retry_delay(claim.retries)
                tx.work.defer(claim, until, reason, counts_as_attempt=False)

        if claims:
            self._state.write(defer)
