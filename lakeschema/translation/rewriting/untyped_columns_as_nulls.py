"""Writes NULL for columns without a type, for engines that store them as text.

scan v (n void)    →    project null as n
scan v (n void)
"""

from __future__ import annotations

from lakeschema.catalog.column_types import VOID
from lakeschema.translation.plan.expressions import Literal
from lakeschema.translation.plan.relations import Plan, Project, Scan, references
from lakeschema.translation.rewriting.nodes import rewriting


@rewriting(Scan)
def untyped_columns_as_nulls(node: Plan) -> Plan:
    if not isinstance(node, Scan) or all(column.type != VOID for column in node.columns):
        return node
    null = Literal(None, VOID)
    items = ((c.name, null if c.type == VOID else c) for c in references(node))
    return Project(node, tuple(items))
