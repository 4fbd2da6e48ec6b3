"""A plan as text for people: one node a line, inputs indented below."""

from __future__ import annotations

from typing import assert_never

from lakeschema.catalog.column_types import print_type
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Case,
    Cast,
    ColumnReference,
    Exists,
    FieldAccess,
    InSubquery,
    Lambda,
    LambdaVariable,
    Literal,
    OuterReference,
    RowExpression,
    ScalarSubquery,
    SortKey,
    Subscript,
    WindowCall,
    walk,
)
from lakeschema.translation.plan.relations import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    Limit,
    Plan,
    Project,
    Scan,
    SetOperation,
    Sort,
    Values,
    Window,
    expressions,
    inputs,
)

MAX_ITEMS = 50


def explain(plan: Plan) -> str:
    """The plan's text, ending in a newline; sub-queries of expressions stand below their node."""
    lines: list[str] = []
    _explain(plan, 0, lines)
    return "\n".join(lines) + "\n"


def _shown(line: str) -> str:
    """A name may hold anything, a line's end among it."""
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)


def _explain(plan: Plan, depth: int, lines: list[str]) -> None:
    lines.append("  " * depth + _shown(_node(plan)))
    for expression in expressions(plan):
        for part in walk(expression):
            if isinstance(part, (ScalarSubquery, Exists, InSubquery)):
                lines.append("  " * (depth + 1) + "(sub-query)")
                _explain(part.plan, depth + 2, lines)
    for below in inputs(plan):
        _explain(below, depth + 1, lines)


def _node(plan: Plan) -> str:
    match plan:
        case Scan(relation, columns):
            shown = ", ".join(
                f"{c.name} {print_type(c.type)}{'' if c.nullable else ' not null'}" for c in columns
            )
            return f"scan {relation} ({shown})"
        case Values(rows, columns):
            return f"values {len(rows)} rows of {len(columns)}"
        case Project(items=items):
            return "project " + ", ".join(f"{expression_text(e)} as {n}" for n, e in items)
        case Filter(condition=condition):
            return f"filter {expression_text(condition)}"
        case Join(kind=kind, condition=on, lateral=lateral):
            on_text = "" if on is None else f" on {expression_text(on)}"
            return f"{'lateral ' if lateral else ''}{kind.value} join{on_text}"
        case Aggregate(keys=keys, aggregates=calls, sets=sets):
            by = ", ".join(expression_text(key) for _, key in keys)
            what = ", ".join(expression_text(call) for _, call in calls)
            shown_sets = "" if sets is None else f" sets {list(map(list, sets))}"
            return f"aggregate by ({by}){shown_sets}: {what}"
        case Window(calls=window_calls):
            return "window " + ", ".join(expression_text(call) for _, call in window_calls)
        case SetOperation(operator, branches):
            return f"{operator.value} of {len(branches)}"
        case Sort(keys=sort_keys, total=total):
            return ("sort " if total else "sort within reducers ") + _keys(sort_keys)
        case Limit(limit=limit, offset=offset):
            shown_limit = "all" if limit is None else expression_text(limit)
            return f"limit {shown_limit}" + (
                "" if offset is None else f" offset {expression_text(offset)}"
            )
        case Distinct():
            return "distinct"
        case Generate(call=call, produced=produced, outer=outer):
            names = ", ".join(column.name for column in produced)
            return f"generate{' outer' if outer else ''} {expression_text(call)} as {names}"
        case _:
            assert_never(plan)


def expression_text(expression: RowExpression) -> str:
    """An expression as a person would write it; implicit casts are not shown."""
    match expression:
        case ColumnReference(name=name) | OuterReference(name=name) | LambdaVariable(name=name):
            return name
        case Literal(value, type_):
            return _literal(value, print_type(type_))
        case Call(operator, arguments):
            return _call(operator.name, [expression_text(a) for a in arguments])
        case Cast(operand=operand, implicit=True):
            return expression_text(operand)
        case Cast(operand, type_):
            return f"cast({expression_text(operand)} as {print_type(type_)})"
        case Case(branches, otherwise):
            whens = " ".join(
                f"when {expression_text(when)} then {expression_text(then)}"
                for when, then in branches
            )
            last = "" if otherwise is None else f" else {expression_text(otherwise)}"
            return f"case {whens}{last} end"
        case FieldAccess(base=base, name=name):
            return f"{expression_text(base)}.{name}"
        case Subscript(base, index):
            return f"{expression_text(base)}[{expression_text(index)}]"
        case AggregateCall(operator, arguments, distinct=distinct, filter=condition):
            inner = ", ".join(expression_text(a) for a in arguments)
            where = "" if condition is None else f" filter (where {expression_text(condition)})"
            return f"{operator.name}({'distinct ' if distinct else ''}{inner}){where}"
        case WindowCall(operator, arguments, partition, order, frame):
            inner = ", ".join(expression_text(a) for a in arguments)
            by = ", ".join(expression_text(e) for e in partition)
            over = [f"partition by {by}"] if by else []
            over += [f"order by {_keys(order)}"] if order else []
            over += [frame.lower()] if frame else []
            return f"{operator.name}({inner}) over ({' '.join(over)})"
        case ScalarSubquery():
            return "(sub-query)"
        case Exists():
            return "exists (sub-query)"
        case InSubquery(operands=operands):
            return f"{', '.join(expression_text(o) for o in operands)} in (sub-query)"
        case Lambda(parameters, body):
            names = ", ".join(p.name for p in parameters)
            return f"({names}) -> {expression_text(body)}"
        case _:
            assert_never(expression)


def _keys(keys: tuple[SortKey, ...]) -> str:
    return ", ".join(
        expression_text(key.expression) + (" desc" if key.descending else "") for key in keys
    )


def _literal(value: str | None, type_: str) -> str:
    if value is None:
        return "null"
    if type_ in {"string", "date", "timestamp"}:
        text = value if len(value) <= 60 else value[:59] + "…"
        return "'" + text.replace("'", "''") + "'"
    return f"interval {value!r} {type_.removeprefix('interval ')}" if "interval" in type_ else value


def _call(name: str, arguments: list[str]) -> str:
    if len(arguments) > MAX_ITEMS:
        arguments = [*arguments[:MAX_ITEMS], "…"]
    if name in {"and", "or"} or (not name[0].isalpha() and len(arguments) == 2) or name == "div":
        return "(" + f" {name} ".join(arguments) + ")"
    if name in {"like", "rlike", "ilike", "is distinct from"} and len(arguments) == 2:
        return f"({arguments[0]} {name} {arguments[1]})"
    if name.startswith("is ") and len(arguments) == 1:
        return f"{arguments[0]} {name}"
    if name == "not":
        return f"not {arguments[0]}"
    if name == "between":
        return f"({arguments[0]} between {arguments[1]} and {arguments[2]})"
    if name == "in":
        return f"{arguments[0]} in ({', '.join(arguments[1:])})"
    if name == "negative":
        return f"-{arguments[0]}"
    return f"{name}({', '.join(arguments)})"
