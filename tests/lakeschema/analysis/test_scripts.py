"""Scripts: statements of many dialects, each against the catalog at its position."""

from __future__ import annotations

import pytest

from lakeschema.analysis.batch import answer
from lakeschema.analysis.catalog_updates import Change
from lakeschema.analysis.column_lineage import column_lineage
from lakeschema.analysis.resolved import Access
from lakeschema.analysis.syntax.scripts import MAX_STATEMENTS
from lakeschema.analysis.table_access import table_access
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.errors import MalformedSql, TooLarge
from tests.lakeschema.analysis.analysed import all_of, resolved


def test_a_statement_that_cannot_be_read_stops_no_other() -> None:
    first, second, third = all_of("SELECT 1; SELECT FROM WHERE; INSERT INTO foo SELECT a FROM bar")

    assert first.error is None
    assert isinstance(second.error, MalformedSql)
    assert second.text == "SELECT FROM WHERE"
    assert third.resolved is not None
    assert third.resolved.verb == "INSERT"


def test_a_text_of_too_many_statements_says_so_behind_those_that_are_read() -> None:
    *read, last = all_of("USE a;" * (MAX_STATEMENTS + 2))

    assert len(read) == MAX_STATEMENTS
    assert all(each.error is None for each in read)
    assert isinstance(last.error, TooLarge)
    assert "3,000 statements" in str(last.error)


def test_templates_and_variables_are_values_or_parts_of_names() -> None:
    sql = """
        INSERT OVERWRITE TABLE ${db}.t PARTITION (dt = $SYSTEM_BIZDATE)
        SELECT a FROM {{ schema }}.s_${env} WHERE d = $[yyyyMMdd-2] AND e = :param AND f = ?
    """

    found = table_access(resolved(sql, "hive", {}))

    assert {str(source) for _, source in found} == {"`${db}`.t", "`{{ schema }}`.`s_${env}`"}


@pytest.mark.parametrize(
    ("dialect", "sql", "tables"),
    [
        ("tsql", "SELECT TOP 5 [a b] FROM [dbo].[t] WITH (NOLOCK)", {"dbo.t"}),
        ("tsql", "SELECT a INTO #n FROM t CROSS APPLY f(t.x) z", {"t", "`#n`"}),
        ("mysql", "UPDATE t JOIN u ON t.a = u.a SET t.b = u.b # done", {"t", "u"}),
        ("postgres", "SELECT DISTINCT ON (a) a::text[] FROM t WHERE b ~* 'x' FOR UPDATE", {"t"}),
        ("postgres", "INSERT INTO t SELECT * FROM u ON CONFLICT (a) DO NOTHING", {"t", "u"}),
        ("postgres", "SELECT $$it's$$, E'a\\'b', data->>'k' FROM t", {"t"}),
        ("bigquery", "SELECT x FROM `p.d.t`, UNNEST(xs) AS x", {"p.d.t"}),
        ("bigquery", "SELECT ARRAY<INT64>[1], STRUCT(1 AS a) FROM p-1.d.t", {"`p-1`.d.t"}),
        ("snowflake", "SELECT v:a.b FROM t, LATERAL FLATTEN(input => t.v) f QUALIFY 1 = 1", {"t"}),
        ("snowflake", "COPY INTO t FROM @stage/path", {"t", "@stage/path"}),
        ("oracle", "SELECT a FROM t, u WHERE t.a = u.a (+) FETCH FIRST 5 ROWS ONLY", {"t", "u"}),
        ("redshift", "UNLOAD ('select * from t') TO 's3://x'", {"t", "s3://x"}),
        ("spark", "SELECT * FROM parquet.`/data/x`", {"/data/x"}),
        ("trino", "SELECT * FROM t FOR VERSION AS OF 3 TABLESAMPLE BERNOULLI (5)", {"t"}),
        ("trino", "SELECT n FROM t CROSS JOIN UNNEST(xs) WITH ORDINALITY AS u (n, i)", {"t"}),
        ("hive", "INSERT OVERWRITE DIRECTORY '/out' SELECT a FROM t", {"/out", "t"}),
    ],
)
def test_dialects_write_the_same_in_many_ways(dialect: str, sql: str, tables: set[str]) -> None:
    found = table_access(resolved(sql, dialect, {}))

    assert {str(source) for _, source in found} == tables


def test_statements_without_semicolons_are_parted_by_their_verbs() -> None:
    found = all_of("insert into a select * from b insert into c select * from d", "tsql", {})

    assert [each.text for each in found] == [
        "insert into a select * from b",
        "insert into c select * from d",
    ]


