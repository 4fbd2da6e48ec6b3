"""Finds the effect of chosen policies on the columns of all relations downstream."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.errors import CannotEnforce
from lakeschema.translation.model.interface import Derivation, SourceColumn
from lakeschema.translation.policies.choosing import Chosen, mask_name
from lakeschema.translation.policies.rules import DroppedColumn


@dataclass(frozen=True, slots=True)
class Governed:
    """The masks and tags that reach one column.

    Attributes:
        masks: the masked columns, with their masks, that this column's values come from or depend
            on.
        tags: the tags of all columns that this column's values come from or depend on.
        dropped: whether this column depends on a dropped column.
    """

    masks: frozenset[tuple[str, str]] = frozenset()
    tags: frozenset[str] = frozenset()
    dropped: bool = False


_UNTOUCHED = Governed()
_Columns: TypeAlias = Sequence[Governed]


def governed_columns(
    derivations: Mapping[RelationName, Derivation], chosen: Mapping[RelationName, Chosen]
) -> Mapping[RelationName, _Columns]:
    """The governed columns of each relation, left to right; upstream relations come first.

    Raises:
        CannotEnforce: a dropped column affects which rows a relation has.
    """
    found: dict[RelationName, _Columns] = {}
    by_name: dict[RelationName, Mapping[str, Governed]] = {}
    for name, derivation in derivations.items():
        _check_rows(name, derivation, by_name)
        inherited = _inherited(derivation, by_name)
        found[name] = tuple(
            _with_own(f"{name}.{column}", column_place, governed, chosen[name])
            for column_place, (column, governed) in enumerate(
                zip(derivation.interface.names, inherited, strict=True)
            )
        )
        names = (column.lower() for column in derivation.interface.names)
        by_name[name] = dict(zip(names, found[name], strict=True))
    return found


def _inherited(
    derivation: Derivation, known: Mapping[RelationName, Mapping[str, Governed]]
) -> list[Governed]:
    """The masks and tags that columns inherit by lineage.

    Omitted columns have no lineage, so they inherit from all upstreams.
    """
    worst = _merged(g for name in derivation.upstreams for g in known[name].values())
    lines = derivation.lineage
    inherited = []
    for place in derivation.interface.places:
        if not isinstance(place, int):
            inherited.append(worst)
        elif place < len(lines):
            line = lines[place]
            sources = (*line.sources, *(each.source for each in line.indirect))
            inherited.append(_merged(_of(source, known) for source in sources))
        else:
            inherited.append(_UNTOUCHED)
    return inherited


def _with_own(column: str, place: int, inherited: Governed, chosen: Chosen) -> Governed:
    mask = chosen.masks.get(place)
    own = frozenset() if mask is None else frozenset({(column, mask_name(mask))})
    tags = chosen.tags.get(place, frozenset())
    return _merged((inherited, Governed(own, tags, isinstance(mask, DroppedColumn))))


def _check_rows(
    name: RelationName,
    derivation: Derivation,
    known: Mapping[RelationName, Mapping[str, Governed]],
) -> None:
    dropped = [
        f"{upstream}.{column}"
        for upstream in derivation.upstreams
        for column, governed in known[upstream].items()
        if governed.dropped
    ]
    if not dropped:
        return
    if derivation.rows is None:
        raise CannotEnforce(dropped[0], f"the columns that affect the rows of {name} are unknown")
    for influence in derivation.rows:
        if _of(influence.source, known).dropped:
            raise CannotEnforce(
                f"{influence.source.relation}.{influence.source.column}",
                f"it is dropped, but affects which rows {name} has ({influence.clause.value})",
                hint="mask it, or drop it in a view that does not need it",
            )


def _of(source: SourceColumn, known: Mapping[RelationName, Mapping[str, Governed]]) -> Governed:
    return known[source.relation][source.column.lower()]


def _merged(parts: Iterable[Governed]) -> Governed:
    each = tuple(parts)
    return Governed(
        frozenset().union(*(part.masks for part in each)),
        frozenset().union(*(part.tags for part in each)),
        any(part.dropped for part in each),
    )
