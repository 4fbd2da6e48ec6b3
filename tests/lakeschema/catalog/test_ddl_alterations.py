"""An ALTER in a folder is applied, or changes nothing, or marks its relation as not current."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.ddl_files import DdlFilesCatalog, relations_from_ddl
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Dialect, Relation
from tests.lakeschema.catalog.alterations import (
    HIVE,
    HIVE_TABLE,
    OTHERS,
    SAME,
    SPARK,
    SPARK_TABLE,
    UNKNOWN,
)

T, V, U = (RelationName.of("default", name) for name in "tvu")
READABLE = "CREATE TABLE t (a int);"
STALE = "ALTER TABLE t NONSENSE;"


def folder(path: Path, *files: str, dialect: Dialect = Dialect.SPARK) -> DdlFilesCatalog:
    for number, text in enumerate(files):
        (path / f"{number}.sql").write_text(text)
    return DdlFilesCatalog(path, dialect)


def columns(relation: Relation) -> str:
    return ", ".join(
        f"{c.name} {print_type(c.type)}{'' if c.nullable else '!'}{f' {c.comment!r}' if c.comment else ''}"
        for c in (*relation.columns, *relation.partition_columns)
    )


def reason(catalog: DdlFilesCatalog, name: RelationName = T) -> str:
    return catalog.read_all()[name].unreadable or ""


@pytest.mark.parametrize(
    ("dialect", "table", "statement", "expected"),
    [
        *((Dialect.SPARK, SPARK_TABLE, *row) for row in SPARK),
        *((Dialect.HIVE, HIVE_TABLE, *row) for row in HIVE),
        *((Dialect.SPARK, SPARK_TABLE, statement, SAME) for statement in OTHERS),
    ],
)
def test_the_table_has_the_columns_that_it_has_in_the_engine(
    tmp_path: Path, dialect: Dialect, table: str, statement: str, expected: str
) -> None:
    catalog = folder(tmp_path, table, statement, dialect=dialect)

    found = catalog.read_all()[T]
    before = relations_from_ddl([table], dialect)[T]
    assert (catalog.problems(), found.unreadable) == ((), None)
    assert columns(found) == (columns(before) if expected == SAME else expected)


@pytest.mark.parametrize(("statement", "named"), UNKNOWN)
def test_a_form_that_cannot_be_applied_leaves_the_table_not_current(
    tmp_path: Path, statement: str, named: str
) -> None:
    catalog = folder(tmp_path, SPARK_TABLE, statement)

    assert len(catalog.problems()) == 1
    assert reason(catalog).startswith("it is not current: ")
    assert named in reason(catalog)


@pytest.mark.parametrize("statement", OTHERS)
def test_a_request_is_not_refused_for_what_changes_nothing(statement: str) -> None:
    table = relations_from_ddl([SPARK_TABLE], Dialect.SPARK)[T]

    assert relations_from_ddl([SPARK_TABLE, statement], Dialect.SPARK)[T] == table
    assert relations_from_ddl([statement], Dialect.SPARK) == {}


@pytest.mark.parametrize(
    "statement",
    ["ALTER TABLE t ADD COLUMN b int", "ALTER TABLE t SET LOCATION 'x'", "ALTER TABLE t RENAME TO u", STALE],
)  # fmt: skip
def test_an_alter_of_what_no_file_creates_is_told_of_that_name(
    tmp_path: Path, statement: str
) -> None:
    catalog = folder(tmp_path, "CREATE TABLE u (a int);", statement)

    assert reason(catalog)
    assert T in catalog.relations(Namespace(("default",)))
    assert len(catalog.problems()) == 1


def test_an_alter_before_its_create_leaves_the_table_not_current(tmp_path: Path) -> None:
    catalog = folder(tmp_path, "ALTER TABLE t ADD COLUMN b int;", READABLE)

    assert "there is no table or view" in reason(catalog)


@pytest.mark.parametrize(
    "anew",
    [
        "DROP TABLE t; CREATE TABLE t (a int)",
        "CREATE OR REPLACE TABLE t (a int)",
        "REPLACE TABLE t (a int)",
    ],
)
def test_a_table_that_is_made_anew_is_current(tmp_path: Path, anew: str) -> None:
    assert not reason(folder(tmp_path, READABLE + STALE, anew))


@pytest.mark.parametrize("then", ["ALTER TABLE t RENAME TO u", "CREATE TABLE u LIKE t"])
def test_what_a_stale_table_becomes_is_not_current(tmp_path: Path, then: str) -> None:
    assert "NONSENSE" in reason(folder(tmp_path, READABLE + STALE, then), U)


def test_a_view_whose_alter_cannot_be_read_keeps_its_text(tmp_path: Path) -> None:
    catalog = folder(tmp_path, "CREATE VIEW v AS SELECT 1 AS a; ALTER VIEW v NONSENSE")

    view = catalog.read_all()[V].view
    assert "NONSENSE" in reason(catalog, V)
    assert view is not None
    assert view.text == "SELECT 1 AS a"


@pytest.mark.parametrize(
    ("dialect", "query"),
    [
        (Dialect.SPARK, "AS SELECT 2 AS b"),
        (Dialect.SPARK, "SELECT 2 AS b"),
        (Dialect.SPARK, "WITH q AS (SELECT 2 AS b) SELECT * FROM q"),
        (Dialect.SPARK, "VALUES (2)"),
        (Dialect.SPARK, "(SELECT 2 AS b)"),
        (Dialect.HIVE, "AS SELECT 2 AS b"),
        (Dialect.HIVE, "SELECT 2 AS b"),
        (Dialect.HIVE, "WITH q AS (SELECT 2 AS b) SELECT * FROM q"),
    ],
)
def test_a_views_query_is_replaced_with_or_without_as(dialect: Dialect, query: str) -> None:
    ddl = f"CREATE VIEW v AS SELECT 1 AS a; ALTER VIEW v {query}"

    view = relations_from_ddl([ddl], dialect)[V].view
    assert view is not None
    assert view.text == query.removeprefix("AS ")


@pytest.mark.parametrize(
    ("dialect", "session"),
    [
        (Dialect.HIVE, "CREATE TEMPORARY TABLE t (z int); ALTER TABLE t ADD COLUMNS (y int); DROP TABLE t"),
        (Dialect.HIVE, "CREATE TEMPORARY TABLE t AS SELECT 1 AS z; ALTER TABLE t RENAME TO v; DROP TABLE v"),
        (Dialect.HIVE, "CREATE TEMPORARY EXTERNAL TABLE u (z int); ALTER TABLE u NONSENSE"),
        (Dialect.SPARK, "CREATE OR REPLACE TEMP VIEW t AS SELECT 1 AS z; ALTER VIEW t AS SELECT 2 AS y; DROP VIEW t"),
        (Dialect.SPARK, "CREATE GLOBAL TEMPORARY VIEW t AS SELECT 1 AS z; DROP VIEW global_temp.t"),
    ],
)  # fmt: skip
def test_statements_about_a_sessions_own_relations_change_none_of_the_catalog(
    tmp_path: Path, dialect: Dialect, session: str
) -> None:
    found = folder(tmp_path, READABLE, session, dialect=dialect).read_all()

    assert {name: columns(relation) for name, relation in found.items()} == {T: "a int"}
    assert not found[T].unreadable


def test_the_next_file_does_not_know_a_sessions_relations(tmp_path: Path) -> None:
    files = (READABLE, "CREATE TEMPORARY TABLE t (z int)", "ALTER TABLE t ADD COLUMNS (b int)")

    assert columns(folder(tmp_path, *files).read_all()[T]) == "a int, b int"


@pytest.mark.parametrize(
    ("dialect", "statement", "remain"),
    [
        (Dialect.HIVE, "DROP TABLE v", {T, V}),
        (Dialect.SPARK, "DROP TABLE v", {T}),
        (Dialect.HIVE, "DROP VIEW t", {T, V}),
        (Dialect.SPARK, "DROP VIEW t", {T, V}),
        (Dialect.HIVE, "ALTER VIEW t RENAME TO u", {T, V}),
        (Dialect.SPARK, "ALTER TABLE v RENAME TO u", {T, V}),
    ],
)
def test_a_statement_of_the_other_kind_removes_what_the_engine_removes(
    tmp_path: Path, dialect: Dialect, statement: str, remain: set[RelationName]
) -> None:
    lake = READABLE + "CREATE VIEW v AS SELECT a FROM t;"

    assert set(folder(tmp_path, lake, statement, dialect=dialect).read_all()) == remain


def test_a_constraint_of_hive_that_may_be_a_columns_not_null_is_not_dropped_unnoticed(
    tmp_path: Path,
) -> None:
    table = "CREATE TABLE t (a int CONSTRAINT n NOT NULL ENABLE);"

    catalog = folder(tmp_path, table, "ALTER TABLE t DROP CONSTRAINT n", dialect=Dialect.HIVE)

    assert "NOT NULL" in reason(catalog)


def test_a_database_that_is_renamed_is_told(tmp_path: Path) -> None:
    assert folder(tmp_path, READABLE, "ALTER SCHEMA d RENAME TO e").problems()


def test_serde_properties_come_and_go() -> None:
    ddl = "CREATE TABLE t (a int); ALTER TABLE t SET SERDEPROPERTIES ('k'='v', 'l'='w'); ALTER TABLE t UNSET SERDEPROPERTIES ('k')"

    assert relations_from_ddl([ddl])[T].serde_properties == {"l": "w"}
