"""One relation's lineage in words, up to its direct neighbours, for reports and pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.stored import KnownRelation, StoredRelations, said_by
from publisher.lineage.values import Kind, Link, Statement
from publisher.state.protocol import Transaction
from publisher.state.records import FillingRecord

MAX_READING_RELATIONS: Final = 50
"""The maximum number of readers that are listed with their columns."""


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """The lineage of one column.

    Attributes:
        expression: the expression of the column; "" if it is a plain column.
        direct: the columns that supply its values.
        indirect: other columns that influence it, each with its clause.
        readers: the columns and rows that this column supplies or influences.
    """

    column: str
    expression: str
    direct: tuple[str, ...]
    indirect: tuple[str, ...]
    readers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FilledFrom:
    sources: tuple[RelationName, ...]
    statement: Statement


@dataclass(frozen=True, slots=True)
class LineageSummary:
    """The lineage of one relation.

    Attributes:
        rows: the columns that decide which rows exist, each with its clause.
        statements: statements that fill the relation, each with its sources, the newest first.
        fills: tables that statements fill from the relation.
    """

    columns: tuple[ColumnSummary, ...]
    rows: tuple[str, ...]
    statements: tuple[FilledFrom, ...] = ()
    fills: tuple[RelationName, ...] = ()

    @property
    def says_anything(self) -> bool:
        """Whether there is any lineage.

        False for a table without readers and without statements.
        """
        return bool(self.rows or self.statements or self.fills) or any(
            (c.expression, c.direct, c.indirect, c.readers) != ("", (), (), ())
            for c in self.columns
        )


def own_lineage(tx: Transaction, name: RelationName) -> LineageSummary | None:
    """The relation's sources; None if it was never derived, or is a table that nothing fills."""
    known = StoredRelations(tx).of(name)
    if known is None or not (known.is_view or known.fillings):
        return None
    return _summary(known, {}, filled_tables(tx, name))


def neighbouring_lineage(tx: Transaction, name: RelationName) -> LineageSummary | None:
    """The relation's sources, and the columns of its first readers."""
    stored = StoredRelations(tx)
    known = stored.of(name)
    if known is None:
        return None
    views, _ = tx.graph.some_dependents(name, MAX_READING_RELATIONS)
    fills = filled_tables(tx, name)
    dependents = dict.fromkeys((*views, *fills[:MAX_READING_RELATIONS]))
    stored.read(dependents)
    readers: dict[str, dict[str, None]] = {}
    for dependent in map(stored.of, dependents):
        for link in () if dependent is None else _links(dependent):
            if link.source.relation == name and link.source.column is not None:
                readers.setdefault(link.source.column.lower(), {})[_reader(link)] = None
    read_by = {column: tuple(found) for column, found in readers.items()}
    return _summary(known, read_by, fills)


def filled_tables(tx: Transaction, name: RelationName) -> tuple[RelationName, ...]:
    return tuple(dict.fromkeys(each.target for each in tx.fillings.out_of([name])))


def filled_from(tx: Transaction, name: RelationName) -> tuple[FilledFrom, ...]:
    return _statements(tx.fillings.into([name]))


def _statements(fillings: Iterable[FillingRecord]) -> tuple[FilledFrom, ...]:
    found: dict[Statement, dict[RelationName, None]] = {}
    for filling in fillings:
        if filling.source is not None:
            found.setdefault(said_by(filling), {})[filling.source] = None
    return tuple(FilledFrom(tuple(sources), said) for said, sources in found.items())


def _links(known: KnownRelation) -> Iterable[Link]:
    for place in known.places():
        yield from known.links_to(place.column)


def _summary(
    known: KnownRelation, readers: Mapping[str, tuple[str, ...]], fills: tuple[RelationName, ...]
) -> LineageSummary:
    made = {place.column: text for place, text in known.expressions()}
    columns = []
    for name in known.columns.values():
        links = tuple(known.links_to(name))
        columns.append(
            ColumnSummary(
                name,
                made.get(name, ""),
                tuple(dict.fromkeys(_source(link) for link in links if link.kind is Kind.DIRECT)),
                _by_source(links),
                readers.get(name.lower(), ()),
            )
        )
    rows = _by_source(known.links_to(None))
    return LineageSummary(tuple(columns), rows, _statements(known.fillings), fills)


def _by_source(links: Iterable[Link]) -> tuple[str, ...]:
    """One text for each source: ``shop.orders.day (where, group by)``."""
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
