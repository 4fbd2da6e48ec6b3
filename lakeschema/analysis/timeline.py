"""Gives the catalog at every position of a log, by bisection over each table's versions.

DDL is read once, in order. Every other statement can then be resolved anywhere, against the catalog
at its position. Temporary tables and the current namespace belong to a session.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Final

from lakeschema.analysis.catalog import (
    NO_CATALOGS,
    CatalogNames,
    KnownCatalog,
    KnownTable,
    catalogs_of,
)
from lakeschema.analysis.catalog_left import CatalogLeft, SessionLeft
from lakeschema.analysis.catalog_updates import CatalogUpdate, Change
from lakeschema.analysis.scripts import analyse
from lakeschema.analysis.statements_logged import LoggedStatement
from lakeschema.analysis.syntax.dialects import UnknownDialect, grammar_of
from lakeschema.catalog.identifiers import RelationName

_BEFORE: Final = 0
"""A position before the first statement."""
MAX_SESSIONS: Final = 100_000
"""The maximum number of sessions that are kept after a log: the most recently changed sessions."""


@dataclass(slots=True)
class _Versions:
    """The versions of one table. Each version is valid from its position; None means an absent table."""

    positions: list[int] = field(default_factory=list)
    tables: list[KnownTable | None] = field(default_factory=list)

    def at(self, position: int) -> tuple[bool, KnownTable | None]:
        """Whether the table is known before ``position``, and its version there."""
        found = bisect_left(self.positions, position)
        return (False, None) if not found else (True, self.tables[found - 1])

    def add(self, position: int, table: KnownTable | None) -> None:
        self.positions.append(position)
        self.tables.append(table)


@dataclass(slots=True)
class _Session:
    """A session's namespaces and temporary tables. Each is valid from its position."""

    temporary: dict[RelationName, _Versions] = field(default_factory=dict)
    positions: list[int] = field(default_factory=list)
    namespaces: list[tuple[str, ...]] = field(default_factory=list)


