"""What Hive 4.0.1 answered of columns that are computed in a query below."""

from __future__ import annotations

import pytest

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from tests.lakeschema.translation.relations import derived_in

TABLE = "CREATE TABLE t (r INT, s STRING, bo BOOLEAN, de DECIMAL(10,2))"
VIEW = RelationName.of("default", "v")


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
def test_products_are_of_the_types_before_hives_optimiser_in_queries_below_too(
    query: str, type_: str
) -> None:
    relations = relations_from_ddl([TABLE, f"CREATE VIEW v AS {query}"])

    (column,) = derived_in(relations, VIEW).interface.columns

    assert print_type(column.type) == type_
