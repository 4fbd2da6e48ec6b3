"""Casts char columns to string at scans, for plans that read them as strings.

scan t (c string)        →    project cast(c as string) as c
scan t (c char(5))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lakeschema.catalog.column_types import CharType, ColumnType
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.plan.expressions import Cast, ColumnReference, RowExpression
from lakeschema.translation.plan.relations import Plan, Project, Scan, references
from lakeschema.translation.rewriting.nodes import Rewriting

Stored = Mapping[RelationName, Mapping[str, ColumnType]]
"""The stored types of each relation's columns, by the column's name in lower case."""


def chars_as_texts(stored: Stored) -> Rewriting:
    """Casts each stored char to the string that the plan's engine reads."""

    def rule(node: Plan) -> Plan:
        if not isinstance(node, Scan):
            return node
        types = stored.get(node.relation, {})
        columns = tuple(
            replace(column, type=found)
            if isinstance(found := types.get(column.name.lower()), CharType)
            else column
            for column in node.columns
        )
        if columns == node.columns:
            return node
        scan = Scan(node.relation, columns)
        return Project(scan, tuple((c.name, _read(c, node)) for c in references(scan)))

    return Rewriting(rule, frozenset({Scan}))


def _read(column: ColumnReference, plan: Scan) -> RowExpression:
    wanted = plan.columns[column.index].type
    return column if column.type == wanted else Cast(column, wanted, column.nullable)
