"""A relation with its upstreams at any distance, and the hashes of their facts, which are read twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dependency_graph.graph import graph_of, upstream_cone
from lakeschema.catalog.identifiers import RelationName
from publisher.state.protocol import Transaction
from publisher.state.records import RelationRecord


@dataclass(frozen=True, slots=True)
class Cone:
    """Equal cones mean the same derivations.

    Attributes:
        facts: the hash of each member's facts; None if it does not exist.
        settled: whether no member is stale or unknown.
        readings: for each member, its catalog, the time of the reading, and the newest event that the
            answer may reflect.
    """

    facts: Mapping[RelationName, str | None]
    settled: bool
    readings: Sequence[tuple[str, float, int]] = field(compare=False)

    def read_event_id(self, catalog: str, since: float) -> int | None:
        """The newest event that the catalog's readings after ``since`` may reflect, or None."""
        newest = (
            event_id
            for name, read_at, event_id in self.readings
            if name == catalog and read_at > since
        )
        return max(newest, default=None)


def cones(tx: Transaction, names: Sequence[RelationName]) -> Mapping[RelationName, Cone]:
    """The cone above each name; takes two queries in total."""
    edges = tx.graph.upstream_edges(names)
    graph = graph_of(((edge.dependent, edge.upstream) for edge in edges), alone=names)
    members = {name: sorted(upstream_cone(graph, [name])) for name in names}
    records = tx.graph.records({n for cone in members.values() for n in cone})
    return {name: _cone(cone, records) for name, cone in members.items()}


def _cone(names: Sequence[RelationName], records: Mapping[RelationName, RelationRecord]) -> Cone:
    known = [records[name] for name in names if name in records]
    return Cone(
        facts={n: records[n].facts_hash if n in records else None for n in names},
        settled=len(known) == len(names) and not any(record.stale for record in known),
        readings=[
            (record.name.catalog, record.read_at, record.read_event_id)
            for record in known
            if record.read_at is not None and record.read_event_id is not None
        ],
    )
