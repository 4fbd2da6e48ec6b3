"""Finds columns of different tables that a statement compares: candidates for foreign keys.

Uber's Queryparser does the same. It finds too many rather than too few: people review its output.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import TypeAlias

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.tracing import BaseColumn, Columns, Tracer
from lakeschema.analysis.walking import (
    expressions_of,
    joins_of,
    operands,
    queries_of,
)

Pair: TypeAlias = tuple[BaseColumn, BaseColumn]

_COMPARISONS = frozenset(
    {
        *("=", "<=>", "<>", "<", "<=", ">", ">=", "like", "ilike", "rlike", "in", "between"),
        *("is distinct from",),
    }
)


def joins(resolved: rs.Resolved, conventions: Conventions | None = None) -> tuple[Pair, ...]:
    """Pairs of columns of different tables.

    The pairs, and the columns of each pair, are in alphabetical order.
    """
    # The columns in a CASE's condition select the compared value, but are not compared themselves.
    chosen = replace(conventions or Conventions(), conditions_are_direct=False)
    tracer = Tracer(chosen, resolved)
    found: set[Pair] = set()
    for compared in _comparisons(resolved, tracer, chosen):
        ordered = sorted((column for column in compared if column.source is not None), key=str)
        found.update(
            (first, second)
            for first, second in combinations(ordered, 2)
            if first.source != second.source
        )
    return tuple(sorted(found, key=lambda pair: (str(pair[0]), str(pair[1]))))


def _comparisons(
    resolved: rs.Resolved, tracer: Tracer, conventions: Conventions
) -> Iterator[Columns]:
    for query in queries_of(resolved):
        for _, expression in expressions_of(query):
            yield from _in_expression(expression, tracer)
        if isinstance(query, rs.Select):
            for join in joins_of(query.source):
                for left, right in join.equal:
                    yield _values((left, right), tracer)
        elif isinstance(query, rs.Combined) and conventions.set_operations_compare:
            yield from _by_position(query, tracer)
    for write in resolved.writes:
        for _, condition in write.conditions:
            yield from _in_expression(condition, tracer)


def _by_position(query: rs.Combined, tracer: Tracer) -> Iterator[Columns]:
    relations = [rs.Derived(branch) for branch in query.branches]
    shapes = [tracer.shapes.of(relation) for relation in relations]
    for position in range(min(len(shape.names) for shape in shapes)):
        found: Columns = {}
        for relation, shape in zip(relations, shapes, strict=True):
            found.update(tracer.column(relation, shape.names[position].lower()))
        yield found


def _in_expression(expression: rs.Expression, tracer: Tracer) -> Iterator[Columns]:
    pending = [expression]
    while pending:
        at = pending.pop()
        match at:
            case rs.Operation(name, inner) if name in _COMPARISONS or name.endswith(
                (" any", " all")
            ):
                yield _values(inner, tracer)
            case rs.QueryUse(rs.QueryKind.IN, query, operand) if operand is not None:
                yield {**_values((operand,), tracer), **tracer.every(query)}
            case _:
                pass
        pending += operands(at)


def _values(expressions: Iterable[rs.Expression], tracer: Tracer) -> Columns:
    """The sources of the compared values, without columns that only conditions inside the values read."""
    found: Columns = {}
    pending = list(expressions)
    while pending:
        at = pending.pop()
        match at:
            case rs.Choice(results=results):
                pending += results
            case rs.Operation(name, inner) if name not in _COMPARISONS:
                pending += inner
            case rs.ColumnUse():
                found.update(tracer.direct(at))
            case rs.QueryUse(rs.QueryKind.SCALAR, query):
                found.update(tracer.every(query))
            case _:
                pass
    return found
