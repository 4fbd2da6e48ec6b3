"""A table from CREATE TABLE AS SELECT has the columns that the engine gives it.

``SPARK`` has the columns of Spark 4.3 (for Delta tables, Delta 4.4), ``HIVE`` those of DESCRIBE in Hive 4.0.1.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.ddl_change import Script, apply_ddl
from lakeschema.catalog.ddl_files import DdlFilesCatalog, relations_from_ddl
from lakeschema.catalog.errors import MalformedDdl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.translation.deriving.direct_deriver import DirectDeriver
from lakeschema.translation.deriving.made_tables import query_columns
from lakeschema.translation.model.interface import Options, ViewEvolution

C = RelationName.of("default", "c")
COLUMNS = query_columns(DirectDeriver(Options(view_evolution=ViewEvolution.FOLLOW)))

SPARK_TABLE = """CREATE TABLE t (
  a int COMMENT 'ca', b string NOT NULL, dt date, st struct<x:int NOT NULL COMMENT 'sx', y:string>,
  ch char(3), dec decimal(9,2), arr array<int>, ts timestamp_ntz
) USING parquet"""
SPARK = (
    ("CREATE TABLE c USING parquet AS SELECT a, b FROM t", "a int 'ca', b string"),
    ("CREATE TABLE c AS SELECT a AS z, a + 1 AS n, 'x' AS s, 1.5 AS d, array(1, 2) AS ar, map('k', 1) AS m FROM t",
     "z int 'ca', n int, s string, d decimal(2,1), ar array<int>, m map<string,int>"),
    ("CREATE TABLE c USING parquet PARTITIONED BY (a) AS SELECT b, a, dt FROM t", "b string, dt date, a int 'ca'"),
    ("CREATE TABLE c USING parquet PARTITIONED BY (dt, A) AS SELECT b, a, dt FROM t", "b string, dt date, a int 'ca'"),
    ("CREATE TABLE c USING delta PARTITIONED BY (a) AS SELECT b, a, dt FROM t", "b string, a int 'ca', dt date"),
    ("CREATE TABLE c USING parquet AS SELECT st.x, st, ch, dec + 1 AS dd, coalesce(a, 0) AS k, ts FROM t",
     "x int 'sx', st struct<x:int,y:string>, ch string, dd decimal(10,2), k int, ts timestamp_ntz"),
    ("CREATE TABLE c USING parquet SELECT a FROM t", "a int 'ca'"),
    ("CREATE TABLE c SELECT a FROM t", "a int 'ca'"),
    ("CREATE TABLE c (SELECT a FROM t)", "a int 'ca'"),
    ("CREATE TABLE c USING parquet AS WITH q AS (SELECT a FROM t) SELECT * FROM q", "a int 'ca'"),
    ("CREATE TABLE c USING parquet AS FROM t SELECT a", "a int 'ca'"),
    ("CREATE TABLE c USING parquet AS VALUES (1, 'x')", "col1 int, col2 string"),
    ("CREATE TABLE c USING parquet AS TABLE t", "a int 'ca', b string, dt date, st struct<x:int,y:string>, ch string, dec decimal(9,2), arr array<int>, ts timestamp_ntz"),
    ("CREATE TABLE c USING parquet COMMENT 'x' OPTIONS ('x'='y') CLUSTERED BY (a) INTO 2 BUCKETS AS SELECT a FROM t", "a int 'ca'"),
    ("CREATE TABLE c USING parquet AS SELECT a FROM t; CREATE TABLE IF NOT EXISTS c AS SELECT b FROM t", "a int 'ca'"),
    ("CREATE VIEW v AS SELECT a, dt FROM t; CREATE TABLE c AS SELECT * FROM v; DROP VIEW v", "a int 'ca', dt date"),
    # The columns are those of then.
    ("CREATE TABLE c AS SELECT * EXCEPT (st, arr, ts, ch, dec) FROM t; ALTER TABLE t ADD COLUMN z int", "a int 'ca', b string, dt date"),
    ("CREATE TABLE c AS SELECT a FROM t; CREATE OR REPLACE TABLE c AS SELECT *, 1 AS z FROM c", "a int 'ca', z int"),
    ("CREATE TABLE c AS SELECT a FROM t; ALTER TABLE c ADD COLUMN z int", "a int 'ca', z int"),
    # The order of a table without a query.
    ("CREATE TABLE c (a int, b int, d int) USING parquet PARTITIONED BY (a)", "b int, d int, a int"),
    ("CREATE TABLE c (a int, b int, d int) USING delta PARTITIONED BY (a)", "a int, b int, d int"),
)  # fmt: skip

HIVE_TABLE = """CREATE TABLE t (
  a int COMMENT 'ca', B string, dt date, st struct<x:int, y:string>, ch char(3), vc varchar(5), dec_ decimal(9,2)
)"""
HIVE = (
    ("CREATE TABLE c AS SELECT a, B FROM t", "a int, b string"),
    ("CREATE TABLE c STORED AS ORC AS SELECT b AS B2, a + 1, 1.5 AS d, named_struct('X', a, 'y', 1) AS ns FROM t",
     "b2 string, _c1 int, d decimal(2,1), ns struct<x:int,y:int>"),
    ("CREATE TABLE c PARTITIONED BY (a) STORED AS ORC AS SELECT B, a, dt FROM t", "b string, dt date, a int"),
    ("CREATE TABLE c PARTITIONED BY (dt, A) AS SELECT B, a, dt FROM t", "b string, dt date, a int"),
    ("CREATE TABLE c AS SELECT st.x, st, ch, vc, dec_ + 1 AS dd FROM t", "x int, st struct<x:int,y:string>, ch char(3), vc varchar(5), dd decimal(10,2)"),
    ("CREATE TABLE c AS SELECT count(*) AS n, count(a), max(dt) m FROM t", "n bigint, _c1 bigint, m date"),
    ("CREATE TABLE c AS WITH q AS (SELECT a FROM t) SELECT * FROM q", "a int"),
    ("CREATE TABLE c COMMENT 'x' ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' STORED AS TEXTFILE TBLPROPERTIES ('k'='v') AS SELECT a FROM t", "a int"),
    ("CREATE EXTERNAL TABLE c LOCATION '/tmp/cc' AS SELECT a FROM t", "a int"),
    ("CREATE TABLE c AS VALUES (1, 'x')", "col1 int, col2 string"),
    ("CREATE TABLE c AS (SELECT a FROM t)", "a int"),
    ("CREATE TABLE c AS SELECT a FROM t UNION ALL SELECT 1L FROM t", "a bigint"),
    ("CREATE TABLE c AS SELECT x.a FROM t x JOIN t y USING (a)", "a int"),
)  # fmt: skip

TRINO_TABLE = "CREATE TABLE t (a integer, b varchar)"
TRINO = (
    ("CREATE TABLE c AS SELECT a, b FROM t WITH NO DATA", "a int, b string"),
    ("CREATE TABLE c (x, y) COMMENT 'z' WITH (format = 'ORC') AS SELECT a, b FROM t", "x int, y string"),
    ("CREATE TABLE c AS (SELECT a FROM t) WITH DATA", "a int"),
)  # fmt: skip


def columns(relation: Relation) -> str:
    return ", ".join(
        f"{c.name} {print_type(c.type)}{'' if c.nullable else '!'}{f' {c.comment!r}' if c.comment else ''}"
        for c in (*relation.columns, *relation.partition_columns)
    )


@pytest.mark.parametrize(
    ("dialect", "table", "statement", "expected"),
    [
        *((Dialect.SPARK, SPARK_TABLE, *row) for row in SPARK),
        *((Dialect.HIVE, HIVE_TABLE, *row) for row in HIVE),
        *((Dialect.TRINO, TRINO_TABLE, *row) for row in TRINO),
    ],
)
def test_the_table_has_the_columns_that_the_engine_gives_it(
    dialect: Dialect, table: str, statement: str, expected: str
) -> None:
    assert columns(relations_from_ddl([table, statement], dialect, COLUMNS)[C]) == expected


@pytest.mark.parametrize(
    ("ddl", "why"),
    [
        ("CREATE TABLE c AS SELECT nothing FROM t", "nothing does not exist"),
        ("CREATE TABLE c AS SELECT a FROM nowhere", "default.nowhere"),
        ("CREATE TABLE c AS SELEC a FROM t", "SELEC"),
        ("ALTER TABLE t NONSENSE; CREATE TABLE c AS SELECT a FROM t", "not current"),
        ("CREATE TABLE c PARTITIONED BY (z) AS SELECT a FROM t", "partitioned by z"),
        ("CREATE TABLE c (z int) AS SELECT a FROM t", "the columns are listed"),
    ],
)
def test_a_table_of_a_folder_without_known_columns_says_why(
    tmp_path: Path, ddl: str, why: str
) -> None:
    (tmp_path / "a.sql").write_text(f"CREATE TABLE t (a int);{ddl}")

    found = DdlFilesCatalog(tmp_path, Dialect.SPARK, COLUMNS).read_all()[C]

    assert why in (found.unreadable or "")


def test_a_query_is_resolved_only_where_somebody_does() -> None:
    with pytest.raises(MalformedDdl, match="list them"):
        relations_from_ddl(["CREATE TABLE c AS SELECT 1 AS a"])


def test_a_change_reads_what_the_catalog_has(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text(HIVE_TABLE)
    script = Script("change.sql", "CREATE TABLE c AS SELECT a FROM t")

    change = apply_ddl(DdlFilesCatalog(tmp_path), [script], query_columns=COLUMNS)

    assert columns(change.relations[C]) == "a int"
