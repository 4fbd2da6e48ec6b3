"""Trino over the same generated rows in the same ORC files as ``case_engines``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from deploy.refused import Refused
from deploy.trino import Trino, TrinoAnswer
from lakeschema.catalog.column_types import BOOLEAN, INT, ColumnType
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.emission.trino.text import quoted, relation_text, string, type_text
from tests.judges.compared_values import in_no_order
from tests.judges.engines.protocol import ReadAs
from tests.judges.engines.trino import TrinoEngine
from tests.judges.recorded.engines import Columns, Data, NoRows, Rows, readable

_CATALOG = "hive"
_STAND_INS: Mapping[ColumnType, str] = {BOOLEAN: "(x IS NOT NULL)", INT: "-1 - x"}
"""Like those of ``case_engines``."""


class CaseTrino:
    def __init__(self, trino: Trino, data: Data) -> None:
        self._trino = trino
        self._data = data
        self._made: list[str] = []

    def fill(self, tables: Mapping[RelationName, Columns]) -> None:
        """Replaces all tables by these, with their generated rows.

        Raises:
            NoRows: Trino has no such table.
        """
        while self._made:
            self._answer(self._made.pop())
        for name, columns in tables.items():
            shown = ", ".join(f"{quoted(c)} {type_text(type_)}" for c, type_ in columns)
            # A column that the files lack is null.
            where = string(self._data.location(readable(columns)))
            text = relation_text(name, {})
            self._make_schema(name)
            try:
                self._answer(
                    f"CREATE TABLE {text} ({shown}) WITH (format = 'ORC', external_location = {where})"
                )
            except Refused as error:
                raise NoRows(str(error)) from error
            self._made.append(f"DROP TABLE {text}")

    def make_function(self, name: str, returns: ColumnType) -> None:
        """Creates a stand-in for a function whose class is missing."""
        self._answer(
            f"CREATE OR REPLACE FUNCTION memory.default.{quoted(name.lower())}(x integer)"
            f" RETURNS {type_text(returns)} RETURN {_STAND_INS[returns]}"
        )

    def make_view(self, name: RelationName, sql: str) -> None:
        """Raises ``Refused``, like ``rows``."""
        text = relation_text(name, {})
        self._make_schema(name)
        self._answer(f"CREATE VIEW {text} SECURITY INVOKER AS {sql}")
        self._made.append(f"DROP VIEW {text}")

    def drop_views(self) -> None:
        for drop in [each for each in self._made if each.startswith("DROP VIEW")]:
            self._answer(drop)
            self._made.remove(drop)

    def rows(self, sql: str, columns: ReadAs) -> Rows:
        """In no order; ``ValueError`` and the like if the rows have other columns."""
        return in_no_order(TrinoEngine(self._trino, _CATALOG).rows(sql, columns))

    def _make_schema(self, name: RelationName) -> None:
        self._answer(f"CREATE SCHEMA IF NOT EXISTS {quoted(name.namespace[-1])}")

    def _answer(self, sql: str) -> TrinoAnswer:
        return self._trino.answer(sql, _CATALOG)


@contextmanager
def case_trino(folder: Path, data: Data) -> Iterator[CaseTrino]:
    """Starts Trino with a metastore in files."""
    catalog = folder / "metastore"
    catalog.mkdir(parents=True)
    properties = {
        "connector.name": "hive",
        "hive.metastore": "file",
        "hive.metastore.catalog.dir": catalog.as_uri(),
        "hive.timestamp-precision": "MICROSECONDS",
        "hive.orc.use-column-names": "true",
        "fs.hadoop.enabled": "true",
    }
    with Trino.start(folder / "trino", catalogs={_CATALOG: properties}) as trino:
        yield CaseTrino(trino, data)
