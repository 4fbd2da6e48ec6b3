"""Turns a source's batch into requested work.

It stores hints, dead letters and the position in one transaction.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.listing import NotListed, list_namespace
from lakeschema.catalog.relations import Catalog
from publisher.events.protocol import Batch, DeadLetter, NamespaceHint, RelationHint
from publisher.runtime import Runtime
from publisher.settling.claims import MAX_REASON_LENGTH
from publisher.settling.comparison import SNAPSHOT_DUE
from publisher.settling.namespace_events import remember_namespace_events
from publisher.state.protocol import Transaction
from publisher.state.records import Urgency, WorkRequest

log = logging.getLogger(__name__)

MAX_LISTED_NAMESPACES = 10
"""The limit of namespaces that are listed because of a batch's undecodable events. With more
namespaces, a snapshot is requested."""


class Receiving:
    def __init__(self, runtime: Runtime, catalog: Catalog) -> None:
        self._runtime = runtime
        self._state = runtime.state
        self._clock = runtime.clock
        self._policy = runtime.policy
        self._counters = runtime.counters
        self._catalog = catalog

    def receive(self, source: str, batch: Batch) -> None:
        """Stores the batch; the caller acknowledges it.

        An undecodable event requests all relations of its namespace, or a snapshot if the namespace
        is unknown.

        Raises:
            CatalogUnavailable: nothing was stored.
        """
        received_at = self._runtime.instant()
        named = sorted({letter.namespace for letter in batch.dead_letters if letter.namespace})
        listed = [name for n in named[:MAX_LISTED_NAMESPACES] for name in self._list(n)]
        is_unknown = any(letter.namespace is None for letter in batch.dead_letters)

        def store(tx: Transaction) -> int:
            if is_unknown or len(named) > MAX_LISTED_NAMESPACES:
                tx.journal.write_note(SNAPSHOT_DUE, "undecodable event")
            tx.work.request_when_quiet(
                self._requests(tx, batch, listed),
                max(0.0, self._policy.max_wait_seconds - self._policy.debounce_seconds),
            )
            tx.journal.save_position(source, batch.position)
            return tx.journal.add_dead_letters(
                source, batch.dead_letters, self._clock.wall(), self._policy.dead_letter_limit
            )

        kept = self._state.write(store)
        named_relations = [h.relation for h in batch.hints if isinstance(h, RelationHint)]
        self._runtime.latency.receive(named_relations, batch.event_times, received_at)
        self._runtime.traces.hear(named_relations, source, batch.event_times, received_at.wall)
        self._counters.add("events_seen", batch.seen)
        self._counters.add("hints", len(batch.hints))
        self._counters.add("dead_letters", len(batch.dead_letters))
        self._counters.add("dead_letters_not_kept", len(batch.dead_letters) - kept)
        _log_dead_letters(source, batch.dead_letters, kept)

    def _list(self, namespace: Namespace) -> Sequence[RelationName]:
        """The relations that the catalog lists in a namespace.

        Empty if the catalog refuses; then only relations that the state knows are read.
        """
        found = list_namespace(self._catalog, namespace)
        if isinstance(found, NotListed):
            log.warning(
                "namespace not listed", extra={"namespace": str(namespace), "why": found.why}
            )
            return ()
        return found

    def _requests(
        self, tx: Transaction, batch: Batch, listed: Sequence[RelationName]
    ) -> Iterable[WorkRequest]:
        event_ids: dict[RelationName, set[int | None]] = {}
        newest_of: dict[Namespace, int] = {}

        def add(names: Iterable[RelationName], event_id: int | None) -> None:
            for name in names:
                event_ids.setdefault(name, set()).add(event_id)

        for hint in batch.hints:
            match hint:
                case RelationHint(relation, event_id):
                    add([relation], event_id)
                case NamespaceHint(namespace, event_id):
                    add(_known(tx, namespace), event_id)
                    if event_id is not None:
                        newest_of[namespace] = max(event_id, newest_of.get(namespace, event_id))
        for namespace in {letter.namespace for letter in batch.dead_letters if letter.namespace}:
            add(_known(tx, namespace), None)
        add(listed, None)
        now = self._clock.now()
        remember_namespace_events(tx, newest_of, now, self._policy)
        due = now + self._policy.debounce_seconds
        staleness = self._policy.staleness_seconds
        for name, ids in event_ids.items():
            reread_at = due + staleness if None in ids and staleness > 0 else None
            newest = max((event_id for event_id in ids if event_id is not None), default=None)
            yield WorkRequest(name, due, Urgency.EVENT, newest, reread_at)


def _log_dead_letters(source: str, letters: Sequence[DeadLetter], kept: int) -> None:
    """Logs only the letters that were kept, so that a flood of letters does not flood the log."""
    for letter in letters[:kept]:
        named = str(letter.namespace or "")
        fields = {"source": source, "namespace": named, "why": letter.reason[:MAX_REASON_LENGTH]}
        log.warning("event not decoded", extra=fields)
    if 0 < kept < len(letters):
        more = len(letters) - kept
        log.warning("more events not decoded", extra={"source": source, "events": more})


def _known(tx: Transaction, namespace: Namespace) -> Iterable[RelationName]:
    """The known relations of a namespace.

    They include relations that an event named and that were never read.
    """
    return [*tx.graph.in_namespace(namespace), *tx.work.in_namespace(namespace)]