@pytest.mark.parametrize(
    ("dialect", "uses", "table", "read"),
    [
        ("snowflake", "USE d", "t", "d.t"),
        ("snowflake", "USE d", "s.t", "d.s.t"),
        ("snowflake", "USE d; USE SCHEMA s", "t", "d.s.t"),
        ("tsql", "USE d", "dbo.t", "d.dbo.t"),
        ("snowflake", "USE DATABASE d; USE WAREHOUSE w", "s.t", "d.s.t"),
        ("databricks", "USE CATALOG d; USE s", "t", "d.s.t"),
        ("databricks", "USE DATABASE s", "x.t", "x.t"),
        ("mysql", "USE s", "x.t", "x.t"),
        ("hive", "USE s; USE default", "t", "t"),
    ],
)
def test_use_says_where_names_are_looked_up(dialect: str, uses: str, table: str, read: str) -> None:
    *_, last = all_of(f"{uses}; SELECT a FROM {table}", dialect, {})

    assert last.resolved is not None
    assert table_access(last.resolved) == ((Access.READ_DATA, RelationName.of(*read.split("."))),)


@pytest.mark.parametrize(
    ("dialect", "sql", "verbs"),
    [
        ("tsql", "BEGIN TRY INSERT INTO a SELECT x FROM b END TRY BEGIN CATCH ROLLBACK END CATCH", ["INSERT"]),
        ("tsql", "IF EXISTS (SELECT 1 FROM t) INSERT INTO a SELECT x FROM b ELSE DELETE FROM a", ["SELECT", "INSERT", "DELETE"]),
        ("tsql", "DECLARE @n INT = (SELECT 1) EXEC p @n INSERT INTO a SELECT x FROM b", ["SELECT", "INSERT"]),
        ("tsql", "BEGIN TRANSACTION UPDATE a SET x = 1 COMMIT TRANSACTION", ["UPDATE"]),
        ("tsql", "DECLARE @t TABLE (x INT); INSERT INTO @t SELECT y FROM b", ["CREATE TABLE", "INSERT"]),
        ("tsql", "DECLARE c CURSOR FOR SELECT x FROM b", ["SELECT"]),
        ("bigquery", "IF n > 1 THEN INSERT INTO a SELECT x FROM b; ELSE DELETE FROM a WHERE TRUE; END IF;", ["INSERT", "DELETE"]),
        ("oracle", "BEGIN INSERT INTO a SELECT x FROM b; COMMIT; END;", ["INSERT"]),
        ("bigquery", "WHILE n < 3 DO INSERT INTO a SELECT x FROM b; END WHILE;", ["INSERT"]),
        ("postgres", "BEGIN; INSERT INTO a SELECT x FROM b; COMMIT", ["INSERT"]),
    ],
)  # fmt: skip
def test_words_that_control_the_flow_hide_no_statement(
    dialect: str, sql: str, verbs: list[str]
) -> None:
    found = all_of(sql, dialect, {})

    assert all(each.error is None for each in found)
    known = {"INSERT", "DELETE", "UPDATE", "CREATE TABLE", "SELECT"}
    assert [e.resolved.verb for e in found if e.resolved and e.resolved.verb in known] == verbs


def test_the_statements_of_a_procedure_are_read_one_by_one() -> None:
    sql = "CREATE PROCEDURE p() AS BEGIN INSERT INTO a SELECT x FROM b; DELETE FROM c; END"

    assert [each.resolved.verb for each in all_of(sql, "tsql", {}) if each.resolved] == [
        "INSERT",
        "DELETE",
    ]


def test_a_procedure_behind_another_has_its_own_statements() -> None:
    body = "AS BEGIN INSERT INTO {0} SELECT c FROM t END; "
    sql = "".join(f"CREATE PROCEDURE {name} {body.format(name)}" for name in ("x", "y"))

    found = answer({"id": 1, "sql": sql, "dialect": "tsql", "ask": ["table_lineage"]})

    of_each = {each["procedure"]: each["table_lineage"] for each in found["result"]["statements"]}
    assert of_each == {name: {name: ["t", name]} for name in ("x", "y")}


def test_a_table_that_a_script_creates_is_known_to_what_follows() -> None:
    script = "CREATE TABLE n AS SELECT id AS k, name FROM customers; SELECT * FROM n"

    _, second = all_of(script)

    assert second.resolved is not None
    (found,) = column_lineage(second.resolved)
    assert [column.column for column in found.columns] == ["k", "name"]


@pytest.mark.parametrize(
    ("ddl", "columns"),
    [
        ("ALTER TABLE bar ADD COLUMNS (c INT, d STRING)", ("a", "b", "c", "d")),
        ("ALTER TABLE bar CHANGE a x BIGINT", ("x", "b")),
        ("ALTER TABLE bar RENAME COLUMN b TO y", ("a", "y")),
        ("ALTER TABLE bar DROP COLUMN a", ("b",)),
        ("ALTER TABLE bar REPLACE COLUMNS (z INT)", ("z",)),
        ("CREATE OR REPLACE TABLE bar (q INT, r ARRAY<STRUCT<s: INT>>)", ("q", "r")),
        ("CREATE OR REPLACE VIEW bar (m) AS SELECT a FROM foo", ("m",)),
    ],
)
def test_ddl_changes_what_is_known(ddl: str, columns: tuple[str, ...]) -> None:
    (found,) = all_of(ddl)

    known = found.catalog.known(RelationName.of("bar"))
    assert known is not None
    assert known.columns == columns


