"""Decides whether ``timestamp`` in a Spark view's text means an instant, or a time without a zone."""

from __future__ import annotations

import re

from lakeschema.catalog.column_types import (
    TIMESTAMP,
    TIMESTAMP_LOCAL,
    TIMESTAMP_NTZ,
    ColumnType,
    map_type,
)
from lakeschema.translation.plan.expressions import Literal, RowExpression
from lakeschema.translation.syntax import tree

_WITHOUT_ZONE = re.compile(r"\s*[+-]?[0-9]+(-[0-9]+){0,2}([ T][0-9:.]*)?\s*")


def spark_type(
    target: ColumnType, node: tree.Cast, operand: RowExpression, *, zoneless: bool
) -> ColumnType:
    """The type of a cast or literal in Spark's text; its ``timestamp_ltz`` is ``timestamp`` here.

    ``TIMESTAMP '2020-01-01 00:00:00Z'`` is an instant even if ``zoneless``: it states a zone.
    """
    states_zone = (
        node.position is None
        and isinstance(operand, Literal)
        and not _WITHOUT_ZONE.fullmatch(operand.value or "")
    )
    bare = TIMESTAMP_NTZ if zoneless and not states_zone else TIMESTAMP
    meanings: dict[ColumnType, ColumnType] = {TIMESTAMP: bare, TIMESTAMP_LOCAL: TIMESTAMP}
    return map_type(target, lambda part: meanings.get(part, part))
