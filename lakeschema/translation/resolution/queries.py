"""Turns the syntax trees of queries into plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import assert_never

from lakeschema.catalog.column_types import (
    BOOLEAN,
    INT,
    STRING,
    VOID,
)
from lakeschema.translation.functions.binding import implicit_cast
from lakeschema.translation.functions.casts import can_cast
from lakeschema.translation.functions.coercion import Use, common_type, is_integer
from lakeschema.translation.model.errors import AmbiguousColumn, TypeMismatch, UnknownColumn
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Cast,
    ColumnReference,
    Literal,
    RowExpression,
    SortKey,
    WindowCall,
    walk,
    written_name,
)
from lakeschema.translation.plan.relations import (
    UNNAMED,
    Distinct,
    Filter,
    Limit,
    Plan,
    PlanColumn,
    Project,
    Sort,
    Values,
    references,
)
from lakeschema.translation.resolution.aggregation import (
    AggregateCollector,
    WindowCollector,
    columns_read,
    has_aggregate,
)
from lakeschema.translation.resolution.context import Context
from lakeschema.translation.resolution.expressions import ExpressionResolver, require_boolean
from lakeschema.translation.resolution.generated_rows import (
    Produced,
    aggregate_first,
    generate_rows,
)
from lakeschema.translation.resolution.hive_names import is_virtual, union_alias
from lakeschema.translation.resolution.naming import (
    WINDOWS_OF_TIME,
    generated_name,
    hives_column_name,
    hives_window_names,
    implied_name,
    rename_columns,
    uncast,
)
from lakeschema.translation.resolution.recursion import recursion
from lakeschema.translation.resolution.scopes import Scope, relation_scope
from lakeschema.translation.resolution.set_operations import fitted, set_operation
from lakeschema.translation.resolution.sources import scope_of
from lakeschema.translation.resolution.upstreams import reads_table
from lakeschema.translation.syntax import tree

_ONE_ROW = Values(((),), ())


def resolve_query(query: tree.Query, context: Context) -> Plan:
    """The query's plan.

    Raises:
        TranslationError: the query names something unknown, has a type error, or is not supported.
    """
    match query:
        case tree.Select():
            return _SelectResolver(query, context).plan()
        case tree.Ordered():
            return _resolve_ordered(query, context)
        case tree.SetQuery():
            branches = [resolve_query(branch, context) for branch in query.branches]
            return set_operation(query, branches, context)
        case tree.With():
            return resolve_query(query.body, _with_tables(query, context))
        case tree.ValuesQuery(rows):
            return _resolve_values(rows, context)
        case _:
            assert_never(query)


def _with_tables(query: tree.With, context: Context) -> Context:
    """The context of a query after WITH."""
    around = context.common_tables if context.keeps_tables else {}
    for table in query.tables:
        if table.name.lower() in around:
            continue
        if query.recursive and reads_table(table.query, table.name):
            plan = recursion(table, context, fitted, _with_tables)
        else:
            plan = rename_columns(
                resolve_query(table.query, context.keeping_tables()), table.columns
            )
        context = context.with_common_table(table.name, plan)
    return context


def _resolve_ordered(query: tree.Ordered, context: Context) -> Plan:
    if isinstance(query.body, tree.Select):
        plan = _SelectResolver(query.body, context, query.order_by, total=query.global_).plan()
    else:
        plan = resolve_query(query.body, context)
        if query.order_by:
            alias = union_alias(tuple(key.expression for key in query.order_by))
            resolver = ExpressionResolver(context, relation_scope(plan, alias))
            keys = tuple(k for key in query.order_by for k in _output_keys(key, plan, resolver))
            plan = Sort(plan, keys, query.global_)
    if query.limit is None and query.offset is None:
        return plan
    constants = ExpressionResolver(context, None)
    return Limit(
        plan,
        None if query.limit is None else constants.resolve(query.limit),
        None if query.offset is None else constants.resolve(query.offset),
        query.ties,
    )


def _output_keys(
    key: tree.SortKey, plan: Plan, resolver: ExpressionResolver
) -> tuple[SortKey, ...]:
    if isinstance(key.expression, tree.Star):
        return tuple(SortKey(r, key.descending, key.nulls_first) for r in references(plan))
    ordinal = _ordinal(key.expression)
    if ordinal is not None and resolver.context.semantics.order_by_ordinal:
        if not 1 <= ordinal <= len(plan.columns):
            raise UnknownColumn(f"number {ordinal}")
        expression: RowExpression = references(plan)[ordinal - 1]
    else:
        expression = resolver.resolve(key.expression)
    return (SortKey(expression, key.descending, key.nulls_first),)


def _ordinal(node: tree.Expression) -> int | None:
    if isinstance(node, tree.NumberLiteral) and node.text.isdigit():
        return int(node.text)
    return None


def _resolve_values(rows: tuple[tuple[tree.Expression, ...], ...], context: Context) -> Plan:
    resolver = ExpressionResolver(context, None)
    resolved = [[resolver.resolve(value) for value in row] for row in rows]
    width = len(resolved[0]) if resolved else 0
    if any(len(row) != width for row in resolved):
        raise TypeMismatch("the rows of VALUES have different numbers of columns")
    columns: list[PlanColumn] = []
    for index in range(width):
        cells = [row[index] for row in resolved]
        type_ = cells[0].type
        for cell in cells[1:]:
            met = common_type(type_, cell.type, Use.SET_OPERATION, context.semantics)
            if met is None:
                raise TypeMismatch(f"column {index + 1} of VALUES has incompatible types")
            type_ = met
        name = f"_col{index}" if context.semantics.is_trino else f"col{index + 1}"
        columns.append(PlanColumn(name, type_, any(c.nullable for c in cells)))
    coerced = tuple(
        tuple(
            implicit_cast(cell, column.type, context.semantics)
            for cell, column in zip(row, columns, strict=True)
        )
        for row in resolved
    )
    return Values(coerced, tuple(columns))


def _as_column(expression: RowExpression) -> RowExpression:
    """An item as later items read it by its alias: a literal has the precision of its type."""
    if isinstance(expression, Literal) and is_integer(expression.type):
        return Cast(expression, expression.type, expression.nullable)
    return expression


def _named_as_grouped(items: list[_Item], keys: Sequence[RowExpression]) -> list[_Item]:
    """The items; with several grouping sets, Spark names the keys as GROUP BY writes them."""
    columns = (key for key in reversed(keys) if isinstance(key, ColumnReference))
    names: Mapping[RowExpression, str] = {key: written_name(key) for key in columns}
    return [
        replace(item, name=names[item.expression])
        if item.is_bare and item.expression in names
        else item
        for item in items
    ]


@dataclass(frozen=True, slots=True)
class _Item:
    """An item of SELECT.

    Attributes:
        is_generated: whether Hive generated the name, and so may replace it by a column's name.
        is_bare: whether the item has no alias.
    """

    name: str
    expression: RowExpression
    is_generated: bool = False
    is_bare: bool = False


def _hives_name(item: _Item, bare: Plan | None, windows: Mapping[WindowCall, str]) -> str | None:
    if not item.is_generated:
        return None
    if bare is not None:
        return hives_column_name(item.expression, bare)
    call = uncast(item.expression)
    return windows.get(call) if isinstance(call, WindowCall) else None


class _SelectResolver:
    """Resolves one SELECT, clause by clause in the order in which they take effect."""

    def __init__(
        self,
        query: tree.Select,
        context: Context,
        order_by: tuple[tree.SortKey, ...] = (),
        *,
        total: bool = True,
    ) -> None:
        if context.semantics.having_of_rows and query.grouping is None and query.having:
            conditions = [part for part in (query.where, query.having) if part is not None]
            query = replace(query, where=tree.Call("and", tuple(conditions)), having=None)
        self._query = query
        self._context = context
        self._order_by = order_by
        self._total = total

    def plan(self) -> Plan:
        groups_first = aggregate_first(self._query, self._context)
        if groups_first is not None:
            self._query = groups_first
        query = self._query
        scope, produced = generate_rows(query, self._filter(self._source()), self._context)
        resolver = self._resolver(scope)
        items = self._items(resolver, produced)
        keys = self._keys(items, resolver)
        sets = None if query.grouping is None else query.grouping.sets
        if sets is not None:
            # An expression over a key is null in the sets that lack the key.
            lacking = [k for i, k in enumerate(keys) if any(i not in each for each in sets)]
            scope = replace(scope, padded=columns_read(lacking))
            resolver = self._resolver(scope)
            items = self._items(resolver, produced)
            keys = self._keys(items, resolver)
            items = _named_as_grouped(items, keys) if self._context.semantics.is_spark else items
        having = self._having(items, keys, resolver)
        qualify = self._condition(query.qualify, items, resolver)
        order = self._order_keys(items, resolver)
        everything = [i.expression for i in items] + [k.expression for k in order]
        everything += [] if qualify is None else [qualify]
        kinds = {part.__class__ for expression in everything for part in walk(expression)}
        plan: Plan = scope.plan
        grouped = query.grouping is not None or having is not None or AggregateCall in kinds
        if grouped:
            group = self._group(scope, keys)
            items = [replace(i, expression=group.rewrite(i.expression)) for i in items]
            having = None if having is None else group.rewrite(having)
            qualify = None if qualify is None else group.rewrite(qualify)
            order = [replace(key, expression=group.rewrite(key.expression)) for key in order]
            plan = group.plan()
        items = self._apply_hive_names(items, plan, grouped=grouped)
        if having is not None:
            plan = Filter(plan, having)
        if WindowCall in kinds:
            windowed = WindowCollector(plan)
            items = [replace(i, expression=windowed.rewrite(i.expression)) for i in items]
            order = [replace(k, expression=windowed.rewrite(k.expression)) for k in order]
            qualify = None if qualify is None else windowed.rewrite(qualify)
            plan = windowed.plan()
        if qualify is not None:
            plan = Filter(plan, qualify)
        return self._project(plan, items, order)

    def _apply_hive_names(self, items: list[_Item], plan: Plan, *, grouped: bool) -> list[_Item]:
        """The items with Hive's names. Hive names some items without an alias after a column or window."""
        named_anew = self._query.distinct or self._query.qualify is not None
        if named_anew or not any(item.is_generated for item in items):
            return items
        windows = hives_window_names([item.expression for item in items])
        bare = plan if not (grouped or windows) else None
        renamed: list[_Item] = []
        taken: set[str] = set()
        for item in items:
            name = _hives_name(item, bare, windows)
            # If two items would have the same name, the second keeps its generated name.
            free = name is not None and name.lower() not in taken
            renamed.append(replace(item, name=name) if free and name else item)
            taken.add(renamed[-1].name.lower())
        return renamed

    def _source(self) -> Scope:
        if self._query.source is None:
            return Scope(_ONE_ROW, (), ())
        return scope_of(self._query.source, self._context)

    def _filter(self, scope: Scope) -> Scope:
        if self._query.where is None:
            return scope
        resolver = ExpressionResolver(self._context, scope, aggregates_allowed=False)
        return scope.with_plan(Filter(scope.plan, resolver.condition(self._query.where)))

    def _resolver(self, scope: Scope) -> ExpressionResolver:
        grouping = self._query.grouping
        empty = grouping is None or (grouping.sets is not None and () in grouping.sets)
        windows = {window.name.lower(): window for window in self._query.windows}
        resolver = ExpressionResolver(
            self._context,
            scope,
            windows=MappingProxyType(windows),
            group_may_be_empty=empty,
        )
        if not self._context.semantics.is_spark:
            return resolver
        aliases = self._windows_of_time(resolver)
        return replace(resolver, aliases=MappingProxyType(aliases)) if aliases else resolver

    def _windows_of_time(self, resolver: ExpressionResolver) -> Mapping[str, RowExpression]:
        """The column that GROUP BY window(…) adds: ``window``."""
        keys = () if self._query.grouping is None else self._query.grouping.keys
        nodes = (*keys, *(item.expression for item in self._query.items))
        return {
            node.name.lower(): replace(resolver, aggregates_allowed=False).resolve(node)
            for node in nodes
            if isinstance(node, tree.Call) and node.name.lower() in WINDOWS_OF_TIME
        }

    def _items(self, resolver: ExpressionResolver, produced: Produced) -> list[_Item]:
        items: list[_Item] = []
        aliases = dict(resolver.aliases)
        if produced and self._context.semantics.is_spark:
            assert resolver.scope is not None
            made_first = [
                references(resolver.scope.plan)[i] for at in produced.values() for i in at
            ]
            aliases |= {column.name.lower(): column for column in made_first}
            resolver = replace(resolver, aliases=MappingProxyType(dict(aliases)))
        is_hive = self._context.semantics.is_hive
        for position, item in enumerate(self._query.items):
            node = item.expression
            if isinstance(node, tree.Star):
                items += [_Item(name, e) for name, e in resolver.expand_star(node)]
                continue
            if position in produced:
                assert resolver.scope is not None
                columns = references(resolver.scope.plan)
                made = [_Item(columns[at].name, columns[at]) for at in produced[position]]
                aliases |= {each.name.lower(): each.expression for each in made}
                items += made
                continue
            if len(item.aliases) > 1:
                raise TypeMismatch("several aliases for one expression")
            if self._context.semantics.lateral_aliases and aliases:
                # In Spark an item may use earlier aliases, unless a column has the name.
                resolver = replace(resolver, aliases=MappingProxyType(dict(aliases)))
            expression = resolver.resolve_whole(node)
            alias = item.aliases[0] if item.aliases else implied_name(node) or None
            if alias is not None:
                aliases[alias.lower()] = _as_column(expression)
                # Hive mistakes such an alias for a generated name.
                generated = is_hive and alias.lower().startswith("_c")
                items.append(_Item(alias, expression, generated))
            else:
                if isinstance(node, tree.Name) and self._keeps_name(node, expression):
                    # This is a column of FULL JOIN … USING, which stands for two columns, or a
                    # virtual column of Hive.
                    name = node.parts[-1]
                else:
                    name = generated_name(node, expression, position, self._context.semantics)
                is_generated = name == f"_c{position}"
                items.append(_Item(name, expression, is_generated, is_bare=True))
        return items

    def _keeps_name(self, node: tree.Name, expression: RowExpression) -> bool:
        """Whether an item has the name of its column.

        CURRENT_DATE looks like a column, but gives no name.
        """
        called = (
            isinstance(expression, Call) and expression.operator.spelling == node.parts[0].lower()
        )
        plain = called and not is_virtual(node)
        return isinstance(expression, (Call, AggregateCall)) and not plain

    def _keys(self, items: list[_Item], resolver: ExpressionResolver) -> list[RowExpression]:
        """The keys of GROUP BY. A name means a column of FROM.

        In Spark a number means an item of SELECT, and a name that is not a column means an alias.
        """
        if self._query.grouping is None:
            return []
        semantics = self._context.semantics
        if self._query.grouping.of_all:
            free = [item.expression for item in items if not has_aggregate(item.expression)]
            return [e for e in dict.fromkeys(free) if not isinstance(e, Literal)]
        inner = replace(resolver, aggregates_allowed=False)
        if semantics.is_spark and semantics.group_by_aliases:
            inner = replace(inner, aliases=_with_names(items, resolver))
        keys: list[RowExpression] = []
        for key in self._query.grouping.keys:
            ordinal = _ordinal(key)
            if ordinal is not None and not semantics.is_hive and semantics.group_by_ordinal:
                if not 1 <= ordinal <= len(items):
                    raise UnknownColumn(
                        f"number {ordinal}", hint="a number in GROUP BY refers to an item of SELECT"
                    )
                keys.append(items[ordinal - 1].expression)
            else:
                keys.append(inner.resolve(key))
        return keys

    def _having(
        self, items: list[_Item], keys: list[RowExpression], resolver: ExpressionResolver
    ) -> RowExpression | None:
        node = self._query.having
        if node is not None and self._context.semantics.is_trino:
            return resolver.condition(node)
        if node is None or not self._context.semantics.is_spark:
            return self._condition(node, items, resolver)
        aliases = _with_names(items, resolver)
        # A name means a column of FROM if it is grouped by, otherwise an item of SELECT.
        shown = {n: e for n, e in aliases.items() if not _is_grouped(n, keys, resolver)}
        try:
            found = replace(resolver, aliases=aliases, shown=shown).resolve(node)
        except (UnknownColumn, TypeMismatch):
            # The column's type does not fit, so the name means the item of SELECT.
            found = replace(resolver, aliases=aliases, shown=aliases).resolve(node)
        if found.type not in {BOOLEAN, VOID} and can_cast(
            found.type, BOOLEAN, self._context.semantics
        ):
            return implicit_cast(found, BOOLEAN, self._context.semantics)
        return require_boolean(found)

    def _condition(
        self, node: tree.Expression | None, items: list[_Item], resolver: ExpressionResolver
    ) -> RowExpression | None:
        """The condition of HAVING or QUALIFY, which may also use SELECT's aliases."""
        if node is None:
            return None
        return replace(resolver, aliases=_with_names(items, resolver)).condition(node)

    def _order_keys(self, items: list[_Item], resolver: ExpressionResolver) -> list[SortKey]:
        """The keys of ORDER BY. A name means an alias of SELECT before it means a column of FROM."""
        if not self._order_by:
            return []
        aliases = _with_names(items, resolver)
        after = replace(resolver, aliases=aliases)
        if not self._context.semantics.is_hive:
            after = replace(after, shown=aliases)
        by_number = self._context.semantics.order_by_ordinal
        keys: list[SortKey] = []
        for key in self._order_by:
            if isinstance(key.expression, tree.Star):
                keys += [SortKey(i.expression, key.descending, key.nulls_first) for i in items]
                continue
            node, ordinal = key.expression, _ordinal(key.expression)
            if by_number and ordinal is not None and 1 <= ordinal <= len(items):
                expression = items[ordinal - 1].expression
            elif isinstance(node, tree.Name) and len(node.parts) == 1:
                found = aliases.get(node.parts[0].lower())
                expression = after.resolve(node) if found is None else found
            else:
                expression = self._sorted_by(node, after)
            keys.append(SortKey(expression, key.descending, key.nulls_first))
        return keys

    def _sorted_by(self, node: tree.Expression, resolver: ExpressionResolver) -> RowExpression:
        try:
            return resolver.resolve(node)
        except (UnknownColumn, TypeMismatch):
            if not resolver.shown:
                raise
            # The item's type does not fit, so the name means a column of FROM.
            return replace(resolver, shown=MappingProxyType({})).resolve(node)

    def _group(self, scope: Scope, keys: list[RowExpression]) -> AggregateCollector:
        grouping = self._query.grouping
        sets = None if grouping is None else grouping.sets
        return AggregateCollector(scope.plan, *_without_repetition(keys, sets))

    def _project(self, plan: Plan, items: list[_Item], order: list[SortKey]) -> Plan:
        shown = tuple([(item.name, item.expression) for item in items])
        if not order:
            projected = Project(plan, shown)
            return Distinct(projected) if self._query.distinct else projected
        visible = {item.expression: index for index, item in reversed(tuple(enumerate(items)))}
        hidden = [k.expression for k in order if k.expression not in visible]
        hidden = [e for e in dict.fromkeys(hidden) if not isinstance(e, Literal)]
        if hidden and self._query.distinct:
            raise TypeMismatch("ORDER BY reads an expression that SELECT DISTINCT does not return")
        extra = tuple((f"order{i}", e) for i, e in enumerate(hidden))
        result: Plan = Project(plan, (*shown, *extra))
        if self._query.distinct:
            result = Distinct(result)
        at = {**{e: len(shown) + i for i, e in enumerate(hidden)}, **visible}
        columns = references(result)
        keys = tuple(
            replace(k, expression=columns[at[k.expression]]) if k.expression in at else k
            for k in order
        )
        result = Sort(result, keys, self._total)
        if extra:
            result = Project(result, tuple(
                (c.name, c) for c in references(result)[: len(shown)]
            ))  # fmt: skip
        return result