class Timeline:
    """The versions of a catalog. They are added in order of positions, and can be read at any position.

    A timeline can be sent to other processes.
    """

    def __init__(
        self,
        tables: Mapping[RelationName, KnownTable],
        left: CatalogLeft | None = None,
        catalogs: CatalogNames = NO_CATALOGS,
    ) -> None:
        """Starts a timeline without statements.

        Args:
            tables: the tables before the first of all logs.
            left: the changes of earlier logs.
            catalogs: the names of catalogs in statements.
        """
        self._first = tables
        # A copy, since a timeline is pickled.
        self._listed = dict(catalogs)
        self._catalogs = catalogs_of(tables, catalogs)
        self._versions: dict[RelationName, _Versions] = {}
        self._sessions: dict[str, _Session] = {}
        self.conflicts: list[tuple[int, CatalogUpdate]] = []
        if left is not None:
            self._begin(left)

    def _begin(self, left: CatalogLeft) -> None:
        for name, table in left.tables.items():
            self._versions[name] = _Versions([_BEFORE], [table])
        for session, of_session in left.sessions.items():
            temporary = {n: _Versions([_BEFORE], [t]) for n, t in of_session.temporary.items()}
            found = _Session(temporary)
            if of_session.namespace is not None:
                found.positions.append(_BEFORE)
                found.namespaces.append(of_session.namespace)
            self._sessions[session] = found

    def over(self, tables: Mapping[RelationName, KnownTable]) -> Timeline:
        """A timeline with the same changes over other tables. So it can be sent without its tables."""
        found = copy(self)
        found._first = tables  # noqa: SLF001  (it is a timeline, too)
        found._catalogs = catalogs_of(tables, self._listed)  # noqa: SLF001
        return found

    def left(self) -> CatalogLeft:
        """The differences between the tables after the log and the tables before the log."""
        tables = {name: versions.tables[-1] for name, versions in self._versions.items()}
        sessions = {name: _left(session) for name, session in self._sessions.items()}
        kept = [(name, left) for name, left in sessions.items() if left != SessionLeft()]
        return CatalogLeft(
            # Tables that were created and dropped in the log are left out.
            {n: t for n, t in tables.items() if t is not None or n in self._first},
            dict(kept[-MAX_SESSIONS:]),
        )

    def at(self, position: int, session: str = "", namespace: tuple[str, ...] = ()) -> KnownCatalog:
        """The catalog before the statement at a position; ``namespace`` is the default before any USE."""
        found = self._sessions.get(session)
        if found is None:
            tables = _TablesAt(self, position, None)
            return KnownCatalog(tables, namespace, catalogs=self._catalogs)
        last = bisect_left(found.positions, position)
        temporary = frozenset(
            name for name, versions in found.temporary.items() if versions.at(position)[1]
        )
        chosen = found.namespaces[last - 1] if last else namespace
        tables = _TablesAt(self, position, found)
        return KnownCatalog(tables, chosen, temporary, catalogs=self._catalogs)

    def table(
        self, name: RelationName, position: int, session: _Session | None
    ) -> KnownTable | None:
        if session is not None and name in session.temporary:
            table = session.temporary[name].at(position)[1]
            if table is not None:
                return table
        versions = self._versions.get(name)
        known, table = (False, None) if versions is None else versions.at(position)
        return table if known else self._first.get(name)

    def names(self, position: int, session: _Session | None) -> Iterator[RelationName]:
        inner = () if session is None else session.temporary
        for name in dict.fromkeys((*self._first, *self._versions, *inner)):
            if self.table(name, position, session) is not None:
                yield name

    def add(self, statement: LoggedStatement) -> None:
        """Adds a statement's changes; a failed or unreadable statement has no changes."""
        if not statement.succeeded:
            return
        try:
            grammar = grammar_of(statement.dialect)
        except UnknownDialect:
            return
        catalog = self.at(statement.position, statement.session, statement.namespace)
        for analysed in analyse(statement.sql, grammar, catalog):
            for update in analysed.updates:
                self._add_update(statement, update, analysed.catalog)

    def _add_update(
        self, statement: LoggedStatement, update: CatalogUpdate, after: KnownCatalog
    ) -> None:
        position = statement.position
        if update.change is Change.CONFLICT:
            self.conflicts.append((position, update))
            return
        if update.change is Change.NAMESPACE:
            session = self._changed_session(statement.session)
            session.positions.append(position)
            session.namespaces.append(after.namespace)
            return
        name = update.relation
        assert name is not None
        if update.change is Change.RENAMED:
            assert update.new_name is not None
            self._put(statement, name, None, temporary=False)
            name = update.new_name
        self._put(statement, name, update.table, temporary=name in after.temporary)

    def _put(
        self,
        statement: LoggedStatement,
        name: RelationName,
        table: KnownTable | None,
        *,
        temporary: bool,
    ) -> None:
        session = self._sessions.get(statement.session)
        if temporary:
            session = self._changed_session(statement.session)
            versions = session.temporary.setdefault(name, _Versions())
        elif (
            session is not None
            and session.temporary.get(name, _Versions()).at(statement.position)[1]
        ):
            versions = session.temporary[name]
        else:
            versions = self._versions.setdefault(name, _Versions())
        versions.add(statement.position, table)

    def _changed_session(self, name: str) -> _Session:
        # Sessions are in the order of their last change, so that the first may be dropped.
        session = self._sessions.pop(name, None) or _Session()
        self._sessions[name] = session
        return session


def _left(session: _Session) -> SessionLeft:
    last = ((name, versions.tables[-1]) for name, versions in session.temporary.items())
    return SessionLeft(
        session.namespaces[-1] if session.namespaces else None,
        {name: table for name, table in last if table is not None},
    )


class _TablesAt(Mapping[RelationName, KnownTable]):
    """The tables at one position of a timeline, looked up on demand."""

    def __init__(self, timeline: Timeline, position: int, session: _Session | None) -> None:
        self._timeline = timeline
        self._position = position
        self._session = session

    def __getitem__(self, name: RelationName) -> KnownTable:
        table = self._timeline.table(name, self._position, self._session)
        if table is None:
            raise KeyError(name)
        return table

    def __iter__(self) -> Iterator[RelationName]:
        return self._timeline.names(self._position, self._session)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def timeline_of(
    statements: Iterable[LoggedStatement], tables: Mapping[RelationName, KnownTable]
) -> Timeline:
    """The timeline of a log's DDL, which must be in order of positions."""
    timeline = Timeline(tables)
    for statement in statements:
        timeline.add(statement)
    return timeline
