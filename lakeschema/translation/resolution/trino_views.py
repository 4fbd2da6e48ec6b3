"""Gives a Trino view its stored columns, and refuses the view if Trino no longer reads it.

At each read Trino analyses the text again and compares (``StatementAnalyzer.checkViewStaleness``).
The view is VIEW_IS_STALE if the number, names or order of columns differ, or if a type cannot be
converted to the stored type. A narrower type is converted.
"""

from __future__ import annotations

from typing import Final

from lakeschema.catalog.column_types import ColumnType, UnknownType
from lakeschema.catalog.relations import Column, Relation
from lakeschema.catalog.trino_types import print_trino_type
from lakeschema.translation.functions.trino_coercion import same_type
from lakeschema.translation.model.errors import TypeMismatch, UnsupportedType
from lakeschema.translation.plan.expressions import Cast, RowExpression
from lakeschema.translation.plan.relations import Plan, PlanColumn, Project, references
from lakeschema.translation.resolution.trino import stale

_HINT: Final = "a table below has changed since; CREATE OR REPLACE the view in Trino"


def fit_to_trinos(plan: Plan, relation: Relation) -> Plan:
    """The query's columns under the stored names, converted to the stored types.

    Raises:
        TypeMismatch: a column does not fit its stored type; Trino calls such a view stale.
    """
    stored = relation.columns
    if len(stored) != len(plan.columns):
        raise _stale(
            f"it stored {len(stored)} columns, and its query returns {len(plan.columns)} now"
        )
    for number, (column, now) in enumerate(zip(stored, plan.columns, strict=True), 1):
        _check(number, column, now)
    items = tuple(
        (column.name, _converted(reference, column.type))
        for column, reference in zip(stored, references(plan), strict=True)
    )
    return Project(plan, items)


def _check(number: int, stored: Column, now: PlanColumn) -> None:
    if isinstance(stored.type, UnknownType):
        if stored.type.text:
            raise UnsupportedType(f"column {stored.name}", stored.type.text, "the type is unknown")
        # A column declared without a type: DDL has only its name.
        return
    if stored.name.lower() != now.name.lower():
        raise _stale(f"column {number} was {stored.name} and is {now.name} now")
    if stale(stored.type, now.type):
        raise _stale(
            f"column {stored.name} was {print_trino_type(stored.type)} and is"
            f" {print_trino_type(now.type)} now, which does not convert to it"
        )


def _converted(reference: RowExpression, stored: ColumnType) -> RowExpression:
    if isinstance(stored, UnknownType) or same_type(reference.type, stored):
        return reference
    return Cast(reference, stored, reference.nullable, implicit=True)


def _stale(what: str) -> TypeMismatch:
    return TypeMismatch(f"the view is stale (VIEW_IS_STALE): {what}", hint=_HINT)
