"""The columns from which each written or returned column comes."""

from __future__ import annotations

import pytest

from lakeschema.analysis.column_lineage import column_lineage
from lakeschema.analysis.conventions import Conventions
from tests.lakeschema.analysis.analysed import resolved
from tests.lakeschema.analysis.traced import direct, indirect, lineage, rows


def test_a_column_is_made_of_what_its_expression_reads() -> None:
    found = direct("SELECT id, amount * 2 AS twice, concat(customer, '!') AS c FROM orders")

    assert found == {"id": ["orders.id"], "twice": ["orders.amount"], "c": ["orders.customer"]}


def test_sub_queries_and_common_tables_are_seen_through() -> None:
    sql = """
        WITH recent AS (SELECT id AS key, amount FROM orders)
        SELECT r.key, t.total FROM recent r JOIN (SELECT sum(amount) AS total FROM recent) t
    """

    assert direct(sql) == {"key": ["orders.id"], "total": ["orders.amount"]}


@pytest.mark.parametrize(
    ("dialect", "function"),
    [
        ("ansi", "current_timestamp"),
        ("hive", "CURRENT_DATE"),
        ("spark", "session_user"),
        ("postgres", "user"),
        ("mysql", "utc_timestamp"),
        ("oracle", "sysdate"),
        ("oracle", "rownum"),
        ("tsql", "SYSTEM_USER"),
        ("teradata", "DATE"),
        ("bigquery", "CURRENT_DATETIME"),
        ("db2", "CURRENT TIMESTAMP"),
    ],
)
def test_some_functions_need_no_parentheses(dialect: str, function: str) -> None:
    sql = f"SELECT {function} AS made, x FROM somewhere"

    assert direct(sql, dialect, {}) == {"made": [], "x": ["somewhere.x"]}


@pytest.mark.parametrize(
    ("dialect", "column"),
    [
        ("postgres", '"user"'),
        ("oracle", 's."LEVEL"'),
        ("oracle", "s.level"),
        ("snowflake", "user"),
        ("ansi", "sysdate"),
    ],
)
def test_what_is_quoted_or_of_a_table_is_a_column(dialect: str, column: str) -> None:
    (made,) = direct(f"SELECT {column} AS made FROM somewhere s", dialect, {})["made"]

    assert made.startswith("somewhere.")


@pytest.mark.parametrize(
    ("item", "name"),
    [
        ("a (TITLE 'How many')", "a"),
        ("a (FORMAT 'ZZ9') AS b", "b"),
        ("a (INTEGER, FORMAT '9') (TITLE 'x')", "a"),
        ("a (DECIMAL(10, 2)) b", "b"),
        ("a (DATE, FORMAT 'YYYY-MM-DD') AS b", "b"),
        ("a (NAMED b)", "b"),
    ],
)
def test_teradatas_phrases_are_no_calls(item: str, name: str) -> None:
    assert direct(f"SELECT {item} FROM t", "teradata", {}) == {name: ["t.a"]}


@pytest.mark.parametrize(
    ("star", "expected"),
    [
        ("* EXCLUDE (B, c)", {"a": ["t.a"]}),
        ("x.* EXCLUDE b", {"a": ["t.a"], "c": ["t.c"]}),
        ("* RENAME (b AS d, C AS e)", {"a": ["t.a"], "d": ["t.b"], "e": ["t.c"]}),
        ("* REPLACE (b + c AS b) RENAME a AS d", {"d": ["t.a"], "b": ["t.b", "t.c"], "c": ["t.c"]}),
        ("* ILIKE '_' EXCLUDE a", {"b": ["t.b"], "c": ["t.c"]}),
        ("* ILIKE 'B%'", {"b": ["t.b"]}),
    ],
)
def test_a_star_may_be_changed(star: str, expected: dict[str, list[str]]) -> None:
    assert direct(f"SELECT {star} FROM t x", "snowflake", {"t": ["a", "b", "c"]}) == expected


