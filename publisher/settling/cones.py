"""A relation with its upstreams at any distance, and their facts: what is read twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dependency_graph.graph import graph_of, upstream_cone
from lakeschema.catalog.identifiers import RelationName
from publisher.state.protocol import Transaction
from publisher.state.records import RelationRecord


@dataclass(frozen=True, slots=True)
class Cone:
    """Two equal cones stand for the same derivations.

    Attributes:
        facts: hash of each member's facts; None for a member that does not exist.
        settled: no member is stale or unknown.
        read_event_id: the highest event id at which a member was read.
    """

    facts: Mapping[RelationName, str | None]
    settled: bool
    read_event_id: int | None


def cones(tx: Transaction, names: Sequence[RelationName]) -> Mapping[RelationName, Cone]:
    """The cone above each name, in two queries for all."""
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
        read_event_id=max((record.read_event_id or -1 for record in known), default=None),
    )
