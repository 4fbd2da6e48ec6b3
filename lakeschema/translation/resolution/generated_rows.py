"""Table functions among the items of a SELECT: rows made before its columns, after its groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace

from lakeschema.translation.errors import UnsupportedConstruct
from lakeschema.translation.functions.signature import Kind
from lakeschema.translation.plan.relations import UNNAMED, Plan
from lakeschema.translation.resolution import calls
from lakeschema.translation.resolution.context import Context
from lakeschema.translation.resolution.expressions import ExpressionResolver
from lakeschema.translation.resolution.generators import generate, is_generator, transform
from lakeschema.translation.resolution.named_arguments import in_order
from lakeschema.translation.resolution.scopes import Scope
from lakeschema.translation.syntax import tree

Produced = Mapping[int, range]
"""The plan's columns that an item, by its place, makes."""


def generate_rows(query: tree.Select, scope: Scope, context: Context) -> tuple[Scope, Produced]:
    """``SELECT explode(x) …``: with several such calls, each makes its rows of every other's.

    Raises:
        UnsupportedConstruct: Hive has one such call in a SELECT.
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
            made = generate(plan, call, item.aliases, resolver, outer=False)
        produced[place] = range(len(plan.columns), len(made.columns))
        plan = made
    return scope.with_plan(plan), produced


def aggregate_first(query: tree.Select, context: Context) -> tree.Select | None:
    """``SELECT k, explode(collect_list(x)) …`` as a SELECT of rows over one of groups.

    None if no table function stands over groups; Hive has none that does.
    """
    generators = [item for item in query.items if is_generator(item.expression, context)]
    if not generators or not context.semantics.is_spark:
        return None
    aggregated = any(
        isinstance(part, tree.Call) and _is_aggregate(part, context)
        for item in generators
        for part in _parts(item.expression)
    )
    if not aggregated and query.grouping is None:
        return None
    below: list[tree.SelectItem] = []
    above: list[tree.SelectItem] = []
    for item in query.items:
        call = item.expression
        if isinstance(call, tree.Call) and is_generator(call, context):
            read: list[tree.Expression] = []
            for argument in in_order(call):
                if isinstance(argument, (tree.NumberLiteral, tree.StringLiteral)):
                    read.append(argument)
                    continue
                name = _name(len(below))
                below.append(tree.SelectItem(argument, (name,)))
                read.append(tree.Name((name,)))
            above.append(
                tree.SelectItem(replace(call, arguments=tuple(read), named=()), item.aliases)
            )
            continue
        name = item.aliases[0] if item.aliases else _last_part(call)
        below.append(item)
        above.append(tree.SelectItem(tree.Name((name,)), item.aliases))
    groups = replace(query, items=tuple(below), distinct=False)
    return tree.Select(tuple(above), tree.FromQuery(groups), distinct=query.distinct)


def _last_part(item: tree.Expression) -> str:
    if isinstance(item, tree.Name):
        return item.parts[-1]
    raise UnsupportedConstruct("an item without a name beside a table function over groups")


def _name(number: int) -> str:
    return f"{UNNAMED} {number}"


def _is_aggregate(call: tree.Call, context: Context) -> bool:
    function = calls.builtin(call, context)
    return function is not None and function.kind is Kind.AGGREGATE


def _parts(node: object) -> Iterator[object]:
    """The node and the expressions in it; a window's call aggregates no groups."""
    stack = [node]
    while stack:
        found = stack.pop()
        if isinstance(found, tuple):
            stack.extend(found)
        elif is_dataclass(found) and not isinstance(found, (tree.WindowCall, tree.Select)):
            yield found
            stack.extend(getattr(found, field.name) for field in fields(found))
