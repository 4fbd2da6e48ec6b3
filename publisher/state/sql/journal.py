"""Source positions, dead letters and singletons in SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import bindparam, delete, func, insert, select, update

from lakeschema.catalog.identifiers import Namespace
from publisher.events.protocol import DeadLetter
from publisher.policy import DEFAULT_DEAD_LETTER_LIMIT, DeadLetterLimit
from publisher.state.records import StoredDeadLetter
from publisher.state.sql.connection import SqlConnection
from publisher.state.sql.statements import EMPTY_TEXT, ZERO, replacing, tick, upsert
from publisher.state.sql.tables import DEAD_LETTER, SINGLETON, SOURCE_OFFSET

_POSITION = select(SOURCE_OFFSET.c.position).where(SOURCE_OFFSET.c.source == bindparam("source"))

_SAVE_POSITION = upsert(SOURCE_OFFSET, replacing("position"))

_ADD_DEAD_LETTER = insert(DEAD_LETTER)

_DEAD_LETTERS = select(DEAD_LETTER).order_by(DEAD_LETTER.c.id)

_RECENT_DEAD_LETTERS = select(func.count()).where(
    DEAD_LETTER.c.source == bindparam("source"),
    DEAD_LETTER.c.received_at > bindparam("after"),
    DEAD_LETTER.c.received_at <= bindparam("until"),
)

_DEAD_LETTER_SIZES = select(
    DEAD_LETTER.c.id, func.length(DEAD_LETTER.c.payload).label("size"), DEAD_LETTER.c.received_at
).order_by(DEAD_LETTER.c.id.desc())

_DISCARD_DEAD_LETTERS = delete(DEAD_LETTER).where(DEAD_LETTER.c.id <= bindparam("newest"))

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

_IS_LEASED = select(SINGLETON.c.name).where(
    SINGLETON.c.name == bindparam("name"), SINGLETON.c.lease_until > bindparam("now")
)

_RENEW = (
    update(SINGLETON)
    .where(_HELD, SINGLETON.c.lease_until > ZERO)
    .values(lease_until=bindparam("until"))
)

_SHORTEN_LEASES = (
    update(SINGLETON)
    .where(SINGLETON.c.lease_until > bindparam("until"))
    .values(lease_until=bindparam("until"))
)

_RELEASE = update(SINGLETON).where(_HELD).values(lease_until=0)

_NOTE = select(SINGLETON.c.note).where(SINGLETON.c.name == bindparam("name"))

_NOTES = (
    select(SINGLETON.c.name, SINGLETON.c.note)
    .where(SINGLETON.c.note != "")
    .order_by(SINGLETON.c.name)
)

_FORGET_EMPTY_NOTES = delete(SINGLETON).where(
    SINGLETON.c.note == EMPTY_TEXT,
    SINGLETON.c.lease_until <= ZERO,
    func.substr(SINGLETON.c.name, 1, func.length(bindparam("prefix"))) == bindparam("prefix"),
)

_WRITE_NOTE = upsert(SINGLETON, replacing("note"))


class SqlJournal:
    def __init__(self, connection: SqlConnection) -> None:
        self._connection = connection

    def position(self, source: str) -> str | None:
        found: str | None = self._connection.execute(
            _POSITION, {"source": source}
        ).scalar_one_or_none()
        return found

    def save_position(self, source: str, position: str) -> None:
        self._connection.execute(_SAVE_POSITION, {"source": source, "position": position})

    def add_dead_letters(
        self,
        source: str,
        letters: Sequence[DeadLetter],
        now: float,
        limit: DeadLetterLimit = DEFAULT_DEAD_LETTER_LIMIT,
    ) -> int:
        if not letters:
            return 0
        kept = letters[: max(0, limit.per_minute - self._recent_dead_letters(source, now))]
        rows = [
            {
                "source": source,
                "payload": letter.payload[: limit.payload_bytes],
                "payload_length": len(letter.payload),
                "reason": letter.reason,
                "namespace": None if letter.namespace is None else str(letter.namespace),
                "received_at": now,
            }
            for letter in kept
        ]
        self._connection.execute_each(_ADD_DEAD_LETTER, rows)
        self._discard_dead_letters_beyond(limit, now)
        return len(rows)

    def _recent_dead_letters(self, source: str, now: float) -> int:
        row = {"source": source, "after": now - 60.0, "until": now}
        return int(self._connection.execute(_RECENT_DEAD_LETTERS, row).scalar_one())

    def _discard_dead_letters_beyond(self, limit: DeadLetterLimit, now: float) -> None:
        """Discards the dead letters beyond the limit.

        Keeps the newest letters, as many as fit within the limit, and discards all older letters.
        """
        size = 0
        for count, row in enumerate(self._connection.execute(_DEAD_LETTER_SIZES), start=1):
            size += row.size
            too_old = row.received_at < now - limit.age_seconds
            if count > limit.count or size > limit.bytes or too_old:
                self._connection.execute(_DISCARD_DEAD_LETTERS, {"newest": row.id})
                return

    def dead_letters(self) -> Sequence[StoredDeadLetter]:
        return [
            StoredDeadLetter(
                id=row.id,
                source=row.source,
                payload=row.payload,
                reason=row.reason,
                namespace=None if row.namespace is None else Namespace.from_key(row.namespace),
                received_at=row.received_at,
                payload_length=(
                    len(row.payload) if row.payload_length is None else row.payload_length
                ),
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

    def is_leased(self, singleton: str, now: float) -> bool:
        row = {"name": singleton, "now": now}
        return self._connection.execute(_IS_LEASED, row).first() is not None

    def renew(self, singleton: str, fence: int, until: float) -> bool:
        row = {**_held(singleton, fence), "until": until}
        return self._connection.execute(_RENEW, row).rowcount > 0

    def shorten_leases(self, until: float) -> None:
        self._connection.execute(_SHORTEN_LEASES, {"until": until})

    def release(self, singleton: str, fence: int) -> None:
        self._connection.execute(_RELEASE, _held(singleton, fence))

    def note(self, singleton: str) -> str:
        return self._connection.execute(_NOTE, {"name": singleton}).scalar_one_or_none() or ""

    def write_note(self, singleton: str, text: str) -> None:
        row = {"name": singleton, "fence": 0, "lease_until": 0, "note": text}
        self._connection.execute(_WRITE_NOTE, row)

    def forget_empty_notes(self, prefix: str) -> None:
        self._connection.execute(_FORGET_EMPTY_NOTES, {"prefix": prefix})

    def notes(self, prefix: str) -> Mapping[str, str]:
        return {
            row.name: row.note
            for row in self._connection.execute(_NOTES)
            if row.name.startswith(prefix)
        }


def _held(singleton: str, fence: int) -> dict[str, object]:
    return {"held_name": singleton, "held_fence": fence}
