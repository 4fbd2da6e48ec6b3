"""Compares the whole catalog with the state, to find changes that events missed.

Differences only become work: a worker reads each relation again and trusts the catalog, not the
snapshot.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from lakeschema.catalog.catalogs import current_event_ids
from lakeschema.catalog.errors import CatalogDown
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.listing import Listing, list_relations
from lakeschema.catalog.relations import Catalog
from lakeschema.translation.deriving.deriver import Deriver
from lakeschema.translation.model.known import KnownRelation, differs, has_same_facts
from lakeschema.translation.model.outcome import Status
from publisher.runtime import Runtime
from publisher.settling.changed_settings import SettingsNotes, carry_out
from publisher.settling.claims import MAX_REASON_LENGTH
from publisher.settling.deletions import (
    BRAKE,
    ConfirmMissing,
    HoldDeletions,
    begin_releases,
    log_held_deletions,
    plan_deletions,
    release_seconds,
    released_namespaces,
    write_brakes,
)
from publisher.settling.findings import Answer, CatalogReader
from publisher.settling.lease import Lease, LeaseLost, LeaseTaken, hold
from publisher.settling.mass_change import MassChangeBrake
from publisher.settling.uncovered import why_another, why_unknown, without_settings
from publisher.state.protocol import Transaction
from publisher.state.records import Edge, RelationRecord, Urgency, WorkRequest
from publisher.steady_clock import mark_time

log = logging.getLogger(__name__)

REFUSED = "@refused/"
REMOVED = "@removed/"
"""Prefix of a namespace that the catalog does not list; the note says why."""

SNAPSHOT_DUE = "@snapshot-due"
"""Why a snapshot is due, until a snapshot has succeeded."""
SNAPSHOT_BEGUN = "a snapshot was begun"

SNAPSHOT_ENDED = "@snapshot/"
"""Prefix of a catalog's name; the note has the result of its last snapshot."""


