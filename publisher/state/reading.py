"""Reads a state that another program writes; creates, migrates and changes nothing.

Uses SQL as text, because an import of SQLAlchemy takes longer than most queries. A test compares every
result with the result of the state itself.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from lakeschema.catalog.identifiers import Namespace, RelationName
from publisher.state.migrations import newest_revision
from publisher.state.places import Database, Place
from publisher.state.protocol import StateUnavailable
from publisher.state.records import FillingRecord, RelationRecord, VersionRecord
from publisher.state.sql.keys import chunks, keys_of, name_of
from publisher.state.sql.rows import (
    filling_record,
    relation_record,
    row_maker,
    version_record,
)

if TYPE_CHECKING:
    from publisher.state import postgresql_connections

_RECORDS = """
SELECT name, facts_hash, read_event_id, missing_since, status, stale, reason, interface_hash, content_hash,
    inputs_hash, derived_facts_hash, published_hash, yanked, index_check_due, incarnation, fingerprint,
    republish_after, read_at, kind, owner
FROM relation JOIN schema USING (name) WHERE name IN ({keys})
"""
_DERIVATIONS = (
    "SELECT name, derivation FROM schema WHERE derivation IS NOT NULL AND name IN ({keys})"
)
_FACTS_HASHES = "SELECT name, facts_hash FROM relation WHERE facts_hash IS NOT NULL"
_UPSTREAMS = """
SELECT dependent, upstream FROM edge WHERE dependent IN ({keys}) ORDER BY dependent, position
"""
_DEPENDENTS = "SELECT DISTINCT dependent FROM edge WHERE upstream IN ({keys}) ORDER BY dependent"
_FILLED_FROM = """
SELECT * FROM filling WHERE source IN ({keys}) ORDER BY target, last_at DESC, source, mark
"""
_HISTORY = """
SELECT sequence, distribution, number, relation, status, content_hash, schema_text, wheel_sha256,
    filename, change, reasons, created_at, surface_hash, runtime
FROM version WHERE distribution IN ({keys}) ORDER BY sequence
"""
_COUNT_MISSING = """
SELECT count(*) FILTER (WHERE missing_since IS NOT NULL) AS missing, count(*) AS known
FROM relation JOIN schema USING (name)
WHERE facts_hash IS NOT NULL AND published_hash IS NOT NULL AND ({text} IS NULL OR namespace = {text})
"""


_SQLITE: Final = {"keys": "SELECT value FROM json_each(?)", "text": "?"}
_POSTGRESQL: Final = {
    "keys": "SELECT json_array_elements_text(CAST(%s AS JSON))",
    "text": "CAST(%s AS TEXT)",
}


class UnreadableState(Exception):
    """The state exists, but this release cannot read it."""


class StateReading:
    """The reading methods of a transaction; ``publisher.state.protocol`` describes them."""

    def __init__(
        self,
        connection: sqlite3.Connection | postgresql_connections.Connection,
        forms: Mapping[str, str],
    ) -> None:
        """Reads with SQL in which names in braces stand for the database's own text in ``forms``."""
        self._cursor: Callable[[], Any] = connection.cursor
        self._forms = forms

    def position(self, source: str) -> str | None:
        rows = self._rows("SELECT position FROM source_offset WHERE source = {text}", [source])
        return next((row.position for row in rows), None)

    def outstanding(self) -> frozenset[RelationName]:
        """Relations that wait to be read, derived or published."""
        return frozenset(name_of(row.key) for row in self._rows("SELECT key FROM work"))

    def records(self, names: Iterable[RelationName]) -> Mapping[RelationName, RelationRecord]:
        found = map(relation_record, self._of_keys(_RECORDS, keys_of(names)))
        return {record.name: record for record in found}

    def facts_hashes(self) -> Mapping[RelationName, str]:
        return {name_of(row.name): row.facts_hash for row in self._rows(_FACTS_HASHES)}

    def derivations(self, names: Iterable[RelationName]) -> Mapping[RelationName, str]:
        rows = self._of_keys(_DERIVATIONS, keys_of(names))
        return {name_of(row.name): row.derivation for row in rows}

    def upstreams(
        self, dependents: Iterable[RelationName]
    ) -> Mapping[RelationName, tuple[RelationName, ...]]:
        """Direct upstreams in order of first mention, with an entry for each given name."""
        dependents = list(dependents)
        found: dict[RelationName, list[RelationName]] = {name: [] for name in dependents}
        for row in self._of_keys(_UPSTREAMS, keys_of(dependents)):
            found[name_of(row.dependent)].append(name_of(row.upstream))
        return {name: tuple(upstreams) for name, upstreams in found.items()}

    def dependents(self, upstreams: Iterable[RelationName]) -> Sequence[RelationName]:
        rows = self._of_keys(_DEPENDENTS, keys_of(upstreams))
        return list(dict.fromkeys(name_of(row.dependent) for row in rows))

    def filled_from(self, sources: Iterable[RelationName]) -> Sequence[FillingRecord]:
        """The fillings from these tables, like ``Fillings.out_of``."""
        return [filling_record(row) for row in self._of_keys(_FILLED_FROM, keys_of(sources))]

    def history(self, distribution: str) -> Sequence[VersionRecord]:
        return [version_record(row) for row in self._of_keys(_HISTORY, [distribution])]

    def count_missing(self, namespace: Namespace | None) -> tuple[int, int]:
        """Like ``RelationGraph.count_missing``, without dropped relations."""
        key = None if namespace is None else str(namespace)
        (row,) = self._rows(_COUNT_MISSING, [key, key])
        return row.missing, row.known

    def _of_keys(self, statement: str, keys: Iterable[str]) -> Iterator[Any]:
        for chunk in chunks(keys):
            yield from self._rows(statement, [chunk])

    def _rows(self, statement: str, values: Sequence[str | None] = ()) -> Iterator[Any]:
        cursor = self._cursor()
        cursor.execute(statement.format_map(self._forms), values)
        columns = tuple(column[0] for column in cursor.description)
        return map(row_maker(columns), cursor)