def test_what_replaces_a_column_of_an_open_star_is_shown_beside_it() -> None:
    found = direct("SELECT * REPLACE (lower(a) AS a) FROM t", "bigquery", {})

    assert found == {"*": ["t.*"], "a": ["t.a"]}


@pytest.mark.parametrize("dialect", ["tsql", "oracle", "db2", "snowflake", "sqlite"])
def test_a_common_table_that_reads_itself_may_lack_a_word_for_it(dialect: str) -> None:
    sql = """
        WITH r AS (SELECT id, boss FROM staff UNION ALL SELECT s.id, r.boss FROM staff s JOIN r ON s.boss = r.id)
        SELECT id, boss FROM r
    """

    assert direct(sql, dialect, {}) == {"id": ["staff.id"], "boss": ["staff.boss"]}


def test_a_common_table_of_a_tables_name_reads_the_table() -> None:
    sql = "WITH foo AS (SELECT a FROM foo) SELECT a FROM foo"

    for dialect in ("tsql", "spark"):
        assert direct(sql, dialect) == {"a": ["foo.a"]}


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        ("teradata", "SEL a x FROM t WHERE b EQ 1", {"x": ["t.a"]}),
        ("mysql", "SELECT a 'x', b \"y\" FROM t", {"x": ["t.a"], "y": ["t.b"]}),
        ("bigquery", "SELECT a, b, FROM t", {"a": ["t.a"], "b": ["t.b"]}),
        ("clickhouse", "SELECT dictGet(d.words, 'x', a) AS x FROM t", {"x": ["t.a"]}),
        ("tsql", "SELECT DATEDIFF(dd, a, b) AS x, DATEPART(yyyy, a) y FROM t", {"x": ["t.a", "t.b"], "y": ["t.a"]}),
        ("bigquery", "SELECT DATE_DIFF(d, a, DAY) x, DATE_TRUNC(a, WEEK(MONDAY)) y FROM t", {"x": ["t.d", "t.a"], "y": ["t.a"]}),
        ("mysql", "SELECT DATEDIFF(d, a) x FROM t", {"x": ["t.d", "t.a"]}),
        ("snowflake", "SELECT DATE_TRUNC(month, a) x, date_trunc(d, 'x') y FROM t", {"x": ["t.a"], "y": ["t.d"]}),
        ("bigquery", "SELECT SAFE_CAST(a AS INT64) x, a + INTERVAL b DAY y FROM t", {"x": ["t.a"], "y": ["t.a", "t.b"]}),
        ("bigquery", "SELECT AS STRUCT a, ANY_VALUE(b HAVING MAX c) x FROM t", {"a": ["t.a"], "x": ["t.b"]}),
        ("bigquery", "SELECT p FROM ML.PREDICT(MODEL d.m, TABLE d.t)", {"p": ["d.t.*"]}),
        ("tsql", "SELECT CONVERT(DECIMAL(9, 2), a, 1) x, TRY_PARSE(b AS INT) y FROM t", {"x": ["t.a"], "y": ["t.b"]}),
        ("mysql", "SELECT CONVERT(a USING utf8) x, BINARY b y, _utf8'z' z FROM t", {"x": ["t.a"], "y": ["t.b"], "z": []}),
        ("mysql", "SELECT HIGH_PRIORITY SQL_NO_CACHE a->'$.k' x, b SOUNDS LIKE c XOR d y FROM t", {"x": ["t.a"], "y": ["t.b", "t.c", "t.d"]}),
        ("mysql", "SELECT MATCH (a, b) AGAINST ('x' IN BOOLEAN MODE) AS m, 0x1F z FROM t", {"m": ["t.a", "t.b"], "z": []}),
        ("tsql", "SELECT a.value('(/x)[1]', 'int') x, NEXT VALUE FOR s.q n FROM t", {"x": ["t.a"], "n": []}),
        ("oracle", "SELECT s.NEXTVAL n, MAX(a) KEEP (DENSE_RANK FIRST ORDER BY b) x, q'[it's]' q FROM t", {"n": [], "x": ["t.a"], "q": []}),
        ("snowflake", "SELECT {'k': a, 'l':b} x, t.$1 y, $2 z FROM t", {"x": ["t.a", "t.b"], "y": ["t.$1"], "z": ["t.$2"]}),
        ("postgres", "SELECT a SIMILAR TO b x, c = ANY (ARRAY[d]) y, e BETWEEN SYMMETRIC f AND 1 z FROM t", {"x": ["t.a", "t.b"], "y": ["t.c", "t.d"], "z": ["t.e", "t.f"]}),
        ("oracle", "SELECT PRIOR a x, LEVEL n FROM t START WITH b IS NULL CONNECT BY NOCYCLE PRIOR c = d ORDER SIBLINGS BY e", {"x": ["t.a"], "n": []}),
        ("oracle", "SELECT j.x FROM t, JSON_TABLE(t.doc, '$' COLUMNS (x NUMBER PATH '$.x', NESTED PATH '$.l[*]' COLUMNS (y NUMBER PATH '$'))) j", {"x": ["t.doc"]}),
        ("postgres", "SELECT x.b FROM t, XMLTABLE('/a' PASSING BY VALUE t.doc COLUMNS b INT PATH 'c') AS x", {"b": ["t.doc"]}),
        ("postgres", "SELECT x.b FROM t, json_to_recordset(t.doc) AS x (a INT, b NUMERIC(9, 2))", {"b": ["t.doc"]}),
        ("tsql", "SELECT name FROM t CROSS APPLY OPENJSON(t.doc) WITH (id INT '$.id', name NVARCHAR(9) '$.n') AS j", {"name": ["t.doc"]}),
        ("snowflake", "SELECT f.value FROM t, TABLE(FLATTEN(t.doc)) f", {"value": ["t.doc"]}),
        ("tsql", "SELECT x FROM (SELECT a, b FROM t) s PIVOT (SUM(a) FOR b IN ([x], [y])) p", {"x": ["t.a", "t.b"]}),
        ("snowflake", "SELECT a FROM t PIVOT (SUM(b) FOR c IN (ANY ORDER BY c)) p", {"a": ["t.a"]}),
        ("snowflake", "SELECT a FROM t MATCH_RECOGNIZE (PARTITION BY b PATTERN (x y+) DEFINE x AS c > 1) m", {"a": ["t.a"]}),
        ("snowflake", "SELECT m FROM SEMANTIC_VIEW(s.v METRICS m DIMENSIONS f(d) AS d)", {"m": ["s.v.m"]}),
    ],
)  # fmt: skip
def test_engines_write_queries_in_their_own_ways(
    dialect: str, sql: str, expected: dict[str, list[str]]
) -> None:
    assert direct(sql, dialect, {}) == expected


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        (
            "postgres",
            "WITH d AS (DELETE FROM t RETURNING a, b AS c) INSERT INTO u (x, y) SELECT c, a FROM d",
            {"u.x": ["t.b"], "u.y": ["t.a"]},
        ),
        (
            "postgres",
            "WITH i AS (INSERT INTO t (a) SELECT b FROM v RETURNING a) SELECT a FROM i",
            {"t.a": ["v.b"]},
        ),
        ("snowflake", "COPY INTO t (a, b) FROM (SELECT $1, $2 FROM @s)", {"t.a": ["@s.$1"], "t.b": ["@s.$2"]}),
    ],
)  # fmt: skip
def test_each_table_that_a_statement_writes_has_its_columns(
    dialect: str, sql: str, expected: dict[str, list[str]]
) -> None:
    found = column_lineage(resolved(sql, dialect, {}))

    assert {
        f"{of.target}.{c.column}": [str(each) for each in c.direct]
        for of in found
        for c in of.columns
    } == expected


