"""What people call a column or a relation → the place that is meant, or what may be meant."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from lakeschema.catalog.errors import MalformedName
from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.stored import StoredRelations
from publisher.lineage.values import Place
from publisher.state.protocol import Transaction

_MAX_SIMILAR = 3
_ALMOST = 0.75


@dataclass(frozen=True, slots=True)
class NotFound:
    """``reason`` names what is not known; ``similar`` may be meant."""

    reason: str
    similar: tuple[str, ...] = ()

    @property
    def hint(self) -> str:
        return f"did you mean {' or '.join(self.similar)}?" if self.similar else ""


def place_of(tx: Transaction, text: str) -> Place | NotFound:
    """``database.table``, ``database.table.column``, or these with a catalog in front.

    Raises:
        MalformedName: the text is no name.
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
    return _unknown_relation(tx, whole)


def place_in(tx: Transaction, relation: RelationName, column: str | None) -> Place | NotFound:
    """The whole relation without a column."""
    if relation not in tx.graph.records([relation]):
        return _unknown_relation(tx, relation)
    return Place(relation) if column is None else column_of(tx, relation, column)


def column_of(tx: Transaction, relation: RelationName, column: str) -> Place | NotFound:
    """The column of a relation that the state knows, in any case."""
    known = StoredRelations(tx).of(relation)
    if known is None:
        return NotFound(f"the columns of {relation} are not known: it is not derived")
    found = known.columns.get(column.lower())
    if found is not None:
        return Place(relation, found)
    close = get_close_matches(column.lower(), list(known.columns), _MAX_SIMILAR)
    return NotFound(
        f"{relation} has no column {column}",
        tuple(f"{relation}.{known.columns[name]}" for name in close),
    )


def _unknown_relation(tx: Transaction, asked: RelationName) -> NotFound:
    return NotFound(f"relation {asked} is not known here", _similar(tx, asked))


def _similar(tx: Transaction, asked: RelationName) -> tuple[str, ...]:
    names = [str(name) for name in tx.graph.every_record()]
    if len(asked.namespace) > 1:
        outer = RelationName(asked.namespace[:-1], asked.namespace[-1])
        # What was asked for may be a column of a relation whose name is wrong.
        close = get_close_matches(str(outer), names, 1, _ALMOST)
        if close:
            return (f"{close[0]}.{asked.name}",)
    return tuple(get_close_matches(str(asked), names, _MAX_SIMILAR, _ALMOST))
