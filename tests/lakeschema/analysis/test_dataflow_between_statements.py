"""Dataflow from earlier statements to later ones: temporary tables, views, written columns."""

from __future__ import annotations

from typing import Any

import pytest

from lakeschema.analysis import batch


def result(sql: str, dialect: str, *ask: str, **more: object) -> Any:
    reply = batch.answer(
        {"sql": sql, "dialect": dialect, "namespace": ["shop"], "ask": [*ask], **more}
    )
    assert not [s for s in reply["result"]["statements"] if "error" in s]
    return reply["result"]


def dataflow(sql: str, dialect: str = "spark", **more: object) -> dict[str, list[str]]:
    found: dict[str, list[str]] = result(sql, dialect, "dataflow", **more)["dataflow"]
    return found


def columns(sql: str, dialect: str = "spark", **more: object) -> dict[str, list[str]]:
    """Of all statements together."""
    return {
        f"{each['relation']}.{each['column']}": [
            f"{source['relation']}.{source['column']}" for source in each["sources"]
        ]
        for each in result(sql, dialect, "column_dataflow", **more)["column_dataflow"]
    }


@pytest.mark.parametrize("dialect", ["hive", "postgres", "snowflake", "mysql", "vertica", "ansi"])
@pytest.mark.parametrize(
    "made",
    [
        "CREATE TEMPORARY TABLE tt AS SELECT id FROM orders",
        "CREATE TEMPORARY TABLE tt (id INT); INSERT INTO tt SELECT id FROM orders",
    ],
)
def test_a_temporary_table_is_of_no_namespace(made: str, dialect: str) -> None:
    found = dataflow(f"{made}; CREATE TABLE rep AS SELECT id FROM tt; DROP TABLE tt", dialect)

    assert found["shop.rep"] == ["shop.orders"]
    assert "shop.tt" not in found


@pytest.mark.parametrize(
    "made",
    [
        "CREATE TEMPORARY VIEW tt AS SELECT id FROM orders",
        "CREATE OR REPLACE TEMP VIEW tt AS SELECT id FROM orders",
        "CACHE TABLE tt AS SELECT id FROM orders",
        "CREATE TEMP VIEW u AS SELECT id FROM orders; ALTER VIEW u RENAME TO tt",
    ],
)
def test_a_view_of_the_session_is_of_no_namespace(made: str) -> None:
    found = dataflow(f"{made}; USE other; INSERT OVERWRITE rep SELECT id FROM tt")

    assert found["other.rep"] == ["shop.orders"]
    assert found["tt"] == ["shop.orders"]


def test_a_global_temporary_view_stands_in_its_own_namespace() -> None:
    made = "CREATE GLOBAL TEMPORARY VIEW tt AS SELECT id FROM orders"

    found = dataflow(f"{made}; INSERT OVERWRITE rep SELECT id FROM global_temp.tt")

    assert found == {"shop.rep": ["shop.orders"], "global_temp.tt": ["shop.orders"]}


def test_a_global_temporary_table_is_a_table_of_its_schema() -> None:
    made = "CREATE GLOBAL TEMPORARY TABLE tt (id INT) ON COMMIT DELETE ROWS"

    found = dataflow(f"{made}; INSERT INTO tt SELECT id FROM orders", "oracle")

    assert found == {"shop.tt": ["shop.orders"]}


def test_rows_that_are_selected_into_a_temporary_table() -> None:
    sql = "SELECT id INTO TEMP tt FROM orders; CREATE TABLE rep AS SELECT id FROM tt"

    assert dataflow(sql, "postgres") == {"tt": ["shop.orders"], "shop.rep": ["shop.orders"]}


def test_a_table_that_is_hidden_keeps_its_rows() -> None:
    sql = "CREATE TEMPORARY TABLE y AS SELECT id FROM orders; CREATE TABLE rep AS SELECT id FROM shop.y"

    assert dataflow(sql, "hive")["shop.rep"] == ["shop.y"]


