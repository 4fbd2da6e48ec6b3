"""Finds the columns of the table that CREATE TABLE … AS SELECT makes from a query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lakeschema.catalog.ddl_altered import UnknownColumns
from lakeschema.catalog.ddl_state import QueryColumns
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Dialect, Relation, as_nullable
from lakeschema.translation.deriving.deriver import DerivationCrashed, Deriver
from lakeschema.translation.deriving.with_upstreams import outcomes_with_upstreams
from lakeschema.translation.model.interface import Derivation, OmittedColumn, Transformation
from lakeschema.translation.model.outcome import Failed


def query_columns(deriver: Deriver) -> QueryColumns:
    """A function that finds the columns of a query by deriving it.

    Every column and field is nullable, as in Hive and Spark.
    """

    def columns(
        query: Relation, find: Callable[[RelationName], Relation | None], /
    ) -> tuple[Column, ...]:
        def found(name: RelationName) -> Relation | None:
            return query if name == query.name else find(name)

        try:
            outcome = outcomes_with_upstreams(query.name, found, deriver)[query.name]
        except DerivationCrashed as crashed:
            raise UnknownColumns(str(crashed)) from None
        if isinstance(outcome, Failed):
            raise UnknownColumns(f"its query has no columns: {outcome.reason}")
        derivation = outcome.derivation
        places = derivation.interface.places
        if query.view is not None and query.view.dialect is Dialect.SPARK:
            made = (_commented(derivation, place) for place in places)
        else:
            made = (_column(derivation, place) for place in places)
        return tuple(map(as_nullable, made))

    return columns


def _column(derivation: Derivation, place: int | OmittedColumn) -> Column:
    return derivation.interface.columns[place] if isinstance(place, int) else place.column


def _commented(derivation: Derivation, place: int | OmittedColumn) -> Column:
    """The column with its source's comment if it is a plain copy, as in Spark."""
    column = _column(derivation, place)
    if not isinstance(place, int):
        return column
    lineage = derivation.lineage[place]
    is_one = lineage.transformation is Transformation.IDENTITY and len(lineage.sources) == 1
    comment = derivation.interface.schema.fields[place].doc if is_one else None
    return replace(column, comment=comment)
