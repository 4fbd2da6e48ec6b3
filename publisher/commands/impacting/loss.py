"""Makes the change that removes a column or relation, so that its dependents can be found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lakeschema.catalog.ddl_change import DdlChange
from lakeschema.catalog.relations import Column, Dialect, Relation, ViewText
from publisher.lineage.values import Place


class CannotLose(Exception):
    """Raised if the relation cannot be written without the column; the message says why."""


def loss_of(place: Place, relation: Relation, names: Sequence[str]) -> DdlChange:
    """The change that removes the relation or, for a column or field, the whole column.

    ``names`` are the names of all columns of the relation.

    Raises:
        CannotLose: nothing would be left, or the rest cannot be written in the view's dialect.
    """
    if place.column is None:
        return DdlChange(removed=frozenset({place.relation}))
    lost = place.column.lower()
    if all(name.lower() == lost for name in names):
        raise CannotLose(f"{place.column} is the only column of {place.relation}")
    left = replace(
        relation,
        columns=_without(relation.columns, lost),
        partition_columns=_without(relation.partition_columns, lost),
        hive_columns=_without(relation.hive_columns, lost),
    )
    if relation.view is not None:
        left = replace(left, view=_rest(relation.view, names, lost))
    return DdlChange(relations={place.relation: left})


def _without(columns: tuple[Column, ...], name: str) -> tuple[Column, ...]:
    return tuple(column for column in columns if column.name.lower() != name)


def _rest(view: ViewText, names: Sequence[str], lost: str) -> ViewText:
    if view.dialect is Dialect.TRINO:
        raise CannotLose("removing a column from a view of Trino is not supported")
    left = ", ".join(_quoted(name) for name in names if name.lower() != lost)
    every = ", ".join(map(_quoted, names))
    # The line break ends a comment at the end of the text.
    text = f"SELECT {left} FROM (\n{view.text}\n) AS `whole`({every})"  # noqa: S608 (it is translated, not run)
    return replace(view, text=text, original_text=text, query_columns=())


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
