"""Writes a plan as text for people: one node per line, with its inputs indented below."""

from __future__ import annotations

from typing import assert_never

from lakeschema.catalog.column_types import print_type
from lakeschema.translation.plan.expression_text import expression_text, name_text, sort_keys_text
from lakeschema.translation.plan.expressions import (
    subqueries,
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
    Recursion,
    RecursiveScan,
    Scan,
    SetOperation,
    Sort,
    Values,
    Window,
    expressions,
    inputs,
)


def explain(plan: Plan) -> str:
    """The plan's text, ending in a newline; sub-queries of expressions stand below their node."""
    lines: list[str] = []
    _explain(plan, 0, lines)
    return "\n".join(lines) + "\n"


def _shown(line: str) -> str:
    """The line with line ends in names escaped: a name may contain any character."""
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)


def _explain(plan: Plan, depth: int, lines: list[str]) -> None:
    lines.append("  " * depth + _shown(_node(plan)))
    for asked in subqueries(expressions(plan)):
        lines.append("  " * (depth + 1) + "(sub-query)")
        _explain(asked.plan, depth + 2, lines)
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
            return "project " + ", ".join(
                f"{expression_text(e)} as {name_text(n)}" for n, e in items
            )
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
        case RecursiveScan(name=table):
            return f"scan {table} itself"
        case Recursion(name=table, columns=made, most=most):
            names = ", ".join(column.name for column in made)
            return f"recursion {table} ({names})" + ("" if most is None else f" at most {most}")
        case SetOperation(operator, branches):
            return f"{operator.value} of {len(branches)}"
        case Sort(keys=sort_keys, total=total):
            return ("sort " if total else "sort within reducers ") + sort_keys_text(sort_keys)
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
