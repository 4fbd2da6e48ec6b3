"""Finds the relations upstream and downstream of a relation, through views and filling statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from typing import Final

from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.stored import StoredRelations
from publisher.state.protocol import Transaction

MAX_RELATIONS: Final = 500
_MAX_DEPENDENTS: Final = 200
"""The limit of listed neighbours of one relation; further neighbours are only counted."""
_READ_AT_ONCE: Final = 50
"""The number of relations whose readers are read by one SQL statement."""
_MAX_CHECKED: Final = 50
"""The number of relations at the edge that are checked for further relations beyond them."""


_Step = Callable[[Sequence[RelationName]], Iterable[RelationName]]


class RelationKind(Enum):
    """The kind of a relation.

    FILLED: a table that a known statement fills. A view without upstreams counts as a table.
    """

    TABLE = "table"
    VIEW = "view"
    FILLED = "filled table"


@dataclass(frozen=True, slots=True)
class NearRelation:
    """A relation of a neighbourhood.

    Attributes:
        status: the engine's term, such as OK or BROKEN; UNKNOWN if it was never read.
        unread_readers: how many of the relation's readers are left out, because it has too many.
        owner: the owner in the relation's properties; "" if unknown.
    """

    name: RelationName
    kind: RelationKind
    status: str
    unread_readers: int = 0
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """One relation reads another.

    ``is_filling`` says whether a statement fills the target; otherwise the target is a view.
    """

    source: RelationName
    target: RelationName
    is_filling: bool = False


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The relations around ``asked``, the nearest first.

    ``is_cut`` says whether there are further relations.
    """

    asked: RelationName
    relations: tuple[NearRelation, ...]
    readings: tuple[Reading, ...]
    is_cut: bool = False


def neighbourhood(
    tx: Transaction,
    asked: RelationName,
    *,
    upstream: int | None,
    downstream: int | None,
) -> Neighbourhood:
    """The relations around ``asked``.

    ``upstream`` and ``downstream`` limit the number of views and statements in between; None means
    no limit.
    """
    found = _Walk(tx, asked)
    is_cut = found.go(upstream, found.sources)
    is_cut = found.go(downstream, found.readers) or is_cut
    names = tuple(found.names)
    edges = tx.graph.edges_of(names)
    filled = {(each.source, each.target): None for each in tx.fillings.into(names)}
    targets = {target for _, target in filled}
    records = tx.graph.records(names)
    readings = [
        Reading(edge.upstream, name)
        for name in names
        for edge in edges[name]
        if edge.upstream in found.names
    ]
    readings += [
        Reading(source, target, is_filling=True)
        for source, target in filled
        if source is not None and source in found.names
    ]
    views = {name for name in names if edges[name]}
    own = StoredRelations(tx).of(asked)
    if own is not None and own.is_view:
        views.add(asked)
    near = tuple(
        NearRelation(
            name,
            _kind(name in views, name in targets),
            "UNKNOWN" if name not in records else records[name].status.value,
            found.unread.get(name, 0),
            records[name].owner if name in records else "",
        )
        for name in names
    )
    return Neighbourhood(asked, near, tuple(dict.fromkeys(readings)), is_cut)


def _kind(is_view: bool, is_filled: bool) -> RelationKind:
    if is_view:
        return RelationKind.VIEW
    return RelationKind.FILLED if is_filled else RelationKind.TABLE


class _Walk:
    """Finds names by their distance, up to ``MAX_RELATIONS``."""

    def __init__(self, tx: Transaction, asked: RelationName) -> None:
        self._tx = tx
        self._asked = asked
        self.names: dict[RelationName, None] = {asked: None}
        self.unread: dict[RelationName, int] = {}

    def go(self, depth: int | None, step: _Step) -> bool:
        """Adds the names in one direction; returns whether it left some out."""
        frontier: Sequence[RelationName] = [self._asked]
        distance = 0
        while frontier and (depth is None or distance < depth):
            distance += 1
            room = MAX_RELATIONS - len(self.names)
            new = (name for name in step(frontier) if name not in self.names)
            # One name more than there is room for shows that some are left out.
            found = list(islice(_distinct(new), room + 1))
            self.names |= dict.fromkeys(found[:room])
            if len(found) > room:
                return True
            frontier = found
        return any(name not in self.names for name in step(frontier[:_MAX_CHECKED]))

    def sources(self, names: Sequence[RelationName]) -> Iterable[RelationName]:
        for edges in self._tx.graph.edges_of(names).values():
            yield from (edge.upstream for edge in edges)
        for filling in self._tx.fillings.into(names):
            if filling.source is not None:
                yield filling.source

    def readers(self, names: Sequence[RelationName]) -> Iterable[RelationName]:
        for start in range(0, len(names), _READ_AT_ONCE):
            yield from self._views_of(names[start : start + _READ_AT_ONCE])
        yield from (each.target for each in self._tx.fillings.out_of(names))

    def _views_of(self, names: Sequence[RelationName]) -> Iterable[RelationName]:
        few = self._tx.graph.few_dependents(names, _MAX_DEPENDENTS)
        if few is not None:
            yield from few
            return
        for name in names:
            some, total = self._tx.graph.some_dependents(name, _MAX_DEPENDENTS)
            if total > len(some):
                self.unread[name] = total - len(some)
            yield from some


def _distinct(names: Iterable[RelationName]) -> Iterator[RelationName]:
    seen = set()
    for name in names:
        if name not in seen:
            seen.add(name)
            yield name
