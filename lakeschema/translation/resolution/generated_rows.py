"""Resolves table functions in a SELECT list.

A SELECT makes their rows after its groups and before its columns.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace

from lakeschema.translation.functions.signature import Kind
from lakeschema.translation.model.errors import (
    TranslationError,
    UnknownColumn,
    UnsupportedConstruct,
)
from lakeschema.translation.plan.expressions import RowExpression
from lakeschema.translation.plan.relations import UNNAMED, Generate, Plan, references
from lakeschema.translation.resolution import calls
from lakeschema.translation.resolution.context import Context
from lakeschema.translation.resolution.expressions import ExpressionResolver
from lakeschema.translation.resolution.generators import generate, is_generator, transform
from lakeschema.translation.resolution.named_arguments import in_order
from lakeschema.translation.resolution.scopes import Scope
from lakeschema.translation.syntax import tree

Produced = Mapping[int, range]
"""The range of plan columns that each item makes, by the item's index."""


def generate_rows(query: tree.Select, scope: Scope, context: Context) -> tuple[Scope, Produced]:
    """The scope with generated rows, for ``SELECT explode(x) …``.

    Several such calls give the cross product of their rows.

    Raises:
        UnsupportedConstruct: the view is Hive's and has several calls; Hive allows only one.
    """
    resolver = ExpressionResolver(context, scope, aggregates_allowed=False)
    plan: Plan = scope.plan
    produced: dict[int, range] = {}
    for place, item in enumerate(query.items):
        call = item.expression
        if not (isinstance(call, (tree.Call, tree.Transform)) and is_generator(call, context)):
            continue
        if produced and not context.semantics.is_spark:
            raise UnsupportedConstruct("more than one table function in SELECT")
        if isinstance(call, tree.Transform):
            made = transform(plan, call, resolver)
        else:
            made = _generated(plan, call, query.items[:place], item.aliases, resolver)
        produced[place] = range(len(plan.columns), len(made.columns))
        plan = made
    return scope.with_plan(plan), produced


def _generated(
    plan: Plan,
    call: tree.Call,
    before: tuple[tree.SelectItem, ...],
    names: tuple[str, ...],
    resolver: ExpressionResolver,
) -> Generate:
    """The rows that a call makes; its arguments may use the aliases of earlier items."""
    try:
        return generate(plan, call, names, resolver, outer=False)
    except UnknownColumn:
        if not resolver.context.semantics.lateral_aliases:
            raise
        assert resolver.scope is not None
        known = len(resolver.scope.plan.columns)
        aliases: dict[str, RowExpression] = {
            reference.name.lower(): reference for reference in references(plan)[known:]
        }
        for item in before:
            aliased = replace(resolver, aliases=aliases)
            if len(item.aliases) == 1 and not is_generator(item.expression, resolver.context):
                with contextlib.suppress(TranslationError):
                    aliases = {
                        **aliases, item.aliases[0].lower(): aliased.resolve_whole(item.expression)
                    }  # fmt: skip
        return generate(plan, call, names, replace(resolver, aliases=aliases), outer=False)


def aggregate_first(query: tree.Select, context: Context) -> tree.Select | None:
    """Splits ``SELECT k, explode(collect_list(x)) …`` into a SELECT that groups and one that makes rows.

    None if no table function reads groups. Hive does not allow such functions.
    """
    generators = [item for item in query.items if is_generator(item.expression, context)]
    if not generators or not context.semantics.is_spark:
        return None
    grouped = query.grouping is not None or query.having is not None
    if not grouped and not any(_reads_groups(item.expression, context) for item in query.items):
        return None
    below: list[tree.SelectItem] = []
    above: list[tree.SelectItem] = []
    for item in query.items:
        call = item.expression
        if isinstance(call, (tree.Call, tree.Transform)) and is_generator(call, context):
            given = in_order(call) if isinstance(call, tree.Call) else call.arguments
            read = tuple(_read_below(argument, below) for argument in given)
            if isinstance(call, tree.Call):
                call = replace(call, arguments=read, named=())
            else:
                call = replace(call, arguments=read)
            above.append(tree.SelectItem(call, item.aliases))
            continue
        name = item.aliases[0] if item.aliases else _last_part(call, len(below))
        below.append(item if isinstance(call, tree.Name) else replace(item, aliases=(name,)))
        above.append(tree.SelectItem(tree.Name((name,)), item.aliases))
    groups = replace(query, items=tuple(below), distinct=False)
    return tree.Select(tuple(above), tree.FromQuery(groups), distinct=query.distinct)


def _read_below(argument: tree.Expression, below: list[tree.SelectItem]) -> tree.Expression:
    """Adds the argument to the inner SELECT's items, and returns the outer SELECT's name for it."""
    if isinstance(argument, (tree.NumberLiteral, tree.StringLiteral)):
        return argument
    name = _name(len(below))
    below.append(tree.SelectItem(argument, (name,)))
    return tree.Name((name,))


def _reads_groups(item: tree.Expression, context: Context) -> bool:
    """Whether an item reads groups: it has an aggregate, or is a script with a window call."""
    if isinstance(item, tree.Transform) and any(
        isinstance(argument, tree.WindowCall) for argument in item.arguments
    ):
        return True
    return any(isinstance(p, tree.Call) and _is_aggregate(p, context) for p in _parts(item))


def _last_part(item: tree.Expression, number: int) -> str:
    return item.parts[-1] if isinstance(item, tree.Name) else _name(number)


def _name(number: int) -> str:
    return f"{UNNAMED} {number}"


def _is_aggregate(call: tree.Call, context: Context) -> bool:
    function = calls.builtin(call, context)
    return function is not None and function.kind is Kind.AGGREGATE


def _parts(node: object) -> Iterator[object]:
    """The node and the expressions in it, without window calls, which do not aggregate groups."""
    stack = [node]
    while stack:
        found = stack.pop()
        if isinstance(found, tuple):
            stack.extend(found)
        elif is_dataclass(found) and not isinstance(found, (tree.WindowCall, tree.Select)):
            yield found
            stack.extend(getattr(found, field.name) for field in fields(found))
