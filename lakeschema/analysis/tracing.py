"""Traces a query's columns back to the table columns that their values come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import Source, as_text
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.resolving.shapes import Shapes
from lakeschema.analysis.walking import inner_first, queries_of, relations_of
from lakeschema.translation.syntax.tree import SetOperator

EVERY_COLUMN: Final = "*"
_MANY_QUERIES: Final = 50
"""The number of queries in a statement above which inner queries are traced first."""

_ELEMENTS: Final = frozenset({"explode", "explode_outer", "unnest"})
"""Functions that make a row for each element: a field of their column is the array's field."""

_NUMBERED_ELEMENTS: Final = frozenset({"posexplode", "posexplode_outer"})
"""Functions like ``_ELEMENTS``, but only their last column has the elements."""

_ONE_OF: Final = frozenset({"coalesce", "nvl", "ifnull", "any_value", "first", "first_value"})
"""Functions whose value is one of their operands."""

_TAKING: Final = frozenset({rs.ELEMENT, rs.ELEMENT_OR_FIELD, "element_at"})


@dataclass(frozen=True, slots=True)
class BaseColumn:
    """A column of a table or of files, in lower case; ``*`` for unknown columns.

    A name without a certain relation has no ``source``, and ``column`` is the name as written.
    """

    source: Source | None
    column: str
    path: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = (self.column, *self.path)
        return ".".join(parts if self.source is None else (as_text(self.source), *parts))


Columns: TypeAlias = dict[BaseColumn, None]
"""A set in the order of first insertion."""


