"""What a change hits, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.values import Place, Statement


@dataclass(frozen=True, slots=True)
class Governed:
    """Of one column that is reached: what the policies say of it and of what it is made of.

    ``masks``: by name, with the groups of readers that get the masked values; "" for readers of none.
    """

    column: str
    tags: tuple[str, ...]
    masks: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A relation that is reached, or that itself was asked for.

    Attributes:
        columns: those that change with what was asked for; empty if all may.
        distance: how many views and statements it is away; 0 of what was asked for.
        filled_by: the newest statement through which it is reached; None of a view.
        version: the newest one of its package; None without one.
        next_version: that its package would get if what was asked for were gone.
        change: of that version: "major", "minor" or "patch"; "" where there is none.
        breaks: why the relation could not be derived then; "" if it could.
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
    """Who owns, fills or reads what is hit.

    Attributes:
        concern: "owns", "fills" or "reads".
        statements: of the log; 0 of an owner.
        last_day: in ISO form; "" where the log does not say it.
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
        people: None where no log was given.
        days: of the log.
        not_planned: why nothing is known of versions; "" if they are known.
        is_governed: whether policies were given.
    """

    asked: Place
    hits: Sequence[Hit]
    people: Sequence[Person] | None = None
    days: int = 0
    not_planned: str = ""
    is_governed: bool = False
