"""All known data of one relation, published or not, as plain values for its page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from publisher.lineage.neighbourhood import Neighbourhood
from publisher.lineage.summaries import FilledFrom
from publisher.web.fields import FieldRow

MAX_CONE: Final = 2_000


@dataclass(frozen=True, slots=True)
class Definition:
    """A relation's definition.

    Attributes:
        text: a view's SQL, empty for a table.
        source: where the text comes from, or why it is missing.
        failing: the beginning and end of the word at which the text is wrong; None if unknown.
    """

    kind: str
    text: str
    source: str
    failing: tuple[int, int] | None = None

    @property
    def marked(self) -> tuple[str, str, str]:
        """The text before the failing word, the word, and the text after it."""
        start, end = self.failing or (len(self.text), len(self.text))
        return self.text[:start], self.text[start:end], self.text[end:]


@dataclass(frozen=True, slots=True)
class Loss:
    """A version of an upstream that removed fields. ``before`` is the number of its predecessor."""

    relation: str
    distribution: str
    before: str
    number: str
    removed: tuple[str, ...]
    created_at: float


@dataclass(frozen=True, slots=True)
class FieldList:
    """The first fields of a relation.

    Attributes:
        more: how many fields are not listed.
        omitted: columns without a field, with the reasons.
        source: where the fields come from: a derivation or a version.
    """

    rows: tuple[FieldRow, ...]
    more: int
    omitted: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True)
class RelatedRelation:
    """A relation that the page links. ``status`` is the engine's term, or UNKNOWN if it was not read yet."""

    relation: str
    status: str


@dataclass(frozen=True, slots=True)
class RelatedRelations:
    """The first related relations, and their total number.

    If the relation is gone, ``as_of`` is the last version that had the related relations.
    """

    relations: tuple[RelatedRelation, ...]
    total: int
    as_of: str = ""


@dataclass(frozen=True, slots=True)
class VersionLine:
    """A version in the page's list.

    Attributes:
        created_at: seconds since the epoch, or 0 if unknown.
        wheel_sha256: "" if unknown.
    """

    number: str
    status: str
    change: str
    reasons: tuple[str, ...]
    created_at: float
    wheel_sha256: str = ""


@dataclass(frozen=True, slots=True)
class OutstandingWork:
    """Work on the relation that is not done. Times are seconds since the epoch.

    Attributes:
        due_at: the time of the next attempt, possibly in the past.
        failures: how many attempts in a row failed for a reason that concerns only this relation.
    """

    waits_since: float
    due_at: float
    is_in_progress: bool
    failures: int
    retries: int
    last_error: str


@dataclass(frozen=True, slots=True)
class RelationDetails:
    """The data of a relation's page.

    Attributes:
        status: the engine's term; ``meaning`` explains it.
        remedy: what a person can do, or "".
        distribution: its package's name; "" if it never had a package.
        versions: the newest first; ``more_versions`` counts older versions that are not listed.
        fields: the relation's fields; None if its schema is unknown.
        filled_from: the statements that fill the relation, the newest first.
        fills: tables that statements fill from it.
        around: the relation's neighbours, for a picture; None if unknown.
        owner: from its properties; "" if unknown.
        cone: how many relations read this relation, directly or through others; counted up to ``MAX_CONE``.
        are_yanked: whether the versions are yanked, since the relation was dropped.
        meant: existing columns whose names are similar to a missing column that the view reads.
        losses: for a broken view, the newest versions of upstreams that removed fields.
        hears_statements: whether this service learns which statements fill tables.
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
    around: Neighbourhood | None = None
    owner: str = ""
    cone: int = 0
    are_yanked: bool = False
    meant: tuple[str, ...] = ()
    losses: tuple[Loss, ...] = ()
    hears_statements: bool = False
