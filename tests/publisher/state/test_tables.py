"""The tables of the statements are those that the migrations create."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy import Select, UpdateBase, create_engine
from sqlalchemy.dialects import postgresql, sqlite

from publisher.state.sql import graph, journal, memo, statements, versions, work
from publisher.state.sql.tables import METADATA
from publisher.state.sqlite import SqliteState

MODULES = (graph, journal, memo, statements, versions, work)


def layout(path: Path) -> dict[str, object]:
    """What SQLite knows of each table: columns, key, sequence and indexes with their conditions."""
    with closing(sqlite3.connect(path)) as connection:

        def rows(statement: str, *values: str) -> list[object]:
            return connection.execute(statement, values).fetchall()

        tables = [
            (name, "AUTOINCREMENT" in definition)
            for name, definition in connection.execute(
                "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
                " AND name NOT IN ('alembic_version', 'sqlite_sequence')"
                # SQLite's own: the full-text index and what it is kept in.
                " AND name != 'search' AND name NOT GLOB 'search_*'"
            )
        ]
        return {
            name: (
                never_reuses_ids,
                # By name, since a column that a migration adds stands last.
                rows(
                    'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_xinfo(?)'
                    " ORDER BY name",
                    name,
                ),
                rows(
                    'SELECT i.name, i."unique", i.origin, i.partial, x.seqno, x.name, x.coll, m.sql'
                    " FROM pragma_index_list(?) i, pragma_index_xinfo(i.name) x"
                    " LEFT JOIN sqlite_master m ON m.name = i.name ORDER BY i.name, x.seqno",
                    name,
                ),
            )
            for name, never_reuses_ids in tables
        }


def built_statements(module: ModuleType) -> Iterator[Select[*tuple[Any, ...]] | UpdateBase]:
    for value in vars(module).values():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, Select | UpdateBase):
                yield each


def test_the_tables_are_those_that_the_migrations_create(tmp_path: Path) -> None:
    SqliteState(tmp_path / "migrated.db").close()
    engine = create_engine(f"sqlite:///{tmp_path / 'created.db'}")

    METADATA.create_all(engine)

    engine.dispose()
    assert layout(tmp_path / "created.db") == layout(tmp_path / "migrated.db")


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_only_upserts_are_written_for_sqlite(module: ModuleType) -> None:
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy does not type it

    for each in built_statements(module):
        assert isinstance(each, sqlite.Insert) or str(each.compile(dialect=dialect))
