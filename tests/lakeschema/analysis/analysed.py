"""Analyses one text, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import KnownCatalog, KnownTable
from lakeschema.analysis.scripts import Analysed, analyse
from lakeschema.analysis.syntax.dialects import grammar_of
from lakeschema.catalog.identifiers import RelationName

TABLES = {
    "foo": ["a"],
    "bar": ["a", "b"],
    "orders": ["id", "customer", "amount", "at"],
    "customers": ["id", "name", "country"],
}


def catalog_of(tables: Mapping[str, Sequence[str]]) -> KnownCatalog:
    catalog = KnownCatalog()
    for name, columns in tables.items():
        catalog = catalog.with_table(RelationName.of(*name.split(".")), KnownTable(tuple(columns)))
    return catalog


def all_of(
    sql: str, dialect: str = "spark", tables: Mapping[str, Sequence[str]] | None = None
) -> list[Analysed]:
    catalog = catalog_of(TABLES if tables is None else tables)
    return list(analyse(sql, grammar_of(dialect), catalog))


def resolved(
    sql: str, dialect: str = "spark", tables: Mapping[str, Sequence[str]] | None = None
) -> rs.Resolved:
    """The one statement of a text, which must be understood."""
    (analysed,) = all_of(sql, dialect, tables)
    if analysed.error is not None:
        raise analysed.error
    assert analysed.resolved is not None
    return analysed.resolved
