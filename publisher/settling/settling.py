"""Writes findings into the graph of record, inside one transaction.

The ending of the claim is part of the result, and the caller writes it in the same transaction. Two
invariants hold after every transaction. Every dependent of a stale relation, at any distance, is
stale. Every stale relation has outstanding work or a stale upstream, so settling a relation always
finds the relations that wait for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from dependency_graph.graph import cycle_of, cycle_path, graph_of
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.model.errors import DefinedByItself
from lakeschema.translation.model.outcome import Failed, Status, failure
from publisher.notifications.recording import NO_NOTICES, Notices
from publisher.policy import Policy
from publisher.selection import OWNER
from publisher.settling.claims import Abandoned, Done, Ending, Postponed, Reread
from publisher.settling.contents import Content, Packageable, Unfit
from publisher.settling.deletions import DeletionBrake
from publisher.settling.findings import Finding, Reading, Settled, Unchanged, Waiting
from publisher.settling.status_changes import StatusChange
from publisher.state.protocol import Transaction
from publisher.state.records import Claim, Edge, Inputs, RelationRecord, Urgency, WorkRequest


class Verdict(Enum):
    """The next step after a finding was written."""

    ENDED = "ended"
    """Nothing is left; the claim ends."""
    SETTLED = "settled"
    """The derivation is current, but the index lacks it or must be compared. The claim is kept."""
    DROPPED = "dropped"
    """The catalog no longer has it. The claim is kept, because its versions are yanked next."""
    AGAIN = "again"
    """Something changed in between, so the work is due again."""
    HELD = "held"
    """The catalog no longer has it and many others; a person must confirm."""
    LOST = "lost"
    """The claim expired, and another worker may hold it."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """The record that was written, and the ending of the claim.

    Attributes:
        record: the relation as written; None if nothing was written.
        ending: None if the claim is kept, or was lost.
        changes: changed statuses of this relation and of its cycle.
    """

    verdict: Verdict
    record: RelationRecord | None = None
    ending: Ending | None = None
    changes: tuple[StatusChange, ...] = ()


_DONE = Done()


def _end(
    record: RelationRecord, ending: Ending = _DONE, changes: tuple[StatusChange, ...] = ()
) -> Settlement:
    return Settlement(Verdict.ENDED, record, ending, changes)


def _end_or_drop(record: RelationRecord, changes: tuple[StatusChange, ...] = ()) -> Settlement:
    # Without a package it is forgotten once no view names it.
    if record.published_hash is not None and not record.index_check_due:
        return _end(record, changes=changes)
    return Settlement(Verdict.DROPPED, record, changes=changes)


_MAX_OWNER = 200

_OF_A_CYCLE = (Status.CYCLE, Status.QUARANTINED)
"""Statuses of a member of a cycle; a member whose processing crashed still has its edges."""


class Settling:
    """The caller computes package contents, since they depend on the package's names."""

    def __init__(self, policy: Policy, notices: Notices = NO_NOTICES) -> None:
        self._policy = policy
        self._deletions = DeletionBrake(policy, notices)

    def settle(self, tx: Transaction, finding: Finding, content: Content, now: float) -> Settlement:
        claim = finding.reading.claim
        if not tx.work.holds(claim):
            return Settlement(Verdict.LOST)
        name = finding.reading.name
        record = tx.graph.records([name]).get(name, RelationRecord(name))
        if _is_overtaken(finding.reading, record):
            again = Postponed("a version of a newer event was found on the index")
            return Settlement(Verdict.AGAIN, record, again)
        read = _apply_reading(record, finding, now)
        if finding.reading.relation is None:
            settlement = self._settle_missing(tx, read, now)
        else:
            settlement = self._settle_existing(tx, finding, read, content, now)
        changes = _change(record, settlement.record or record)
        return replace(settlement, changes=(*settlement.changes, *changes))

    def quarantine(self, tx: Transaction, claim: Claim, reason: str, now: float) -> Settlement:
        """Stops derivations that keep crashing, until the relation changes or a snapshot retries it."""
        if not tx.work.holds(claim):
            return Settlement(Verdict.LOST)
        name = claim.relation
        record = tx.graph.records([name]).get(name, RelationRecord(name))
        settled = _write_without_output(tx, record, Status.QUARANTINED, reason)
        self._release(tx, [name], changed=True, now=now)
        return _end(settled, Abandoned(), _change(record, settled))

    def _settle_missing(self, tx: Transaction, record: RelationRecord, now: float) -> Settlement:
        # For a relation that only the index knows, the first reading is not trusted either.
        if record.facts_hash is not None or record.is_only_published:
            since = now if record.missing_since is None else record.missing_since
            record = replace(record, missing_since=since)
            again_at = since + self._policy.drop_grace_seconds
            if since == now or now < again_at:
                tx.graph.write(record)
                return _end(record, Reread(again_at))
            if self._deletions.is_released(tx, record, now):
                record = replace(record, missing_since=None)
            elif self._deletions.holds(tx, record, now):
                tx.graph.write(record)
                return Settlement(Verdict.HELD, record, _DONE)
        elif record.status is Status.UNKNOWN:
            record = replace(record, missing_since=now)
        if record.status is Status.MISSING and not record.stale:
            tx.graph.write(record)
            return _end_or_drop(record)
        return self._settle_dropped(tx, record, now)

    def _settle_dropped(self, tx: Transaction, record: RelationRecord, now: float) -> Settlement:
        name = record.name
        changes = self._leave_cycle(tx, record, now)
        dropped = replace(record, facts_hash=None, yanked=False, index_check_due=True)
        reason = "the catalog has no such relation"
        settled = _write_without_output(tx, dropped, Status.MISSING, reason)
        tx.graph.replace_edges(name, ())
        changed = settled.visible_hash != record.visible_hash
        self._release(tx, [name], changed=changed, now=now)
        return _end_or_drop(settled, changes)

    def _settle_existing(
        self,
        tx: Transaction,
        finding: Finding,
        record: RelationRecord,
        content: Content,
        now: float,
    ) -> Settlement:
        name = record.name
        changes: tuple[StatusChange, ...] = ()
        before = {edge.upstream: edge.used for edge in tx.graph.edges_of([name])[name]}
        edges_changed = tuple(before) != finding.upstreams
        if edges_changed:
            changes = self._leave_cycle(tx, record, now)
            self._request_unknown_upstreams(tx, finding, now)
            used = [Edge(name, u, before.get(u)) for u in finding.upstreams]
            tx.graph.replace_edges(name, used)
        upstreams = tx.graph.records(finding.upstreams)
        blocked = self.must_wait(finding, upstreams)
        if finding.upstreams and (edges_changed or blocked or record.status in _OF_A_CYCLE):
            members = cycle_of(
                graph_of((e.dependent, e.upstream) for e in tx.graph.upstream_edges([name])), name
            )
            if members:
                tx.graph.write(record)
                in_cycle = self._settle_cycle(tx, members, now)
                return _end(record, changes=(*changes, *in_cycle))
        if blocked:
            self._write_stale(tx, record)
            return _end(record, changes=changes)
        settlement = self._settle_derived(tx, finding, record, upstreams, content, now)
        return replace(settlement, changes=changes)

    def _settle_derived(
        self,
        tx: Transaction,
        finding: Finding,
        record: RelationRecord,
        upstreams: Mapping[RelationName, RelationRecord],
        content: Content,
        now: float,
    ) -> Settlement:
        if not self.is_current(finding, record, upstreams):
            self._write_stale(tx, record)
            again = Postponed("an upstream changed meanwhile")
            return Settlement(Verdict.AGAIN, record, again)
        assert finding.facts_hash is not None
        match finding.conclusion:
            case Unchanged(used, inputs_hash):
                inputs = Inputs(finding.facts_hash, inputs_hash)
                settled = replace(record, stale=False, inputs=inputs)
                changed = False
            case Settled(used=used) as conclusion:
                settled = _with_derivation(record, conclusion, finding.facts_hash, content)
                changed = settled.visible_hash != record.visible_hash
            case Waiting():
                raise AssertionError("a waiting finding is never current")
        if used:
            # Also for an unchanged one: a text that changed to and fro has new edges.
            edges = [Edge(record.name, u, used[u]) for u in finding.upstreams]
            tx.graph.replace_edges(record.name, edges)
        tx.graph.write(settled)
        if isinstance(finding.conclusion, Settled):
            tx.graph.write_derivation(record.name, finding.conclusion.derivation)
        if changed or record.stale:
            self._release(tx, [record.name], changed=changed, now=now)
        if settled.needs_publication or settled.index_check_due:
            return Settlement(Verdict.SETTLED, settled)
        return _end(settled)

    def must_wait(self, finding: Finding, upstreams: Mapping[RelationName, RelationRecord]) -> bool:
        """Whether an upstream is stale, so that a derivation would mix old and new facts."""
        return any(upstreams[u].stale for u in finding.upstreams)

    def is_current(
        self,
        finding: Finding,
        record: RelationRecord,
        upstreams: Mapping[RelationName, RelationRecord],
    ) -> bool:
        """Whether the finding was derived from the upstreams' present interfaces."""
        match finding.conclusion:
            case Waiting():
                return False
            case Unchanged(used, inputs_hash):
                if record.inputs_hash != inputs_hash:
                    return False
                if record.status is Status.CYCLE:
                    return True
            case Settled(used=used):
                pass
        return all(used.get(u) == upstreams[u].visible_hash for u in finding.upstreams)

    def _request_unknown_upstreams(self, tx: Transaction, finding: Finding, now: float) -> None:
        unknown = tx.graph.add_unknown(u for u in finding.upstreams if u != finding.reading.name)
        tx.graph.add_unknown(finding.upstreams)
        catalog, at_least = finding.reading.name.catalog, finding.reading.at_least
        tx.work.request(
            # Another catalog counts its own events.
            WorkRequest(
                name,
                now,
                Urgency.REFRESH,
                min_event_id=at_least if name.catalog == catalog else None,
            )
            for name in unknown
        )

    def _write_stale(self, tx: Transaction, record: RelationRecord) -> None:
        tx.graph.write(replace(record, stale=True))
        tx.graph.mark_dependents_stale([record.name])

    def _settle_cycle(
        self, tx: Transaction, members: Sequence[RelationName], now: float
    ) -> tuple[StatusChange, ...]:
        edges = [
            (edge.dependent, edge.upstream)
            for of_member in tx.graph.edges_of(members).values()
            for edge in of_member
        ]
        path = cycle_path(graph_of(edges), members)
        changes: list[StatusChange] = []
        for name, record in sorted(tx.graph.records(members).items()):
            reason = failure(DefinedByItself(path, relation=name)).reason
            inputs = None if record.facts_hash is None else Inputs(record.facts_hash)
            settled = _write_without_output(tx, record, Status.CYCLE, reason, inputs)
            changes += _change(record, settled)
        self._release(tx, members, changed=bool(changes), now=now)
        return tuple(changes)

    def _leave_cycle(
        self,
        tx: Transaction,
        record: RelationRecord,
        now: float,
    ) -> tuple[StatusChange, ...]:
        """Reopens the other members of a cycle that ``record`` may leave."""
        if record.status not in _OF_A_CYCLE:
            return ()
        name = record.name
        edges = [(e.dependent, e.upstream) for e in tx.graph.upstream_edges([name])]
        others = [m for m in cycle_of(graph_of(edges), name) if m != name]
        changes: list[StatusChange] = []
        for other in tx.graph.records(others).values():
            reopened = replace(other, status=Status.UNKNOWN, stale=True)
            tx.graph.write(reopened)
            changes += _change(other, reopened)
        tx.graph.mark_dependents_stale(others)
        tx.work.request(WorkRequest(other, now, Urgency.REFRESH) for other in others)
        return tuple(changes)

    def _release(
        self, tx: Transaction, names: Sequence[RelationName], *, changed: bool, now: float
    ) -> None:
        """Unblocks dependents; those with unchanged inputs are current again at once.

        This is the early cutoff: an unchanged interface causes no new derivation.
        """
        if changed:
            tx.graph.mark_dependents_stale(names)
        frontier = list(names)
        while frontier:
            unblocked = tx.graph.unblocked_dependents(frontier)
            frontier = [r.name for r, unchanged in unblocked if unchanged and _is_up_to_date(r)]
            tx.graph.clear_stale(frontier)
            restored = set(frontier)
            tx.work.request(
                WorkRequest(record.name, now, Urgency.REFRESH)
                for record, _ in unblocked
                if record.name not in restored
            )


