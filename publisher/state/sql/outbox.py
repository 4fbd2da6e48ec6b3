"""The outbox in SQL: the tables of notices and of messages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from sqlalchemy import Float, and_, bindparam, delete, func, insert, select, update

from publisher.state.records import MessageRecord, NoticeRecord, Waiting
from publisher.state.sql.connection import SqlConnection
from publisher.state.sql.rows import Row
from publisher.state.sql.statements import KEYS, insert_unless_present
from publisher.state.sql.tables import MESSAGE, NOTICE

_ADD = insert_unless_present(NOTICE, "receiver", "id")

_FOR_RECEIVER = NOTICE.c.receiver == bindparam("for_receiver")
_WAITS = and_(_FOR_RECEIVER, NOTICE.c.message.is_(None))
_OLDEST_FIRST = (NOTICE.c.recorded_at, NOTICE.c.id)

_OLDEST = select(NOTICE).where(_WAITS).order_by(*_OLDEST_FIRST).limit(1)

_SOME = select(NOTICE.c.id).where(_WAITS).limit(bindparam("limit")).subquery()
_COUNT_WAITING = select(func.count()).select_from(_SOME)

_OPEN = select(MESSAGE).where(
    MESSAGE.c.receiver == bindparam("for_receiver"), MESSAGE.c.ended_at.is_(None)
)

_COUNT_STARTED = select(func.count()).where(
    MESSAGE.c.receiver == bindparam("for_receiver"), MESSAGE.c.started_at > bindparam("since")
)

_START = insert(MESSAGE)

_ASSIGN = (
    update(NOTICE)
    .where(
        _FOR_RECEIVER,
        NOTICE.c.id.in_(
            select(NOTICE.c.id).where(_WAITS).order_by(*_OLDEST_FIRST).limit(bindparam("limit"))
        ),
    )
    .values(message=bindparam("for_message"))
)

_OF_MESSAGE = and_(_FOR_RECEIVER, NOTICE.c.message == bindparam("for_message"))
_NOTICES_OF = select(NOTICE).where(_OF_MESSAGE).order_by(*_OLDEST_FIRST)

_THIS = and_(
    MESSAGE.c.receiver == bindparam("for_receiver"), MESSAGE.c.id == bindparam("for_message")
)

_WRITE = (
    update(MESSAGE)
    .where(_THIS)
    .values(
        not_before=bindparam("next_at"), attempts=bindparam("tried"), body=bindparam("composed")
    )
)

_END = (
    update(MESSAGE)
    .where(_THIS, MESSAGE.c.ended_at.is_(None))
    .values(ended_at=bindparam("now", type_=Float), body=None)
)

_WITHDRAW = delete(MESSAGE).where(_THIS)

_FORGET_NOTICES = delete(NOTICE).where(_OF_MESSAGE)

_FORGET_ENDED = delete(MESSAGE).where(MESSAGE.c.ended_at < bindparam("before"))

_FORGET_OTHER_NOTICES = delete(NOTICE).where(NOTICE.c.receiver.not_in(KEYS))
_FORGET_OTHER_MESSAGES = delete(MESSAGE).where(MESSAGE.c.receiver.not_in(KEYS))

_OLDEST_AT = select(func.min(NOTICE.c.recorded_at))


class SqlOutbox:
    def __init__(self, connection: SqlConnection) -> None:
        self._connection = connection

    def add(self, notices: Sequence[NoticeRecord]) -> None:
        self._connection.execute_each(_ADD, [{**asdict(each), "message": None} for each in notices])

    def open_message(self, receiver: str) -> MessageRecord | None:
        row = self._connection.execute(_OPEN, {"for_receiver": receiver}).first()
        return None if row is None else _message(row)

    def waiting(self, receiver: str, limit: int) -> Waiting:
        row = self._connection.execute(_OLDEST, {"for_receiver": receiver}).first()
        if row is None:
            return Waiting(0, None)
        bounds = {"for_receiver": receiver, "limit": limit}
        count = self._connection.execute(_COUNT_WAITING, bounds).scalar_one()
        return Waiting(count, _notice(row))

    def count_started(self, receiver: str, since: float) -> int:
        bounds = {"for_receiver": receiver, "since": since}
        count: int = self._connection.execute(_COUNT_STARTED, bounds).scalar_one()
        return count

    def start(self, message: MessageRecord, limit: int) -> None:
        self._connection.execute(_START, {**asdict(message), "ended_at": None})
        self._connection.execute(_ASSIGN, {**_this(message), "limit": limit})

    def notices_of(self, message: MessageRecord) -> Sequence[NoticeRecord]:
        return [_notice(row) for row in self._connection.execute(_NOTICES_OF, _this(message))]

    def write_message(self, message: MessageRecord) -> None:
        row = {
            **_this(message),
            "next_at": message.not_before,
            "tried": message.attempts,
            "composed": message.body,
        }
        self._connection.execute(_WRITE, row)

    def end(self, message: MessageRecord, now: float) -> bool:
        ended = self._connection.execute(_END, {**_this(message), "now": now}).rowcount > 0
        if ended:
            self._connection.execute(_FORGET_NOTICES, _this(message))
        return ended

    def withdraw(self, message: MessageRecord) -> None:
        self._connection.execute(_WITHDRAW, _this(message))
        self._connection.execute(_FORGET_NOTICES, _this(message))

    def forget_ended(self, before: float) -> None:
        self._connection.execute(_FORGET_ENDED, {"before": before})

    def forget_other_receivers(self, receivers: Iterable[str]) -> int:
        kept = json.dumps([*receivers])
        self._connection.execute(_FORGET_OTHER_MESSAGES, {"keys": kept})
        return self._connection.execute(_FORGET_OTHER_NOTICES, {"keys": kept}).rowcount

    def oldest_at(self) -> float | None:
        oldest: float | None = self._connection.execute(_OLDEST_AT).scalar_one()
        return oldest


def _this(message: MessageRecord) -> dict[str, object]:
    return {"for_receiver": message.receiver, "for_message": message.id}


def _message(row: Row) -> MessageRecord:
    return MessageRecord(
        row.receiver, row.id, row.started_at, row.not_before, row.attempts, row.body
    )


def _notice(row: Row) -> NoticeRecord:
    return NoticeRecord(
        row.receiver,
        row.id,
        row.kind,
        row.subject,
        row.details,
        row.happened_at,
        row.recorded_at,
    )
