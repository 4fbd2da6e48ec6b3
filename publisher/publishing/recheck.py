"""The second reading: all facts that a derivation used must have held at one moment.

A relation without upstreams was read at one moment. With upstreams, two readings with equal facts
prove that all the facts held at some moment between the readings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.facts_json import facts_hash
from lakeschema.catalog.identifiers import RelationName
from publisher.publishing.jobs import Candidate
from publisher.runtime import Runtime
from publisher.settling.claims import Deferred, end_claim, end_claims, fail
from publisher.settling.cones import Cone
from publisher.settling.findings import Answer, Answers, CatalogReader, schema_unreachable
from publisher.state.protocol import Transaction
from publisher.state.records import Claim, Urgency, WorkRequest

FactsHashes = Mapping[RelationName, str | None]


class Recheck:
    def __init__(self, runtime: Runtime, reader: CatalogReader) -> None:
        self._runtime = runtime
        self._reader = reader

    def confirm(self, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        """The candidates that may be published. Defers all others, and requests a reading of changed relations."""
        names = {n for each in candidates if len(each.cone.facts) > 1 for n in each.cone.facts}
        # Event ids of readings before this time need not be compared, since no replica lags as long.
        since = self._runtime.clock.now() - self._runtime.policy.max_lag_seconds
        try:
            answers = self._reader.read(sorted(names))
        except CatalogUnavailable as error:
            claims = [each.job.claim for each in candidates]
            end_claims(self._runtime, claims, Deferred(str(error)))
            return ()
        return [
            each
            for each in candidates
            if self._confirm_or_defer(each.job.claim, each.cone, answers, since)
        ]

    def _confirm_or_defer(self, claim: Claim, cone: Cone, answers: Answers, since: float) -> bool:
        if not cone.settled:
            end_claims(self._runtime, [claim], Deferred("an upstream changed"))
            return False
        if len(cone.facts) == 1:
            return True
        answered: dict[RelationName, Answer] = {}
        for name in cone.facts:
            answer = answers[name]
            if isinstance(answer, Exception):
                fail(self._runtime, claim, answer)
                return False
            unreachable = schema_unreachable(answer)
            if unreachable is not None and _hash_of(answer) != cone.facts[name]:
                fail(self._runtime, claim, unreachable)
                return False
            answered[name] = answer
        event_ids = _oldest(answered)
        if any(
            event_id < (cone.read_event_id(catalog, since) or -1)
            for catalog, event_id in event_ids.items()
        ):
            older = Deferred("the catalog's answer is older than the last one")
            end_claims(self._runtime, [claim], older)
            return False
        changed = self.changed(cone.facts, {n: _hash_of(a) for n, a in answered.items()})
        if changed:
            self._read_again(claim, changed, event_ids)
        return not changed

    def changed(self, derived_from: FactsHashes, current: FactsHashes) -> Sequence[RelationName]:
        return [name for name, hash_ in derived_from.items() if current[name] != hash_]

    def _read_again(
        self, claim: Claim, names: Sequence[RelationName], event_ids: Mapping[str, int]
    ) -> None:
        now = self._runtime.clock.now()
        self._runtime.counters.add("changed_before_publication")

        def request(tx: Transaction) -> None:
            end_claim(tx, claim, Deferred("an upstream changed"), self._runtime)
            tx.work.request(
                WorkRequest(name, now, Urgency.REFRESH, min_event_id=event_ids.get(name.catalog))
                for name in names
            )

        self._runtime.state.write(request)


def _hash_of(answer: Answer) -> str | None:
    return None if answer.relation is None else facts_hash(answer.relation)


def _oldest(answers: Mapping[RelationName, Answer]) -> Mapping[str, int]:
    """The newest event that all answers of a catalog reflect, for each catalog with event ids."""
    found: dict[str, int] = {}
    for name, answer in answers.items():
        if answer.at_least is not None:
            found[name.catalog] = min(answer.at_least, found.get(name.catalog, answer.at_least))
    return found
