"""Analyses a log's statements in a process that is killed if one costs too much.

A statement that exceeds the limits has a row of failures, so that counts include it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from typing import Any, Final, TypeAlias

from lakeschema.analysis.catalog import NO_CATALOGS, CatalogNames, KnownTable
from lakeschema.analysis.limits import GIVEN_UP, LIMITS, REASON
from lakeschema.analysis.log import LogAnalysis, Row, failed
from lakeschema.analysis.statements_logged import LoggedStatement, may_define
from lakeschema.analysis.timeline import Timeline
from lakeschema.catalog.identifiers import RelationName
from lakeschema.isolation.limits import Handler, Limits, ProcessDied
from lakeschema.isolation.process import LimitedProcess

_HANDLER: Final = "log"
_MOST_TOGETHER: Final = 200
_LONGEST_TOGETHER: Final = 200_000
"""The maximum length of statements sent together, which share one statement's time limit."""

Rows: TypeAlias = Sequence[tuple[str, Row]]


def rows_within_limits(
    statements: Iterable[LoggedStatement],
    known: Mapping[RelationName, KnownTable],
    limits: Limits = LIMITS,
    catalogs: CatalogNames = NO_CATALOGS,
) -> Iterator[Rows]:
    """The rows of each statement, as found by ``LogAnalysis``, in the log's order."""
    logged = list(statements)
    handler = Handler("lakeschema.analysis.usage.limited:answer_log", (dict(known), dict(catalogs)))
    process = LimitedProcess({_HANDLER: handler}, limits)
    try:
        asking = _Asking(process)
        for _ in asking.each("define", filter(_may_define, logged)):
            pass
        for statement, found in asking.each("read", logged):
            if isinstance(found, ProcessDied):
                yield failed(GIVEN_UP, f"{REASON} ({found.reason})", statement.sql)
            else:
                yield found
    finally:
        process.stop()


def _may_define(statement: LoggedStatement) -> bool:
    return may_define(statement.sql)


class _Asking:
    """Asks limited processes. A new process first gets the definitions that did not kill earlier processes."""

    def __init__(self, process: LimitedProcess) -> None:
        self._process = process
        self._defined: list[LoggedStatement] = []

    def each(
        self, verb: str, statements: Iterable[LoggedStatement]
    ) -> Iterator[tuple[LoggedStatement, Any]]:
        """Each statement with its answer.

        If a group of statements gets no answer, each statement is asked separately.
        """
        for together in _together(statements):
            try:
                answers = self._ask(verb, together)
            except ProcessDied:
                answers = [self._alone(verb, statement) for statement in together]
            yield from zip(together, answers, strict=True)

    def _alone(self, verb: str, statement: LoggedStatement) -> Any:
        try:
            return self._ask(verb, [statement])[0]
        except ProcessDied as died:
            return died

    def _ask(self, verb: str, statements: Sequence[LoggedStatement]) -> list[Any]:
        if self._process.is_new:
            for together in _together(self._defined):
                self._process.ask(_HANDLER, ["define", list(map(astuple, together))])
        kept, places = self._process.ask(_HANDLER, [verb, list(map(astuple, statements))])
        if verb == "define":
            self._defined += statements
        return [kept[place] for place in places]


def _together(statements: Iterable[LoggedStatement]) -> Iterator[list[LoggedStatement]]:
    found: list[LoggedStatement] = []
    length = 0
    for statement in statements:
        if found and (
            len(found) == _MOST_TOGETHER or length + len(statement.sql) > _LONGEST_TOGETHER
        ):
            yield found
            found, length = [], 0
        found.append(statement)
        length += len(statement.sql)
    if found:
        yield found


# In the child


def answer_log(
    chosen: tuple[Mapping[RelationName, KnownTable], CatalogNames],
) -> Callable[[Any], Any]:
    """The function with which the child answers: distinct answers, and each statement's answer by number."""
    known, catalogs = chosen
    timeline = Timeline(known, catalogs=catalogs)
    analysis = LogAnalysis(timeline)

    def answer(asked: Any) -> Any:
        verb, stated = asked
        statements = [
            LoggedStatement(position, sql, dialect, session, tuple(namespace), user, succeeded)
            for position, sql, dialect, session, namespace, user, succeeded in stated
        ]
        if verb == "define":
            for statement in statements:
                timeline.add(statement)
            return [None], [0] * len(statements)
        kept: list[Rows] = []
        place_of: dict[int, int] = {}
        places: list[int] = []
        for statement in statements:
            found = analysis.found(statement)
            if found.number not in place_of:
                place_of[found.number] = len(kept)
                kept.append(found.rows)
            places.append(place_of[found.number])
        return kept, places

    return answer
