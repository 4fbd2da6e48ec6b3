"""Finds the people to tell about a change: users and writers of relations downstream, and owners."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from lakeschema.analysis.tracing import EVERY_COLUMN
from lakeschema.analysis.usage.counting import Counts
from lakeschema.analysis.usage.flows import Reached


class Concern(Enum):
    """The reasons for telling a person about a change, in the order in which they are shown."""

    OWNS = "owns"
    FILLS = "fills"
    READS = "reads"


@dataclass(frozen=True, slots=True)
class ToTell:
    """A person to tell. ``columns`` are the changed columns of ``relation``; ``*`` means all.

    ``statements`` is the number of the person's statements; 0 for an owner.
    """

    user: str
    concern: str
    relation: str
    columns: tuple[str, ...]
    distance: int
    statements: int
    last_day: str


def whom_to_tell(
    counts: Counts, reached: Iterable[Reached], owners: Mapping[str, str] | None = None
) -> tuple[ToTell, ...]:
    """The people to tell, in the order of ``reached``.

    Each relation has its owner first, then its writers, then its readers by use.

    If all columns of a relation change, all its readers are listed. Otherwise only readers of a changed
    column are listed, and readers whose columns are unknown.
    """
    found: list[ToTell] = []
    tables = _by_relation(counts, "readers")
    columns = _by_relation(counts, "column_readers")
    writers = _by_relation(counts, "writers")
    for each in reached:
        owner = (owners or {}).get(each.relation)
        if owner:
            found.append(_told(owner, Concern.OWNS, each, 0, ""))
        if each.distance:
            found += _users(Concern.FILLS, each, writers.get(each.relation, ()))
        read = tables if each.is_whole else columns
        rows = [
            (user, count)
            for user, named, count in read.get(each.relation, ())
            if each.is_whole or named in each.columns or named == EVERY_COLUMN
        ]
        found += _users(Concern.READS, each, [(user, "", count) for user, count in rows])
    return tuple(found)


_Use = tuple[str, str, tuple[int, str]]
"""A user and a column, with the number of statements and the last day."""


def _by_relation(counts: Counts, name: str) -> Mapping[str, list[_Use]]:
    found: dict[str, list[_Use]] = {}
    for count in counts[name]:
        relation, *column, user = count.keys
        read = column[0].partition(".")[0] if column else ""
        found.setdefault(relation, []).append((user, read, (count.statements, count.last_day)))
    return found


def _users(concern: Concern, reached: Reached, uses: Iterable[_Use]) -> list[ToTell]:
    """Each user once, with the count of the most read column, as a statement may read several columns."""
    best: dict[str, tuple[int, str]] = {}
    for user, _, (statements, day) in uses:
        before = best.get(user, (0, ""))
        best[user] = (max(before[0], statements), max(before[1], day))
    ranked = sorted(best.items(), key=lambda each: (-each[1][0], each[0]))
    return [_told(user, concern, reached, *use) for user, use in ranked if user]


def _told(user: str, concern: Concern, reached: Reached, statements: int, day: str) -> ToTell:
    columns = (EVERY_COLUMN,) if reached.is_whole else tuple(sorted(reached.columns))
    return ToTell(user, concern.value, reached.relation, columns, reached.distance, statements, day)
