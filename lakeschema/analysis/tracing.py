"""From what a query shows back to the columns of tables that it comes from.

Direct: the value is made of theirs. Indirect: they decide which rows there are, or how rows are
grouped, ordered or chosen, with the clause that does it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import Source, as_text
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.resolving.shapes import Shapes
from lakeschema.analysis.walking import (
    expressions_of_source,
    inner_first,
    operands,
    queries_of,
    relations_of,
)
from lakeschema.translation.syntax.tree import SetOperator

EVERY_COLUMN: Final = "*"
_MANY_QUERIES: Final = 50
"""Of one statement; fewer can be traced from the outside in."""


@dataclass(frozen=True, slots=True)
class BaseColumn:
    """A column of a table or of files, in lower case; ``*`` for those that are not known.

    ``source`` is None for a name that no relation surely has; ``column`` is then as written.
    """

    source: Source | None
    column: str
    path: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = (self.column, *self.path)
        return ".".join(parts if self.source is None else (as_text(self.source), *parts))


Columns: TypeAlias = dict[BaseColumn, None]
"""A set that keeps the order of what was met first."""
Influence: TypeAlias = tuple[rs.Clause, BaseColumn]
Influences: TypeAlias = dict[Influence, None]


class Tracer:
    """Remembers what it traced: a table of WITH may be read in many places."""

    def __init__(self, conventions: Conventions, resolved: rs.Resolved) -> None:
        self.shapes = Shapes()
        self._conventions = conventions
        self._columns: dict[tuple[int, str, tuple[str, ...]], Columns] = {}
        self._influences: dict[int, Influences] = {}
        self._items: dict[int, list[rs.Expression]] = {}
        self._own: dict[tuple[int, str], Influences] = {}
        # Ids are only good while the objects live.
        self._kept: list[object] = []
        self._prepare(resolved)

    def _prepare(self, resolved: rs.Resolved) -> None:
        """Traces inner queries first where there are many: each step then is a shallow one."""
        queries = list(queries_of(resolved))
        if len(queries) <= _MANY_QUERIES:
            return
        for query in inner_first(queries):
            if isinstance(query, rs.Select):
                for item in query.items:
                    if isinstance(item, rs.Item):
                        self.direct(item.expression)
                        self.own_influences(item.expression)
            self.influences(query)

    # direct

    def direct(self, expression: rs.Expression) -> Columns:
        found: Columns = {}
        self._add(expression, found)
        return found

    def _add(self, expression: rs.Expression, found: Columns) -> None:
        pending = [expression]
        while pending:
            at = pending.pop()
            match at:
                case rs.ColumnUse(relation, column, path):
                    found.update(self.column(relation, column, path))
                case rs.UnknownColumn(name):
                    if self._conventions.names_unknown_columns:
                        found.setdefault(BaseColumn(None, ".".join(name)))
                case rs.WholeRows(relations):
                    found.update(self._whole(relations))
                case rs.Operation("count", (rs.WholeRows(relations),)):
                    if self._conventions.count_reads_all:
                        found.update(self._whole(relations, alone=True))
                case rs.Windowed(call, partition_by, order_by):
                    keys = (*partition_by, *order_by)
                    pending += reversed(
                        (call, *keys) if self._conventions.window_keys_are_direct else (call,)
                    )
                case rs.Choice(conditions, results):
                    pending += reversed(
                        (*conditions, *results)
                        if self._conventions.conditions_are_direct
                        else results
                    )
                case rs.QueryUse(kind, query, operand):
                    if operand is not None:
                        found.update(self.direct(operand))
                    if kind is not rs.QueryKind.EXISTS:
                        found.update(self.every(query))
                case rs.Operation(operands=inner):
                    pending += reversed(inner)
                case rs.Constant():
                    pass
                case _:
                    assert_never(at)

    def _whole(self, relations: Iterable[rs.Relation], *, alone: bool = False) -> Columns:
        found: Columns = {}
        for relation in relations:
            if alone:
                found.update(
                    (BaseColumn(scan.source, EVERY_COLUMN), None) for scan in self.scans(relation)
                )
                continue
            for name in self.shapes.of(relation).names:
                found.update(self.column(relation, name.lower()))
            found.update(self.open_star(relation))
        return found

    def scans(self, relation: rs.Relation) -> Iterator[rs.Scan]:
        """The tables that a relation reads, through sub-queries."""
        pending: list[rs.Relation] = [relation]
        seen: set[int] = set()
        while pending:
            for each in relations_of(pending.pop()):
                if isinstance(each, rs.Scan):
                    yield each
                elif isinstance(each, rs.Derived):
                    for query in _selects(each.query):
                        if id(query) not in seen and query.source is not None:
                            seen.add(id(query))
                            pending.append(query.source)

    def every(self, query: rs.Query) -> Columns:
        """What all columns of a query are made of."""
        derived = rs.Derived(query)
        self._kept.append(derived)
        return self._whole((derived,))

    def column(self, relation: rs.Relation, name: str, path: tuple[str, ...] = ()) -> Columns:
        """What one column of a relation, or a field of it, is made of; names in lower case."""
        key = (id(relation), name, path)
        found = self._columns.get(key)
        if found is None:
            self._kept.append(relation)
            # A recursive table reads itself: what it reads of itself adds nothing.
            self._columns[key] = {}
            found = self._columns[key] = self._column(relation, name, path)
        return found

    def _column(self, relation: rs.Relation, name: str, path: tuple[str, ...]) -> Columns:
        match relation:
            case rs.Scan(source):
                return {BaseColumn(source, name, path): None}
            case rs.Generated(call):
                return self._inside(_element(call), path)
            case rs.Renamed(inner, names):
                position = self.shapes.of(relation).positions.get(name)
                if position is None or position >= len(names):
                    return self.column(inner, name, path)
                inner_names = self.shapes.of(inner).names
                if position < len(inner_names):
                    return self.column(inner, inner_names[position].lower(), path)
                return self.open_star(inner)
            case rs.Derived(query):
                position = self.shapes.of(relation).positions.get(name)
                if position is None:
                    return self._beyond(relation, name, path)
                return self._at(query, position, path)
            case rs.Joined():
                for each in relations_of(relation):
                    if self.shapes.of(each).has(name):
                        return self.column(each, name, path)
                return self._beyond(relation, name, path)
            case _:
                assert_never(relation)

    def _beyond(self, relation: rs.Relation, name: str, path: tuple[str, ...]) -> Columns:
        """A column of one of the relations whose columns are not all known."""
        opened = self._opened(relation)
        if len(opened) == 1:
            return self.column(opened[0], name, path)
        if self._conventions.names_unknown_columns:
            return {BaseColumn(None, name): None}
        return {}

    def _opened(self, relation: rs.Relation) -> list[rs.Relation]:
        return [inner for _, inner in self.shapes.of(relation).open_at]

    def _inside(self, expression: rs.Expression, path: tuple[str, ...]) -> Columns:
        """A field of what an expression is; of a computed value, all that it is made of."""
        match expression:
            case rs.ColumnUse(relation, column, before) if path:
                return self.column(relation, column, (*before, *path))
            case rs.Operation("[]", (base, index)) if path:
                return {**self._inside(base, path), **self.direct(index)}
            case _:
                return self.direct(expression)

    def _values(self, query: rs.Select) -> list[rs.Expression]:
        """Of the columns whose names are known, in order."""
        found = self._items.get(id(query))
        if found is None:
            self._kept.append(query)
            found = [item.expression for item in query.items if isinstance(item, rs.Item)]
            self._items[id(query)] = found
        return found

    def _at(self, query: rs.Query, position: int, path: tuple[str, ...] = ()) -> Columns:
        match query:
            case rs.Select():
                values = self._values(query)
                if position >= len(values):
                    # A list of names goes on where the query's own columns are not known.
                    return self.open_star(rs.Derived(query))
                return self._inside(values[position], path)
            case rs.Rows(columns):
                return self.direct(rs.Operation("row", columns[position]))
            case rs.Combined(operator, branches):
                taken = branches if operator is not SetOperator.EXCEPT else branches[:1]
                found: Columns = {}
                for branch in taken:
                    if position < len(self.shapes.of(branch).names):
                        found.update(self._at(branch, position, path))
                    else:
                        found.update(self.open_star(rs.Derived(branch)))
                return found
            case rs.Recursive(query=inner):
                return {} if inner is None else self._at(inner, position, path)
            case _:
                assert_never(query)

    def open_star(self, relation: rs.Relation) -> Columns:
        """``t.*`` of the tables whose columns are not known, if there are any."""
        found: Columns = {}
        pending: list[rs.Relation] = [relation]
        seen: set[int] = set()
        while pending:
            at = pending.pop()
            if id(at) in seen:
                continue
            seen.add(id(at))
            self._kept.append(at)
            if isinstance(at, rs.Scan):
                if at.columns is None:
                    found[BaseColumn(at.source, EVERY_COLUMN)] = None
            elif isinstance(at, rs.Generated):
                if at.columns is None:
                    found.update(self.direct(at.call))
            elif isinstance(at, rs.Derived):
                pending += reversed(
                    [inner for branch in _branches(at.query) for inner in self._stars(branch)]
                )
            else:
                pending += reversed(self._opened(at))
        return found

    def _stars(self, query: rs.Query) -> list[rs.Relation]:
        return [relation for _, relation in self.shapes.of(query).open_at]

    # indirect

    def own_influences(self, expression: rs.Expression) -> Influences:
        """What decides a value besides what it is made of: keys of windows, conditions, queries."""
        found: Influences = {}
        pending = [expression]
        while pending:
            at = pending.pop()
            match at:
                case rs.ColumnUse(rs.Derived() as relation, column):
                    found.update(self._own_of(relation, column))
                case rs.ColumnUse(rs.Renamed(inner), column):
                    position = self.shapes.of(at.relation).positions.get(column)
                    names = self.shapes.of(inner).names
                    if position is not None and position < len(names):
                        pending.append(rs.ColumnUse(inner, names[position].lower()))
                case rs.Windowed(call, partition_by, order_by):
                    self.add_influence(rs.Clause.PARTITION_BY, partition_by, found)
                    self.add_influence(rs.Clause.ORDER_BY, order_by, found)
                    pending.append(call)
                case rs.Choice(conditions, results):
                    if not self._conventions.conditions_are_direct:
                        self.add_influence(rs.Clause.CONDITION, conditions, found)
                    pending += (*conditions, *results)
                case rs.QueryUse(kind, query):
                    found.update(self.influences(query))
                    if kind is not rs.QueryKind.EXISTS:
                        pending += self._shown(query)
                    pending += operands(at)
                case _:
                    pending += operands(at)
        return found

    def _own_of(self, relation: rs.Derived, column: str) -> Influences:
        """Of a column of a sub-query: what decides the expression that it is there."""
        key = (id(relation), column)
        found = self._own.get(key)
        if found is None:
            self._kept.append(relation)
            self._own[key] = {}
            inner = [*self._defined(relation, column)]
            found = self.own_influences(rs.Operation("union", tuple(inner))) if inner else {}
            self._own[key] = found
        return found

    def _defined(self, relation: rs.Derived, column: str) -> Iterator[rs.Expression]:
        """The expressions that a column of a sub-query is, one for each branch."""
        position = self.shapes.of(relation).positions.get(column)
        if position is None:
            return
        for select in _selects(relation.query):
            values = self._values(select)
            if position < len(values):
                yield values[position]

    def add_influence(
        self, clause: rs.Clause, expressions: Iterable[rs.Expression], found: Influences
    ) -> None:
        """What the expressions are made of decides, and so does what decides them."""
        for expression in expressions:
            found.update(((clause, column), None) for column in self.direct(expression))
            found.update(self.own_influences(expression))

    def _shown(self, query: rs.Query) -> list[rs.Expression]:
        """The columns of a query whose names are known."""
        derived = rs.Derived(query)
        return [rs.ColumnUse(derived, name.lower()) for name in self.shapes.of(derived).names]

    def influences(self, query: rs.Query, *, outermost: bool = False) -> Influences:
        """What decides which rows a query has."""
        key = id(query)
        found = self._influences.get(key)
        if found is None:
            self._kept.append(query)
            self._influences[key] = {}
            found = self._influences[key] = self._of_query(query)
        if outermost and isinstance(query, rs.Select) and not query.limited:
            found = dict(found)
            self.add_influence(rs.Clause.ORDER_BY, query.order_by, found)
        return found

    def _of_query(self, query: rs.Query) -> Influences:
        found: Influences = {}
        match query:
            case rs.Select():
                self._of_select(query, found)
            case rs.Combined(operator, branches, distinct):
                for branch in branches:
                    found.update(self.influences(branch))
                if distinct or operator is not SetOperator.UNION:
                    for branch in branches:
                        self.add_influence(rs.Clause.SET_OPERATION, self._shown(branch), found)
                        stars = self.open_star(rs.Derived(branch))
                        found.update(((rs.Clause.SET_OPERATION, star), None) for star in stars)
            case rs.Recursive(query=inner):
                if inner is not None:
                    found.update(self.influences(inner))
            case rs.Rows():
                pass
            case _:
                assert_never(query)
        return found

    def _of_select(self, select: rs.Select, found: Influences) -> None:
        self.add_source(select.source, found)
        for clause, expression in (
            (rs.Clause.WHERE, select.where),
            (rs.Clause.HAVING, select.having),
            (rs.Clause.QUALIFY, select.qualify),
        ):
            if expression is not None:
                self.add_influence(clause, (expression,), found)
        self.add_influence(rs.Clause.GROUP_BY, select.group_by, found)
        if select.limited:
            self.add_influence(rs.Clause.ORDER_BY, select.order_by, found)
        if select.distinct:
            values = [item.expression for item in select.items if isinstance(item, rs.Item)]
            self.add_influence(rs.Clause.DISTINCT, values, found)

    def add_source(self, source: rs.Relation | None, found: Influences) -> None:
        """What decides the rows of a FROM."""
        for clause, expression in expressions_of_source(source):
            self.add_influence(clause, (expression,), found)
        for relation in relations_of(source):
            if isinstance(relation, rs.Derived):
                found.update(self.influences(relation.query))


_ELEMENTS: Final = frozenset({"explode", "explode_outer", "inline", "inline_outer", "unnest"})


def _element(call: rs.Expression) -> rs.Expression:
    """The array whose elements a table function yields: a field of one is a field of the other."""
    match call:
        case rs.Operation(name, (array,)) if name in _ELEMENTS:
            return array
        case _:
            return call


def _branches(query: rs.Query) -> list[rs.Query]:
    pending: list[rs.Query] = [query]
    found: list[rs.Query] = []
    while pending:
        at = pending.pop()
        if isinstance(at, rs.Combined):
            pending += reversed(at.branches)
        elif isinstance(at, rs.Recursive):
            if at.query is not None:
                pending.append(at.query)
        else:
            found.append(at)
    return found


def _selects(query: rs.Query) -> list[rs.Select]:
    return [branch for branch in _branches(query) if isinstance(branch, rs.Select)]