def test_the_items_of_an_array_are_of_its_column() -> None:
    found = direct("SELECT i.b.c AS x, i AS y FROM s.t o, o.items i", "redshift", {})

    assert found == {"x": ["s.t.items.b.c"], "y": ["s.t.items"]}


def test_each_column_of_a_row_gets_its_column_of_the_query() -> None:
    sql = "UPDATE foo SET (a, b) = (SELECT x, max(y) FROM u WHERE u.k = foo.a)"

    assert direct(sql, "postgres", {}) == {"a": ["u.x"], "b": ["u.y"]}


def test_a_row_of_an_unknown_star_has_all_columns_of_the_query() -> None:
    assert direct("UPDATE foo SET (a, b) = (SELECT * FROM u)", "postgres", {}) == {
        "a": ["u.*"],
        "b": ["u.*"],
    }


def test_an_update_of_an_alias_changes_its_table() -> None:
    sql = "UPDATE x SET x.a = y.b, c *= 2 FROM foo x JOIN bar y ON x.a = y.a"

    found = lineage(sql, "tsql", {})

    assert str(found.target) == "foo"
    assert {c.column: {str(each) for each in c.direct} for c in found.columns} == {
        "a": {"bar.b"},
        "c": {"foo.c"},
    }


@pytest.mark.parametrize(
    ("join", "shown"),
    [("JOIN", "foo.a"), ("LEFT JOIN", "foo.a"), ("RIGHT JOIN", "bar.a")],
)
def test_a_column_of_using_is_the_shown_sides_or_by_choice_of_both(join: str, shown: str) -> None:
    sql = f"SELECT a FROM foo {join} bar USING (a)"

    assert direct(sql) == {"a": [shown]}
    both = direct(sql, conventions=Conventions(using_reads_both=True))
    assert set(both["a"]) == {"foo.a", "bar.a"}


