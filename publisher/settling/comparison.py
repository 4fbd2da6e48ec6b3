"""One full comparison of the catalog with the state, which finds what events missed.

Differences only become work: a worker reads each relation again and trusts the catalog, not the
snapshot.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog
from lakeschema.translation.known import KnownRelation, differs
from lakeschema.translation.outcome import Status
from publisher.runtime import Runtime
from publisher.selection import Selection
from publisher.settling.contents import BuildKeys
from publisher.settling.deletions import ConfirmMissing, HoldDeletions, plan_deletions
from publisher.settling.deriving import Deriver
from publisher.settling.findings import CatalogReader
from publisher.state.protocol import Transaction
from publisher.state.records import Edge, RelationRecord, Urgency, WorkRequest

log = logging.getLogger(__name__)

BRAKE = "@brake/"
RELEASED = "released"


@dataclass(frozen=True, slots=True)
class SnapshotReport:
    """``held``: deletions that wait for confirmation, by namespace ("" for all)."""

    listed: int
    differing: int
    missing: int
    held: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a comparer found: all that the catalog lists, and what differs from the state."""

    listed: frozenset[RelationName]
    differing: Sequence[RelationName]
    event_id: int | None


@dataclass(frozen=True, slots=True)
class KnownCatalog:
    """What the state knows of the catalog, as far as it can be compared.

    Attributes:
        relations: all that exist in the catalog as far as the state knows.
        edges: (dependent, upstream) pairs.
    """

    relations: Mapping[RelationName, KnownRelation]
    edges: Sequence[tuple[RelationName, RelationName]]


Comparer: TypeAlias = Callable[[KnownCatalog], Comparison]
"""Compares the catalog with what is known; Spark provides one that runs outside this process."""


class SnapshotBusy(Exception):
    """Another snapshot of this catalog holds the lease."""

    def __str__(self) -> str:
        return "another snapshot is running"


