"""The values that Hive computes of calls, and nulls among them that contradict our claims.

Calls are asked together: a statement over groups or windows is one job for any number of calls. If a
statement fails, each half is asked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from deploy.hive import HiveAnswer
from lakeschema.catalog.column_types import ArrayType, ColumnType, MapType, StructField, StructType
from tests.judges.engines.hive import BYTES, HiveStatements, as_texts
from tests.judges.engines.protocol import Columns
from tests.judges.functions.judges import Computed, Nulls, claims
from tests.judges.functions.probe_values import ROWS

_CALL: Final = re.compile(r"SELECT (?P<call>.*) AS x FROM \{t\}(?P<rest>.*)", re.DOTALL)


_ENDLESS: Final = re.compile(r"(?i)\breplicate_rows\((?![0-9]{1,3}L?\b)")


def is_endless(query: str) -> bool:
    """Whether the query makes as many rows as a column's extremes say."""
    return _ENDLESS.search(query) is not None


@dataclass(frozen=True, slots=True)
class CallColumn:
    """One column of a statement that asks several calls at once."""

    select: str
    call: str


def groups(selects: Sequence[str]) -> Sequence[tuple[str, Sequence[CallColumn]]]:
    """Groups of calls that one statement can hold, with the text after its table."""
    found: dict[tuple[bool, str], list[CallColumn]] = {}
    for select in selects:
        if match := _CALL.fullmatch(select):
            column = CallColumn(select, match["call"])
            found.setdefault((" OVER " in select, match["rest"]), []).append(column)
    return [(rest, group) for (_, rest), group in found.items()]


def together(columns: Sequence[CallColumn]) -> str:
    """A SELECT without its FROM; its columns are named ``x0``, ``x1`` and so on."""
    return "SELECT " + ", ".join(f"{c.call} AS x{i}" for i, c in enumerate(columns))


class HiveValues:
    """Nulls in Hive's values, compared with the claim for each column."""

    def __init__(self, hive: HiveStatements) -> None:
        self._hive = hive

    def computed(self, claimed: Mapping[str, Columns], table: str) -> Mapping[str, Computed]:
        found: dict[str, Computed] = {}
        for rest, group in groups(list(claimed)):
            found |= self._together(rest, group, claimed, table)
        for select, columns in claimed.items():
            if select not in found:
                found[select] = self._alone(select, columns, table)
        return found

    def _together(
        self,
        rest: str,
        group: Sequence[CallColumn],
        claimed: Mapping[str, Columns],
        table: str,
    ) -> Mapping[str, Computed]:
        if len(group) == 1:
            select = group[0].select
            return {select: self._alone(select, claimed[select], table)}
        columns = tuple(replace(claimed[c.select][0], name=f"x{i}") for i, c in enumerate(group))
        nulls = self._nulls(f"{together(group)} FROM {table}{rest}", columns)
        if nulls is None:
            middle = len(group) // 2
            return {
                **self._together(rest, group[:middle], claimed, table),
                **self._together(rest, group[middle:], claimed, table),
            }
        return {
            column.select: Computed(
                is_seen=True,
                null=f"null: {column.select.replace('{t}', table)}"
                if place in nulls.found
                else None,
            )
            for place, column in enumerate(group)
        }

    def _alone(self, select: str, columns: Columns, table: str) -> Computed:
        nulls = self.nulls_in(select, columns, table)
        is_seen = len(nulls.not_computed) < len(columns)
        return Computed(is_seen, next(iter(nulls.found.values()), None))

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
        """None if the query cannot be computed, or if Hive's output is ambiguous."""
        if is_endless(query):
            return None
        (answer,) = self._hive.run(as_texts(query, claimed, BYTES))
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
        """Rows of groups and windows pass through a text file, which stores ``[null]`` as null."""
        if "GROUP BY" not in query and " OVER " not in query:
            return False
        answers = self._hive.run(
            *(
                f"SELECT 1 FROM ({query}) q{inner} WHERE {condition}"
                for inner, condition in _null_places(f"q.`{column.name}`", column)
            )
        )
        return all(isinstance(answer, HiveAnswer) and not answer.rows for answer in answers)


def _null_places(text: str, column: StructField, depth: int = 0) -> Iterator[tuple[str, str]]:
    """For each part that the claim says is never null: its lateral views, and a test for null."""
    if not column.nullable:
        yield "", f"{text} IS NULL"
    item, key, view = f"e{depth}", f"k{depth}", f"l{depth}"
    match column.type:
        case ArrayType(element, nullable):
            names, parts = item, [(item, StructField(item, element, nullable))]
        case MapType(key_type, value, nullable):
            names = f"{key}, {item}"
            parts = [
                (key, StructField(key, key_type, nullable=False)),
                (item, StructField(item, value, nullable)),
            ]
        case StructType(fields):
            for field in fields:
                inner_places = _null_places(f"{text}.`{field.name}`", field, depth + 1)
                for inner, condition in inner_places:
                    yield inner, f"{text} IS NOT NULL AND {condition}"
            return
        case _:
            return
    lateral = f" LATERAL VIEW explode({text}) {view} AS {names}"
    for name, part in parts:
        for inner, condition in _null_places(name, part, depth + 1):
            yield lateral + inner, condition


def _holds_null(text: str, column: StructField) -> bool:
    """Reads nested values as JSON, although Hive does not escape the texts in them."""
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
    """Whether the value has a null in a part whose type allows none."""
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
