"""Finds calls that make one value from many rows."""

from __future__ import annotations

from typing import Final

from lakeschema.analysis import resolved as rs

AGGREGATES: Final = frozenset(
    {
        *("count", "sum", "avg", "min", "max", "mean", "stddev", "variance", "collect_list"),
        *("collect_set", "array_agg", "first", "last", "any_value", "approx_count_distinct"),
    }
)


def aggregates(value: rs.Expression) -> bool:
    """Whether an expression contains an aggregate, outside windows and queries."""
    match value:
        case rs.Operation(name, operands):
            return name in AGGREGATES or any(aggregates(operand) for operand in operands)
        case rs.Choice(conditions, results):
            return any(aggregates(each) for each in (*conditions, *results))
        case _:
            return False
