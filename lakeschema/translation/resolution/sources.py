"""Resolves FROM clauses into plans, each with the scope of its names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TypeGuard, assert_never

from lakeschema.translation.model.errors import (
    UnknownColumn,
)
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.plan.expressions import ColumnReference, RowExpression
from lakeschema.translation.plan.relations import Join, Plan, Values
from lakeschema.translation.resolution import calls, pivots, sql_functions
from lakeschema.translation.resolution.context import Context
from lakeschema.translation.resolution.expressions import ExpressionResolver
from lakeschema.translation.resolution.generators import generate
from lakeschema.translation.resolution.naming import rename_columns
from lakeschema.translation.resolution.samples import sampled
from lakeschema.translation.resolution.scopes import Scope, Source, StarItem, relation_scope, shift
from lakeschema.translation.syntax import tree


def scope_of(item: tree.FromItem, context: Context) -> Scope:
    if context.read is not None and context.read[0] is item:
        return context.read[1]
    match item:
        case tree.TableName():
            return sampled(_table(item, context), item.sample, context)
        case tree.FromQuery(query, alias, columns, sample):
            return sampled(_of_query(query, alias, columns, context), sample, context)
        case tree.FromFunction(call, alias, columns):
            resolver = ExpressionResolver(context, None)
            function = sql_functions.called(call, context)
            if function is not None:
                rows = sql_functions.rows_of(
                    function, call, context, resolver.resolve, resolver.resolve_inside
                )
                return relation_scope(rename_columns(rows, columns), (alias or call.name,))
            one_row = Values(((),), ())
            plan = generate(one_row, call, columns, resolver, outer=False)
            return relation_scope(plan, (alias or call.name,))
        case tree.Join():
            return _join(item, context)
        case tree.LateralView():
            return _lateral_view(item, context)
        case tree.Pivot():
            return _pivot(item, context)
        case tree.Unpivot():
            scope = scope_of(item.input, context)
            query = pivots.unpivot(item, tuple(column.name for column in scope.star))
            inside = replace(context, read=(item.input, scope))
            return _of_query(query, item.alias, item.names, inside)
        case _:
            assert_never(item)


def _pivot(item: tree.Pivot, context: Context) -> Scope:
    scope = scope_of(item.input, context)
    resolver = ExpressionResolver(context, scope, group_may_be_empty=False)
    types = [resolver.resolve_whole(aggregate.expression).type for aggregate in item.aggregates]
    query = pivots.pivot(
        item,
        tuple(column.name for column in scope.star),
        types,
        lambda call: calls.is_aggregate(call, context),
    )
    return _of_query(query, item.alias, item.columns, replace(context, read=(item.input, scope)))


def _of_query(
    query: tree.Query, alias: str | None, columns: tuple[str, ...], context: Context
) -> Scope:
    plan = rename_columns(context.plan_of(query), columns)
    return relation_scope(plan, (alias,) if alias else ())


def _table(item: tree.TableName, context: Context) -> Scope:
    if len(item.parts) == 1:
        common = context.common_table(item.parts[0])
        if common is not None:
            return relation_scope(
                rename_columns(common, item.columns), (item.alias or item.parts[0],)
            )
    name = context.names.relation(item.parts)
    plan = rename_columns(context.open_relation(name, item.position), item.columns)
    whole = (name.catalog, *name.parts) if name.catalog else name.parts
    known_as = max(whole, item.parts, key=len)
    return relation_scope(plan, (item.alias,) if item.alias else known_as, is_table=True)


def _lateral_view(item: tree.LateralView, context: Context) -> Scope:
    left = scope_of(item.input, context)
    return _generate(left, item.call, item.alias, item.columns, item.outer, context)


def _generate(
    left: Scope,
    call: tree.Call,
    alias: str | None,
    columns: tuple[str, ...],
    outer: bool,
    context: Context,
) -> Scope:
    resolver = ExpressionResolver(context, left, aggregates_allowed=False)
    plan = generate(left.plan, call, columns, resolver, outer=outer)
    start = len(left.plan.columns)
    names = tuple(column.name.lower() for column in plan.produced)
    source = Source((alias.lower(),) if alias else (), names, start)
    star = tuple(StarItem(c.name, (start + i,)) for i, c in enumerate(plan.produced))
    return replace(left, plan=plan, sources=(*left.sources, source), star=(*left.star, *star))


def _join(item: tree.Join, context: Context) -> Scope:
    left = scope_of(item.left, context)
    if _makes_rows_of_left(item.right, context):
        function = item.right
        name = function.alias or function.call.name
        always = item.condition is None or item.condition == tree.BooleanLiteral(True)
        if always and item.kind in {JoinKind.CROSS, JoinKind.INNER, JoinKind.LEFT}:
            outer = item.kind is JoinKind.LEFT
            return _generate(left, function.call, name, function.columns, outer, context)
        # With a condition, the function's rows are made first, as in a sub-query.
        rows = tree.Select((tree.SelectItem(tree.Star()),), function)
        query = tree.FromQuery(rows, name)
        return _join(replace(item, right=query), context)
    inner = context.inside(left) if item.lateral else context
    right = scope_of(item.right, inner)
    kind = item.kind
    using = _common_names(left, right) if item.natural else item.using
    is_further = left.hidden is not None or right.hidden is not None
    has_stars = not (is_further and context.semantics.is_hive)
    if using:
        joined = _join_using(left, right, item, using, context)
        return replace(joined, has_stars=has_stars)
    joined = _join_scopes(
        left, right, Join(left.plan, right.plan, kind, lateral=item.lateral), kind
    )
    joined = replace(joined, has_stars=has_stars)
    if item.condition is None:
        return joined
    # A semi join's condition sees the right side, but its output does not.
    visible = Join(left.plan, right.plan, JoinKind.CROSS)
    both = _join_scopes(left, right, visible, JoinKind.CROSS)
    resolver = ExpressionResolver(context, both, aggregates_allowed=False)
    condition = resolver.condition(item.condition)
    if kind is JoinKind.CROSS:
        kind = JoinKind.INNER
    return joined.with_plan(Join(left.plan, right.plan, kind, condition, item.lateral))


def _makes_rows_of_left(item: tree.FromItem, context: Context) -> TypeGuard[tree.FromFunction]:
    """Whether the item calls a built-in table function; SQL functions are resolved like queries."""
    return isinstance(item, tree.FromFunction) and not sql_functions.called(item.call, context)


def _join_scopes(left: Scope, right: Scope, plan: Plan, kind: JoinKind) -> Scope:
    if kind in {JoinKind.SEMI, JoinKind.ANTI}:
        return left.with_plan(plan)
    by = len(left.plan.columns)
    sources, star = shift(right, by)
    merged = {
        **{name: tuple(i + by for i in indices) for name, indices in right.merged.items()},
        **left.merged,
    }
    hidden = left.hidden
    if right.hidden is not None:
        hidden = (*(hidden or ()), *(index + by for index in right.hidden))
    return Scope(
        plan,
        (*left.sources, *sources),
        (*left.star, *star),
        MappingProxyType(merged),
        hidden=hidden,
    )


def _common_names(left: Scope, right: Scope) -> tuple[str, ...]:
    there = {item.name.lower() for item in right.star}
    return tuple({i.name.lower(): i.name for i in left.star if i.name.lower() in there}.values())


def _join_using(
    left: Scope, right: Scope, item: tree.Join, using: tuple[str, ...], context: Context
) -> Scope:
    kind = item.kind
    by = len(left.plan.columns)
    both = Join(left.plan, right.plan, JoinKind.CROSS)
    conditions: list[RowExpression] = []
    merged = dict(left.merged)
    items: list[StarItem] = []
    shown: set[tuple[int, ...]] = set()
    keys: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    for name in using:
        a = _side(left, name, context)
        b = tuple(i + by for i in _side(right, name, context))
        sides = tuple(
            ColumnReference(x[0], both.columns[x[0]].name, both.columns[x[0]].type,
                            both.columns[x[0]].nullable)
            for x in (a, b)
        )  # fmt: skip
        conditions.append(calls.operator("=", sides, context))
        kept = {JoinKind.RIGHT: b, JoinKind.FULL: (*a, *b)}.get(kind, a)
        merged[name.lower()] = kept
        shown |= {a, b}
        keys.append((a, b))
        # Hive's star shows the left side of a full join, null if there is no left row.
        starred = a if kind is JoinKind.FULL and context.semantics.is_hive else kept
        items.append(StarItem(both.columns[starred[0]].name, starred))
    condition = (
        conditions[0] if len(conditions) == 1 else calls.operator("and", conditions, context)
    )
    plan = Join(left.plan, right.plan, kind, condition, item.lateral)
    scope = _join_scopes(left, right, plan, kind)
    rest = tuple(item for item in scope.star if item.indices not in shown)
    scope = replace(scope, star=(*items, *rest), merged=MappingProxyType(merged))
    if context.semantics.is_trino:
        return scope
    added = _hidden_keys(kind, keys) if context.semantics.is_spark else ()
    return replace(scope, hidden=(*added, *(scope.hidden or ())))


def _hidden_keys(
    kind: JoinKind, keys: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]
) -> Iterator[int]:
    """The columns of USING that ``*`` hides.

    Columns that an earlier USING united are left out, since they belong to no single relation.
    """
    left = [a[0] for a, _ in keys if len(a) == 1]
    right = [b[0] for _, b in keys if len(b) == 1]
    match kind:
        case JoinKind.SEMI | JoinKind.ANTI:
            return
        case JoinKind.RIGHT:
            yield from left
        case JoinKind.FULL:
            yield from (*left, *right)
        case JoinKind.INNER | JoinKind.LEFT | JoinKind.CROSS:
            yield from right
        case _:
            assert_never(kind)


def _side(scope: Scope, name: str, context: Context) -> tuple[int, ...]:
    """The indices of the column with this name. Spark takes the first column of several."""
    first = next((item for item in scope.star if item.name.lower() == name.lower()), None)
    if first is not None and context.semantics.is_spark:
        return first.indices
    found = scope.find((name,), None)
    if found is None:
        raise UnknownColumn(name, scope.candidates(), hint="USING needs it on both sides")
    return found[0]
