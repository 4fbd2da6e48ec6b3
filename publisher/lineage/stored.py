"""Lineage of single relations from the state: a view's last derivation, and statements that fill a table."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.deriving.derivation_json import StoredLineage, lineage_from_json
from lakeschema.translation.model.clauses import Clause
from lakeschema.translation.model.interface import ColumnLineage, Influence, SourceColumn
from publisher.lineage.values import Kind, Link, Place, Statement
from publisher.state.protocol import Transaction
from publisher.state.records import FillingRecord

EVERY_COLUMN: Final = "*"
ROWS: Final = ""
"""The column name that ``FilledColumn`` uses for rows."""
_UNKNOWN: Final = StoredLineage((), (), (), None)


@dataclass(frozen=True, slots=True)
class KnownRelation:
    """A relation's last derivation and the statements that fill it, the newest first.

    Columns have their SQL names.
    """

    name: RelationName
    lineage: StoredLineage
    fillings: Sequence[FillingRecord] = ()
    columns: Mapping[str, str] = field(init=False)
    _made: Mapping[str, ColumnLineage] = field(init=False)

    def __post_init__(self) -> None:
        names = self.lineage.columns
        columns = {name.lower(): name for name in names}
        if not columns:
            filled = (each.column for found in self.fillings for each in found.columns)
            columns = {name: name for name in filled if name not in {EVERY_COLUMN, ROWS}}
        object.__setattr__(self, "columns", columns)
        made = zip(names, self.lineage.lineage, strict=False)
        object.__setattr__(self, "_made", {name.lower(): found for name, found in made})

    @property
    def is_view(self) -> bool:
        return bool(self.lineage.upstreams or self.lineage.lineage)

    @property
    def is_whole(self) -> bool:
        """Whether the lineage of its rows is known."""
        return not self.is_view or self.lineage.rows is not None

    def places(self) -> Iterator[Place]:
        """The places of the relation's columns, and then of its rows."""
        for name in self.columns.values():
            yield Place(self.name, name)
        yield Place(self.name)

    def expressions(self) -> Iterator[tuple[Place, str]]:
        for key, made in self._made.items():
            if made.expression:
                yield Place(self.name, self.columns[key]), made.expression

    def links_to(self, column: str | None) -> Iterator[Link]:
        """The sources of a column, or of the rows."""
        target = Place(self.name, column)
        for filling in self.fillings:
            yield from _filled(filling, target, self.columns, is_derived=bool(self.lineage.columns))
        if column is None:
            for influence in self.lineage.rows or ():
                yield _indirect(influence, target)
            for upstream in self.lineage.upstreams:
                yield Link(Place(upstream), target, Kind.READS)
            return
        made = self._made.get(column.lower())
        if made is None:
            return
        for source in made.direct:
            yield Link(
                _place(source),
                target,
                Kind.DIRECT,
                source.path,
                expression=made.expression,
                transformation=made.transformation,
            )
        for influence in made.indirect:
            yield _indirect(influence, target)


def _indirect(influence: Influence, target: Place) -> Link:
    source = influence.source
    return Link(_place(source), target, Kind.INDIRECT, source.path, influence.clause)


def said_by(filling: FillingRecord) -> Statement:
    return Statement(filling.statement, filling.user, filling.first_at, filling.last_at)


def _filled(
    filling: FillingRecord, target: Place, known: Container[str], *, is_derived: bool
) -> Iterator[Link]:
    """Links to a column, or to the rows, of a table that a statement fills.

    ``known`` are the columns of the table's derivation or, without a derivation, the columns that
    statements name. Without a derivation, the links to the rows also stand for the columns of a star.
    """
    assert filling.source is not None
    said = said_by(filling)
    link = partial(Link, target=target, statement=said)
    rows = Place(filling.source)
    if target.column is None:
        yield link(rows, kind=Kind.READS)
    for each in filling.columns:
        if target.column is None:
            if each.column == ROWS:
                # It is not known which columns a star reads.
                is_known = each.source_column != EVERY_COLUMN
                source = Place(filling.source, each.source_column) if is_known else rows
                yield link(source, kind=Kind.INDIRECT, clause=Clause(each.clause))
            elif each.column == EVERY_COLUMN and not is_derived:
                yield link(rows, kind=Kind.DIRECT)
            continue
        # The filling was recorded when the table had no derivation. So a name that the table lacks is a
        # name in the query.
        is_any = each.column not in known and each.column not in {EVERY_COLUMN, ROWS}
        if not is_any and each.column not in {target.column.lower(), EVERY_COLUMN}:
            continue
        name = each.source_column
        if is_any or name == ROWS or (name == EVERY_COLUMN and each.column != EVERY_COLUMN):
            # It is not known which source column supplies which target column.
            yield link(rows, kind=Kind.READS)
            continue
        source = Place(filling.source, target.column if name == EVERY_COLUMN else name)
        if each.clause:
            yield link(source, kind=Kind.INDIRECT, clause=Clause(each.clause))
        else:
            yield link(source, kind=Kind.DIRECT)


def _place(source: SourceColumn) -> Place:
    return Place(source.relation, source.column)


class StoredRelations:
    """Reads relations from the state, each once, and keeps them."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._known: dict[RelationName, KnownRelation | None] = {}

    def read(self, names: Iterable[RelationName]) -> None:
        asked = [name for name in dict.fromkeys(names) if name not in self._known]
        texts = self._tx.graph.derivations(asked)
        fillings: dict[RelationName, list[FillingRecord]] = {}
        for filling in self._tx.fillings.into(asked):
            fillings.setdefault(filling.target, []).append(filling)
        for name in asked:
            text, filled = texts.get(name), fillings.get(name, ())
            lineage = _UNKNOWN if text is None else lineage_from_json(json.loads(text))
            known = None if text is None and not filled else KnownRelation(name, lineage, filled)
            self._known[name] = known

    def of(self, name: RelationName) -> KnownRelation | None:
        """The relation, or None without a derivation and without a statement that fills it."""
        self.read([name])
        return self._known[name]
