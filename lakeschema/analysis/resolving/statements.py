"""Resolves statements: the tables and columns that they read and write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import assert_never

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import Files, KnownCatalog, Source
from lakeschema.analysis.renaming import renamed_relations
from lakeschema.analysis.resolved import Access, Mode
from lakeschema.analysis.resolving.assigned import assigned_column
from lakeschema.analysis.resolving.queries import QueryResolver
from lakeschema.analysis.resolving.scopes import Entry, Scope
from lakeschema.analysis.syntax import statements as st
from lakeschema.analysis.syntax.dialects import Scoping
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.syntax import tree


def resolve(
    statement: st.Statement, catalog: KnownCatalog, scoping: Scoping
) -> tuple[rs.Resolved, ...]:
    """The reads and writes of a statement, or of each statement in a procedure's body."""
    if isinstance(statement, st.Block):
        return tuple(
            found for each in statement.statements for found in resolve(each, catalog, scoping)
        )
    resolver = _Statements(catalog, scoping)
    if isinstance(statement, st.Chained):
        changes = [_Statements(catalog, scoping).statement(each) for each in statement.changes]
        found = _together(changes, resolver.statement(statement.statement))
    else:
        found = resolver.statement(statement)
    unused = tuple(common.query for common in resolver.unused if not common.is_read)
    return (_with_unused(found, unused),)


def _together(changes: list[rs.Resolved], last: rs.Resolved) -> rs.Resolved:
    """Unites a statement with the changes in its WITH, under the statement's verb."""
    every = (*changes, last)
    return rs.Resolved(
        last.verb,
        tuple(query for each in every for query in each.queries),
        tuple(write for each in every for write in each.writes),
        tuple(touched for each in every for touched in each.touched),
    )


def _with_unused(found: rs.Resolved, unused: tuple[rs.Query, ...]) -> rs.Resolved:
    return rs.Resolved(found.verb, found.queries, found.writes, found.touched, unused)


