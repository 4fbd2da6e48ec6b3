from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import bindparam, delete, func, select

from lakeschema.translation.model.outcome import Status
from publisher.state.records import MemoEntry
from publisher.state.sql.connection import SqlConnection
from publisher.state.sql.keys import chunks
from publisher.state.sql.statements import KEYS, replacing, upsert
from publisher.state.sql.tables import MEMO

_RECALL = select(MEMO.c.inputs_hash, MEMO.c.status, MEMO.c.derivation, MEMO.c.reason).where(
    MEMO.c.inputs_hash.in_(KEYS)
)

_REMEMBER = upsert(MEMO, replacing("remembered_at"))

_FORGET = delete(MEMO).where(MEMO.c.remembered_at < bindparam("time"))

_COUNT = select(func.count()).select_from(MEMO)

_OLDEST_KEPT = (
    select(MEMO.c.remembered_at)
    .order_by(MEMO.c.remembered_at.desc())
    .limit(1)
    .offset(bindparam("others"))
)


class SqlMemo:
    def __init__(self, connection: SqlConnection) -> None:
        self._connection = connection

    def recall(self, inputs_hashes: Iterable[str]) -> Mapping[str, MemoEntry]:
        found: dict[str, MemoEntry] = {}
        for chunk in chunks(inputs_hashes):
            for row in self._connection.execute(_RECALL, {"keys": chunk}):
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
                "remembered_at": now,
            }
            for entry in entries
        ]
        self._connection.execute_each(_REMEMBER, rows)

    def forget_before(self, time: float) -> int:
        return self._connection.execute(_FORGET, {"time": time}).rowcount

    def keep_newest(self, count: int) -> int:
        if self._connection.execute(_COUNT).scalar_one() <= count:
            return 0
        oldest = self._connection.execute(_OLDEST_KEPT, {"others": count - 1}).scalar_one()
        return self.forget_before(oldest)
