"""Finds the effect of a statement on the catalog: the new catalog, the changes, and conflicts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import KnownCatalog, KnownTable
from lakeschema.analysis.renaming import renamed_relations
from lakeschema.analysis.resolving.shapes import Shapes
from lakeschema.analysis.syntax import statements as st
from lakeschema.analysis.view_reads import view_columns, view_reads
from lakeschema.catalog.identifiers import RelationName


class Change(Enum):
    CREATED = "created"
    REPLACED = "replaced"
    ALTERED = "altered"
    RENAMED = "renamed"
    DROPPED = "dropped"
    NAMESPACE = "namespace"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class CatalogUpdate:
    """A change of one table, or a statement that contradicts the catalog (CONFLICT).

    Attributes:
        table: the table afterwards; None if it is removed or unknown.
        new_name: the new name, for RENAMED.
        reason: the contradiction, for CONFLICT, which changes nothing.
    """

    change: Change
    relation: RelationName | None
    table: KnownTable | None = None
    new_name: RelationName | None = None
    reason: str = ""

    @property
    def columns(self) -> tuple[str, ...] | None:
        return None if self.table is None else self.table.columns


def catalog_updates(
    statement: st.Statement, resolved: rs.Resolved, catalog: KnownCatalog
) -> tuple[KnownCatalog, tuple[CatalogUpdate, ...]]:
    """The catalog after a statement, and the changes that it made."""
    match statement:
        case st.Create():
            return _create(statement, resolved, catalog)
        case st.Query(into=st.Named(parts), temporary=temporary):
            name = catalog.named_new(parts, of_session=temporary)
            catalog = catalog.with_temporary(name) if temporary else catalog
            table = KnownTable(_columns(resolved))
            return _put(catalog, name, table, Change.CREATED)
        case st.Drop(names=names, if_exists=if_exists):
            return _drop([catalog.named(name.parts) for name in names], catalog, if_exists)
        case st.Rename() | st.SetNamespace():
            return _rename(renamed_relations(statement, catalog), catalog)
        case st.Swap(first, second):
            return _swap(catalog.named(first.parts), catalog.named(second.parts), catalog)
        case st.AlterColumns(name=name):
            return _alter(statement, catalog.named(name.parts), catalog)
        case st.AlterOther(name=name, location=str() as location):
            relation = catalog.named(name.parts)
            known = catalog.known(relation) or KnownTable(None)
            moved = replace(known, location=location.rstrip("/"))
            return _put(catalog, relation, moved, Change.ALTERED)
        case st.Cache(name, query) if query is not None:
            relation = catalog.named_new(name.parts, of_session=True)
            table = _view(KnownTable(_columns(resolved)), resolved)
            return _put(catalog.with_temporary(relation), relation, table, Change.CREATED)
        case st.Use(namespace, what) if what not in {"warehouse", "role"}:
            return _use(namespace, what, catalog)
        case _:
            return catalog, ()


def _columns(resolved: rs.Resolved) -> tuple[str, ...] | None:
    """The columns that the statement writes or reads; None if a star's columns are unknown."""
    if resolved.writes:
        written = resolved.writes[0].columns
        if any(isinstance(column.value, rs.OpenStar) for column in written):
            return None
        return tuple(column.name for column in written)
    shape = Shapes().of(resolved.queries[0])
    return None if shape.is_open else shape.names


def _create(
    create: st.Create, resolved: rs.Resolved, catalog: KnownCatalog
) -> tuple[KnownCatalog, tuple[CatalogUpdate, ...]]:
    name = catalog.named_new(create.name.parts, of_session=create.temporary)
    if create.temporary:
        catalog = catalog.with_temporary(name)
    before = catalog.known(name)
    if before is not None and not create.replaces and not create.temporary:
        if create.only_if_missing:
            return catalog, ()
        return catalog, (_conflict(name, f"{name} exists already"),)
    table = KnownTable(
        _created_columns(create, resolved, catalog),
        create.partitions,
        location=create.location.rstrip("/") if create.location else None,
        is_materialized=create.materialized,
    )
    if create.kind is st.Kind.VIEW:
        table = _view(table, resolved)
    return _put(catalog, name, table, Change.CREATED if before is None else Change.REPLACED)


def _created_columns(
    create: st.Create, resolved: rs.Resolved, catalog: KnownCatalog
) -> tuple[str, ...] | None:
    if create.query is not None:
        return _partitions_last(_columns(resolved), create)
    if create.columns:
        return create.columns
    like = create.like or (create.clone if isinstance(create.clone, st.Named) else None)
    known = None if like is None else catalog.known(catalog.named(like.parts))
    return None if known is None else known.columns


