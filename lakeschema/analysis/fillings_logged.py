"""Finds the fillings in lines of a statement log, in a process that keeps catalog and sessions.

A question contains the catalog's changes since the previous question, and the lines as bytes, so
that no other process parses untrusted input.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final

from lakeschema.analysis.catalog import NO_CATALOGS, CatalogNames, KnownTable
from lakeschema.analysis.catalog_left import CatalogLeft
from lakeschema.analysis.checking import known_table
from lakeschema.analysis.fillings import FilledColumn, Filling, Fillings
from lakeschema.analysis.fingerprints import Fingerprints
from lakeschema.analysis.scripts import analyse
from lakeschema.analysis.statements_logged import LoggedStatement, may_define
from lakeschema.analysis.syntax.dialects import UnknownDialect, grammar_of
from lakeschema.analysis.timeline import Timeline
from lakeschema.analysis.usage.running import ran
from lakeschema.catalog.identifiers import RelationName
from lakeschema.isolation.frames import Attached
from lakeschema.isolation.limits import Handler

HANDLER: Final = "fillings"
TEXTS: Final = ("sql", "query", "statement", "query_text")
"""The keys under which a line may have its text."""
MAX_TEXT: Final = 2_000
"""The maximum number of characters of a statement that are stored."""
_MAX_TABLES: Final = 1_000
"""The maximum number of created tables that the catalog may not have yet; the newest are kept."""
_MILLISECONDS: Final = 1e11
"""Times above this number are milliseconds: as seconds, they would be after the year 5138."""
_EARLIEST: Final = 1e8
"""The earliest time of a statement, in seconds; it is in 1973."""
_ORDER_SECONDS: Final = 1e-6
_MAX_ORDER: Final = 1_000_000
"""The number after which numbering restarts: it shifts a statement's time by a second at most."""
_MAX_FAILURES: Final = 20
_MAX_MESSAGE: Final = 500
_MAX_USER: Final = 200
_MAX_NAME: Final = 1_000
"""The maximum length of a relation's name; no catalog allows longer names."""
_MAX_SOURCES: Final = 1_000
"""The maximum number of sources of one filling."""


@dataclass(frozen=True, slots=True)
class StatedFilling:
    """A filling with its statement.

    Attributes:
        mark: a text that is equal for statements that differ only in values.
        text: the first characters of the statement.
        at: when the statement ran, in seconds since the epoch. Later statements get some
            microseconds more, so that statements of the same time keep their order.
    """

    filling: Filling
    mark: str
    text: str
    user: str
    at: float


@dataclass(frozen=True, slots=True)
class Learnt:
    """The fillings in some lines of a log.

    Attributes:
        failures: some of the unreadable lines, each with its number from 1.
        order: the number for the next statement.
    """

    statements: int
    fillings: tuple[StatedFilling, ...]
    unread: int
    failures: tuple[tuple[int, str], ...]
    order: int


def fillings_handler(dialect: str, catalogs: CatalogNames = NO_CATALOGS) -> Handler:
    """The handler that finds fillings in a limited process.

    Args:
        dialect: the dialect of lines that name no dialect.
        catalogs: the names of catalogs in statements.
    """
    chosen = (dialect, dict(catalogs))
    return Handler("lakeschema.analysis.fillings_logged:answer_fillings", chosen)


def question(
    changed: Mapping[str, Any], removed: Sequence[str], lines: bytes, now: float, order: int
) -> Attached:
    """A question about the content of lines.

    Args:
        changed: a ``checking.table_value`` by name.
        removed: names of removed tables.
        lines: JSON, one object in each line, or an array.
        now: the time for statements without a time, or with a time in the future.
        order: the number of the first statement, after earlier questions.
    """
    return Attached([dict(changed), list(removed), now, order], lines)


def learnt_from(answer: Any) -> Learnt:
    """The child's answer as a value."""
    return Learnt(
        answer["statements"],
        tuple(map(_stated, answer["fillings"])),
        answer["unread"],
        tuple((number, why) for number, why in answer["failures"]),
        answer["order"],
    )


def _stated(value: Any) -> StatedFilling:
    target, replaces, sources, columns, mark, text, user, at = value
    filling = Filling(
        RelationName.from_json(target),
        replaces,
        tuple(map(RelationName.from_json, sources)),
        tuple(
            FilledColumn(name, RelationName.from_json(source), column, clause)
            for name, source, column, clause in columns
        ),
    )
    return StatedFilling(filling, mark, text, user, at)


# In the child


def answer_fillings(chosen: tuple[str, CatalogNames]) -> Callable[[Any], Any]:
    """The function with which the child answers a question; ``learnt_from`` reads the answer."""
    return _Reader(*chosen).answer


