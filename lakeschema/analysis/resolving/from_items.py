"""Resolves FROM: its relations, and the scope that they form."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import Files, KnownCatalog, Source
from lakeschema.analysis.resolving.expressions import ExpressionResolver
from lakeschema.analysis.resolving.scopes import Entry, Scope
from lakeschema.analysis.resolving.shapes import Shapes
from lakeschema.analysis.syntax.dialects import Scoping
from lakeschema.analysis.syntax.from_items import FILES
from lakeschema.analysis.syntax.queries import TIMESERIES
from lakeschema.translation.model.errors import Position
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.syntax import tree

_PAIRED = frozenset({JoinKind.SEMI, JoinKind.ANTI})


@dataclass(slots=True, eq=False)
class Common:
    """A table of WITH, and whether it was read."""

    query: rs.Query
    names: tuple[str, ...] = ()
    is_read: bool = False


@dataclass(slots=True, eq=False)
class FromResolver(ExpressionResolver):
    """Resolves FROM. ``common`` are the visible tables of WITH, by name in lower case."""

    catalog: KnownCatalog
    scoping: Scoping
    shapes: Shapes = field(default_factory=Shapes)
    common: dict[str, Common] = field(default_factory=dict)
    unused: list[Common] = field(default_factory=list)

    def relation(self, item: tree.FromItem, scope: Scope) -> rs.Relation:
        """Resolves a relation, and adds its entries to the scope."""
        match item:
            case tree.TableName():
                return self._table(item, scope)
            case tree.FromQuery(query, alias, columns):
                return self._query_in_from(query, alias, columns, scope, lateral=False)
            case tree.FromFunction(call, alias, columns):
                return self._generated(call, alias, columns, scope)
            case tree.LateralView(below, call, _, alias, columns):
                left = self.relation(below, scope)
                right = self._generated(call, alias, columns, scope)
                return rs.Joined(left, right, JoinKind.CROSS)
            case tree.Join():
                return self._join(item, scope)
            case tree.Pivot():
                return self._pivot(item, scope)
            case tree.Unpivot():
                return self._unpivot(item, scope)

    # tables and queries

    def scan(self, source: Source, position: Position | None = None) -> rs.Scan:
        if isinstance(source, Files):
            return rs.Scan(source, None, position)
        known = self.catalog.known(source)
        return rs.Scan(source, None if known is None else known.columns, position)

    def source(self, parts: tuple[str, ...]) -> Source:
        if len(parts) == 2 and parts[0] == FILES:
            return Files(parts[1])
        return self.catalog.named(parts)

    def _table(self, item: tree.TableName, scope: Scope) -> rs.Relation:
        parts = item.parts
        lowered = tuple(part.lower() for part in parts)
        found: rs.Relation | None = None
        if self._is_array(lowered, scope):
            return self._items_of(item, scope)
        if len(parts) == 1:
            common = self.common.get(lowered[0])
            if common is not None and not self._is_hidden(parts):
                common.is_read = True
                found = rs.Derived(common.query, common.names, common=True)
        if found is None:
            found = self.scan(self.source(parts), item.position)
        if item.columns:
            found = rs.Renamed(found, item.columns)
        if isinstance(found, rs.Scan) and isinstance(found.source, Files):
            lowered = ()
        names = (item.alias.lower(),) if item.alias else lowered
        scope.entries.append(Entry(found, names, lowered))
        return found

    def _is_array(self, parts: tuple[str, ...], scope: Scope) -> bool:
        """Whether a name in FROM begins with an earlier relation.

        Such a name means a column of that relation.
        """
        return (
            self.scoping.arrays_in_from
            and len(parts) > 1
            and any(entry.is_called(parts[:1]) and len(entry.names) == 1 for entry in scope.entries)
        )

    def _items_of(self, item: tree.TableName, scope: Scope) -> rs.Relation:
        array = rs.Operation("explode", (scope.find(item.parts, item.position),), item.position)
        name = (item.alias or item.parts[-1]).lower()
        found = rs.Generated(array, item.columns or (name,))
        scope.entries.append(Entry(found, (name,)))
        return found

    def _is_hidden(self, parts: tuple[str, ...]) -> bool:
        if not self.scoping.tables_hide_common_tables:
            return False
        return self.catalog.known(self.catalog.named(parts)) is not None

    def _query_in_from(
        self,
        query: tree.Query,
        alias: str | None,
        columns: tuple[str, ...],
        scope: Scope,
        *,
        lateral: bool,
    ) -> rs.Relation:
        found = rs.Derived(self.query(query, scope if lateral else scope.around), columns)
        scope.entries.append(Entry(found, (alias.lower(),) if alias else ()))
        return found

    def _generated(
        self, call: tree.Call, alias: str | None, columns: tuple[str, ...], scope: Scope
    ) -> rs.Relation:
        if call.name == TIMESERIES:
            moments = self.all(call.arguments, scope)
            keys = self.all((key for _, key in call.named), scope)
            value: rs.Expression = rs.Windowed(rs.Operation(TIMESERIES, moments), keys, moments)
            found = rs.Generated(value, columns, rs.Clause.SELECT)
        else:
            made = self.expression(call, scope)
            if call.name.lower() == "unnest" and not self.scoping.fields_have_positions:
                made = rs.Operation("explode", self.all(call.arguments, scope), call.position)
            found = rs.Generated(made, columns or None)
        scope.entries.append(Entry(found, (alias.lower(),) if alias else (call.name.lower(),)))
        return found

    # joins

    def _join(self, item: tree.Join, scope: Scope) -> rs.Relation:
        """Resolves a join in a loop, because long chains of joins nest too deeply for recursion."""
        chain = [item]
        while isinstance(chain[-1].left, tree.Join):
            chain.append(chain[-1].left)
        left = self.relation(chain[-1].left, scope)
        before = len(scope.paired)
        for join in reversed(chain):
            left = self._joined(left, join, scope)
        del scope.paired[before:]
        return left

    def _joined(self, left: rs.Relation, join: tree.Join, scope: Scope) -> rs.Relation:
        before = len(scope.entries)
        if join.lateral and isinstance(join.right, tree.FromQuery):
            inner = join.right
            right = self._query_in_from(
                inner.query, inner.alias, inner.columns, scope, lateral=True
            )
        else:
            right = self.relation(join.right, scope)
        names = self._natural(scope, before) if join.natural else join.using
        equal = self._merge(names, join.kind, scope, before)
        condition = None if join.condition is None else self.expression(join.condition, scope)
        if join.kind in _PAIRED:
            scope.paired += scope.entries[before:]
            del scope.entries[before:]
        return rs.Joined(left, right, join.kind, condition, equal)

    def _natural(self, scope: Scope, before: int) -> tuple[str, ...]:
        left = [self.shapes.of(entry.relation) for entry in scope.entries[:before]]
        right = [self.shapes.of(entry.relation) for entry in scope.entries[before:]]
        return tuple(
            name
            for shape in left
            for name in shape.names
            if any(r.has(name.lower()) for r in right)
        )

    def _merge(
        self, names: tuple[str, ...], kind: JoinKind, scope: Scope, before: int
    ) -> tuple[tuple[rs.ColumnUse, rs.ColumnUse], ...]:
        pairs: list[tuple[rs.ColumnUse, rs.ColumnUse]] = []
        for name in names:
            lowered = name.lower()
            first = scope.merged.get(lowered) or self._side(scope.entries[:before], lowered)
            second = self._side(scope.entries[before:], lowered)
            if isinstance(second, rs.ColumnUse):
                pairs.extend((left, second) for left in _uses(first))
            scope.merged[lowered] = _merged(kind, first, second)
        return tuple(pairs)

    def _side(self, entries: list[Entry], name: str) -> rs.Expression:
        having = [e for e in entries if self.shapes.of(e.relation).has(name)]
        having = having or [e for e in entries if self.shapes.of(e.relation).is_open]
        readings = tuple(rs.ColumnUse(entry.relation, name) for entry in having)
        return readings[0] if len(readings) == 1 else rs.UnknownColumn((name,), readings)

    # pivots

    def _pivot(self, item: tree.Pivot, scope: Scope) -> rs.Relation:
        inner = Scope(self.shapes, scope.around)
        below = self.relation(item.input, inner)
        keys = tuple(inner.find(path) for path in item.keys)
        values: list[rs.Item] = []
        used: set[str] = {use.column for key in keys for use in _uses(key)}
        for value in item.values:
            for aggregate in item.aggregates:
                made = self.expression(aggregate.expression, inner)
                used |= {use.column for use in _uses(made)}
                name = _pivoted_name(value, aggregate, alone=len(item.aggregates) == 1)
                values.append(rs.Item(name, rs.Operation("pivot", (made, *keys))))
        kept = [i for i in self.every_column(inner) if _name_of(i) not in used]
        query = rs.Select((*kept, *values), below, group_by=tuple(_values(kept)))
        found = rs.Derived(query, item.columns)
        scope.entries.append(Entry(found, (item.alias.lower(),) if item.alias else ()))
        return found

    def _unpivot(self, item: tree.Unpivot, scope: Scope) -> rs.Relation:
        inner = Scope(self.shapes, scope.around)
        below = self.relation(item.input, inner)
        uses = [[inner.find(path) for path in column.paths] for column in item.columns]
        used = {use.column for group in uses for each in group for use in _uses(each)}
        kept = [i for i in self.every_column(inner) if _name_of(i) not in used]
        named = rs.Operation("unpivot", tuple(each for group in uses for each in group))
        values = [
            rs.Item(name, rs.Operation("unpivot", tuple(g[n] for g in uses if n < len(g))))
            for n, name in enumerate(item.values)
        ]
        query = rs.Select((*kept, rs.Item(item.name, named), *values), below)
        found = rs.Derived(query, item.names)
        scope.entries.append(Entry(found, (item.alias.lower(),) if item.alias else ()))
        return found

    def every_column(
        self, scope: Scope, entries: list[Entry] | None = None
    ) -> list[rs.Item | rs.OpenStar]:
        """The columns of ``*``, for all relations in FROM or for the given relations."""
        found: list[rs.Item | rs.OpenStar] = []
        merged = scope.merged if entries is None else {}
        shown: set[str] = set()
        for entry in scope.entries if entries is None else entries:
            shape = self.shapes.of(entry.relation)
            # One star stands for all unknown columns of a relation: otherwise they would double
            # with each join.
            first_open = shape.open_at[0][0] if shape.open_at else None
            for position, name in enumerate(shape.names):
                if position == first_open:
                    found.append(rs.OpenStar(entry.relation))
                lowered = name.lower()
                if lowered in merged:
                    if lowered not in shown:
                        shown.add(lowered)
                        found.append(rs.Item(name, merged[lowered], starred=True))
                    continue
                found.append(rs.Item(name, rs.ColumnUse(entry.relation, lowered), starred=True))
            if first_open == len(shape.names):
                found.append(rs.OpenStar(entry.relation))
        return found


def _merged(kind: JoinKind, first: rs.Expression, second: rs.Expression) -> rs.Expression:
    if kind is JoinKind.FULL:
        return rs.Operation("coalesce", (first, second))
    shown, other = (second, first) if kind is JoinKind.RIGHT else (first, second)
    if isinstance(shown, rs.ColumnUse) and isinstance(other, rs.ColumnUse):
        return replace(shown, beside=(*shown.beside, other, *other.beside))
    return shown


def _uses(value: rs.Expression) -> tuple[rs.ColumnUse, ...]:
    match value:
        case rs.ColumnUse():
            return (value,)
        case rs.Operation(operands=operands):
            return tuple(use for operand in operands for use in _uses(operand))
        case _:
            return ()


def _name_of(item: rs.Item | rs.OpenStar) -> str:
    return item.name.lower() if isinstance(item, rs.Item) else ""


def _values(items: list[rs.Item | rs.OpenStar]) -> list[rs.Expression]:
    return [item.expression for item in items if isinstance(item, rs.Item)]


def _pivoted_name(value: tree.SelectItem, aggregate: tree.SelectItem, *, alone: bool) -> str:
    name = value.aliases[0] if value.aliases else value.text.strip("'\"`[]")
    if alone:
        return name
    return f"{name}_{aggregate.aliases[0] if aggregate.aliases else aggregate.text}"
