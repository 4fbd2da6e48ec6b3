"""Trino as an engine."""

from __future__ import annotations

from deploy.trino import Trino
from lakeschema.catalog.trino_types import parse_trino_type
from tests.judges.compared_values import Rows, from_trino
from tests.judges.engines.protocol import Columns, ReadAs, nullable


class TrinoEngine:
    """Names without a catalog are looked up in ``catalog``."""

    def __init__(self, trino: Trino, catalog: str = "memory") -> None:
        self._trino = trino
        self._catalog = catalog

    def columns(self, sql: str) -> Columns:
        # Trino has no statement that gives the types of names without an alias.
        found = self._trino.answer(f"SELECT * FROM ({sql}) LIMIT 0", self._catalog).columns
        return nullable(*((name, parse_trino_type(type_)) for name, type_ in found))

    def rows(self, sql: str, columns: ReadAs | None = None) -> Rows:
        answer = self._trino.answer(sql, self._catalog)
        types = (
            [parse_trino_type(type_) for _, type_ in answer.columns]
            if columns is None
            else [column.type for column in columns]
        )
        return [from_trino(row, types) for row in answer.rows]
