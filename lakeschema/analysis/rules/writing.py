"""Rules for statements that probably write something unintended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import KnownTable
from lakeschema.analysis.rules.subject import Finding, Subject, position_of
from lakeschema.analysis.syntax import statements as st
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.errors import Position
from lakeschema.translation.syntax import tree


def star_written(subject: Subject) -> Iterator[Finding]:
    """Finds a written ``SELECT *`` from a table: a new column of that table changes the target."""
    for write in subject.resolved.writes:
        if write.source is not None and subject.resolved.verb != "MERGE":
            table = _starred(write.source)
            if table is not None:
                yield Finding(f"{write.target} gets * of {table.source}", table.position)


def _starred(query: rs.Query) -> rs.Scan | None:
    """A table whose columns the query, or a sub-query, shows only through stars."""
    pending: list[rs.Query | rs.Relation | None] = [query]
    seen: set[int] = set()
    while pending:
        at = pending.pop()
        if at is None or id(at) in seen:
            continue
        seen.add(id(at))
        match at:
            case rs.Scan():
                return at
            case rs.Derived(query=inner) | rs.Recursive(query=inner):
                pending.append(inner)
            case rs.Renamed():
                pass
            case rs.Joined(left, right):
                pending += (left, right)
            case rs.Combined(branches=branches):
                pending += branches
            case rs.Select(items=items):
                pending += _starring(items)
            case _:
                pass
    return None


def _starring(items: tuple[rs.Item | rs.OpenStar, ...]) -> Iterator[rs.Relation]:
    for item in items:
        if isinstance(item, rs.OpenStar):
            yield item.relation
        elif item.starred and isinstance(item.expression, rs.ColumnUse):
            yield item.expression.relation


def column_count(subject: Subject) -> Iterator[Finding]:
    """Finds INSERT with more or fewer columns than it names, or than the table has."""
    for insert, write in _inserts(subject):
        if write.source is None or insert.by_name:
            continue
        shape = subject.shapes.of(write.source)
        given = len(shape.names)
        expected = _expected(insert, _known(subject, write))
        if expected is None or shape.is_open or given in {0, expected}:
            continue
        yield Finding(
            f"{write.target} takes {expected} columns here, and gets {given}",
            _target_position(insert),
        )


def _known(subject: Subject, write: rs.Write) -> KnownTable | None:
    target = write.target
    return subject.catalog.known(target) if isinstance(target, RelationName) else None


def _expected(insert: st.Insert, known: KnownTable | None) -> int | None:
    open_ = sum(not is_fixed for _, is_fixed in insert.partition)
    if insert.columns:
        listed = {name.lower() for name in insert.columns}
        return len(insert.columns) + sum(
            not is_fixed and name.lower() not in listed for name, is_fixed in insert.partition
        )
    if known is None or known.columns is None:
        return None
    own = {name.lower() for name in known.columns} - {n.lower() for n, _ in insert.partition}
    return len(own) + open_


def _inserts(subject: Subject) -> Iterator[tuple[st.Insert, rs.Write]]:
    match subject.statement:
        case st.Insert():
            yield from zip((subject.statement,), subject.resolved.writes, strict=True)
        case st.MultiInsert(inserts):
            yield from zip(inserts, subject.resolved.writes, strict=True)
        case _:
            pass


def _target_position(insert: st.Insert) -> Position | None:
    return insert.target.position if isinstance(insert.target, st.Named) else None


def duplicate_column(subject: Subject) -> Iterator[Finding]:
    """Finds tables and views whose query yields two columns with the same name."""
    statement = subject.statement
    if not isinstance(statement, st.Create) or statement.columns:
        return
    for write in subject.resolved.writes:
        if write.source is not None:
            names = Counter(name.lower() for name in subject.shapes.of(write.source).names)
            for name, count in names.items():
                if count > 1:
                    yield Finding(
                        f"{write.target} gets {count} columns called {name}",
                        statement.name.position,
                    )


def change_without_filter(subject: Subject) -> Iterator[Finding]:
    """Finds UPDATE and DELETE of every row."""
    statement = subject.statement
    if isinstance(statement, st.Update | st.Delete) and (
        statement.condition is None and statement.source is None
    ):
        yield Finding(
            f"{subject.resolved.verb} changes every row of {_first(subject)}",
            statement.target.position,
        )


def _first(subject: Subject) -> str:
    return str(subject.resolved.writes[0].target)


def limit_without_order(subject: Subject) -> Iterator[Finding]:
    """Finds writes of arbitrary rows: their query has LIMIT without ORDER BY."""
    match subject.statement:
        case st.Insert(query=query) | st.Create(query=query) if query is not None:
            while isinstance(query, tree.With):
                query = query.body
            if isinstance(query, tree.Ordered) and query.limit is not None and not query.order_by:
                yield Finding(
                    f"which rows of the query {_first(subject)} gets is left to chance",
                    position_of(query),
                )
        case _:
            pass
