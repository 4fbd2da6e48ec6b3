"""Replaces calls of SQL functions by the functions' bodies, with arguments in place of parameters.

As in Spark, arguments are cast to the parameters' types and the body to the declared type. The body
is resolved under the function's own settings and namespace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import MappingProxyType

from lakeschema.catalog.sql_functions import Parameter, SqlFunction
from lakeschema.translation.functions.semantics import semantics_of
from lakeschema.translation.functions.settings import refuse_unsupported
from lakeschema.translation.model.errors import TypeMismatch, UnsupportedConstruct
from lakeschema.translation.plan.expressions import (
    ColumnReference,
    OuterReference,
    RowExpression,
    WindowCall,
    walk,
)
from lakeschema.translation.plan.relations import Plan, PlanColumn, Project, Values, references
from lakeschema.translation.plan.rewriting import Change, Rewriter, lift, size
from lakeschema.translation.resolution.context import Context
from lakeschema.translation.resolution.conversions import convert
from lakeschema.translation.resolution.routines import Allowance, spelling_of, text_of
from lakeschema.translation.resolution.scopes import Scope, relation_scope
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.parsing import parse_body, parse_query

Resolve = Callable[[tree.Expression], RowExpression]
ResolveInside = Callable[[tree.Expression, Context, Scope | None], RowExpression]
"""Resolves an expression of a function's text."""


def called(call: tree.Call, context: Context) -> SqlFunction | None:
    """The SQL function of the call, unless the engine has a function of the name."""
    known = context.routines.known
    if not known:
        return None
    return known.get(context.names.function((*call.qualifier, call.name)))


def value_of(
    function: SqlFunction,
    call: tree.Call,
    context: Context,
    resolve: Resolve,
    inside: ResolveInside,
) -> RowExpression:
    """The value of a scalar function's call."""
    if function.is_table:
        raise TypeMismatch(f"{function.name} makes rows, not a value", position=call.position)
    within = _context_of(function, context)
    arguments = _arguments(function, call, within, resolve, inside)
    body = parse_body(function.body, spelling_of(text_of(function)))
    value = inside(body, within, _parameters(function, arguments))
    if function.returns is not None:
        value = convert(value, function.returns, within.semantics)
    change = _with_arguments(arguments, 0, context.routines.allowance)
    return Rewriter(change).expression(value)


def rows_of(
    function: SqlFunction,
    call: tree.Call,
    context: Context,
    resolve: Resolve,
    inside: ResolveInside,
) -> Plan:
    """The rows that a table function's call makes."""
    if not function.is_table:
        raise TypeMismatch(f"{function.name} makes a value, not rows", position=call.position)
    within = _context_of(function, context)
    arguments = _arguments(function, call, within, resolve, inside)
    text = text_of(function)
    query = parse_query(function.body, text.dialect, spelling=spelling_of(text))
    plan = within.inside(_parameters(function, arguments)).plan_of(query)
    if function.columns:
        plan = _as_declared(plan, function, within)
    return Rewriter(_with_arguments(arguments, 1, context.routines.allowance)).plan(plan, 1)


def _as_declared(plan: Plan, function: SqlFunction, context: Context) -> Plan:
    if len(plan.columns) != len(function.columns):
        raise TypeMismatch(
            f"{function.name} returns {len(function.columns)} columns, but its query"
            f" {len(plan.columns)}"
        )
    items = tuple(
        (column.name, convert(reference, column.type, context.semantics))
        for column, reference in zip(function.columns, references(plan), strict=True)
    )
    return Project(plan, items)


def _context_of(function: SqlFunction, context: Context) -> Context:
    text = text_of(function)
    refuse_unsupported(text)
    return replace(
        context,
        semantics=semantics_of(text),
        names=context.names.within(text),
        common_tables=MappingProxyType({}),
        outer=(),
        routines=context.routines.inside(function),
    )


def _parameters(function: SqlFunction, arguments: Sequence[RowExpression]) -> Scope:
    """The scope with the parameters' names, which is outside the scopes of the body."""
    columns = tuple(
        PlanColumn(parameter.name, argument.type, argument.nullable)
        for parameter, argument in zip(function.parameters, arguments, strict=True)
    )
    return relation_scope(Values((), columns), function.name.parts)


def _arguments(
    function: SqlFunction, call: tree.Call, within: Context, resolve: Resolve, inside: ResolveInside
) -> Sequence[RowExpression]:
    """One argument for each parameter, cast to its type."""
    parameters = function.parameters
    given: dict[str, tree.Expression] = {
        p.name.lower(): a for p, a in zip(parameters, call.arguments, strict=False)
    }
    unknown = {name for name, _ in call.named} - {p.name.lower() for p in parameters}
    twice = len(given.keys() | dict(call.named).keys()) != len(given) + len(call.named)
    if unknown or twice or len(call.arguments) > len(parameters) or call.distinct:
        raise TypeMismatch(
            f"{function.name} does not take these arguments", position=call.position,
            hint=f"its parameters are ({', '.join(p.name for p in parameters)})",
        )  # fmt: skip
    given |= dict(call.named)

    def argument(parameter: Parameter) -> RowExpression:
        node = given.get(parameter.name.lower())
        if node is not None:
            value = resolve(node)
        elif parameter.default is not None:
            default = parse_body(parameter.default, spelling_of(text_of(function)))
            value = inside(default, within, None)
        else:
            raise TypeMismatch(
                f"{function.name} needs its argument {parameter.name}", position=call.position
            )
        return convert(value, parameter.type, within.semantics)

    return [argument(parameter) for parameter in parameters]


def _with_arguments(arguments: Sequence[RowExpression], top: int, allowance: Allowance) -> Change:
    """A change that replaces parameters by arguments; the body is ``top`` queries deeper."""
    sizes = [size(argument) for argument in arguments]
    over_windows = [any(isinstance(p, WindowCall) for p in walk(a)) for a in arguments]

    def change(part: RowExpression, depth: int) -> RowExpression | None:
        match part:
            case ColumnReference(index=index) if depth == 0:
                pass
            case OuterReference(level=level, index=index) if level == depth:
                if over_windows[index]:
                    raise UnsupportedConstruct("a window as the argument of a function's sub-query")
            case _:
                return None
        allowance.spend(sizes[index])
        return lift(arguments[index], depth - top)

    return change