def _view(table: KnownTable, resolved: rs.Resolved) -> KnownTable:
    reads, made_of = view_reads(resolved), view_columns(resolved)
    return replace(table, is_view=True, reads=reads, made_of=made_of)


def _partitions_last(columns: tuple[str, ...] | None, create: st.Create) -> tuple[str, ...] | None:
    """The columns of a table made by a query: partition columns last, unless the format keeps the order."""
    if columns is None or create.keeps_order:
        return columns
    partitions = frozenset(name.lower() for name in create.partitions)
    return tuple(sorted(columns, key=lambda name: name.lower() in partitions))


def _put(
    catalog: KnownCatalog, name: RelationName, table: KnownTable, change: Change
) -> tuple[KnownCatalog, tuple[CatalogUpdate, ...]]:
    return catalog.with_table(name, table), (CatalogUpdate(change, name, table),)


def _conflict(name: RelationName, reason: str) -> CatalogUpdate:
    return CatalogUpdate(Change.CONFLICT, name, reason=reason)


def _drop(
    names: list[RelationName], catalog: KnownCatalog, if_exists: bool
) -> tuple[KnownCatalog, tuple[CatalogUpdate, ...]]:
    found: list[CatalogUpdate] = []
    for name in names:
        if catalog.known(name) is not None:
            catalog = catalog.without(name)
            found.append(CatalogUpdate(Change.DROPPED, name))
        elif not if_exists:
            found.append(CatalogUpdate(Change.DROPPED, name))
    return catalog, tuple(found)


def _rename(
    pairs: tuple[tuple[RelationName, RelationName], ...], catalog: KnownCatalog
) -> tuple[KnownCatalog, tuple[CatalogUpdate, ...]]:
    found: list[CatalogUpdate] = []
    for old, new in pairs:
        if catalog.known(new) is not None:
            found.append(_conflict(new, f"{old} cannot be renamed: {new} exists already"))
            continue
        known = catalog.known(old) or KnownTable(None)
        of_session = old in catalog.temporary
        catalog = catalog.without(old).with_table(new, known)
        catalog = catalog.with_temporary(new) if of_session else catalog
        found.append(CatalogUpdate(Change.RENAMED, old, known, new))
    return catalog, tuple(found)


def _swap(
    first: RelationName, second: RelationName, catalog: KnownCatalog
) -> tuple[KnownCatalog, tuple[CatalogUpdate, ...]]:
    one = catalog.known(first) or KnownTable(None)
    other = catalog.known(second) or KnownTable(None)
    swapped = catalog.with_table(first, other).with_table(second, one)
    return swapped, (
        CatalogUpdate(Change.REPLACED, first, other),
        CatalogUpdate(Change.REPLACED, second, one),
    )


def _alter(
    alter: st.AlterColumns, name: RelationName, catalog: KnownCatalog
) -> tuple[KnownCatalog, tuple[CatalogUpdate, ...]]:
    known = catalog.known(name)
    if known is None or (known.columns is None and alter.replaced is None):
        return catalog, (CatalogUpdate(Change.ALTERED, name),)
    columns = list(alter.replaced if alter.replaced is not None else known.columns or ())
    there = {column.lower(): position for position, column in enumerate(columns)}
    for column in (*alter.dropped, *(old for old, _ in alter.renamed)):
        if column.lower() not in there:
            return catalog, (_conflict(name, f"{name} has no column {column}"),)
    for column in alter.added:
        if column.lower() in there:
            return catalog, (_conflict(name, f"{name} has a column {column} already"),)
    for old, new in alter.renamed:
        columns[there[old.lower()]] = new
    gone = {column.lower() for column in alter.dropped}
    columns = [column for column in columns if column.lower() not in gone]
    # Partition columns stay at the end.
    last = len(columns) - len([p for p in known.partitions if p.lower() not in gone])
    columns[last:last] = alter.added
    return _put(catalog, name, replace(known, columns=tuple(columns)), Change.ALTERED)


def _use(
    namespace: tuple[str, ...], what: str, catalog: KnownCatalog
) -> tuple[KnownCatalog, tuple[CatalogUpdate, ...]]:
    lowered = tuple(part.lower() for part in namespace)
    before = catalog.namespace
    if what == "catalog" and len(lowered) == 1:
        lowered = (*lowered, before[1] if len(before) == 2 else "")
    elif len(lowered) == 1 and len(before) == 2:
        lowered = (before[0], *lowered)
    elif lowered == ("default",):
        lowered = ()
    return replace(catalog, namespace=lowered), (CatalogUpdate(Change.NAMESPACE, None),)
