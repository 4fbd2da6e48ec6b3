"""Finds the tables, views and columns of a catalog that no statement read for some days."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from lakeschema.analysis.catalog import KnownTable
from lakeschema.analysis.tracing import EVERY_COLUMN
from lakeschema.analysis.usage.counting import Count
from lakeschema.catalog.identifiers import RelationName

_SOME_DAY: Final = "9999-12-31"
"""The day of a read without a day in the log: the read relation must not count as unused."""
_Place = tuple[str, str]
"""A relation and a column, in lower case; "" for the relation itself."""


@dataclass(frozen=True, slots=True)
class Unused:
    """Unused data. ``column`` is "" for a whole relation; ``last_read`` is "" if it was never read."""

    relation: str
    column: str
    last_read: str


def unused_since(
    known: Mapping[RelationName, KnownTable],
    reads: Iterable[Count],
    column_reads: Iterable[Count],
    since: str,
) -> tuple[Unused, ...]:
    """The relations that were not read since a day, and unread columns of the others.

    Reading a view reads everything in its query. If it is unknown which columns of a table were
    read, all its columns count as read.

    ``reads`` are counted by relation, ``column_reads`` by relation, column and further keys;
    ``since`` is in ISO form.
    """
    last: dict[_Place, str] = {}
    for count in reads:
        _note(last, (count.keys[0], ""), count.last_day or _SOME_DAY)
    for count in column_reads:
        place = (count.keys[0], count.keys[1].partition(".")[0])
        _note(last, place, count.last_day or _SOME_DAY)
    _through_views(known, last)
    found: list[Unused] = []
    for name, table in sorted(known.items()):
        relation = str(name)
        day = last.get((relation, ""), "")
        if day < since:
            found.append(Unused(relation, "", day))
            continue
        every = last.get((relation, EVERY_COLUMN), "")
        for column in table.columns or ():
            read = max(last.get((relation, column.lower()), ""), every)
            if read < since:
                found.append(Unused(relation, column, read))
    return tuple(found)


def _note(last: dict[_Place, str], place: _Place, day: str) -> bool:
    if last.get(place, "") >= day:
        return False
    last[place] = day
    return True


def _through_views(known: Mapping[RelationName, KnownTable], last: dict[_Place, str]) -> None:
    pending = [name for name, table in known.items() if table.reads]
    while pending:
        name = pending.pop()
        day = last.get((str(name), ""), "")
        if not day:
            continue
        for relation, columns in known[name].reads:
            text = str(relation)
            # All reads of a view are recorded before the views below are visited again.
            news = [_note(last, (text, column), day) for column in ("", *columns)]
            if any(news) and relation in known and known[relation].reads:
                pending.append(relation)


def days_before(day: str, days: int) -> str:
    """The day that lies this number of days earlier, in ISO form."""
    return (date.fromisoformat(day) - timedelta(days=days)).isoformat()
