"""A script of statements, each analysed against the catalog as the ones before it left it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import KnownCatalog
from lakeschema.analysis.catalog_updates import CatalogUpdate, Change, catalog_updates
from lakeschema.analysis.column_access import columns_read
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.resolving.statements import resolve
from lakeschema.analysis.syntax import statements as st
from lakeschema.analysis.syntax.dialects import StatementGrammar
from lakeschema.analysis.syntax.scripts import MAX_BYTES, Unreadable, read_script
from lakeschema.analysis.table_access import tables_read
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.errors import TooLarge, TranslationError


@dataclass(frozen=True, slots=True)
class Analysed:
    """One statement: what it does, or why that is not known.

    Attributes:
        before: the catalog that it is read against.
        catalog: after it.
        statement: as it was read.
        procedure: whose body the statement is of, as written.
    """

    text: str
    statement: st.Statement | None
    resolved: rs.Resolved | None
    before: KnownCatalog
    catalog: KnownCatalog
    updates: tuple[CatalogUpdate, ...] = ()
    error: TranslationError | None = None
    procedure: str = ""


def analyse(
    sql: str, grammar: StatementGrammar, catalog: KnownCatalog, max_bytes: int = MAX_BYTES
) -> Iterator[Analysed]:
    """One after the other. Never raises for what the text says."""
    for placed in read_script(sql, grammar, max_bytes):
        statement = placed.statement
        if isinstance(statement, Unreadable):
            yield Analysed(placed.text, None, None, catalog, catalog, error=statement.error)
            continue
        bodies, procedure = _bodies(statement)
        for each in bodies:
            try:
                resolved = resolve(each, catalog, grammar.scoping)[0]
            except TranslationError as error:
                yield Analysed(
                    placed.text, each, None, catalog, catalog, error=error, procedure=procedure
                )
                continue
            except RecursionError:
                deep = TooLarge("the statement is nested too deeply")
                yield Analysed(
                    placed.text, each, None, catalog, catalog, error=deep, procedure=procedure
                )
                continue
            before = catalog
            catalog, updates = catalog_updates(each, resolved, before)
            if isinstance(each, st.Create) and any(u.change in _MADE for u in updates):
                catalog = _with_created(catalog, each, resolved)
            yield Analysed(
                placed.text, each, resolved, before, catalog, updates, procedure=procedure
            )


def _bodies(statement: st.Statement) -> tuple[tuple[st.Statement, ...], str]:
    if isinstance(statement, st.Block):
        return statement.statements, ".".join(statement.name.parts)
    return (statement,), ""


_MADE: Final = frozenset({Change.CREATED, Change.REPLACED})


def _with_created(catalog: KnownCatalog, create: st.Create, resolved: rs.Resolved) -> KnownCatalog:
    """Notes who made it and, of a view, what its query reads."""
    name = catalog.named(create.name.parts)
    table = catalog.known(name)
    if table is None:
        return catalog
    if table.is_view:
        catalog = catalog.with_table(name, replace(table, reads=_reads_of(resolved)))
    return replace(catalog, created=catalog.created | {name})


def _reads_of(resolved: rs.Resolved) -> tuple[tuple[RelationName, tuple[str, ...]], ...]:
    conventions = Conventions()
    found: dict[RelationName, dict[str, None]] = {}
    for source in tables_read(resolved, conventions):
        if isinstance(source, RelationName):
            found.setdefault(source, {})
    for column, _ in columns_read(resolved, conventions):
        if isinstance(column.source, RelationName):
            found.setdefault(column.source, {})[column.column] = None
    return tuple((relation, tuple(columns)) for relation, columns in found.items())
