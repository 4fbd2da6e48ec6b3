"""Turns claims into findings: each relation's present facts, and its schema.

Reads the catalog and derives; writes nothing. A finding names the upstream interfaces of its
derivation, so that the caller can check that they are still current before it commits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeAlias, assert_never

from lakeschema.avro.fingerprint import sha256
from lakeschema.catalog.catalogs import names_by_part, part_of, parts_of
from lakeschema.catalog.errors import (
    CatalogDown,
    CatalogRefused,
    CatalogUnavailable,
    MalformedName,
    SchemaUnreachable,
)
from lakeschema.catalog.facts_json import facts_hash
from lakeschema.catalog.identifiers import RelationName, check_parts
from lakeschema.catalog.listing import check_it_answers
from lakeschema.catalog.relations import Catalog, Relation
from lakeschema.translation.deriving.deriver import DerivationCrashed, Deriver
from lakeschema.translation.deriving.recorded_views import as_recorded
from lakeschema.translation.deriving.upstream_first import unusable_upstream
from lakeschema.translation.model.interface import Interface
from lakeschema.translation.model.outcome import Derived, Failed, Outcome, Status
from publisher.runtime import Clock, Runtime, map_at_once, retrying
from publisher.settling.deriving import derivation_from_text, derivation_to_text
from publisher.settling.freshness import Freshness, freshness, second_look
from publisher.state.records import Claim, Edge, MemoEntry, Output, RelationRecord


@dataclass(frozen=True, slots=True)
class Reading:
    """One relation as the catalog returned it.

    Attributes:
        relation: None if the relation does not exist.
        at_least: the reading reflects this event and all earlier events; None without event ids.
        at_most: the reading reflects no event after this one; None without event ids.
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
    """The outcome of a derivation, from the memo or computed now.

    Attributes:
        used: the interface hash of each direct upstream at the derivation.
        output: the hashes of the result, without the content hash; None unless ``Derived``.
        derivation: its stored text; None unless ``Derived``.
    """

    outcome: Outcome
    used: Mapping[RelationName, str]
    inputs_hash: str
    output: Output | None = None
    derivation: str | None = None


@dataclass(frozen=True, slots=True)
class Unchanged:
    """No input of the derivation has changed since the derivation.

    ``inputs_hash``: None for a member of a cycle, which has no derivation.
    """

    used: Mapping[RelationName, str]
    inputs_hash: str | None


@dataclass(frozen=True, slots=True)
class Waiting:
    """There is nothing to derive: an upstream is not settled, or the relation does not exist."""


Conclusion: TypeAlias = Settled | Unchanged | Waiting


@dataclass(frozen=True, slots=True)
class Finding:
    """The facts and the outcome of a relation.

    ``upstreams``: the direct upstreams in the relation's text.
    """

    reading: Reading
    facts_hash: str | None
    upstreams: tuple[RelationName, ...]
    conclusion: Conclusion


@dataclass(frozen=True, slots=True)
class Crashed:
    """The derivation crashed. It counts as an attempt."""

    claim: Claim
    reason: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The catalog's answer for one name; see ``Reading``."""

    relation: Relation | None
    at_least: int | None
    at_most: int | None


Answers: TypeAlias = Mapping[RelationName, Answer | Exception]
"""For each name the catalog's answer, or the error for this name."""


class _PartReader:
    """Reads facts of one catalog in one batch, between two reads of its event id."""

    def __init__(self, catalog: Catalog, clock: Clock) -> None:
        self._catalog = catalog
        self._retrying = retrying((CatalogUnavailable,), clock)

    def read(self, names: Sequence[RelationName]) -> Answers:
        """Answers for all names; if the reading of one name fails, the other answers are not affected.

        Raises:
            CatalogUnavailable: the catalog does not answer at all.
        """
        if not names:
            return {}
        try:
            return self._retrying(self._read, names)
        except CatalogUnavailable:
            # The catalog may be away, or one of the names may break the connection.
            self._check_it_answers()
            if len(names) == 1:
                return {names[0]: self._read_again(names[0])}
        except Exception as error:  # noqa: BLE001 (recorded as the name's failure)
            if len(names) == 1:
                return {names[0]: error}
        middle = len(names) // 2
        return {**self.read(names[:middle]), **self.read(names[middle:])}

    def _read_again(self, name: RelationName) -> Answer | Exception:
        """Reads a failed name again.

        The failure may come from an outage that has just ended.
        """
        try:
            return self._read([name])[name]
        except CatalogUnavailable as error:
            self._check_it_answers()
            return error
        except Exception as error:  # noqa: BLE001 (recorded as the name's failure)
            return error

    def _check_it_answers(self) -> None:
        check_it_answers(self._catalog)
        self._event_id()

    def _read(self, names: Sequence[RelationName]) -> Answers:
        before = self._event_id()
        found = self._catalog.read(names)
        after = self._event_id()
        return {name: Answer(found.get(name), before, after) for name in names}

    def _event_id(self) -> int | None:
        """The newest event id.

        A refusal here is not a relation's fault: a server that shuts down refuses like this.
        """
        try:
            return self._catalog.current_event_id()
        except CatalogRefused as error:
            raise CatalogUnavailable(error.catalog, str(error)) from error