def _write_without_output(
    tx: Transaction,
    record: RelationRecord,
    status: Status,
    reason: str,
    inputs: Inputs | None = None,
) -> RelationRecord:
    settled = replace(record, status=status, stale=False, reason=reason, inputs=inputs, output=None)
    tx.graph.write(settled)
    tx.graph.write_derivation(record.name, None)
    return settled


def _change(before: RelationRecord, after: RelationRecord) -> tuple[StatusChange, ...]:
    """The change of status; empty if the status is the same."""
    if before.status is after.status:
        return ()
    return (StatusChange(after.name, before.status, after.status, after.reason),)


def _apply_reading(record: RelationRecord, finding: Finding, now: float) -> RelationRecord:
    """The record with the facts and the event id of the reading."""
    record = replace(record, read_event_id=_read_event_id(record, finding.reading), read_at=now)
    if finding.facts_hash is None:
        return record
    returned = record.facts_hash is None
    return replace(
        record,
        facts_hash=finding.facts_hash,
        missing_since=None,
        yanked=False,
        # Its versions are yanked, or a killed worker had begun to yank them.
        index_check_due=record.index_check_due or record.yanked,
        incarnation=record.incarnation + returned,
        kind=_kind(finding.reading.relation) or record.kind,
        owner=_owner(finding.reading.relation),
    )


