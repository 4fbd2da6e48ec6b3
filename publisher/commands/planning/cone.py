"""Derives the relations of a change and all their dependents, in the form that they would have.

Upstreams come first; a relation is not derived if all its upstreams look the same to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from dependency_graph.graph import affected_cone, graph_of
from lakeschema.catalog.ddl_change import DdlChange
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.deriving.deriver import Deriver
from lakeschema.translation.deriving.upstream_first import (
    cycle_failures,
    derive_one,
    upstreams_or_failure,
    waves,
)
from lakeschema.translation.model.outcome import Derived, Failed, Outcome, Status
from publisher.commands.planning.catalog_now import CatalogNow
from publisher.state.records import no_interface

_DERIVED_TOGETHER = 40
"""The number of relations to derive at once: a part of a wave is derived while the rest is read."""

Upstreams = Mapping[RelationName, tuple[RelationName, ...]]


@dataclass(frozen=True, slots=True)
class Cone:
    """The relations that the statements change, and all their dependents before or after.

    Attributes:
        touched: relations that the statements change or remove.
        before, after: outcomes of existing relations, including upstreams outside the cone.
        facts_before, facts_after: facts of the relations in ``before`` or ``after``.
        derived: relations that were derived again, upstreams first.
        reads_before, reads_after: direct upstreams of the cone's relations.
    """

    touched: frozenset[RelationName]
    before: Mapping[RelationName, Outcome]
    after: Mapping[RelationName, Outcome]
    facts_before: Mapping[RelationName, Relation]
    facts_after: Mapping[RelationName, Relation]
    derived: Sequence[RelationName]
    reads_before: Upstreams
    reads_after: Upstreams

    @property
    def failing_as_before(self) -> Sequence[RelationName]:
        """The relations of the cone that fail, and were not derived again because nothing changed."""
        failing = (n for n in self.reads_after if isinstance(self.after.get(n), Failed))
        return sorted(set(failing) - set(self.derived))

    def dependents_before(self, name: RelationName) -> Sequence[RelationName]:
        return _dependents(self.reads_before, name)

    def dependents_after(self, name: RelationName) -> Sequence[RelationName]:
        return _dependents(self.reads_after, name)


def _dependents(reads: Upstreams, name: RelationName) -> Sequence[RelationName]:
    graph = graph_of((dependent, u) for dependent, named in reads.items() for u in named)
    return sorted(affected_cone(graph, [name]) - {name})


def derive_cone(now: CatalogNow, change: DdlChange, deriver: Deriver) -> Cone:
    """Derives all relations that the change affects.

    Raises:
        CatalogUnavailable: the catalog could not be read.
    """
    named = {*change.relations, *change.removed}
    facts_before = dict(now.facts(sorted(named)))
    touched = frozenset(
        name for name in named if change.relations.get(name) != facts_before.get(name)
    )
    members = sorted(touched | now.dependents(touched))
    reads_before = {
        name: () if isinstance(reads, Failed) else reads
        for name, reads in now.upstreams(members).items()
    }
    walk = _Walk(now, change, deriver, touched, facts_before)
    walk.run([name for name in members if name not in change.removed], reads_before)
    before = now.outcomes([*members, *walk.outside])
    return Cone(
        touched,
        before,
        {name: o for name, o in walk.after.items() if o is not None},
        facts_before,
        walk.facts,
        walk.derived,
        reads_before,
        walk.reads,
    )


class _Walk:
    """Derives the relations of a cone in the form that they have after the change."""

    def __init__(
        self,
        now: CatalogNow,
        change: DdlChange,
        deriver: Deriver,
        touched: frozenset[RelationName],
        facts_before: dict[RelationName, Relation],
    ) -> None:
        self._now = now
        self._change = change
        self._deriver = deriver
        self._touched = touched
        self._facts_before = facts_before
        self.after: dict[RelationName, Outcome | None] = dict.fromkeys(change.removed)
        self.facts: dict[RelationName, Relation] = dict(change.relations)
        self.reads: dict[RelationName, tuple[RelationName, ...]] = {}
        self.derived: list[RelationName] = []
        self.outside: list[RelationName] = []

    def run(self, members: Sequence[RelationName], reads_before: Upstreams) -> None:
        failures = self._read_texts(members, reads_before)
        inside = set(members)
        self.outside = sorted({u for r in self.reads.values() for u in r} - inside)
        outside = self._now.outcomes(u for u in self.outside if u not in self._change.removed)
        self.after |= {name: outside.get(name) for name in self.outside}
        before = self._now.outcomes([*members, *self.outside])
        failures |= cycle_failures(self.reads)
        for wave in waves(self.reads):
            self._run_wave([n for n in wave if n not in failures], before)
            self.after |= {name: failures[name] for name in wave if name in failures}
        self.after |= failures
        self.derived += sorted(n for n in failures if n in self._touched or n not in before)

    def _read_texts(
        self, members: Sequence[RelationName], reads_before: Upstreams
    ) -> dict[RelationName, Failed]:
        """Finds the upstreams of each member; returns the failures of members with unreadable texts."""
        failures: dict[RelationName, Failed] = {}
        for name in members:
            if name not in self._touched:
                self.reads[name] = reads_before.get(name, ())
                continue
            reads = upstreams_or_failure(self.facts[name], self._deriver)
            if isinstance(reads, Failed):
                failures[name] = reads
            self.reads[name] = () if isinstance(reads, Failed) else reads
        return failures

    def _run_wave(
        self, wave: Sequence[RelationName], before: Mapping[RelationName, Outcome]
    ) -> None:
        different = {u for name in wave for u in self.reads[name] if self._differs(u, before)}
        due = [
            name
            for name in wave
            if name in self._touched or not different.isdisjoint(self.reads[name])
        ]
        self.after |= {name: before[name] for name in set(wave).difference(due) if name in before}
        for name, outcome in self._derive(due).items():
            self.after[name] = outcome
            is_same = name in self._touched and _says_the_same(
                self._facts_before.get(name), self.facts[name]
            )
            if is_same and not self._differs(name, before):
                # The DDL does not change the view. The old facts stay, because they have Hive's expanded text.
                self.facts[name] = self._facts_before[name]
                self.after[name] = before[name]
            self.derived.append(name)

    def _derive(self, due: Sequence[RelationName]) -> Mapping[RelationName, Outcome]:
        """The outcomes of relations that exist and do not read each other.

        Some relations are derived while the next relations are read from the catalog. Only this thread
        reads, because its connection is known to be as current as the state.
        """
        found: list[Future[Mapping[RelationName, Outcome]]] = []
        with ThreadPoolExecutor(1) as deriving:
            for start in range(0, len(due), _DERIVED_TOGETHER):
                part = due[start : start + _DERIVED_TOGETHER]
                self.facts |= self._now.facts(n for n in part if n not in self.facts)
                self._facts_before |= self._now.facts(
                    n for n in part if n not in self._facts_before
                )
                # Some relations may have been dropped since the state's last event.
                relations = [self.facts[name] for name in part if name in self.facts]
                found.append(deriving.submit(self._derive_part, relations))
        return {name: outcome for part in found for name, outcome in part.result().items()}

    def _derive_part(self, relations: Sequence[Relation]) -> Mapping[RelationName, Outcome]:
        outcomes: dict[RelationName, Outcome] = {}
        for relation in relations:
            reads = self.reads[relation.name]
            known = {u: o for u in reads if (o := self.after.get(u)) is not None}
            outcomes[relation.name] = derive_one(relation, reads, known, self._deriver)
        return outcomes

    def _differs(self, name: RelationName, before: Mapping[RelationName, Outcome]) -> bool:
        return self._visible(before.get(name)) != self._visible(self.after.get(name))

    def _visible(self, outcome: Outcome | None) -> str:
        """The part of an outcome that dependents see, like ``RelationRecord.visible_hash``."""
        match outcome:
            case None:
                return no_interface(Status.MISSING)
            case Failed(status=status):
                return no_interface(status)
            case Derived(derivation):
                return self._deriver.interface_hash(derivation.interface)


def _says_the_same(before: Relation | None, after: Relation) -> bool:
    """Whether both are views with the same text, as written by their author."""
    if before is None or before.view is None or after.view is None:
        return False
    return (
        before.view.dialect is after.view.dialect
        and before.view.original_text.strip() == after.view.original_text.strip()
        and before.properties == after.properties
    )
