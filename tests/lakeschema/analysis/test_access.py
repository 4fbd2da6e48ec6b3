"""The tables and columns that a statement uses, and the columns that it compares."""

from __future__ import annotations

import pytest

from lakeschema.analysis.catalog import as_text
from lakeschema.analysis.column_access import column_access
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.joins import joins
from lakeschema.analysis.table_access import table_access
from tests.lakeschema.analysis.analysed import resolved


def tables(sql: str, dialect: str = "hive") -> set[str]:
    return {f"{access.value} {as_text(s)}" for access, s in table_access(resolved(sql, dialect))}


def columns(sql: str, dialect: str = "hive") -> set[str]:
    found = column_access(resolved(sql, dialect))
    return {f"{clause.value} {column}" for column, clause in found}


def compared(sql: str, dialect: str = "hive") -> list[str]:
    return [f"{first} {second}" for first, second in joins(resolved(sql, dialect))]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1", set()),
        ("WITH x AS (SELECT * FROM foo) SELECT * FROM x", {"read data foo"}),
        ("SELECT (SELECT max(b) FROM bar) FROM foo", {"read data foo", "read data bar"}),
        ("INSERT INTO foo SELECT a FROM bar", {"read data bar", "write data foo"}),
        ("DROP TABLE foo", {"write data foo"}),
        ("DROP VIEW foo", {"write metadata foo"}),
        ("CREATE VIEW v AS SELECT * FROM foo", {"read data foo", "write metadata v"}),
        ("CREATE TABLE n LIKE foo", {"read metadata foo", "write data n"}),
        ("CREATE TABLE n (a INT)", {"write data n"}),
        ("ALTER TABLE foo ADD COLUMNS (b INT)", {"write data foo"}),
        ("ALTER TABLE foo CHANGE a b INT", {"write metadata foo"}),
        (
            "ALTER TABLE foo RENAME TO n",
            {"read data foo", "write data foo", "write data n"},
        ),
        ("DESCRIBE foo", {"read metadata foo"}),
    ],
)
def test_tables_are_read_and_written(sql: str, expected: set[str]) -> None:
    assert tables(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT a FROM foo ORDER BY 1", {"select foo.a", "order by foo.a"}),
        ("SELECT sum(b) FROM bar GROUP BY a", {"select bar.b", "group by bar.a"}),
        ("SELECT 1 FROM foo JOIN bar USING (a)", {"join foo.a", "join bar.a"}),
        (
            "SELECT a + b AS c FROM bar ORDER BY c",
            {"select bar.a", "select bar.b", "order by bar.a", "order by bar.b"},
        ),
        (
            "SELECT rank() OVER (PARTITION BY a ORDER BY b) FROM bar",
            {"partition by bar.a", "order by bar.b"},
        ),
        (
            "SELECT x.c FROM (SELECT a AS c FROM foo WHERE a > 1) x WHERE x.c < 5",
            {"select foo.a", "where foo.a"},
        ),
        (
            "SELECT 1 FROM foo WHERE a IN (SELECT b FROM bar HAVING max(a) > 1)",
            {"where foo.a", "select bar.b", "having bar.a"},
        ),
        (
            "SELECT e FROM foo LATERAL VIEW explode(a) t AS e",
            {"select foo.a", "lateral view foo.a"},
        ),
        ("SELECT * FROM somewhere", {"select somewhere.*"}),
    ],
)
def test_columns_are_used_by_the_innermost_clause(sql: str, expected: set[str]) -> None:
    assert columns(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1 FROM foo JOIN bar ON foo.a = bar.b", ["bar.b foo.a"]),
        ("SELECT 1 FROM foo NATURAL JOIN bar", ["bar.a foo.a"]),
        ("SELECT 1 FROM foo, bar WHERE foo.a + 1 < bar.b", ["bar.b foo.a"]),
        ("SELECT 1 FROM foo, bar WHERE foo.a <=> bar.b", ["bar.b foo.a"]),
        ("SELECT 1 FROM foo, bar WHERE foo.a LIKE concat(bar.b, '%')", ["bar.b foo.a"]),
        ("SELECT 1 FROM foo WHERE a IN (SELECT b FROM bar)", ["bar.b foo.a"]),
        ("SELECT 1 FROM foo WHERE EXISTS (SELECT 1 FROM bar WHERE foo.a = b)", ["bar.b foo.a"]),
        ("SELECT a FROM foo UNION SELECT b FROM bar", ["bar.b foo.a"]),
        ("SELECT 1 FROM foo f JOIN foo g ON f.a = g.a", []),
        ("SELECT 1 FROM foo WHERE a = 1", []),
        (
            "SELECT 1 FROM foo, bar WHERE foo.a = CASE WHEN bar.b > 7 THEN bar.a END",
            ["bar.a foo.a"],
        ),
        (
            "SELECT 1 FROM (SELECT a AS x FROM foo) f JOIN (SELECT b AS y FROM bar) g ON f.x = g.y",
            ["bar.b foo.a"],
        ),
        ("SELECT 1 FROM t JOIN u ON t.s.x = u.k", ["t.s.x u.k"]),
        (
            "SELECT * FROM foo LEFT SEMI JOIN bar JOIN customers c ON foo.a = c.id AND bar.b = c.id",
            ["bar.b customers.id", "customers.id foo.a"],
        ),
        ("SELECT * FROM foo LEFT SEMI JOIN bar ON TRUE WHERE bar.b = foo.a", []),
        (
            (
                "SELECT 1 FROM (SELECT sum(CASE WHEN o.at > 5 THEN o.amount END) AS s FROM orders o) t"
                " JOIN customers c ON t.s = c.id"
            ),
            ["customers.id orders.amount"],
        ),
    ],
)
def test_compared_columns_are_candidates_for_foreign_keys(sql: str, expected: list[str]) -> None:
    assert compared(sql) == expected


def test_columns_of_a_set_operation_are_compared_unless_another_convention_is_chosen() -> None:
    statement = resolved("SELECT a FROM foo UNION SELECT b FROM bar", "hive")

    assert len(joins(statement)) == 1
    assert joins(statement, Conventions(set_operations_compare=False)) == ()