def test_a_star_is_expanded_where_columns_are_known() -> None:
    found = direct(
        "SELECT c.*, o.id AS order_id FROM customers c JOIN orders o ON c.id = o.customer"
    )

    assert found == {
        "id": ["customers.id"],
        "name": ["customers.name"],
        "country": ["customers.country"],
        "order_id": ["orders.id"],
    }


def test_a_star_of_unknown_columns_stays_a_star() -> None:
    assert direct("INSERT INTO t SELECT * FROM somewhere") == {"*": ["somewhere.*"]}


def test_a_name_that_only_one_unknown_table_can_have_is_its_column() -> None:
    assert direct("SELECT x FROM somewhere") == {"x": ["somewhere.x"]}


def test_a_name_that_several_tables_may_have_is_not_guessed() -> None:
    sql = "SELECT x FROM somewhere, elsewhere"

    assert direct(sql) == {"x": []}
    assert direct(sql, conventions=Conventions(names_unknown_columns=True)) == {"x": ["x"]}


def test_written_columns_have_the_targets_names_by_position() -> None:
    found = direct("INSERT INTO bar SELECT id, name FROM customers")

    assert found == {"a": ["customers.id"], "b": ["customers.name"]}


def test_listed_columns_win_over_the_targets_order() -> None:
    found = direct("INSERT INTO bar (b, a) SELECT id, name FROM customers")

    assert found == {"b": ["customers.id"], "a": ["customers.name"]}


def test_columns_of_a_fixed_partition_get_nothing_from_the_query() -> None:
    tables = {"t": ["x", "y", "day"], "s": ["p", "q"]}

    found = direct(
        "INSERT OVERWRITE TABLE t PARTITION (day='1') SELECT p, q FROM s", "hive", tables
    )

    assert found == {"x": ["s.p"], "y": ["s.q"]}


