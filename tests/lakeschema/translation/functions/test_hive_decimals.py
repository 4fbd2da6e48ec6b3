"""Decimals of Hive's views: equal to Hive 4.0.1's without folded literals, and wide enough with them."""

from __future__ import annotations

import pytest

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.requests.batch import answer
from tests.lakeschema.translation.hive_decimals import has_room
from tests.lakeschema.translation.relations import derived_in

TABLE = "CREATE TABLE t (r INT, s STRING, bo BOOLEAN, de DECIMAL(10,2))"
VIEW = RelationName.of("default", "v")


def type_of(query: str) -> str:
    """Of the one column of a view."""
    relations = relations_from_ddl([TABLE, f"CREATE VIEW v AS {query}"])
    (column,) = derived_in(relations, VIEW).interface.columns
    return print_type(column.type)


@pytest.mark.parametrize(
    ("expression", "type_"),
    [
        *(("de + 1", "decimal(11,2)"), ("1.50 - de", "decimal(11,2)"), ("de * 5", "decimal(12,2)")),
        *(
            ("de * -5", "decimal(12,2)"),
            ("de / 2", "decimal(14,6)"),
            ("(de + 1) * 2", "decimal(13,2)"),
        ),
        *(("sum(de + 1)", "decimal(21,2)"), ("avg(de * 2)", "decimal(16,6)")),
        # An addend counts as its type, and a factor by its digits.
        *(("floor(de + 1)", "decimal(12,0)"), ("ceil(de * 2)", "decimal(11,0)")),
        ("ceiling(de + 1)", "decimal(12,0)"),
        *(("sum(de + 1) OVER ()", "decimal(23,2)"), ("sum(de * 2) OVER ()", "decimal(22,2)")),
        *(("max(-(de + 1)) OVER ()", "decimal(13,2)"), ("struct(de + 1, r).col1", "decimal(13,2)")),
        # What is computed of a choice is of the type in which it is written.
        *(("coalesce(de, 0) * 2", "decimal(14,2)"), ("avg(if(bo, de, 0))", "decimal(16,6)")),
    ],
)
def test_written_numbers_count_as_they_do_in_hive(expression: str, type_: str) -> None:
    assert type_of(f"SELECT {expression} AS x FROM t") == type_


@pytest.mark.parametrize(
    ("expression", "type_", "hives"),
    [
        ("coalesce(de, 0)", "decimal(12,2)", "decimal(10,2)"),
        ("if(bo, de, 123456789)", "decimal(12,2)", "decimal(11,2)"),
        ("de + (1 + 2)", "decimal(13,2)", "decimal(11,2)"),
        ("de + CAST(1.5 AS DECIMAL(10,5))", "decimal(14,5)", "decimal(11,2)"),
    ],
)
def test_a_literal_that_hive_folds_counts_as_its_type(
    expression: str, type_: str, hives: str
) -> None:
    assert type_of(f"SELECT {expression} AS x FROM t") == type_
    assert has_room(type_, hives)


@pytest.mark.parametrize("expression", ["de + year(DATE '2020-01-01')", "if(bo, de, crc32('abc'))"])
def test_a_constant_need_not_be_computed_here(expression: str) -> None:
    assert type_of(f"SELECT {expression} AS x FROM t").startswith("decimal(")


def test_what_a_window_reads_is_still_a_key_of_its_groups() -> None:
    query = "SELECT sum(de + 1) OVER () AS x FROM t GROUP BY de + 1"

    assert type_of(query) == "decimal(23,2)"


def test_deep_calls_of_floor_are_typed() -> None:
    """It takes ages if each level doubles the work."""
    deep = "floor(" * 40 + "de + 1" + ")" * 40

    assert type_of(f"SELECT {deep} AS x FROM t").endswith(",0)")


@pytest.mark.parametrize(
    ("query", "type_"),
    [
        ("SELECT x FROM (SELECT coalesce(de, 0) AS x FROM t) q", "decimal(10,2)"),
        ("SELECT x + 2 AS x FROM (SELECT coalesce(de, 0) AS x FROM t) q", "decimal(11,2)"),
        ("SELECT x * 2 AS x FROM (SELECT coalesce(de, 0) AS x FROM t) q", "decimal(14,2)"),
        (
            "SELECT y * 2 AS x FROM (SELECT x + 1 AS y FROM (SELECT coalesce(de, 0) AS x FROM t) q) p",
            "decimal(15,2)",
        ),
        (
            "SELECT x * 2 AS x FROM (SELECT sum(coalesce(de, 0)) AS x FROM t GROUP BY s) q",
            "decimal(24,2)",
        ),
        (
            "SELECT k * 2 AS x FROM (SELECT coalesce(de, 0) AS k, count(*) AS n FROM t GROUP BY coalesce(de, 0)) q",
            "decimal(14,2)",
        ),
        (
            "SELECT a.x * 2 AS x FROM (SELECT coalesce(de, 0) AS x, r FROM t) a JOIN t b ON a.r = b.r",
            "decimal(14,2)",
        ),
        (
            "SELECT b.x * 2 AS x FROM t a JOIN (SELECT coalesce(de, 0) AS x, r FROM t) b ON a.r = b.r",
            "decimal(14,2)",
        ),
        (
            "SELECT x * 2 AS x FROM (SELECT DISTINCT coalesce(de, 0) AS x FROM t) q",
            "decimal(14,2)",
        ),
        ("SELECT x * 2 AS x FROM (SELECT coalesce(de, 0) AS x FROM t LIMIT 3) q", "decimal(14,2)"),
        ("SELECT avg(x) AS x FROM (SELECT coalesce(de, 0) AS x FROM t) q", "decimal(16,6)"),
        (
            "SELECT x * 2 AS x FROM (SELECT sum(coalesce(de, 0)) OVER (ORDER BY r) AS x FROM t) q",
            "decimal(24,2)",
        ),
    ],
)
def test_columns_of_queries_below_have_room_for_hives(query: str, type_: str) -> None:
    assert has_room(type_of(query), type_)