class Tracer:
    """Finds the sources of columns; caches them, since many places may read a table of WITH."""

    def __init__(self, conventions: Conventions, resolved: rs.Resolved) -> None:
        self.shapes = Shapes()
        self._conventions = conventions
        self._columns: dict[tuple[int, str, tuple[str, ...]], Columns] = {}
        self._items: dict[int, list[rs.Expression]] = {}
        # This keeps nodes alive: the caches' keys are ids, which Python reuses after an object's end.
        self._kept: list[object] = []
        self._prepare(resolved)

    def _prepare(self, resolved: rs.Resolved) -> None:
        """Traces inner queries first, if there are many queries, so that recursion stays shallow."""
        for query in deep_queries(resolved):
            if isinstance(query, rs.Select):
                for value in self.values(query):
                    self.direct(value)

    def direct(self, expression: rs.Expression) -> Columns:
        found: Columns = {}
        self._add(expression, found)
        return found

    def _add(self, expression: rs.Expression, found: Columns) -> None:
        pending = [expression]
        while pending:
            at = pending.pop()
            match at:
                case rs.ColumnUse(relation, column, path, beside=beside):
                    found.update(self.column(relation, column, path))
                    if self._conventions.using_reads_both:
                        pending += reversed(beside)
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
                case rs.Operation(".", (base,), labels=labels):
                    found.update(self._inside(base, labels))
                case rs.Operation(operands=values):
                    pending += reversed(values)
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

    def keep(self, node: object) -> None:
        """Keeps a node alive while something is cached under its id."""
        self._kept.append(node)

    def scans(self, relation: rs.Relation) -> Iterator[rs.Scan]:
        """The reads of tables that a relation consists of, through sub-queries."""
        pending: list[rs.Relation] = [relation]
        seen: set[int] = set()
        while pending:
            for each in relations_of(pending.pop()):
                if isinstance(each, rs.Scan):
                    yield each
                elif isinstance(each, rs.Derived):
                    for query in selects(each.query):
                        if id(query) not in seen and query.source is not None:
                            seen.add(id(query))
                            pending.append(query.source)

    def every(self, query: rs.Query) -> Columns:
        """The sources of all columns of a query."""
        derived = rs.Derived(query)
        self.keep(derived)
        return self._whole((derived,))

    def column(self, relation: rs.Relation, name: str, path: tuple[str, ...] = ()) -> Columns:
        """The sources of a column of a relation, or of the column's field; names are in lower case."""
        key = (id(relation), name, path)
        found = self._columns.get(key)
        if found is None:
            self.keep(relation)
            # While a recursive table is traced, its reads of itself add no source.
            self._columns[key] = {}
            found = self._columns[key] = self._column(relation, name, path)
        return found

    def _column(self, relation: rs.Relation, name: str, path: tuple[str, ...]) -> Columns:
        match relation:
            case rs.Scan(source):
                return {BaseColumn(source, name, path): None}
            case rs.Generated(call):
                return self._inside(element(relation, name) or call, path)
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
                return self.at(query, position, path)
            case rs.Joined():
                for each in relations_of(relation):
                    if self.shapes.of(each).has(name):
                        return self.column(each, name, path)
                return self._beyond(relation, name, path)
            case _:
                assert_never(relation)

    def _beyond(self, relation: rs.Relation, name: str, path: tuple[str, ...]) -> Columns:
        """The sources of a column that belongs to one of the relations with unknown columns."""
        opened = self._opened(relation)
        if len(opened) == 1:
            return self.column(opened[0], name, path)
        if self._conventions.names_unknown_columns:
            return {BaseColumn(None, name): None}
        return {}

    def _opened(self, relation: rs.Relation) -> list[rs.Relation]:
        return [inner for _, inner in self.shapes.of(relation).open_at]

    def _inside(self, expression: rs.Expression, path: tuple[str, ...]) -> Columns:
        """The sources of an expression's field; for a computed value, all its sources."""
        at = expression
        while path:
            match at:
                case rs.ColumnUse(relation, column, before):
                    return self.column(relation, column, (*before, *path))
                case rs.Operation(".", (base,), labels=labels):
                    at, path = base, (*labels, *path)
                case rs.Operation(operands=values, labels=labels) if path[0] in labels:
                    at, path = values[labels.index(path[0])], path[1:]
                case rs.Operation(name, (base, index)) if name in _TAKING:
                    return {**self._inside(base, path), **self.direct(index)}
                case rs.Operation(name, (array,)) if name in _ELEMENTS:
                    at = array
                case rs.Operation(name, values) if name in _ONE_OF:
                    each = {id(value): value for value in values}.values()
                    return {c: None for value in each for c in self._inside(value, path)}
                case _:
                    break
        return self.direct(at)

    def values(self, query: rs.Select) -> list[rs.Expression]:
        """The expressions of the columns with known names, in order."""
        found = self._items.get(id(query))
        if found is None:
            self.keep(query)
            found = [item.expression for item in query.items if isinstance(item, rs.Item)]
            self._items[id(query)] = found
        return found

    def at(self, query: rs.Query, position: int, path: tuple[str, ...] = ()) -> Columns:
        match query:
            case rs.Select():
                values = self.values(query)
                if position >= len(values):
                    # A list of names may be longer than the query's known columns.
                    return self.open_star(rs.Derived(query))
                return self._inside(values[position], path)
            case rs.Rows(columns):
                return self.direct(rs.Operation("row", columns[position]))
            case rs.Combined(operator, branches):
                taken = branches if operator is not SetOperator.EXCEPT else branches[:1]
                found: Columns = {}
                for branch in taken:
                    if position < len(self.shapes.of(branch).names):
                        found.update(self.at(branch, position, path))
                    else:
                        found.update(self.open_star(rs.Derived(branch)))
                return found
            case rs.Recursive(query=inner):
                return {} if inner is None else self.at(inner, position, path)
            case _:
                assert_never(query)

    def open_star(self, relation: rs.Relation) -> Columns:
        """The columns ``t.*`` of tables with unknown columns, if there are any."""
        found: Columns = {}
        pending: list[rs.Relation] = [relation]
        seen: set[int] = set()
        while pending:
            at = pending.pop()
            if id(at) in seen:
                continue
            seen.add(id(at))
            self.keep(at)
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


def element(relation: rs.Generated, column: str) -> rs.Expression | None:
    """The array whose elements a column of a table function contains; None for other columns."""
    names = relation.columns
    match relation.call:
        case rs.Operation("unnest", (array,)):
            # If UNNEST has several columns, each is a field of the elements.
            return array if names is not None and len(names) == 1 else None
        case rs.Operation(name, (array,)) if name in _ELEMENTS:
            return array
        case rs.Operation(name, (array,)) if name in _NUMBERED_ELEMENTS:
            return array if names and column == names[-1].lower() else None
        case _:
            return None


def parts(operation: rs.Operation) -> tuple[rs.Expression, ...]:
    """The expressions that the operation's value comes from.

    For a field taken from a struct, only the expression of that field.
    """
    match operation:
        case rs.Operation(
            ".", (rs.Operation(operands=values, labels=labels),), labels=(field,)
        ) if field in labels:
            return (values[labels.index(field)],)
        case _:
            return operation.operands


def deep_queries(resolved: rs.Resolved) -> list[rs.Query]:
    """All queries if there are many, each after those that it reads; empty if there are few."""
    queries = list(queries_of(resolved))
    return [] if len(queries) <= _MANY_QUERIES else inner_first(queries)


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


def selects(query: rs.Query) -> list[rs.Select]:
    return [branch for branch in _branches(query) if isinstance(branch, rs.Select)]