class CatalogComparison:
    def __init__(
        self,
        runtime: Runtime,
        catalog: Catalog,
        reader: CatalogReader,
        deriver: Deriver,
        selection: Selection,
        build_keys: BuildKeys,
        catalog_name: str,
    ) -> None:
        self._state = runtime.state
        self._policy = runtime.policy
        self._clock = runtime.clock
        self._counters = runtime.counters
        self._catalog = catalog
        self._reader = reader
        self._deriver = deriver
        self._selection = selection
        self._build_keys = build_keys
        # These names are stored: do not change them.
        self._singleton = f"@snapshot/{catalog_name}"
        self._selection_note = f"@selection/{catalog_name}"
        self._build_options_note = f"@choices/{catalog_name}"
        self._generator_note = f"@generator/{catalog_name}"

    def run(
        self, *, catalog_was_replaced: bool = False, comparer: Comparer | None = None
    ) -> SnapshotReport:
        """Enqueues what differs.

        Args:
            comparer: finds the differences; None compares in this process.
            catalog_was_replaced: forget event ids above the catalog's current one: after a gap
                they may belong to a catalog that no longer exists.

        Raises:
            SnapshotBusy: another one is running.
            CatalogUnavailable: nothing was concluded about deletions.
        """
        now = self._clock.now()
        seconds = self._policy.snapshot_lease_seconds
        fence = self._state.write(lambda tx: tx.journal.lease(self._singleton, now, seconds))
        if fence is None:
            raise SnapshotBusy
        try:
            if catalog_was_replaced:
                self._reset_event_ids()
            self._state.write(self._rederive_if_selection_changed)
            self._state.write(self._rederive_if_build_options_changed)
            self._state.write(self._rederive_if_generator_changed)
            report = self._compare(comparer or self._compare_here)
            self._state.write(lambda tx: self._record_report(tx, report))
        finally:
            self._state.write(lambda tx: tx.journal.release(self._singleton, fence))
        self._counters.add("snapshots")
        return report

    def _rederive_if_selection_changed(self, tx: Transaction) -> None:
        """Requests derivation of the relations that a changed selection includes or excludes."""
        if tx.journal.note(self._selection_note) == self._selection.text:
            return
        records = [
            record
            for name, record in tx.graph.every_record().items()
            if record.status is Status.OK
            and self._selection.includes(name) is (record.content_hash is None)
        ]
        self._request_derivation(tx, records)
        tx.journal.write_note(self._selection_note, self._selection.text)

    def _rederive_if_build_options_changed(self, tx: Transaction) -> None:
        """Requests derivation of everything packaged or unfit if the build options changed."""
        if tx.journal.note(self._build_options_note) == self._build_keys.options:
            return
        known = tx.graph.every_record().values()
        self._request_derivation(tx, [r for r in known if r.content_hash is not None or r.is_unfit])
        tx.journal.write_note(self._build_options_note, self._build_keys.options)

    def _rederive_if_generator_changed(self, tx: Transaction) -> None:
        """Requests derivation of what an earlier generator could not package."""
        if tx.journal.note(self._generator_note) == self._build_keys.generator:
            return
        known = tx.graph.every_record().values()
        self._request_derivation(tx, [record for record in known if record.is_unfit])
        tx.journal.write_note(self._generator_note, self._build_keys.generator)

    def _request_derivation(self, tx: Transaction, records: Sequence[RelationRecord]) -> None:
        for record in records:
            tx.graph.write(replace(record, inputs_hash=None, derived_facts_hash=None))
        now = self._clock.now()
        tx.work.request(WorkRequest(record.name, now, Urgency.SNAPSHOT) for record in records)

    def _compare(self, comparer: Comparer) -> SnapshotReport:
        records, edges = self._state.read(
            lambda tx: (tx.graph.every_record(), tx.graph.every_edge())
        )
        found = comparer(known_catalog(records, edges))
        listed = found.listed
        unfinished = (n for n in listed if n in records and _is_unfinished(records[n]))
        differing = sorted({*found.differing, *unfinished})
        self._enqueue(differing, found.event_id)
        existing = frozenset(n for n, r in records.items() if r.facts_hash is not None)
        released = self._state.read(_released_namespaces)
        steps = plan_deletions(listed, existing, self._policy.deletion_limit, released)
        missing = [step.relation for step in steps if isinstance(step, ConfirmMissing)]
        self._enqueue(missing, None)
        held = {
            ".".join(step.namespace or ()): f"{step.missing} of {step.known} relations not listed"
            for step in steps
            if isinstance(step, HoldDeletions)
        }
        return SnapshotReport(len(listed), len(differing), len(missing), held)

    def _compare_here(self, known: KnownCatalog) -> Comparison:
        event_id = self._catalog.current_event_id()
        listed: set[RelationName] = set()
        differing: list[RelationName] = []
        for names in self._list_in_batches():
            listed.update(names)
            found, _, _ = self._reader.read(names)
            differing += [
                name
                for name, relation in found.items()
                if differs(relation, known.relations.get(name), self._deriver.inputs_hash)
            ]
        return Comparison(frozenset(listed), differing, event_id)

    def _list_in_batches(self) -> Iterator[Sequence[RelationName]]:
        size = self._policy.read_batch_size
        for namespace in sorted(self._catalog.namespaces()):
            names = sorted(self._catalog.relations(namespace))
            for start in range(0, len(names), size):
                yield names[start : start + size]

    def _enqueue(self, names: Iterable[RelationName], event_id: int | None) -> None:
        now = self._clock.now()
        requests = [WorkRequest(n, now, Urgency.SNAPSHOT, min_event_id=event_id) for n in names]
        if requests:
            self._state.write(lambda tx: tx.work.request(requests))

    def _reset_event_ids(self) -> None:
        current = self._catalog.current_event_id()
        if current is not None:
            self._state.write(lambda tx: _reset(tx, current))

    def _record_report(self, tx: Transaction, report: SnapshotReport) -> None:
        for singleton in tx.journal.notes(BRAKE):
            if singleton.removeprefix(BRAKE) not in report.held:
                tx.journal.write_note(singleton, "")
        for namespace, reason in report.held.items():
            log.error(
                "deletions held until confirmed",
                extra={
                    "namespace": namespace or "*",
                    "why": reason,
                    "release": "schema-publisher confirm-deletions",
                },
            )
            tx.journal.write_note(f"{BRAKE}{namespace}", reason)
        text = json.dumps(
            {
                "ended_at": self._clock.now(),
                "listed": report.listed,
                "differing": report.differing,
                "missing": report.missing,
            }
        )
        tx.journal.write_note(self._singleton, text)


def known_catalog(
    records: Mapping[RelationName, RelationRecord], edges: Iterable[Edge]
) -> KnownCatalog:
    used: dict[RelationName, dict[RelationName, str]] = {}
    for edge in edges:
        used.setdefault(edge.dependent, {})[edge.upstream] = edge.used or ""
    relations = {
        name: KnownRelation(
            record.facts_hash,
            tuple(sorted(used.get(name, {}).items())),
            None if record.stale or record.status in _WITHOUT_INPUTS else record.inputs_hash,
        )
        for name, record in records.items()
        if record.facts_hash is not None and record.missing_since is None
    }
    return KnownCatalog(
        relations, [(name, u) for name, upstreams in used.items() for u in upstreams]
    )


_WITHOUT_INPUTS = (Status.CYCLE, Status.QUARANTINED)


def _is_unfinished(record: RelationRecord) -> bool:
    """Whether a worker should process it again although nothing changed.

    The relation may not have caused the crashes of its derivation: the machine may have been shut
    down.
    """
    return record.lacks_version or record.status is Status.QUARANTINED


def _released_namespaces(tx: Transaction) -> frozenset[tuple[str, ...]]:
    every = tx.graph.every_record()
    notes = tx.journal.notes(BRAKE)
    names = {key.removeprefix(BRAKE) for key, note in notes.items() if note == RELEASED}
    return frozenset(n.namespace for n in every if "" in names or ".".join(n.namespace) in names)


def _reset(tx: Transaction, current: int) -> None:
    tx.work.reset_event_ids(current)
    tx.graph.reset_event_ids(current)
