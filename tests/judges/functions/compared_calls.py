"""Compares Hive's rows of calls with those of another engine, for which we emit the calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

from deploy.refused import Refused
from lakeschema.catalog.column_types import ColumnType, parse_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.emission.trino.text import NOT_THE_SAME
from lakeschema.translation.model.errors import TranslationError, Unsupported
from lakeschema.translation.model.interface import Interface, Options
from tests.judges.collected import as_hive_prints
from tests.judges.compared_values import Rows as FoundRows
from tests.judges.compared_values import from_hive, in_its_era
from tests.judges.engines.protocol import AnswersRows, answer_or_refusal
from tests.judges.functions.hive_answers import TABLES, Answered, Rows
from tests.judges.functions.hive_values import CallColumn, groups, together
from tests.judges.functions.probe_values import table_ddl
from tests.judges.verdicts import (
    EQUAL,
    FAILS,
    NOT_COMPARED,
    NOT_DERIVED,
    OTHER_ROWS,
    RAISES_ALONE,
    UNSUPPORTED,
    Verdict,
)

_VIEW: Final = RelationName.of("default", "v")
_CHANGING: Final = ("rand()", "uuid", "current_timestamp", "unix_timestamp()", "now(")
_ENORMOUS: Final = re.compile(r"\b(?:[lr]pad|repeat|space)\(.*\b(?:i|b|f|d|de|dw)[23]?\b")
"""Texts of so many characters take all memory of an engine."""
_IN_NO_ORDER: Final = ("collect_set(", "collect_list(")

GRAVE: Final = (OTHER_ROWS, RAISES_ALONE, FAILS)
"""Outcomes, the worst first."""


@dataclass(frozen=True, slots=True)
class Told(Verdict):
    """The verdict of one call."""

    select: str = ""


class CalledEngine(AnswersRows, Protocol):
    """An engine with Hive's tables, and each once more with its rows in reverse order."""

    name: str

    def check(self, select: str) -> None:
        """Raises ``TranslationError`` if the call cannot be emitted."""

    def rows(self, sql: str, *, backwards: bool = False) -> FoundRows:
        """The rows of HiveQL, with dates and timestamps as texts; ``backwards`` uses the reversed tables."""


def interfaces() -> Mapping[RelationName, Interface]:
    """The interfaces of the tables."""
    ddl = [table_ddl(Dialect.HIVE, table, required=table == "t") for table in TABLES]
    tables = relations_from_ddl(ddl, Dialect.HIVE)
    return {name: derive(table, {}, Options()).interface for name, table in tables.items()}


def view_of(select: str) -> Relation:
    return relations_from_ddl([f"CREATE VIEW v AS {select}"], Dialect.HIVE)[_VIEW]


