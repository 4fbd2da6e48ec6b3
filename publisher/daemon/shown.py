"""Reads the state's data for pages: relations in trouble, search results and neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from codegen.naming import distribution_name
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.lineage.neighbourhood import Neighbourhood, neighbourhood
from publisher.lineage.questions import (
    FoundPlaces,
    NotFound,
    ReadName,
    place_in,
    places_of,
    similar_relations,
)
from publisher.lineage.summaries import neighbouring_lineage
from publisher.lineage.tracing import trace
from publisher.lineage.values import Direction, Traced
from publisher.settling.conditions import shown_status
from publisher.state.protocol import State, Transaction
from publisher.state.records import (
    Figures,
    Hit,
    Match,
    Publication,
    RelationRecord,
    WorkRecord,
)
from publisher.web.status import (
    FoundPackage,
    FoundRelation,
    FoundRelations,
    Neighbour,
    RelationStatus,
    RelationSummary,
)

_MAX_TROUBLED: Final = 200
_MAX_PACKAGES: Final = 500
_MAX_DOWNSTREAMS: Final = 200


@dataclass(frozen=True, slots=True)
class Troubled:
    """Relations that need a person; ``more`` is the number of those that are not listed."""

    relations: tuple[RelationStatus, ...]
    more: int


@dataclass(frozen=True, slots=True)
class ShownState:
    """Reads the data of pages; ``prefix`` is the prefix of packages' names."""

    state: State
    prefix: str

    def figures(self) -> tuple[Figures, Troubled]:
        return self.state.read(lambda tx: (tx.tallies.figures(), self._troubled(tx)))

    def search(self, asked: str, limit: int) -> FoundRelations:
        def read(tx: Transaction) -> FoundRelations:
            found = tx.search.find(asked, limit)
            records = tx.graph.records(hit.relation for hit in found.hits)
            shown = tuple(self._found(hit, records.get(hit.relation)) for hit in found.hits)
            return FoundRelations(shown, found.total)

        return self.state.read(read)

    def search_packages(self, asked: str) -> Sequence[FoundPackage]:
        found = self.state.read(lambda tx: tx.search.find_in_packages(asked, _MAX_PACKAGES))
        return [
            FoundPackage(self._distribution(hit.relation), _because(hit), hit.fields)
            for hit in found.hits
        ]

    def publications(
        self, limit: int, before: int | None, distribution: str | None
    ) -> Sequence[Publication]:
        return self.state.read(lambda tx: tx.versions.published(limit, before, distribution))

    def summarize(self, name: RelationName) -> RelationSummary | None:
        """A relation's summary without its packages; None if unknown."""
        record, edges, (dependents, total), lineage, around = self.state.read(
            lambda tx: (
                tx.graph.records([name]).get(name),
                tx.graph.edges_of([name])[name],
                tx.graph.some_dependents(name, _MAX_DOWNSTREAMS),
                neighbouring_lineage(tx, name),
                neighbourhood(tx, name, upstream=1, downstream=1),
            )
        )
        if record is None:
            return None
        return RelationSummary(
            record.status.value,
            record.reason or ("it was dropped" if record.yanked else ""),
            tuple(self._neighbour(edge.upstream) for edge in edges),
            tuple(map(self._neighbour, dependents)),
            lineage,
            around,
            more_downstreams=total - len(dependents),
            owner=record.owner,
            missing_since=record.missing_since if record.status is Status.MISSING else None,
        )

    def similar(self, name: RelationName) -> Sequence[str]:
        return self.state.read(lambda tx: similar_relations(tx, name))

    def lineage(
        self,
        relation: RelationName,
        column: str | None,
        direction: Direction,
        depth: int | None,
        most: int | None = None,
    ) -> Traced | NotFound:
        def read(tx: Transaction) -> Traced | NotFound:
            place = place_in(tx, relation, column)
            if isinstance(place, NotFound):
                return place
            return trace(tx, place, direction, self._distribution, depth, most)

        return self.state.read(read)

    def places(self, text: str, names: ReadName, limit: int) -> FoundPlaces:
        return self.state.read(lambda tx: places_of(tx, text, names, limit))

    def neighbourhood(
        self, relation: RelationName, upstream: int | None, downstream: int | None
    ) -> Neighbourhood | NotFound:
        def read(tx: Transaction) -> Neighbourhood | NotFound:
            place = place_in(tx, relation, None)
            if isinstance(place, NotFound):
                return place
            return neighbourhood(tx, relation, upstream=upstream, downstream=downstream)

        return self.state.read(read)

    def _troubled(self, tx: Transaction) -> Troubled:
        """Relations that need a person.

        Failing work comes first. Then come relations that cannot be derived, each before the relations that
        read it. Missing relations come last.
        """
        failing = tx.work.failing(_MAX_TROUBLED)
        records = tx.graph.records(work.relation for work in failing)
        troubled = _causes_first(tx, tx.graph.in_trouble(_MAX_TROUBLED))
        shown = [self._failing(work, records.get(work.relation)) for work in failing]
        listed = {work.relation for work in failing}
        shown += [
            self._status(record, record.reason) for record in troubled if record.name not in listed
        ]
        more = tx.graph.count_in_trouble() - len(troubled)
        return Troubled(tuple(shown), max(0, more))

    def _failing(self, work: WorkRecord, record: RelationRecord | None) -> RelationStatus:
        if record is None:
            return RelationStatus(str(work.relation), Status.UNKNOWN.value, work.last_error)
        # The current error is newer than the reason of the last derivation.
        return self._status(record, work.last_error or record.reason)

    def _status(self, record: RelationRecord, reason: str) -> RelationStatus:
        published = self._published(record)
        return RelationStatus(
            str(record.name), shown_status(record), reason, published, owner=record.owner
        )

    def _found(self, hit: Hit, record: RelationRecord | None) -> FoundRelation:
        return FoundRelation(
            relation=str(hit.relation),
            status=Status.UNKNOWN.value if record is None else shown_status(record),
            distribution=None if record is None else self._published(record),
            because=_because(hit, "" if record is None else record.owner),
        )

    def _published(self, record: RelationRecord) -> str | None:
        return self._distribution(record.name) if record.published_hash is not None else None

    def _neighbour(self, name: RelationName) -> Neighbour:
        return Neighbour(str(name), self._distribution(name))

    def _distribution(self, name: RelationName) -> str:
        return distribution_name(name, self.prefix)


def _causes_first(tx: Transaction, records: Sequence[RelationRecord]) -> list[RelationRecord]:
    broken = {record.name for record in records if not _is_gone(record)}
    edges = tx.graph.edges_of(broken)

    def order(record: RelationRecord) -> tuple[bool, bool]:
        upstreams = (edge.upstream for edge in edges.get(record.name, ()))
        return _is_gone(record), any(name in broken for name in upstreams)

    return sorted(records, key=order)


def _is_gone(record: RelationRecord) -> bool:
    return record.status is Status.MISSING


def _because(hit: Hit, owner: str = "") -> str:
    match hit.match:
        case Match.FIELD:
            return f"field {', '.join(hit.fields)}" if hit.fields else "a field"
        case Match.DOCUMENTATION:
            return f"documentation: {hit.excerpt}"
        case Match.OWNER:
            return f"owner {owner}"
        case Match.NAME | Match.BEGINNING | Match.PART:
            return ""
