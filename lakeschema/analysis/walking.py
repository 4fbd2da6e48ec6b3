"""Visits all queries of a statement, and all expressions of a query with their clauses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from lakeschema.analysis import resolved as rs


def queries_of(resolved: rs.Resolved, *, with_unused: bool = False) -> Iterator[rs.Query]:
    """Every query once, nested ones included, in the order of first occurrence."""
    pending: list[rs.Query] = [*resolved.queries]
    for write in resolved.writes:
        for _, condition in write.conditions:
            pending += queries_inside(condition)
        for column in write.columns:
            if not isinstance(column.value, rs.OpenStar):
                pending += queries_inside(column.value)
    if with_unused:
        pending += resolved.unused
    seen: set[int] = set()
    pending.reverse()
    while pending:
        query = pending.pop()
        if id(query) in seen:
            continue
        seen.add(id(query))
        yield query
        pending.extend(reversed(list(_below(query))))


def inner_first(queries: Iterable[rs.Query]) -> list[rs.Query]:
    """The queries and all queries that they read, each once.

    A query comes after the queries that it reads.
    """
    found: list[rs.Query] = []
    seen: set[int] = set()
    pending = [(query, False) for query in queries]
    while pending:
        query, is_done = pending.pop()
        if is_done:
            found.append(query)
        elif id(query) not in seen:
            seen.add(id(query))
            pending.append((query, True))
            pending.extend((inner, False) for inner in _below(query))
    return found


def _below(query: rs.Query) -> Iterator[rs.Query]:
    match query:
        case rs.Combined(branches=branches):
            yield from branches
        case rs.Recursive(query=inner):
            if inner is not None:
                yield inner
        case rs.Select() | rs.Rows():
            if isinstance(query, rs.Select):
                for relation in relations_of(query.source):
                    if isinstance(relation, rs.Derived):
                        yield relation.query
            for _, expression in expressions_of(query):
                yield from queries_inside(expression)
        case _:
            assert_never(query)


def relations_of(source: rs.Relation | None) -> Iterator[rs.Relation]:
    """The relations of a FROM that are not joins, from left to right."""
    pending = [] if source is None else [source]
    while pending:
        relation = pending.pop()
        if isinstance(relation, rs.Joined):
            pending += (relation.right, relation.left)
        elif isinstance(relation, rs.Renamed):
            pending.append(relation.relation)
        else:
            yield relation


def joins_of(source: rs.Relation | None) -> Iterator[rs.Joined]:
    pending = [] if source is None else [source]
    while pending:
        relation = pending.pop()
        if isinstance(relation, rs.Joined):
            yield relation
            pending += (relation.right, relation.left)
        elif isinstance(relation, rs.Renamed):
            pending.append(relation.relation)


def expressions_of(query: rs.Query) -> Iterator[tuple[rs.Clause, rs.Expression]]:
    """The expressions of one query, without nested queries."""
    match query:
        case rs.Select():
            yield from _of_select(query)
        case rs.Combined(order_by=order_by):
            yield from ((rs.Clause.ORDER_BY, key) for key in order_by)
        case rs.Rows(columns):
            yield from ((rs.Clause.SELECT, value) for column in columns for value in column)
        case rs.Recursive():
            pass
        case _:
            assert_never(query)


def _of_select(select: rs.Select) -> Iterator[tuple[rs.Clause, rs.Expression]]:
    for item in select.items:
        if isinstance(item, rs.Item):
            yield rs.Clause.SELECT, item.expression
    yield from expressions_of_source(select.source)
    for clause, expression in (
        (rs.Clause.WHERE, select.where),
        (rs.Clause.HAVING, select.having),
        (rs.Clause.QUALIFY, select.qualify),
    ):
        if expression is not None:
            yield clause, expression
    yield from ((rs.Clause.GROUP_BY, key) for key in select.group_by)
    yield from ((rs.Clause.ORDER_BY, key) for key in select.order_by)


def expressions_of_source(
    source: rs.Relation | None,
) -> Iterator[tuple[rs.Clause, rs.Expression]]:
    """The expressions in FROM: conditions of joins, arguments of table functions."""
    for join in joins_of(source):
        if join.condition is not None:
            yield rs.Clause.JOIN, join.condition
        for left, right in join.equal:
            yield rs.Clause.JOIN, left
            yield rs.Clause.JOIN, right
    for relation in relations_of(source):
        if isinstance(relation, rs.Generated):
            yield relation.clause or rs.Clause.LATERAL_VIEW, relation.call


def operands(expression: rs.Expression) -> tuple[rs.Expression, ...]:
    """The parts of an expression, without nested queries."""
    match expression:
        case rs.Operation(operands=inner):
            return inner
        case rs.Choice(conditions, results):
            return (*conditions, *results)
        case rs.Windowed(call, partition_by, order_by):
            return (call, *partition_by, *order_by)
        case rs.QueryUse(operand=operand):
            return () if operand is None else (operand,)
        case rs.ColumnUse() | rs.UnknownColumn() | rs.WholeRows() | rs.Constant():
            return ()
        case _:
            assert_never(expression)


def queries_inside(expression: rs.Expression) -> Iterator[rs.Query]:
    pending = [expression]
    while pending:
        at = pending.pop()
        if isinstance(at, rs.QueryUse):
            yield at.query
        pending += operands(at)