@dataclass(frozen=True, slots=True)
class SnapshotReport:
    """The result of a snapshot.

    Attributes:
        held: deletions that wait for confirmation, by namespace ("" for all).
        refused: the reason for each namespace that the catalog did not list. A catalog's empty
            namespace stands for the whole catalog.
        removed: a note about each catalog that was removed on purpose.
        silent: the catalogs that did not answer, at least for a part of the snapshot.
        catalogs: how many relations each of several catalogs listed, by its name.
        held_changes: why derivations without a changed relation wait, or "".
    """

    listed: int
    differing: int
    missing: int
    held: Mapping[str, str]
    refused: Mapping[str, str]
    held_changes: str = ""
    removed: Mapping[str, str] = field(default_factory=dict)
    silent: frozenset[str] = frozenset()
    catalogs: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparer's result: everything that the catalog lists, and the differences from the state.

    ``event_ids``: for each catalog with event ids, the newest event that the reading reflects.
    ``rederived``: relations with equal facts that differ because the deriver or an option changed.
    """

    listing: Listing
    differing: Sequence[RelationName]
    event_ids: Mapping[str, int]
    rederived: frozenset[RelationName] = frozenset()


@dataclass(frozen=True, slots=True)
class KnownCatalog:
    """The state's knowledge of the catalog, for a comparison.

    Attributes:
        relations: all relations that exist in the catalog, according to the state.
        edges: (dependent, upstream) pairs.
    """

    relations: Mapping[RelationName, KnownRelation]
    edges: Sequence[tuple[RelationName, RelationName]]


LeasedWrite: TypeAlias = Callable[[Callable[[Transaction], None]], None]
"""Writes to the state while this snapshot holds its lease."""

Comparer: TypeAlias = Callable[[KnownCatalog, LeasedWrite], Comparison]
"""Compares the catalog with the state's knowledge of it; Spark provides a comparer that runs
outside this process."""


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
        settings: SettingsNotes,
        mass_change: MassChangeBrake,
        catalog_name: str,
    ) -> None:
        self._runtime = runtime
        self._state = runtime.state
        self._policy = runtime.policy
        self._clock = runtime.clock
        self._counters = runtime.counters
        self._catalog = catalog
        self._reader = reader
        self._deriver = deriver
        self._settings = settings
        self.mass_change = mass_change
        self._catalog_name = catalog_name
        # These names are stored: do not change them.
        self._singleton = f"{SNAPSHOT_ENDED}{catalog_name}"
        self._end_note = f"snapshot-ended/{catalog_name}"  # without "@", so it is not shown
        self._duration_note = f"snapshot-seconds/{catalog_name}"

    def run(self, comparer: Comparer | None = None) -> SnapshotReport:
        """Enqueues all differences.

        Args:
            comparer: finds the differences; None compares in this process.

        Raises:
            SnapshotBusy: another snapshot runs, or has replaced this snapshot because it did not respond.
            CatalogUnavailable: nothing was concluded about deletions.
        """
        began = self._clock.now()
        try:
            with hold(self._runtime, self._singleton, self._policy.snapshot_lease_seconds) as lease:
                # A later request replaces this note, and needs another snapshot.
                lease.write(self._begin)
                report = self._compare(lease, comparer or self._compare_here)
                seconds = self._clock.now() - began
                lease.write(lambda tx: self._record_report(tx, report, seconds))
        except (LeaseTaken, LeaseLost) as error:
            raise SnapshotBusy from error
        self._counters.add("snapshots")
        log.info(
            "snapshot ended",
            extra={
                "seconds": round(seconds, 3),
                "relations": report.listed,
                "differing": report.differing,
                "missing": report.missing,
            },
        )
        return report

    def _begin(self, tx: Transaction) -> None:
        tx.journal.write_note(SNAPSHOT_DUE, SNAPSHOT_BEGUN)
        mark_time(tx, self._clock.now())

    def is_running(self) -> bool:
        now = self._clock.now()
        return self._state.read(lambda tx: tx.journal.is_leased(self._singleton, now))

    def seconds_since_last(self) -> float | None:
        """The time since the end of the last whole snapshot, or None."""
        ended_at = self._state.read(self._last_end)
        return None if ended_at is None else max(0.0, self._clock.now() - ended_at)

    def last_seconds(self) -> float | None:
        """The duration of the last whole snapshot; None if unknown."""
        note = self._state.read(lambda tx: tx.journal.note(self._duration_note))
        return float(note) if note else None

    def _last_end(self, tx: Transaction) -> float | None:
        steady, shown = tx.journal.note(self._end_note), tx.journal.note(self._singleton)
        if steady:
            return float(steady)
        # An earlier release stored only the shown note.
        return float(json.loads(shown)["ended_at"]) if shown else None

    def _compare(self, lease: Lease, comparer: Comparer) -> SnapshotReport:
        records, edges = self._state.read(
            lambda tx: (tx.graph.every_record(), tx.graph.every_edge())
        )
        changed = self._state.read(lambda tx: self._settings.changed(tx, records))
        found = comparer(known_catalog(records, edges), lease.write)
        listed = frozenset(found.listing.names)
        anew = frozenset(name for setting in changed for name in setting.published_anew)
        perhaps = frozenset(name for setting in changed for name in setting.perhaps_anew)
        held_changes = self.mass_change.hold(
            lease, records, anew & listed, found.rederived | (perhaps & listed)
        )
        if not held_changes:
            now = self._clock.now()
            lease.write(lambda tx: carry_out(tx, changed, now))
        unfinished = (n for n in listed if n in records and _is_unfinished(records[n]))
        held_back = found.rederived if held_changes else frozenset()
        differing = sorted({*found.differing, *unfinished} - held_back)
        self._enqueue(lease, differing, found.event_ids)
        missing, held = self._plan_deletions(lease, found.listing, records)
        self._enqueue(lease, [*missing, *_abandoned(records, edges, listed)], {})
        existing = (name for name, record in records.items() if _counts_as_existing(record))
        refused = {str(namespace): why for namespace, why in found.listing.refused.items()}
        removed: dict[str, str] = {}
        for catalog, state in without_settings(existing, found.listing).items():
            if catalog in self._policy.removed_catalogs:
                removed[catalog] = state
            else:
                refused[str(Namespace((), catalog))] = why_unknown(catalog, state)
        return SnapshotReport(
            len(listed),
            len(differing),
            len(missing),
            held,
            refused,
            held_changes,
            removed,
            found.listing.silent,
            self._by_catalog(found.listing),
        )

    def _by_catalog(self, listing: Listing) -> Mapping[str, int]:
        if listing.catalogs == {""}:
            return {}
        counts = Counter(name.catalog for name in listing.names)
        listed = sorted(listing.catalogs - listing.unlisted)
        return {name or self._catalog_name: counts[name] for name in listed}

    def _plan_deletions(
        self, lease: Lease, listing: Listing, records: Mapping[RelationName, RelationRecord]
    ) -> tuple[Sequence[RelationName], Mapping[str, str]]:
        """The relations that a worker must read by name, and the reason for each namespace that is held."""
        listed = frozenset(listing.names)
        existing = frozenset(
            name
            for name, record in records.items()
            if _counts_as_existing(record) and listing.covers(name.place)
        )
        now, seconds = self._clock.now(), release_seconds(self._policy)
        lease.write(lambda tx: begin_releases(tx, now, seconds))
        released = self._state.read(lambda tx: released_namespaces(tx, now))
        steps = plan_deletions(listed, existing, self._policy.deletion_limit, released)
        held = {
            str(step.namespace or ""): f"{step.missing} of {step.known} relations not listed"
            for step in steps
            if isinstance(step, HoldDeletions)
        }
        unlisted = frozenset(name.place for name in existing - listed)
        notices = self._runtime.notices
        lease.write(lambda tx: write_brakes(tx, held, unlisted, listing.covers, notices, now))
        for namespace, reason in held.items():
            log_held_deletions(namespace, reason)
        return [step.relation for step in steps if isinstance(step, ConfirmMissing)], held

    def _compare_here(self, known: KnownCatalog, _write: LeasedWrite) -> Comparison:
        event_ids, silent = current_event_ids(self._catalog)
        listing = list_relations(self._catalog).without(silent)
        differing: list[RelationName] = []
        rederived: set[RelationName] = set()
        down: dict[str, str] = {}
        size = self._policy.read_batch_size
        for start in range(0, len(listing.names), size):
            batch = listing.names[start : start + size]
            asked = [name for name in batch if name.catalog not in down]
            for name, answer in self._reader.read(asked).items():
                before = known.relations.get(name)
                if isinstance(answer, CatalogDown):
                    # A worker for each of its relations would learn no more.
                    down[name.catalog] = str(answer)
                elif self._differs(answer, before):
                    differing.append(name)
                    if isinstance(answer, Answer) and has_same_facts(answer.relation, before):
                        rederived.add(name)
        return Comparison(listing.without(down), differing, event_ids, frozenset(rederived))

    def _differs(self, answer: Answer | Exception, known: KnownRelation | None) -> bool:
        if isinstance(answer, Exception):
            # A worker tries again, waits longer each time, and shows the reason.
            return True
        relation = answer.relation
        return relation is not None and differs(relation, known, self._deriver.inputs_hash)

    def _enqueue(
        self, lease: Lease, names: Iterable[RelationName], event_ids: Mapping[str, int]
    ) -> None:
        now = self._clock.now()
        requests = [
            WorkRequest(n, now, Urgency.SNAPSHOT, min_event_id=event_ids.get(n.catalog))
            for n in names
        ]
        if requests:
            lease.write(lambda tx: tx.work.request(requests))

    def _record_report(self, tx: Transaction, report: SnapshotReport, seconds: float) -> None:
        for namespace, reason in report.refused.items():
            log.error("namespace not listed", extra={"namespace": namespace, "why": reason})
        _write_notes(tx, REFUSED, report.refused)
        _write_notes(tx, REMOVED, report.removed)
        for prefix in (BRAKE, REFUSED, REMOVED):
            tx.journal.forget_empty_notes(prefix)
        text = json.dumps(
            {
                "ended_at": self._clock.wall(),
                "listed": report.listed,
                "differing": report.differing,
                "missing": report.missing,
                **({"catalogs": report.catalogs} if report.catalogs else {}),
            }
        )
        tx.journal.write_note(self._singleton, text)
        tx.journal.write_note(self._end_note, str(self._clock.now()))
        tx.journal.write_note(self._duration_note, str(seconds))
        mark_time(tx, self._clock.now())
        if tx.journal.note(SNAPSHOT_DUE) == SNAPSHOT_BEGUN:
            tx.journal.write_note(SNAPSHOT_DUE, why_another(report.silent))


def _write_notes(tx: Transaction, prefix: str, texts: Mapping[str, str]) -> None:
    """Writes the notes of one kind after a snapshot; earlier notes of this kind become empty."""
    for key in tx.journal.notes(prefix):
        if key.removeprefix(prefix) not in texts:
            tx.journal.write_note(key, "")
    for name, text in texts.items():
        tx.journal.write_note(f"{prefix}{name}", text[:MAX_REASON_LENGTH])


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


def _counts_as_existing(record: RelationRecord) -> bool:
    """Whether a relation counts as missing if the catalog does not list it.

    This is also true of a relation that only the index knows. A worker may hold its deletion, and
    only a snapshot asks again.
    """
    return record.facts_hash is not None or record.is_only_published


def _is_unfinished(record: RelationRecord) -> bool:
    """Whether a worker should process it again although nothing changed.

    For example, its derivation may have crashed because the machine was shut down.
    """
    return record.lacks_version or record.status is Status.QUARANTINED


def _abandoned(
    records: Mapping[RelationName, RelationRecord],
    edges: Iterable[Edge],
    listed: frozenset[RelationName],
) -> Sequence[RelationName]:
    """Names without facts that do not exist, and that a worker should read.

    The worker forgets upstreams that never had a package if no view names them any more. It also finds
    relations missing if their processing crashed.
    """
    named = {edge.upstream for edge in edges}
    return [
        name
        for name, record in records.items()
        if name not in listed
        and record.facts_hash is None
        and (
            record.status is Status.QUARANTINED
            or (
                record.status is Status.MISSING
                and record.published_hash is None
                and name not in named
            )
        )
    ]
