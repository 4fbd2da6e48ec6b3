"""Finds the relations that a statement renames."""

from __future__ import annotations

from dataclasses import replace

from lakeschema.analysis.catalog import KnownCatalog
from lakeschema.analysis.syntax import statements as st
from lakeschema.catalog.identifiers import RelationName


def renamed_relations(
    statement: st.Rename | st.SetNamespace, catalog: KnownCatalog
) -> tuple[tuple[RelationName, RelationName], ...]:
    """The old and new names, in order. A new name of one part stays in the old name's namespace."""
    if isinstance(statement, st.SetNamespace):
        olds = [catalog.named(name.parts) for name in statement.names]
        space = statement.namespace
        return tuple((old, _beside(old, *old.namespace[:-1], space, old.name)) for old in olds)
    return tuple(
        (source := catalog.named(old.parts), _new_name(source, new.parts, catalog))
        for old, new in statement.pairs
    )


def _new_name(old: RelationName, parts: tuple[str, ...], catalog: KnownCatalog) -> RelationName:
    return _beside(old, *old.namespace, *parts) if len(parts) == 1 else catalog.named(parts)


def _beside(old: RelationName, *parts: str) -> RelationName:
    return replace(RelationName.of(*parts), catalog=old.catalog)
