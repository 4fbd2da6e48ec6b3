"""Hive as an engine. It prints rows, so that some values have to be read as texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Protocol

from deploy.hive import HiveAnswer
from deploy.refused import Refused
from lakeschema.catalog.column_types import BINARY, DATE, ColumnType, parse_type_or_unknown
from tests.judges.compared_values import Rows, from_hive
from tests.judges.engines.protocol import Columns, ReadAs, nullable

BYTES: Final = (BINARY,)
"""Hive prints bytes as they are, even tabs."""
BYTES_AND_DATES: Final = (BINARY, DATE)
"""Hive prints the rows of a job with dates beyond the year 9999 as nulls."""
_TEXTS: Final[Mapping[ColumnType, str]] = MappingProxyType(
    {BINARY: "base64({})", DATE: "CAST({} AS STRING)"}
)


class HiveStatements(Protocol):
    def run(self, *statements: str) -> Sequence[HiveAnswer | Refused]:
        """Runs all in order, even if some fail."""

    def compile(self, *statements: str) -> Sequence[HiveAnswer | Refused]:
        """The columns of each statement, without running it."""


class HiveEngine:
    """Reads columns of the types ``as_text`` as texts, if a query has one."""

    def __init__(
        self, hive: HiveStatements, as_text: Sequence[ColumnType] = BYTES_AND_DATES
    ) -> None:
        self._hive = hive
        self._as_text = as_text

    def columns(self, sql: str) -> Columns:
        columns = _answered(self._hive.compile(sql)).columns
        return nullable(*((name, parse_type_or_unknown(type_)) for name, type_ in columns))

    def rows(self, sql: str, columns: ReadAs | None = None) -> Rows:
        """``ValueError`` if what Hive prints is ambiguous, as texts inside other values may be."""
        found = self.columns(sql) if columns is None else columns
        types = [column.type for column in found]
        answer = _answered(self._hive.run(as_texts(sql, found, self._as_text)))
        return [from_hive(row, types) for row in answer.rows]


def external_table(name: str, columns: str, location: str) -> str:
    """The statement for a table over ORC files."""
    return f"CREATE EXTERNAL TABLE {name} ({columns}) STORED AS ORC LOCATION '{location}'"


def _answered(answers: Sequence[HiveAnswer | Refused]) -> HiveAnswer:
    (answer,) = answers
    if isinstance(answer, Refused):
        raise answer
    return answer


def as_texts(sql: str, columns: ReadAs, types: Sequence[ColumnType] = BYTES_AND_DATES) -> str:
    """The query with its columns of these types as texts, bytes as Base64; null stays null."""
    if all(column.type not in types for column in columns):
        return sql
    items = (
        f"{_TEXTS[c.type] if c.type in types else '{}'} AS x{place}".format(
            f"q.`{_unqualified(c.name)}`"
        )
        for place, c in enumerate(columns)
    )
    return f"SELECT {', '.join(items)} FROM ({sql}) q"


def _unqualified(name: str) -> str:
    """Removes the table's name, which Hive puts before a column of a star."""
    return name.rpartition(".")[2]