def test_columns_of_an_open_partition_come_last() -> None:
    tables = {"t": ["day", "x"], "s": ["p", "q"]}

    found = direct("INSERT INTO t PARTITION (day) SELECT p, q FROM s", "hive", tables)

    assert found == {"x": ["s.p"], "day": ["s.q"]}


def test_a_field_of_a_struct_keeps_its_path() -> None:
    tables = {"t": ["s", "items"]}

    found = direct("SELECT t.s.city AS c, items[0].sku AS i FROM t", tables=tables)

    assert found == {"c": ["t.s.city"], "i": ["t.items.sku"]}


def test_a_field_of_a_struct_that_a_query_makes_is_what_was_put_there() -> None:
    tables = {"t": ["x", "y"]}

    found = direct(
        "SELECT q.s.a AS a FROM (SELECT named_struct('a', x, 'b', y) AS s FROM t) q", tables=tables
    )

    assert found == {"a": ["t.x"]}


def test_union_is_made_of_all_branches_and_except_of_its_left_side() -> None:
    assert direct("SELECT a FROM foo UNION ALL SELECT b FROM bar") == {"a": ["foo.a", "bar.b"]}
    assert direct("SELECT a FROM foo EXCEPT SELECT b FROM bar") == {"a": ["foo.a"]}


def test_using_shows_a_column_once_and_full_joins_make_it_of_both() -> None:
    assert direct("SELECT * FROM foo JOIN bar USING (a)") == {"a": ["foo.a"], "b": ["bar.b"]}
    assert direct("SELECT a FROM foo FULL JOIN bar USING (a)") == {"a": ["foo.a", "bar.a"]}
    assert direct("SELECT a FROM foo RIGHT JOIN bar USING (a)") == {"a": ["bar.a"]}


def test_lateral_views_are_made_of_what_they_explode() -> None:
    tables = {"t": ["id", "tags"]}

    found = direct("SELECT id, tag FROM t LATERAL VIEW explode(tags) x AS tag", "hive", tables)

    assert found == {"id": ["t.id"], "tag": ["t.tags"]}


def test_a_recursive_table_is_made_of_where_it_begins() -> None:
    sql = """
        WITH RECURSIVE up (node, depth) AS (
          SELECT id, 0 FROM orders
          UNION ALL
          SELECT o.customer, u.depth + o.amount FROM up u JOIN orders o ON o.id = u.node
        )
        SELECT node, depth FROM up
    """

    assert direct(sql) == {
        "node": ["orders.id", "orders.customer"],
        "depth": ["orders.amount"],
    }


def test_an_alias_may_be_used_by_later_items_in_spark_and_not_in_trino() -> None:
    sql = "SELECT id AS key, key + 1 AS next FROM somewhere"

    assert direct(sql, "spark")["next"] == ["somewhere.id"]
    assert direct(sql, "trino")["next"] == ["somewhere.key"]


def test_pivots_are_made_of_values_and_keys() -> None:
    sql = """
        SELECT * FROM (SELECT country, name, id FROM customers)
        PIVOT (count(id) FOR country IN ('ie' AS ireland, 'in' AS india))
    """

    assert direct(sql) == {
        "name": ["customers.name"],
        "ireland": ["customers.id", "customers.country"],
        "india": ["customers.id", "customers.country"],
    }


def test_merge_updates_and_inserts() -> None:
    sql = """
        MERGE INTO bar t USING customers s ON t.a = s.id
        WHEN MATCHED AND s.country = 'ie' THEN UPDATE SET t.b = s.name
        WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.id, s.name)
    """

    found = lineage(sql)

    assert direct(sql) == {"b": ["customers.name"], "a": ["customers.id"]}
    assert [f"{clause.value}: {column}" for clause, column in found.rows] == [
        "join: bar.a",
        "join: customers.id",
        "condition: customers.country",
    ]


def test_update_reads_what_stands_in_from() -> None:
    sql = "UPDATE bar SET b = c.name FROM customers c WHERE c.id = bar.a"

    assert direct(sql, "postgres") == {"b": ["customers.name"]}


