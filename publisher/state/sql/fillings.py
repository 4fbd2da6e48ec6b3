from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, bindparam, case, delete, func, select

from lakeschema.catalog.identifiers import RelationName
from publisher.state.protocol import MAX_FILLINGS
from publisher.state.records import FillingRecord
from publisher.state.sql.connection import SqlConnection
from publisher.state.sql.keys import chunks, keys_of
from publisher.state.sql.rows import filling_record
from publisher.state.sql.statements import EMPTY_TEXT, KEYS, Columns, lesser, upsert
from publisher.state.sql.tables import FILLING

_SOURCES = FILLING.c.source != EMPTY_TEXT
_NEWEST_FIRST = (FILLING.c.target, FILLING.c.last_at.desc(), FILLING.c.source, FILLING.c.mark)
_INTO = select(FILLING).where(FILLING.c.target.in_(KEYS), _SOURCES).order_by(*_NEWEST_FIRST)
_OUT_OF = select(FILLING).where(FILLING.c.source.in_(KEYS)).order_by(*_NEWEST_FIRST)


def _merged(new: Columns) -> Mapping[str, ColumnElement[Any]]:
    """The values after a repeated write: they come from the statement that ran last, in any order of writes."""
    is_newer = new["last_at"] >= FILLING.c.last_at
    words = ("statement", "user", "columns")
    return {
        **{word: case((is_newer, new[word]), else_=FILLING.c[word]) for word in words},
        "first_at": lesser(FILLING.c.first_at, new["first_at"]),
        "last_at": case((is_newer, new["last_at"]), else_=FILLING.c.last_at),
    }


_ADD = upsert(FILLING, _merged)

_RENEWED = FILLING.alias("renewed")

_FORGET_REPLACED = delete(FILLING).where(
    FILLING.c.target.in_(KEYS),
    FILLING.c.last_at
    < select(_RENEWED.c.last_at)
    .where(_RENEWED.c.target == FILLING.c.target, _RENEWED.c.source == EMPTY_TEXT)
    .scalar_subquery(),
)

_OLDER = FILLING.alias("older")
_FORGET_OLDER = delete(FILLING).where(
    FILLING.c.target == bindparam("of"),
    _SOURCES,
    FILLING.c.last_at
    < select(_OLDER.c.last_at)
    .where(_OLDER.c.target == bindparam("of"), _OLDER.c.source != EMPTY_TEXT)
    .order_by(_OLDER.c.last_at.desc())
    .limit(1)
    .offset(MAX_FILLINGS - 1)
    .scalar_subquery(),
)

_FORGET_BEFORE = delete(FILLING).where(FILLING.c.last_at < bindparam("time"))

_COUNT = select(func.count()).select_from(FILLING)

_OLDEST_KEPT = (
    select(FILLING.c.last_at)
    .order_by(FILLING.c.last_at.desc())
    .limit(1)
    .offset(bindparam("others"))
)


class SqlFillings:
    def __init__(self, connection: SqlConnection) -> None:
        self._connection = connection

    def add(self, found: Sequence[FillingRecord]) -> None:
        self._connection.execute_each(_ADD, [_row(each) for each in found])
        targets = dict.fromkeys(str(each.target) for each in found)
        for chunk in chunks(targets):
            self._connection.execute(_FORGET_REPLACED, {"keys": chunk})
        for target in targets:
            self._connection.execute(_FORGET_OLDER, {"of": target})

    def into(self, targets: Iterable[RelationName]) -> Sequence[FillingRecord]:
        chunked = chunks(keys_of(targets))
        return [
            filling_record(r) for c in chunked for r in self._connection.execute(_INTO, {"keys": c})
        ]

    def out_of(self, sources: Iterable[RelationName]) -> Sequence[FillingRecord]:
        chunked = chunks(keys_of(sources))
        return [
            filling_record(r)
            for c in chunked
            for r in self._connection.execute(_OUT_OF, {"keys": c})
        ]

    def forget_before(self, time: float) -> int:
        return self._connection.execute(_FORGET_BEFORE, {"time": time}).rowcount

    def keep_newest(self, count: int) -> int:
        if self._connection.execute(_COUNT).scalar_one() <= count:
            return 0
        oldest = self._connection.execute(_OLDEST_KEPT, {"others": count - 1}).scalar_one()
        return self.forget_before(oldest)


def _row(record: FillingRecord) -> dict[str, object]:
    return {
        "target": str(record.target),
        "source": "" if record.source is None else str(record.source),
        "mark": record.mark,
        "first_at": record.first_at,
        "last_at": record.last_at,
        "statement": record.statement,
        "user": record.user,
        "columns": json.dumps(record.columns, separators=(",", ":")),
    }