class CatalogReader:
    """Reads facts in one batch of each catalog, between two reads of that catalog's event id."""

    def __init__(self, catalog: Catalog, clock: Clock) -> None:
        self._catalog = catalog
        self._clock = clock
        self._parts = {name: _PartReader(part, clock) for name, part in parts_of(catalog).items()}
        self._silent: dict[str, _Silence] = {}

    def read(self, names: Sequence[RelationName]) -> Answers:
        """Answers for all names; if the reading of one name fails, the other answers are not affected.

        If one of several catalogs does not answer, ``CatalogDown`` is the answer for its names.

        Raises:
            CatalogUnavailable: the only catalog does not answer.
        """
        answers: dict[RelationName, Answer | Exception] = {}
        for catalog, some in names_by_part(names).items():
            try:
                answers |= self._read_part(catalog, some)
            except CatalogUnavailable as error:
                if len(self._parts) == 1:
                    raise
                down = CatalogDown(error.catalog, error.reason, error.hint)
                answers |= dict.fromkeys(some, down)
        return answers

    def _read_part(self, catalog: str, names: Sequence[RelationName]) -> Answers:
        try:
            part_of(self._catalog, catalog)
        except CatalogRefused as error:
            return dict.fromkeys(names, error)
        began = self._clock.now()
        silence = self._silent.get(catalog)
        if silence is not None and began < silence.until:
            raise silence.error
        try:
            answers = self._parts[catalog].read(names)
        except CatalogUnavailable as error:
            if len(self._parts) > 1:
                # Names of other catalogs do not wait for every time-out of this one.
                now = self._clock.now()
                self._silent[catalog] = _Silence(error, now + (now - began))
            raise
        self._silent.pop(catalog, None)
        return answers


@dataclass(frozen=True, slots=True)
class _Silence:
    """The time until which a catalog is not asked, because it did not answer."""

    error: CatalogUnavailable
    until: float


@dataclass(frozen=True, slots=True)
class ClaimedReadings:
    """The readings of claimed relations.

    ``stale``: claims for which the catalog's answer is too old.
    """

    fresh: Sequence[Reading]
    stale: Sequence[Claim]
    failed: Sequence[tuple[Claim, Exception]]


def read_claimed(
    reader: CatalogReader,
    claims: Sequence[Claim],
    records: Mapping[RelationName, RelationRecord],
    runtime: Runtime,
) -> ClaimedReadings:
    """The catalog's answers for the claimed relations, if they are new enough."""
    answers = reader.read([claim.relation for claim in claims])
    fresh: list[Reading] = []
    stale: list[Claim] = []
    failed: list[tuple[Claim, Exception]] = []
    for claim in claims:
        answer = answers[claim.relation]
        if isinstance(answer, Exception):
            failed.append((claim, answer))
            continue
        record = records.get(claim.relation)
        unreachable = schema_unreachable(answer)
        if unreachable is not None and record is not None and record.status is Status.OK:
            # Earlier derivations of the relation and its dependents stay.
            failed.append((claim, unreachable))
            continue
        match freshness(claim, record, answer.at_least, runtime.policy):
            case Freshness.STALE:
                stale.append(claim)
            case Freshness.FRESH:
                fresh.append(_reading(claim, answer, record))
            case Freshness.UNPROVEN:
                runtime.counters.add("unproven_readings")
                later = second_look(claim, answer.at_least, runtime.clock.now(), runtime.policy)
                fresh.append(_reading(later, answer, record))
            case other:
                assert_never(other)
    return ClaimedReadings(fresh, stale, failed)


