"""From claims to findings: what each relation is now and what follows for its schema.

Reads the catalog and derives; writes nothing. A finding names the upstream interfaces that it is
of, so that whoever commits it can see whether they still stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from lakeschema.avro.fingerprint import sha256
from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.facts_json import facts_hash
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog, Relation
from lakeschema.translation.interface import Interface
from lakeschema.translation.outcome import Derived, Failed, Outcome, Status
from lakeschema.translation.upstream_first import unusable_upstream
from publisher.runtime import Clock, Runtime, retrying
from publisher.settling.deriving import (
    DerivationDied,
    Deriver,
    derivation_from_text,
    derivation_to_text,
)
from publisher.state.records import Claim, Edge, MemoEntry, RelationRecord


@dataclass(frozen=True, slots=True)
class Reading:
    """One relation as the catalog showed it.

    Attributes:
        relation: None if the catalog has no such relation.
        at_least: the reading reflects this event and all before it; None without event ids.
        at_most: and none after this one.
    """

    claim: Claim
    relation: Relation | None
    at_least: int | None
    at_most: int | None

    @property
    def name(self) -> RelationName:
        return self.claim.relation

    @property
    def facts_hash(self) -> str | None:
        return None if self.relation is None else facts_hash(self.relation)


@dataclass(frozen=True, slots=True)
class Settled:
    """A derivation, remembered or done now.

    Attributes:
        used: interface hash of each direct upstream that it is of.
        interface_hash, fingerprint: of its interface and its schema; None unless ``Derived``.
        derivation: None unless ``Derived``; as the state keeps it.
    """

    outcome: Outcome
    used: Mapping[RelationName, str]
    inputs_hash: str
    interface_hash: str | None
    fingerprint: str | None
    derivation: str | None


@dataclass(frozen=True, slots=True)
class Unchanged:
    """Nothing that goes into the derivation changed since it was made.

    ``inputs_hash`` is None for a member of a cycle, which has no derivation.
    """

    used: Mapping[RelationName, str]
    inputs_hash: str | None


@dataclass(frozen=True, slots=True)
class Waiting:
    """An upstream is not settled, so that there is nothing to derive from yet."""


Conclusion: TypeAlias = Settled | Unchanged | Waiting


@dataclass(frozen=True, slots=True)
class Finding:
    """``upstreams`` are the direct ones that the relation's text names."""

    reading: Reading
    facts_hash: str | None
    upstreams: tuple[RelationName, ...]
    conclusion: Conclusion


@dataclass(frozen=True, slots=True)
class Died:
    """Its derivation died; the attempt counts."""

    claim: Claim
    reason: str


class CatalogReader:
    """Reads facts in one batch, between two looks at the catalog's event id."""

    def __init__(self, catalog: Catalog, clock: Clock) -> None:
        self._catalog = catalog
        self._retrying = retrying((CatalogUnavailable,), clock)

    def read(
        self, names: Sequence[RelationName]
    ) -> tuple[Mapping[RelationName, Relation], int | None, int | None]:
        """Facts, and the event ids that were current before and after reading them.

        Raises:
            CatalogUnavailable: after three tries.
        """
        return self._retrying(self._read, names)

    def _read(
        self, names: Sequence[RelationName]
    ) -> tuple[Mapping[RelationName, Relation], int | None, int | None]:
        before = self._catalog.current_event_id()
        found = self._catalog.read(names)
        return found, before, self._catalog.current_event_id()


def readings(
    reader: CatalogReader,
    claims: Sequence[Claim],
    records: Mapping[RelationName, RelationRecord],
) -> tuple[Sequence[Reading], Sequence[Claim]]:
    """What the claims' relations are, and the claims for which the catalog's answer is too old."""
    found, at_least, at_most = reader.read([claim.relation for claim in claims])
    fresh: list[Reading] = []
    stale: list[Claim] = []
    for claim in claims:
        if at_least is not None and at_least < needed_event_id(claim, records):
            stale.append(claim)
        else:
            fresh.append(Reading(claim, found.get(claim.relation), at_least, at_most))
    return fresh, stale


def needed_event_id(claim: Claim, records: Mapping[RelationName, RelationRecord]) -> int:
    """The event that a reading must reflect: the newest hint's, and the last reading's."""
    record = records.get(claim.relation)
    last = record.read_event_id if record is not None else None
    return max(claim.min_event_id or -1, last or -1)


@dataclass(slots=True)
class _Draft:
    """A reading on its way to a finding."""

    reading: Reading
    facts_hash: str
    upstreams: tuple[RelationName, ...]
    relation: Relation
    failed: Failed | None = None
    hashes: dict[RelationName, str] = field(default_factory=dict)
    inputs_hash: str = ""