def _kind(relation: Relation | None) -> str:
    """The kind of the relation; empty if the catalog does not tell it."""
    if relation is None or relation.unreadable is not None:
        return ""
    return "view" if relation.is_view else "table"


def _owner(relation: Relation | None) -> str:
    """The owner in a form that a state can store: the property is untrusted text."""
    stated = "" if relation is None else relation.properties.get(OWNER, "")
    return stated[:_MAX_OWNER].replace("\0", "").encode("utf-8", "replace").decode()


def _is_overtaken(reading: Reading, record: RelationRecord) -> bool:
    """Whether a version that was adopted since the claim requires a newer reading."""
    return (
        reading.at_least is not None
        and record.read_at is not None
        and record.read_at > reading.claim.claimed_at
        and reading.at_least < (record.read_event_id or -1)
    )


def _read_event_id(record: RelationRecord, reading: Reading) -> int | None:
    """The newest event that an answer may reflect.

    If ids started again, only this reading counts.
    """
    known, at_most = record.read_event_id, reading.at_most
    if known is None or at_most is None:
        return known if at_most is None else at_most
    started_again = reading.at_least is not None and reading.at_least < known
    return at_most if started_again else max(known, at_most)


def _is_up_to_date(record: RelationRecord) -> bool:
    """Whether a relation needs no work as long as its upstreams are unchanged."""
    derived = record.inputs is not None and record.inputs.facts_hash == record.facts_hash
    match record.status:
        case Status.OK:
            return derived and not record.needs_publication
        case Status.BROKEN | Status.UNSUPPORTED | Status.UNREACHABLE:
            return derived
        case _:
            return False


def _with_derivation(
    record: RelationRecord, settled: Settled, facts_hash: str, content: Content
) -> RelationRecord:
    status, reason = Status.OK, ""
    content_hash: str | None = None
    match settled.outcome, content:
        case Failed() as failed, _:
            status, reason = failed.status, failed.reason
        case _, Packageable(content_hash):
            pass
        case _, Unfit() as unfit:
            reason = unfit.reason
        case _:
            pass
    return replace(
        record,
        status=status,
        reason=reason,
        stale=False,
        inputs=Inputs(facts_hash, settled.inputs_hash),
        output=settled.output and replace(settled.output, content_hash=content_hash),
    )
