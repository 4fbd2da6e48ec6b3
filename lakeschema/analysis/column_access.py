"""Finds the columns that a statement uses, with the innermost clause that uses each column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.tracing import BaseColumn, Tracer, element
from lakeschema.analysis.walking import expressions_of, operands, queries_of

Access: TypeAlias = tuple[BaseColumn, rs.Clause]
_Name: TypeAlias = rs.ColumnUse | rs.UnknownColumn | rs.WholeRows
_Use: TypeAlias = tuple[rs.Clause, _Name]


def column_access(
    resolved: rs.Resolved, conventions: Conventions | None = None
) -> tuple[Access, ...]:
    """The columns and their clauses, each pair once.

    Columns have the names that their tables give them.
    """
    found = dict.fromkeys(columns_read(resolved, conventions or Conventions()))
    writing = _WRITING.get(resolved.verb)
    if writing is not None:
        for write in resolved.writes:
            for written in write.columns:
                if written.name:
                    column = BaseColumn(write.target, written.name.lower(), written.path)
                    found.setdefault((column, writing))
    return tuple(found)


def columns_read(resolved: rs.Resolved, conventions: Conventions) -> tuple[Access, ...]:
    """Like ``column_access``, without columns that are only written."""
    return _read(resolved, conventions, tuple(_uses(resolved)))


def columns_needed(resolved: rs.Resolved, conventions: Conventions) -> tuple[Access, ...]:
    """Like ``columns_read``, without an array if the statement reads only fields of its elements."""
    uses = tuple(_uses(resolved))
    by_field = {array for _, use in uses if (array := _by_field(use)) is not None}
    if not by_field:
        return _read(resolved, conventions, uses)
    times = Counter(id(use) for _, use in uses)
    # A column that one node names twice, such as a column of USING, may be read as a whole.
    kept = [each for each in uses if id(each[1]) not in by_field or times[id(each[1])] > 1]
    return _read(resolved, conventions, kept)


def _by_field(use: _Name) -> int | None:
    """The id of the array whose elements have the field ``use``; None for any other use."""
    match use:
        case rs.ColumnUse(rs.Generated(rs.Operation(name)) as elements, column, path) if path:
            # UNNEST makes columns of fields, but some engines do so only for the first fields.
            array = None if name == "unnest" else element(elements, column)
            return None if array is None else id(array)
        case _:
            return None


def _read(
    resolved: rs.Resolved, conventions: Conventions, uses: Iterable[_Use]
) -> tuple[Access, ...]:
    tracer = Tracer(conventions, resolved)
    found: dict[Access, None] = {}
    for clause, use in uses:
        for column in tracer.direct(use):
            found.setdefault((column, clause))
    for query in queries_of(resolved):
        if isinstance(query, rs.Select):
            for item in query.items:
                if isinstance(item, rs.OpenStar):
                    for column in tracer.open_star(item.relation):
                        found.setdefault((column, rs.Clause.SELECT))
    return tuple(found)


_WRITING: Final = {
    "INSERT": rs.Clause.INSERT,
    "UPDATE": rs.Clause.UPDATE,
    "MERGE": rs.Clause.UPDATE,
}


def _expressions(resolved: rs.Resolved) -> Iterator[tuple[rs.Clause, rs.Expression]]:
    for query in queries_of(resolved):
        yield from expressions_of(query)
    for write in resolved.writes:
        yield from write.conditions
        if resolved.verb in {"UPDATE", "MERGE"}:
            for column in write.columns:
                if not isinstance(column.value, rs.OpenStar):
                    yield rs.Clause.UPDATE, column.value


def _uses(resolved: rs.Resolved) -> Iterator[_Use]:
    for clause, expression in _expressions(resolved):
        yield from _parts(clause, expression)


def _parts(clause: rs.Clause, expression: rs.Expression) -> Iterator[_Use]:
    """The columns of an expression, each with its clause.

    A window's key has the window's clause in place of ``clause``. Nested queries are visited
    separately.
    """
    pending: list[tuple[rs.Clause, rs.Expression]] = [(clause, expression)]
    while pending:
        where, at = pending.pop()
        match at:
            case rs.Windowed(call, partition_by, order_by):
                pending.append((where, call))
                pending += ((rs.Clause.PARTITION_BY, key) for key in partition_by)
                pending += ((rs.Clause.ORDER_BY, key) for key in order_by)
            case rs.Operation("count", (rs.WholeRows(),)):
                pass
            case rs.ColumnUse() | rs.UnknownColumn() | rs.WholeRows():
                yield where, at
            case _:
                pending += ((where, part) for part in operands(at))