FILLED_LATER = """
    CREATE TABLE c (id INT); CREATE VIEW v AS SELECT id AS k FROM c; CREATE VIEW w AS SELECT k FROM v;
    INSERT INTO c SELECT id FROM customers; CREATE TABLE z AS SELECT k FROM w
"""


def test_a_view_shows_what_its_tables_hold_when_it_is_read() -> None:
    tables = {"shop.c", "shop.z", "shop.v", "shop.w"}
    assert dataflow(FILLED_LATER) == {name: ["shop.customers"] for name in tables}

    every = {"shop.c.id", "shop.v.k", "shop.w.k", "shop.z.k"}
    assert columns(FILLED_LATER) == {name: ["shop.customers.id"] for name in every}


def test_a_view_of_before_is_seen_through() -> None:
    ddl = ["CREATE VIEW shop.v AS SELECT id AS k FROM shop.orders"]
    sql = "CREATE TABLE z AS SELECT k FROM v"

    assert dataflow(sql, ddl=ddl) == {"shop.z": ["shop.orders"]}
    assert columns(sql, ddl=ddl) == {"shop.z.k": ["shop.orders.id"]}


def test_a_materialized_view_keeps_the_rows_of_its_time() -> None:
    sql = FILLED_LATER.replace("CREATE VIEW v", "CREATE MATERIALIZED VIEW v")

    found = dataflow(sql, "postgres")

    assert (found["shop.v"], found["shop.z"]) == ([], [])


def test_views_go_on_to_read_what_has_the_name() -> None:
    sql = """
        CREATE VIEW v AS SELECT id FROM one;
        ALTER TABLE one RENAME TO aside; ALTER TABLE other RENAME TO one;
        CREATE TABLE z AS SELECT id FROM v
    """

    assert dataflow(sql, "postgres")["shop.z"] == ["shop.other"]


def test_rows_that_are_written_to_a_view_are_its_tables() -> None:
    sql = "CREATE VIEW v AS SELECT id FROM c; INSERT INTO v SELECT id FROM orders"

    assert dataflow(sql, "postgres")["shop.c"] == ["shop.c", "shop.orders"]


PARTITIONED = "CREATE TABLE x PARTITIONED BY (dt) {} AS SELECT dt, a, b FROM y; INSERT INTO x SELECT p, q, r FROM i"


@pytest.mark.parametrize(
    ("dialect", "format_"),
    [("spark", "USING parquet"), ("hive", "STORED AS ORC"), ("impala", "STORED AS PARQUET")],
)
def test_partition_columns_come_last_in_what_a_query_fills(dialect: str, format_: str) -> None:
    assert columns(PARTITIONED.format(format_), dialect) == {
        "shop.x.dt": ["shop.y.dt", "shop.i.r"],
        "shop.x.a": ["shop.y.a", "shop.i.p"],
        "shop.x.b": ["shop.y.b", "shop.i.q"],
    }


@pytest.mark.parametrize("format_", ["iceberg", "delta"])
def test_some_formats_keep_the_order_of_the_query(format_: str) -> None:
    sql = PARTITIONED.format("").replace(" PARTITIONED", f" USING {format_} PARTITIONED")

    assert columns(sql)["shop.x.dt"] == ["shop.y.dt", "shop.i.p"]


def test_a_partitioned_view_has_the_columns_of_its_query() -> None:
    sql = "CREATE VIEW x PARTITIONED ON (dt) AS SELECT a, b, dt FROM y"

    assert columns(sql, "hive") == {
        f"shop.x.{name}": [f"shop.y.{name}"] for name in ("a", "b", "dt")
    }


