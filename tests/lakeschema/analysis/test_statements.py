"""Statements of many engines: the tables that each reads and writes, whatever words surround it."""

from __future__ import annotations

import pytest

from lakeschema.analysis.catalog import as_text
from lakeschema.analysis.column_lineage import column_lineage
from lakeschema.analysis.table_access import table_access
from lakeschema.catalog.identifiers import RelationName
from tests.lakeschema.analysis.analysed import all_of, resolved


def touched(sql: str, dialect: str) -> set[str]:
    """``<`` before what is read, ``>`` before what is written; a definition has a colon."""
    signs = {"read data": "<", "read metadata": "<:", "write data": ">", "write metadata": ">:"}
    return {
        f"{signs[access.value]}{as_text(source)}"
        for access, source in table_access(resolved(sql, dialect, {}))
    }


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        ("mysql", "INSERT IGNORE INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE a = 2", {">t"}),
        ("mysql", "INSERT INTO t SET a = 1, b = (SELECT max(x) FROM u)", {">t", "<u"}),
        ("mysql", "REPLACE INTO t SELECT * FROM u", {">t", "<u"}),
        ("mysql", "INSERT HIGH_PRIORITY IGNORE t VALUES (1)", {">t"}),
        ("tsql", "INSERT TOP (5) INTO t (a) OUTPUT inserted.a INTO log (a) SELECT b FROM u", {">t", ">log", "<u"}),
        ("tsql", "INSERT INTO t EXEC dbo.p @a = 1", {">t"}),
        ("tsql", "DELETE TOP (5) FROM t OUTPUT deleted.a INTO log WHERE a IN (SELECT b FROM u)", {">t", ">log", "<u"}),
        ("tsql", "DELETE FROM t OUTPUT deleted.a WHERE a = 1", {">t"}),
        ("tsql", "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DELETE OUTPUT $action, inserted.a INTO log;", {"<t", ">t", ">log", "<u"}),
        ("tsql", "INSERT INTO @t SELECT a FROM @u", {">`@t`", "<`@u`"}),
        ("tsql", "ALTER TABLE t SWITCH PARTITION 1 TO u PARTITION 2", {"<t", ">t", ">u"}),
        ("redshift", "ALTER TABLE t APPEND FROM u", {"<u", ">u", ">t"}),
        ("mysql", "ALTER TABLE t RENAME u", {"<t", ">t", ">u"}),
        ("clickhouse", "EXCHANGE TABLES t AND u", {"<t", ">t", "<u", ">u"}),
        ("teradata", "REPLACE VIEW v AS LOCKING ROW FOR ACCESS SEL a FROM t", {">:v", "<t"}),
        ("teradata", "LOCKING TABLE t FOR ACCESS SEL a FROM t", {"<t"}),
        ("teradata", "DEL FROM t ALL", {">t"}),
        ("bigquery", "CREATE SNAPSHOT TABLE t CLONE u", {">t", "<u"}),
        ("mysql", "CREATE ALGORITHM = MERGE DEFINER = `a`@`b` VIEW v AS SELECT a FROM t", {">:v", "<t"}),
        ("postgres", "WITH d AS (DELETE FROM t USING v WHERE t.a = v.a RETURNING t.a) INSERT INTO u SELECT a FROM d", {">t", ">u", "<t", "<v"}),
        ("postgres", "WITH c AS (SELECT a FROM v), i AS (INSERT INTO t (a) SELECT a FROM c) SELECT 1", {">t", "<v"}),
        ("bigquery", "SELECT i.b FROM d.t x, x.items i", {"<d.t"}),
        ("postgres", "SELECT i.b FROM d.t x, x.items i", {"<d.t", "<x.items"}),
        ("sqlite", "INSERT OR IGNORE INTO t SELECT a FROM u", {">t", "<u"}),
        ("postgres", "INSERT INTO t DEFAULT VALUES", {">t"}),
        ("postgres", "INSERT INTO t AS x (a) OVERRIDING SYSTEM VALUE SELECT a FROM u", {">t", "<u"}),
        ("databricks", "INSERT INTO t REPLACE WHERE d > 1 SELECT * FROM u", {">t", "<u"}),
        ("spark", "INSERT INTO t BY NAME SELECT a FROM u", {">t", "<u"}),
        ("hive", "INSERT INTO TABLE t PARTITION (d) IF NOT EXISTS SELECT a FROM u", {">t", "<u"}),
        (
            "hive",
            "INSERT OVERWRITE LOCAL DIRECTORY '/o' ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' SELECT * FROM u",
            {">/o", "<u"},
        ),
        (
            "hive",
            "FROM u INSERT OVERWRITE DIRECTORY '/o' SELECT a INSERT INTO t PARTITION (d='1') SELECT b WHERE c",
            {">/o", ">t", "<u"},
        ),
        (
            "oracle",
            "INSERT ALL WHEN a > 1 THEN INTO t (x) VALUES (a) ELSE INTO v SELECT a FROM u",
            {">t", ">v", "<u"},
        ),
        ("oracle", "INSERT FIRST INTO t INTO v VALUES (b) SELECT a, b FROM u", {">t", ">v", "<u"}),
        ("hive", "WITH c AS (SELECT a FROM u) FROM c INSERT INTO t SELECT a", {">t", "<u"}),
        (
            "snowflake",
            ("MERGE INTO t USING u ON t.a = u.a WHEN MATCHED AND u.d THEN DELETE"
            " WHEN NOT MATCHED BY SOURCE THEN UPDATE SET b = 1"),
            {"<t", ">t", "<u"},
        ),
        (
            "spark",
            ("MERGE WITH SCHEMA EVOLUTION INTO t USING u ON t.a = u.a"
            " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"),
            {"<t", ">t", "<u"},
        ),
        (
            "oracle",
            ("MERGE INTO t USING u ON (t.a = u.a) WHEN MATCHED THEN UPDATE SET b = u.b WHERE u.c > 1"
            " DELETE WHERE t.b = 0 WHEN NOT MATCHED THEN INSERT (a) VALUES (u.a) WHERE u.d = 1"),
            {"<t", ">t", "<u"},
        ),
        (
            "postgres",
            "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DO NOTHING RETURNING t.a",
            {"<t", ">t", "<u"},
        ),
        ("postgres", "UPDATE ONLY t SET (a, b) = (SELECT c, d FROM u) RETURNING a", {">t", "<u"}),
        ("postgres", "UPDATE t SET (a, b) = (1, 2), c = DEFAULT WHERE d", {">t"}),
        ("mysql", "UPDATE t, u SET t.a = u.b WHERE t.c = u.c ORDER BY a LIMIT 5", {">t", "<u"}),
        ("mysql", "DELETE t, u FROM t JOIN u ON t.a = u.a WHERE u.b = 1", {">t", ">u", "<u"}),
        ("mysql", "DELETE x FROM t AS x JOIN u ON x.a = u.a", {">t", "<u"}),
        ("mysql", "DELETE FROM t WHERE a = 1 LIMIT 5", {">t"}),
        ("postgres", "WITH RECURSIVE c AS (SELECT a FROM u UNION SELECT u.a FROM u JOIN c ON u.b = c.a) INSERT INTO t SELECT a FROM c", {">t", "<u"}),
        ("snowflake", "INSERT INTO IDENTIFIER('d.t') SELECT a FROM IDENTIFIER(s.u)", {">d.t", "<s.u"}),
        ("snowflake", "DELETE FROM IDENTIFIER($which)", {">`$which`"}),
        ("databricks", "SELECT a FROM IDENTIFIER(:schema || '.t')", {"<`:schema || '.t'`"}),
        ("snowflake", "SELECT $1 FROM @s/p/x.csv (FILE_FORMAT => 'f') AS x JOIN u ON u.a = x.$1", {"<@s/p/x.csv", "<u"}),
        ("snowflake", "COPY INTO @~/out FROM u", {">@~/out", "<u"}),
        ("snowflake", "COPY INTO t FROM @%t/p FILE_FORMAT = (TYPE = CSV)", {">t", "<@%t/p"}),
        ("hive", "DELETE FROM TABLE t WHERE a = 1", {">t"}),
        ("tsql", "UPDATE x SET x.a += u.a FROM t AS x JOIN u ON u.b = x.b", {">t", "<u"}),
        ("tsql", "UPDATE TOP (5) t SET a = 1 OUTPUT inserted.a FROM u WHERE u.b = t.b", {">t", "<u"}),
        ("teradata", "UPDATE x FROM t x, u SET a = u.a WHERE u.b = x.b", {">t", "<u"}),
        ("postgres", "WITH c AS (SELECT a FROM u) DELETE FROM t USING c WHERE t.a = c.a", {">t", "<u"}),
        ("hive", "LOAD DATA LOCAL INPATH '/in' INTO TABLE t PARTITION (d='1')", {">t", "</in"}),
        ("snowflake", "COPY INTO t (a, b) FROM (SELECT $1 FROM u) FILE_FORMAT = x", {">t", "<u"}),
        ("postgres", "COPY t FROM STDIN", {">t", "<"}),
        ("postgres", "COPY (SELECT * FROM u) TO '/out'", {">/out", "<u"}),
        ("redshift", "COPY t FROM 's3://b/k' IAM_ROLE 'r'", {">t", "<s3://b/k"}),
        ("redshift", "UNLOAD (SELECT * FROM u) TO 's3://b'", {">s3://b", "<u"}),
        ("hive", "CREATE EXTERNAL TABLE IF NOT EXISTS t (a INT COMMENT 'x, y', PRIMARY KEY (a)) LOCATION '/t'", {">t"}),
        ("hive", "CREATE TABLE t LIKE u LOCATION '/t'", {">t", "<:u"}),
        ("postgres", "CREATE TABLE t (LIKE u INCLUDING ALL, b INT)", {">t", "<:u"}),
        ("databricks", "CREATE OR REPLACE TABLE t SHALLOW CLONE u VERSION AS OF 3", {">t", "<u"}),
        ("bigquery", "CREATE TABLE t COPY u", {">t", "<u"}),
        ("spark", "CREATE TABLE t USING parquet PARTITIONED BY (days(ts)) AS SELECT ts FROM u", {">t", "<u"}),
        ("hive", "CREATE TABLE t PARTITIONED ON (d) STORED AS ORC AS SELECT a, d FROM u", {">t", "<u"}),
        ("trino", "CREATE TABLE t WITH (format = 'ORC') AS (SELECT a FROM u) WITH NO DATA", {">t", "<u"}),
        ("oracle", "CREATE MATERIALIZED VIEW v AS WITH c AS (SELECT 1) SELECT * FROM u", {">:v", "<u"}),
        ("clickhouse", "CREATE MATERIALIZED VIEW v TO t (a Int8) AS SELECT a FROM u", {">:v", ">t", "<u"}),
        ("snowflake", "CREATE VIEW v WITH TAG (x = 'y') AS SELECT a FROM u", {">:v", "<u"}),
        ("hive", "ALTER VIEW v AS SELECT a FROM u", {">:v", "<u"}),
        ("hive", "ALTER TABLE t ADD COLUMNS (a INT)", {">t"}),
        ("postgres", "ALTER TABLE t DROP COLUMN a", {">t"}),
        ("postgres", "ALTER TABLE t RENAME COLUMN a TO b", {">:t"}),
        ("hive", "ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')", {">:t"}),
        ("hive", "ALTER TABLE t SET LOCATION '/x'", {">:t"}),
        ("hive", "ALTER TABLE t PARTITION (d='1') SET LOCATION '/x'", {">:t"}),
        ("hive", "ALTER TABLE t ADD IF NOT EXISTS PARTITION (d='1') LOCATION '/x'", {">:t"}),
        ("postgres", "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0)", {">:t"}),
        ("postgres", "ALTER TABLE IF EXISTS ONLY t DROP CONSTRAINT c", {">:t"}),
        ("postgres", "ALTER TABLE t ALTER COLUMN a TYPE BIGINT", {">:t"}),
        ("postgres", "ALTER INDEX i RENAME TO j", set()),
        ("mysql", "RENAME TABLE t TO u", {"<t", ">t", ">u"}),
        ("vertica", "ALTER TABLE a.t SET SCHEMA b", {"<a.t", ">a.t", ">b.t"}),
        ("hive", "DROP TABLE IF EXISTS t, u PURGE", {">t", ">u"}),
        ("oracle", "DROP MATERIALIZED VIEW v", {">:v"}),
        ("postgres", "TRUNCATE t, u RESTART IDENTITY", {">t", ">u"}),
        ("hive", "TRUNCATE TABLE t PARTITION (d='1')", {">t"}),
        ("spark", "CACHE LAZY TABLE c OPTIONS ('a' = 'b') AS SELECT * FROM u", {"<u", ">:c"}),
        ("spark", "CACHE TABLE t", {"<t"}),
        ("hive", "DESCRIBE FORMATTED t PARTITION (d='1')", {"<:t"}),
        ("hive", "SHOW CREATE TABLE t", {"<:t"}),
        ("spark", "SHOW FUNCTIONS LIKE 'a'", set()),
        ("spark", "ANALYZE TABLE t COMPUTE STATISTICS", {"<:t"}),
        ("postgres", "EXPLAIN (ANALYZE, VERBOSE) SELECT * FROM t", {"<t"}),
        ("postgres", "EXPLAIN (VERBOSE) SELECT * FROM t", set()),
        ("spark", "EXPLAIN EXTENDED INSERT INTO t SELECT * FROM u", {"<:t"}),
        ("snowflake", "USE WAREHOUSE w", set()),
        ("hive", "SET hive.exec.mode = x", set()),
        ("mysql", "USE 'db'", set()),
        ("postgres", "COMMENT ON TABLE t IS 'x'", set()),
        ("snowflake", "CREATE STAGE s FILE_FORMAT = (TYPE = CSV)", set()),
        ("snowflake", "CREATE STAGE s URL = 's3://b'", {">s", "<s3://b"}),
        ("hive", "CREATE DATABASE d", set()),
        ("tsql", "SELECT TOP (5) PERCENT WITH TIES a FROM t ORDER BY a OPTION (RECOMPILE)", {"<t"}),
        ("tsql", "SELECT a FROM db..t", {"<db.t"}),
        ("tsql", "SELECT a FROM t (NOLOCK) JOIN u AS x WITH (INDEX (i), NOLOCK) ON x.a = t.a", {"<t", "<u"}),
        ("tsql", "SELECT a FROM t x (UPDLOCK, HOLDLOCK), f(1) y", {"<t"}),
        ("mysql", "SELECT a FROM t USE INDEX (i, j) IGNORE INDEX FOR JOIN (k) JOIN u FORCE KEY (l)", {"<t", "<u"}),
        ("mysql", "SELECT a FROM t PARTITION (p0, p1) AS x", {"<t"}),
        ("tsql", "SELECT a FROM t INNER LOOP JOIN u ON t.b = u.b LEFT HASH JOIN v ON v.c = u.c", {"<t", "<u", "<v"}),
        ("tsql", "SELECT STUFF((SELECT ',' + b FROM u FOR XML PATH('')), 1, 1, '') FROM t FOR JSON AUTO", {"<t", "<u"}),
        ("tsql", "SELECT a FROM t FOR SYSTEM_TIME BETWEEN '2020' AND '2021' AS x JOIN u ON x.b = u.b", {"<t", "<u"}),
        ("oracle", "SELECT a FROM t AS OF TIMESTAMP SYSDATE - 1 x JOIN u@far ON x.b = u.b", {"<t", "<`u@far`"}),
        ("oracle", "SELECT a FROM t VERSIONS BETWEEN SCN 1 AND 2 LEFT JOIN u PARTITION BY (u.c) ON t.b = u.b FOR UPDATE OF a NOWAIT", {"<t", "<u"}),
        ("postgres", "SELECT a FROM t FOR NO KEY UPDATE OF t SKIP LOCKED", {"<t"}),
        ("postgres", "WITH RECURSIVE r (n) AS (SELECT a FROM t UNION SELECT n FROM r) SEARCH DEPTH FIRST BY n SET o CYCLE n SET c USING p SELECT n FROM r", {"<t"}),
        ("mysql", "SELECT a FROM t LOCK IN SHARE MODE", {"<t"}),
        ("mysql", "SELECT a FROM t INTO OUTFILE '/o' FIELDS TERMINATED BY ','", {"<t"}),
        ("db2", "SELECT a FROM t WITH UR", {"<t"}),
        ("snowflake", "SELECT a FROM t SAMPLE BERNOULLI (10) SEED (1) ASOF JOIN u MATCH_CONDITION (t.b >= u.b) ON t.c = u.c", {"<t", "<u"}),
        ("clickhouse", "SELECT a FROM t SAMPLE 0.1 ANY LEFT JOIN u ON t.b = u.b", {"<t", "<u"}),
        ("impala", "SELECT a FROM t JOIN [SHUFFLE] u ON t.b = u.b", {"<t", "<u"}),
        ("sqlite", "SELECT a FROM t INDEXED BY i JOIN u NOT INDEXED", {"<t", "<u"}),
        ("clickhouse", "SELECT a FROM t AS x FINAL", {"<t"}),
        ("db2", "SELECT a FROM t, LATERAL (SELECT b FROM u WHERE u.c = t.c) AS x", {"<t", "<u"}),
        ("tsql", "SELECT a FROM t OUTER APPLY (SELECT b FROM u WHERE u.c = t.c) x", {"<t", "<u"}),
        ("mysql", "SELECT a FROM t STRAIGHT_JOIN u ON t.a = u.a", {"<t", "<u"}),
        ("duckdb", "SELECT a FROM t ASOF JOIN u ON t.a >= u.a", {"<t", "<u"}),
        ("clickhouse", "SELECT a FROM t GLOBAL LEFT JOIN u ON t.a = u.a", {"<t", "<u"}),
        ("snowflake", "SELECT a FROM t AT (OFFSET => -60) SAMPLE (10)", {"<t"}),
        ("snowflake", "SELECT a FROM t SAMPLE (10)", {"<t"}),
        ("databricks", "SELECT a FROM t TIMESTAMP AS OF '2020-01-01'", {"<t"}),
        ("bigquery", "SELECT a FROM t FOR SYSTEM_TIME AS OF current_timestamp()", {"<t"}),
        ("bigquery", "SELECT o FROM t, UNNEST(xs) AS x WITH OFFSET AS o", {"<t"}),
        ("bigquery", "SELECT a FROM t WHERE a IN UNNEST([1, 2])", {"<t"}),
        ("postgres", "SELECT array_agg(a ORDER BY b LIMIT 2), string_agg(a, ',') FROM t", {"<t"}),
        ("mysql", "SELECT group_concat(a ORDER BY b SEPARATOR ';') FROM t", {"<t"}),
        ("oracle", "SELECT listagg(a, ',' ON OVERFLOW TRUNCATE) WITHIN GROUP (ORDER BY a) FROM t", {"<t"}),
        ("postgres", "SELECT a AT TIME ZONE 'UTC', b::timestamp without time zone FROM t", {"<t"}),
        ("postgres", "SELECT sum(a) OVER (ORDER BY b GROUPS 1 PRECEDING EXCLUDE TIES) FROM t", {"<t"}),
        ("postgres", "SELECT a::double precision, b::varchar(3)[], c::interval FROM t", {"<t"}),
        ("mysql", "SELECT CAST(a AS CHAR CHARACTER SET utf8), CAST(b AS UNSIGNED) FROM t", {"<t"}),
        ("postgres", "WITH c (x) AS NOT MATERIALIZED (SELECT a FROM t) SELECT x FROM c FOR SHARE", {"<t"}),
        ("spark", "SELECT a FROM t UNION ALL BY NAME SELECT b FROM u", {"<t", "<u"}),
        ("mysql", "SELECT a FROM t WHERE ROW(a, b) = ROW(1, 2)", {"<t"}),
        ("trino", "SELECT * FROM TABLE(f(x => 1)), (VALUES ROW (1, 2)) v (a, b)", set()),
        ("postgres", "SELECT a FROM ONLY t, 's3://b/k' WHERE c = ANY (SELECT d FROM u)", {"<t", "<s3://b/k", "<u"}),
    ],
)  # fmt: skip
def test_a_statement_reads_and_writes(dialect: str, sql: str, expected: set[str] | None) -> None:
    if expected is None:
        # Not understood: said so, and nothing else.
        (found,) = all_of(sql, dialect, {})
        assert found.resolved is None
        assert found.error is not None
        return
    assert touched(sql, dialect) == expected


