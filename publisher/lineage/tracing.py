"""Traces a column or a relation to all its sources, or to everything that depends on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.stored import KnownRelation, StoredRelations
from publisher.lineage.values import Direction, Kind, Link, Place, Traced, TracedRelation
from publisher.state.protocol import Transaction
from publisher.state.records import VersionStatus

Distribution = Callable[[RelationName], str]


def trace(
    tx: Transaction,
    asked: Place,
    direction: Direction,
    distribution: Distribution,
    depth: int | None = None,
    most: int | None = None,
) -> Traced:
    """Finds each link once, the nearest first.

    Args:
        tx: the state.
        asked: a known relation or one of its columns, with the names that the state has.
        direction: whether to follow sources or dependents.
        distribution: gives the name of a relation's package.
        depth: how many views and statements to follow; None for all.
        most: the maximum number of links, and of dependents to read for one relation; None for all.
    """
    stored = StoredRelations(tx)
    step = _Upstream(stored) if direction is Direction.UPSTREAM else _Downstream(stored, tx, most)
    start = stored.of(asked.relation)
    frontier = list(_starts(asked, start, direction))
    seen = {(_key(place), place.path) for place in frontier}
    links: list[Link] = []
    distance = 0
    while frontier and (depth is None or distance < depth) and (most is None or len(links) < most):
        distance += 1
        found = [replace(link, distance=distance) for link in step.links(frontier)]
        links += found
        frontier = []
        for link in found:
            place = step.end(link)
            key = (_key(place), place.path)
            if key not in seen:
                seen.add(key)
                frontier.append(place)
    names = dict.fromkeys(
        [asked.relation, *(p.relation for link in links for p in (link.source, link.target))]
    )
    known = [relation for relation in map(stored.of, names) if relation is not None]
    return Traced(
        asked,
        direction,
        tuple(
            replace(
                link, source=_as_known(link.source, stored), target=_as_known(link.target, stored)
            )
            for link in links
        ),
        {place: text for relation in known for place, text in relation.expressions()},
        () if start is None else tuple(start.columns.values()),
        _described(tx, names, stored, distribution),
        tuple(name for name in names if _is_untraced(stored.of(name), tx, name)),
        is_cut=any(True for _ in step.links(frontier)) or step.is_cut,
    )


def _starts(asked: Place, known: KnownRelation | None, direction: Direction) -> Iterable[Place]:
    if asked.is_rows:
        return (asked,) if known is None else tuple(known.places())
    # What decides a relation's rows influences every column, so sources include those of the rows.
    # Dependents do not: what reads only the rows does not read the column.
    return (asked, Place(asked.relation)) if direction is Direction.UPSTREAM else (asked,)


def _key(place: Place) -> tuple[RelationName, str | None]:
    return place.relation, None if place.column is None else place.column.lower()


def _as_known(place: Place, stored: StoredRelations) -> Place:
    """The place with the column's letter case in its relation. A view may write the name in another case."""
    known = stored.of(place.relation)
    if known is None or place.column is None:
        return place
    return Place(place.relation, known.columns.get(place.column.lower(), place.column))


class _Upstream:
    is_cut = False

    def __init__(self, stored: StoredRelations) -> None:
        self._stored = stored

    def end(self, link: Link) -> Place:
        return link.source

    def links(self, frontier: Sequence[Place]) -> Iterator[Link]:
        self._stored.read(place.relation for place in frontier)
        for place in frontier:
            known = self._stored.of(place.relation)
            if known is not None:
                yield from known.links_to(place.column)


class _Downstream:
    def __init__(self, stored: StoredRelations, tx: Transaction, most: int | None) -> None:
        self._stored = stored
        self._tx = tx
        self._most = most
        self.is_cut = False
        self._dependents: dict[RelationName, Sequence[RelationName]] = {}
        self._by_source: dict[RelationName, dict[tuple[RelationName, str | None], list[Link]]] = {}

    def end(self, link: Link) -> Place:
        return link.target

    def links(self, frontier: Sequence[Place]) -> Iterator[Link]:
        for place in frontier:
            dependents = self._dependents_of(place.relation)
            self._stored.read(dependents)
            for dependent in dependents:
                known = self._stored.of(dependent)
                if known is None:
                    # It is not known which columns the dependent reads.
                    yield Link(place, Place(dependent), Kind.READS)
                else:
                    yield from self._links_from(place, known)

    def _dependents_of(self, name: RelationName) -> Sequence[RelationName]:
        if name not in self._dependents:
            filled = (each.target for each in self._tx.fillings.out_of([name]))
            found = sorted({*self._tx.graph.dependents([name]), *filled})
            self._dependents[name] = found[: self._most]
            self.is_cut |= len(found) > len(self._dependents[name])
        return self._dependents[name]

    def _links_from(self, place: Place, known: KnownRelation) -> Iterator[Link]:
        links = self._links(known)
        for link in links.get(_key(place), ()):
            if _reads(link, place):
                yield _of_field(link, place.path)
        if not place.is_rows:
            # Links from the whole relation may read this column, since their column is unknown.
            of_any = links.get((place.relation, None), ())
            yield from (
                link for link in of_any if link.kind is not Kind.READS or not link.target.is_rows
            )

    def _links(self, known: KnownRelation) -> dict[tuple[RelationName, str | None], list[Link]]:
        found = self._by_source.get(known.name)
        if found is None:
            found = self._by_source[known.name] = {}
            for place in known.places():
                for link in known.links_to(place.column):
                    found.setdefault(_key(link.source), []).append(link)
        return found


def _reads(link: Link, place: Place) -> bool:
    """Whether the link reads the field at ``place``, a part of the field, or a field that contains it."""
    return all(read == asked for read, asked in zip(link.path, place.path, strict=False))


def _of_field(link: Link, path: tuple[str, ...]) -> Link:
    """The link to a field inside its target, if the target is a plain copy of the source."""
    rest = path[len(link.path) :]
    # It is not known whether a statement copies a column unchanged.
    is_taken = not link.expression and link.statement is None and link.kind is Kind.DIRECT
    if not rest or not is_taken:
        return link
    return replace(link, target=replace(link.target, path=rest))


def _is_untraced(known: KnownRelation | None, tx: Transaction, name: RelationName) -> bool:
    if known is None:
        return bool(tx.graph.edges_of([name])[name])
    return not known.is_whole


def _described(
    tx: Transaction,
    names: Iterable[RelationName],
    stored: StoredRelations,
    distribution: Distribution,
) -> dict[RelationName, TracedRelation]:
    listed = list(names)
    records = tx.graph.records(listed)
    edges = tx.graph.edges_of(listed)
    distributions = {name: distribution(name) for name in listed}
    history = tx.versions.history(distributions.values())
    found = {}
    for name in listed:
        known, record = stored.of(name), records.get(name)
        published = [
            version.number
            for version in history[distributions[name]]
            if version.status is VersionStatus.PUBLISHED
        ]
        found[name] = TracedRelation(
            # A view that was never derived still has edges to its upstreams.
            is_view=bool(edges[name]) if known is None else known.is_view,
            is_derived=known is not None,
            status="UNKNOWN" if record is None else record.status.value,
            distribution=distributions[name],
            version=published[-1] if published else None,
            owner="" if record is None else record.owner,
        )
    return found
