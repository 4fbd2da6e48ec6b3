"""Lineage as values: places, the links between them, and the answer to a question."""

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

    DIRECT: it supplies values. INDIRECT: it influences values or rows. READS: rows of the target
    are made from rows of the source.
    """

    DIRECT = "direct"
    INDIRECT = "indirect"
    READS = "reads"


@dataclass(frozen=True, slots=True)
class Place:
    """A column or, without ``column``, the rows of a relation, which influence all its columns.

    ``path`` is the path to a field inside the column, in lower case.
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
        """The column that contains the field."""
        return Place(self.relation, self.column)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that fills a table.

    Attributes:
        text: the first characters of the statement.
        user: the user who ran it; "" if unknown.
        first_at, last_at: when it first and last ran, in seconds since the epoch.
    """

    text: str
    user: str
    first_at: float
    last_at: float


@dataclass(frozen=True, slots=True)
class Link:
    """One source of one target.

    Attributes:
        path: the path to a field inside the source's column.
        clause: for an indirect link, the clause through which the source acts.
        expression: for a direct link, the target's expression; "" for a plain column.
        transformation: for a direct link, how the values are made.
        distance: how many views and statements away the source or target is, from 1.
        statement: the statement that fills the target; None if the target is a view.
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
    """A relation of a traced lineage.

    Attributes:
        is_view: False for a table and for an unknown relation.
        is_derived: whether its columns are known.
        version: the newest version of the relation's package, or None.
        owner: the owner in the relation's properties; "" if unknown.
    """

    is_view: bool
    is_derived: bool
    status: str
    distribution: str
    version: str | None
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Traced:
    """The lineage of a place, in one direction.

    Attributes:
        links: the nearest first.
        expressions: the expressions of all columns that are not plain copies.
        columns: the columns of the relation that the question is about.
        relations: every relation in the links, and the relation that the question is about.
        untraced: views among the relations whose lineage is unknown or incomplete.
        is_cut: whether a limit left links out.
    """

    asked: Place
    direction: Direction
    links: tuple[Link, ...]
    expressions: Mapping[Place, str]
    columns: tuple[str, ...]
    relations: Mapping[RelationName, TracedRelation]
    untraced: tuple[RelationName, ...]
    is_cut: bool = False
