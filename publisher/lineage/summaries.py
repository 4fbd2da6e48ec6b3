"""One relation's own lineage in words, for reports and pages: no further than its neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.stored import KnownRelation, StoredRelations
from publisher.lineage.values import Kind, Link
from publisher.state.protocol import Transaction

MAX_READING_RELATIONS: Final = 50
"""Of which it is said which columns they read."""


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """One column.

    Attributes:
        expression: how it is made; "" if it is taken as it is.
        direct: the columns that its values are made of.
        indirect: the columns that decide them besides, each with its clause.
        readers: the columns that are made of it or decided by it, and the rows that it decides.
    """

    column: str
    expression: str
    direct: tuple[str, ...]
    indirect: tuple[str, ...]
    readers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LineageSummary:
    """``rows`` are the columns that decide which rows there are, each with its clause."""

    columns: tuple[ColumnSummary, ...]
    rows: tuple[str, ...]

    @property
    def says_anything(self) -> bool:
        """Not of a table that nothing reads."""
        return bool(self.rows) or any(
            (c.expression, c.direct, c.indirect, c.readers) != ("", (), (), ())
            for c in self.columns
        )


def own_lineage(tx: Transaction, name: RelationName) -> LineageSummary | None:
    """What the relation comes from; None of a table, and of what was never derived."""
    known = StoredRelations(tx).of(name)
    return _summary(known, {}) if known is not None and known.is_view else None


def neighbouring_lineage(tx: Transaction, name: RelationName) -> LineageSummary | None:
    """What the relation comes from, and what the first of those that read it make of it."""
    stored = StoredRelations(tx)
    known = stored.of(name)
    if known is None:
        return None
    dependents, _ = tx.graph.some_dependents(name, MAX_READING_RELATIONS)
    stored.read(dependents)
    readers: dict[str, dict[str, None]] = {}
    for dependent in map(stored.of, dependents):
        for link in () if dependent is None else _links(dependent):
            if link.source.relation == name and link.source.column is not None:
                readers.setdefault(link.source.column.lower(), {})[_reader(link)] = None
    return _summary(known, {column: tuple(found) for column, found in readers.items()})


def _links(known: KnownRelation) -> Iterable[Link]:
    for place in known.places():
        yield from known.links_to(place.column)


def _summary(known: KnownRelation, readers: Mapping[str, tuple[str, ...]]) -> LineageSummary:
    made = {place.column: text for place, text in known.expressions()}
    columns = []
    for name in known.lineage.columns:
        links = tuple(known.links_to(name))
        columns.append(
            ColumnSummary(
                name,
                made.get(name, ""),
                tuple(_source(link) for link in links if link.kind is Kind.DIRECT),
                _by_source(links),
                readers.get(name.lower(), ()),
            )
        )
    return LineageSummary(tuple(columns), _by_source(known.links_to(None)))


def _by_source(links: Iterable[Link]) -> tuple[str, ...]:
    """``shop.orders.day (where, group by)``"""
    clauses: dict[str, list[str]] = {}
    for link in links:
        if link.clause is not None:
            clauses.setdefault(_source(link), []).append(link.clause.value)
    return tuple(
        f"{source} ({', '.join(dict.fromkeys(found))})" for source, found in clauses.items()
    )


def _source(link: Link) -> str:
    return ".".join((str(link.source), *link.path))


def _reader(link: Link) -> str:
    how = "" if link.clause is None else f" ({link.clause.value})"
    return f"{'rows of ' if link.target.is_rows else ''}{link.target}{how}"
