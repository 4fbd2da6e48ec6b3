"""Finds the privileges that a user needs for a statement, by table and column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum
from typing import assert_never

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import KnownCatalog
from lakeschema.analysis.column_access import columns_needed
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.grants import EVERY_COLUMN, Need, Privilege, field_name, without_parts
from lakeschema.analysis.resolving.assigned import assigned_column
from lakeschema.analysis.scripts import Analysed
from lakeschema.analysis.syntax import statements as st
from lakeschema.analysis.table_access import tables_read
from lakeschema.catalog.identifiers import RelationName

_P = Privilege
_WHOLE = (EVERY_COLUMN,)


class Views(Enum):
    """Which privileges a reader of a view needs: on the view, or on all that its query reads."""

    ITSELF = "itself"
    THROUGH = "through"


def permissions(analysed: Analysed, views: Views = Views.ITSELF) -> tuple[Need, ...]:
    """The needs of a statement: each privilege and relation once, with columns in alphabetical order.

    Temporary tables, and tables that the same text creates, need no privilege. Neither do statements
    that are unreadable, or only explained.
    """
    if analysed.resolved is None or analysed.statement is None:
        return ()
    before = analysed.before
    needs: dict[tuple[Privilege, RelationName], set[str]] = {}
    for need in (*_reads(analysed.resolved), *_changes(analysed)):
        if need.relation in before.temporary | before.created:
            continue
        for each in _through(need, before) if views is Views.THROUGH else (need,):
            needs.setdefault((each.privilege, each.relation), set()).update(each.columns)
    return tuple(
        Need(privilege, relation, _WHOLE if EVERY_COLUMN in columns else without_parts(columns))
        for (privilege, relation), columns in sorted(needs.items(), key=_order)
    )


def _order(item: tuple[tuple[Privilege, RelationName], set[str]]) -> tuple[int, RelationName]:
    (privilege, relation), _ = item
    return list(Privilege).index(privilege), relation


def _reads(resolved: rs.Resolved) -> Iterator[Need]:
    conventions = Conventions(count_reads_all=False)
    for source in tables_read(resolved, conventions):
        if isinstance(source, RelationName):
            yield Need(_P.SELECT, source)
    for column, _ in columns_needed(resolved, conventions):
        if isinstance(column.source, RelationName):
            yield Need(_P.SELECT, column.source, (field_name(column.column, column.path),))
    if resolved.verb not in {"MERGE", "RENAME", "SWAP"}:
        for access, source in resolved.touched:
            if access is rs.Access.READ_DATA and isinstance(source, RelationName):
                yield Need(_P.SELECT, source, _WHOLE)


def _changes(analysed: Analysed) -> Iterator[Need]:
    """The privileges that a statement needs in addition to those for reading."""
    statement, resolved = analysed.statement, analysed.resolved
    assert statement is not None
    assert resolved is not None
    named = analysed.before.named
    if isinstance(statement, st.Insert | st.Update | st.Delete | st.Merge) and statement.logged:
        yield Need(_P.INSERT, named(statement.logged.parts), _WHOLE)
    match statement:
        case st.Insert():
            yield from _insert(statement, analysed.before)
        case st.MultiInsert(inserts):
            for insert in inserts:
                yield from _insert(insert, analysed.before)
        case st.Load(target=st.Named(parts), overwrite=overwrite):
            yield Need(_P.INSERT, named(parts), _WHOLE)
            if overwrite:
                yield Need(_P.DELETE, named(parts))
        case st.Query(into=st.Named(parts), temporary=temporary):
            yield from () if temporary else (Need(_P.CREATE, named(parts)),)
        case st.Create(name=name, temporary=temporary, replaces=replaces):
            yield from () if temporary else _create(named(name.parts), analysed, replaces=replaces)
        case st.Drop(names=names):
            yield from (Need(_P.DROP, named(name.parts)) for name in names)
        case st.Truncate(names=names):
            yield from (Need(_P.DELETE, named(name.parts)) for name in names)
        case st.Delete(target=target, others=others):
            yield from (Need(_P.DELETE, named(each.parts)) for each in (target, *others))
        case st.Update(target=target, assignments=assignments):
            alone = statement.source is None
            columns = _assigned(assignments, target, analysed.before, alone=alone)
            yield Need(_P.UPDATE, named(target.parts), columns)
        case st.Merge():
            yield from _merge(statement, analysed.before)
        case st.MovePartition(source, target):
            yield Need(_P.DELETE, named(source.parts))
            yield Need(_P.INSERT, named(target.parts), _WHOLE)
        case st.Rename() | st.SetNamespace():
            yield from _rename(resolved)
        case st.Swap(first, second):
            yield from (Need(_P.ALTER, named(each.parts)) for each in (first, second))
        case st.AlterColumns(name=name) | st.AlterOther(name=name) | st.AddPartitions(name=name):
            yield Need(_P.ALTER, named(name.parts))
        case st.Query() | st.Load() | st.Cache() | st.Use() | st.Set() | st.ReadMetadata():
            pass
        case st.Chained(changes, inner):
            for each in (*changes, inner):
                yield from _changes(replace(analysed, statement=each))
        case st.Other() | st.Unknown() | st.Block() | st.Explain():
            pass
        case _:
            assert_never(statement)


def _insert(insert: st.Insert, catalog: KnownCatalog) -> Iterator[Need]:
    if not isinstance(insert.target, st.Named):
        return
    target = catalog.named(insert.target.parts)
    columns = _names(insert.columns)
    yield Need(_P.INSERT, target, columns or _WHOLE)
    if insert.overwrite:
        yield Need(_P.DELETE, target)


def _names(columns: Iterable[str]) -> tuple[str, ...]:
    return tuple(field_name(column.lower()) for column in columns)


def _create(name: RelationName, analysed: Analysed, *, replaces: bool) -> Iterator[Need]:
    yield Need(_P.CREATE, name)
    if replaces and analysed.before.known(name) is not None:
        yield Need(_P.DROP, name)


def _assigned(
    assignments: Iterable[st.Assignment], target: st.Named, catalog: KnownCatalog, *, alone: bool
) -> tuple[str, ...]:
    relation = catalog.named(target.parts)
    known = catalog.known(relation)
    columns = None if known is None else known.columns
    found = (
        assigned_column(each.path, target, relation, columns, alone=alone) for each in assignments
    )
    return tuple(field_name(column.lower(), path) for column, path in found)


def _merge(merge: st.Merge, catalog: KnownCatalog) -> Iterator[Need]:
    target = catalog.named(merge.target.parts)
    for action in merge.actions:
        if action.every:
            yield Need(_P.UPDATE, target, _WHOLE)
            yield Need(_P.INSERT, target, _WHOLE)
        elif action.assignments:
            columns = _assigned(action.assignments, merge.target, catalog, alone=True)
            yield Need(_P.UPDATE, target, columns)
        elif action.values:
            yield Need(_P.INSERT, target, _names(action.columns) or _WHOLE)
        else:
            yield Need(_P.DELETE, target)


def _rename(resolved: rs.Resolved) -> Iterator[Need]:
    """The privileges for a rename; each pair of writes is the new name and the old name."""
    targets = [write.target for write in resolved.writes]
    for new, old in zip(targets[::2], targets[1::2], strict=True):
        if isinstance(new, RelationName) and isinstance(old, RelationName):
            yield Need(_P.ALTER, old)
            yield Need(_P.CREATE, new)


def _through(need: Need, catalog: KnownCatalog) -> Iterator[Need]:
    """The needs on a view's tables in place of the need on the view, if its query is known."""
    pending, seen = [need], {need.relation}
    while pending:
        at = pending.pop()
        known = catalog.known(at.relation)
        if at.privilege is not Privilege.SELECT or known is None or not known.reads:
            yield at
            continue
        for relation, columns in known.reads:
            inner = catalog.known(relation)
            if inner is None or not inner.reads:
                yield Need(Privilege.SELECT, relation, _names(columns))
            elif relation not in seen:
                seen.add(relation)
                pending.append(Need(Privilege.SELECT, relation, _names(columns)))
