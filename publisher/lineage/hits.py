"""Lists the relations that a change of a column or a relation reaches, each once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.values import Statement, Traced


@dataclass(frozen=True, slots=True)
class Governed:
    """The policies for an affected column and its sources.

    ``masks`` has, for the name of each mask, the groups of readers that get masked values. "" means
    readers without a group.
    """

    column: str
    tags: tuple[str, ...]
    masks: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """An affected relation, or the changed relation itself.

    Attributes:
        columns: the affected columns; empty if all columns may be affected.
        distance: the number of views and statements in between; 0 for the changed relation.
        filled_by: the newest statement through which the change reaches a table; None for a view.
        version: the newest version of the relation's package, or None.
        owner: the owner in the relation's properties; "" if unknown.
        next_version: the version that the package gets after the removal.
        change: the kind of the next version: "major", "minor" or "patch"; "" without one.
        breaks: why the relation could not be derived after the removal, or "".
    """

    relation: RelationName
    is_view: bool
    columns: tuple[str, ...]
    distance: int
    filled_by: Statement | None
    distribution: str
    version: str | None
    owner: str = ""
    next_version: str | None = None
    change: str = ""
    breaks: str = ""
    governed: tuple[Governed, ...] = ()


@dataclass(slots=True)
class _Met:
    distance: int
    columns: dict[str, None] = field(default_factory=dict)
    is_whole: bool = False
    filled_by: Statement | None = None


def hits_of(traced: Traced) -> Sequence[Hit]:
    """Each relation once, the nearest first, beginning with the changed relation."""
    asked = traced.asked
    met = {asked.relation: _Met(0, is_whole=asked.column is None)}
    if asked.column is not None:
        met[asked.relation].columns[asked.column] = None
    for link in traced.links:
        found = met.setdefault(link.target.relation, _Met(link.distance))
        if link.target.column is None:
            found.is_whole = True
        else:
            found.columns[link.target.column] = None
        said = link.statement
        if said is not None and (found.filled_by is None or said.last_at > found.filled_by.last_at):
            found.filled_by = said
    return [
        Hit(
            name,
            traced.relations[name].is_view,
            () if each.is_whole else tuple(each.columns),
            each.distance,
            each.filled_by,
            traced.relations[name].distribution,
            traced.relations[name].version,
            traced.relations[name].owner,
        )
        for name, each in sorted(met.items(), key=lambda item: (item[1].distance, item[0]))
    ]


def counted_reach(hits: Sequence[Hit]) -> Sequence[str]:
    """Texts that count the reached views, tables and packages, such as ``3 views``."""
    reached = [hit for hit in hits if hit.distance]
    return (
        _count(sum(hit.is_view for hit in reached), "view"),
        _count(sum(not hit.is_view for hit in reached), "table"),
        _count(sum(hit.version is not None for hit in hits), "package"),
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
