"""Decides whether a plan returns the same rows each time it reads the same tables.

Only then do stored rows agree with rows that are computed later. User-defined functions count as
deterministic, as they do in the engines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lakeschema.catalog.column_types import ArrayType, ColumnType, MapType, StructType
from lakeschema.translation.functions.coercion import is_float, is_time
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Cast,
    Literal,
    RowExpression,
    WindowCall,
    subqueries,
    walk,
)
from lakeschema.translation.plan.operators import OF_FILES
from lakeschema.translation.plan.relations import Limit, Plan, expressions, plans_of

_CONSTANTS = frozenset({"pi", "e", "array", "map", "named_struct", "struct", "nan", "infinity"})
"""Functions that give the same value in every call without arguments."""
_OF_THE_MOMENT = frozenset(
    {
        *("current_timestamp", "current_time", "localtime", "localtimestamp", "now"),
        *("current_catalog", "current_database", "current_schema"),
        # A group shows any of the texts that a collation takes as equal.
        "collate",
        # Groups rows by distance: a row's group depends on other rows.
        *("window", "session_window", "window_time"),
    }
)
_RELATIVE = re.compile(r"\s*(?:(?:now|today|yesterday|tomorrow)\b|t?\d{1,2}:)", re.IGNORECASE)
"""The beginning of a text that means a time relative to now."""
_OF_ANY_ORDER = frozenset(
    {
        *("count", "count_if", "sum", "avg", "min", "max", "regr_count"),
        *("bool_and", "bool_or", "bit_and", "bit_or", "bit_xor"),
        *("grouping", "grouping_id", "grouping__id"),
    }
)
"""Aggregates whose result does not depend on the order of the rows."""
_RANKS = frozenset({"rank", "dense_rank", "percent_rank", "cume_dist"})
_ADDING = frozenset({"sum", "avg"})
FLOATING = "floating-point numbers depends on the order of additions"


def why_unrepeatable(plan: Plan, *, floats: bool) -> str | None:
    """Why another evaluation might return other rows; None if it returns the same rows.

    With ``floats``, sums of floating-point numbers count as equal although their last digits depend
    on the order.
    """
    return next(_reasons(plan, floats=floats), None)


def why_expression_unrepeatable(read: Iterable[RowExpression], *, floats: bool) -> str | None:
    """Why another evaluation of expressions might give other values; None if it gives the same values.

    Sub-queries in the expressions count.
    """
    return next(_reasons_in(read, floats=floats), None)


def adds_floats(call: AggregateCall | WindowCall) -> bool:
    """Whether an aggregate adds up floating-point numbers."""
    return call.operator.name in _ADDING and is_float(call.type)


def may_differ_when_equal(type_: ColumnType) -> bool:
    """Whether a group may treat different values as equal, such as 0.0 and -0.0, or ordered maps."""
    match type_:
        case ArrayType(element):
            return may_differ_when_equal(element)
        case MapType():
            return True
        case StructType(fields):
            return any(may_differ_when_equal(field.type) for field in fields)
        case _:
            return is_float(type_)


def _reasons(plan: Plan, *, floats: bool) -> Iterator[str]:
    for node in plans_of(plan):
        if isinstance(node, Limit):
            yield "which rows a limit takes is not certain"
        for expression in expressions(node):
            yield from _reasons_of(expression, floats=floats)


def _reasons_in(read: Iterable[RowExpression], *, floats: bool) -> Iterator[str]:
    for expression in read:
        yield from _reasons_of(expression, floats=floats)
        for asked in subqueries((expression,)):
            yield from _reasons(asked.plan, floats=floats)


def _reasons_of(expression: RowExpression, *, floats: bool) -> Iterator[str]:
    for part in walk(expression):
        match part:
            case Literal() | Cast() | Call() if is_time(part.type) and _reads_clock(part):
                yield "a text means a time of the current day"
            case Call():
                if _is_of_the_moment(part):
                    yield f"{part.operator.spelling} may have another value each time"
            case AggregateCall() | WindowCall():
                name = part.operator.name
                if not _is_of_any_order(part):
                    yield f"the result of {name} may depend on the order of rows"
                elif adds_floats(part) and not floats:
                    yield f"{name} of {FLOATING}"
            case _:
                pass


def _reads_clock(expression: RowExpression) -> bool:
    """Whether an expression contains a text that means a time relative to now."""
    literals = (part for part in walk(expression) if isinstance(part, Literal))
    return any(each.value is not None and _RELATIVE.match(each.value) for each in literals)


def _is_of_the_moment(call: Call) -> bool:
    operator = call.operator
    if operator.udf is not None:
        return not operator.deterministic
    name = operator.name
    return (
        not operator.deterministic
        or name in _OF_THE_MOMENT
        or name.endswith(OF_FILES)
        or (not call.arguments and name not in _CONSTANTS)
    )


def _is_of_any_order(call: AggregateCall | WindowCall) -> bool:
    name = call.operator.name
    if isinstance(call, AggregateCall):
        return name in _OF_ANY_ORDER and not call.order_by
    if name in _RANKS:
        return not call.within
    # A RANGE frame takes rows with equal keys together, a ROWS frame does not.
    together = call.frame is None or call.frame.upper().lstrip().startswith("RANGE")
    return name in _OF_ANY_ORDER and together and not call.within
