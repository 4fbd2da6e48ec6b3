"""Stores messages on disk until the state has their hints, and ids of messages against replays.

It is one SQLite file. A message that ``add`` accepted survives a crash and a loss of power.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Final, TypeVar

T = TypeVar("T")

MAX_IDS: Final = 100_000
"""The maximum number of remembered ids. At this number messages are refused, since the message of a
forgotten id could be replayed."""
_OVERHEAD_BYTES: Final = 512
_BUSY_SECONDS: Final = 10
_PRIVATE: Final = 0o600
_MAX_READ: Final = 1_000
_MAX_READ_BYTES: Final = 16 * 1024**2

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS spool (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL, last INTEGER NOT NULL, forgotten INTEGER NOT NULL, bytes INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS message (
    number INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, headers TEXT NOT NULL, body BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS seen (id TEXT PRIMARY KEY, until REAL NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS seen_until ON seen (until);
"""


class Adding(Enum):
    """The result of adding a message. REPEATED: its id was used before. FULL: there is no space left."""

    STORED = "stored"
    REPEATED = "repeated"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Posted:
    """A message to store. Its id is remembered until the time ``until``, in seconds since the epoch."""

    id: str
    until: float
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return len(self.body) + sum(map(len, self.headers.values())) + _OVERHEAD_BYTES


@dataclass(frozen=True, slots=True)
class Place:
    """A position: the number of the last message that was read, and the id of the spool."""

    spool: str
    number: int


@dataclass(frozen=True, slots=True)
class Stored:
    number: int
    body: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Page:
    """The next messages.

    Attributes:
        place: the place after these messages.
        gap: why messages may be missing before them, or None.
        behind: how many further messages the spool has.
    """

    messages: Sequence[Stored]
    place: Place
    gap: str | None
    behind: int


class EventSpool:
    """A spool in a file, which is made at its first use.

    Safe for threads and for several processes.
    """

    def __init__(self, path: Path, max_bytes: int) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None

    def add(self, messages: Sequence[Posted], now: float) -> Sequence[Adding]:
        """Stores the messages together.

        Raises:
            sqlite3.Error, OSError: no message is stored.
        """

        def store(connection: sqlite3.Connection) -> Sequence[Adding]:
            connection.execute("DELETE FROM seen WHERE until < ?", (now,))
            ((ids,),) = connection.execute("SELECT count(*) FROM seen")
            ((last, used),) = connection.execute("SELECT last, bytes FROM spool")
            found = []
            for message in messages:
                if connection.execute("SELECT 1 FROM seen WHERE id = ?", (message.id,)).fetchone():
                    found.append(Adding.REPEATED)
                    continue
                if ids >= MAX_IDS or used + message.size > self._max_bytes:
                    found.append(Adding.FULL)
                    continue
                ids, last, used = ids + 1, last + 1, used + message.size
                connection.execute("INSERT INTO seen VALUES (?, ?)", (message.id, message.until))
                row = (last, message.size, json.dumps(dict(message.headers)), message.body)
                connection.execute("INSERT INTO message VALUES (?, ?, ?, ?)", row)
                found.append(Adding.STORED)
            connection.execute("UPDATE spool SET last = ?, bytes = ?", (last, used))
            return found

        return self._within(store)

    def read(self, after: Place | None) -> Page:
        """The messages after a place; None means all messages.

        Raises:
            sqlite3.Error, OSError: the file cannot be read.
        """

        def look(connection: sqlite3.Connection) -> Page:
            ((id_, last, forgotten),) = connection.execute("SELECT id, last, forgotten FROM spool")
            gap = None if after is None else _gap(after, id_, last, forgotten)
            start = forgotten if after is None or gap else after.number
            found: list[Stored] = []
            size = 0
            rows = connection.execute(
                "SELECT number, bytes, headers, body FROM message WHERE number > ? "
                "ORDER BY number LIMIT ?",
                (start, _MAX_READ),
            )
            for number, bytes_, headers, body in rows:
                if found and size + bytes_ > _MAX_READ_BYTES:
                    break
                size += bytes_
                found.append(Stored(number, bytes(body), json.loads(headers)))
            at = found[-1].number if found else start
            return Page(found, Place(id_, at), gap, last - at)

        return self._within(look)

    def forget(self, place: Place) -> None:
        """Removes the messages up to a place; their ids are still remembered.

        Raises:
            sqlite3.Error, OSError: the messages stay, and are removed with later messages.
        """

        def remove(connection: sqlite3.Connection) -> None:
            ((id_, forgotten),) = connection.execute("SELECT id, forgotten FROM spool")
            if id_ != place.spool or place.number <= forgotten:
                return
            connection.execute(
                "UPDATE spool SET forgotten = ?, bytes = bytes - "
                "(SELECT coalesce(sum(bytes), 0) FROM message WHERE number <= ?)",
                (place.number, place.number),
            )
            connection.execute("DELETE FROM message WHERE number <= ?", (place.number,))

        self._within(remove)

    def close(self) -> None:
        with self._lock:
            self._disconnect()

    def _within(self, action: Callable[[sqlite3.Connection], T]) -> T:
        """Runs one writing transaction; an error undoes it."""
        with self._lock:
            try:
                connection = self._connect()
                connection.execute("BEGIN IMMEDIATE")
                result = action(connection)
                connection.execute("COMMIT")
            except BaseException:
                # Closing the connection also ends the transaction.
                self._disconnect()
                raise
            return result

    def _connect(self) -> sqlite3.Connection:
        if self._connection is not None and self._identity == _identity(self._path):
            return self._connection
        # Writes to an open file that was removed would succeed and be lost.
        self._disconnect()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.touch(mode=_PRIVATE)
        connection = sqlite3.connect(
            self._path, isolation_level=None, check_same_thread=False, timeout=_BUSY_SECONDS
        )
        self._connection = connection
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")
        new = (uuid.uuid4().hex,)
        connection.execute("INSERT OR IGNORE INTO spool VALUES (1, ?, 0, 0, 0)", new)
        self._identity = _identity(self._path)
        return connection

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _gap(after: Place, spool: str, last: int, forgotten: int) -> str | None:
    if after.spool != spool:
        return "the spool of events was replaced"
    if after.number > last:
        return "the spool of events is older than the position"
    if after.number < forgotten:
        return f"the events {after.number + 1} to {forgotten} were read before, and are forgotten"
    return None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