@pytest.mark.parametrize("dialect", ["spark", "duckdb"])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT q, p FROM i", {"p": "p", "q": "q"}),
        ("SELECT * FROM i", {"p": "p", "q": "q"}),
        ("SELECT p AS q, q AS p FROM i", {"p": "q", "q": "p"}),
    ],
)
def test_columns_are_matched_by_name_where_the_text_says_so(
    query: str, expected: dict[str, str], dialect: str
) -> None:
    tables = {"shop.o": ["p", "q"], "shop.i": ["q", "p"]}
    sql = f"DELETE FROM o; INSERT INTO o BY NAME {query}"

    assert columns(sql, dialect, tables=tables) == {
        f"shop.o.{name}": [f"shop.i.{source}"] for name, source in expected.items()
    }


@pytest.mark.parametrize("dialect", ["hive", "impala"])
def test_hive_numbers_values_without_a_name(dialect: str) -> None:
    sql = "CREATE TABLE x AS SELECT id, sum(amount), count(*) FROM orders GROUP BY id; SELECT `_c1`, `_c2` FROM x"

    first, second = result(sql, dialect, "catalog_updates", "defence")["statements"]

    assert first["catalog_updates"][0]["columns"] == ["id", "_c1", "_c2"]
    assert second["defence"] == []


def test_a_merge_writes_the_columns_that_it_names() -> None:
    sql = "MERGE INTO t USING o ON t.id = o.id WHEN MATCHED THEN UPDATE SET name = o.name"
    tables = {"shop.t": ["id", "name"], "shop.o": ["id", "name"]}

    (found,) = result(sql, "spark", "column_access", tables=tables)["statements"]

    assert {"clause": "update", "relation": "shop.t", "column": "name"} in found["column_access"]


@pytest.mark.parametrize(
    ("made", "taken"),
    [
        ("named_struct('i', a, 'l', c)", "n.i"),
        ("struct(a AS i, c AS l)", "n.i"),
        ("struct(t.a, c)", "n.a"),
        ("struct(a + 1, c)", "n.col1"),
        ("named_struct('i', named_struct('i', a, 'l', c), 'l', c)", "n.i.i"),
    ],
)
def test_a_field_of_a_struct_that_a_sub_query_makes_is_what_was_put_there(
    made: str, taken: str
) -> None:
    sql = f"CREATE TABLE x AS SELECT {taken} AS k FROM (SELECT {made} AS n FROM t) q"

    assert columns(sql) == {"shop.x.k": ["shop.t.a"]}


@pytest.mark.parametrize(
    "name",
    ["orders_$[yyyyMM]", "orders_${m}", "{{ p }}_orders", "orders_#{a}_x", "orders_@{m}", "$[x]_y"],
)
def test_a_template_may_stand_in_a_part_of_a_name(name: str) -> None:
    assert dataflow(f"CREATE TABLE x AS SELECT id FROM {name}") == {
        "shop.x": [f"shop.`{name.lower()}`"]
    }


def test_parameters_of_python_are_values() -> None:
    sql = "CREATE TABLE x AS SELECT id % (7) AS k FROM orders WHERE day = %(day)s AND id % 2 = %(rest)s"

    assert columns(sql) == {"shop.x.k": ["shop.orders.id"]}


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ("CREATE TABLE x AS SELECT a FROM y DISTRIBUTED BY (a)", "greenplum"),
        ("CREATE TABLE x AS SELECT a FROM y DISTRIBUTED RANDOMLY", "greenplum"),
        ("CREATE TABLE x AS SELECT a FROM y DISTRIBUTED REPLICATED", "greenplum"),
        ("CREATE TABLE x AS FROM y MAP a, b USING 'x' AS p, q", "hive"),
        (
            "FROM (FROM y MAP a USING 'x' AS p CLUSTER BY p) m INSERT OVERWRITE TABLE x SELECT m.p",
            "hive",
        ),
        ("REPLACE TABLE x USING iceberg PARTITIONED BY (dt) AS SELECT a, dt FROM y", "spark"),
    ],
)
def test_a_table_is_filled_by_the_query(sql: str, dialect: str) -> None:
    assert dataflow(sql, dialect) == {"shop.x": ["shop.y"]}