class Investigator:
    """Turns readings into findings with the help of the state, the memo and the deriver."""

    def __init__(self, runtime: Runtime, deriver: Deriver) -> None:
        self._state = runtime.state
        self._deriver = deriver
        self._counters = runtime.counters
        self._interface = lru_cache(maxsize=4096)(_interface_of)

    def investigate(self, readings_: Sequence[Reading]) -> Sequence[Finding | Died]:
        names = [reading.name for reading in readings_]
        records, edges = self._state.read(
            lambda tx: (tx.graph.records(names), tx.graph.edges_of(names))
        )
        results: dict[RelationName, Finding | Died] = {}
        drafts: list[_Draft] = []
        for reading in readings_:
            record = records.get(reading.name)
            prepared = self._prepare(reading, record, edges[reading.name])
            if isinstance(prepared, _Draft):
                drafts.append(prepared)
            else:
                results[reading.name] = prepared
        results.update(self._conclude(drafts, records))
        return [results[name] for name in names]

    def _prepare(
        self, reading: Reading, record: RelationRecord | None, edges: Sequence[Edge]
    ) -> Finding | Died | _Draft:
        relation = reading.relation
        if relation is None:
            return Finding(reading, None, (), Waiting())
        hash_ = facts_hash(relation)
        if (
            record is not None
            and record.status is Status.CYCLE
            and not record.stale
            and record.facts_hash == hash_
        ):
            # Its members leave a cycle only by their own facts.
            return Finding(reading, hash_, tuple(e.upstream for e in edges), Unchanged({}, None))
        if record is not None and record.derived_facts_hash == hash_ and not record.stale:
            used = {edge.upstream: edge.used or "" for edge in edges}
            if self._deriver.inputs_hash(relation, used) == record.inputs_hash:
                return Finding(reading, hash_, tuple(used), Unchanged(used, record.inputs_hash))
        try:
            upstreams = self._deriver.upstreams(relation)
        except DerivationDied as error:
            return Died(reading.claim, error.reason)
        if isinstance(upstreams, Failed):
            return _Draft(reading, hash_, (), relation, failed=upstreams)
        return _Draft(reading, hash_, upstreams, relation)

    def _conclude(
        self, drafts: Sequence[_Draft], records: Mapping[RelationName, RelationRecord]
    ) -> Mapping[RelationName, Finding | Died]:
        named = {upstream for draft in drafts for upstream in draft.upstreams}
        # In one transaction: a hash and the interface that it is of must not drift apart.
        upstreams, derivations = self._state.read(
            lambda tx: (tx.graph.records(named), tx.graph.derivations(named))
        )
        results: dict[RelationName, Finding | Died] = {}
        ready: list[_Draft] = []
        for draft in drafts:
            name = draft.reading.name
            if any(u not in upstreams or upstreams[u].stale or u == name for u in draft.upstreams):
                results[name] = _finding(draft, Waiting())
                continue
            draft.hashes = {u: upstreams[u].visible_hash for u in draft.upstreams}
            draft.inputs_hash = self._deriver.inputs_hash(draft.relation, draft.hashes)
            record = records.get(name)
            if (
                record is not None
                and record.inputs_hash == draft.inputs_hash
                and record.status is not Status.CYCLE
            ):
                results[name] = _finding(draft, Unchanged(draft.hashes, draft.inputs_hash))
            else:
                ready.append(draft)
        results.update(self._derive(ready, upstreams, derivations))
        return results

    def _derive(
        self,
        drafts: Sequence[_Draft],
        upstreams: Mapping[RelationName, RelationRecord],
        derivations: Mapping[RelationName, str],
    ) -> Mapping[RelationName, Finding | Died]:
        if not drafts:
            return {}
        hashes = [draft.inputs_hash for draft in drafts]
        memo = self._state.read(lambda tx: tx.memo.recall(hashes))
        results: dict[RelationName, Finding | Died] = {}
        for draft in drafts:
            name = draft.reading.name
            try:
                settled = self._settled(draft, upstreams, memo, derivations)
            except DerivationDied as error:
                results[name] = Died(draft.reading.claim, error.reason)
            else:
                results[name] = _finding(draft, settled)
        return results

    def _settled(
        self,
        draft: _Draft,
        upstreams: Mapping[RelationName, RelationRecord],
        memo: Mapping[str, MemoEntry],
        derivations: Mapping[RelationName, str],
    ) -> Settled:
        if draft.failed is not None:
            return self._failed(draft, draft.failed)
        unusable = [u for u in draft.upstreams if upstreams[u].status is not Status.OK]
        if unusable:
            return self._failed(draft, _unusable(draft.reading.name, upstreams[unusable[0]]))
        remembered = memo.get(draft.inputs_hash)
        if remembered is not None:
            self._counters.add("memo_hits")
            return self._remembered(draft, remembered)
        interfaces = {
            u: self._interface(u, draft.hashes[u], derivations[u]) for u in draft.upstreams
        }
        outcome = self._deriver.derive(draft.relation, interfaces)
        self._counters.add("derived")
        match outcome:
            case Failed():
                return self._failed(draft, outcome)
            case Derived(derivation):
                return self._derived(draft, outcome, derivation_to_text(derivation))

    def _remembered(self, draft: _Draft, entry: MemoEntry) -> Settled:
        if entry.derivation is None:
            return self._failed(draft, Failed(entry.status, entry.reason))
        outcome = Derived(derivation_from_text(entry.derivation))
        return self._derived(draft, outcome, entry.derivation)

    def _derived(self, draft: _Draft, outcome: Derived, text: str) -> Settled:
        return Settled(
            outcome=outcome,
            used=draft.hashes,
            inputs_hash=draft.inputs_hash,
            interface_hash=self._deriver.interface_hash(outcome.derivation.interface),
            fingerprint=sha256(outcome.derivation.interface.schema),
            derivation=text,
        )

    def _failed(self, draft: _Draft, failed: Failed) -> Settled:
        return Settled(
            outcome=failed,
            used=draft.hashes,
            inputs_hash=draft.inputs_hash,
            interface_hash=None,
            fingerprint=None,
            derivation=None,
        )


def _finding(draft: _Draft, conclusion: Conclusion) -> Finding:
    return Finding(draft.reading, draft.facts_hash, draft.upstreams, conclusion)


def _unusable(name: RelationName, upstream: RelationRecord) -> Failed:
    exists = upstream.status is not Status.MISSING
    failed = Failed(upstream.status, upstream.reason) if exists else None
    return unusable_upstream(name, upstream.name, failed)


def _interface_of(_name: RelationName, _interface_hash: str, derivation: str) -> Interface:
    return derivation_from_text(derivation).interface
