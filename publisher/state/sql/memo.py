"""The memo of derivations in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, text

from lakeschema.translation.outcome import Status
from publisher.state.records import MemoEntry
from publisher.state.sql.statements import chunks, with_names

_RECALL = with_names(
    "SELECT inputs_hash, status, derivation, reason FROM memo WHERE inputs_hash IN :names"
)

_REMEMBER = text("""
    INSERT INTO memo (inputs_hash, status, derivation, reason, remembered_at)
    VALUES (:inputs_hash, :status, :derivation, :reason, :now)
    ON CONFLICT (inputs_hash) DO UPDATE SET remembered_at = excluded.remembered_at
""")

_FORGET = text("DELETE FROM memo WHERE remembered_at < :time")


class SqlMemo:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def recall(self, inputs_hashes: Iterable[str]) -> Mapping[str, MemoEntry]:
        found: dict[str, MemoEntry] = {}
        for chunk in chunks(inputs_hashes):
            for row in self._connection.execute(_RECALL, {"names": chunk}):
                found[row.inputs_hash] = MemoEntry(
                    inputs_hash=row.inputs_hash,
                    status=Status(row.status),
                    derivation=row.derivation,
                    reason=row.reason,
                )
        return found

    def remember(self, entries: Iterable[MemoEntry], now: float) -> None:
        rows = [
            {
                "inputs_hash": entry.inputs_hash,
                "status": entry.status.value,
                "derivation": entry.derivation,
                "reason": entry.reason,
                "now": now,
            }
            for entry in entries
        ]
        if rows:
            self._connection.execute(_REMEMBER, rows)

    def forget_before(self, time: float) -> int:
        return self._connection.execute(_FORGET, {"time": time}).rowcount
