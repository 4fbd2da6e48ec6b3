"""Analyses the statements of a script, each against the catalog after the earlier statements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import KnownCatalog
from lakeschema.analysis.catalog_updates import CatalogUpdate, Change, catalog_updates
from lakeschema.analysis.resolving.statements import resolve
from lakeschema.analysis.syntax import statements as st
from lakeschema.analysis.syntax.dialects import StatementGrammar
from lakeschema.analysis.syntax.scripts import MAX_BYTES, Unreadable, read_script
from lakeschema.translation.model.errors import TooLarge, TranslationError


@dataclass(frozen=True, slots=True)
class Analysed:
    """One statement and its effect, or why the effect is unknown.

    Attributes:
        before: the catalog before the statement.
        catalog: the catalog after the statement.
        statement: the parsed statement.
        procedure: the name, as written, of the procedure whose body has the statement.
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
    """Analyses statements in order. Never raises for the text's content."""
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
            if isinstance(each, st.Create):
                made = {u.relation for u in updates if u.change in _MADE and u.relation}
                catalog = replace(catalog, created=catalog.created | made)
            yield Analysed(
                placed.text, each, resolved, before, catalog, updates, procedure=procedure
            )


def _bodies(statement: st.Statement) -> tuple[tuple[st.Statement, ...], str]:
    if isinstance(statement, st.Block):
        name = "" if statement.name is None else ".".join(statement.name.parts)
        inner = [_bodies(each) for each in statement.statements]
        bodies = tuple(each for found, _ in inner for each in found)
        return bodies or (st.Other("CREATE PROCEDURE"),), name
    return (statement,), ""


_MADE: Final = frozenset({Change.CREATED, Change.REPLACED})
