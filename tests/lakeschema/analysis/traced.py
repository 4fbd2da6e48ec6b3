"""The sources of one statement's columns, and the conditions of its rows, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lakeschema.analysis.column_lineage import RelationLineage, column_lineage
from lakeschema.analysis.conventions import Conventions
from tests.lakeschema.analysis.analysed import resolved


def lineage(
    sql: str,
    dialect: str = "spark",
    tables: Mapping[str, Sequence[str]] | None = None,
    conventions: Conventions | None = None,
) -> RelationLineage:
    (found,) = column_lineage(resolved(sql, dialect, tables), conventions)
    return found


def direct(
    sql: str,
    dialect: str = "spark",
    tables: Mapping[str, Sequence[str]] | None = None,
    conventions: Conventions | None = None,
) -> dict[str, list[str]]:
    found = lineage(sql, dialect, tables, conventions)
    return {column.column: [str(each) for each in column.direct] for column in found.columns}


def rows(sql: str, dialect: str = "spark") -> list[str]:
    return [f"{clause.value}: {column}" for clause, column in lineage(sql, dialect).rows]


def indirect(sql: str, dialect: str = "spark") -> dict[str, list[str]]:
    return {
        column.column: [f"{clause.value}: {each}" for clause, each in column.indirect]
        for column in lineage(sql, dialect).columns
    }