def schema_unreachable(answer: Answer) -> SchemaUnreachable | None:
    """Why the files with the relation's schema could not be read, or None."""
    relation = answer.relation
    if relation is None or relation.schema_pointer is None:
        return None
    return SchemaUnreachable(relation.schema_pointer.format.value, relation.unreadable or "")


def _reading(claim: Claim, answer: Answer, record: RelationRecord | None) -> Reading:
    reading = Reading(claim, answer.relation, answer.at_least, answer.at_most)
    if claim.failures and (record is None or record.facts_hash != reading.facts_hash):
        # The earlier failures belong to another state of the relation.
        return replace(reading, claim=replace(claim, failures=0))
    return reading


@dataclass(slots=True)
class _Candidate:
    """A reading that still lacks a conclusion."""

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
        self._questions_at_once = runtime.policy.questions_at_once
        self._interface = lru_cache(maxsize=4096)(_interface_of)

    def investigate(self, readings: Sequence[Reading]) -> Sequence[Finding | Crashed]:
        names = [reading.name for reading in readings]
        records, edges = self._state.read(
            lambda tx: (tx.graph.records(names), tx.graph.edges_of(names))
        )
        results: dict[RelationName, Finding | Crashed] = {}
        candidates: list[_Candidate] = []
        for reading in readings:
            record = records.get(reading.name)
            prepared = self._prepare(reading, record, edges[reading.name])
            if isinstance(prepared, _Candidate):
                candidates.append(prepared)
            else:
                results[reading.name] = prepared
        results.update(self._conclude(candidates, records))
        return [results[name] for name in names]

    def _prepare(
        self, reading: Reading, record: RelationRecord | None, edges: Sequence[Edge]
    ) -> Finding | Crashed | _Candidate:
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
            # A member leaves a cycle only when its own facts change.
            return Finding(reading, hash_, tuple(e.upstream for e in edges), Unchanged({}, None))
        known = None if record is None or record.stale else record.inputs
        if known is not None and known.facts_hash == hash_:
            used = {edge.upstream: edge.used or "" for edge in edges}
            if self._deriver.inputs_hash(relation, used) == known.inputs_hash:
                return Finding(reading, hash_, tuple(used), Unchanged(used, known.inputs_hash))
        try:
            upstreams = self._deriver.upstreams(relation)
        except DerivationCrashed as error:
            return Crashed(reading.claim, error.reason)
        if not isinstance(upstreams, Failed):
            upstreams = _usable(upstreams)
        if isinstance(upstreams, Failed):
            return _Candidate(reading, hash_, (), relation, failed=upstreams)
        return _Candidate(reading, hash_, upstreams, relation)

    def _conclude(
        self, candidates: Sequence[_Candidate], records: Mapping[RelationName, RelationRecord]
    ) -> Mapping[RelationName, Finding | Crashed]:
        named = {upstream for candidate in candidates for upstream in candidate.upstreams}
        # One transaction, so that each hash belongs to the interface read with it.
        upstreams, derivations = self._state.read(
            lambda tx: (tx.graph.records(named), tx.graph.derivations(named))
        )
        results: dict[RelationName, Finding | Crashed] = {}
        ready: list[_Candidate] = []
        for candidate in candidates:
            name = candidate.reading.name
            if any(
                u not in upstreams or upstreams[u].stale or u == name for u in candidate.upstreams
            ):
                results[name] = _finding(candidate, Waiting())
                continue
            candidate.hashes = {u: upstreams[u].visible_hash for u in candidate.upstreams}
            candidate.inputs_hash = self._deriver.inputs_hash(candidate.relation, candidate.hashes)
            record = records.get(name)
            if record is not None and record.inputs_hash == candidate.inputs_hash:
                results[name] = _finding(
                    candidate, Unchanged(candidate.hashes, candidate.inputs_hash)
                )
            else:
                ready.append(candidate)
        results.update(self._derive(ready, upstreams, derivations))
        return results

    def _derive(
        self,
        candidates: Sequence[_Candidate],
        upstreams: Mapping[RelationName, RelationRecord],
        derivations: Mapping[RelationName, str],
    ) -> Mapping[RelationName, Finding | Crashed]:
        if not candidates:
            return {}
        hashes = [candidate.inputs_hash for candidate in candidates]
        memo = self._state.read(lambda tx: tx.memo.recall(hashes))

        def conclude(candidate: _Candidate) -> Finding | Crashed:
            try:
                settled = self._derive_candidate(candidate, upstreams, memo, derivations)
            except DerivationCrashed as error:
                return Crashed(candidate.reading.claim, error.reason)
            return _finding(candidate, settled)

        results = map_at_once(self._questions_at_once, conclude, candidates)
        names = (candidate.reading.name for candidate in candidates)
        return dict(zip(names, results, strict=True))

    def _derive_candidate(
        self,
        candidate: _Candidate,
        upstreams: Mapping[RelationName, RelationRecord],
        memo: Mapping[str, MemoEntry],
        derivations: Mapping[RelationName, str],
    ) -> Settled:
        if candidate.failed is not None:
            return self._settle_failed(candidate, candidate.failed)
        unusable = [u for u in candidate.upstreams if upstreams[u].status is not Status.OK]
        recorded = as_recorded(candidate.relation, [upstreams[u].status for u in unusable])
        if recorded is not None:
            return self._settle(candidate, self._deriver.derive(recorded, {}))
        if unusable:
            return self._settle_failed(
                candidate, _fail_for_upstream(candidate.reading.name, upstreams[unusable[0]])
            )
        entry = memo.get(candidate.inputs_hash)
        if entry is not None:
            self._counters.add("memo_hits")
            return self._settle_from_memo(candidate, entry)
        interfaces = {
            u: self._interface(u, candidate.hashes[u], derivations[u]) for u in candidate.upstreams
        }
        return self._settle(candidate, self._deriver.derive(candidate.relation, interfaces))

    def _settle(self, candidate: _Candidate, outcome: Outcome) -> Settled:
        self._counters.add("derived")
        match outcome:
            case Failed():
                return self._settle_failed(candidate, outcome)
            case Derived(derivation):
                omitted = len(derivation.interface.omitted)
                if omitted:
                    self._counters.add("columns_omitted", omitted)
                return self._settle_derived(candidate, outcome, derivation_to_text(derivation))

    def _settle_from_memo(self, candidate: _Candidate, entry: MemoEntry) -> Settled:
        if entry.derivation is None:
            return self._settle_failed(candidate, Failed(entry.status, entry.reason))
        outcome = Derived(derivation_from_text(entry.derivation))
        return self._settle_derived(candidate, outcome, entry.derivation)

    def _settle_derived(self, candidate: _Candidate, outcome: Derived, text: str) -> Settled:
        interface = outcome.derivation.interface
        output = Output(
            self._deriver.interface_hash(interface), fingerprint=sha256(interface.schema)
        )
        return Settled(outcome, candidate.hashes, candidate.inputs_hash, output, text)

    def _settle_failed(self, candidate: _Candidate, failed: Failed) -> Settled:
        return Settled(failed, candidate.hashes, candidate.inputs_hash)


