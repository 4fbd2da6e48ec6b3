"""Text for Trino, read again as a Trino view: its types must be the stated ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation, ViewText
from lakeschema.catalog.trino_types import parse_trino_type, print_trino_type
from lakeschema.translation.deriving.derivation import derive_view
from lakeschema.translation.emission.trino.query import TrinoQuery
from lakeschema.translation.model.interface import Interface, Options
from tests.lakeschema.translation.relations import DEFAULT


@dataclass(frozen=True)
class ReadBack:
    """The columns' types: as the text has them in Trino, and as the query says."""

    found: list[str]
    said: list[str]


def as_view(name: RelationName, sql: str) -> Relation:
    return Relation(name, (), view=ViewText(Dialect.TRINO, sql, sql, ("default",), ""))


def read_back(
    query: TrinoQuery,
    name: RelationName,
    upstreams: Mapping[RelationName, Interface],
    options: Options = DEFAULT,
) -> ReadBack:
    """Raises: TranslationError if the text has what is not read of Trino's."""
    _, plan = derive_view(as_view(name, query.sql), upstreams, options)
    return ReadBack(
        [print_trino_type(column.type) for column in plan.columns],
        [print_trino_type(parse_trino_type(type_)) for type_ in query.types],
    )