class CallComparison:
    def __init__(self, engine: CalledEngine) -> None:
        self._engine = engine

    def compare(self, calls: Sequence[Answered]) -> Sequence[Told]:
        told = {call.select: self._without_rows(call) for call in calls}
        left = [call for call in calls if told[call.select] is None]
        by_select = {call.select: call for call in left}
        for rest, group in groups(list(by_select)):
            for has_key in (True, False):
                some = [c for c in group if by_select[c.select].has_key == has_key]
                for table in TABLES:
                    for column, found in self._together(some, rest, table, has_key=has_key):
                        call = by_select[column.select]
                        told[call.select] = _worse(
                            told[call.select], self._judged(call, table, found)
                        )
        for call in (call for call in left if told[call.select] is None):
            for table in TABLES:
                found = answer_or_refusal(self._engine.rows, call.select.replace("{t}", table))
                told[call.select] = _worse(told[call.select], self._judged(call, table, found))
        return [one for one in told.values() if one is not None]

    def _without_rows(self, call: Answered) -> Told | None:
        """The verdict without the engine; None if rows must be compared."""
        try:
            self._engine.check(call.select.replace("{t}", "t"))
        except Unsupported as error:
            return Told(UNSUPPORTED, error.message, select=call.select)
        except TranslationError as error:
            return Told(NOT_DERIVED, str(error), select=call.select)
        if (
            _ENORMOUS.search(call.select)
            or not call.rows
            or any(word in call.select for word in _CHANGING)
        ):
            return Told(NOT_COMPARED, select=call.select)
        return None

    def _together(
        self, group: Sequence[CallColumn], rest: str, table: str, *, has_key: bool
    ) -> Iterator[tuple[CallColumn, FoundRows | Refused]]:
        """Runs calls in one query. If one call raises, all fail: then each half runs alone."""
        if not group:
            return
        select = together(group)
        if has_key:
            select = select.replace("SELECT ", "SELECT r, ", 1)
        found = answer_or_refusal(self._engine.rows, f"{select} FROM {table}{rest}")
        if isinstance(found, Refused) and len(group) > 1:
            middle = len(group) // 2
            yield from self._together(group[:middle], rest, table, has_key=has_key)
            yield from self._together(group[middle:], rest, table, has_key=has_key)
            return
        for place, column in enumerate(group, has_key):
            yield (
                column,
                found
                if isinstance(found, Refused)
                else [(*row[:has_key], row[place]) for row in found],
            )

    def _judged(self, call: Answered, table: str, found: FoundRows | Refused) -> Told:
        rows = call.rows.get(table)
        if rows is None:
            # Without rows, Hive failed while it computed.
            return Told(EQUAL if call.rows else NOT_COMPARED, select=call.select)
        if isinstance(found, Refused):
            return self._judged_by_row(call, table, found)
        difference = self._difference(call, rows, found)
        if not difference:
            return Told(EQUAL, select=call.select)
        if not call.has_key:
            # A result that depends on the order of rows is undetermined.
            again = answer_or_refusal(
                partial(self._engine.rows, backwards=True), call.select.replace("{t}", table)
            )
            if again != found:
                return Told(NOT_COMPARED, select=call.select)
        return Told(OTHER_ROWS, f"{table}: {difference}", select=call.select)

    def _judged_by_row(self, call: Answered, table: str, raised: Refused) -> Told:
        """An error in one row must not hide the others."""
        worst = raised
        if call.has_key and "GROUP BY" not in call.select and " OVER " not in call.select:
            select = call.select.replace("SELECT ", "SELECT r, ", 1).replace("{t}", table)
            for row in call.rows[table]:
                where = "r IS NULL" if row[0] == "NULL" else f"r = {row[0]}"
                found = answer_or_refusal(self._engine.rows, f"{select} WHERE {where}")
                if isinstance(found, Refused):
                    worst = worst if _is_reasoned(found) else found
                elif difference := self._difference(call, [row], found):
                    return Told(OTHER_ROWS, f"{table}: {difference}", select=call.select)
        outcome = FAILS if _is_reasoned(worst) else RAISES_ALONE
        return Told(outcome, f"{table}: {worst.message}", select=call.select)

    def _difference(self, call: Answered, rows: Rows, found: FoundRows) -> str:
        """The difference as text, empty if the rows are equal."""
        types = [as_hive_prints(parse_type(text)) for text in call.types]
        wanted = [_hives(row, types, has_key=call.has_key) for row in rows]
        mine, theirs = (sorted(map(tuple, some), key=repr) for some in (wanted, found))
        if any(word in call.select for word in _IN_NO_ORDER):
            mine, theirs = list(map(_sorted, mine)), list(map(_sorted, theirs))
        if len(mine) != len(theirs):
            return f"{len(mine)} rows in Hive, {len(theirs)} in {self._engine.name}"
        for one, other in zip(mine, theirs, strict=True):
            if one != other and not _only_printed(one, other):
                return f"Hive {one}, {self._engine.name} {other}"
        return ""


def _is_reasoned(refused: Refused) -> bool:
    """Whether the emitted text refuses these values, and says why."""
    return refused.message.startswith(NOT_THE_SAME)


def _worse(one: Told | None, other: Told) -> Told:
    if one is None or one.outcome not in GRAVE:
        return other
    is_worse = other.outcome in GRAVE and GRAVE.index(other.outcome) < GRAVE.index(one.outcome)
    return other if is_worse else one


def _hives(row: Sequence[str], types: Sequence[ColumnType], *, has_key: bool) -> Sequence[object]:
    key: list[object] = [None if text == "NULL" else int(text) for text in row[:has_key]]
    values = row[has_key:]
    if len(values) != len(types):
        return [*key, "\t".join(values)]
    return [*key, *(_printed(text, type_) for text, type_ in zip(values, types, strict=True))]


def _printed(text: str, type_: ColumnType) -> object:
    try:
        return from_hive(text, [type_])[0] if "\t" not in text else text
    except ValueError:
        return text


def _sorted(line: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(tuple(sorted(v, key=repr)) if isinstance(v, tuple) else v for v in line)


def _only_printed(mine: Sequence[object], other: Sequence[object]) -> bool:
    """Hive prints ``[null]`` in a group or window as null, and an array of one empty text as ``[]``."""
    return all(
        a == b
        or (a in (None, ()) and isinstance(b, tuple) and {*_leaves(b)} <= {None, ""})
        # Hive prints years of their era without the era.
        or (isinstance(a, str) and isinstance(b, str) and a == in_its_era(b))
        for a, b in zip(mine, other, strict=True)
    )


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, tuple):
        for part in value:
            yield from _leaves(part)
    else:
        yield value
