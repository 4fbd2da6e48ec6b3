"""Finds the column or relation that a person's text names, or similar names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from lakeschema.catalog.errors import MalformedName, SessionRefused
from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.stored import StoredRelations
from publisher.lineage.values import Place
from publisher.similar_names import did_you_mean, likely_names, similar_names
from publisher.state.protocol import Transaction
from publisher.state.records import Hit, Match
from publisher.state.search_words import search_key

_MAX_SIMILAR = 3
_MAX_COLUMNS = 5
_MAX_RESEMBLING = 500
_SIMILAR = 0.6
"""The least similarity of names of columns, which are short."""


@dataclass(frozen=True, slots=True)
class NotFound:
    """The text names nothing known. ``reason`` names the unknown thing.

    ``similar`` lists similar names.
    """

    reason: str
    similar: tuple[str, ...] = ()

    @property
    def hint(self) -> str:
        return did_you_mean(self.similar)


@dataclass(frozen=True, slots=True)
class FoundPlaces:
    """The places that a text may mean.

    Attributes:
        named: the place that the text names; None if it names no place.
        similar: if no place is named, the relations and columns with the text in their names, the best
            first.
        more: how many further relations match.
    """

    named: Place | None = None
    similar: tuple[Place, ...] = ()
    more: int = 0


ReadName: TypeAlias = Callable[[str], RelationName]
"""Reads the name of a relation as a person types it."""


def place_of(tx: Transaction, text: str, names: ReadName) -> Place | NotFound:
    """Finds the table, column or field in a column that a text names. The text may begin with a catalog.

    Raises:
        MalformedName: the text is not a name.
    """
    whole = names(text)
    if not (whole.namespace or whole.catalog):
        raise MalformedName(text)
    outer = _outer(whole)
    known = tx.graph.records([whole, outer] if outer else [whole])
    if whole in known:
        return Place(whole)
    if outer is not None and outer in known:
        return column_of(tx, outer, whole.name)
    return _field_of(tx, whole) or _unknown_relation(tx, whole)


def places_of(tx: Transaction, text: str, names: ReadName, limit: int) -> FoundPlaces:
    """The places that a text names or may mean. ``limit`` limits the relations that a search returns."""
    try:
        named = place_of(tx, text, names)
    except (MalformedName, SessionRefused):
        # The text may be words to search for.
        named = NotFound("")
    if isinstance(named, Place):
        return FoundPlaces(named)
    if not limit:
        return FoundPlaces()
    found = tx.search.find(text, limit)
    whole = [hit for hit in found.hits if hit.match is Match.NAME]
    if len(whole) == 1:
        return FoundPlaces(Place(whole[0].relation))
    places = [place for hit in found.hits for place in _places(tx, hit, search_key(text))]
    if not places:
        return FoundPlaces(None, tuple(_columns_of(tx, text, limit)))
    return FoundPlaces(None, tuple(places), found.total - len(found.hits))


def _columns_of(tx: Transaction, text: str, limit: int) -> Iterator[Place]:
    """The columns that a text without a namespace means, such as ``orders.total``."""
    relation, _, column = text.rpartition(".")
    if not relation:
        return
    for hit in tx.search.find(relation, limit).hits:
        if hit.match is Match.NAME:
            place = column_of(tx, hit.relation, column.strip().strip("`"))
            if isinstance(place, Place):
                yield place


def _places(tx: Transaction, hit: Hit, key: str) -> Iterator[Place]:
    if hit.match in {Match.DOCUMENTATION, Match.OWNER}:
        return
    known = StoredRelations(tx).of(hit.relation)
    columns = () if known is None else known.columns.values()
    found = [column for column in columns if key in search_key(column)][:_MAX_COLUMNS]
    # The text may also be in the name of a field within a column.
    if hit.match is not Match.FIELD or not found:
        yield Place(hit.relation)
    yield from (Place(hit.relation, column) for column in found)


def _outer(name: RelationName) -> RelationName | None:
    """The name without its last part, which may be a column; None if the rest cannot be a relation."""
    if len(name.namespace) < (1 if name.catalog else 2):
        return None
    return RelationName(name.namespace[:-1], name.namespace[-1], name.catalog)


def _field_of(tx: Transaction, name: RelationName) -> Place | NotFound | None:
    """The field that a name means, if it begins with a relation.

    If several relations fit, the longest name counts.
    """
    parts, catalog = name.parts, name.catalog
    sizes = range(len(parts) - 2, 0 if catalog else 1, -1)
    outer = {size: RelationName(parts[: size - 1], parts[size - 1], catalog) for size in sizes}
    known = tx.graph.records(outer.values())
    for size, relation in outer.items():
        if relation in known:
            found = column_of(tx, relation, parts[size])
            return found if isinstance(found, NotFound) else replace(found, path=parts[size + 1 :])
    return None


def place_in(tx: Transaction, relation: RelationName, column: str | None) -> Place | NotFound:
    """The place of a column or, without a column, of the whole relation."""
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
    known = tx.catalogue.resembling(asked, _MAX_RESEMBLING)
    return tuple(likely_names(str(asked), [str(name) for name in known]))


def meant_relations(tx: Transaction, asked: RelationName) -> tuple[str, ...]:
    """Relations of the same name in other namespaces, and then relations with similar names."""
    found = tx.search.find(asked.name, _MAX_SIMILAR).hits
    named = [str(hit.relation) for hit in found if hit.match is Match.NAME]
    return tuple(dict.fromkeys([*named, *similar_relations(tx, asked)]))[:_MAX_SIMILAR]


def _similar(tx: Transaction, asked: RelationName) -> tuple[str, ...]:
    known = {str(name): name for name in tx.catalogue.resembling(asked, _MAX_RESEMBLING)}
    whole = likely_names(str(asked), known)
    alike = [name for name in whole if len(known[name].parts) == len(asked.parts)]
    outer = _outer(asked)
    if outer is not None and not alike:
        # The text may name a column of a relation whose name is misspelt.
        close = similar_relations(tx, outer)
        if close:
            return (f"{close[0]}.{asked.name}",)
    return tuple(alike or whole)
