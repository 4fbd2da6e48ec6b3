"""Hive as a judge of calls: many in one statement, as each statement costs it a fifth of a second."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from benchmarks.compared_types import Columns
from benchmarks.function_judges import Computed, Nulls, Refusal, claims
from benchmarks.probe_values import ROWS, rows_of
from deploy.hive import HiveAnswer, HiveRefused
from lakeschema.catalog.column_types import (
    ArrayType,
    ColumnType,
    MapType,
    StructField,
    StructType,
    parse_type_or_unknown,
)
from lakeschema.catalog.relations import Dialect

_CALL: Final = re.compile(r"SELECT (?P<call>.*) AS x FROM \{t\}(?P<rest>.*)", re.DOTALL)
_PLACE: Final = re.compile(r"[Ll]ine 1:(\d+)")


@dataclass(frozen=True, slots=True)
class _Column:
    """One column of a statement that asks several calls at once."""

    select: str
    call: str


class HiveStatements(Protocol):
    def run(self, *statements: str) -> Sequence[HiveAnswer | HiveRefused]:
        """Runs them in order, each even if others fail."""


class HiveFunctions:
    """Hive's types say nothing of null: its columns are all nullable here."""

    def __init__(self, hive: HiveStatements) -> None:
        self._hive = hive
        self._views = 0
        for table in ("t", "n"):
            rows = rows_of(Dialect.HIVE, required=table == "t")
            selects = (", ".join(f"{v} AS {k}" for k, v in row.items()) for row in rows)
            text = " UNION ALL ".join(f"SELECT {select}" for select in selects)
            (made,) = hive.run(f"CREATE TABLE {table} STORED AS ORC AS {text}")
            assert isinstance(made, HiveAnswer), made

    def documentation(self, name: str) -> str:
        answer = self._hive.run(f"DESCRIBE FUNCTION EXTENDED `{name}`")[0]
        text = "\n".join(answer.rows) if isinstance(answer, HiveAnswer) else ""
        return text.replace("Example:", "Examples:")

    def columns(self, selects: Sequence[str]) -> Mapping[str, Columns | Refusal]:
        answers: dict[str, Columns | Refusal] = {}
        for rest, group in _groups(selects):
            answers |= self._columns(rest, group)
        for select in selects:
            if select not in answers:
                answers[select] = self._columns_alone(select)
        return answers

    def _columns_alone(self, select: str) -> Columns | Refusal:
        answer = self._create(select.replace("{t}", "t"))
        if isinstance(answer, Refusal):
            return answer
        return tuple(StructField(n, parse_type_or_unknown(t), True) for n, t in answer.columns)

    def _columns(self, rest: str, group: Sequence[_Column]) -> Mapping[str, Columns | Refusal]:
        """Leaves out the call that an error points to; without a place each half is asked apart."""
        answers: dict[str, Columns | Refusal] = {}
        left = list(group)
        while len(left) > 1:
            text, ends = _together(left)
            answer = self._create(f"{text} FROM t{rest}")
            if isinstance(answer, HiveAnswer):
                for column, (_, type_) in zip(left, answer.columns, strict=True):
                    found = StructField("x", parse_type_or_unknown(type_), True)
                    answers[column.select] = (found,)
                return answers
            at = -1 if answer.at is None else answer.at
            wrong = next((i for i, (start, end) in enumerate(ends) if start <= at < end), None)
            if wrong is None:
                middle = len(left) // 2
                halves = (left[:middle], left[middle:])
                return {
                    **answers,
                    **self._columns(rest, halves[0]),
                    **self._columns(rest, halves[1]),
                }
            apart = left.pop(wrong).select
            # Some errors are of the calls together only, and a parser points beyond the cause.
            is_sure = "SemanticException" in answer.reason and "GROUP BY" not in answer.reason
            answers[apart] = answer if is_sure else self._columns_alone(apart)
        for column in left:
            answers[column.select] = self._columns_alone(column.select)
        return answers

    def _create(self, query: str) -> HiveAnswer | Refusal:
        self._views += 1
        (answer,) = self._hive.run(_create_text(self._views) + query)
        if isinstance(answer, HiveAnswer):
            return answer
        message = answer.message.partition("\n")[0]
        place = _PLACE.search(message)
        at = int(place[1]) - len(_create_text(self._views)) if place else None
        return Refusal(message[:200], at)

    def computed(self, claimed: Mapping[str, Columns], table: str) -> Mapping[str, Computed]:
        found: dict[str, Computed] = {}
        for rest, group in _groups(list(claimed)):
            text, _ = _together(group)
            columns = tuple(field for column in group for field in claimed[column.select])
            nulls = self._nulls(f"{text} FROM {table}{rest}", columns)
            if nulls is not None:
                for place, column in enumerate(group):
                    where = column.select.replace("{t}", table)
                    null = f"null: {where}" if place in nulls.found else None
                    found[column.select] = Computed(is_seen=True, null=null)
        for select, columns in claimed.items():
            if select not in found:
                nulls = self.nulls_in(select, columns, table)
                is_seen = len(nulls.not_computed) < len(columns)
                found[select] = Computed(is_seen, next(iter(nulls.found.values()), None))
        return found

    def nulls_in(self, select: str, claimed: Columns, table: str) -> Nulls:
        query = select.replace("{t}", table)
        nulls = self._nulls(query, claimed)
        if nulls is not None:
            return nulls
        none = Nulls(not_computed=frozenset(range(len(claimed))))
        if len(claimed) > 1 or "GROUP BY" in query or " OVER " in query:
            return none
        apart = [self._nulls(f"{query} WHERE r = {row}", claimed) for row in range(ROWS)]
        seen = [nulls for nulls in apart if nulls is not None]
        return next((nulls for nulls in seen if nulls.found), seen[0]) if seen else none

    def _nulls(self, query: str, claimed: Columns) -> Nulls | None:
        """None if it cannot be computed, or what Hive prints cannot be told apart."""
        (answer,) = self._hive.run(query)
        rows = [row.split("\t") for row in answer.rows] if isinstance(answer, HiveAnswer) else []
        if not rows or any(len(row) != len(claimed) for row in rows):
            return None
        return Nulls(
            {
                place: f"null: {query}"
                for place, column in enumerate(claimed)
                if any(_holds_null(row[place], column) for row in rows)
                and not self._prints_null_only(query, column)
            }
        )

    def _prints_null_only(self, query: str, column: StructField) -> bool:
        """Rows of groups and windows pass through a text file, in which ``[null]`` is written as null."""
        if column.nullable or ("GROUP BY" not in query and " OVER " not in query):
            return False
        (answer,) = self._hive.run(f"SELECT 1 FROM ({query}) q WHERE q.`{column.name}` IS NULL")
        return isinstance(answer, HiveAnswer) and not answer.rows


