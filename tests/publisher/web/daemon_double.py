"""A daemon that does nothing, for pages to ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.questions import NotFound
from publisher.lineage.values import Direction, Place, Traced
from publisher.similar_names import likely_names
from publisher.web.details import RelationDetails
from publisher.web.status import FoundRelations, ServiceStatus


@dataclass(frozen=True)
class IdleDaemon:
    shown: ServiceStatus = field(default_factory=ServiceStatus)
    failing: Mapping[str, str] = field(default_factory=dict)
    known: Mapping[RelationName, RelationDetails] = field(default_factory=dict)
    found: FoundRelations = field(default_factory=FoundRelations)

    def is_live(self) -> bool:
        return self.shown.live

    def troubles(self) -> Mapping[str, str]:
        return self.failing

    def status(self) -> ServiceStatus:
        return self.shown

    def relation(self, name: RelationName) -> RelationDetails | None:
        return self.known.get(name)

    def similar(self, name: RelationName) -> Sequence[str]:
        return likely_names(str(name), [str(each) for each in self.known])

    def lineage(
        self, relation: RelationName, column: str | None, direction: Direction, depth: int | None
    ) -> Traced | NotFound:
        if relation not in self.known:
            return NotFound(f"relation {relation} is not known here")
        cut = depth is not None
        return Traced(Place(relation, column), direction, (), {}, (), {}, (), is_cut=cut)

    def search(self, asked: str, limit: int) -> FoundRelations:
        return self.found
