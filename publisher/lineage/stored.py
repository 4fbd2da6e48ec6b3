"""The lineage of single relations as the state has it: of each view's last derivation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.derivation_json import StoredLineage, lineage_from_json
from lakeschema.translation.interface import ColumnLineage, Influence, SourceColumn
from publisher.lineage.values import Kind, Link, Place
from publisher.state.protocol import Transaction


@dataclass(frozen=True, slots=True)
class KnownRelation:
    """What the last derivation of a relation says; column names are those of SQL."""

    name: RelationName
    lineage: StoredLineage
    columns: Mapping[str, str] = field(init=False)
    _made: Mapping[str, ColumnLineage] = field(init=False)

    def __post_init__(self) -> None:
        names = self.lineage.columns
        object.__setattr__(self, "columns", {name.lower(): name for name in names})
        made = zip(names, self.lineage.lineage, strict=False)
        object.__setattr__(self, "_made", {name.lower(): found for name, found in made})

    @property
    def is_view(self) -> bool:
        return bool(self.lineage.upstreams or self.lineage.lineage)

    @property
    def is_whole(self) -> bool:
        """Whether it is known what decides its rows."""
        return not self.is_view or self.lineage.rows is not None

    def places(self) -> Iterator[Place]:
        """Its columns, then its rows."""
        for name in self.lineage.columns:
            yield Place(self.name, name)
        yield Place(self.name)

    def expressions(self) -> Iterator[tuple[Place, str]]:
        for key, made in self._made.items():
            if made.expression:
                yield Place(self.name, self.columns[key]), made.expression

    def links_to(self, column: str | None) -> Iterator[Link]:
        """The sources of a column, or of the rows."""
        target = Place(self.name, column)
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


def _place(source: SourceColumn) -> Place:
    return Place(source.relation, source.column)


class StoredRelations:
    """Reads each relation once."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._known: dict[RelationName, KnownRelation | None] = {}

    def read(self, names: Iterable[RelationName]) -> None:
        """Reads these at once."""
        asked = [name for name in dict.fromkeys(names) if name not in self._known]
        texts = self._tx.graph.derivations(asked)
        for name in asked:
            text = texts.get(name)
            self._known[name] = None if text is None else _known(name, text)

    def of(self, name: RelationName) -> KnownRelation | None:
        """None without a derivation."""
        self.read([name])
        return self._known[name]


def _known(name: RelationName, text: str) -> KnownRelation:
    return KnownRelation(name, lineage_from_json(json.loads(text)))
