"""Replaces Spark views over tables with unreadable schemas by the columns that the views recorded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from lakeschema.catalog.column_types import TIMESTAMP, TIMESTAMP_LOCAL, map_type
from lakeschema.catalog.relations import Column, Dialect, Relation
from lakeschema.translation.functions.schema_texts import as_nullable
from lakeschema.translation.model.outcome import Status


def as_recorded(relation: Relation, unusable: Iterable[Status]) -> Relation | None:
    """The view as a table with its recorded columns.

    All parts are nullable, since only the tables show which parts are not. None if the view recorded
    no columns, or if an upstream failed with a status other than UNREACHABLE; ``unusable`` has the
    statuses of the failed upstreams.
    """
    view = relation.view
    if set(unusable) != {Status.UNREACHABLE}:
        return None
    if view is None or view.dialect is not Dialect.SPARK or not relation.columns:
        return None
    return replace(relation, columns=tuple(map(_recorded, relation.columns)), view=None)


def _recorded(column: Column) -> Column:
    instants = map_type(column.type, lambda t: TIMESTAMP_LOCAL if t == TIMESTAMP else t)
    return replace(column, type=map_type(instants, as_nullable), nullable=True)
