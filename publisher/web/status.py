"""What the pages show of the daemon: plain values, made by whoever runs the engine."""

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
    """What the pages ask the daemon."""

    def is_live(self) -> bool:
        """False if only a restart can help. Asked often: costs nothing."""

    def troubles(self) -> Mapping[str, str]:
        """What keeps it from its work and why, by part; empty if it is ready."""

    def status(self) -> ServiceStatus: ...

    def relation(self, name: RelationName) -> RelationDetails | None:
        """All that is known of a relation; None if nothing is.

        Raises:
            StateUnavailable
        """

    def similar(self, name: RelationName) -> Sequence[str]:
        """Relations that may be meant by a name that is not known.

        Raises:
            StateUnavailable
        """

    def lineage(
        self, relation: RelationName, column: str | None, direction: Direction, depth: int | None
    ) -> Traced | NotFound:
        """Of a column, or of a whole relation.

        Raises:
            StateUnavailable
        """

    def search(self, asked: str, limit: int) -> FoundRelations:
        """The relations that a question finds, all of them if it is empty, the best first.

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
        ready: False while it cannot do its work, for ``reason``.
        figures: counts to show, in this order.
        relations: those to list, problems first; ``more_relations`` are not among them.
    """

    live: bool = True
    ready: bool = True
    reason: str = ""
    figures: Mapping[str, int | str] = field(default_factory=lambda: MappingProxyType({}))
    relations: tuple[RelationStatus, ...] = ()
    more_relations: int = 0


@dataclass(frozen=True, slots=True)
class FoundRelation:
    """What a question finds; ``because`` says where if it is not in the name."""

    relation: str
    status: str
    distribution: str | None = None
    because: str = ""


@dataclass(frozen=True, slots=True)
class FoundRelations:
    """The best, of so many."""

    relations: tuple[FoundRelation, ...] = ()
    total: int = 0


@dataclass(frozen=True, slots=True)
class FoundPackage:
    """A published package in whose fields or documentation a question is found, and where."""

    distribution: str
    because: str


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A direct upstream or downstream; ``distribution`` is the name of its package if it has one."""

    relation: str
    distribution: str


@dataclass(frozen=True, slots=True)
class RelationSummary:
    """What the daemon knows of a relation and its packages do not say.

    Attributes:
        status: the engine's term, such as OK or BROKEN, with a ``reason`` if there is a problem.
        upstreams: relations that it reads directly, in order of first mention.
        downstreams: relations that read it directly, by name.
        lineage: of its columns, as far as its neighbours; None if it was never derived.
    """

    status: str
    reason: str
    upstreams: tuple[Neighbour, ...]
    downstreams: tuple[Neighbour, ...]
    lineage: LineageSummary | None = None
