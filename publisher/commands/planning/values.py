"""The contents of a plan, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.commands.audience.values import Hit


class Fate(Enum):
    """What happens to a relation that the statements change."""

    CREATED = "created"
    CHANGED = "changed"
    RENAMED = "renamed"
    DROPPED = "dropped"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """A column's type before and after the change; None if the column does not exist.

    If the type stays the same, ``note`` describes what else changes.
    """

    column: str
    before: str | None
    after: str | None
    note: str = ""

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.column} {self.after} added"
        if self.after is None:
            return f"{self.column} removed"
        if self.before == self.after:
            return f"{self.column}: {self.note}"
        return f"{self.column}: {self.before} → {self.after}"


@dataclass(frozen=True, slots=True)
class PlannedRelation:
    """A relation that the statements change.

    Attributes:
        new_name: the new name of a renamed relation.
        statements: places of the statements, such as ``change.sql:3``.
        columns: the columns that differ for readers; empty if it is dropped or created.
        dependents_before, dependents_after: the dependents at any distance, sorted.
    """

    relation: RelationName
    fate: Fate
    statements: Sequence[str] = ()
    new_name: RelationName | None = None
    columns: Sequence[ColumnChange] = ()
    dependents_before: Sequence[RelationName] = ()
    dependents_after: Sequence[RelationName] = ()


@dataclass(frozen=True, slots=True, order=True)
class Cause:
    """The cause of a consequence: a relation that the statements change, or one of its columns.

    ``column`` is "" for the relation as a whole.
    """

    relation: RelationName
    column: str
    what: str

    def __str__(self) -> str:
        if not self.column:
            return f"{self.relation} {self.what}"
        return f"{self.relation}: column {self.what}"


@dataclass(frozen=True, slots=True)
class PlannedVersion:
    """A version that would be published.

    Attributes:
        newest: the number of the version before; None for a first version.
        change: "first", "major", "minor" or "patch".
        dependents: the relation's dependents at any distance, sorted.
        causes: empty if the statements change the relation itself.
    """

    relation: RelationName
    distribution: str
    newest: str | None
    number: str
    change: str
    reasons: tuple[str, ...]
    dependents: tuple[RelationName, ...] = ()
    causes: tuple[Cause, ...] = ()


_NOT_THE_ENGINES = frozenset({Status.UNSUPPORTED.value, Status.UNREACHABLE.value, Status.OK.value})


@dataclass(frozen=True, slots=True)
class Failing:
    """A relation that gets no new version, because it cannot be derived or packaged.

    Attributes:
        status: the status that the command ``status`` shows (BROKEN, UNSUPPORTED …); OK if only
            packaging fails.
        published: the newest version, which stays, or None.
    """

    relation: RelationName
    status: str
    reason: str
    causes: tuple[Cause, ...] = ()
    published: str | None = None

    @property
    def is_refused_by_engine(self) -> bool:
        """Whether the engine of the relation or of an upstream would refuse it."""
        return self.status not in _NOT_THE_ENGINES


class PackageFate(Enum):
    """What happens to the versions of a relation that the catalog no longer has."""

    YANKED = "yanked"
    HELD = "held"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class DroppedPackage:
    """The package of a dropped relation. ``versions`` are the available versions, lowest first.

    ``why`` explains the package's fate in a sentence.
    """

    relation: RelationName
    distribution: str
    versions: Sequence[str]
    fate: PackageFate
    why: str


@dataclass(frozen=True, slots=True)
class Read:
    """An edge of the graph: a view that reads ``upstream``, before or after the statements."""

    upstream: RelationName
    dependent: RelationName


@dataclass(frozen=True, slots=True)
class Plan:
    """All consequences of a change.

    Attributes:
        relations: the relations that the statements change; empty without statements.
        broken: relations that could be derived before, and new relations that their engine would
            refuse.
        failing: new relations without a package, although their engine accepts them.
        already_failing: relations that fail before and after.
        mended: relations that could not be derived before, and can be after.
        offered_again: yanked packages of relations that exist again, with unchanged content.
        withheld: relations that lose their package because of the settings or their own property.
        hits: affected users, as far as lock files, downloads and queries show.
        reads: which relation reads which, among the relations that the statements change and their
            dependents.
    """

    relations: Sequence[PlannedRelation] = ()
    versions: Sequence[PlannedVersion] = ()
    broken: Sequence[Failing] = ()
    failing: Sequence[Failing] = ()
    already_failing: Sequence[Failing] = ()
    mended: Sequence[RelationName] = ()
    dropped_packages: Sequence[DroppedPackage] = ()
    offered_again: Sequence[RelationName] = ()
    withheld: Sequence[RelationName] = ()
    hits: Sequence[Hit] = ()
    reads: Sequence[Read] = ()

    @property
    def breaks(self) -> bool:
        """Whether a relation or a query of the log would break."""
        return bool(self.broken) or any(hit.has_broken_queries for hit in self.hits)

    @property
    def is_empty(self) -> bool:
        """Whether no package would change and nothing fails."""
        return not (
            self.versions
            or self.broken
            or self.failing
            or self.mended
            or self.dropped_packages
            or self.offered_again
            or self.withheld
            or self.hits
        )
