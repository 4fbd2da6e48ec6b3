"""The daemon's data for pages: plain values, made by the process with the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.questions import NotFound
from publisher.lineage.summaries import LineageSummary
from publisher.lineage.values import Direction, Traced
from publisher.web.details import RelationDetails


class Daemon(Protocol):
    """The pages' requests to the daemon."""

    def is_live(self) -> bool:
        """False if only a restart can help. It is called often and must be cheap."""

    def troubles(self) -> Mapping[str, str]:
        """The reasons why the service is not ready, by part; empty if it is."""

    def status(self) -> ServiceStatus: ...

    def relation(self, name: RelationName) -> RelationDetails | None:
        """All known data of a relation; None if it is unknown.

        Raises:
            StateUnavailable
        """

    def similar(self, name: RelationName) -> Sequence[str]:
        """Relations with names similar to an unknown one.

        Raises:
            StateUnavailable
        """

    def lineage(
        self, relation: RelationName, column: str | None, direction: Direction, depth: int | None
    ) -> Traced | NotFound:
        """The lineage of a column, or of a whole relation.

        Raises:
            StateUnavailable
        """

    def search(self, asked: str, limit: int) -> FoundRelations:
        """The relations that match ``asked``, or all if it is empty; the best matches first.

        Raises:
            StateUnavailable
        """


@dataclass(frozen=True, slots=True)
class RelationStatus:
    """A line of the dashboard; ``status`` is the engine's term, such as OK or BROKEN."""

    relation: str
    status: str
    reason: str = ""
    distribution: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """The state of the daemon at one moment.

    Attributes:
        live: False if only a restart can help.
        ready: False while ``reason`` keeps it from its work.
        figures: counts to show, in this order.
        relations: the relations to list, problems first; ``more_relations`` are not listed.
    """

    live: bool = True
    ready: bool = True
    reason: str = ""
    figures: Mapping[str, int | str] = field(default_factory=lambda: MappingProxyType({}))
    relations: tuple[RelationStatus, ...] = ()
    more_relations: int = 0


@dataclass(frozen=True, slots=True)
class FoundRelation:
    """A relation that matches a search; ``because`` shows the match if it is not in the name."""

    relation: str
    status: str
    distribution: str | None = None
    because: str = ""


@dataclass(frozen=True, slots=True)
class FoundRelations:
    """The best matches, and their total number."""

    relations: tuple[FoundRelation, ...] = ()
    total: int = 0


@dataclass(frozen=True, slots=True)
class FoundPackage:
    """A published package with a match in its fields or documentation, and the place of the match."""

    distribution: str
    because: str


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A direct upstream or downstream; ``distribution`` is its package's name, if it has a package."""

    relation: str
    distribution: str


@dataclass(frozen=True, slots=True)
class RelationSummary:
    """The daemon's data about a relation that its packages lack.

    Attributes:
        status: the engine's term, such as OK or BROKEN, with a ``reason`` if there is a problem.
        upstreams: relations that it reads directly, in order of first mention.
        downstreams: relations that read it directly, by name.
        lineage: its columns' lineage up to the neighbours; None if it was never derived.
    """

    status: str
    reason: str
    upstreams: tuple[Neighbour, ...]
    downstreams: tuple[Neighbour, ...]
    lineage: LineageSummary | None = None