def _with_names(
    items: Sequence[_Item], resolver: ExpressionResolver
) -> Mapping[str, RowExpression]:
    """The items by name; the first item with a name wins.

    Spark names an item without an alias after its text, so a constant's name is its value.
    """
    constants = {
        item.expression.value.lower(): item.expression
        for item in reversed(items)
        if item.name.startswith(UNNAMED)
        and isinstance(item.expression, Literal)
        and item.expression.value is not None
        and item.expression.type in {INT, STRING}
    }
    named = {item.name.lower(): item.expression for item in reversed(items)}
    return MappingProxyType({**resolver.aliases, **constants, **named})


def _is_grouped(name: str, keys: Sequence[RowExpression], resolver: ExpressionResolver) -> bool:
    """Whether the name is a column of FROM that is a key or has a key as part."""
    try:
        found: RowExpression = replace(resolver, aliases=MappingProxyType({})).resolve_whole(
            tree.Name((name,))
        )
    except (UnknownColumn, AmbiguousColumn):
        return False
    return any(part in keys for part in walk(found))


def _without_repetition(
    keys: Sequence[RowExpression], sets: tuple[tuple[int, ...], ...] | None
) -> tuple[Sequence[RowExpression], tuple[tuple[int, ...], ...] | None]:
    """The keys without repetitions, such as a name and the number of the same item."""
    places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    if sets is None or len(places) == len(keys):
        return keys, sets
    return [*places], tuple(
        tuple(dict.fromkeys(places[keys[index]] for index in each)) for each in sets
    )
