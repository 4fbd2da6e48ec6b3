"""Resolves the names in queries."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.resolving.aggregates import aggregates
from lakeschema.analysis.resolving.from_items import Common, FromResolver
from lakeschema.analysis.resolving.scopes import Scope
from lakeschema.translation.model.errors import TooLarge
from lakeschema.translation.syntax import tree

MAX_COLUMNS: Final = 50_000
"""The maximum number of columns in a query: stars of nested joins double it at each level."""


@dataclass(slots=True, eq=False)
class QueryResolver(FromResolver):
    """Resolves whole queries, with the visible tables of WITH."""

    def query(self, query: tree.Query, around: Scope | None) -> rs.Query:
        match query:
            case tree.Select():
                return self._select(query, around)
            case tree.Ordered(body, order_by, _, limit, offset):
                limited = limit is not None or offset is not None
                return self._ordered(body, order_by, around, limited=limited)
            case tree.SetQuery(operator, distinct, branches):
                found = tuple([self.query(branch, around) for branch in branches])
                return rs.Combined(operator, found, distinct)
            case tree.With(tables, body):
                return self._with(tables, body, around, recursive=query.recursive)
            case tree.ValuesQuery(rows):
                scope = Scope(self.shapes, around)
                each = [self.all(row, scope) for row in rows]
                width = min(map(len, each), default=0)
                return rs.Rows(tuple(tuple(row[n] for row in each) for n in range(width)))

    # WITH

    def _with(
        self,
        tables: tuple[tree.CommonTable, ...],
        body: tree.Query,
        around: Scope | None,
        *,
        recursive: bool,
    ) -> rs.Query:
        seen = dict(self.common)
        self.add_common_tables(tables, around, recursive=recursive)
        found = self.query(body, around)
        self.common = seen
        return found

    def add_common_tables(
        self, tables: Iterable[tree.CommonTable], around: Scope | None, *, recursive: bool = False
    ) -> None:
        for table in tables:
            name = table.name.lower()
            itself = _reads(table.query, name) and (recursive or self._recurs(table.query, name))
            query = self._recursive(table, around) if itself else self.query(table.query, around)
            common = Common(query, table.columns)
            self.common = {**self.common, name: common}
            self.unused.append(common)

    def _recurs(self, query: tree.Query, name: str) -> bool:
        """Whether a table of WITH recurs without RECURSIVE.

        Its query is then a UNION whose first part does not read the table.
        """
        return (
            self.scoping.recursion_needs_no_word
            and isinstance(query, tree.SetQuery)
            and not _reads(query.branches[0], name)
        )

    def _recursive(self, table: tree.CommonTable, around: Scope | None) -> rs.Query:
        anchor = table.query
        while not isinstance(anchor, tree.Select | tree.ValuesQuery):
            anchor = anchor.branches[0] if isinstance(anchor, tree.SetQuery) else anchor.body
        names = table.columns or self.shapes.of(self.query(anchor, around)).names
        found = rs.Recursive(None, names)
        before = self.common
        self.common = {**before, table.name.lower(): Common(found, table.columns)}
        found.query = self.query(table.query, around)
        self.common = before
        return found

    # SELECT

    def _select(
        self,
        select: tree.Select,
        around: Scope | None,
        order_by: tuple[tree.SortKey, ...] = (),
        *,
        limited: bool = False,
    ) -> rs.Select:
        scope = Scope(self.shapes, around)
        source = None if select.source is None else self.relation(select.source, scope)
        where = self._optional(select.where, scope)
        windows = {window.name.lower(): window for window in select.windows}
        items = self._items(select, self._with_grouped_windows(select.grouping, scope), windows)
        aliases = {
            item.name.lower(): item.expression for item in items if isinstance(item, rs.Item)
        }
        grouped = self._with_aliases(scope, aliases, self.scoping.group_sees_aliases)
        group_by = self._group_by(select.grouping, items, grouped)
        filtered = self._with_aliases(scope, aliases, self.scoping.having_sees_aliases)
        return rs.Select(
            tuple(items),
            source,
            where,
            group_by,
            self._optional(select.having, filtered),
            self._optional(select.qualify, self._with_aliases(scope, aliases, allowed=True)),
            self._sorted(order_by, items, aliases, scope),
            select.distinct,
            limited,
        )

    def _with_grouped_windows(self, grouping: tree.Grouping | None, scope: Scope) -> Scope:
        """The scope, with Spark's struct of ``GROUP BY window(…)`` under the function's name."""
        keys = () if grouping is None else grouping.keys
        named = {
            key.name.lower(): self.expression(key, scope)
            for key in keys
            if isinstance(key, tree.Call) and key.name.lower() in {"window", "session_window"}
        }
        return replace(scope, aliases=named) if named else scope

    def _optional(self, expression: tree.Expression | None, scope: Scope) -> rs.Expression | None:
        return None if expression is None else self.expression(expression, scope)

    def _with_aliases(
        self, scope: Scope, aliases: dict[str, rs.Expression], allowed: bool
    ) -> Scope:
        return replace(scope, aliases=aliases) if allowed else scope

    def _items(
        self, select: tree.Select, scope: Scope, windows: dict[str, tree.NamedWindow]
    ) -> list[rs.Item | rs.OpenStar]:
        found: list[rs.Item | rs.OpenStar] = []
        at = scope
        for item in select.items:
            expression = item.expression
            if isinstance(expression, tree.Star) and not item.aliases:
                found += self._star_items(expression, scope)
                continue
            if isinstance(expression, tree.Transform):
                value = self.expression(expression, scope)
                found += [rs.Item(name, value) for name, _ in expression.columns]
                continue
            if windows:
                expression = _with_windows(expression, windows)
            value = self.expression(expression, at)
            names = item.aliases or (_own_name(item) or self._unnamed(item, len(found)),)
            found += [rs.Item(name, value) for name in names]
            if self.scoping.aliases_in_items and item.aliases:
                at = replace(at, aliases={**at.aliases, names[0].lower(): value})
        if len(found) > MAX_COLUMNS:
            raise TooLarge(
                f"a query has {len(found)} columns, more than the {MAX_COLUMNS} allowed",
                hint="list the columns that are needed instead of stars",
            )
        return found

    def _unnamed(self, item: tree.SelectItem, position: int) -> str:
        return f"_c{position}" if self.scoping.names_by_position else item.text

    def _star_items(self, star: tree.Star, scope: Scope) -> list[rs.Item | rs.OpenStar]:
        replaced = {name.lower(): self.expression(value, scope) for name, value in star.replaced}
        if star.base is not None:
            return [rs.OpenStar(rs.Generated(self.expression(star.base, scope), None))]
        if star.qualifier:
            entries = scope.called(star.qualifier)
            if not entries:
                struct = scope.find(star.qualifier, star.position)
                return [rs.OpenStar(rs.Generated(struct, None))]
            found = self.every_column(scope, entries)
        else:
            found = self.every_column(scope)
        return _changed(star, found, replaced)

    def _group_by(
        self,
        grouping: tree.Grouping | None,
        items: list[rs.Item | rs.OpenStar],
        scope: Scope,
    ) -> tuple[rs.Expression, ...]:
        if grouping is None:
            return ()
        if grouping.of_all:
            return tuple(
                item.expression
                for item in items
                if isinstance(item, rs.Item) and not aggregates(item.expression)
            )
        return tuple(self._key(key, items, scope) for key in grouping.keys)

    def _key(
        self, key: tree.Expression, items: list[rs.Item | rs.OpenStar], scope: Scope
    ) -> rs.Expression:
        """The expression of a key; a number means the item at this position."""
        if isinstance(key, tree.NumberLiteral) and key.text.isdigit():
            position = int(key.text)
            if 0 < position <= len(items) and not any(
                isinstance(item, rs.OpenStar) for item in items[:position]
            ):
                item = items[position - 1]
                assert isinstance(item, rs.Item)
                return item.expression
        return self.expression(key, scope)

    def _sorted(
        self,
        keys: tuple[tree.SortKey, ...],
        items: list[rs.Item | rs.OpenStar],
        aliases: dict[str, rs.Expression],
        scope: Scope,
    ) -> tuple[rs.Expression, ...]:
        found: list[rs.Expression] = []
        for key in keys:
            name = key.expression
            if isinstance(name, tree.Star):
                found += [item.expression for item in items if isinstance(item, rs.Item)]
            elif isinstance(name, tree.Name) and len(name.parts) == 1:
                alias = aliases.get(name.parts[0].lower())
                found.append(alias if alias is not None else self.expression(name, scope))
            else:
                found.append(self._key(name, items, replace(scope, aliases=aliases)))
        return tuple(found)

    def _ordered(
        self,
        body: tree.Query,
        order_by: tuple[tree.SortKey, ...],
        around: Scope | None,
        *,
        limited: bool,
    ) -> rs.Query:
        if isinstance(body, tree.Select):
            return self._select(body, around, order_by, limited=limited)
        found = self.query(body, around)
        derived = rs.Derived(found)
        shape = self.shapes.of(derived)
        aliases: dict[str, rs.Expression] = {
            name.lower(): rs.ColumnUse(derived, name.lower()) for name in shape.names
        }
        items: list[rs.Item | rs.OpenStar] = [
            rs.Item(name, aliases[name.lower()]) for name in shape.names
        ]
        if shape.is_open:
            items.append(rs.OpenStar(derived))
        keys = self._sorted(order_by, items, aliases, Scope(self.shapes, around))
        return rs.Select(tuple(items), derived, order_by=keys, limited=limited)


def _changed(
    star: tree.Star, items: list[rs.Item | rs.OpenStar], replaced: dict[str, rs.Expression]
) -> list[rs.Item | rs.OpenStar]:
    """The columns of a star after its exclusions, replacements and renames.

    If the star has unknown columns, a replaced column counts as existing.
    """
    excluded = {path[-1].lower() for path in star.excluded if len(path) == 1}
    renamed = {old.lower(): new for old, new in star.renamed}
    found: list[rs.Item | rs.OpenStar] = []
    missing = dict(replaced)
    for item in items:
        if isinstance(item, rs.OpenStar):
            found.append(item)
            continue
        name = item.name.lower()
        if name in excluded or not (star.like is None or _is_like(name, star.like.lower())):
            continue
        value = replaced.get(name, item.expression)
        missing.pop(name, None)
        found.append(rs.Item(renamed.get(name, item.name), value, item.starred))
    if found and any(isinstance(item, rs.OpenStar) for item in found):
        found += [rs.Item(name, value) for name, value in missing.items()]
    return found


def _is_like(name: str, pattern: str) -> bool:
    """Whether a name matches a LIKE pattern: ``%`` is any text and ``_`` any character."""
    *before, last = (
        "".join("." if c == "_" else re.escape(c) for c in part) for part in pattern.split("%")
    )
    if not before:
        return re.fullmatch(last, name, re.DOTALL) is not None
    # The first place of each part is as good as any, so no other is tried.
    inner = "".join(f"(?>.*?{part})" for part in before[1:])
    return re.fullmatch(f"{before[0]}{inner}.*{last}", name, re.DOTALL) is not None


def _own_name(item: tree.SelectItem) -> str:
    """The name of a column or a field; "" for other values."""
    expression = item.expression
    while isinstance(expression, tree.Cast):
        if item.text[:4].upper() == "CAST" or item.text[:3].upper() == "TRY":
            break
        expression = expression.operand
    match expression:
        case tree.Name(parts):
            return parts[-1]
        case tree.FieldOf(name=name):
            return name
        case tree.VariantPath(name=name) if name:
            return name
        case _:
            return ""


def _with_windows(
    expression: tree.Expression, windows: dict[str, tree.NamedWindow]
) -> tree.Expression:
    """A call over a named window, with the window's definition in place of its name."""
    if not isinstance(expression, tree.WindowCall) or expression.window is None:
        return expression
    partition, order = list(expression.partition_by), list(expression.order_by)
    name: str | None = expression.window
    for _ in range(len(windows)):
        found = windows.get(name.lower()) if name else None
        if found is None:
            break
        partition += found.partition_by
        order += found.order_by
        name = found.window
    return replace(expression, partition_by=tuple(partition), order_by=tuple(order))


def _reads(query: tree.Query, name: str) -> bool:
    """Whether the query reads a table of this name, in any of its FROM clauses."""
    stack: list[object] = [query]
    while stack:
        at = stack.pop()
        match at:
            case tree.TableName(parts):
                if len(parts) == 1 and parts[0].lower() == name:
                    return True
            case tree.SetQuery(branches=branches):
                stack += branches
            case tree.With(tables, body):
                stack += [body, *(table.query for table in tables)]
            case tree.Ordered(body=body):
                stack.append(body)
            case tree.Select(source=source) if source is not None:
                stack.append(source)
            case tree.Join(left, right):
                stack += [left, right]
            case tree.FromQuery(query=inner):
                stack.append(inner)
            case (
                tree.LateralView(input=below) | tree.Pivot(input=below) | tree.Unpivot(input=below)
            ):
                stack.append(below)
            case _:
                pass
    return False
