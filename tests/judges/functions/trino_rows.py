"""Trino's rows for calls of HiveQL, from the Trino SQL that we emit for them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from deploy.refused import Refused
from deploy.trino import Trino
from lakeschema.catalog.column_types import BINARY, ArrayType, ColumnType, MapType, StructType
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.emission.trino.query import TrinoQuery
from lakeschema.translation.emission.trino.text import NOT_THE_SAME, quoted
from lakeschema.translation.emission.trino.view import trino_view
from lakeschema.translation.model.interface import Options, Overflow
from tests.judges.compared_values import Rows
from tests.judges.engines.trino import TrinoEngine
from tests.judges.functions.compared_calls import interfaces, view_of
from tests.judges.functions.hive_answers import TABLES
from tests.judges.functions.probe_values import table_query

_HEAP_MEGABYTES: Final = 3072
# Overflows that wrap in Hive have to be computed, not refused.
_OPTIONS: Final = Options(overflow=Overflow.WRAP)


class TrinoCalls:
    """A server with the tables of Hive's calls in memory."""

    name = "Trino"

    def __init__(self, trino: Trino) -> None:
        """Creates the tables from Hive's text: Trino reads dates in Hive's files in another calendar."""
        self._trino = trino
        self._interfaces = interfaces()
        for table in TABLES:
            text = table_query(Dialect.HIVE, required=table == "t")
            made = trino_view(view_of(text), {}, _OPTIONS).sql
            for copy, order in ((table, "r"), (f"{table}_back", "r DESC")):
                trino.answer(f"CREATE TABLE {copy} AS SELECT * FROM ({made}) ORDER BY {order}")

    def check(self, select: str) -> None:
        self._emitted(select)

    def rows(self, sql: str, *, backwards: bool = False) -> Rows:
        query = self._emitted(sql, "_back" if backwards else "")
        types = [column.type for column in query.columns]
        try:
            rows = TrinoEngine(self._trino).rows(query.sql, query.columns)
        except Refused as error:
            is_reasoned = error.message.startswith(NOT_THE_SAME)
            text = error.message if is_reasoned else f"{str(error)[:300]}: {query.sql}"
            raise Refused(text) from error
        return [tuple(map(_as_printed, row, types)) for row in rows]

    def _emitted(self, select: str, suffix: str = "") -> TrinoQuery:
        def named(read: RelationName) -> str:
            return quoted(read.name + suffix)

        return trino_view(view_of(select), self._interfaces, _OPTIONS, named)


def _as_printed(value: Any, type_: ColumnType, *, inside: bool = False) -> object:
    """Hive prints bytes inside other values as they are."""
    match type_:
        case _ if value is None:
            return None
        case ArrayType(element):
            return tuple(_as_printed(item, element, inside=True) for item in value)
        case MapType(key, held):
            types = (key, held)
            pairs = (
                tuple(_as_printed(v, t, inside=True) for v, t in zip(pair, types, strict=True))
                for pair in value
            )
            return tuple(sorted(pairs, key=repr))
        case StructType(fields):
            parts = zip(value, fields, strict=True)
            return tuple(_as_printed(v, f.type, inside=True) for v, f in parts)
        case _:
            is_text = inside and type_ == BINARY
            return bytes.fromhex(value).decode(errors="replace") if is_text else value


@contextmanager
def trino_calls() -> Iterator[TrinoCalls]:
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        Trino.start(Path(folder), heap_megabytes=_HEAP_MEGABYTES) as trino,
    ):
        yield TrinoCalls(trino)
