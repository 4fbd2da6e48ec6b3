"""Rarer forms of DDL: the relation after them, and refused forms."""

from __future__ import annotations

import pytest

from lakeschema.catalog.column_types import parse_type, print_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.errors import MalformedDdl, MalformedType
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation, SchemaMode

HIVE, SPARK = Dialect.HIVE, Dialect.SPARK
T = RelationName.of("default", "t")
TABLE = "CREATE TABLE t (a INT, b STRING) PARTITIONED BY (p INT);"
VIEW = "CREATE VIEW t AS SELECT 1 AS a;"


def relation(ddl: str, dialect: Dialect) -> Relation:
    return relations_from_ddl([ddl], dialect)[T]


def columns(found: Relation) -> str:
    return ", ".join(
        f"{c.name} {print_type(c.type)}{'' if c.nullable else '!'}{f' {c.comment!r}' if c.comment else ''}"
        for c in (*found.columns, *found.partition_columns)
    )


@pytest.mark.parametrize(
    ("dialect", "ddl", "expected"),
    [
        (SPARK, TABLE + "ALTER TABLE t ALTER COLUMN a SET NOT NULL", "a int!, b string, p int"),
        (SPARK, "CREATE TABLE t (a INT NOT NULL); ALTER TABLE t ALTER a DROP NOT NULL", "a int"),
        (SPARK, TABLE + "ALTER TABLE t ALTER COLUMN b FIRST", "b string, a int, p int"),
        (SPARK, TABLE + "ALTER TABLE t ALTER COLUMN a AFTER b", "b string, a int, p int"),
        (SPARK, TABLE + "ALTER TABLE t ALTER COLUMN a COMMENT 'c'", "a int 'c', b string, p int"),
        (HIVE, TABLE + "ALTER TABLE t CHANGE p p BIGINT", "a int, b string, p bigint"),
        (SPARK, "CREATE TABLE t (a INT DEFAULT 3, b STRING DEFAULT concat('a', 'b') COMMENT 'x')", "a int, b string 'x'"),
        (SPARK, "CREATE TABLE t (a DATE DEFAULT date '2020-01-01' + INTERVAL 1 DAY, b INT)", "a date, b int"),
        (SPARK, "CREATE TABLE t (a STRING COLLATE UTF8_BINARY, b INT GENERATED ALWAYS AS (c + 1), c INT)", "a string, b int, c int"),
        (SPARK, "CREATE TABLE t (a INT CONSTRAINT k PRIMARY KEY, b INT)", "a int, b int"),
    ],
)  # fmt: skip
def test_columns_are_as_the_statements_leave_them(
    dialect: Dialect, ddl: str, expected: str
) -> None:
    assert columns(relation(ddl, dialect)) == expected


@pytest.mark.parametrize(
    ("dialect", "statement"),
    [
        (SPARK, "ALTER TABLE t ALTER COLUMN a SET DEFAULT 3"),
        (SPARK, "ALTER TABLE t ALTER COLUMN a DROP DEFAULT"),
        (SPARK, "COMMENT ON DATABASE default IS 'x'"),
        (HIVE, "ALTER TABLE t UNSET SERDEPROPERTIES ('a')"),
        (HIVE, "ALTER DATABASE default SET DBPROPERTIES ('a'='b')"),
        (HIVE, "CREATE TEMPORARY FUNCTION f AS 'c.F'"),
        (HIVE, "DROP FUNCTION f"),
        (HIVE, "DROP TEMPORARY MACRO m"),
        (HIVE, "CREATE TABLE IF NOT EXISTS t (z INT)"),
    ],
)
def test_a_statement_that_says_nothing_of_a_relation_changes_none(
    dialect: Dialect, statement: str
) -> None:
    assert relation(TABLE + statement, dialect) == relation(TABLE, dialect)


def test_a_file_format_is_the_serde_that_hive_reads_it_with() -> None:
    orc = "org.apache.hadoop.hive.ql.io.orc.OrcSerde"
    assert relation(TABLE + "ALTER TABLE t SET FILEFORMAT ORC", HIVE).serde == orc
    assert relation("CREATE TABLE t (a INT) STORED AS ORC", HIVE).serde == orc
    classes = "ALTER TABLE t SET FILEFORMAT INPUTFORMAT 'i' OUTPUTFORMAT 'o' SERDE 's'"
    assert relation(TABLE + classes, HIVE).serde == "s"


