"""Resolves a table of WITH RECURSIVE, whose query reads the table's own earlier rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from lakeschema.catalog.column_types import ColumnType
from lakeschema.translation.model.errors import TypeMismatch, UnsupportedConstruct
from lakeschema.translation.plan.relations import (
    Plan,
    PlanColumn,
    Recursion,
    RecursiveScan,
)
from lakeschema.translation.resolution.context import Context
from lakeschema.translation.resolution.naming import rename_columns
from lakeschema.translation.resolution.upstreams import reads_table
from lakeschema.translation.syntax import tree

Fit: TypeAlias = Callable[[Plan, Sequence[ColumnType], Context], Plan]
WithTables: TypeAlias = Callable[[tree.With, Context], Context]


def recursion(table: tree.CommonTable, context: Context, fit: Fit, with_tables: WithTables) -> Plan:
    """The table's plan, with the anchor's names and types.

    A column is nullable if the anchor or the step makes nulls.

    Raises:
        UnsupportedConstruct: the query is not a UNION of an anchor and one step.
    """
    query, around = table.query, context
    while isinstance(query, tree.With):
        around = with_tables(query, around)
        query = query.body
    if not isinstance(query, tree.SetQuery) or query.operator is not tree.SetOperator.UNION:
        raise UnsupportedConstruct(f"the recursive table {table.name}, which is not a UNION")
    *anchors, step = query.branches
    if any(reads_table(anchor, table.name) for anchor in anchors) or query.distinct:
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
