"""Which columns a statement uses, by the innermost clause that uses them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.tracing import BaseColumn, Tracer
from lakeschema.analysis.walking import expressions_of, operands, queries_of

Access: TypeAlias = tuple[BaseColumn, rs.Clause]


def column_access(
    resolved: rs.Resolved, conventions: Conventions | None = None
) -> tuple[Access, ...]:
    """Each pair once: columns of tables, whatever they are called between there and the clause."""
    found = dict.fromkeys(columns_read(resolved, conventions or Conventions()))
    writing = _WRITING.get(resolved.verb)
    if writing is not None:
        for write in resolved.writes:
            for written in write.columns:
                if written.name:
                    found.setdefault((BaseColumn(write.target, written.name.lower()), writing))
    return tuple(found)


def columns_read(resolved: rs.Resolved, conventions: Conventions) -> tuple[Access, ...]:
    """The same without the columns that are only written."""
    tracer = Tracer(conventions, resolved)
    found: dict[Access, None] = {}
    for clause, expression in _expressions(resolved):
        for inner, part in _parts(clause, expression):
            for column in tracer.direct(part):
                found.setdefault((column, inner))
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


def _parts(
    clause: rs.Clause, expression: rs.Expression
) -> Iterator[tuple[rs.Clause, rs.Expression]]:
    """The columns of an expression; those of its windows' keys have clauses of their own.

    Queries inside have clauses of their own, too, and are met by themselves.
    """
    pending = [(clause, expression)]
    while pending:
        where, at = pending.pop()
        match at:
            case rs.Windowed(call, partition_by, order_by):
                pending.append((where, call))
                pending += ((rs.Clause.PARTITION_BY, key) for key in partition_by)
                pending += ((rs.Clause.ORDER_BY, key) for key in order_by)
            case rs.ColumnUse() | rs.UnknownColumn():
                yield where, at
            case rs.WholeRows():
                pass
            case _:
                pending += ((where, part) for part in operands(at))
