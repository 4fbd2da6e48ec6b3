"""One form of statement per test; expectations are the results of Hive or Spark."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeschema.catalog.column_types import (
    BIGINT,
    INT,
    STRING,
    TIMESTAMP_LOCAL,
    DecimalType,
    UnknownType,
    VarcharType,
    print_type,
)
from lakeschema.catalog.ddl_altered import Refused
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.ddl_reader import MalformedStatement, read_statements
from lakeschema.catalog.ddl_state import DdlState
from lakeschema.catalog.ddl_tokens import MAX_RESUMED
from lakeschema.catalog.errors import MalformedDdl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation, SchemaMode

AVRO_SERDE = "org.apache.hadoop.hive.serde2.avro.AvroSerDe"


def one(*ddl: str, name: str = "default.t", dialect: Dialect = Dialect.HIVE) -> Relation:
    return relations_from_ddl(ddl, dialect)[RelationName.parse(name)]


def names(relation: Relation) -> list[str]:
    return [column.name for column in relation.columns]


def test_hive_lower_cases_columns_and_spark_does_not() -> None:
    assert names(one("CREATE TABLE t (Id int, `Na me` string)")) == ["id", "na me"]
    assert names(one("CREATE TABLE t (Id int) USING parquet")) == ["Id"]
    assert names(one("CREATE TABLE t (Id int)", dialect=Dialect.SPARK)) == ["Id"]


def test_column_types_comments_and_constraints() -> None:
    table = one(
        "CREATE TABLE t (a DECIMAL(10, 2) NOT NULL COMMENT 'it''s', b varchar(3) DEFAULT 'x',"
        " c timestamp with local time zone, d struct<x:array<int>, `y z`: map<string,bigint>>,"
        " e nonsense, f int NOT NULL DISABLE NOVALIDATE, PRIMARY KEY (a) DISABLE NOVALIDATE,"
        " CONSTRAINT u UNIQUE (b))"
    )

    a, b, c, d, e, f = table.columns
    assert (a.type, a.nullable, a.comment) == (DecimalType(10, 2), False, "its")
    assert b.type == VarcharType(3)
    assert c.type == TIMESTAMP_LOCAL
    assert print_type(d.type) == "struct<x:array<int>,`y z`:map<string,bigint>>"
    assert e.type == UnknownType("nonsense")
    assert f.nullable


def test_a_bare_avro_table_keeps_its_literal_and_has_no_columns() -> None:
    table = one(
        f"CREATE EXTERNAL TABLE t ROW FORMAT SERDE '{AVRO_SERDE}' WITH SERDEPROPERTIES ('a'='b')"
        " STORED AS INPUTFORMAT 'x' OUTPUTFORMAT 'y' LOCATION '/x'"
        r""" TBLPROPERTIES ('avro.schema.literal'='{"doc":"it\'s \"x\"; y"}')"""
    )

    assert table.columns == ()
    assert table.serde == AVRO_SERDE
    assert table.serde_properties == {"a": "b"}
    assert table.properties == {"avro.schema.literal": '{"doc":"it\'s "x"; y"}'}


def test_delimited_and_bucketed_tables_are_read() -> None:
    table = one(
        "CREATE TABLE t (a int, b string) COMMENT 'c' PARTITIONED BY (p date COMMENT 'd')"
        " CLUSTERED BY (a) SORTED BY (b DESC) INTO 4 BUCKETS SKEWED BY (a) ON ((1),(2))"
        r" ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' ESCAPED BY '\\'"
        " COLLECTION ITEMS TERMINATED BY ',' LINES TERMINATED BY '\n' STORED AS TEXTFILE"
    )

    assert table.serde_properties["field.delim"] == "\t"
    assert table.serde_properties["escape.delim"] == "\\"
    assert [(c.name, c.comment) for c in table.partition_columns] == [("p", "d")]
    assert table.comment == "c"


def test_spark_partitions_by_naming_columns() -> None:
    table = one(
        "CREATE OR REPLACE TABLE t (Id int, Day date) USING Parquet OPTIONS (path '/x', n 5)"
        " PARTITIONED BY (Day, bucket(4, Id)) TBLPROPERTIES (a.b = true)"
    )

    assert names(table) == ["Id"]
    assert [c.name for c in table.partition_columns] == ["Day"]
    assert table.properties == {"a.b": "true", "spark.sql.sources.provider": "parquet"}
    assert table.serde_properties == {"path": "/x", "n": "5"}


def test_a_view_keeps_its_query_as_written() -> None:
    query = "SELECT a, /* ; */ 'x;y' AS b -- end\n FROM t"

    view = one(f"CREATE VIEW IF NOT EXISTS t AS {query};")

    assert view.view is not None
    assert view.view.text == query
    assert view.view.dialect is Dialect.HIVE
    assert view.view.current_namespace == ("default",)


def test_a_view_belongs_to_the_database_in_use_and_is_read_in_it() -> None:
    view = one("CREATE SCHEMA Club; USE club; CREATE VIEW t AS SELECT 1 a", name="club.t")

    assert view.view is not None
    assert view.view.current_namespace == ("club",)


def test_a_view_declares_columns_comment_and_properties() -> None:
    view = one(
        "CREATE OR REPLACE VIEW t (Id COMMENT 'the key', b) COMMENT 'c'"
        " TBLPROPERTIES ('functions' = 'f:com.x.F', 'dependencies' = 'ivy://x') AS (SELECT 1, 2)"
    )

    assert [(c.name, c.comment) for c in view.columns] == [("Id", "the key"), ("b", None)]
    assert view.comment == "c"
    assert view.properties == {"functions": "f:com.x.F", "dependencies": "ivy://x"}


def test_recorded_settings_make_a_view_sparks_and_leave_its_properties() -> None:
    view = one(
        "CREATE VIEW t TBLPROPERTIES ('view.sqlConfig.spark.sql.ansi.enabled' = 'false', 'x' = '1')"
        " AS SELECT 1 AS a",
        "ALTER VIEW t SET TBLPROPERTIES ('view.sqlConfig.spark.sql.caseSensitive' = 'true')",
        "ALTER VIEW t UNSET TBLPROPERTIES ('view.sqlConfig.spark.sql.ansi.enabled')",
    )

    assert view.view is not None
    assert view.view.dialect is Dialect.SPARK
    assert view.view.sql_configs == {"spark.sql.caseSensitive": "true"}
    assert view.properties == {"x": "1"}


@pytest.mark.parametrize("mode", sorted(set(SchemaMode) - {SchemaMode.BY_POSITION}, key=str))
def test_a_schema_clause_makes_a_view_sparks(mode: SchemaMode) -> None:
    view = one(f"CREATE VIEW t WITH SCHEMA {mode.value} AS SELECT 1 AS a").view

    assert view is not None
    assert (view.dialect, view.schema_mode) == (Dialect.SPARK, mode)


def test_a_spark_view_with_declared_columns_evolves_in_types_only() -> None:
    view = one("CREATE VIEW t (a) WITH SCHEMA EVOLUTION AS SELECT 1").view

    assert view is not None
    assert view.schema_mode is SchemaMode.TYPE_EVOLUTION


@pytest.mark.parametrize(
    ("alter", "columns"),
    [
        ("ADD COLUMNS (C int COMMENT 'x')", ["a", "b", "c"]),
        ("ADD COLUMN c int FIRST", ["c", "a", "b"]),
        ("ADD COLUMN c int AFTER a", ["a", "c", "b"]),
        ("REPLACE COLUMNS (z int)", ["z"]),
        ("CHANGE COLUMN a z bigint", ["z", "b"]),
        ("CHANGE a a bigint COMMENT 'x' AFTER b CASCADE", ["b", "a"]),
        ("CHANGE b b string FIRST", ["b", "a"]),
        ("RENAME COLUMN a TO z", ["z", "b"]),
        ("DROP COLUMN a", ["b"]),
        ("DROP COLUMNS IF EXISTS (a, q)", ["b"]),
        ("ALTER COLUMN a TYPE bigint", ["a", "b"]),
        ("ADD IF NOT EXISTS PARTITION (p=1) LOCATION '/x'", ["a", "b"]),
        ("DROP PARTITION (p=1)", ["a", "b"]),
        ("PARTITION (p=1) SET LOCATION '/x'", ["a", "b"]),
        ("SET LOCATION '/x'", ["a", "b"]),
    ],
)
def test_alter_table_changes_columns(alter: str, columns: list[str]) -> None:
    assert names(one("CREATE TABLE t (a int, b string)", f"ALTER TABLE t {alter}")) == columns


def test_alter_column_changes_what_it_names_alone() -> None:
    table = one(
        "CREATE TABLE t (a int COMMENT 'x')",
        "ALTER TABLE t ALTER COLUMN a TYPE bigint",
        "ALTER TABLE t ALTER COLUMN a SET NOT NULL",
        "ALTER TABLE t ALTER COLUMN a COMMENT 'y'",
    )

    (a,) = table.columns
    assert (a.type, a.nullable, a.comment) == (BIGINT, False, "y")


def test_alter_table_changes_properties_serde_and_name() -> None:
    table = one(
        "CREATE TABLE t (a int) TBLPROPERTIES ('x'='1','y'='2')",
        "ALTER TABLE t SET TBLPROPERTIES ('x'='3','comment'='c')",
        "ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('y')",
        f"ALTER TABLE t SET SERDE '{AVRO_SERDE}' WITH SERDEPROPERTIES ('k'='v')",
        "ALTER TABLE t SET SERDEPROPERTIES ('l'='w')",
        "ALTER TABLE t RENAME TO club.u",
        name="club.u",
    )

    assert table.properties == {"x": "3"}
    assert table.comment == "c"
    assert (table.serde, table.serde_properties) == (AVRO_SERDE, {"k": "v", "l": "w"})


def test_alter_view_changes_its_query() -> None:
    view = one(
        "CREATE VIEW t (a) AS SELECT 1",
        "USE club",
        "ALTER VIEW default.t AS SELECT 2 b",
    )

    assert view.view is not None
    assert (view.view.text, view.columns) == ("SELECT 2 b", ())
    assert view.view.current_namespace == ("club",)


def test_create_table_like_copies_columns_and_the_avro_schema() -> None:
    table = one(
        "CREATE TABLE s (a int) PARTITIONED BY (p int) STORED AS AVRO"
        " TBLPROPERTIES ('avro.schema.literal'='{}','x'='1')",
        "CREATE TABLE t LIKE s LOCATION '/x'",
    )

    assert names(table) == ["a"]
    assert table.properties == {"avro.schema.literal": "{}"}
    assert len(table.partition_columns) == 1


def test_drops_remove_relations_and_whole_databases() -> None:
    relations = relations_from_ddl(
        [
            "CREATE TABLE a.t (x int); CREATE TABLE a.u (x int); CREATE TABLE b.t (x int)",
            "CREATE VIEW b.v AS SELECT 1; DROP VIEW IF EXISTS b.v; DROP TABLE b.nobody",
            "DROP DATABASE IF EXISTS a CASCADE",
        ]
    )

    assert [str(name) for name in relations] == ["b.t"]


@pytest.mark.parametrize(
    ("ddl", "message"),
    [
        ("CREATE TABLE t", None),
        ("CREATE TABLE t (a int b string)", "expected a comma"),
        ("CREATE TABLE t AS SELECT 1", "AS SELECT"),
        ("CREATE TABLE t (a int) STORED AS NONSENSE", "unknown file format NONSENSE"),
        ("CREATE TABLE t (a int, A string)", "two columns named a"),
        ("CREATE VIEW t SELECT 1", "expected AS"),
        ("CREATE VIEW t AS", "expected a query, the statement ends"),
        ("CREATE TABLE t (a int); CREATE TABLE t (b int)", "exists already"),
        ("ALTER TABLE nobody ADD COLUMNS (a int)", "no table or view default.nobody"),
        ("CREATE VIEW t AS SELECT 1; CREATE TABLE u LIKE t", "is a view"),
        ("CREATE TABLE t (a int); ALTER TABLE t DROP COLUMN b", "no column b"),
        ("FROBNICATE t", "unknown statement FROBNICATE"),
        ("CREATE TABLE t (a int COMMENT 'x)", "is not closed"),
        ("CREATE TABLE t (a struct<b:int)", "expected >"),
    ],
)
def test_what_cannot_be_read_or_applied_says_why(ddl: str, message: str | None) -> None:
    if message is None:
        assert one(ddl).columns == ()
        return
    with pytest.raises(MalformedDdl, match=message):
        relations_from_ddl([ddl])


def test_statements_that_state_no_facts_are_passed_over() -> None:
    assert not relations_from_ddl(
        [
            "SET x=y; INSERT INTO t VALUES (1, ';'); MSCK REPAIR TABLE t; SHOW TABLES;",
            "CREATE TEMPORARY FUNCTION f AS 'com.x.F' USING JAR 'x'; CREATE TEMP VIEW v AS SELECT 1;",
            "-- nothing; here\n/* nor here; */;;;",
        ]
    )


def test_escapes_are_read_as_each_engine_reads_them() -> None:
    ddl = r"CREATE TABLE t (a int COMMENT '\u0041\101\n\%\q''x')"

    assert one(ddl).columns[0].comment == "AA\n\\%qx"
    assert one(ddl, dialect=Dialect.SPARK).columns[0].comment == "AA\n\\%q'x"


def test_sparks_session_catalog_is_not_a_namespace() -> None:
    assert one("CREATE TABLE spark_catalog.default.t (a int)", dialect=Dialect.SPARK).columns


words = st.sampled_from([
    "CREATE", "TABLE", "VIEW", "ALTER", "t", "`t`", "(", ")", ",", "'x'", '"', "'", "AS", "SELECT", "int",
    "struct<a:int>", "<", ">", "COMMENT", "PARTITIONED BY", "TBLPROPERTIES", "=", ";", "--", "/*", "*/", "\n",
    "ADD COLUMNS", "CHANGE", "RENAME TO", "USING", "DROP", "NOT NULL", ".", "WITH SCHEMA", "LIKE", "\\",
])  # fmt: skip


@given(st.lists(words, max_size=30).map(" ".join) | st.text())
def test_no_text_breaks_the_reader(text: str) -> None:
    state = DdlState(Dialect.HIVE)

    for placed in read_statements(text, Dialect.HIVE):
        statement = placed.statement
        assert 0 <= placed.offset < len(text)
        if isinstance(statement, MalformedStatement):
            state.keep_malformed(statement)
        else:
            with contextlib.suppress(Refused):
                state.apply(statement)


@pytest.mark.thorough
def test_a_megabyte_of_columns_or_nesting_is_read_in_little_time() -> None:
    wide = "CREATE TABLE t (" + ",".join(f"c{i} string" for i in range(20_000)) + ")"
    deep = "CREATE TABLE t (a " + "array<" * 30_000 + "int" + ">" * 30_000 + ")"
    blank = "CREATE TABLE t (a int)" + " " * 1_000_000 + "/*"

    assert len(one(wide).columns) == 20_000
    assert isinstance(one(deep).columns[0].type, UnknownType)
    with pytest.raises(MalformedDdl):
        relations_from_ddl([blank])


def test_string_is_the_only_type_without_a_name_of_its_own() -> None:
    assert one("CREATE TABLE t (a string, b INT)").columns[0].type == STRING
    assert one("CREATE TABLE t (a string, b INT)").columns[1].type == INT


@pytest.mark.thorough
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "line", ["/*;\n", "';\n", "'\\';\n", "`;\n", "'\";\n", "`/*;\n", "/**/;\n/*;\n"]
)
def test_quotes_and_comments_that_do_not_close_cost_no_more_than_their_length(line: str) -> None:
    """Where each looked for its end in all of the rest, this took hours."""
    source = line * (500_000 // len(line))

    found = sum(1 for _ in read_statements(source, Dialect.HIVE))

    assert found > 0


def test_a_slip_of_the_pen_costs_its_own_statement_up_to_a_hundred_of_them() -> None:
    good = "CREATE TABLE d.t (a INT);\n"

    few = list(read_statements("SELECT `it;\n" + good, Dialect.HIVE))
    many = list(read_statements("/* it;\n" * (MAX_RESUMED + 1) + good, Dialect.HIVE))

    assert len(few) == 2
    assert len(many) == MAX_RESUMED + 1


PLACEHOLDER = "col array<string> COMMENT 'from deserializer'"


def test_the_column_that_spark_leaves_in_a_metastore_is_no_column() -> None:
    table = f"CREATE TABLE t ({PLACEHOLDER})"

    with pytest.raises(MalformedDdl, match="write the table's own columns"):
        one(f"{table} TBLPROPERTIES ('spark.sql.sources.provider'='delta')")

    assert names(one(table)) == ["col"]
    assert names(one("CREATE TABLE t (col array<string>) USING delta", dialect=Dialect.SPARK)) == [
        "col"
    ]


@pytest.mark.parametrize(
    "between", [";", ";;;", "; ;\n;", "; -- a ; b\n;", "; /* a ; b */ ;", ";\n\n"]
)
def test_empty_statements_are_passed_over(between: str) -> None:
    text = f"{between}CREATE DATABASE a{between}CREATE DATABASE b{between}"

    found = [each.statement for each in read_statements(text, Dialect.HIVE)]

    assert [type(each).__name__ for each in found] == ["CreateNamespace"] * 2
