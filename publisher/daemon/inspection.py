"""The engine's status, as values for the command line and HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lakeschema.catalog.identifiers import RelationName
from publisher.state.protocol import Transaction
from publisher.state.records import (
    Edge,
    RelationRecord,
    VersionRecord,
    WorkRecord,
)


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """The engine at one moment.

    Attributes:
        relations: how many have each status; "STALE" counts those that must be derived again.
        work: the outstanding work, most urgent first.
        troubled: relations with a reason, by name.
        conflicts: versions that the index has with other bytes.
        notes: the stored notes: held deletions, the last snapshot and others.
        counters: since this process started.
        is_worked_on: whether a service, or a command that publishes, works on the state.
    """

    relations: Mapping[str, int]
    work: Sequence[WorkRecord]
    troubled: Sequence[RelationRecord]
    conflicts: Sequence[VersionRecord]
    versions: int
    dead_letters: int
    notes: Mapping[str, str]
    counters: Mapping[str, int]
    is_worked_on: bool = True


@dataclass(frozen=True, slots=True)
class Explanation:
    record: RelationRecord | None
    upstreams: Sequence[Edge]
    upstream_records: Mapping[RelationName, RelationRecord]
    dependents: Sequence[RelationName]
    versions: Sequence[VersionRecord]
    work: WorkRecord | None

    @property
    def failing_upstreams(self) -> Sequence[RelationName]:
        """Direct upstreams that cannot be derived, in order of first mention."""
        found = (self.upstream_records.get(edge.upstream) for edge in self.upstreams)
        return [record.name for record in found if record is not None and record.has_failed]


def engine_status(tx: Transaction, counters: Mapping[str, int]) -> EngineStatus:
    figures = tx.tallies.figures()
    return EngineStatus(
        relations=figures.relations,
        work=tx.work.outstanding(),
        troubled=tx.graph.in_trouble(),
        conflicts=tx.versions.conflicts(),
        versions=figures.versions,
        dead_letters=figures.dead_letters,
        notes=tx.journal.notes("@"),
        counters=counters,
    )


def explanation(tx: Transaction, name: RelationName, distribution: str) -> Explanation:
    edges = tx.graph.edges_of([name])[name]
    return Explanation(
        record=tx.graph.records([name]).get(name),
        upstreams=edges,
        upstream_records=tx.graph.records(edge.upstream for edge in edges),
        dependents=tx.graph.dependents([name]),
        versions=tx.versions.history([distribution])[distribution],
        work=tx.work.of(name),
    )