def test_a_query_inside_a_column_decides_that_column() -> None:
    sql = """
        SELECT name, (SELECT max(amount) FROM orders o WHERE o.customer = c.id) AS most
        FROM customers c
    """

    assert direct(sql)["most"] == ["orders.amount"]
    assert indirect(sql) == {
        "name": [],
        "most": ["where: orders.customer", "where: customers.id"],
    }
    assert rows(sql) == []


@pytest.mark.parametrize("dialect", ["hive", "spark", "trino", "vertica", "ansi"])
def test_every_dialect_reads_a_plain_query(dialect: str) -> None:
    sql = "SELECT o.id, c.name FROM orders o LEFT JOIN customers c ON o.customer = c.id"

    assert direct(sql, dialect) == {"id": ["orders.id"], "name": ["customers.name"]}


def test_more_names_than_a_query_surely_has_columns_are_of_what_is_not_known() -> None:
    found = direct("SELECT b FROM (SELECT * FROM unheard_of) AS t (a, b)")

    assert found == {"b": ["unheard_of.*"]}


def test_count_of_all_rows_may_be_told_to_read_all_columns() -> None:
    sql = "WITH c AS (SELECT * FROM orders) SELECT count(*) AS n FROM c JOIN customers"
    all_columns = Conventions(count_reads_all=True)

    assert direct(sql) == {"n": []}
    assert direct(sql, conventions=all_columns) == {"n": ["orders.*", "customers.*"]}


def test_a_star_of_unknown_columns_may_hide_the_known_ones() -> None:
    sql = "INSERT INTO n SELECT * FROM (SELECT a AS f, * FROM somewhere)"

    assert direct(sql) == {"f": ["somewhere.a"], "*": ["somewhere.*"]}
    hidden = Conventions(open_stars_hide_names=True)
    assert direct(sql, conventions=hidden) == {"*": ["somewhere.*"]}


def test_keys_of_windows_may_count_as_direct() -> None:
    sql = "SELECT rank() OVER (PARTITION BY customer ORDER BY at) AS r FROM orders"

    found = direct(sql, conventions=Conventions(window_keys_are_direct=True))
    assert found == {"r": ["orders.customer", "orders.at"]}


def test_columns_beyond_a_star_of_several_tables_are_not_guessed() -> None:
    sql = "SELECT q.x FROM (SELECT * FROM somewhere, elsewhere) q"

    assert direct(sql) == {"x": []}
    assert direct(sql, conventions=Conventions(names_unknown_columns=True)) == {"x": ["x"]}


def test_a_set_operation_of_stars_is_made_of_both() -> None:
    assert direct("SELECT * FROM somewhere UNION ALL SELECT * FROM elsewhere") == {
        "*": ["somewhere.*", "elsewhere.*"]
    }
    assert rows("SELECT * FROM somewhere INTERSECT SELECT * FROM elsewhere") == [
        "set operation: somewhere.*",
        "set operation: elsewhere.*",
    ]


def test_an_order_inside_a_call_is_no_value_of_it_unless_the_values_are_ordered() -> None:
    sql = "SELECT array_agg(id ORDER BY amount DESC) AS ids FROM orders"
    middle = "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount) AS middle FROM orders"

    assert direct(sql, "trino") == {"ids": ["orders.id"]}
    assert indirect(sql, "trino") == {"ids": ["order by: orders.amount"]}
    assert direct(middle) == {"middle": ["orders.amount"]}


def test_a_text_behind_the_name_of_a_type_is_a_literal() -> None:
    sql = (
        "SELECT DECIMAL '1.50' * amount AS fee, JSON '{}' AS more FROM orders WHERE id > BIGINT '7'"
    )

    assert direct(sql, "trino") == {"fee": ["orders.amount"], "more": []}
