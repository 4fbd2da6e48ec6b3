"""Lineage as values: places, the links between them, and what a question about one finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.clauses import Clause
from lakeschema.translation.model.interface import Transformation


class Direction(Enum):
    UPSTREAM = "upstream"
    DOWNSTREAM = "downstream"


class Kind(Enum):
    """How a source acts on a target.

    DIRECT: values are made of it. INDIRECT: it decides values or rows. READS: the rows of one are
    made of the rows of the other.
    """

    DIRECT = "direct"
    INDIRECT = "indirect"
    READS = "reads"


@dataclass(frozen=True, slots=True)
class Place:
    """A column, or, where ``column`` is None, the rows of a relation, and so each of its columns.

    ``path``: in lower case, to the field of the column that is asked for.
    """

    relation: RelationName
    column: str | None = None
    path: tuple[str, ...] = ()

    @property
    def is_rows(self) -> bool:
        return self.column is None

    def __str__(self) -> str:
        return ".".join(
            (str(self.relation), *(() if self.is_rows else (self.column or "",)), *self.path)
        )

    @property
    def whole(self) -> Place:
        """The column of a field."""
        return Place(self.relation, self.column)


@dataclass(frozen=True, slots=True)
class Statement:
    """One that fills a table.

    Attributes:
        text: its first characters.
        user: "" where nobody said who ran it.
        first_at, last_at: when it ran, in seconds since the epoch.
    """

    text: str
    user: str
    first_at: float
    last_at: float


@dataclass(frozen=True, slots=True)
class Link:
    """One source of one target.

    Attributes:
        path: to a field inside the source's column.
        clause: of an indirect link, through which the source acts.
        expression: of a direct link, how the target is made; "" of one that is taken as it is.
        transformation: of a direct link.
        distance: how many views and statements lie between it and what was asked for, from 1.
        statement: that fills the target; None where the target is a view.
    """

    source: Place
    target: Place
    kind: Kind
    path: tuple[str, ...] = ()
    clause: Clause | None = None
    expression: str = ""
    transformation: Transformation | None = None
    distance: int = 1
    statement: Statement | None = None


@dataclass(frozen=True, slots=True)
class TracedRelation:
    """A relation of the answer.

    Attributes:
        is_view: False of a table, and of what nothing is known.
        is_derived: its columns are known.
        version: of its package, the newest; None if it has none.
    """

    is_view: bool
    is_derived: bool
    status: str
    distribution: str
    version: str | None


@dataclass(frozen=True, slots=True)
class Traced:
    """The answer.

    Attributes:
        links: the nearest first.
        expressions: how columns of these relations are made that are not taken as they are.
        columns: of the relation that was asked for.
        relations: every relation of the links, and the one that was asked for.
        untraced: views of these whose lineage is not known, or only in part.
        is_cut: whether there is more beyond the depth that was asked for.
    """

    asked: Place
    direction: Direction
    links: tuple[Link, ...]
    expressions: Mapping[Place, str]
    columns: tuple[str, ...]
    relations: Mapping[RelationName, TracedRelation]
    untraced: tuple[RelationName, ...]
    is_cut: bool = False
