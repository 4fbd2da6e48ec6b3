"""Looks up facts, edges and derivations of the present catalog on demand.

The state of a running service has most of them. It is used for relations that the service has read
and derived since their last change. Other relations are read from the catalog.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from lakeschema.catalog.facts_json import facts_hash
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.listing import list_relations
from lakeschema.catalog.relations import Catalog, Relation
from lakeschema.translation.deriving.deriver import Deriver
from lakeschema.translation.deriving.upstream_first import (
    cycle_failures,
    derive_one,
    upstreams_or_failure,
    waves,
)
from lakeschema.translation.model.outcome import Derived, Failed, Outcome, Status
from publisher.events.log_position import LogPosition, MalformedPosition
from publisher.settling.deriving import derivation_from_text
from publisher.state.reading import StateReading
from publisher.state.records import RelationRecord

log = logging.getLogger(__name__)

_READ_BATCH = 500
_NOTIFICATION_LOG = "notification-log"

Say: TypeAlias = Callable[[str], None]
"""A function that shows the present step to a waiting person."""


class CatalogNow:
    """The present catalog. ``state`` reads the state of this catalog's service; None without a state."""

    def __init__(
        self, catalog: Catalog, deriver: Deriver, state: StateReading | None, say: Say
    ) -> None:
        self.state = state
        self._catalog = catalog
        self._deriver = deriver
        self._say = say
        self._facts: dict[RelationName, Relation | None] = {}
        self._upstreams: dict[RelationName, tuple[RelationName, ...] | Failed] = {}
        self._dependents: dict[RelationName, set[RelationName]] = {}
        self._outcomes: dict[RelationName, Outcome | None] = {}
        self._records: dict[RelationName, RelationRecord | None] = {}
        self._unread: frozenset[RelationName] = self._find_unread()
        self._find_upstreams(sorted(self._unread))

    def facts(self, names: Iterable[RelationName]) -> Mapping[RelationName, Relation]:
        """The facts of the relations that exist."""
        wanted = list(dict.fromkeys(names))
        missing = [name for name in wanted if name not in self._facts]
        for start in range(0, len(missing), _READ_BATCH):
            batch = missing[start : start + _READ_BATCH]
            found = self._catalog.read(batch)
            self._facts |= {name: found.get(name) for name in batch}
        return {name: r for name in wanted if (r := self._facts[name]) is not None}

    def dependents(self, names: Iterable[RelationName]) -> frozenset[RelationName]:
        """The dependents at any distance, including those among ``names``."""
        found: set[RelationName] = set()
        frontier = set(names)
        while frontier:
            below = {d for name in frontier for d in self._dependents.get(name, ())}
            if self.state is not None:
                recorded = self.state.dependents(frontier)
                below |= {d for d in recorded if d not in self._unread}
            frontier = below - found
            found |= frontier
        return frozenset(found)

    def upstreams(
        self, names: Iterable[RelationName]
    ) -> Mapping[RelationName, tuple[RelationName, ...] | Failed]:
        """The direct upstreams of each relation that exists, or why its text cannot be read."""
        wanted = list(names)
        missing = [name for name in wanted if name not in self._upstreams]
        if missing and self.state is not None:
            self._upstreams |= self.state.upstreams(missing)
        return {name: self._upstreams[name] for name in wanted if name in self._upstreams}

    def outcomes(self, names: Iterable[RelationName]) -> Mapping[RelationName, Outcome]:
        """The outcomes of the relations that exist; derives relations whose outcome is not known yet."""
        wanted = list(dict.fromkeys(names))
        self._recall([name for name in wanted if name not in self._outcomes])
        self._derive([name for name in wanted if name not in self._outcomes])
        return {name: o for name in wanted if (o := self._outcomes[name]) is not None}

    def record(self, name: RelationName) -> RelationRecord | None:
        """The state's record of the relation."""
        return self._recorded([name])[name]

    def _find_unread(self) -> frozenset[RelationName]:
        """The relations whose present facts the state may not have read."""
        state = self.state
        if state is not None and _has_heard_all(state, self._catalog):
            return state.outstanding()
        if state is None:
            self._say("no state to read: every relation of the catalog is read")
        listed = list_relations(self._catalog).names
        self._say(f"reading {len(listed)} relations")
        found = self.facts(listed)
        hashes = {} if state is None else state.facts_hashes()
        read = {
            name
            for name, relation in found.items()
            if name in hashes and hashes[name] == facts_hash(relation)
        }
        return frozenset({*found, *hashes} - read)

    def _find_upstreams(self, names: Sequence[RelationName]) -> None:
        facts = self.facts(names)
        views = sum(relation.is_view for relation in facts.values())
        if views:
            self._say(f"reading the text of {views} views")
        for name, relation in facts.items():
            upstreams = upstreams_or_failure(relation, self._deriver)
            self._upstreams[name] = upstreams
            for upstream in () if isinstance(upstreams, Failed) else upstreams:
                self._dependents.setdefault(upstream, set()).add(name)
        # Relations that no longer exist read nothing.
        for name in names:
            self._upstreams.setdefault(name, ())

    def _recorded(
        self, names: Sequence[RelationName]
    ) -> Mapping[RelationName, RelationRecord | None]:
        missing = [name for name in names if name not in self._records]
        if missing:
            found = {} if self.state is None else self.state.records(missing)
            self._records |= {name: found.get(name) for name in missing}
        return {name: self._records[name] for name in names}

    def _recall(self, names: Sequence[RelationName]) -> None:
        """Takes derivations from the state that are still current."""
        if self.state is None:
            return
        records = self._recorded([name for name in names if name not in self._unread])
        texts = self.state.derivations(
            name for name, r in records.items() if r is not None and r.status is Status.OK
        )
        for name, record in records.items():
            if record is None or record.facts_hash is None:
                self._outcomes[name] = None
            elif record.stale or record.status is Status.UNKNOWN:
                continue
            elif record.status is not Status.OK:
                self._outcomes[name] = Failed(record.status, record.reason)
            elif name in texts:
                self._outcomes[name] = Derived(derivation_from_text(texts[name]))

    def _derive(self, names: Sequence[RelationName]) -> None:
        """Derives the relations and their upstreams, if they are not derived yet."""
        needed: dict[RelationName, tuple[RelationName, ...]] = {}
        frontier = list(names)
        while frontier:
            facts = self.facts(frontier)
            self._outcomes |= {name: None for name in frontier if name not in facts}
            reads = self._upstreams_of(facts)
            needed |= reads
            frontier = list({u for named in reads.values() for u in named} - needed.keys())
            self._recall([name for name in frontier if name not in self._outcomes])
            frontier = [name for name in frontier if name not in self._outcomes]
        self._outcomes |= cycle_failures(needed)
        for name in (n for wave in waves(needed) for n in wave):
            if name not in self._outcomes:
                known = {u: o for u in needed[name] if (o := self._outcomes[u]) is not None}
                relation = self._facts[name]
                assert relation is not None
                self._outcomes[name] = derive_one(relation, needed[name], known, self._deriver)

    def _upstreams_of(
        self, facts: Mapping[RelationName, Relation]
    ) -> dict[RelationName, tuple[RelationName, ...]]:
        """The upstreams of relations; a relation whose text cannot be read is recorded as failed."""
        known = self.upstreams(facts)
        found: dict[RelationName, tuple[RelationName, ...]] = {}
        for name, relation in facts.items():
            reads = known.get(name)
            if reads is None or (not reads and relation.is_view):
                reads = upstreams_or_failure(relation, self._deriver)
            if isinstance(reads, Failed):
                self._outcomes[name] = reads
            else:
                found[name] = reads
        return found


def _has_heard_all(state: StateReading, catalog: Catalog) -> bool:
    """Whether the state has received every event of the catalog."""
    position = state.position(_NOTIFICATION_LOG)
    current = catalog.current_event_id()
    if position is None or current is None:
        return False
    try:
        return LogPosition.from_text(position).last >= current
    except MalformedPosition:
        return False
