"""The daemon's data for pages: plain values, made by the process with the engine."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.neighbourhood import Neighbourhood
from publisher.lineage.questions import FoundPlaces, NotFound
from publisher.lineage.summaries import LineageSummary
from publisher.lineage.values import Direction, Traced
from publisher.state.records import Publication
from publisher.web.details import RelationDetails
from publisher.web.listing import Asked, CatalogueFigures, ListedRelations
from publisher.web.overview import Overview


class Daemon(Protocol):
    """The pages' requests to the daemon."""

    def is_live(self) -> bool:
        """Whether the daemon works; if not, only a restart can help. The method must be fast."""

    def troubles(self) -> Mapping[str, str]:
        """The reasons why the service is not ready, by part; empty if it is."""

    def status(self) -> ServiceStatus: ...

    def version(self) -> Hashable:
        """The version of the state's data: it changes with every write.

        Raises:
            StateUnavailable
        """

    def relation(self, name: RelationName) -> RelationDetails | None:
        """All known data of a relation; None if it is unknown.

        Raises:
            StateUnavailable
        """

    def named(self, text: str) -> RelationName:
        """The relation that a person's text names.

        Raises:
            MalformedName, SessionRefused
        """

    def similar(self, name: RelationName) -> Sequence[str]:
        """Relations with names similar to an unknown one.

        Raises:
            StateUnavailable
        """

    def lineage(
        self,
        relation: RelationName,
        column: str | None,
        direction: Direction,
        depth: int | None,
        most: int | None = None,
    ) -> Traced | NotFound:
        """The lineage of a column, or of a whole relation; see ``trace`` for ``depth`` and ``most``.

        Raises:
            StateUnavailable
        """

    def places(self, text: str, limit: int) -> FoundPlaces:
        """The relations and columns that a person's text names or may mean.

        Raises:
            StateUnavailable
        """

    def neighbourhood(
        self, relation: RelationName, upstream: int | None, downstream: int | None
    ) -> Neighbourhood | NotFound:
        """The relations around a relation, up to a number of steps in each direction; None for all.

        Raises:
            StateUnavailable
        """

    def publications(
        self, limit: int, before: int | None, distribution: str | None
    ) -> Sequence[Publication]:
        """The newest published versions: of one package or of all, before a sequence if stated.

        Raises:
            StateUnavailable
        """

    def catalogue(self) -> CatalogueFigures:
        """Every namespace with its figures.

        Raises:
            StateUnavailable
        """

    def relations(self, asked: Asked) -> ListedRelations:
        """The relations that a page asks for.

        Raises:
            StateUnavailable
        """

    def overview(self) -> Overview:
        """The service's work.

        Raises:
            StateUnavailable
        """

    def search(self, asked: str, limit: int) -> FoundRelations:
        """The relations that match ``asked``, or all if it is empty; the best matches first.

        Raises:
            StateUnavailable
        """


def version_of(daemon: Daemon) -> Callable[[object], Hashable]:
    """A function that gives the state's version for any request, for pages that show only the state."""
    return lambda _: daemon.version()


@dataclass(frozen=True, slots=True)
class RelationStatus:
    """A line of the dashboard; ``status`` is the engine's term, such as OK or BROKEN.

    ``owner`` is "" if unknown.
    """

    relation: str
    status: str
    reason: str = ""
    distribution: str | None = None
    version: str | None = None
    owner: str = ""


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """The state of the daemon at one moment.

    Attributes:
        live: False if only a restart can help.
        ready: False while the service cannot do its work; ``reason`` says why.
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
    """A published package with a match in its fields or documentation, and the place of the match.

    ``fields`` has some matching fields, if the match is in fields.
    """

    distribution: str
    because: str
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A relation's direct upstream or downstream. ``distribution`` is its package's name, if any."""

    relation: str
    distribution: str


@dataclass(frozen=True, slots=True)
class RelationSummary:
    """The daemon's data about a relation that its packages lack.

    Attributes:
        status: the engine's term, such as OK or BROKEN, with a ``reason`` if there is a problem.
        upstreams: relations that it reads directly, in order of first mention.
        downstreams: the first relations that read it directly, by name; ``more_downstreams`` counts
            those that are not listed.
        lineage: the columns' lineage up to the neighbours; None if it was never derived.
        around: the relation's neighbours, for a picture; None if unknown.
        owner: the owner in the relation's properties; "" if unknown.
        missing_since: since when the catalog lacks the relation, in seconds since the epoch; None if
            it exists.
    """

    status: str
    reason: str
    upstreams: tuple[Neighbour, ...]
    downstreams: tuple[Neighbour, ...]
    lineage: LineageSummary | None = None
    around: Neighbourhood | None = None
    more_downstreams: int = 0
    owner: str = ""
    missing_since: float | None = None
