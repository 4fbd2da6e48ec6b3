"""A gateway fails closed: a read needs its privilege, and a broken statement is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from lakeschema.analysis.checking import Checker, Choices, question
from lakeschema.analysis.syntax.dialects import grammar_of
from lakeschema.analysis.syntax.scripts import Unreadable, read_script

_QUERY: Final = "SELECT email FROM shop.customers"
_ANY: Final = ("hive", "spark", "trino", "snowflake", "postgres")

READING: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (_QUERY, _ANY),
    (f"WITH c AS ({_QUERY}) SELECT 1 FROM c", _ANY),
    ("SELECT 1 WHERE EXISTS (SELECT 1 FROM shop.customers)", _ANY),
    ("TABLE shop.customers", _ANY),
    (f"INSERT INTO mine.t {_QUERY}", _ANY),
    (f"CREATE TABLE mine.t AS {_QUERY}", _ANY),
    (f"CREATE VIEW mine.v AS {_QUERY}", _ANY),
    ("MERGE INTO mine.t USING shop.customers c ON t.id = c.id WHEN MATCHED THEN DELETE", _ANY),
    ("UPDATE mine.t SET a = (SELECT max(email) FROM shop.customers)", _ANY),
    ("DELETE FROM mine.t WHERE id IN (SELECT id FROM shop.customers)", _ANY),
    (f"EXPLAIN ANALYZE {_QUERY}", _ANY),
    (f"EXPLAIN ANALYZE INSERT INTO mine.t {_QUERY}", _ANY),
    (f"EXPLAIN (ANALYZE, VERBOSE) {_QUERY}", ("postgres", "greenplum", "redshift", "duckdb", "risingwave")),
    (f"PREPARE p FROM {_QUERY}", ("trino", "presto", "athena", "spark", "hive")),
    (f"PREPARE p AS {_QUERY}", ("postgres", "duckdb", "greenplum", "redshift", "risingwave")),
    (f"PREPARE p FROM '{_QUERY}'", ("mysql", "mariadb", "singlestore", "doris", "starrocks")),
    ("EXECUTE p", ("trino", "presto", "postgres", "duckdb", "mysql")),
    (f"EXECUTE IMMEDIATE '{_QUERY}'", ("spark", "databricks", "snowflake", "bigquery", "oracle")),
    ("EXECUTE IMMEDIATE statement USING 1", ("spark", "databricks", "snowflake", "bigquery", "oracle")),
    ("EXECUTE IMMEDIATE 'SELECT * FROM ' || 'shop.customers'", ("spark", "snowflake", "oracle", "trino", "db2")),
    (f"EXECUTE IMMEDIATE 'EXECUTE IMMEDIATE ''{_QUERY}'''", ("spark", "databricks", "snowflake", "oracle", "db2")),
    ("SET VAR x = (SELECT max(email) FROM shop.customers)", ("spark", "databricks", "hive", "db2", "ansi")),
    ("SET @x = (SELECT max(email) FROM shop.customers)", ("mysql", "mariadb", "tsql", "fabric", "singlestore")),
    ("DECLARE x STRING DEFAULT (SELECT max(email) FROM shop.customers)", ("spark", "databricks", "bigquery", "mysql", "db2")),
    (f"DECLARE c CURSOR FOR {_QUERY}", ("postgres", "tsql", "mysql", "db2", "redshift")),
    ("CALL p((SELECT max(email) FROM shop.customers))", ("trino", "snowflake", "postgres", "bigquery", "spark")),
    ("CALL system.snapshot('shop.customers', 'mine.t')", ("spark", "trino", "databricks", "snowflake", "presto")),
    ("EXPORT TABLE shop.customers TO '/out'", ("hive", "databricks", "exasol", "impala", "spark")),
    (f"EXPORT DATA OPTIONS (uri = 'gs://b') AS {_QUERY}", ("bigquery", "spark", "vertica", "trino", "snowflake")),
    (f"EXPORT TO PARQUET (directory = '/x') AS {_QUERY}", ("vertica", "ansi", "hive", "spark", "trino")),
    ("COPY shop.customers TO '/out'", ("postgres", "duckdb", "greenplum", "redshift", "vertica")),
    (f"COPY ({_QUERY}) TO '/out'", ("postgres", "duckdb", "greenplum", "redshift", "vertica")),
    ("COPY INTO @stage FROM shop.customers", ("snowflake", "spark", "databricks", "ansi", "trino")),
    (f"UNLOAD ('{_QUERY}') TO 's3://b'", ("redshift", "athena", "vertica", "trino", "presto")),
    (f"INSERT OVERWRITE DIRECTORY '/out' {_QUERY}", ("hive", "spark", "databricks", "impala", "doris")),
    (f"CACHE TABLE c AS {_QUERY}", ("spark", "databricks", "hive", "impala", "trino")),
    ("CACHE TABLE shop.customers", ("spark", "databricks", "hive", "impala", "trino")),
    ("SUMMARIZE shop.customers", ("duckdb", "trino", "spark", "postgres", "ansi")),
    ("HANDLER shop.customers READ FIRST", ("mysql", "mariadb", "singlestore", "doris", "starrocks")),
    ("CREATE FUNCTION mine.f() RETURNS INT RETURN (SELECT max(id) FROM shop.customers)", ("spark", "databricks", "trino", "mysql", "db2")),
    (f"CREATE FUNCTION mine.f() RETURNS TEXT LANGUAGE SQL AS '{_QUERY}'", ("postgres", "snowflake", "greenplum", "redshift", "risingwave")),
    ("IF EXISTS (SELECT 1 FROM shop.customers) THEN SELECT 1; END IF", ("snowflake", "bigquery", "databricks", "mysql", "db2")),
    (f"RETURN ({_QUERY})", ("snowflake", "tsql", "bigquery", "databricks", "postgres")),
    ("ALTER TABLE mine.t EXCHANGE PARTITION (ds = '1') WITH TABLE shop.customers", ("hive", "doris", "mysql", "impala", "mariadb")),
    ("CREATE TABLE mine.t CLONE shop.customers", ("snowflake", "databricks", "spark", "bigquery", "ansi")),
    ("CREATE SCHEMA mine CLONE shop", ("snowflake", "databricks", "spark", "ansi", "trino")),
)  # fmt: skip


@pytest.mark.parametrize(
    ("dialect", "sql"), [(d, sql) for sql, dialects in READING for d in dialects]
)
def test_a_user_without_grants_reads_nothing(dialect: str, sql: str) -> None:
    found = checked(sql, dialect, user="ann")

    assert not found["ok"]
    refused = {each["rule"] for each in found["violations"]}
    assert found["missing_privileges"] or refused == {"unknown_statement"}


def test_at_least_two_hundred_statements_that_read_are_tried() -> None:
    assert sum(len(dialects) for _, dialects in READING) >= 200


@pytest.mark.parametrize(
    ("dialect", "sql", "relation"),
    [
        ("trino", "EXPLAIN ANALYZE INSERT INTO mine.t SELECT a FROM shop.x", "shop.x"),
        ("spark", "EXECUTE IMMEDIATE 'SELECT a FROM t WHERE b = ?' USING (SELECT 1 FROM shop.x)", "shop.x"),
        ("tsql", "SET NOCOUNT ON SELECT a FROM shop.x", "shop.x"),
        ("tsql", "EXEC('SELECT a FROM shop.x') SELECT 1", "shop.x"),
        ("tsql", "EXEC sp_executesql N'SELECT a FROM shop.x'", "shop.x"),
        ("tsql", "INSERT INTO t EXEC('SELECT a FROM shop.x')", "shop.x"),
        ("mysql", "SET @x := (SELECT a FROM shop.x), @b = 2", "shop.x"),
        ("mysql", "ANALYZE SELECT a FROM shop.x", "shop.x"),
        ("hive", "EXPORT TABLE shop.x PARTITION (ds = '1') TO '/out'", "shop.x"),
        ("snowflake", "CREATE FUNCTION f() RETURNS INT AS $$ SELECT a FROM shop.x $$", "shop.x"),
    ],
)  # fmt: skip
def test_what_an_inner_statement_reads_is_needed(dialect: str, sql: str, relation: str) -> None:
    needs = checked(sql, dialect, user="ann")["missing_privileges"]

    assert ("SELECT", relation) in {(each["privilege"], each["relation"]) for each in needs}


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("trino", "EXPLAIN SELECT email FROM shop.customers"),
        ("postgres", "EXPLAIN (ANALYZE false) SELECT email FROM shop.customers"),
        ("mysql", "DESCRIBE SELECT email FROM shop.customers"),
        ("hive", "SET hive.exec.parallel = true"),
        ("spark", "DESCRIBE TABLE EXTENDED shop.customers"),
        ("hive", "USE shop"),
        ("postgres", "PREPARE p AS SELECT 1; EXECUTE p"),
    ],
)
def test_what_reads_no_data_needs_nothing(dialect: str, sql: str) -> None:
    assert checked(sql, dialect, user="ann")["ok"]


@pytest.mark.parametrize("sql", ["CALL p()", "EXECUTE IMMEDIATE q", "EXEC p"])
def test_an_unknown_statement_is_a_warning_until_a_user_is_given(sql: str) -> None:
    alone, of_user = checked(sql), checked(sql, user="ann")

    assert alone["ok"]
    assert [each["rule"] for each in alone["warnings"]] == ["unknown_statement"]
    assert [each["severity"] for each in of_user["violations"]] == ["error"]


@pytest.mark.parametrize("sql", ["", " ", ";", "-- SELECT 1", "/* x */ ;"])
def test_a_text_without_a_statement_is_an_error(sql: str) -> None:
    (violation,) = checked(sql)["violations"]

    assert (violation["rule"], violation["severity"]) == ("unreadable", "error")


def test_texts_that_run_one_another_are_followed_a_few_times_only() -> None:
    sql = _QUERY
    for tag in "abcdefgh":
        sql = f"EXECUTE IMMEDIATE ${tag}${sql}${tag}$"

    (violation,) = checked(sql, "snowflake")["violations"]

    assert "texts run each other" in violation["message"]


# What is broken

VALID: Final = """
hive|CREATE TABLE d.t (a INT COMMENT 'x', b STRING) PARTITIONED BY (p STRING) STORED AS ORC TBLPROPERTIES ('k' = 'v')
hive|CREATE EXTERNAL TABLE d.t (a ARRAY<STRUCT<x: INT>>) ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' LOCATION '/x'
hive|CREATE TABLE d.t (a INT) CLUSTERED BY (a) SORTED BY (a ASC) INTO 8 BUCKETS STORED AS PARQUET
hive|CREATE TABLE d.t (a INT) STORED BY 'x.Handler' WITH SERDEPROPERTIES ('a' = 'b') TBLPROPERTIES ('c' = 'd')
spark|CREATE TABLE d.t USING parquet PARTITIONED BY (p) AS SELECT a, p FROM d.s
spark|CREATE OR REPLACE VIEW d.v (a COMMENT 'x', b) AS SELECT a, b FROM d.t WHERE a > 1
spark|CREATE TABLE d.t (a INT NOT NULL, b DECIMAL(10, 2) DEFAULT 1.5) USING delta LOCATION '/x' COMMENT 'y'
trino|CREATE TABLE d.t (a bigint NOT NULL, b varchar(10)) WITH (format = 'ORC')
trino|CREATE MATERIALIZED VIEW d.v WITH (format = 'ORC') AS SELECT a FROM d.t
postgres|CREATE TEMPORARY TABLE t (a int PRIMARY KEY, b text DEFAULT 'x', CONSTRAINT c CHECK (a > 0))
mysql|CREATE TABLE t (a INT AUTO_INCREMENT, b VARCHAR(10) NOT NULL, PRIMARY KEY (a)) ENGINE = InnoDB
snowflake|CREATE OR REPLACE TRANSIENT TABLE d.t (a NUMBER(10, 2)) CLUSTER BY (a) DATA_RETENTION_TIME_IN_DAYS = 1
hive|ALTER TABLE d.t ADD COLUMNS (c INT, d STRING)
hive|ALTER TABLE d.t ADD PARTITION (ds = '1') LOCATION '/x'
hive|ALTER TABLE d.t DROP IF EXISTS PARTITION (ds = '1')
hive|ALTER TABLE d.t RENAME TO d.u
hive|ALTER TABLE d.t CHANGE COLUMN a b BIGINT COMMENT 'x'
hive|ALTER TABLE d.t SET TBLPROPERTIES ('a' = 'b')
hive|ALTER TABLE d.t REPLACE COLUMNS (a INT)
hive|ALTER TABLE d.t EXCHANGE PARTITION (ds = '1') WITH TABLE d.u
spark|ALTER TABLE d.t SET LOCATION '/x'
spark|ALTER TABLE d.t ALTER COLUMN a TYPE BIGINT
trino|ALTER TABLE d.t RENAME COLUMN a TO b
hive|ALTER VIEW d.v AS SELECT a FROM d.t
hive|DROP TABLE IF EXISTS d.t PURGE
hive|TRUNCATE TABLE d.t PARTITION (ds = '1')
mysql|RENAME TABLE d.t TO d.u
spark|MERGE INTO d.t AS t USING d.s AS s ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = s.b WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.a, s.b)
hive|INSERT OVERWRITE TABLE d.t PARTITION (ds = '1') SELECT a FROM d.s
spark|UPDATE d.t SET a = 1 WHERE b = 2
hive|LOAD DATA INPATH '/x' OVERWRITE INTO TABLE d.t
redshift|UNLOAD ('SELECT a FROM d.t') TO 's3://x'
hive|EXPORT TABLE d.t TO '/x'
hive|IMPORT TABLE d.t FROM '/x'
trino|PREPARE p FROM SELECT a FROM d.t
trino|EXPLAIN ANALYZE SELECT a FROM d.t
spark|EXECUTE IMMEDIATE 'SELECT a FROM d.t' INTO x
hive|GRANT SELECT ON TABLE d.t TO ROLE r
hive|REVOKE SELECT ON TABLE d.t FROM ROLE r
hive|MSCK REPAIR TABLE d.t
hive|CREATE DATABASE IF NOT EXISTS d COMMENT 'x' LOCATION '/x'
hive|CREATE FUNCTION d.f AS 'com.x.Y' USING JAR '/x.jar'
hive|DROP FUNCTION IF EXISTS d.f
hive|DROP DATABASE d CASCADE
spark|REFRESH TABLE d.t
hive|ANALYZE TABLE d.t COMPUTE STATISTICS FOR COLUMNS
"""
_TOKEN: Final = re.compile(r"'[^']*'|\w+|\S")
_TYPES: Final = frozenset(
    {"STRING", "BIGINT", "DECIMAL", "VARCHAR", "ARRAY", "STRUCT", "NUMBER", "ROLE"}
)


def statements() -> Iterator[tuple[str, str]]:
    for line in VALID.strip().splitlines():
        dialect, _, sql = line.partition("|")
        yield dialect, sql


def broken() -> Iterator[tuple[str, str]]:
    """Keywords with two letters swapped, without a parenthesis, with one too many, and with words behind."""
    for dialect, sql in statements():
        tokens = [(each.start(), each.end(), each.group()) for each in _TOKEN.finditer(sql)]
        for start, end, token in tokens[:9]:
            if token.isupper() and len(token) > 3 and token not in _TYPES and token[1] != token[2]:
                swapped = token[0] + token[2] + token[1] + token[3:]
                yield dialect, f"{sql[:start]}{swapped}{sql[end:]}"
            if token in "()":
                yield dialect, sql[:start] + sql[end:]
        yield from ((dialect, f"{sql}{more}") for more in (" )", " (", " '", " nonsense junk"))


@pytest.mark.parametrize(("dialect", "sql"), tuple(statements()))
def test_a_valid_statement_is_read(dialect: str, sql: str) -> None:
    assert not is_broken(dialect, sql)


@pytest.mark.parametrize(("dialect", "sql"), tuple(dict.fromkeys(broken())))
def test_a_broken_statement_is_refused(dialect: str, sql: str) -> None:
    assert is_broken(dialect, sql)


def test_at_least_three_hundred_broken_statements_are_tried() -> None:
    assert len(set(broken())) >= 300


@pytest.mark.parametrize(
    ("sql", "column"),
    [
        ("CREATE TABLE x AS SELCT a FROM b", 25),
        ("CREATE TABEL x AS SELECT a FROM b", 8),
        ("CREATE VEIW v AS SELECT a FROM b", 8),
        ("create A_new as select * from B", 8),
        ("DROP TABEL x", 6),
        ("DROP x", 6),
        ("ALTER TABEL x ADD COLUMNS (a INT)", 7),
        ("ALTER TABLE x ADD PARTITON (ds = '1')", 28),
        ("ALTER TABLE x SET TLBPROPERTIES ('a' = 'b')", 19),
        ("CREATE TABLE x (a INT b INT)", 23),
        ("CREATE TABLE x (a INT,, b INT)", 23),
        ("TRUNCATE TABEL x", 16),
        ("INSERT ITNO TABLE t SELECT a FROM b", 21),
        ("DROP TABLE x DROP TABLE y", 14),
    ],
)
def test_the_place_of_what_is_broken_is_told(sql: str, column: int) -> None:
    violation = checked(sql)["violations"][0]

    assert (violation["rule"], violation["line"]) == ("unreadable", 1)
    assert violation["column"] == column


def is_broken(dialect: str, sql: str) -> bool:
    found = read_script(sql, grammar_of(dialect))
    return any(isinstance(each.statement, Unreadable) for each in found)


def checked(sql: str, dialect: str = "hive", user: str | None = None) -> Any:
    """The answer of a gateway whose users have no grants."""
    checker = Checker(Choices(dialect, 100_000, {}, {"grants": []}))
    request = {"sql": sql} if user is None else {"sql": sql, "user": user}
    return checker.answer(question({}, [], json.dumps(request).encode()))["result"]