@dataclass(slots=True, eq=False)
class _Statements(QueryResolver):
    def statement(self, statement: st.Statement) -> rs.Resolved:
        match statement:
            case st.Query(query, into, temporary):
                return self._query_statement(query, into, temporary=temporary)
            case st.Insert():
                return self._logged(self._inserts("INSERT", (statement,)), statement.logged)
            case st.MultiInsert(inserts):
                return self._inserts("INSERT", inserts)
            case st.Create():
                return self._create(statement)
            case st.Drop():
                return self._drop(statement)
            case st.Rename() | st.SetNamespace():
                is_view = isinstance(statement, st.Rename) and statement.kind is st.Kind.VIEW
                pairs = renamed_relations(statement, self.catalog)
                return self._renames(pairs, is_view=is_view)
            case st.Swap(first, second):
                return self._swap(self._name(first), self._name(second))
            case st.AlterColumns(name=name):
                moves = statement.added or statement.dropped or statement.replaced is not None
                written = Access.WRITE_DATA if moves else Access.WRITE_METADATA
                return rs.Resolved("ALTER", touched=((written, self._name(name)),))
            case st.AlterOther(name=name, location=location):
                target = self._name(name)
                writes, touched = self._at_location(target, location, Mode.REPLACES)
                touched = ((Access.WRITE_METADATA, target), *touched)
                return rs.Resolved("ALTER", writes=writes, touched=touched)
            case st.AddPartitions(name, locations, moved):
                verb = "ALTER" if moved else "ADD PARTITION"
                return self._add_partitions(verb, self._name(name), locations)
            case st.MovePartition(source, target):
                return self._move_partition(self._name(source), self._name(target))
            case st.Merge():
                return self._logged(self._merge_statement(statement), statement.logged)
            case st.Update():
                return self._logged(self._update(statement), statement.logged)
            case st.Delete():
                return self._logged(self._delete(statement), statement.logged)
            case st.Truncate(names, partial):
                mode = Mode.CHANGES if partial else Mode.CLEARS
                targets = [self._name(name) for name in names]
                return rs.Resolved(
                    "TRUNCATE",
                    writes=tuple(rs.Write(target, mode) for target in targets),
                    touched=tuple((Access.WRITE_DATA, target) for target in targets),
                )
            case st.Load():
                return self._load(statement)
            case st.Cache(name, query):
                return self._cache(name, query)
            case st.Explain(inner):
                found = self.statement(inner)
                return rs.Resolved("EXPLAIN", touched=tuple(_as_metadata(found)))
            case st.ReadMetadata(names):
                return rs.Resolved(
                    "DESCRIBE",
                    touched=tuple((Access.READ_METADATA, self._name(name)) for name in names),
                )
            case st.Use() | st.Set():
                return rs.Resolved(type(statement).__name__.upper())
            case st.Other(verb) | st.Unknown(verb):
                return rs.Resolved(verb)
            case st.Block():
                return rs.Resolved("CREATE PROCEDURE")
            case st.Chained(_, inner):
                return self.statement(inner)
            case _:
                assert_never(statement)

    def _logged(self, found: rs.Resolved, logged: st.Named | None) -> rs.Resolved:
        """The statement, which also writes the changed rows to unknown columns of ``logged``."""
        if logged is None:
            return found
        name = self._name(logged)
        changed = self.scan(found.writes[0].target)
        write = rs.Write(name, Mode.APPENDS, relation=changed)
        touched = (*found.touched, (Access.WRITE_DATA, name))
        return rs.Resolved(found.verb, found.queries, (*found.writes, write), touched)

    def _name(self, named: st.Named) -> RelationName:
        return self.catalog.named(named.parts)

    def _target(self, target: st.Target) -> Source:
        if isinstance(target, st.Files):
            return Files(target.uri)
        return self._name(target)

    # queries and INSERT

    def _query_statement(
        self, query: tree.Query, into: st.Named | None, *, temporary: bool
    ) -> rs.Resolved:
        found = self.query(query, None)
        if into is not None:
            target = self.catalog.named_new(into.parts, of_session=temporary)
            write = rs.Write(target, Mode.REPLACES, self._columns(found, (), None), found)
            return rs.Resolved("SELECT INTO", (found,), (write,), ((Access.WRITE_DATA, target),))
        swapped = self._vertica_swap(query)
        if swapped is not None:
            return swapped
        return rs.Resolved("SELECT", (found,))

    def _vertica_swap(self, query: tree.Query) -> rs.Resolved | None:
        """Resolves ``SELECT swap_partitions_between_tables('staging', low, high, 'target')``."""
        if not isinstance(query, tree.Select) or query.source is not None:
            return None
        match query.items[0].expression:
            case tree.Call(name, (tree.StringLiteral(source), *_, tree.StringLiteral(target))) if (
                name.lower() in _PARTITION_CALLS
            ):
                first = self.catalog.named(source.split("."))
                second = self.catalog.named(target.split("."))
                swaps = _PARTITION_CALLS[name.lower()]
                moved = self._swap_partitions if swaps else self._move_partition
                return moved(first, second)
            case _:
                return None

    def _inserts(self, verb: str, inserts: Iterable[st.Insert]) -> rs.Resolved:
        queries: list[rs.Query] = []
        writes: list[rs.Write] = []
        for insert in inserts:
            query = self.query(insert.query, None)
            target = self._target(insert.target)
            queries.append(query)
            writes.append(
                rs.Write(target, _mode(insert), self._inserted(insert, target, query), query)
            )
        touched = tuple((Access.WRITE_DATA, write.target) for write in writes)
        return rs.Resolved(verb, tuple(queries), tuple(writes), touched)

    def _inserted(
        self, insert: st.Insert, target: Source, query: rs.Query
    ) -> tuple[rs.WrittenColumn, ...]:
        fixed = {name.lower() for name, is_fixed in insert.partition if is_fixed}
        open_ = [name for name, is_fixed in insert.partition if not is_fixed]
        if insert.by_name:
            return self._columns(query, (), None)
        if insert.columns:
            return self._columns(query, (*insert.columns, *open_), None)
        known = None
        if isinstance(target, RelationName) and (table := self.catalog.known(target)) is not None:
            known = table.columns
        if known is None:
            return self._columns(query, (), None)
        last = {name.lower() for name in open_}
        names = [n for n in known if n.lower() not in fixed | last]
        return self._columns(query, (), (*names, *open_))

    def _columns(
        self,
        query: rs.Query,
        names: tuple[str, ...],
        known: tuple[str, ...] | None,
    ) -> tuple[rs.WrittenColumn, ...]:
        """The values of the target's columns, by position.

        If the number of the query's columns is unknown or wrong, columns keep the query's names.
        """
        relation = rs.Derived(query)
        shape = self.shapes.of(relation)
        chosen = names or known
        if chosen is not None and not shape.is_open and len(chosen) >= len(shape.names):
            return tuple(
                rs.WrittenColumn(name, self.at(query, position))
                for position, name in enumerate(chosen[: len(shape.names)])
            )
        starred = _starred(query)
        found: list[rs.WrittenColumn] = []
        opened = list(shape.open_at)
        for position, name in enumerate(shape.names):
            while opened and opened[0][0] <= position:
                found.append(rs.WrittenColumn("", rs.OpenStar(opened.pop(0)[1])))
            # Positions are known up to the first star.
            fits = (
                chosen is not None and position < len(chosen) and len(opened) == len(shape.open_at)
            )
            found.append(
                rs.WrittenColumn(
                    chosen[position] if fits and chosen is not None else name,
                    self.at(query, position),
                    starred[position],
                )
            )
        found += [rs.WrittenColumn("", rs.OpenStar(relation)) for _, relation in opened]
        return tuple(found)

    def at(self, query: rs.Query, position: int) -> rs.Expression:
        """The value of the query's column at a position, not counting stars with unknown columns."""
        match query:
            case rs.Select(items=items):
                values = [item.expression for item in items if isinstance(item, rs.Item)]
                return values[position]
            case rs.Rows(columns):
                return rs.Operation("row", columns[position])
            case rs.Combined(branches=branches):
                each = [
                    self.at(branch, position)
                    for branch in branches
                    if position < len(self.shapes.of(branch).names)
                ]
                return rs.Operation("union", tuple(each))
            case rs.Recursive(query=inner):
                return rs.CONSTANT if inner is None else self.at(inner, position)

    # definitions

    def _create(self, create: st.Create) -> rs.Resolved:
        target = self.catalog.named_new(create.name.parts, of_session=create.temporary)
        verb = f"CREATE {create.kind.name}"
        is_view = create.kind is st.Kind.VIEW
        written = Access.WRITE_METADATA if is_view else Access.WRITE_DATA
        if create.query is not None:
            query = self.query(create.query, None)
            columns = self._columns(query, create.columns, None)
            if create.filled is not None:
                return self._filling_view(target, self._name(create.filled), columns, query)
            mode = Mode.REPLACES if create.holds_rows else Mode.DEFINES
            write = rs.Write(target, mode, columns, query)
            return rs.Resolved(verb, (query,), (write,), ((written, target),))
        if create.clone is not None:
            source = self._target(create.clone)
            scan = self.scan(source)
            columns = self._every(scan)
            write = rs.Write(target, Mode.REPLACES, columns, relation=scan)
            touched = ((Access.READ_DATA, source), (written, target))
            return rs.Resolved(f"{verb} CLONE", writes=(write,), touched=touched)
        touched_: list[tuple[Access, Source]] = []
        if create.like is not None:
            touched_.append((Access.READ_METADATA, self._name(create.like)))
        touched_.append((written, target))
        like = verb if create.like is None else f"{verb} LIKE"
        there, read = self._at_location(target, create.location, Mode.REPLACES)
        writes = there or (rs.Write(target, Mode.CLEARS),)
        return rs.Resolved(like, writes=writes, touched=(*read, *touched_))

    def _cache(self, name: st.Named, query: tree.Query | None) -> rs.Resolved:
        """Resolves CACHE TABLE; with a query, it defines a temporary view."""
        if query is None:
            return rs.Resolved("CACHE", touched=((Access.READ_DATA, self._name(name)),))
        found = self.query(query, None)
        target = self.catalog.named_new(name.parts, of_session=True)
        write = rs.Write(target, Mode.DEFINES, self._columns(found, (), None), found)
        return rs.Resolved("CACHE", (found,), (write,), ((Access.WRITE_METADATA, target),))

    def _filling_view(
        self,
        view: RelationName,
        filled: RelationName,
        columns: tuple[rs.WrittenColumn, ...],
        query: rs.Query,
    ) -> rs.Resolved:
        """A ClickHouse view that writes its query's rows to a table."""
        write = rs.Write(filled, Mode.APPENDS, columns, query)
        touched = ((Access.WRITE_METADATA, view), (Access.WRITE_DATA, filled))
        return rs.Resolved("CREATE VIEW", (query,), (write,), touched)

    def _every(self, relation: rs.Relation) -> tuple[rs.WrittenColumn, ...]:
        shape = self.shapes.of(relation)
        if shape.is_open:
            return (rs.WrittenColumn("", rs.OpenStar(relation)),)
        return tuple(
            rs.WrittenColumn(name, rs.ColumnUse(relation, name.lower())) for name in shape.names
        )

    def _drop(self, drop: st.Drop) -> rs.Resolved:
        is_view = drop.kind is st.Kind.VIEW
        written = Access.WRITE_METADATA if is_view else Access.WRITE_DATA
        names = [self._name(name) for name in drop.names]
        return rs.Resolved(
            f"DROP {drop.kind.name}",
            writes=tuple(rs.Write(name, Mode.CLEARS) for name in names),
            touched=tuple((written, name) for name in names),
        )

    def _renames(
        self, pairs: tuple[tuple[RelationName, RelationName], ...], *, is_view: bool
    ) -> rs.Resolved:
        """Resolves RENAME: rows, or a view's definition, move from one name to another."""
        read = Access.READ_METADATA if is_view else Access.READ_DATA
        written = Access.WRITE_METADATA if is_view else Access.WRITE_DATA
        writes: list[rs.Write] = []
        touched: list[tuple[Access, Source]] = []
        for old, new in pairs:
            scan = self.scan(old)
            writes.append(rs.Write(new, Mode.REPLACES, self._every(scan), relation=scan))
            writes.append(rs.Write(old, Mode.CLEARS))
            touched += [(read, old), (written, old), (written, new)]
        return rs.Resolved("RENAME", writes=tuple(writes), touched=tuple(touched))

    def _swap(self, first: RelationName, second: RelationName) -> rs.Resolved:
        scans = (self.scan(second), self.scan(first))
        writes = tuple(
            rs.Write(target, Mode.REPLACES, self._every(scan), relation=scan)
            for target, scan in zip((first, second), scans, strict=True)
        )
        touched = tuple(
            (access, name)
            for name in (first, second)
            for access in (Access.READ_DATA, Access.WRITE_DATA)
        )
        return rs.Resolved("SWAP", writes=writes, touched=touched)

    def _add_partitions(
        self, verb: str, target: RelationName, locations: tuple[str, ...]
    ) -> rs.Resolved:
        found = [self._at_location(target, each, Mode.APPENDS) for each in locations]
        return rs.Resolved(
            verb,
            writes=tuple(write for writes, _ in found for write in writes),
            touched=(
                (Access.WRITE_METADATA, target),
                *(each for _, touched in found for each in touched),
            ),
        )

    def _at_location(
        self, target: RelationName, location: str | None, mode: Mode
    ) -> tuple[tuple[rs.Write, ...], tuple[tuple[Access, Source], ...]]:
        """The writes and accesses of a statement that gives a table the files of another table.

        Empty if no known table has the location.
        """
        owner = None if location is None else self.catalog.at(location)
        if owner is None or owner == target:
            return (), ()
        scan = self.scan(owner)
        write = rs.Write(target, mode, self._every(scan), relation=scan)
        return (write,), ((Access.READ_DATA, owner),)

    def _swap_partitions(self, first: RelationName, second: RelationName) -> rs.Resolved:
        """Resolves a swap of partitions: rows move in both directions."""
        there, back = self._move_partition(first, second), self._move_partition(second, first)
        touched = tuple(dict.fromkeys((*there.touched, *back.touched)))
        return rs.Resolved(there.verb, writes=(*there.writes, *back.writes), touched=touched)

    def _move_partition(self, source: RelationName, target: RelationName) -> rs.Resolved:
        scan = self.scan(source)
        write = rs.Write(target, Mode.APPENDS, self._every(scan), relation=scan)
        touched = (
            (Access.READ_DATA, source),
            (Access.WRITE_DATA, source),
            (Access.WRITE_DATA, target),
        )
        return rs.Resolved("EXCHANGE PARTITION", writes=(write,), touched=touched)

    # MERGE, UPDATE, DELETE

    def _scope_of(self, target: st.Named) -> tuple[Scope, rs.Scan, RelationName]:
        """A scope with the written table, under its alias and its name."""
        name = self._name(target)
        scan = self.scan(name)
        scope = Scope(self.shapes)
        parts = tuple(part.lower() for part in target.parts)
        scope.entries.append(Entry(scan, (target.alias.lower(),) if target.alias else parts, parts))
        return scope, scan, name

    def _merge_statement(self, merge: st.Merge) -> rs.Resolved:
        self.add_common_tables(merge.common.tables, None, recursive=merge.common.recursive)
        scope, scan, target = self._scope_of(merge.target)
        source = self.relation(merge.source, scope)
        reading = Scope(self.shapes, entries=scope.entries[1:], around=scope)
        conditions = [(rs.Clause.JOIN, self.expression(merge.condition, scope))]
        columns: list[rs.WrittenColumn] = []
        for action in merge.actions:
            if action.condition is not None:
                conditions.append((rs.Clause.CONDITION, self.expression(action.condition, scope)))
            columns += self._action(action, merge.target, source, scan, scope, reading)
        read = rs.Select((), source)
        write = rs.Write(target, Mode.CHANGES, tuple(columns), read, None, tuple(conditions))
        touched = ((Access.READ_DATA, target), (Access.WRITE_DATA, target))
        return rs.Resolved("MERGE", (read,), (write,), touched)

    def _action(
        self,
        action: st.MergeAction,
        named: st.Named,
        source: rs.Relation,
        target: rs.Scan,
        scope: Scope,
        reading: Scope,
    ) -> Iterator[rs.WrittenColumn]:
        for assignment in action.assignments:
            yield self._assigned(assignment, named, target, scope, alone=True)
        names = action.columns or target.columns or ()
        for name, value in zip(names, action.values, strict=False):
            yield rs.WrittenColumn(name, self.expression(value, reading))
        if action.every:
            yield from self._every(source)

    def _update(self, update: st.Update) -> rs.Resolved:
        self.add_common_tables(update.common.tables, None, recursive=update.common.recursive)
        scope, read, scan, target = self._changed(update.target, update.source)
        alone = update.source is None
        columns = tuple(
            self._assigned(each, update.target, scan, scope, alone=alone)
            for each in update.assignments
        )
        conditions: list[tuple[rs.Clause, rs.Expression]] = []
        if update.condition is not None:
            conditions.append((rs.Clause.WHERE, self.expression(update.condition, scope)))
        write = rs.Write(target, Mode.CHANGES, columns, read, None, tuple(conditions))
        queries = () if read is None else (read,)
        return rs.Resolved("UPDATE", queries, (write,), ((Access.WRITE_DATA, target),))

    def _assigned(
        self,
        assignment: st.Assignment,
        named: st.Named,
        target: rs.Scan,
        scope: Scope,
        *,
        alone: bool,
    ) -> rs.WrittenColumn:
        relation = self._name(named)
        name, path = assigned_column(assignment.path, named, relation, target.columns, alone=alone)
        value = self.expression(assignment.value, scope)
        if assignment.place is not None and isinstance(value, rs.QueryUse):
            value = self._one_of(value, assignment.place)
        if assignment.operator:
            before = rs.ColumnUse(target, name.lower(), path)
            value = rs.Operation(assignment.operator, (before, value))
        return rs.WrittenColumn(name, value, path=path)

    def _one_of(self, value: rs.QueryUse, place: int) -> rs.Expression:
        """The value of one column, from a query that returns several columns."""
        rows = rs.Derived(value.query)
        shape = self.shapes.of(rows)
        if shape.is_open or place >= len(shape.names):
            return value
        name = shape.names[place]
        item = rs.Item(name, rs.ColumnUse(rows, name.lower()))
        return rs.QueryUse(value.kind, rs.Select((item,), rows))

    def _changed(
        self, named: st.Named, source: tree.FromItem | None
    ) -> tuple[Scope, rs.Select | None, rs.Scan, RelationName]:
        """The scope of UPDATE or DELETE, the relations read besides the table, and the table itself."""
        scope, scan, target = self._scope_of(named)
        if source is None:
            return scope, None, scan, target
        joined = Scope(self.shapes, around=scope)
        relation = self.relation(source, joined)
        itself = _without(relation, target, named.alias)
        read = None if itself is None else rs.Select((), itself)
        return joined, read, scan, target

    def _delete(self, delete: st.Delete) -> rs.Resolved:
        self.add_common_tables(delete.common.tables, None, recursive=delete.common.recursive)
        scope, read, _, target = self._changed(delete.target, delete.source)
        conditions: list[tuple[rs.Clause, rs.Expression]] = []
        if delete.condition is not None:
            conditions.append((rs.Clause.WHERE, self.expression(delete.condition, scope)))
        everything = delete.condition is None and read is None
        mode = Mode.CLEARS if everything else Mode.CHANGES
        targets = (target, *map(self._name, delete.others))
        writes = tuple(rs.Write(t, mode, (), read, None, tuple(conditions)) for t in targets)
        queries = () if read is None else (read,)
        touched = tuple((Access.WRITE_DATA, each) for each in targets)
        return rs.Resolved("DELETE", queries, writes, touched)

    def _load(self, load: st.Load) -> rs.Resolved:
        target = self._target(load.target)
        mode = Mode.REPLACES if load.overwrite or isinstance(target, Files) else Mode.APPENDS
        written = (Access.WRITE_DATA, target)
        if load.query is not None:
            query = self.query(load.query, None)
            write = rs.Write(target, mode, self._columns(query, load.columns, None), query)
            return rs.Resolved("LOAD", (query,), (write,), (written,))
        source = self._target(load.source)
        scan = self.scan(source)
        write = rs.Write(target, mode, self._every(scan), relation=scan)
        return rs.Resolved("LOAD", (), (write,), ((Access.READ_DATA, source), written))