def _usable(upstreams: tuple[RelationName, ...]) -> tuple[RelationName, ...] | Failed:
    """The upstreams, if all their names are valid in the state and in catalogs."""
    try:
        for upstream in upstreams:
            check_parts(upstream.parts)
    except MalformedName as error:
        return Failed(Status.BROKEN, ascii(str(error)))
    return upstreams


def _finding(candidate: _Candidate, conclusion: Conclusion) -> Finding:
    return Finding(candidate.reading, candidate.facts_hash, candidate.upstreams, conclusion)


def _fail_for_upstream(name: RelationName, upstream: RelationRecord) -> Failed:
    exists = upstream.status is not Status.MISSING
    failed = Failed(upstream.status, upstream.reason) if exists else None
    return unusable_upstream(name, upstream.name, failed)


def _interface_of(_name: RelationName, _interface_hash: str, derivation: str) -> Interface:
    return derivation_from_text(derivation).interface


def outcome_of(found: Finding | Crashed) -> tuple[RelationName, str]:
    """The relation, and in a word what was found, for traces."""
    match found:
        case Crashed(claim=claim):
            return claim.relation, "crashed"
        case Finding(reading=reading, conclusion=Settled(outcome=Failed(status=status))):
            return reading.name, status.value
        case Finding(reading=reading, conclusion=Settled()):
            return reading.name, "derived"
        case Finding(reading=reading, conclusion=Unchanged()):
            return reading.name, "unchanged"
        case Finding(reading=reading):
            return reading.name, "waits"
