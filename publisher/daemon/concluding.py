"""Concludes findings: settles them in one transaction, then publishes or yanks.

The actions at the index are known only at the end of the transaction: a later finding may change the
result of an earlier finding.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.interface import Derivation
from lakeschema.translation.model.outcome import Derived
from publisher.daemon.canary import Contents
from publisher.publishing.jobs import Job
from publisher.publishing.publisher import Publisher
from publisher.runtime import Runtime, map_at_once
from publisher.settling.claims import Ending, Postponed, end_claim, is_work_due
from publisher.settling.contents import Content
from publisher.settling.deriving import derivation_from_text
from publisher.settling.findings import Finding, Settled
from publisher.settling.settling import Settling, Verdict
from publisher.settling.status_changes import StatusChange, log_status_changes, record_broken
from publisher.state.protocol import Transaction
from publisher.state.records import Claim, RelationRecord

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Outstanding:
    """The work that settled findings leave at the index.

    Attributes:
        reserved: for each claim, the ending to apply once the relation's open reservation is delivered.
        jobs: the packages that the index lacks. They are made after the transaction, because that
            takes long.
        compared: claims of dropped, failed and withheld relations, whose packages must be compared
            with the index.
        held: relations whose deletion a person must confirm, because many relations are missing at once.
        changes: changes of statuses; logged after the commit.
        is_more_due: whether other work is due, such as work on dependents.
    """

    reserved: Mapping[Claim, Ending]
    jobs: Sequence[Callable[[], Job]]
    compared: Sequence[Claim]
    held: Sequence[RelationName]
    changes: Sequence[StatusChange]
    is_more_due: bool


class Concluding:
    """Settles findings, then publishes or yanks. A repetition skips the work that is done."""

    def __init__(
        self,
        runtime: Runtime,
        settling: Settling,
        publisher: Publisher,
        contents: Contents,
        wake: Callable[[], None],
    ) -> None:
        """Keeps its parts. Calls ``wake`` when dependents are due, before it publishes packages."""
        self._runtime = runtime
        self._state = runtime.state
        self._questions_at_once = runtime.policy.questions_at_once
        self._settling = settling
        self._publisher = publisher
        self._contents = contents
        self._wake = wake
        self._logged: frozenset[RelationName] = frozenset()

    def conclude(self, findings: Sequence[Finding]) -> None:
        if not findings:
            return
        names = [finding.reading.name for finding in findings]
        found = map_at_once(self._questions_at_once, self._contents.of, findings)
        contents = dict(zip(names, found, strict=True))
        reservations = self._publisher.open_reservations(names)
        outstanding = self._state.write(
            partial(self._settle, findings=findings, contents=contents, reserved=reservations)
        )
        if outstanding.is_more_due:
            self._wake()
        log_status_changes(outstanding.changes)
        self._log_held(frozenset(outstanding.held))
        if outstanding.reserved:
            self._publisher.finish_and_end(outstanding.reserved, reservations)
        if outstanding.jobs:
            self._publisher.publish([make() for make in outstanding.jobs])
        if outstanding.compared:
            self._publisher.compare(outstanding.compared)

    def _log_held(self, held: frozenset[RelationName]) -> None:
        """Logs each relation only once, although events may name it again and again."""
        for name in sorted(held - self._logged):
            log.warning("deletion held until confirmed", extra={"relation": str(name)})
        self._logged |= held

    def _settle(
        self,
        tx: Transaction,
        *,
        findings: Sequence[Finding],
        contents: Mapping[RelationName, Content],
        reserved: Mapping[RelationName, object],
    ) -> _Outstanding:
        now = self._runtime.clock.now()
        done = [
            (finding, self._settling.settle(tx, finding, contents[finding.reading.name], now))
            for finding in findings
        ]
        kept: dict[Claim, Ending] = {}
        for finding, settlement in done:
            claim, ending = finding.reading.claim, settlement.ending
            needs_none = settlement.verdict in {Verdict.ENDED, Verdict.HELD}
            if needs_none and ending and claim.relation in reserved:
                # A reservation needs outstanding work until it is delivered, even if the relation
                # needs no version now.
                kept[claim] = ending
            elif ending is not None:
                end_claim(tx, claim, ending, self._runtime)
        changes = [change for _, settlement in done for change in settlement.changes]
        record_broken(tx, changes, self._runtime.notices, now)
        settled = [(f, s.record) for f, s in done if s.verdict is Verdict.SETTLED and s.record]
        dropped = [f.reading.claim for f, s in done if s.verdict is Verdict.DROPPED]
        others = [f.reading.claim for f, record in settled if not record.has_content]
        return _Outstanding(
            kept,
            self._jobs(tx, [(f, r) for f, r in settled if r.has_content]),
            [*dropped, *others],
            [f.reading.name for f, s in done if s.verdict is Verdict.HELD],
            changes,
            is_work_due(tx, now),
        )

    def _jobs(
        self, tx: Transaction, settled: Sequence[tuple[Finding, RelationRecord]]
    ) -> Sequence[Callable[[], Job]]:
        """The jobs of findings. If a later finding changed the relation, it becomes due again instead."""
        names = [record.name for _, record in settled]
        records = tx.graph.records(names)
        texts = tx.graph.derivations(r.name for f, r in settled if _derivation(f) is None)
        jobs: list[Callable[[], Job]] = []
        for finding, record in settled:
            if records[record.name] == record:
                jobs.append(partial(_job, finding, record, texts.get(record.name)))
            else:
                again = Postponed("a relation of its batch changed it")
                end_claim(tx, finding.reading.claim, again, self._runtime)
        return jobs


def _job(finding: Finding, record: RelationRecord, text: str | None) -> Job:
    """The job of a finding.

    ``text`` is the derivation in the state, for a finding without one.
    """
    reading = finding.reading
    assert reading.relation is not None
    assert record.content_hash is not None
    derivation = _derivation(finding)
    if derivation is None:
        assert text is not None
        derivation = derivation_from_text(text)
    return Job(
        claim=reading.claim,
        relation=reading.relation,
        derivation=derivation,
        content_hash=record.content_hash,
        read_at=record.read_at,
        event_id=reading.at_least,
        newest_event_id=None if reading.at_most == reading.at_least else reading.at_most,
    )


def _derivation(finding: Finding) -> Derivation | None:
    match finding.conclusion:
        case Settled(outcome=Derived(derivation)):
            return derivation
        case _:
            return None
