"""Rewrites PIVOT and UNPIVOT as equivalent queries without them.

PIVOT groups by the columns that it does not name. If all aggregates are numbers or booleans, Spark
first aggregates by group and value (``PivotFirst``). Then a value without rows in a group gives
null, even for a count. Otherwise Spark aggregates the value's rows alone, and a count of no rows is
0. UNPIVOT makes a row from each of its columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, TypeAlias

from lakeschema.catalog.column_types import BOOLEAN, ColumnType, PrimitiveType
from lakeschema.translation.functions.coercion import is_numeric
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.syntax import tree

IsAggregate: TypeAlias = Callable[[tree.Call], bool]


def pivot(
    item: tree.Pivot,
    names: Sequence[str],
    types: Sequence[ColumnType],
    is_aggregate: IsAggregate,
) -> tree.Query:
    """The query that is equivalent to a PIVOT.

    Args:
        item: the PIVOT.
        names: all columns of its input.
        types: the types of its aggregates.
        is_aggregate: whether a call is an aggregate.
    """
    write = _picked if all(map(_is_picked, types)) else _of_rows
    read = {name.lower() for name in _columns_named((*item.aggregates, _paths(item.keys)))}
    kept = [tree.Name((name,)) for name in names if name.lower() not in read]
    several = len(item.aggregates) > 1
    items = [tree.SelectItem(key) for key in kept]
    for value in item.values:
        matches = _matches(item.keys, value.expression)
        for aggregate in item.aggregates:
            label = _name(value, _value_text, "value")
            if several:
                label += f"_{_name(aggregate, _call_text, 'aggregate')}"
            items.append(
                tree.SelectItem(write(aggregate.expression, matches, is_aggregate), (label,))
            )
    return tree.Select(
        tuple(items), item.input, grouping=tree.Grouping(tuple(kept)) if kept else None
    )


def _is_picked(type_: ColumnType) -> bool:
    return is_numeric(type_) or type_ == BOOLEAN


def _picked(
    node: tree.Expression, matches: tree.Expression, is_aggregate: IsAggregate
) -> tree.Expression:
    """The aggregate of the matching rows; null if no row matches."""
    one = tree.Call("count", (tree.NumberLiteral("1"),), filter=matches)
    there = tree.Call(">", (one, tree.NumberLiteral("0")))
    found = _filtered(node, matches, is_aggregate, lambda call: call)
    return tree.Case(None, ((there, found),), None)


def _of_rows(
    node: tree.Expression, matches: tree.Expression, is_aggregate: IsAggregate
) -> tree.Expression:
    """The aggregate over all rows, with null for rows that do not match.

    ``first`` becomes the first non-null value.
    """
    found: tree.Expression = _filtered(node, matches, is_aggregate, _passing_over_nulls)
    return found


def _passing_over_nulls(call: tree.Call) -> tree.Call:
    if call.name.lower() not in _FIRST_AND_LAST:
        return call
    return replace(call, arguments=call.arguments[:1], named=(), ignores_nulls=True)


_FIRST_AND_LAST: Final = frozenset({"first", "last", "first_value", "last_value", "any_value"})


def _filtered(
    node: Any,
    matches: tree.Expression,
    is_aggregate: IsAggregate,
    aggregated: Callable[[tree.Call], tree.Call],
) -> Any:
    """The expression with the filter added at each aggregate in it."""
    match node:
        case tree.Call() if is_aggregate(node):
            both = matches if node.filter is None else tree.Call("and", (matches, node.filter))
            return replace(aggregated(node), filter=both)
        case tuple():
            return tuple(_filtered(each, matches, is_aggregate, aggregated) for each in node)
        case _ if is_dataclass(node) and not isinstance(node, type):
            parts = {part.name: getattr(node, part.name) for part in fields(node)}
            changed = {
                name: _filtered(part, matches, is_aggregate, aggregated)
                for name, part in parts.items()
                if isinstance(part, tuple) or is_dataclass(part)
            }
            return replace(node, **changed)
        case _:
            return node


def _matches(keys: Sequence[tuple[str, ...]], value: tree.Expression) -> tree.Expression:
    values = value.items if isinstance(value, tree.Tuple) and len(keys) > 1 else (value,)
    tests = tuple(
        tree.Call("<=>", (tree.Name(key), each)) for key, each in zip(keys, values, strict=False)
    )
    return tests[0] if len(tests) == 1 else tree.Call("and", tests)


def _name(
    item: tree.SelectItem, generated: Callable[[tree.Expression], str | None], what: str
) -> str:
    """The alias, or the name that Spark generates."""
    found = item.aliases[0] if item.aliases else generated(item.expression)
    if found is None:
        raise UnsupportedConstruct(
            f"the {what} {item.text} of PIVOT without a name", hint="give it an alias"
        )
    return found


def _value_text(value: tree.Expression) -> str | None:
    """The text to which Spark casts a literal; None for other expressions."""
    match value:
        case tree.StringLiteral(content):
            return content
        case tree.NullLiteral():
            return "null"
        case tree.BooleanLiteral(truth):
            return "true" if truth else "false"
        case tree.NumberLiteral(number) | tree.Cast(
            tree.NumberLiteral(number), PrimitiveType("bigint"), position=None
        ):
            return number if _PLAIN_NUMBER.fullmatch(number) else None
        case tree.Cast(tree.StringLiteral(content), PrimitiveType("date"), position=None):
            return content if _PLAIN_DATE.fullmatch(content) else None
        case tree.Tuple(items):
            parts = [_value_text(each) for each in items]
            known = [part for part in parts if part is not None]
            return "{" + ", ".join(known) + "}" if len(known) == len(parts) else None
        case _:
            return None


def _call_text(node: tree.Expression) -> str | None:
    """The text with which Spark shows a plain call; None for other expressions."""
    match node:
        case tree.Name():
            return node.parts[-1]
        case tree.NumberLiteral(number) if number.isdigit():
            return number
        case tree.Star(qualifier=(), excluded=()):
            return "1"
        case tree.Call(name, arguments, distinct=False, filter=None) if name.isidentifier():
            parts = [_call_text(argument) for argument in arguments]
            known = [part for part in parts if part is not None]
            shown = f"{name.lower()}({', '.join(known)})"
            return shown if len(known) == len(parts) else None
        case _:
            return None


_PLAIN_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_PLAIN_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def unpivot(item: tree.Unpivot, names: Sequence[str]) -> tree.Query:
    """The query that is equivalent to an UNPIVOT: a row for each column, with its name and value."""
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
    """The first and the last part of each name inside.

    The last part may be a column after a qualifier.
    """
    if isinstance(node, tree.Name):
        yield node.parts[0]
        yield node.parts[-1]
    elif isinstance(node, tuple):
        for part in node:
            yield from _columns_named(part)
    elif is_dataclass(node):
        for part in fields(node):
            yield from _columns_named(getattr(node, part.name))
