"""A daemon that does nothing, for pages to ask."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.neighbourhood import NearRelation, Neighbourhood, RelationKind
from publisher.lineage.questions import FoundPlaces, NotFound
from publisher.lineage.values import Direction, Place, Traced, TracedRelation
from publisher.similar_names import likely_names
from publisher.state.records import Publication
from publisher.web.details import RelationDetails
from publisher.web.listing import Asked, CatalogueFigures, ListedRelations
from publisher.web.overview import Overview
from publisher.web.status import FoundRelations, ServiceStatus


@dataclass(frozen=True)
class IdleDaemon:
    shown: ServiceStatus = field(default_factory=ServiceStatus)
    failing: Mapping[str, str] = field(default_factory=dict)
    known: Mapping[RelationName, RelationDetails] = field(default_factory=dict)
    found: FoundRelations = field(default_factory=FoundRelations)
    published: Sequence[Publication] = ()
    figures: CatalogueFigures = field(default_factory=CatalogueFigures)
    listed: ListedRelations = field(default_factory=ListedRelations)
    work: Overview | None = None

    def is_live(self) -> bool:
        return self.shown.live

    def troubles(self) -> Mapping[str, str]:
        return self.failing

    def version(self) -> Hashable:
        """Never the same, so that no page is kept."""
        return object()

    def status(self) -> ServiceStatus:
        return self.shown

    def relation(self, name: RelationName) -> RelationDetails | None:
        return self.known.get(name)

    def named(self, text: str) -> RelationName:
        return RelationName.parse(text)

    def similar(self, name: RelationName) -> Sequence[str]:
        return likely_names(str(name), [str(each) for each in self.known])

    def lineage(
        self,
        relation: RelationName,
        column: str | None,
        direction: Direction,
        depth: int | None,
        most: int | None = None,
    ) -> Traced | NotFound:
        if relation not in self.known:
            return NotFound(f"relation {relation} is not known here")
        cut = depth is not None
        alone = {relation: TracedRelation(False, True, "OK", "", None)}
        return Traced(Place(relation, column), direction, (), {}, (), alone, (), is_cut=cut)

    def places(self, text: str, limit: int) -> FoundPlaces:
        return FoundPlaces()

    def neighbourhood(
        self, relation: RelationName, upstream: int | None, downstream: int | None
    ) -> Neighbourhood | NotFound:
        if relation not in self.known:
            return NotFound(f"relation {relation} is not known here")
        alone = NearRelation(relation, RelationKind.TABLE, "OK")
        return Neighbourhood(relation, (alone,), (), is_cut=upstream != downstream)

    def publications(
        self, limit: int, before: int | None, distribution: str | None
    ) -> Sequence[Publication]:
        found = [
            each
            for each in self.published
            if (before is None or each.sequence < before)
            and distribution in {None, each.distribution}
        ]
        return sorted(found, key=lambda each: -each.sequence)[:limit]

    def catalogue(self) -> CatalogueFigures:
        return self.figures

    def relations(self, asked: Asked) -> ListedRelations:
        return self.listed

    def overview(self) -> Overview:
        return self.work or Overview(0.0, self.figures)

    def search(self, asked: str, limit: int) -> FoundRelations:
        return self.found
