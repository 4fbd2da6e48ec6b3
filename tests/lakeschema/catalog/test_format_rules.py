"""Columns that readers get from tables of each format; the answers come from Hive 4.0.1 and Spark 4.3."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.format_rules import PROVIDERS, SERDES, as_read
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Dialect
from tests.lakeschema.translation.relations import columns, derived

HIVE, SPARK, TRINO = Dialect.HIVE, Dialect.SPARK, Dialect.TRINO
SERDE2 = "org.apache.hadoop.hive.serde2"
NESTED = "s struct<x:smallint,y:array<date>>, m map<string,tinyint>"
DOCUMENT = Path(__file__).parents[3] / "docs" / "table-formats.md"


def read(ddl: str, dialect: Dialect = HIVE) -> tuple[Column, ...]:
    relation = as_read(relations_from_ddl([ddl], dialect)[RelationName(("default",), "t")])
    return (*relation.columns, *relation.partition_columns)


def types(ddl: str, dialect: Dialect = HIVE) -> str:
    return ", ".join(f"{c.name} {print_type(c.type)}" for c in read(ddl, dialect))


@pytest.mark.parametrize(
    ("serde", "expected"),
    [
        (f"{SERDE2}.OpenCSVSerde", "a string, s string, m string, p tinyint"),
        (f"{SERDE2}.opencsvserde", "a string, s string, m string, p tinyint"),
        (
            f"{SERDE2}.avro.AvroSerDe",
            "a int, s struct<x:int,y:array<date>>, m map<string,int>, p tinyint",
        ),
        (
            f"{SERDE2}.JsonSerDe",
            "a smallint, s struct<x:smallint,y:array<date>>, m map<string,tinyint>, p tinyint",
        ),
        (
            "com.example.OurSerDe",
            "a smallint, s struct<x:smallint,y:array<date>>, m map<string,tinyint>, p tinyint",
        ),
    ],
)
def test_a_serde_decides_what_types_are_read_as(serde: str, expected: str) -> None:
    ddl = f"CREATE TABLE t (a SMALLINT, {NESTED}) PARTITIONED BY (p TINYINT) ROW FORMAT SERDE '{serde}'"

    assert types(ddl) == types(ddl, SPARK) == expected


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ("(a INT) USING csv", "a int"),
        (f"(a SMALLINT, {NESTED}) USING avro", f"a smallint, {NESTED}"),
        ("USING text", "value string"),
        ("(line STRING, p INT) USING text PARTITIONED BY (p)", "line string, p int"),
        (
            "USING BinaryFile LOCATION '/x'",
            "path string, modificationTime timestamp, length bigint, content binary",
        ),
        (
            "USING image LOCATION '/x'",
            "image struct<origin:string,height:int,width:int,nChannels:int,mode:int,data:binary>",
        ),
        ("(a SMALLINT) USING hive OPTIONS (fileFormat 'avro')", "a int"),
        ("(a SMALLINT) USING hive", "a smallint"),
        ("(a SMALLINT)", "a smallint"),
    ],
)
def test_a_provider_decides_what_columns_there_are(clauses: str, expected: str) -> None:
    assert types(f"CREATE TABLE t {clauses}", SPARK) == expected


def test_a_serde_is_no_more_once_another_is_set() -> None:
    ddl = f"CREATE TABLE t (a INT) ROW FORMAT SERDE '{SERDE2}.OpenCSVSerde';"

    assert types(f"{ddl} ALTER TABLE t SET SERDE '{SERDE2}.JsonSerDe'") == "a int"


def test_a_view_has_the_types_that_the_serde_reads() -> None:
    table = f"CREATE TABLE t (a INT, b DATE) ROW FORMAT SERDE '{SERDE2}.OpenCSVSerde';"

    found = derived(f"{table} CREATE VIEW v AS SELECT a, b, a + 1 AS s FROM t")

    assert [(name, type_) for name, type_, _ in columns(found)] == [
        ("a", "string"),
        ("b", "string"),
        ("s", "double"),
    ]


FIELDS = (
    "a INT NOT NULL, s STRUCT<x: INT NOT NULL> NOT NULL, r ARRAY<STRUCT<x: INT NOT NULL>> NOT NULL"
)
ALL = "a s s.x r r.x"


def required(ddl: str, dialect: Dialect) -> str:
    """The names of what is required, through structs and arrays."""
    found = []
    for column in read(ddl, dialect):
        found += [column.name] if not column.nullable else []
        parts = getattr(column.type, "element", column.type)
        found += [f"{column.name}.{f.name}" for f in getattr(parts, "fields", ()) if not f.nullable]
    return " ".join(found)


@pytest.mark.parametrize(
    ("dialect", "clauses", "expected"),
    [
        *((SPARK, f"({FIELDS}) USING {p}", "") for p in ("parquet", "orc", "json", "xml", "avro")),
        (HIVE, f"({FIELDS}) USING parquet", ""),
        (SPARK, f"({FIELDS}) USING org.example.Source", ""),
        (SPARK, f"({FIELDS}) USING hive", ""),
        (SPARK, f"({FIELDS})", ""),
        (SPARK, f"({FIELDS}) STORED AS orc", ""),
        (SPARK, f"({FIELDS}) ROW FORMAT DELIMITED", ""),
        (SPARK, f"({FIELDS}) ROW FORMAT SERDE '{SERDE2}.JsonSerDe' STORED AS TEXTFILE", ""),
        (SPARK, f"({FIELDS}) USING delta", "a s s.x r"),
        (SPARK, f"({FIELDS}) USING iceberg", ALL),
        (SPARK, f"({FIELDS}) USING Iceberg PARTITIONED BY (a)", ALL),
        (SPARK, "(a INT NOT NULL, p INT NOT NULL) USING parquet PARTITIONED BY (p)", ""),
        (SPARK, "(a INT NOT NULL PRIMARY KEY NOT ENFORCED) USING delta", "a"),
        (SPARK, "(a INT NOT NULL DEFAULT 1, b INT DEFAULT 2) USING delta", "a"),
        (SPARK, "(a INT, g INT GENERATED ALWAYS AS (a + 1), CHECK (a IS NOT NULL)) USING delta", ""),
        (HIVE, "(a INT NOT NULL, b INT NOT NULL ENABLE, c INT CONSTRAINT n NOT NULL ENFORCED)", "a b c"),
        (HIVE, "(a INT NOT NULL DISABLE, b INT NOT NULL DISABLE NOVALIDATE RELY)", ""),
        (HIVE, "(a INT NOT NULL NOT ENFORCED, b INT NOT NULL ENABLE NOVALIDATE NORELY)", "b"),
        (HIVE, "(a INT PRIMARY KEY DISABLE NOVALIDATE, b INT UNIQUE DISABLE, c INT DEFAULT 1)", ""),
        (HIVE, "(a INT NOT NULL, PRIMARY KEY (a) DISABLE NOVALIDATE)", "a"),
        (HIVE, "(a INT NOT NULL) STORED AS ORC", "a"),
        (TRINO, "(a INTEGER NOT NULL, b INTEGER)", "a"),
    ],
)  # fmt: skip
def test_a_column_is_required_where_an_engine_enforces_it(
    dialect: Dialect, clauses: str, expected: str
) -> None:
    assert required(f"CREATE TABLE t {clauses}", dialect) == expected


def test_a_table_like_another_has_no_constraints_of_hive() -> None:
    ddl = "CREATE TABLE u (a INT NOT NULL); CREATE TABLE t LIKE u"

    assert required(ddl, HIVE) == ""


def test_the_document_has_a_row_for_each_format() -> None:
    text = DOCUMENT.read_text().lower()

    assert [
        name for name in (*SERDES, *PROVIDERS) if f"`{name.rpartition('.')[2]}`" not in text
    ] == []