@pytest.mark.parametrize(
    ("script", "name", "columns"),
    [
        ("CREATE TABLE t (a INT, b STRUCT<x: INT, y: ARRAY<INT>>, CHECK (a > 0))", "t", ("a", "b")),
        ("CREATE TABLE t ('a' INT)", "t", ("a",)),
        ("CREATE TABLE t (a INT); CREATE TABLE u LIKE t", "u", ("a",)),
        ("CREATE TABLE t (a INT); CREATE TABLE u CLONE t", "u", ("a",)),
        ("CREATE TABLE t (a INT); ALTER TABLE t ADD COLUMN b INT, ADD COLUMN c INT", "t", ("a", "b", "c")),
        ("CREATE TABLE t (a INT, b INT, c INT); ALTER TABLE t DROP COLUMNS (a, c)", "t", ("b",)),
        ("CREATE TABLE t (a INT); CREATE TABLE IF NOT EXISTS t (b INT)", "t", ("a",)),
        ("CREATE TABLE t (a INT); ALTER TABLE t SET LOCATION '/x/'", "t", ("a",)),
        ("CREATE TABLE t (a INT); CREATE TABLE u (b INT); ALTER TABLE t SWAP WITH u", "t", ("b",)),
        ("CACHE TABLE c AS SELECT 1 AS x", "c", ("x",)),
        ("SELECT id AS k INTO n FROM orders", "n", ("k",)),
        ("CREATE TEMPORARY TABLE t (a INT); DROP TABLE t; CREATE TABLE t (b INT)", "t", ("b",)),
    ],
)  # fmt: skip
def test_a_script_knows_what_it_made(script: str, name: str, columns: tuple[str, ...]) -> None:
    *_, last = all_of(script)

    known = last.catalog.known(RelationName.of(name))
    assert known is not None
    assert known.columns == columns


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT struct(id, amount).* FROM orders", {"*": ["orders.id", "orders.amount"]}),
        ("SELECT count(*) AS n FROM orders", {"n": []}),
        ("SELECT struct(*) AS s FROM foo", {"s": ["foo.a"]}),
        ("SELECT * EXCEPT (name, country) FROM customers", {"id": ["customers.id"]}),
        ("SELECT transform(array(id), x -> x + amount) AS l FROM orders", {"l": ["orders.id", "orders.amount"]}),
        ("SELECT sum(amount) FILTER (WHERE at > 1) AS s FROM orders", {"s": ["orders.at", "orders.amount"]}),
        ("SELECT e FROM orders, LATERAL explode(array(id)) AS t (e)", {"e": ["orders.id"]}),
        ("VALUES (1, 2)", {"col1": [], "col2": []}),
        ("SELECT x FROM foo AS f (x)", {"x": ["foo.a"]}),
        ("SELECT y FROM somewhere AS f (x, y)", {"y": ["somewhere.*"]}),
        ("SELECT k, v FROM bar UNPIVOT (v FOR k IN (a, b))", {"k": ["bar.a", "bar.b"], "v": ["bar.a", "bar.b"]}),
        ("SELECT (SELECT b FROM bar ORDER BY a LIMIT 1) AS x", {"x": ["bar.b"]}),
        ("(SELECT a FROM foo LIMIT 3) ORDER BY a", {"a": ["foo.a"]}),
        ("FROM foo |> EXTEND a + 1 AS b |> SET a = 2", {"a": [], "b": ["foo.a"]}),
        ("SELECT * FROM foo NATURAL JOIN bar", {"a": ["foo.a"], "b": ["bar.b"]}),
        ("SELECT window.start AS w FROM orders GROUP BY window(at, '1 day')", {"w": ["orders.at"]}),
    ],
)  # fmt: skip
def test_a_query_shows_what_its_columns_are_made_of(
    sql: str, expected: dict[str, list[str]]
) -> None:
    (found,) = column_lineage(resolved(sql, "spark"))

    assert {c.column: [str(each) for each in c.direct] for c in found.columns} == expected
