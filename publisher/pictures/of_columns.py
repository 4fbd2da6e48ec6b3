"""Makes a graph of a column's path; its edges are labelled with expressions and clauses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.values import Kind, Link, Place, Traced, TracedRelation
from publisher.pictures.graph import Edge, EdgeKind, Graph, Node, NodeKind
from publisher.pictures.of_relations import tone_of

PlaceAddress = Callable[[Place], str]
"""The address of a place's page, or ""."""

_KINDS: Final = {
    Kind.DIRECT: EdgeKind.DIRECT,
    Kind.INDIRECT: EdgeKind.INDIRECT,
    Kind.READS: EdgeKind.ROWS,
}


def column_graph(
    asked: Place, answers: Sequence[Traced], address: PlaceAddress, *, only_values: bool = False
) -> Graph:
    """The graph of a place's sources, its readers, or both. A place is a column or a relation's rows.

    Args:
        asked: the place.
        answers: the traced paths.
        address: gives the address of a place's page.
        only_values: whether to follow only values, without influences on rows and values.
    """
    links = dict.fromkeys(link for answer in answers for link in answer.links)
    relations = {name: each for answer in answers for name, each in answer.relations.items()}
    edges = _edges(_kept(links, only_values=only_values))
    if not only_values:
        edges |= _row_edges(asked, edges)
    if only_values:
        edges = _reached(asked, edges)
    places = dict.fromkeys([asked, *(place for pair in edges for place in pair[:2])])
    return Graph(
        f"The path of {asked}",
        tuple(
            _node(place, asked, relations.get(place.relation), address(place)) for place in places
        ),
        tuple(
            Edge(_key(source), _key(target), kind, ", ".join(labels))
            for (source, target, kind), labels in edges.items()
        ),
    )


_Edges = dict[tuple[Place, Place, EdgeKind], list[str]]
"""Labels by source, target and kind."""


def _kept(links: Iterable[Link], *, only_values: bool) -> list[Link]:
    """The links to draw.

    Leaves out links from a relation's rows if no column decides these rows and the graph already shows
    columns of the relation.
    """
    found = list(links)
    if only_values:
        return [link for link in found if link.kind is Kind.DIRECT]
    named = {
        place.relation for link in found for place in (link.source, link.target) if place.column
    }
    decided = _decided(found)
    return [
        link
        for link in found
        if link.kind is not Kind.READS
        or not link.source.is_rows
        or link.statement is not None
        or link.source in decided
        or link.source.relation not in named
    ]


def _decided(links: Sequence[Link]) -> set[Place]:
    """The rows that depend on a column, directly or through other rows."""
    after: dict[Place, list[Place]] = {}
    for link in links:
        if link.kind is Kind.READS:
            after.setdefault(link.source, []).append(link.target)
    pending = [link.target for link in links if link.kind is Kind.INDIRECT and link.target.is_rows]
    found = set(pending)
    while pending:
        for target in after.get(pending.pop(), ()):
            if target not in found:
                found.add(target)
                pending.append(target)
    return found


def _edges(links: Iterable[Link]) -> _Edges:
    found: _Edges = {}
    for link in links:
        kind = EdgeKind.FILLS if link.statement is not None else _KINDS[link.kind]
        labels = found.setdefault((link.source, link.target, kind), [])
        for label in _labels(link):
            if label not in labels:
                labels.append(label)
    return found


def _labels(link: Link) -> Iterable[str]:
    if link.path:
        yield f".{'.'.join(link.path)}"
    if link.clause is not None:
        yield link.clause.value
    elif link.expression:
        yield link.expression


def _row_edges(asked: Place, edges: _Edges) -> _Edges:
    """Edges from the rows of a relation to its columns, since the rows influence each column."""
    into = {target for _, target, _ in edges if target.is_rows}
    columns: dict[RelationName, dict[Place, None]] = {}
    for source, target, _ in edges:
        for place in (source, target):
            if not place.is_rows:
                columns.setdefault(place.relation, {})[place] = None
    if not asked.is_rows:
        columns.setdefault(asked.relation, {})[asked] = None
    made = {target for _, target, _ in edges}
    return {
        (rows, column, EdgeKind.INDIRECT): []
        for rows in into
        for column in columns.get(rows.relation, ())
        if column in made or column == asked
    }


def _reached(asked: Place, edges: _Edges) -> _Edges:
    """The edges on paths to the place, and on paths from it."""
    into: dict[Place, list[Place]] = {}
    from_: dict[Place, list[Place]] = {}
    for source, target, _ in edges:
        into.setdefault(target, []).append(source)
        from_.setdefault(source, []).append(target)
    above, below = _all(asked, into), _all(asked, from_)
    return {
        pair: labels
        for pair, labels in edges.items()
        if (pair[0] in above and pair[1] in above) or (pair[0] in below and pair[1] in below)
    }


def _all(start: Place, after: dict[Place, list[Place]]) -> set[Place]:
    found, pending = {start}, [start]
    while pending:
        for place in after.get(pending.pop(), ()):
            if place not in found:
                found.add(place)
                pending.append(place)
    return found


def _node(place: Place, asked: Place, known: TracedRelation | None, link: str) -> Node:
    relation = str(place.relation)
    status = "UNKNOWN" if known is None else known.status
    note = relation if status == "OK" else f"{relation}, {status}"
    column = ".".join((place.column or "", *place.path))
    return Node(
        _key(place),
        "rows" if place.is_rows else column,
        NodeKind.ROWS if place.is_rows else NodeKind.COLUMN,
        note,
        link,
        "" if known is None else known.owner,
        tone_of(status),
        is_focus=place == asked,
    )


def _key(place: Place) -> str:
    return repr((str(place.relation), place.column, place.path))
