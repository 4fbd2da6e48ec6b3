"""Reads a state in SQLite that another program writes; creates, migrates and changes nothing.

It uses SQL as text, because importing SQLAlchemy takes longer than most questions. A test compares
every answer with the state's own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lakeschema.catalog.identifiers import RelationName
from publisher.state.migrations import newest_revision
from publisher.state.records import FillingRecord, RelationRecord, VersionRecord
from publisher.state.sql.keys import chunks, keys_of, name_of, namespace_key
from publisher.state.sql.rows import (
    filling_record,
    relation_record,
    row_maker,
    version_record,
)

_RECORDS = """
SELECT name, facts_hash, read_event_id, missing_since, status, stale, reason, interface_hash, content_hash,
    inputs_hash, derived_facts_hash, published_hash, yanked, index_check_due, incarnation, fingerprint,
    republish_after, read_at
FROM relation JOIN schema USING (name) WHERE name IN (SELECT value FROM json_each(?))
"""
_DERIVATIONS = "SELECT name, derivation FROM schema WHERE derivation IS NOT NULL AND name IN (SELECT value FROM json_each(?))"
_FACTS_HASHES = "SELECT name, facts_hash FROM relation WHERE facts_hash IS NOT NULL"
_UPSTREAMS = """
SELECT dependent, upstream FROM edge WHERE dependent IN (SELECT value FROM json_each(?)) ORDER BY dependent, position
"""
_DEPENDENTS = "SELECT DISTINCT dependent FROM edge WHERE upstream IN (SELECT value FROM json_each(?)) ORDER BY dependent"
_FILLED_FROM = """
SELECT * FROM filling WHERE source IN (SELECT value FROM json_each(?)) ORDER BY target, last_at DESC, source, mark
"""
_HISTORY = """
SELECT sequence, distribution, number, relation, status, content_hash, schema_text, wheel_sha256,
    filename, change, reasons, created_at, surface_hash, runtime
FROM version WHERE distribution IN (SELECT value FROM json_each(?)) ORDER BY sequence
"""
_COUNT_MISSING = """
SELECT count(*) FILTER (WHERE missing_since IS NOT NULL) AS missing, count(*) AS known
FROM relation JOIN schema USING (name)
WHERE facts_hash IS NOT NULL AND published_hash IS NOT NULL AND (? IS NULL OR namespace = ?)
"""


class UnreadableState(Exception):
    """A state exists, but this release cannot read it."""


class StateReading:
    """Methods of a transaction, with the same names: see ``publisher.state.protocol``."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def position(self, source: str) -> str | None:
        rows = self._rows("SELECT position FROM source_offset WHERE source = ?", [source])
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
        """Like ``Fillings.out_of``."""
        return [filling_record(row) for row in self._of_keys(_FILLED_FROM, keys_of(sources))]

    def history(self, distribution: str) -> Sequence[VersionRecord]:
        return [version_record(row) for row in self._of_keys(_HISTORY, [distribution])]

    def count_missing(self, namespace: tuple[str, ...] | None) -> tuple[int, int]:
        """Like ``RelationGraph.count_missing``, without dropped relations."""
        key = None if namespace is None else namespace_key(namespace)
        (row,) = self._rows(_COUNT_MISSING, [key, key])
        return row.missing, row.known

    def _of_keys(self, statement: str, keys: Iterable[str]) -> Iterator[Any]:
        for chunk in chunks(keys):
            yield from self._rows(statement, [chunk])

    def _rows(self, statement: str, values: Sequence[str | None] = ()) -> Iterator[Any]:
        cursor = self._connection.execute(statement, values)
        columns = tuple(column[0] for column in cursor.description)
        return map(row_maker(columns), cursor)


@contextmanager
def read_state(path: Path) -> Iterator[StateReading | None]:
    """One consistent state for the duration of the block; None if ``path`` has no state.

    Raises:
        UnreadableState: another release wrote it, or its file cannot be read.
    """
    if not path.is_file():
        yield None
        return
    try:
        connection = _connect(path)
    except sqlite3.Error as error:
        raise UnreadableState(f"{path}: {error}") from error
    with closing(connection):
        connection.execute("BEGIN")
        _check_release(connection, path)
        yield StateReading(connection)


def _connect(path: Path) -> sqlite3.Connection:
    """Without a write-ahead log nobody writes, and SQLite must not create one."""
    has_log = path.with_name(f"{path.name}-wal").exists()
    mode = "mode=ro" if has_log else "mode=ro&immutable=1"
    address = f"file:{quote(str(path.absolute()))}?{mode}"
    return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)


def _check_release(connection: sqlite3.Connection, path: Path) -> None:
    try:
        found = [number for (number,) in connection.execute("SELECT * FROM alembic_version")]
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):
            raise UnreadableState(f"{path}: {error}") from error
        found = []
    except sqlite3.Error as error:
        raise UnreadableState(f"{path}: {error}") from error
    if found != [newest_revision()]:
        raise UnreadableState(f"{path} was written by another release of schema-publisher")
