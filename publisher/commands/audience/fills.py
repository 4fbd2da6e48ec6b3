"""Finds tables in the state that statements fill from a changed relation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lakeschema.catalog.identifiers import RelationName
from publisher.commands.audience.values import FillHit
from publisher.commands.planning.causes import looks_of
from publisher.commands.planning.cone import Cone
from publisher.state.reading import StateReading
from publisher.state.records import FillingRecord


def filled_from(state: StateReading, cone: Cone) -> Mapping[RelationName, Sequence[FillHit]]:
    """The tables whose statements read a change, for each changed relation."""
    changes = {
        name: looks.columns
        for name, looks in looks_of(cone).items()
        if looks.columns or type(looks.before) is not type(looks.after)
    }
    hits: dict[RelationName, list[FillHit]] = {}
    for filling in state.filled_from(sorted(changes)):
        assert filling.source is not None
        changed = changes[filling.source]
        concerned = _concerned(filling, changed)
        if concerned or not changed:
            said = (filling.statement, filling.user, filling.last_at)
            hit = FillHit(filling.target, *said, "; ".join(concerned))
            hits.setdefault(filling.source, []).append(hit)
    return hits


def _concerned(filling: FillingRecord, changed: Mapping[str, str]) -> Sequence[str]:
    """The changed columns that the statement reads; all of them if its columns are unknown."""
    read = {each.source_column for each in filling.columns}
    if not read or "*" in read:
        return list(changed.values())
    return [what for column, what in changed.items() if column in read]
