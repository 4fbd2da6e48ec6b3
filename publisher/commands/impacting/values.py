"""The values that describe the effects of a change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from publisher.lineage.hits import Hit
from publisher.lineage.values import Place


@dataclass(frozen=True, slots=True)
class Person:
    """A person who owns, fills or reads an affected relation.

    Attributes:
        concern: "owns", "fills" or "reads".
        statements: the number of the person's statements in the log; 0 for an owner.
        last_day: the day of the last statement in ISO form; "" if the log does not have it.
    """

    name: str
    concern: str
    relation: str
    distance: int
    statements: int
    last_day: str


@dataclass(frozen=True, slots=True)
class Impact:
    """All effects of a change.

    Attributes:
        hits: the affected relations, the nearest first.
        people: the persons concerned; None without a log.
        days: the number of days of the log that were read.
        not_planned: why the versions are unknown, or "".
        is_governed: whether policies were given.
    """

    asked: Place
    hits: Sequence[Hit]
    people: Sequence[Person] | None = None
    days: int = 0
    not_planned: str = ""
    is_governed: bool = False
