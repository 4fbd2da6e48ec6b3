"""Whether a plan has the same rows each time that it is evaluated over the same tables.

Rows that were stored at one time go together with rows that are computed later only if it has.
Functions that users define count as deterministic, as engines take them.
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
"""Functions that, called without arguments, always give the same value."""
_OF_THE_MOMENT = frozenset(
    {
        *("current_timestamp", "current_time", "localtime", "localtimestamp", "now"),
        *("current_catalog", "current_database", "current_schema"),
        # Of values that are equal and not the same, a group shows any.
        "collate",
        # Groups of rows by their distance: what one row is in depends on others.
        *("window", "session_window", "window_time"),
    }
)
_RELATIVE = re.compile(r"\s*(?:(?:now|today|yesterday|tomorrow)\b|t?\d{1,2}:)", re.IGNORECASE)
"""Begins a text that means a time of the current day."""
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
    """Why another evaluation might have other rows; None if none can.

    ``floats``: sums of floating-point numbers, whose last digits depend on the order, count as equal.
    """
    return next(_reasons(plan, floats=floats), None)


def why_expression_unrepeatable(read: Iterable[RowExpression], *, floats: bool) -> str | None:
    """The same of expressions, with the sub-queries in them."""
    return next(_reasons_in(read, floats=floats), None)


def adds_floats(call: AggregateCall | WindowCall) -> bool:
    """Whether it adds floating-point numbers up."""
    return call.operator.name in _ADDING and is_float(call.type)


def may_differ_when_equal(type_: ColumnType) -> bool:
    """Whether values of it that are equal, as groups see it, may differ: 0.0 and -0.0, maps in two orders."""
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
    """Whether the texts in it say a time that is counted from now."""
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
    # Rows that are ordered alike are in a frame of a range together, in one of rows not.
    together = call.frame is None or call.frame.upper().lstrip().startswith("RANGE")
    return name in _OF_ANY_ORDER and together and not call.within
