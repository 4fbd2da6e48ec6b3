"""Finds the column or relation that a person's text names, or similar names."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lakeschema.catalog.errors import MalformedName
from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.stored import StoredRelations
from publisher.lineage.values import Place
from publisher.similar_names import did_you_mean, likely_names, similar_names
from publisher.state.protocol import Transaction

_MAX_SIMILAR = 3
_SIMILAR = 0.6
"""The least similarity of columns, whose names are short."""


@dataclass(frozen=True, slots=True)
class NotFound:
    """``reason`` names the unknown thing; ``similar`` lists names that may be meant."""

    reason: str
    similar: tuple[str, ...] = ()

    @property
    def hint(self) -> str:
        return did_you_mean(self.similar)


def place_of(tx: Transaction, text: str) -> Place | NotFound:
    """Accepts a table, a column or a field in a column, each also with a catalog in front.

    Raises:
        MalformedName: the text is not a name.
    """
    whole = RelationName.parse(text)
    if not whole.namespace:
        raise MalformedName(text)
    outer = RelationName(whole.namespace[:-1], whole.namespace[-1])
    known = tx.graph.records([whole, outer])
    if whole in known:
        return Place(whole)
    if outer in known and outer.namespace:
        return column_of(tx, outer, whole.name)
    return _field_of(tx, whole) or _unknown_relation(tx, whole)


def _field_of(tx: Transaction, name: RelationName) -> Place | NotFound | None:
    """The field that the name means, if it begins with a relation; the longest such relation counts."""
    parts = (*name.namespace, name.name)
    sizes = range(len(parts) - 2, 1, -1)
    outer = {size: RelationName(parts[: size - 1], parts[size - 1]) for size in sizes}
    known = tx.graph.records(outer.values())
    for size, relation in outer.items():
        if relation in known:
            found = column_of(tx, relation, parts[size])
            return found if isinstance(found, NotFound) else replace(found, path=parts[size + 1 :])
    return None


def place_in(tx: Transaction, relation: RelationName, column: str | None) -> Place | NotFound:
    """The column's place, or the whole relation's place without a column."""
    if relation not in tx.graph.records([relation]):
        return _unknown_relation(tx, relation)
    return Place(relation) if column is None else column_of(tx, relation, column)


def column_of(tx: Transaction, relation: RelationName, column: str) -> Place | NotFound:
    """The place of a column; case does not matter."""
    known = StoredRelations(tx).of(relation)
    if known is None:
        return NotFound(f"the columns of {relation} are not known: it is not derived")
    found = known.columns.get(column.lower())
    if found is not None:
        return Place(relation, found)
    close = similar_names(column, known.columns, _MAX_SIMILAR, _SIMILAR)
    return NotFound(
        f"{relation} has no column {column}",
        tuple(f"{relation}.{known.columns[name]}" for name in close),
    )


def _unknown_relation(tx: Transaction, asked: RelationName) -> NotFound:
    return NotFound(f"relation {asked} is not known here", _similar(tx, asked))


def similar_relations(tx: Transaction, asked: RelationName) -> tuple[str, ...]:
    return tuple(likely_names(str(asked), _known_names(tx)))


def _known_names(tx: Transaction) -> list[str]:
    return [str(name) for name in tx.graph.every_record()]


def _similar(tx: Transaction, asked: RelationName) -> tuple[str, ...]:
    names = _known_names(tx)
    if len(asked.namespace) > 1:
        outer = RelationName(asked.namespace[:-1], asked.namespace[-1])
        # The text may name a column of a relation whose name is misspelt.
        close = likely_names(str(outer), names)
        if close:
            return (f"{close[0]}.{asked.name}",)
    return tuple(likely_names(str(asked), names))