@pytest.mark.parametrize(
    ("query", "type_"),
    [
        ("SELECT de + y AS x FROM (SELECT de, 1 + 1 AS y FROM t) q", "decimal(11,2)"),
        ("SELECT de * y AS x FROM (SELECT de, 5 AS y FROM t) q", "decimal(21,2)"),
        (
            "SELECT de + y AS x FROM (SELECT de, z AS y FROM (SELECT de, 5 AS z FROM t) p) q",
            "decimal(11,2)",
        ),
        ("SELECT de + y AS x FROM (SELECT DISTINCT de, 5 AS y FROM t LIMIT 3) q", "decimal(11,2)"),
        ("SELECT de + y AS x FROM (SELECT de, max(5) AS y FROM t GROUP BY de) q", "decimal(13,2)"),
        (
            "SELECT a.de + b.y AS x FROM t a JOIN (SELECT r, 5 AS y FROM t) b ON a.r = b.r",
            "decimal(11,2)",
        ),
        (
            "SELECT a.de + b.y AS x FROM t a LEFT JOIN (SELECT r, 5 AS y FROM t) b ON a.r = b.r",
            "decimal(13,2)",
        ),
        ("SELECT de + r AS x FROM t WHERE r = 5", "decimal(11,2)"),
        ("SELECT de + r AS x FROM t WHERE 5 = r AND bo", "decimal(11,2)"),
        ("SELECT de + r AS x FROM t WHERE r = 5 OR bo", "decimal(13,2)"),
        (
            "SELECT a.de + b.y AS x FROM t a CROSS JOIN (SELECT 5 AS y FROM t) b",
            "decimal(11,2)",
        ),
        ("SELECT y + 1.5 AS x FROM (SELECT 1 + 1 AS y FROM t) q", "decimal(12,1)"),
        (
            "SELECT if(bo, de, y) AS x FROM (SELECT de, bo, CAST(0 AS DECIMAL(20,5)) AS y FROM t) q",
            "decimal(10,2)",
        ),
    ],
)
def test_columns_that_are_constants_have_room_for_hives(query: str, type_: str) -> None:
    assert has_room(type_of(query), type_)


@pytest.mark.parametrize("dialect", ["hive", "spark", "trino"])
@pytest.mark.parametrize("call", ["greatest(1, 2)", "floor(1.25)", "least(1, 2)"])
def test_columns_below_that_are_constants_are_read_in_each_dialect(dialect: str, call: str) -> None:
    asked = {
        "id": 1,
        "ddl": [TABLE, f"CREATE VIEW v AS SELECT x FROM (SELECT {call} AS x) q"],
        "relation": "default.v",
        "dialect": dialect,
    }

    assert "result" in answer(asked)


def test_a_field_of_a_written_struct_keeps_the_record_that_it_is() -> None:
    inner = (
        '{"type":"record","name":"Inner","doc":"hello","fields":[{"name":"mM","type":"string"}]}'
    )
    literal = (
        '{"type":"record","name":"W","fields":['
        '{"name":"a","type":{"type":"bytes","logicalType":"decimal","precision":10,"scale":2}},'
        f'{{"name":"c","type":{inner}}}]}}'
    )
    table = (
        "CREATE TABLE w (a DECIMAL(10,2), c STRUCT<mm:STRING>)"
        f" TBLPROPERTIES ('avro.schema.literal' = '{literal}')"
    )
    for query in (
        "SELECT struct(c, a + 1).col1 AS x FROM w",
        "SELECT named_struct('p', c, 'q', a + 1).p AS x FROM w",
        "SELECT first_value(struct(c, a + 1).col1) OVER () AS x FROM w",
    ):
        relations = relations_from_ddl([table, f"CREATE VIEW v AS {query}"])
        (field,) = derived_in(relations, VIEW).interface.schema.fields
        assert "Inner" in str(field.type), query
        assert "hello" in str(field.type), query
