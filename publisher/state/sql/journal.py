"""Source positions, dead letters and singletons in SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, text

from publisher.events.protocol import DeadLetter
from publisher.state.records import StoredDeadLetter
from publisher.state.sql.statements import namespace_key, namespace_of, tick

_POSITION = text("SELECT position FROM source_offset WHERE source = :source")

_SAVE_POSITION = text("""
    INSERT INTO source_offset (source, position) VALUES (:source, :position)
    ON CONFLICT (source) DO UPDATE SET position = excluded.position
""")

_BURY = text("""
    INSERT INTO dead_letter (source, payload, reason, namespace, received_at)
    VALUES (:source, :payload, :reason, :namespace, :now)
""")

_DEAD_LETTERS = text(
    "SELECT id, source, payload, reason, namespace, received_at FROM dead_letter ORDER BY id"
)

_DISCARD = text("DELETE FROM dead_letter WHERE id = :id")

_LEASE = text("""
    INSERT INTO singleton (name, fence, lease_until, note) VALUES (:name, :fence, :until, '')
    ON CONFLICT (name) DO UPDATE SET fence = excluded.fence, lease_until = excluded.lease_until
    WHERE singleton.lease_until <= :now
""")

_HOLDS = text("SELECT 1 FROM singleton WHERE name = :name AND fence = :fence")

_RELEASE = text("UPDATE singleton SET lease_until = 0 WHERE name = :name AND fence = :fence")

_NOTE = text("SELECT note FROM singleton WHERE name = :name")

_NOTES = text("SELECT name, note FROM singleton WHERE note <> '' ORDER BY name")

_WRITE_NOTE = text("""
    INSERT INTO singleton (name, fence, lease_until, note) VALUES (:name, 0, 0, :note)
    ON CONFLICT (name) DO UPDATE SET note = excluded.note
""")


class SqlJournal:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def position(self, source: str) -> str | None:
        found: str | None = self._connection.execute(
            _POSITION, {"source": source}
        ).scalar_one_or_none()
        return found

    def save_position(self, source: str, position: str) -> None:
        self._connection.execute(_SAVE_POSITION, {"source": source, "position": position})

    def add_dead_letters(self, source: str, letters: Sequence[DeadLetter], now: float) -> None:
        rows = [
            {
                "source": source,
                "payload": letter.payload,
                "reason": letter.reason,
                "namespace": None if letter.namespace is None else namespace_key(letter.namespace),
                "now": now,
            }
            for letter in letters
        ]
        if rows:
            self._connection.execute(_BURY, rows)

    def dead_letters(self) -> Sequence[StoredDeadLetter]:
        return [
            StoredDeadLetter(
                id=row.id,
                source=row.source,
                payload=row.payload,
                reason=row.reason,
                namespace=None if row.namespace is None else namespace_of(row.namespace),
                received_at=row.received_at,
            )
            for row in self._connection.execute(_DEAD_LETTERS)
        ]

    def discard_dead_letter(self, id_: int) -> None:
        self._connection.execute(_DISCARD, {"id": id_})

    def lease(self, singleton: str, now: float, seconds: float) -> int | None:
        fence = tick(self._connection)
        row = {"name": singleton, "fence": fence, "now": now, "until": now + seconds}
        return fence if self._connection.execute(_LEASE, row).rowcount else None

    def holds(self, singleton: str, fence: int) -> bool:
        row = {"name": singleton, "fence": fence}
        return self._connection.execute(_HOLDS, row).first() is not None

    def release(self, singleton: str, fence: int) -> None:
        self._connection.execute(_RELEASE, {"name": singleton, "fence": fence})

    def note(self, singleton: str) -> str:
        return self._connection.execute(_NOTE, {"name": singleton}).scalar_one_or_none() or ""

    def write_note(self, singleton: str, text_: str) -> None:
        self._connection.execute(_WRITE_NOTE, {"name": singleton, "note": text_})

    def notes(self, prefix: str) -> Mapping[str, str]:
        return {
            row.name: row.note
            for row in self._connection.execute(_NOTES)
            if row.name.startswith(prefix)
        }
