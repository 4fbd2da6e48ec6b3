"""Finds columns that affect a query's rows or values without being sources, and their clauses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias, assert_never

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.tracing import BaseColumn, Tracer, deep_queries, parts, selects
from lakeschema.analysis.walking import joins_of, operands, relations_of
from lakeschema.translation.model import lengths
from lakeschema.translation.syntax.tree import SetOperator

Influence: TypeAlias = tuple[rs.Clause, BaseColumn]
Influences: TypeAlias = dict[Influence, None]
"""A set in the order of first insertion."""


class InfluenceTracer:
    """Finds influences on values and rows; caches its results, like the tracer of direct sources."""

    def __init__(self, tracer: Tracer, conventions: Conventions, resolved: rs.Resolved) -> None:
        self._tracer = tracer
        self._conventions = conventions
        self._rows: dict[int, Influences] = {}
        self._values: dict[tuple[int, str], Influences] = {}
        for query in deep_queries(resolved):
            if isinstance(query, rs.Select):
                for value in tracer.values(query):
                    self.of_value(value)
            self.of_rows(query)

    # values

    def of_value(self, expression: rs.Expression) -> Influences:
        """The influences on a value besides its sources: keys of windows, conditions, queries."""
        found: Influences = {}
        pending = [expression]
        while pending:
            at = pending.pop()
            match at:
                case rs.ColumnUse(rs.Derived() as relation, column):
                    found.update(self._of_column(relation, column))
                case rs.ColumnUse(rs.Renamed(inner), column):
                    position = self._tracer.shapes.of(at.relation).positions.get(column)
                    names = self._tracer.shapes.of(inner).names
                    if position is not None and position < len(names):
                        pending.append(rs.ColumnUse(inner, names[position].lower()))
                case rs.ColumnUse(rs.Generated(call)):
                    pending.append(call)
                case rs.Windowed(call, partition_by, order_by):
                    self.add(rs.Clause.PARTITION_BY, partition_by, found)
                    self.add(rs.Clause.ORDER_BY, order_by, found)
                    pending.append(call)
                case rs.Choice(conditions, results):
                    if not self._conventions.conditions_are_direct:
                        self.add(rs.Clause.CONDITION, conditions, found)
                    pending += (*conditions, *results)
                case rs.QueryUse(kind, query):
                    found.update(self.of_rows(query))
                    if kind is not rs.QueryKind.EXISTS:
                        pending += self._shown(query)
                    pending += operands(at)
                case rs.Operation():
                    pending += parts(at)
                case _:
                    pending += operands(at)
        return found

    def _of_column(self, relation: rs.Derived, column: str) -> Influences:
        """The influences on a sub-query's column: those on the expressions that define it."""
        key = (id(relation), column)
        found = self._values.get(key)
        if found is None:
            self._tracer.keep(relation)
            # While a recursive table is traced, its reads of itself add no influence.
            self._values[key] = found = {}
            for expression in self._defined(relation, column):
                found.update(self.of_value(expression))
        return found

    def _defined(self, relation: rs.Derived, column: str) -> Iterator[rs.Expression]:
        """The expressions that define a sub-query's column, one from each branch of the query."""
        position = self._tracer.shapes.of(relation).positions.get(column)
        if position is None:
            return
        for select in selects(relation.query):
            values = self._tracer.values(select)
            if position < len(values):
                yield values[position]

    def add(
        self, clause: rs.Clause, expressions: Iterable[rs.Expression], found: Influences
    ) -> None:
        """Adds the sources of expressions in a clause, and the influences on them, to ``found``."""
        for expression in expressions:
            found.update(((clause, c), None) for c in self._tracer.direct(expression))
            found.update(self.of_value(expression))

    def _shown(self, query: rs.Query) -> list[rs.Expression]:
        """The expressions of a query's columns whose names are known."""
        derived = rs.Derived(query)
        return [rs.ColumnUse(derived, name.lower()) for name in self._tracer.shapes.of(query).names]

    # rows

    def of_rows(self, query: rs.Query, *, outermost: bool = False) -> Influences:
        """The influences on a query's rows and, for the outermost query, on their order."""
        key = id(query)
        found = self._rows.get(key)
        if found is None:
            self._tracer.keep(query)
            self._rows[key] = {}
            found = self._rows[key] = self._of_query(query)
        if outermost and isinstance(query, rs.Select) and not query.limited:
            found = dict(found)
            self.add(rs.Clause.ORDER_BY, query.order_by, found)
        return found

    def _of_query(self, query: rs.Query) -> Influences:
        found: Influences = {}
        match query:
            case rs.Select():
                self._add_select(query, found)
            case rs.Combined(operator, branches, distinct):
                for branch in branches:
                    found.update(self.of_rows(branch))
                if distinct or operator is not SetOperator.UNION:
                    for branch in branches:
                        self._add_compared(rs.Clause.SET_OPERATION, branch, found)
            case rs.Recursive(query=inner):
                if inner is not None:
                    found.update(self.of_rows(inner))
            case rs.Rows():
                pass
            case _:
                assert_never(query)
        return found

    def _add_compared(self, clause: rs.Clause, query: rs.Query, found: Influences) -> None:
        """Adds the sources of all columns of a query, because its rows are compared as a whole."""
        for select in selects(query):
            self.add(clause, self._tracer.values(select), found)
        found.update(((clause, column), None) for column in self._tracer.every(query))

    def _add_select(self, select: rs.Select, found: Influences) -> None:
        self._add_source(select.source, found)
        for clause, expression in (
            (rs.Clause.WHERE, select.where),
            (rs.Clause.HAVING, select.having),
            (rs.Clause.QUALIFY, select.qualify),
        ):
            if expression is not None:
                self.add(clause, (expression,), found)
        self.add(rs.Clause.GROUP_BY, select.group_by, found)
        if select.limited:
            self.add(rs.Clause.ORDER_BY, select.order_by, found)
        if select.distinct:
            self._add_compared(rs.Clause.DISTINCT, select, found)

    def _add_source(self, source: rs.Relation | None, found: Influences) -> None:
        for join in joins_of(source):
            on = () if join.condition is None else (join.condition,)
            equal = (each for pair in join.equal for each in pair)
            self.add(rs.Clause.JOIN, (*on, *equal), found)
        for relation in relations_of(source):
            if isinstance(relation, rs.Derived):
                found.update(self.of_rows(relation.query))
            elif isinstance(relation, rs.Generated):
                clause = relation.clause or rs.Clause.LATERAL_VIEW
                self.add(clause, _making_rows(relation.call), found)


def _making_rows(call: rs.Expression) -> tuple[rs.Expression, ...]:
    """The arguments that affect how many rows a table function makes."""
    match call:
        case rs.Operation(name) if name in lengths.ONE_ROW:
            return ()
        case rs.Operation(name, (first, *_)) if name in lengths.FIRST_ARGUMENT_SAYS:
            return (first,)
        case rs.Operation(name, (array,)) if name in lengths.ROW_FOR_EACH_ELEMENT:
            return _making_elements(array)
        case _:
            return (call,)


def _making_elements(array: rs.Expression) -> tuple[rs.Expression, ...]:
    match array:
        case rs.Operation(name) if name in lengths.ELEMENT_FOR_EACH_ARGUMENT:
            return ()
        case rs.Operation(name, (first, *_)) if name in lengths.AS_LONG_AS_FIRST_ARGUMENT:
            return _making_elements(first)
        case rs.Choice(conditions, results):
            return (*conditions, *(each for r in results for each in _making_elements(r)))
        case _:
            return (array,)
