"""The tables from which the data of each written table comes, by statement and by script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeschema.analysis.catalog import Source, as_text
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.dataflow import ColumnDataflow, Dataflow, cumulative
from lakeschema.analysis.table_lineage import table_lineage
from lakeschema.catalog.identifiers import RelationName
from tests.lakeschema.analysis.analysed import all_of, resolved


def shown(dataflow: Dataflow) -> dict[str, list[str]]:
    return {as_text(target): [as_text(s) for s in sources] for target, sources in dataflow.items()}


@pytest.mark.parametrize(
    ("sql", "dialect", "expected"),
    [
        ("SELECT * FROM bar", "hive", {}),
        ("INSERT INTO foo SELECT a FROM bar", "hive", {"foo": ["bar", "foo"]}),
        ("INSERT OVERWRITE TABLE foo SELECT a FROM bar", "hive", {"foo": ["bar"]}),
        (
            "INSERT OVERWRITE TABLE foo PARTITION (p=1) SELECT a FROM bar",
            "hive",
            {"foo": ["bar", "foo"]},
        ),
        ("CREATE TABLE n AS SELECT * FROM foo JOIN bar", "hive", {"n": ["bar", "foo"]}),
        ("CREATE VIEW n AS SELECT * FROM foo", "hive", {"n": ["foo"]}),
        ("CREATE TABLE n (x INT)", "hive", {"n": []}),
        ("CREATE TABLE n LIKE foo", "hive", {"n": []}),
        ("DROP TABLE foo", "hive", {"foo": []}),
        ("TRUNCATE TABLE foo", "hive", {"foo": []}),
        ("DELETE FROM foo", "trino", {"foo": []}),
        (
            "DELETE FROM foo WHERE a IN (SELECT b FROM bar)",
            "trino",
            {"foo": ["bar", "foo"]},
        ),
        ("UPDATE foo SET a = 1 WHERE a = 2", "trino", {"foo": ["foo"]}),
        (
            "MERGE INTO foo USING bar ON foo.a = bar.a WHEN MATCHED THEN DELETE",
            "spark",
            {"foo": ["bar", "foo"]},
        ),
        ("ALTER TABLE foo RENAME TO other", "hive", {"other": ["foo"], "foo": []}),
        ("ALTER TABLE foo SWAP WITH bar", "snowflake", {"foo": ["bar"], "bar": ["foo"]}),
        (
            "ALTER TABLE foo EXCHANGE PARTITION (p=1) WITH TABLE bar",
            "hive",
            {"foo": ["bar", "foo"]},
        ),
        (
            "FROM bar INSERT INTO foo SELECT a INSERT OVERWRITE TABLE n SELECT b WHERE b > 1",
            "hive",
            {"foo": ["bar", "foo"], "n": ["bar"]},
        ),
        ("LOAD DATA INPATH '/in' OVERWRITE INTO TABLE foo", "hive", {"foo": ["/in"]}),
        ("CACHE TABLE c AS SELECT * FROM foo", "spark", {"c": ["foo"]}),
        ("CACHE TABLE foo", "spark", {}),
        ("INSERT INTO foo REPLACE WHERE a = 1 SELECT a FROM bar", "spark", {"foo": ["bar", "foo"]}),
        ("INSERT INTO foo REPLACE USING (a) SELECT a FROM bar", "spark", {"foo": ["bar", "foo"]}),
        ("INSERT INTO foo REPLACE ON a = 1 SELECT a FROM bar", "spark", {"foo": ["bar", "foo"]}),
        (
            "SELECT SWAP_PARTITIONS_BETWEEN_TABLES('foo', 1, 2, 'bar')",
            "vertica",
            {"foo": ["bar", "foo"], "bar": ["bar", "foo"]},
        ),
        (
            "SELECT MOVE_PARTITIONS_TO_TABLE('foo', 1, 2, 'bar')",
            "vertica",
            {"bar": ["bar", "foo"]},
        ),
        ("GRANT SELECT ON foo TO someone", "hive", {}),
        ("EXPLAIN INSERT INTO foo SELECT a FROM bar", "hive", {}),
    ],
)
def test_a_statement_moves_data(sql: str, dialect: str, expected: dict[str, list[str]]) -> None:
    assert shown(table_lineage(resolved(sql, dialect))) == expected


def test_files_of_another_table_become_rows_by_their_location() -> None:
    made = "CREATE TABLE bar2 (x INT) LOCATION '/lake/bar'"
    expected = {
        "ALTER TABLE foo ADD PARTITION (p=1) LOCATION '/lake/bar/p=1'": {"foo": ["bar2", "foo"]},
        "ALTER TABLE foo ADD PARTITION (p=2) LOCATION '/lake/bar_of_others/p=1'": {},
        "ALTER TABLE foo PARTITION (p=1) SET LOCATION '/lake/bar/p=1'": {"foo": ["bar2", "foo"]},
        "ALTER TABLE foo SET LOCATION '/lake/bar'": {"foo": ["bar2"]},
        "CREATE EXTERNAL TABLE other (x INT) LOCATION '/lake/bar/'": {"other": ["bar2"]},
        "CREATE EXTERNAL TABLE other (x INT) LOCATION '/lake/elsewhere'": {"other": []},
    }
    for sql, lineage in expected.items():
        _, found = all_of(f"{made}; {sql}", "hive")

        assert found.resolved is not None
        assert shown(table_lineage(found.resolved)) == lineage, sql


def test_a_table_without_a_location_lies_in_its_folder_of_the_warehouse() -> None:
    tables = {"shop.orders": ["id"], "arch": ["id"]}
    sql = "ALTER TABLE arch ADD PARTITION (p=1) LOCATION 'hdfs://nn/warehouse/shop.db/{}/day=1'"

    assert shown(table_lineage(resolved(sql.format("orders"), "hive", tables))) == {
        "arch": ["arch", "shop.orders"]
    }
    assert shown(table_lineage(resolved(sql.format("others"), "hive", tables))) == {}


FIGURE_4: tuple[tuple[str, dict[str, list[str]]], ...] = (
    ("DROP TABLE IF EXISTS a_new", {"a_new": []}),
    ("CREATE TABLE a_new AS SELECT * FROM b", {"a_new": ["b"]}),
    ("INSERT INTO a_new SELECT * FROM c", {"a_new": ["b", "c"]}),
    ("DROP TABLE IF EXISTS a_old", {"a_new": ["b", "c"], "a_old": []}),
    ("ALTER TABLE a RENAME TO a_old", {"a_new": ["b", "c"], "a_old": ["a"], "a": []}),
    ("ALTER TABLE a_new RENAME TO a", {"a": ["b", "c"], "a_old": ["a"], "a_new": []}),
)


def test_figure_4_of_queryparser_holds_step_by_step() -> None:
    steps: list[Dataflow] = []
    for sql, expected in FIGURE_4:
        steps.append(table_lineage(resolved(sql, "vertica", {})))

        assert shown(cumulative(steps)) == expected


def test_several_renames_are_made_one_after_the_other() -> None:
    sql = "ALTER TABLE foo, foo1, bar RENAME TO foo1, foo2, baz"

    assert shown(table_lineage(resolved(sql, "vertica", {}))) == {
        "foo": [],
        "foo1": [],
        "foo2": ["foo"],
        "bar": [],
        "baz": ["bar"],
    }


_names = st.sampled_from([RelationName.of(letter) for letter in "abcde"])
_steps = st.lists(
    st.dictionaries(_names, st.lists(_names, max_size=3).map(tuple), max_size=3), max_size=8
)


@given(_steps, st.integers(0, 8), st.integers(0, 8))
def test_parts_of_a_log_may_be_folded_apart(
    steps: list[dict[Source, tuple[Source, ...]]], first: int, second: int
) -> None:
    low, high = sorted((first, second))

    parts = [cumulative(part) for part in (steps[:low], steps[low:high], steps[high:])]

    assert cumulative(parts) == cumulative(steps)


def columns_after(script: str) -> dict[str, list[str]]:
    dataflow = ColumnDataflow(Conventions())
    every = all_of(script, "spark")
    for each in every:
        assert each.resolved is not None
        dataflow.add(each.resolved, each.before)
    columns = dataflow.columns(every[-1].catalog)
    return {str(column): [str(s) for s in found] for column, found in columns.items()}


def test_tables_on_the_way_stand_for_what_they_hold() -> None:
    script = """
        CREATE TABLE step AS SELECT id AS k, amount * 2 AS twice FROM orders;
        CREATE TABLE done AS SELECT s.k, s.twice, c.name FROM step s JOIN customers c ON c.id = s.k;
        DROP TABLE step
    """

    assert columns_after(script) == {
        "done.k": ["orders.id"],
        "done.twice": ["orders.amount"],
        "done.name": ["customers.name"],
    }


def test_rows_that_are_added_join_those_that_were_there() -> None:
    script = "INSERT INTO bar SELECT id, name FROM customers; INSERT INTO foo SELECT b FROM bar"

    assert columns_after(script) == {
        "bar.a": ["bar.a", "customers.id"],
        "bar.b": ["bar.b", "customers.name"],
        "foo.a": ["foo.a", "bar.b", "customers.name"],
    }


def test_a_column_that_nothing_filled_is_made_of_nothing() -> None:
    script = "TRUNCATE TABLE bar; INSERT INTO bar (a) SELECT id FROM orders; CREATE TABLE n AS SELECT b, a FROM bar"

    assert columns_after(script) == {"bar.a": ["orders.id"], "n.b": [], "n.a": ["orders.id"]}


def test_columns_follow_their_tables_through_renames_and_swaps() -> None:
    renamed = "ALTER TABLE foo RENAME TO old; CREATE TABLE foo AS SELECT id AS a FROM orders"
    swapped = "ALTER TABLE foo SWAP WITH bar"

    assert columns_after(renamed) == {"old.a": ["foo.a"], "foo.a": ["orders.id"]}
    assert columns_after(swapped) == {
        "foo.a": ["bar.a"],
        "foo.b": ["bar.b"],
        "bar.a": ["foo.a"],
    }
