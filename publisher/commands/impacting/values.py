"""The effects of a change, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.values import Place, Statement


@dataclass(frozen=True, slots=True)
class Governed:
    """The policies for an affected column and its sources.

    ``masks``: by name, with the groups of readers that get masked values; "" for readers without a
    group.
    """

    column: str
    tags: tuple[str, ...]
    masks: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """An affected relation, or the one that was asked for.

    Attributes:
        columns: the affected columns; empty if all may be.
        distance: the number of views and statements in between; 0 for the relation that was asked
            for.
        filled_by: the newest statement that leads to it; None for a view.
        version: its package's newest version, or None.
        next_version: its package's version after the removal.
        change: the kind of that version: "major", "minor" or "patch", or "".
        breaks: why the relation could not be derived then, or "".
    """

    relation: RelationName
    is_view: bool
    columns: tuple[str, ...]
    distance: int
    filled_by: Statement | None
    distribution: str
    version: str | None
    next_version: str | None = None
    change: str = ""
    breaks: str = ""
    governed: tuple[Governed, ...] = ()


@dataclass(frozen=True, slots=True)
class Person:
    """A person who owns, fills or reads an affected relation.

    Attributes:
        concern: "owns", "fills" or "reads".
        statements: their number in the log; 0 for an owner.
        last_day: in ISO form; "" if the log does not tell.
    """

    name: str
    concern: str
    relation: str
    distance: int
    statements: int
    last_day: str


@dataclass(frozen=True, slots=True)
class Impact:
    """The answer.

    Attributes:
        hits: in order of distance.
        people: None without a log.
        days: how many days of the log were read.
        not_planned: why the versions are unknown, or "".
        is_governed: whether policies were given.
    """

    asked: Place
    hits: Sequence[Hit]
    people: Sequence[Person] | None = None
    days: int = 0
    not_planned: str = ""
    is_governed: bool = False
