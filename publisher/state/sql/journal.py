"""Source positions, dead letters and singletons in SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from publisher.events.protocol import DeadLetter
from publisher.state.records import StoredDeadLetter
from publisher.state.sql.keys import namespace_key, namespace_of
from publisher.state.sql.statements import replacing, tick, upsert
from publisher.state.sql.tables import DEAD_LETTER, SINGLETON, SOURCE_OFFSET

_POSITION = select(SOURCE_OFFSET.c.position).where(SOURCE_OFFSET.c.source == bindparam("source"))

_SAVE_POSITION = upsert(SOURCE_OFFSET, replacing("position"))

_ADD_DEAD_LETTER = insert(DEAD_LETTER)

_DEAD_LETTERS = select(DEAD_LETTER).order_by(DEAD_LETTER.c.id)

_DISCARD_DEAD_LETTER = delete(DEAD_LETTER).where(DEAD_LETTER.c.id == bindparam("id"))

_LEASE = upsert(
    SINGLETON,
    replacing("fence", "lease_until"),
    where=SINGLETON.c.lease_until <= bindparam("now"),
)

_HELD = (SINGLETON.c.name == bindparam("held_name")) & (
    SINGLETON.c.fence == bindparam("held_fence")
)

_HOLDS = select(SINGLETON.c.name).where(_HELD)

_RELEASE = update(SINGLETON).where(_HELD).values(lease_until=0)

_NOTE = select(SINGLETON.c.note).where(SINGLETON.c.name == bindparam("name"))

_NOTES = (
    select(SINGLETON.c.name, SINGLETON.c.note)
    .where(SINGLETON.c.note != "")
    .order_by(SINGLETON.c.name)
)

_WRITE_NOTE = upsert(SINGLETON, replacing("note"))


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
                "received_at": now,
            }
            for letter in letters
        ]
        if rows:
            self._connection.execute(_ADD_DEAD_LETTER, rows)

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
        self._connection.execute(_DISCARD_DEAD_LETTER, {"id": id_})

    def lease(self, singleton: str, now: float, seconds: float) -> int | None:
        fence = tick(self._connection)
        row = {
            "name": singleton,
            "fence": fence,
            "lease_until": now + seconds,
            "note": "",
            "now": now,
        }
        return fence if self._connection.execute(_LEASE, row).rowcount else None

    def holds(self, singleton: str, fence: int) -> bool:
        return self._connection.execute(_HOLDS, _held(singleton, fence)).first() is not None

    def release(self, singleton: str, fence: int) -> None:
        self._connection.execute(_RELEASE, _held(singleton, fence))

    def note(self, singleton: str) -> str:
        return self._connection.execute(_NOTE, {"name": singleton}).scalar_one_or_none() or ""

    def write_note(self, singleton: str, text: str) -> None:
        row = {"name": singleton, "fence": 0, "lease_until": 0, "note": text}
        self._connection.execute(_WRITE_NOTE, row)

    def notes(self, prefix: str) -> Mapping[str, str]:
        return {
            row.name: row.note
            for row in self._connection.execute(_NOTES)
            if row.name.startswith(prefix)
        }


def _held(singleton: str, fence: int) -> dict[str, object]:
    return {"held_name": singleton, "held_fence": fence}