def test_columns_are_added_before_those_that_partition_a_table() -> None:
    script = "CREATE TABLE p (a INT) PARTITIONED BY (d STRING); ALTER TABLE p ADD COLUMNS (b INT)"

    _, second = all_of(script, "hive")

    known = second.catalog.known(RelationName.of("p"))
    assert known is not None
    assert known.columns == ("a", "b", "d")


@pytest.mark.parametrize(
    ("ddl", "reason"),
    [
        ("CREATE TABLE foo (x INT)", "foo exists already"),
        ("ALTER TABLE foo RENAME TO bar", "foo cannot be renamed: bar exists already"),
        ("ALTER TABLE bar DROP COLUMN zz", "bar has no column zz"),
        ("ALTER TABLE bar ADD COLUMN B INT", "bar has a column B already"),
    ],
)
def test_what_does_not_fit_is_a_conflict_and_changes_nothing(ddl: str, reason: str) -> None:
    (found,) = all_of(ddl)

    (update,) = found.updates
    assert (update.change, update.reason) == (Change.CONFLICT, reason)
    assert found.catalog.known(RelationName.of("foo")) is not None


def test_use_says_where_bare_names_are() -> None:
    _, second = all_of("USE shop; SELECT * FROM orders", tables={})

    assert second.resolved is not None
    assert [str(source) for _, source in table_access(second.resolved)] == ["shop.orders"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "(" * 5_000 + "1" + ")" * 5_000,
        "SELECT * FROM " + "(SELECT * FROM " * 3_000 + "t" + ") x" * 3_000,
        "SELECT " + "-" * 20_000 + "1",
        "SELECT " + "CASE WHEN a THEN " * 2_000 + "1" + " END" * 2_000,
    ],
    ids=["parentheses", "sub-queries", "minus signs", "cases"],
)
def test_a_statement_that_nests_too_deep_is_refused(sql: str) -> None:
    (found, *_) = all_of(sql)

    assert isinstance(found.error, TooLarge | MalformedSql)


def test_a_text_that_is_too_long_is_refused_by_its_size() -> None:
    (found,) = all_of("SELECT '" + "x" * 1_000_001 + "'")

    assert isinstance(found.error, TooLarge)
    assert "1000010 bytes" in found.error.message


@pytest.mark.thorough
def test_a_chain_of_common_tables_ends_in_an_answer() -> None:
    tables = ", ".join(f"c{n} AS (SELECT a FROM c{n - 1} WHERE a > {n})" for n in range(1, 3_000))
    sql = f"WITH c0 AS (SELECT a FROM foo), {tables} SELECT a FROM c2999"

    (lineage,) = column_lineage(resolved(sql))

    assert [str(each) for each in lineage.columns[0].direct] == ["foo.a"]
    assert [str(column) for _, column in lineage.rows] == ["foo.a"]


@pytest.mark.thorough
@pytest.mark.parametrize("columns", [["a", "b"], None], ids=["known", "unknown"])
def test_stars_that_double_at_each_level_end(columns: list[str] | None) -> None:
    tables = ", ".join(
        f"c{n} AS (SELECT x.*, y.* FROM c{n - 1} x, c{n - 1} y)" for n in range(1, 60)
    )
    sql = f"WITH c0 AS (SELECT * FROM t), {tables} SELECT * FROM c59"

    (found,) = all_of(sql, tables={} if columns is None else {"t": columns})

    if columns is not None:
        assert isinstance(found.error, TooLarge)
        assert "more than the 50000 allowed" in found.error.message
        return
    assert found.resolved is not None
    (lineage,) = column_lineage(found.resolved)
    assert [(c.column, [str(b) for b in c.direct]) for c in lineage.columns] == [("*", ["t.*"])]


def test_a_qualifier_means_the_nearest_relation_of_that_name() -> None:
    sql = "SELECT 1 FROM y WHERE EXISTS (SELECT 1 FROM unknown z WHERE z.b = y.b)"
    hidden = "SELECT 1 FROM y WHERE EXISTS (SELECT 1 FROM y AS z WHERE z.b = y.c)"
    tables = {"y": ["b", "c"]}

    assert [str(c) for _, c in column_lineage(resolved(sql, tables=tables))[0].rows] == [
        "unknown.b",
        "y.b",
    ]
    assert [str(c) for _, c in column_lineage(resolved(hidden, tables=tables))[0].rows] == [
        "y.b",
        "y.c",
    ]
