"""Resolves the target of an assignment in UPDATE or MERGE: a column, or a field of a column."""

from __future__ import annotations

from collections.abc import Sequence

from lakeschema.analysis.syntax import statements as st
from lakeschema.catalog.identifiers import RelationName


def assigned_column(
    path: Sequence[str],
    target: st.Named,
    relation: RelationName,
    columns: Sequence[str] | None,
    *,
    alone: bool,
) -> tuple[str, tuple[str, ...]]:
    """The column as written, and the path to its field, in lower case.

    Args:
        path: the parts of the name as written; the table's name may come before the column.
        target: the table as the statement names it.
        relation: the table's resolved name.
        columns: the table's columns; None if unknown.
        alone: whether no other table can qualify the column.
    """
    lowered = tuple(part.lower() for part in path)
    whole = tuple(part.lower() for part in (relation.catalog, *relation.parts) if part)
    alias = None if target.alias is None else target.alias.lower()
    for split in range(len(path) - 1, 0, -1):
        before = lowered[:split]
        if before == (alias,) or whole[-split:] == before:
            return path[split], lowered[split + 1 :]
    if lowered[0] in map(str.lower, columns or ()) or (columns is None and alone):
        return path[0], lowered[1:]
    return path[-1], ()
