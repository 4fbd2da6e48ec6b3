"""The second reading: all facts that a derivation used must have held at one moment.

A relation without upstreams was read at one moment. With upstreams, equal facts at two readings of
all of them mean that there was a moment between the two at which all those facts held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.facts_json import facts_hash
from lakeschema.catalog.identifiers import RelationName
from publisher.publishing.jobs import Confirmed, Job
from publisher.runtime import Runtime
from publisher.settling.claims import defer, end_claim, retry_later
from publisher.settling.cones import Cone
from publisher.settling.cones import cones as cones_of
from publisher.settling.findings import CatalogReader
from publisher.state.protocol import Transaction
from publisher.state.records import Claim, Urgency, VersionRecord, WorkRequest

FactsHashes = Mapping[RelationName, str | None]


class Recheck:
    def __init__(self, runtime: Runtime, reader: CatalogReader) -> None:
        self._runtime = runtime
        self._reader = reader

    def confirm(self, jobs: Sequence[tuple[Job, Sequence[VersionRecord]]]) -> Sequence[Confirmed]:
        """The jobs that may be published; the others are deferred, and what changed is read again."""
        cones = self._runtime.state.read(lambda tx: cones_of(tx, [job.name for job, _ in jobs]))
        names = {n for cone in cones.values() if len(cone.facts) > 1 for n in cone.facts}
        try:
            current, event_id = self._read(names)
        except CatalogUnavailable as error:
            defer(self._runtime, [job.claim for job, _ in jobs], str(error))
            return ()
        return [
            Confirmed(job, cones[job.name], history)
            for job, history in jobs
            if self._confirm_or_defer(job.claim, cones[job.name], current, event_id)
        ]

    def _read(self, names: set[RelationName]) -> tuple[FactsHashes, int | None]:
        if not names:
            return {}, None
        found, event_id, _ = self._reader.read(sorted(names))
        return {n: facts_hash(found[n]) if n in found else None for n in names}, event_id

    def _confirm_or_defer(
        self, claim: Claim, cone: Cone, current: FactsHashes, event_id: int | None
    ) -> bool:
        if not cone.settled:
            defer(self._runtime, [claim], "an upstream changed")
            return False
        if len(cone.facts) > 1 and event_id is not None and event_id < (cone.read_event_id or -1):
            defer(self._runtime, [claim], "the catalog's answer is older than the last one")
            return False
        changed = self.changed(cone.facts, current)
        if changed:
            self._read_again(claim, changed, event_id)
        return not changed

    def changed(self, derived_from: FactsHashes, current: FactsHashes) -> Sequence[RelationName]:
        """Relations whose facts are no longer those derived from."""
        if len(derived_from) == 1:
            return ()
        return [name for name, hash_ in derived_from.items() if current[name] != hash_]

    def _read_again(
        self, claim: Claim, names: Sequence[RelationName], event_id: int | None
    ) -> None:
        now = self._runtime.clock.now()
        self._runtime.counters.add("changed_before_publication")
        later = retry_later(claim, "an upstream changed", now, self._runtime.policy)

        def request(tx: Transaction) -> None:
            end_claim(tx, claim, later)
            tx.work.request(
                WorkRequest(name, now, Urgency.REFRESH, min_event_id=event_id) for name in names
            )

        self._runtime.state.write(request)
