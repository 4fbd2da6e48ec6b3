"""Finds the tables whose data or definition a statement reads or writes."""

from __future__ import annotations

from collections.abc import Iterator

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import Source
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.resolved import Access
from lakeschema.analysis.walking import queries_of, relations_of


def table_access(
    resolved: rs.Resolved, conventions: Conventions | None = None
) -> tuple[tuple[Access, Source], ...]:
    """The tables and kinds of access, each pair once, reads first."""
    chosen = conventions or Conventions()
    read = [(Access.READ_DATA, source) for source in tables_read(resolved, chosen)]
    return tuple(dict.fromkeys((*read, *resolved.touched)))


def tables_read(resolved: rs.Resolved, conventions: Conventions) -> Iterator[Source]:
    """The tables that the statement's queries read, once for each occurrence."""
    for query in queries_of(resolved, with_unused=conventions.unused_common_tables):
        yield from sources_of(query)


def sources_of(query: rs.Query) -> Iterator[Source]:
    """The tables in the FROM of one query, without nested queries."""
    if isinstance(query, rs.Select):
        for relation in relations_of(query.source):
            if isinstance(relation, rs.Scan):
                yield relation.source