class _Reader:
    def __init__(self, dialect: str, catalogs: CatalogNames) -> None:
        self._dialect = dialect
        self._catalogs = catalogs
        self._tables: dict[RelationName, KnownTable] = {}
        self._left = CatalogLeft()
        self._fillings = Fillings()
        self._fingerprints = Fingerprints()
        self._order = 0

    def answer(self, asked: Attached) -> Any:
        changed, removed, now, self._order = asked.value
        for name in removed:
            self._tables.pop(RelationName.from_key(name), None)
        for name, value in changed.items():
            self._tables[RelationName.from_key(name)] = known_table(value)
        timeline = Timeline(MappingProxyType(self._tables), self._left, self._catalogs)
        found: list[Any] = []
        failures: list[tuple[int, str]] = []
        count = 0
        for count, line in enumerate(_lines(asked.data), 1):
            if isinstance(line, _Unreadable):
                failures.append((count, line.why))
                continue
            statement = ran(line, count, self._dialect).statement
            if not statement.succeeded:
                continue
            at = min(_time(line.get("started_at"), now), now)
            try:
                found += self._found(statement, timeline, at)
            except (UnknownDialect, _Failed) as error:
                failures.append((count, str(error)[:_MAX_MESSAGE]))
        left = timeline.left()
        newest = dict(list(left.tables.items())[-_MAX_TABLES:])
        self._left = CatalogLeft(newest, left.sessions)
        return {
            "statements": count,
            "fillings": found,
            "unread": len(failures),
            "failures": failures[:_MAX_FAILURES],
            "order": self._order,
        }

    def _found(self, statement: LoggedStatement, timeline: Timeline, at: float) -> list[Any]:
        grammar = grammar_of(statement.dialect)
        catalog = timeline.at(statement.position, statement.session, statement.namespace)
        mark = _mark(self._fingerprints.of(statement.sql, grammar))
        found: list[Any] = []
        failed = ""
        for each in analyse(statement.sql, grammar, catalog):
            failed = failed or ("" if each.error is None else str(each.error))
            text = each.text[:MAX_TEXT]
            moment = at + self._order * _ORDER_SECONDS
            self._order = (self._order + 1) % _MAX_ORDER
            fillings = self._fillings.of(each, statement.session)
            user = statement.user[:_MAX_USER]
            kept = filter(None, map(_bounded, fillings))
            found += [_json(filling, mark, text, user, moment) for filling in kept]
        if may_define(statement.sql):
            timeline.add(statement)
        if failed and not found:
            raise _Failed(failed)
        return found


class _Failed(Exception):
    """An unreadable statement."""


@dataclass(frozen=True, slots=True)
class _Unreadable:
    why: str


def _lines(data: bytes) -> Iterator[Mapping[str, Any] | _Unreadable]:
    """The statements in the data, which is one JSON document, or a JSON document in each line.

    Each element of an array is a statement.
    """
    whole = _parsed(data)
    lines = [line for line in data.splitlines() if line.strip()]
    if isinstance(whole, _Unreadable) and len(lines) > 1:
        yield from map(_line, map(_parsed, lines))
    else:
        yield from map(_line, whole if isinstance(whole, list) else [whole])


def _parsed(data: bytes) -> Any:
    try:
        stated = json.loads(data)
        # No state can store half of a surrogate pair.
        json.dumps(stated, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        return _Unreadable(f"not JSON: {error}")
    return stated


def _line(stated: Any) -> Mapping[str, Any] | _Unreadable:
    if isinstance(stated, _Unreadable):
        return stated
    fields = stated if isinstance(stated, dict) else {}
    text = next((fields[key] for key in TEXTS if key in fields), None)
    if not isinstance(text, str):
        return _Unreadable(f"expected an object with a text under {', '.join(TEXTS)}")
    return {"current_namespace": fields.get("database"), **fields, "sql": text}


def _time(stated: Any, now: float) -> float:
    """Seconds since the epoch, from seconds, milliseconds or ISO text; ``now`` for other values."""
    if isinstance(stated, bool):
        return now
    try:
        moment = datetime.fromisoformat(str(stated))
        seconds = _with_zone(moment).timestamp()
    except (ValueError, OverflowError):
        try:
            seconds = float(stated)
        except (TypeError, ValueError, OverflowError):
            return now
        seconds = seconds / 1000 if seconds > _MILLISECONDS else seconds
    return seconds if seconds > _EARLIEST else now


def _with_zone(moment: datetime) -> datetime:
    """The time; a time without a zone is taken as UTC."""
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _bounded(filling: Filling) -> Filling | None:
    """The filling without sources beyond the limits; None if nothing is left."""
    sources = [each for each in filling.sources if len(str(each)) <= _MAX_NAME][:_MAX_SOURCES]
    if len(str(filling.target)) > _MAX_NAME or not (sources or filling.replaces):
        return None
    if len(sources) == len(filling.sources):
        return filling
    columns = tuple(each for each in filling.columns if each.source in sources)
    return replace(filling, sources=tuple(sources), columns=columns)


def _mark(fingerprint: tuple[str, ...]) -> str:
    return hashlib.sha256("\0".join(fingerprint).encode("utf-8", "replace")).hexdigest()[:16]


def _json(filling: Filling, mark: str, text: str, user: str, at: float) -> list[Any]:
    columns = [
        [each.column, each.source.to_json(), each.source_column, each.clause]
        for each in filling.columns
    ]
    sources = [each.to_json() for each in filling.sources]
    return [filling.target.to_json(), filling.replaces, sources, columns, mark, text, user, at]
