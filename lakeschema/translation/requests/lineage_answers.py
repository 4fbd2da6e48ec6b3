"""Converts a view's lineage to JSON in a stable form."""

from __future__ import annotations

from typing import Any

from lakeschema.translation.model.interface import (
    ColumnLineage,
    Derivation,
    Influence,
    SourceColumn,
)


def lineage_answer(derivation: Derivation) -> dict[str, Any]:
    """The lineage as JSON.

    The sources in ``columns`` and ``rows`` are columns of relations that the view reads directly.
    ``rows`` has the columns that affect which rows there are; it is null if they are unknown.
    """
    rows = derivation.rows
    return {
        "columns": [_column(each) for each in derivation.lineage],
        "rows": None if rows is None else [_influence(each) for each in rows],
    }


def _column(column: ColumnLineage) -> dict[str, Any]:
    """One column as JSON; ``expression`` is null for a column that is copied."""
    return {
        "column": column.column,
        "expression": column.expression or None,
        "transformation": column.transformation.value,
        "direct": [_source(each) for each in column.direct],
        "indirect": [_influence(each) for each in column.indirect],
    }


def _influence(influence: Influence) -> dict[str, Any]:
    return {"clause": influence.clause.value, **_source(influence.source)}


def _source(source: SourceColumn) -> dict[str, Any]:
    found: dict[str, Any] = {"relation": str(source.relation), "column": source.column}
    if source.path:
        found["path"] = list(source.path)
    return found