_PARTITION_CALLS = {
    "swap_partitions_between_tables": True,
    "move_partitions_to_table": False,
    "copy_partitions_to_table": False,
}
"""Vertica's functions that move partitions, and whether rows move in both directions."""


def _starred(query: rs.Query) -> list[bool]:
    while isinstance(query, rs.Combined):
        query = query.branches[0]
    if isinstance(query, rs.Select):
        return [item.starred for item in query.items if isinstance(item, rs.Item)]
    width = len(query.columns) if isinstance(query, rs.Rows) else len(query.unread)
    return [False] * width


def _mode(insert: st.Insert) -> Mode:
    if insert.replaces_some or (insert.overwrite and insert.partition):
        return Mode.CHANGES
    return Mode.REPLACES if insert.overwrite else Mode.APPENDS


def _as_metadata(found: rs.Resolved) -> Iterator[tuple[Access, Source]]:
    for access, source in found.touched:
        del access
        yield Access.READ_METADATA, source


def _without(relation: rs.Relation, target: RelationName, alias: str | None) -> rs.Relation | None:
    """The relations joined to the written table, without that table if it comes first."""
    del alias
    if isinstance(relation, rs.Joined):
        left = _without(relation.left, target, None)
        if left is None:
            return rs.Joined(
                rs.Generated(rs.CONSTANT, ()),
                relation.right,
                relation.kind,
                relation.condition,
                relation.equal,
            )
        return rs.Joined(left, relation.right, relation.kind, relation.condition, relation.equal)
    if isinstance(relation, rs.Scan) and relation.source == target:
        return None
    return relation