@contextmanager
def read_state(place: Place) -> Iterator[StateReading | None]:
    """One consistent state for the duration of the block; None if ``place`` has no state.

    Raises:
        UnreadableState: another release wrote it, or it cannot be read.
    """
    reading = _read_file(place) if isinstance(place, Path) else _read_database(place)
    with reading as found:
        yield found


@contextmanager
def _read_file(path: Path) -> Iterator[StateReading | None]:
    if not path.is_file():
        yield None
        return
    try:
        connection = _connect(path)
    except sqlite3.Error as error:
        raise UnreadableState(f"{path}: {error}") from error
    with closing(connection):
        connection.execute("BEGIN")
        _require(_revision(connection, path), path)
        yield StateReading(connection, _SQLITE)


@contextmanager
def _read_database(place: Database) -> Iterator[StateReading | None]:
    from publisher.state.postgresql_connections import connect, reporting, revision_of

    with ExitStack() as stack:
        try:
            connection = stack.enter_context(closing(connect(place)))
            with reporting(place):
                connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                revision = revision_of(connection)
        except StateUnavailable as error:
            raise UnreadableState(f"{error.reason}; {error.hint}") from error
        if revision is None:
            yield None
            return
        _require(revision, place)
        yield StateReading(connection, _POSTGRESQL)


def _connect(path: Path) -> sqlite3.Connection:
    """Opens the file for reading.

    Without a write-ahead log no other program writes, and SQLite must not create a log.
    """
    has_log = path.with_name(f"{path.name}-wal").exists()
    mode = "mode=ro" if has_log else "mode=ro&immutable=1"
    address = f"file:{quote(str(path.absolute()))}?{mode}"
    return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)


def _revision(connection: sqlite3.Connection, path: Path) -> str:
    try:
        rows = connection.execute("SELECT * FROM alembic_version").fetchall()
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):
            raise UnreadableState(f"{path}: {error}") from error
        rows = []
    except sqlite3.Error as error:
        raise UnreadableState(f"{path}: {error}") from error
    return ",".join(number for (number,) in rows)


def _require(revision: str, place: Place) -> None:
    if revision != newest_revision():
        raise UnreadableState(f"{place} was written by another release of schema-publisher")