def _holds_null(text: str, column: StructField) -> bool:
    """Hive prints nested values as JSON, but for texts in them that it does not escape."""
    if text == "NULL":
        return not column.nullable
    if not claims(column.type):
        return False
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return _part_is_null(value, column.type)


def _part_is_null(value: Any, type_: ColumnType) -> bool:
    """Whether a null is where the type has none."""
    match type_, value:
        case ArrayType(element, nullable), list():
            parts = [(each, element, nullable) for each in value]
        case MapType(_, element, nullable), dict():
            parts = [(each, element, nullable) for each in value.values()]
        case StructType(fields), dict():
            shared = zip(value.values(), fields, strict=False)
            parts = [(each, field.type, field.nullable) for each, field in shared]
        case _:
            return False
    return any(
        (each is None and not nullable) or _part_is_null(each, element)
        for each, element, nullable in parts
    )


def _create_text(number: int) -> str:
    return f"CREATE VIEW probed{number} AS "


def _groups(selects: Sequence[str]) -> Sequence[tuple[str, Sequence[_Column]]]:
    """Calls that one statement can hold, with what stands behind its table."""
    groups: dict[tuple[bool, str], list[_Column]] = {}
    for select in selects:
        if found := _CALL.fullmatch(select):
            column = _Column(select, found["call"])
            groups.setdefault((" OVER " in select, found["rest"]), []).append(column)
    return [(rest, group) for (_, rest), group in groups.items()]


def _together(columns: Sequence[_Column]) -> tuple[str, Sequence[tuple[int, int]]]:
    """A SELECT without its FROM, and where each call stands in it."""
    return "SELECT " + ", ".join(f"{c.call} AS x{i}" for i, c in enumerate(columns)), list(
        _places(columns)
    )


def _places(columns: Sequence[_Column]) -> Iterator[tuple[int, int]]:
    start = len("SELECT ")
    for number, column in enumerate(columns):
        end = start + len(f"{column.call} AS x{number}, ")
        yield start, end
        start = end
