"""The users affected by a plan, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from lakeschema.catalog.identifiers import RelationName


class PinEffect(Enum):
    """A plan's effect on a file that names a package; the values are words for people and JSON."""

    TAKES = "takes the new version"
    TAKES_BREAKING = "takes the new version, which is a major one"
    STAYS = "must be renewed to have the new version"
    STAYS_BREAKING = "breaks when it is renewed: the new version is a major one"
    YANKED = "its versions are yanked: pins keep working, ranges find none"
    SOURCE_GONE = "its relation is dropped"
    SOURCE_BREAKS = "its relation breaks"


@dataclass(frozen=True, slots=True)
class PinHit:
    """A pin that a plan affects. ``pinned`` is the text in the file that says which versions are allowed."""

    file: str
    pinned: str
    effect: PinEffect


class QueryEffect(Enum):
    BREAKS = "breaks"
    CHANGES = "changes"
    READS = "reads"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class QueryHit:
    """A query of the log that reads a change.

    Attributes:
        where: the place of its first entry, such as ``queries.jsonl:17``.
        times: the number of entries with the same text.
        users: some of the log's users.
        why: the error if the query breaks; otherwise the changed columns that it reads.
    """

    where: str
    times: int
    users: Sequence[str]
    text: str
    effect: QueryEffect
    why: str


@dataclass(frozen=True, slots=True)
class FillHit:
    """A table that a statement fills from a changed relation.

    Attributes:
        statement: the first characters of the statement.
        user: the person who ran the statement; "" if unknown.
        last_at: when the statement last ran, in seconds since the epoch.
        why: the changed columns that the statement reads; "" for the whole relation.
    """

    table: RelationName
    statement: str
    user: str
    last_at: float
    why: str


@dataclass(frozen=True, slots=True)
class Hit:
    """The users of one relation, or of its package. ``downloads`` is their number; None if unknown."""

    relation: RelationName
    distribution: str
    downloads: int | None = None
    pins: Sequence[PinHit] = ()
    queries: Sequence[QueryHit] = ()
    fills: Sequence[FillHit] = ()

    @property
    def has_broken_queries(self) -> bool:
        return any(query.effect is QueryEffect.BREAKS for query in self.queries)
