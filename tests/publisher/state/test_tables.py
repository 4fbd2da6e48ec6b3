"""The tables of the statements are those that the migrations create."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy import Insert, Select, UpdateBase, create_engine, inspect

from deploy.postgresql import Postgresql
from publisher.state.opening import open_state
from publisher.state.places import Database
from publisher.state.sql import catalogue, graph, journal, memo, outbox, statements, versions, work
from publisher.state.sql.dialects import POSTGRESQL, SQLITE
from publisher.state.sql.tables import METADATA
from publisher.state.sqlite import SqliteState
from tests.postgresql import empty_database

MODULES = (catalogue, graph, journal, memo, outbox, statements, versions, work)


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


@pytest.mark.integration
def test_both_databases_have_the_same_tables(tmp_path: Path, postgresql: Postgresql) -> None:
    file, url = tmp_path / "state.db", empty_database(postgresql)
    for place in (file, Database(url)):
        open_state(place).close()

    assert tables(f"sqlite:///{file}") == tables(url.replace("://", "+psycopg://", 1))


_INDEXES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL",
    "postgresql": "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()"
    " AND indexdef NOT LIKE '%%_pkey %%' AND indexdef NOT LIKE '%%_key %%'",
}


def tables(url: str) -> dict[str, object]:
    """Columns and keys of each table, and the names of the indexes.

    The full-text index is each database's own.
    """
    engine = create_engine(url)
    seen = inspect(engine)
    found: dict[str, object] = {
        name: (
            sorted((c["name"], c["nullable"]) for c in seen.get_columns(name)),
            sorted(seen.get_pk_constraint(name)["constrained_columns"]),
        )
        for name in seen.get_table_names()
        if name == "searched" or not name.startswith("search")
    }
    with engine.connect() as connection:
        names = connection.exec_driver_sql(_INDEXES[engine.dialect.name]).scalars()
        found["indexes"] = sorted(
            name for name in names if not name.startswith(("search_", "alembic_"))
        )
    engine.dispose()
    return found


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_each_statement_is_compiled_for_both_databases(module: ModuleType) -> None:
    for each in built_statements(module):
        names = [column.name for column in each.table.c] if isinstance(each, Insert) else None
        for dialect in (SQLITE, POSTGRESQL):
            assert str(each.compile(dialect=dialect, column_keys=names))
