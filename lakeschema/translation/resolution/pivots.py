"""PIVOT and UNPIVOT as the queries that say the same without them.

PIVOT groups by the columns that it does not name; a value's column is null, counts included, where a
group has no row of that value. UNPIVOT makes a row of each of its columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from lakeschema.translation.syntax import tree


def pivot(item: tree.Pivot, names: Sequence[str]) -> tree.Query:
    """``names`` are those of all columns of the input."""
    read = {name.lower() for name in _columns_named((*item.aggregates, _paths(item.keys)))}
    kept = [tree.Name((name,)) for name in names if name.lower() not in read]
    several = len(item.aggregates) > 1
    items = [tree.SelectItem(key) for key in kept]
    for value in item.values:
        matches = _matches(item.keys, value.expression)
        for aggregate in item.aggregates:
            label = value.aliases[0] if value.aliases else _label(value.expression, value.text)
            if several:
                label += f"_{aggregate.aliases[0] if aggregate.aliases else aggregate.text}"
            items.append(tree.SelectItem(_where(aggregate.expression, matches), (label,)))
    return tree.Select(
        tuple(items), item.input, grouping=tree.Grouping(tuple(kept)) if kept else None
    )


def _where(node: tree.Expression, matches: tree.Expression) -> tree.Expression:
    """The aggregate of the rows that match, null if there are none."""
    one = tree.Call("count", (tree.NumberLiteral("1"),), filter=matches)
    there = tree.Call(">", (one, tree.NumberLiteral("0")))
    return tree.Case(None, ((there, _filtered(node, matches)),), None)


def _filtered(node: Any, matches: tree.Expression) -> Any:
    """Each call that reads a column gets the filter; what calls are around an aggregate stay."""
    if isinstance(node, tree.Call) and _is_innermost(node):
        return tree.Call(
            node.name, node.arguments, node.position, node.distinct, matches, node.qualifier,
            order_by=node.order_by, ignores_nulls=node.ignores_nulls,
        )  # fmt: skip
    if isinstance(node, tree.Call):
        arguments = tuple(_filtered(argument, matches) for argument in node.arguments)
        return tree.Call(node.name, arguments, node.position)
    if isinstance(node, tree.Cast):
        return tree.Cast(_filtered(node.operand, matches), node.type, node.tolerant, node.position)
    return node


def _is_innermost(node: tree.Call) -> bool:
    return node.name.isidentifier() and node.name.lower() not in _AROUND


_AROUND = frozenset(
    {"coalesce", "round", "nvl", "ifnull", "abs", "ceil", "floor", "and", "or", "not", "if"}
)
"""Functions that are no aggregates and stand around one in a pivot."""


def _matches(keys: Sequence[tuple[str, ...]], value: tree.Expression) -> tree.Expression:
    values = value.items if isinstance(value, tree.Tuple) and len(keys) > 1 else (value,)
    tests = tuple(
        tree.Call("<=>", (tree.Name(key), each)) for key, each in zip(keys, values, strict=False)
    )
    return tests[0] if len(tests) == 1 else tree.Call("and", tests)


def _label(value: tree.Expression, text: str) -> str:
    """A column's name is its value, as Spark casts it to text."""
    match value:
        case tree.StringLiteral(content):
            return content
        case tree.NullLiteral():
            return "null"
        case tree.Tuple(items):
            return "{" + ", ".join(_label(i, "") for i in items) + "}"
        case tree.NumberLiteral(number):
            return number
        case tree.BooleanLiteral(truth):
            return "true" if truth else "false"
        case tree.Cast(tree.StringLiteral(content), position=None):
            return content
        case _:
            return text


def unpivot(item: tree.Unpivot, names: Sequence[str]) -> tree.Query:
    """Rows of all other columns, the name of the column, and its values."""
    read = {path[-1].lower() for columns in item.columns for path in columns.paths}
    rows = tree.Call("array", tuple(_row(item, columns) for columns in item.columns))
    produced = (item.name, *item.values)
    view = tree.LateralView(item.input, tree.Call("inline", (rows,)), False, "unpivoted", produced)
    kept = [tree.SelectItem(tree.Name((name,))) for name in names if name.lower() not in read]
    made = [tree.SelectItem(tree.Name(("unpivoted", name))) for name in produced]
    there = [
        tree.Call("not", (tree.Call("is null", (tree.Name(("unpivoted", value)),)),))
        for value in item.values
    ]
    condition = there[0] if len(there) == 1 else tree.Call("or", tuple(there))
    return tree.Select((*kept, *made), view, None if item.with_nulls else condition)


def _row(item: tree.Unpivot, columns: tree.UnpivotColumns) -> tree.StructLiteral:
    label = columns.alias or "_".join(path[-1] for path in columns.paths)
    values = tuple(
        (name, tree.Name(path)) for name, path in zip(item.values, columns.paths, strict=False)
    )
    return tree.StructLiteral(((item.name, tree.StringLiteral(label)), *values))


def _paths(keys: Sequence[tuple[str, ...]]) -> tuple[tree.Name, ...]:
    return tuple(tree.Name(key) for key in keys)


def _columns_named(node: Any) -> Iterator[str]:
    """The first part of each name inside, and the last, which may be a column behind a qualifier."""
    if isinstance(node, tree.Name):
        yield node.parts[0]
        yield node.parts[-1]
    elif isinstance(node, tuple):
        for part in node:
            yield from _columns_named(part)
    elif is_dataclass(node):
        for part in fields(node):
            yield from _columns_named(getattr(node, part.name))
