"""All known data of one relation, published or not, as plain values for its page."""

from __future__ import annotations

from dataclasses import dataclass

from publisher.lineage.summaries import FilledFrom
from publisher.web.fields import FieldRow


@dataclass(frozen=True, slots=True)
class Definition:
    """``text`` is a view's SQL, empty for a table; ``source`` says where it comes from, or why it is missing."""

    kind: str
    text: str
    source: str


@dataclass(frozen=True, slots=True)
class FieldList:
    """The first fields; ``more`` follow. ``source`` names the derivation or version."""

    rows: tuple[FieldRow, ...]
    more: int
    omitted: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True)
class RelatedRelation:
    """``status`` is the engine's term; UNKNOWN if the relation was not read yet."""

    relation: str
    status: str


@dataclass(frozen=True, slots=True)
class RelatedRelations:
    """The first related relations, and their total number."""

    relations: tuple[RelatedRelation, ...]
    total: int


@dataclass(frozen=True, slots=True)
class VersionLine:
    """``created_at``: seconds since the epoch, or 0 if unknown."""

    number: str
    status: str
    change: str
    reasons: tuple[str, ...]
    created_at: float


@dataclass(frozen=True, slots=True)
class OutstandingWork:
    """Times are seconds since the epoch.

    Attributes:
        due_at: the time of the next attempt, possibly in the past.
        failures: how often in a row it failed for a reason that concerns only this relation.
    """

    waits_since: float
    due_at: float
    is_in_progress: bool
    failures: int
    retries: int
    last_error: str


@dataclass(frozen=True, slots=True)
class RelationDetails:
    """One relation.

    Attributes:
        status: the engine's term; ``meaning`` explains it.
        remedy: what a person can do, or "".
        distribution: its package's name; "" if it never had a package.
        versions: the newest first; ``more_versions`` are older.
        fields: None if its schema is unknown.
        filled_from: statements that fill it, the newest first.
        fills: tables that statements fill from it.
    """

    relation: str
    status: str
    meaning: str
    reason: str
    remedy: str
    distribution: str
    definition: Definition
    fields: FieldList | None
    reads: RelatedRelations
    read_by: RelatedRelations
    versions: tuple[VersionLine, ...]
    more_versions: int
    work: OutstandingWork | None
    filled_from: tuple[FilledFrom, ...] = ()
    fills: tuple[str, ...] = ()