@pytest.mark.parametrize("handler", ["ICEBERG", "'c.Handler' WITH SERDEPROPERTIES ('k'='v')"])
def test_a_storage_handler_is_a_property(handler: str) -> None:
    found = relation(f"CREATE TABLE t (a INT) STORED BY {handler}", HIVE)

    assert found.properties["storage_handler"] in {"ICEBERG", "c.Handler"}


def test_a_comment_comes_and_goes() -> None:
    commented = TABLE + "COMMENT ON TABLE t IS 'hello';"

    assert relation(commented, SPARK).comment == "hello"
    assert relation(commented + "COMMENT ON TABLE t IS NULL", SPARK).comment is None


def test_spark_takes_texts_beside_each_other_for_one() -> None:
    """As Spark 4.3 describes this table."""
    found = relation(
        """CREATE TABLE t (f INT COMMENT 'a' 'b', g INT COMMENT "x" 'y' 'z') USING parquet
        COMMENT 'p' 'q' TBLPROPERTIES ('k' = 'v' 'w', 'a' 'b', 'c' 'd' = 'e')""",
        SPARK,
    )

    assert [column.comment for column in found.columns] == ["ab", "xyz"]
    assert found.comment == "pq"
    assert {key: found.properties[key] for key in ("a", "cd", "k")} == {
        "a": "b",
        "cd": "e",
        "k": "vw",
    }


def test_a_view_is_altered_to_another_query_and_another_evolution() -> None:
    altered = relation(
        VIEW + "ALTER VIEW t AS SELECT 2 AS b; ALTER VIEW t WITH SCHEMA TYPE EVOLUTION", SPARK
    ).view

    assert altered is not None
    assert (altered.text, altered.schema_mode) == ("SELECT 2 AS b", SchemaMode.TYPE_EVOLUTION)


@pytest.mark.parametrize(
    ("dialect", "ddl"),
    [
        (SPARK, "CREATE VIEW t DEFAULT COLLATION UTF8_LCASE AS SELECT 1 AS a"),
        (HIVE, "CREATE MATERIALIZED VIEW t DISABLE REWRITE PARTITIONED ON (a) AS SELECT 1 AS a"),
        (HIVE, VIEW + "CREATE VIEW IF NOT EXISTS t AS SELECT 3 AS z"),
    ],
)
def test_clauses_between_a_views_name_and_its_query_are_passed_over(
    dialect: Dialect, ddl: str
) -> None:
    found = relation(ddl, dialect).view

    assert found is not None
    assert found.text == "SELECT 1 AS a"


@pytest.mark.parametrize(
    ("dialect", "ddl", "named"),
    [
        (SPARK, VIEW + "ALTER VIEW t WITH SCHEMA NONSENSE", "NONSENSE"),
        (SPARK, TABLE + "ALTER VIEW t WITH SCHEMA BINDING", "default.t"),
        (HIVE, TABLE + "ALTER VIEW t AS SELECT 2 AS b", "default.t"),
        (HIVE, VIEW + "ALTER TABLE t ADD COLUMNS (b INT)", "default.t"),
        (HIVE, TABLE + "ALTER TABLE t SET NONSENSE", "NONSENSE"),
        (HIVE, TABLE + "ALTER TABLE t NONSENSE", "NONSENSE"),
        (HIVE, TABLE + "ALTER TABLE t ADD COLUMNS (a INT)", "default.t"),
        (HIVE, TABLE + "ALTER TABLE t RENAME TO u extra", "extra"),
        (HIVE, TABLE + "CREATE TABLE t (z INT)", "default.t"),
        (HIVE, TABLE + "CREATE TABLE u (a INT); ALTER TABLE u RENAME TO t", "default.t"),
        (HIVE, "CREATE TABLE t (a INT) NONSENSE", "NONSENSE"),
        (SPARK, "CREATE TABLE t (a INT) USING parquet PARTITIONED BY (z)", "z"),
    ],
)
def test_a_statement_that_its_engine_would_refuse_is_named(
    dialect: Dialect, ddl: str, named: str
) -> None:
    with pytest.raises(MalformedDdl, match=named):
        relations_from_ddl([ddl], dialect)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("decimal(39)", 8),
        ("decimal(5,6)", 8),
        ("interval day to nonsense", 24),
        ("struct<a:int comment x>", 20),
        ("struct<:int>", 7),
        ("array<int", 9),
        ("map<int>", 7),
        ("char(x)", 5),
        ("int junk", 3),
        ("", 0),
    ],
)
def test_a_malformed_type_is_refused_where_it_goes_wrong(text: str, position: int) -> None:
    with pytest.raises(MalformedType, match=f" at {position}: "):
        parse_type(text)
