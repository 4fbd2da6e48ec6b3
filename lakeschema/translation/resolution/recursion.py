"""WITH RECURSIVE: a table whose rows are made of its own rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeAlias

from lakeschema.catalog.column_types import ColumnType
from lakeschema.translation.errors import TypeMismatch, UnsupportedConstruct
from lakeschema.translation.plan.relations import (
    Plan,
    PlanColumn,
    Recursion,
    RecursiveScan,
)
from lakeschema.translation.resolution.context import Context
from lakeschema.translation.resolution.naming import rename_columns
from lakeschema.translation.syntax import tree

Fit: TypeAlias = Callable[[Plan, Sequence[ColumnType], Context], Plan]
WithTables: TypeAlias = Callable[[tree.With, Context], Context]


def reads_itself(table: tree.CommonTable) -> bool:
    return _reads(table.query, table.name.lower())


def recursion(table: tree.CommonTable, context: Context, fit: Fit, with_tables: WithTables) -> Plan:
    """The table's plan; names and types are the anchor's, and null is possible where a step makes it.

    Raises:
        UnsupportedConstruct: it is not a UNION of an anchor and one step.
    """
    query, around = table.query, context
    while isinstance(query, tree.With):
        around = with_tables(query, around)
        query = query.body
    if not isinstance(query, tree.SetQuery) or query.operator is not tree.SetOperator.UNION:
        raise UnsupportedConstruct(f"the recursive table {table.name}, which is not a UNION")
    *anchors, step = query.branches
    if any(_reads(anchor, table.name.lower()) for anchor in anchors) or query.distinct:
        raise UnsupportedConstruct(
            f"the recursive table {table.name}, whose rows are not UNION ALL"
        )
    first = anchors[0] if len(anchors) == 1 else replace(query, branches=tuple(anchors))
    anchor = rename_columns(around.plan_of(first), table.columns)
    columns = anchor.columns
    number = next(context.numbers)
    while True:
        scan = RecursiveScan(table.name, number, columns)
        made = around.with_common_table(table.name, scan).plan_of(step)
        if len(made.columns) != len(columns):
            raise TypeMismatch(
                f"the step of {table.name} has {len(made.columns)} columns, not {len(columns)}"
            )
        made = fit(made, [column.type for column in columns], around)
        wider = tuple(
            PlanColumn(c.name, c.type, c.nullable or m.nullable)
            for c, m in zip(columns, made.columns, strict=True)
        )
        if wider == columns:
            return Recursion(table.name, number, anchor, made, columns, table.most)
        columns = wider


def _reads(node: Any, name: str) -> bool:
    if isinstance(node, tree.TableName):
        return len(node.parts) == 1 and node.parts[0].lower() == name
    if isinstance(node, tuple):
        return any(_reads(part, name) for part in node)
    if isinstance(node, tree.With):
        for table in node.tables:
            if _reads(table.query, name) and not (node.recursive and table.name.lower() == name):
                return True
            if table.name.lower() == name:
                # From here on another table has the name.
                return False
        return _reads(node.body, name)
    if is_dataclass(node):
        return any(_reads(getattr(node, part.name), name) for part in fields(node))
    return False
